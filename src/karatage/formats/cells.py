"""What a cell, a member or an entry says, by one rule for all readers: null, whole numbers, ids, and texts.

- Null is JSON's null, Python's None, NaN, the NA and NaT of pandas, and a null of Polars and Parquet. An empty text,
  and texts such as `NA`, `N/A`, `None` and `nan`, are texts: a brand may be called so.
- An id is a text or a whole number; 1.0 is the whole number 1, as pandas writes whole numbers beside a null.
- An offset, a grade or the number of a class is a whole number, 3.0 included; true and false are no numbers. In a table
  of text, it is written in digits, perhaps with .0 at the end: 250.000 may be 250 or, in some countries, 250 thousand.
- An attribute may be null, which is the empty text, and anything else, of which the text is taken: `true`, `3` for 3.0.
"""

from __future__ import annotations

import operator
import re
import sys
from typing import Any

_EXACT = 2**53
"""Up to here, every whole number is a floating-point number of its own."""


def is_null(value: Any) -> bool:
    """Tell whether a value is null, of whatever library."""
    if value is None:
        return True
    if isinstance(value, str | int | list | dict | tuple):
        return False
    if isinstance(value, float):
        return value != value
    if type(value).__module__.startswith("pandas."):
        pandas = sys.modules["pandas"]
        return value is pandas.NA or value is pandas.NaT
    return type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0 and bool(value != value)


def whole(value: Any) -> int | None:
    """Return a whole number, given as one of any kind; None for anything else, true and false included."""
    if type(value) is int:
        return value
    if isinstance(value, bool | str | bytes | bytearray) or value is None or type(value).__name__ in ("bool_", "bool"):
        return None
    try:
        return operator.index(value)
    except TypeError:
        pass
    try:
        number = float(value) if getattr(value, "ndim", 0) == 0 else float("nan")
    except (TypeError, ValueError, OverflowError):
        return None
    return int(number) if number.is_integer() and abs(number) <= _EXACT else None


def whole_text(text: str) -> int | None:
    """Return the whole number that a cell of text states; None for anything else, 250.000 included."""
    if text.isdigit() and text.isascii() and len(text) <= _MOST:  # as nearly always
        return int(text)
    return int(text.partition(".")[0]) if _DIGITS.fullmatch(text) else None


_MOST = 15
"""How many digits a number may have: so many are exact as a floating-point number, too."""
_DIGITS = re.compile(rf"[0-9]{{1,{_MOST}}}(\.0)?")


def id_text(value: Any) -> str | None:
    """Return the id that a value stands for; None if it cannot be one: null, empty, true, 1.5, a list."""
    if isinstance(value, str):
        return str(value) or None
    number = whole(value)
    return None if number is None else str(number)


def scalar_text(value: Any) -> str:
    """Return an attribute as text; null is the empty text."""
    if isinstance(value, str):
        return str(value)
    if is_null(value):
        return ""
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return str(bool(value)).lower()
    number = whole(value)
    return str(value if number is None else number)
