"""What is wrong with a benchmark, and what each defect does to the estimate."""

from karatage.recall.linting.findings import ERROR, NOTE, WARNING, Finding
from karatage.recall.linting.linter import lint

__all__ = ["ERROR", "NOTE", "WARNING", "Finding", "lint"]
