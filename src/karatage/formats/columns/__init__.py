"""Column files: a token and its tags per line."""
