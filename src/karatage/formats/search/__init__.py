"""Search: judgements and results."""
