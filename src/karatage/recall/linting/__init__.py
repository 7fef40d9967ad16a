"""Linting: find defects in a benchmark, and report how each affects the estimate."""
