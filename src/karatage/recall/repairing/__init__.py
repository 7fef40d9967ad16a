"""Repairing: replace the counts of a benchmark by those of its label exports, and recompute its board."""
