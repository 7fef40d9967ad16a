"""The members of a JSON object by type, with errors that name file, line, record and member."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any, NoReturn

from karatage.errors import FormatError
from karatage.formats.cells import id_text, is_null, scalar_text, whole

LARGEST = 2**31 - 1
"""No text that fits into memory has more characters."""


class JsonObject:
    """An object of a JSON file, and its position.

    Args:
        value: what was read; anything but an object is an error.
        source: the name of the file in messages.
        line: the line where the record starts.
        path: the path of this object in the record, such as `spans[3]`.
    """

    def __init__(self, value: Any, source: str, line: int | None, path: str = "", unit: str | None = None) -> None:
        self.source, self.line, self.path, self.unit = source, line, path, unit
        if not isinstance(value, dict):
            self.fail(f"{path or 'the record'} must be an object, got {describe(value)}")
        self.members: Mapping[str, Any] = value

    def __contains__(self, key: str) -> bool:
        return self.members.get(key) is not None

    def fail(self, problem: str, hint: str | None = None) -> NoReturn:
        """Refuse the record."""
        raise FormatError(problem, source=self.source, line=self.line, unit=self.unit, hint=hint)

    def name(self, key: str) -> str:
        """Return the name of a member in messages."""
        return f"{self.path}.{key}" if self.path else key

    def text(self, key: str) -> str:
        """Return a member that must be a string."""
        value = self._get(key)
        return value if isinstance(value, str) else self._wrong(key, "a string", value)

    def optional_text(self, key: str) -> str | None:
        """Return a member that must be a string, if there is one."""
        return self.text(key) if key in self else None

    def label(self, key: str) -> str:
        """Return a member that must be a string and not empty."""
        return self.text(key) or self.fail(f"{self.name(key)} is empty", "Every entity needs a label")

    def offset(self, key: str) -> int:
        """Return a member that must be an offset: an integer from 0."""
        return offset(self._get(key), self.name(key), self)

    def score(self, key: str = "score") -> float:
        """Return a confidence score: a finite number, or a string of one; NaN if it is null or missing.

        NumPy's numbers become text where somebody writes JSON with `default=str`, as many do with a pipeline's output.
        """
        value = self.members.get(key)
        if value is None:
            return math.nan
        number = as_number(value)
        if number is None:
            self._wrong(key, "a finite number or null", value)
        return number

    def any_score(self) -> float:
        """Return a number under `score` or `confidence`, where a format has no such member of its own; else NaN."""
        found = (as_number(self.members.get(key)) for key in ("score", "confidence"))
        return next((number for number in found if number is not None), math.nan)

    def id(self, key: str = "id") -> str | None:
        """Return the unit's id, from a string or an integer, and remember it for messages."""
        value = self.members.get(key)
        if value == "":
            self.fail(f"{self.name(key)} is empty", "Give every record its own id, or none at all")
        self.unit = id_text(value)
        if self.unit is None and not is_null(value):
            self._wrong(key, "a string or an integer", value)
        return self.unit

    def array(self, key: str) -> list[Any]:
        """Return a member that must be an array; an empty one if it is null or missing."""
        value = self.members.get(key)
        if value is None:
            return []
        return value if isinstance(value, list) else self._wrong(key, "an array", value)

    def texts(self, key: str) -> list[str]:
        """Return a member that must be an array of strings."""
        values = self._get(key)
        if not isinstance(values, list):
            self._wrong(key, "an array", values)
        if not all(map(str.__instancecheck__, values)):
            at = next(i for i, value in enumerate(values) if not isinstance(value, str))
            self._wrong(f"{key}[{at}]", "a string", values[at])
        return values

    def objects(self, key: str) -> Iterator[JsonObject]:
        """Yield the objects of a member that must be an array of them."""
        for at, value in enumerate(self.array(key)):
            yield JsonObject(value, self.source, self.line, f"{self.name(key)}[{at}]", self.unit)

    def object(self, key: str) -> JsonObject:
        """Return a member that must be an object."""
        return JsonObject(self._get(key), self.source, self.line, self.name(key), self.unit)

    def scalars(self, known: Iterable[str]) -> dict[str, str]:
        """Return the other members that are strings, numbers or booleans, as strings."""
        skip = set(known)
        return {
            key: scalar_text(value)
            for key, value in self.members.items()
            if key not in skip and isinstance(value, str | int | float)
        }

    def count_others(self, known: Container[str], notes: Counter[str], of: str = "") -> None:
        """Count the other members by name; one that is null or empty says nothing."""
        for key, value in self.members.items():
            if key not in known and value not in (None, "", [], {}):
                notes[f'"{key:.40}"{of}'] += 1

    def _get(self, key: str) -> Any:
        if key not in self.members:
            there = ", ".join(list(self.members)[:8]) or "nothing"
            self.fail(f"{self.name(key)} is missing", f"The keys are: {there}")
        return self.members[key]

    def _wrong(self, key: str, wanted: str, value: Any) -> NoReturn:
        self.fail(f"{self.name(key)} must be {wanted}, got {describe(value)}")


def offset(value: Any, name: str, owner: JsonObject) -> int:
    """Check that a value is a position."""
    number = whole(value)
    if number is None:
        owner.fail(f"{name} must be an integer, got {describe(value)}", "Offsets count from 0")
    if not 0 <= number <= LARGEST:
        owner.fail(f"{name} must not be {'negative' if number < 0 else 'that large'}, got {str(value)[:30]}")
    return number


def as_number(value: Any) -> float | None:
    """Return a finite number, given as one or as its text; None for anything else."""
    if type(value) is not float:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            return None
        if isinstance(value, str) and ("_" in value or not value.isascii()):
            return None  # which Python would read, and nobody else
        try:
            value = float(value)
        except (ValueError, OverflowError):  # no number, or a whole one of hundreds of digits
            return None
    return value if math.isfinite(value) else None


def describe(value: Any) -> str:
    """Describe a JSON value in messages."""
    if value is None:
        return "null"
    kind = {bool: "the boolean", str: "the string", int: "the number", float: "the number"}.get(type(value))
    if kind is None:
        return "an array" if isinstance(value, list) else "an object" if isinstance(value, dict) else f"{value!r:.40}"
    try:
        shown = str(value).lower() if isinstance(value, bool) else repr(value)
    except ValueError:  # Python refuses to print numbers of thousands of digits
        shown = "of thousands of digits"
    return f"{kind} {shown if len(shown) <= 40 else shown[:37] + '…'}"
