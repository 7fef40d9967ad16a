"""The parameters of trec_eval's measures, as its command line has them behind a dot: `P.5,10`, `ndcg.1=3,2=9`."""

from __future__ import annotations

import re
from typing import TypeVar

from karatage.errors import UsageError

Number = TypeVar("Number", int, float)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")


def numbers(text: str, count: int | None = None) -> list[float]:
    """Read numbers, separated by commas."""
    parts = text.split(",")
    wrong = [part for part in parts if not _NUMBER.fullmatch(part)]
    if wrong:
        raise UsageError(f"{wrong[0]!r} is not a number")
    if count is not None and len(parts) != count:
        raise UsageError(f"expected {count} numbers, found {len(parts)} in {text!r}")
    return [float(part) for part in parts]


def cutoffs(text: str) -> list[int]:
    """Read ranks, in rising order."""
    parts = text.split(",")
    if not all(re.fullmatch(r"[0-9]{1,12}", part) and int(part) > 0 for part in parts):
        raise UsageError(f"cutoffs are whole numbers from 1, not {text!r}")
    return _distinct(sorted(int(part) for part in parts), text)


def recall_levels(text: str, *, in_order: bool = False) -> list[float]:
    """Read levels of recall, or multiples of it, in rising order; `in_order` refuses others."""
    found = numbers(text)
    if in_order and sorted(found) != found:
        raise UsageError(f"recall levels must increase, unlike {text!r}")
    return _distinct(sorted(found), text)


def gain_levels(text: str) -> str:
    """Read grades with their gains, and return them as a gain of `karatage.metrics`."""
    pairs = [part.partition("=") for part in text.split(",")]
    for level, _, gain in pairs:
        if not re.fullmatch(r"[0-9]{1,9}", level) or not _NUMBER.fullmatch(gain):
            raise UsageError(f"gains look like 1=3,2=9.5, with grades from 0, not {text!r}")
    _distinct([int(level) for level, _, _ in pairs], text)
    return "/".join(f"{level}:{gain}" for level, _, gain in pairs)


def _distinct(found: list[Number], text: str) -> list[Number]:
    if len(set(found)) < len(found):
        raise UsageError(f"a number occurs twice in {text!r}")
    return found
