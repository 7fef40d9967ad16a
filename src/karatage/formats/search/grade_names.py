"""Grades that are words or fractions, and the whole numbers that they stand for: `Exact=3,Irrelevant=0`."""

from __future__ import annotations

from typing import Any

from karatage.errors import UsageError
from karatage.formats.cells import scalar_text, whole_text

_AS = "Exact=3,Substitute=2,Complement=1,Irrelevant=0"


def named_grades(text: str) -> dict[str, int]:
    """Return what `--grades` says: the grade of each word."""
    found: dict[str, int] = {}
    for entry in filter(None, (one.strip() for one in text.split(","))):
        word, sign, number = (part.strip() for part in entry.rpartition("="))
        grade = whole_text(number.removeprefix("-"))
        if not sign or not word or grade is None or word in found:
            raise UsageError(
                f"cannot read --grades {entry!r:.40}: name each grade once, with a whole number, as in {_AS}"
            )
        found[word] = -grade if number.startswith("-") else grade
    return found


def graded(value: Any, grades: dict[str, int]) -> Any:
    """Return the grade that a word stands for; anything else as it is."""
    return grades.get(scalar_text(value).strip(), value) if grades else value
