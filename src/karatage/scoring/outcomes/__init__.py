"""Outcomes: whether each entity or value is correct, or which kind of error it is, with its text and context."""
