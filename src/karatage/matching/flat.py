"""Exact matches on one layer of tags, counted without making claims.

On one layer no two spans of a side end at the same place. So a predicted span has at most one gold span to be compared
with, the one that ends where it ends, and matching is one look-up by position in the stream.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Bools, Ints
from karatage.claims import Spans


class SpanCounts(NamedTuple):
    """Counts per type; `names` are the types that occur on either side, sorted."""

    names: list[str]
    predicted: NDArray[Any]
    correct: NDArray[Any]
    true: NDArray[Any]


class Matches(NamedTuple):
    """Types of spans as indices into `names`, and which predicted spans are right."""

    names: list[str]
    predicted: NDArray[Any]
    hit: Bools
    true: NDArray[Any]


def match_spans(true: Spans, pred: Spans) -> Matches:
    """Compare spans of streams that are aligned, one by one."""
    names = sorted(_occurring(true) | _occurring(pred))
    if not names:
        nothing = np.zeros(0, np.int64)
        return Matches([], nothing, np.zeros(0, bool), nothing)
    true_kinds, true_keys = _numbered(true, names)
    pred_kinds, pred_keys = _numbered(pred, names)
    key_at = np.zeros(max(int(side.ends[-1]) for side in (true, pred) if len(side.ends)) + 1, np.int64)
    key_at[true.ends] = true_keys
    return Matches(names, pred_kinds, key_at.take(pred.ends) == pred_keys, true_kinds)


def count_spans(true: Spans, pred: Spans) -> SpanCounts:
    """Compare spans of streams that are aligned, and count."""
    found = match_spans(true, pred)
    if not found.names:
        nothing = np.zeros(0, np.int32)  # 32 bits, as seqeval's are without spans
        return SpanCounts([], nothing, nothing, nothing)
    kinds = (found.predicted, found.predicted[found.hit], found.true)
    return SpanCounts(found.names, *(np.bincount(own, minlength=len(found.names)) for own in kinds))


def _occurring(spans: Spans) -> set[str]:
    return {spans.names[kind] for kind in np.flatnonzero(np.bincount(spans.types))}


def _numbered(spans: Spans, names: list[str]) -> tuple[Ints, Ints]:
    """Number the types by their place in `names`; make a key, never 0, of each span's length and type."""
    number = {name: at for at, name in enumerate(names)}
    kinds = np.array([number.get(name, 0) for name in spans.names])[spans.types]
    return kinds, (spans.ends - spans.starts) * len(names) + kinds
