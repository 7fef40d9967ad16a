"""Counts of predicted, correct and gold entities by type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from karatage.matching import SpanCounts, count_spans

__all__ = ["SpanCounts", "by_type", "count_sets", "count_spans"]


def count_sets(true: Mapping[str, set[Any]], pred: Mapping[str, set[Any]]) -> SpanCounts:
    """Count from sets of entities, one per type."""
    names = sorted(set(true) | set(pred))
    none: set[Any] = set()
    pairs = [(true.get(name, none), pred.get(name, none)) for name in names]
    columns = [len(p) for _, p in pairs], [len(t & p) for t, p in pairs], [len(t) for t, _ in pairs]
    return SpanCounts(names, *(np.array(column, np.int64 if names else np.int32) for column in columns))


def by_type(entities: Iterable[tuple[str, Any]]) -> dict[str, set[Any]]:
    """Group entities into one set per type."""
    sets: dict[str, set[Any]] = {}
    for kind, entity in entities:
        sets.setdefault(kind, set()).add(entity)
    return sets
