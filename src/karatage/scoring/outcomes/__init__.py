"""What became of every claim: right, or wrong in which way, with its text and what stands around it."""
