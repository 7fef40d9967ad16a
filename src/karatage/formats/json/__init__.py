"""Formats in JSON and JSON lines, and spaCy's binary corpora."""
