"""What a scoring found."""

from karat.result.repeatable import Repeatable
from karat.result.result import Result

__all__ = ["Repeatable", "Result"]
