"""Linting: find defects of a benchmark, and say how each affects the estimate."""
