"""Do the tests see small mistakes in the code? `python -m benchmarks.mutants` prints a table; see `__main__.py`."""
