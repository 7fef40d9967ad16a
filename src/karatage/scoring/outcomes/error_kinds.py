"""Kinds of error that say more than the matching does: how a boundary is wrong, what was split, merged or made up."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.claims import Claims
from karatage.matching import NOWHERE, ClaimPair, Kind, absent, overlaps, texts_known


class Detail(IntEnum):
    """What became of a claim, in detail."""

    CORRECT = 0
    TYPE = 1
    TOO_LONG = 2
    TOO_SHORT = 3
    SHIFTED = 4
    SPLIT = 5
    MERGED = 6
    BOTH = 7
    MISSED = 8
    SPURIOUS = 9
    UNGROUNDED = 10


DETAILS: dict[str, str] = {
    "type": "correct boundaries, wrong label",
    "too long": "contains the gold entity and more",
    "too short": "covers only part of the gold entity",
    "shifted": "overlaps gold, off at both ends",
    "split": "one gold entity, several predictions",
    "merged": "several gold entities, one prediction",
    "both": "overlaps gold, with a different label",
    "missed": "a gold entity with no matching prediction",
    "spurious": "a prediction with no matching gold entity",
    "ungrounded": "a predicted value that is not in the text",
}
"""The kinds of error in detail, in the order of `Detail`; every error is of one."""

_PLAIN = {
    Kind.CORRECT: Detail.CORRECT,
    Kind.TYPE: Detail.TYPE,
    Kind.BOUNDARY: Detail.SHIFTED,
    Kind.BOTH: Detail.BOTH,
    Kind.MISSED: Detail.MISSED,
    Kind.SPURIOUS: Detail.SPURIOUS,
}


def details(pair: ClaimPair, gold: Ints, pred: Ints, kind: Ints, credited: Bools) -> Ints:
    """Return the detail of each outcome.

    Args:
        pair: the claims.
        gold, pred: the claims of each outcome, -1 where there is none.
        kind: what matching calls each.
        credited: which of them earned credit.
    """
    out = np.array([int(_PLAIN[k]) for k in Kind], np.int64)[kind]
    boundary = np.flatnonzero(kind == Kind.BOUNDARY)
    if pair.gold.space == pair.pred.space != "value":
        out[boundary] = _by_offsets(pair, gold[boundary], pred[boundary])
        _mark_parts(pair, gold, pred, kind, out)
    elif len(boundary):
        out[boundary] = _by_words(pair, gold[boundary], pred[boundary])
    nowhere = np.flatnonzero((pred >= 0) & (kind == Kind.SPURIOUS))
    nowhere = nowhere[pair.pred.start[pred[nowhere]] == NOWHERE]
    if pair.pred.space != "value":
        if len(nowhere):
            known = texts_known(pair.gold, pair.pred)
            out[nowhere[known[pair.pred.unit[pred[nowhere]]]]] = Detail.UNGROUNDED
    else:
        wrong = np.flatnonzero((pred >= 0) & ~credited & (kind != Kind.TYPE))
        out[wrong[ungrounded(pair, pred[wrong])]] = Detail.UNGROUNDED
    return out


def _by_offsets(pair: ClaimPair, gold: Ints, pred: Ints) -> Ints:
    ours, theirs = pair.gold, pair.pred
    before = theirs.start[pred] - ours.start[gold]
    behind = theirs.end[pred] - ours.end[gold]
    out = np.full(len(gold), int(Detail.SHIFTED))
    out[(before <= 0) & (behind >= 0)] = Detail.TOO_LONG
    out[(before >= 0) & (behind <= 0)] = Detail.TOO_SHORT
    same = np.flatnonzero((before == 0) & (behind == 0))  # in several pieces, at least one of them
    if len(same):
        more = _covered(theirs, pred[same]) - _covered(ours, gold[same])
        out[same] = np.select([more > 0, more < 0], [Detail.TOO_LONG, Detail.TOO_SHORT], Detail.SHIFTED)
    return out


def _covered(claims: Claims, rows: Ints) -> Ints:
    """Return how many tokens or characters lie in the pieces of claims."""
    size = claims.end[rows] - claims.start[rows]
    if claims.shape is None:
        return size
    sizes = np.array([*(sum(b - a for a, b in pieces) for pieces in claims.shapes), 0], np.int64)
    return np.where(claims.shape[rows] >= 0, sizes[claims.shape[rows]], size)


def _mark_parts(pair: ClaimPair, gold: Ints, pred: Ints, kind: Ints, out: Ints) -> None:
    """Find what was split and what was merged: a wrong pair beside which a further claim of the label lies."""
    paired = np.flatnonzero(kind == Kind.BOUNDARY)
    for lonely, detail in ((Kind.MISSED, Detail.MERGED), (Kind.SPURIOUS, Detail.SPLIT)):
        rest = np.flatnonzero(kind == lonely)
        merged = lonely == Kind.MISSED
        golds, preds = (gold[rest], pred[paired]) if merged else (gold[paired], pred[rest])
        edges = overlaps(pair.gold, golds, pair.pred, preds)
        same = pair.gold_label[edges.gold] == pair.pred_label[edges.pred]
        # Where each claim stands among the outcomes.
        of_gold, of_pred = _positions(len(pair.gold), gold), _positions(len(pair.pred), pred)
        out[of_gold[edges.gold[same]]] = detail
        out[of_pred[edges.pred[same]]] = detail


def _positions(count: int, claims: Ints) -> Ints:
    out = np.full(count + 1, -1, np.int64)
    out[claims] = np.arange(len(claims))  # the last entry, of no claim, is not asked for
    return out


def _by_words(pair: ClaimPair, gold: Ints, pred: Ints) -> Ints:
    ours, theirs = _values(pair.gold, gold), _values(pair.pred, pred)
    out = [
        Detail.TOO_LONG if _within(one, other) else Detail.TOO_SHORT if _within(other, one) else Detail.SHIFTED
        for one, other in zip(ours, theirs, strict=True)
    ]
    return np.array(out, np.int64)


def _within(part: str, whole: str) -> bool:
    return f" {' '.join(part.split())} " in f" {' '.join(whole.split())} "


def _values(claims: Claims, rows: Ints) -> list[str]:
    codes = np.full(len(rows), -1) if claims.value is None else claims.value[rows]
    return [claims.values[code] if code >= 0 else "" for code in codes.tolist()]


def ungrounded(pair: ClaimPair, pred: Ints) -> Ints:
    """Return which of some predicted values do not occur in their unit's text, where the text is known."""
    texts = pair.gold.units.texts or pair.pred.units.texts
    if texts is None or pair.pred.value is None:
        return np.zeros(0, np.int64)
    return absent(pair.pred, pred, texts, pair.form)
