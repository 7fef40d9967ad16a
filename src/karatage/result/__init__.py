"""What a scoring found."""

from karatage.result.repeatable import Repeatable
from karatage.result.result import Result

__all__ = ["Repeatable", "Result"]
