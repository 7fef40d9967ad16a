"""Matching by equality: of span and label, of label alone, of values."""

from __future__ import annotations

from typing import Any

import numpy as np

from karatage._arrays import Ints
from karatage.claims import Claims


def match_equal(gold: list[Ints], pred: list[Ints]) -> tuple[Ints, Ints]:
    """Pair rows of two tables that are equal in all columns.

    Of equal rows, the first of one side is paired with the first of the other, the second with the second, and so on:
    a row that occurs more often on one side stays unpaired there.

    Returns:
        The paired rows of gold and of the predictions.
    """
    none = np.zeros(0, np.int64)
    if len(gold[0]) == 0 or len(pred[0]) == 0:
        return none, none
    ours, theirs = _keys(gold, pred)
    gold_order, pred_order = _sorted(ours), _sorted(theirs)
    ours, theirs = ours[gold_order], theirs[pred_order]
    at = np.searchsorted(ours, theirs, "left")
    # The n-th of several equal predictions looks for the n-th of the equal golds.
    if len(theirs) > 1 and (theirs[1:] == theirs[:-1]).any():
        first = np.searchsorted(theirs, theirs, "left")
        at = at + np.arange(len(theirs)) - first
    inside = np.flatnonzero(at < len(ours))
    found = inside[ours[at[inside]] == theirs[inside]]
    return gold_order[at[found]], pred_order[found]


def in_text_order(claims: Claims) -> bool:
    """Whether each claim starts after the one before it, or in a later unit."""
    return bool(((claims.unit[1:] > claims.unit[:-1]) | (claims.start[1:] > claims.start[:-1])).all())


def _sorted(keys: Ints) -> Ints:
    """Return the order that sorts the keys; claims mostly come sorted already."""
    if (keys[1:] >= keys[:-1]).all():
        return np.arange(len(keys))
    return np.argsort(keys, kind="stable")


def _keys(gold: list[Ints], pred: list[Ints]) -> tuple[Ints, Ints]:
    """Pack the columns of each row into one number, the same for equal rows on both sides."""
    ours, theirs, room = gold[0], pred[0], int(max(gold[0].max(), pred[0].max())) + 2
    for a, b in zip(gold[1:], pred[1:], strict=True):
        low = min(int(a.min()), int(b.min()))
        width = max(int(a.max()), int(b.max())) - low + 1
        if room * width >= 1 << 62:
            ours, theirs, room = _dense(ours, theirs)
        if room * width >= 1 << 62:
            a, b, width = _dense(a, b)
            low = 0
        ours, theirs, room = ours * width + (a - low), theirs * width + (b - low), room * width
    return ours, theirs


def _dense(ours: Ints, theirs: Ints) -> tuple[Ints, Ints, int]:
    distinct, numbers = np.unique(np.concatenate([ours, theirs]), return_inverse=True)
    numbers = numbers.astype(np.int64)
    return numbers[: len(ours)], numbers[len(ours) :], len(distinct)


def span_columns(claims: Claims, other: Claims) -> list[Ints]:
    """Return the columns that make up a span: unit, start, end and, where either side has them, the fragments."""
    columns = [claims.unit, claims.start, claims.end]
    if claims.shape is not None or other.shape is not None:
        columns.append(shared_codes(claims.shape, claims.shapes, other.shapes, len(claims)))
    return columns


def value_codes(claims: Claims, other: Claims) -> Ints:
    """Return the values as codes that mean the same on both sides."""
    return shared_codes(claims.value, claims.values, other.values, len(claims))


def shared_codes(codes: Ints | None, names: tuple[Any, ...], others: tuple[Any, ...], count: int) -> Ints:
    """Renumber codes by the sorted union of both sides' names; no code stays -1."""
    number = {name: k for k, name in enumerate(sorted(set(names) | set(others)))}
    if codes is None:
        return np.full(count, -1, np.int64)
    return np.array([*(number[name] for name in names), -1], np.int64)[codes]


def unpaired(count: int, paired: Ints) -> Ints:
    """Return the claims that no pair has."""
    free = np.ones(count, bool)
    free[paired] = False
    return np.flatnonzero(free)
