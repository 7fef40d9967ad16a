"""How much of an input may be in memory at once: limits that stop a damaged or hostile file, and how to raise them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, fields, replace
from functools import cache

from karatage.errors import UsageError

VARIABLE = "KARATAGE_LIMITS"
"""The environment variable that changes limits, e.g. `record=1GB,labels=20000`."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What an input may have at most; whoever has more sets `KARATAGE_LIMITS`.

    Attributes:
        record: bytes of one line, sentence, JSON record or cell.
        rows: rows of one unit in a table.
        expansion: how many times larger than its file a compressed file may be, once it is larger than `record`.
        pairs: pairs of overlapping spans to choose from in one batch of units.
        labels: labels that scores are reported for.
    """

    record: int = 64 << 20
    rows: int = 1_000_000
    expansion: int = 500
    pairs: int = 10_000_000
    labels: int = 5_000


def limits() -> Limits:
    """Return the limits in force."""
    return _parsed(os.environ.get(VARIABLE, ""))


def raised(name: str) -> str:
    """Return the hint that says how to raise a limit to four times what it is."""
    return f"If the file is right, set {VARIABLE}={name}={_text(4 * getattr(limits(), name), name)}"


@cache
def _parsed(text: str) -> Limits:
    names = [field.name for field in fields(Limits)]
    found: dict[str, int] = {}
    for part in filter(None, re.split(r"[,\s]+", text)):
        name, _, number = part.partition("=")
        size = re.fullmatch(r"([0-9]{1,15})([kMGT]?)B?", number)
        if name not in names or size is None:
            raise UsageError(
                f"{VARIABLE}: cannot read {part!r}. Expected e.g. record=1GB; the limits are {', '.join(names)}"
            )
        found[name] = int(size.group(1)) * _UNITS[size.group(2)]
    return replace(Limits(), **found)


def _text(number: int, name: str) -> str:
    return f"{number >> 20}MB" if name == "record" and number >= 1 << 20 else str(number)


_UNITS = {"": 1, "k": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
