"""What claims are built from: rows, brought into order and checked."""

from __future__ import annotations

import itertools
from typing import Any, Literal

import numpy as np

from karatage._arrays import Floats
from karatage.claims.units import Units
from karatage.errors import ClaimError, UsageError

Space = Literal["token", "char", "value"]
"""What offsets count: tokens, characters, or nothing, for values without offsets."""

Fragments = tuple[tuple[int, int], ...]
"""The half-open parts of a discontinuous span, in order."""


def in_order(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return what rows of (unit, start, end, label, fragments, value) are sorted by."""
    return (*row[:5], row[5] is not None, row[5] or "")


def sort_scored(table: list[Any], scores: Floats) -> tuple[list[Any], Floats]:
    """Sort rows with their scores."""
    if len(scores) != len(table):
        raise UsageError(f"got {len(table)} claims but {len(scores)} scores")
    down = np.where(np.isnan(scores), np.inf, -scores).tolist()
    keys = [(*in_order(row), less) for row, less in zip(table, down, strict=True)]
    order = sorted(range(len(table)), key=keys.__getitem__)
    return [table[at] for at in order], scores[order]


def merged(fragments: Fragments | None) -> Fragments:
    """Join adjacent fragments; a contiguous span has none."""
    out: list[tuple[int, int]] = []
    for low, high in fragments or ():
        if out and out[-1][1] == low < high:
            out[-1] = (out[-1][0], high)
        else:
            out.append((low, high))
    return tuple(out) if len(out) > 1 else ()


_FARTHEST = 1 << 53
"""Places beyond this cannot be added up safely."""


def check_spans(units: Units, space: Space, table: list[Any]) -> None:
    """Refuse a span that is empty or reaches outside of its unit."""
    inside = units.texts if space == "char" else units.tokens
    sizes = [len(x) for x in inside] if inside is not None else None
    for unit, start, end, label, fragments, _ in table:
        wrong = None
        if any(a >= b for a, b in ((start, end), *fragments)):
            wrong = "is empty or ends before it starts"
        elif start < 0 or end > _FARTHEST or (sizes is not None and end > sizes[unit]):
            count = f"{sizes[unit]} " if sizes else ""
            wrong = f"is outside the text of {count}{'characters' if space == 'char' else 'tokens'}"
        elif any(b > c for (_, b), (c, _) in itertools.pairwise(fragments)):
            wrong = "has fragments that overlap or are out of order"
        if wrong:
            raise ClaimError(
                f"the span {label} {start}–{end} {wrong}",
                source=units.source,
                line=units.line(unit),
                unit=units.name(unit),
                hint="Spans are half-open: `end` is the offset after the last character or token",
            )
