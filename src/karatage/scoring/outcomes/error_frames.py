"""The errors of a system: how many of each kind, which labels met which, and a frame with a row for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.claims import Claims
from karatage.errors import unknown
from karatage.matching import Kind
from karatage.scoring.outcomes.error_kinds import DETAILS, Detail
from karatage.scoring.outcomes.outcomes import Outcomes

if TYPE_CHECKING:
    import polars as pl

KIND_NAMES = {
    "type": Kind.TYPE,
    "boundary": Kind.BOUNDARY,
    "both": Kind.BOTH,
    "missed": Kind.MISSED,
    "spurious": Kind.SPURIOUS,
}

AROUND = 40
"""How many characters before and after an error are its context."""

_SIDE = ("label", "start", "end", "text")
_CONTEXT = ("before", "at", "after")
COLUMNS = ["unit", "kind", "detail", *(f"gold_{c}" for c in _SIDE), *(f"pred_{c}" for c in _SIDE), *_CONTEXT]


def wanted_kind(outcomes: Outcomes, kind: str | None, *, in_detail: bool = False) -> Bools:
    """Tell which outcomes are errors of a kind, one of matching's or one in detail.

    Args:
        outcomes: what became of every claim.
        kind: the kind; None stands for all.
        in_detail: what a name means that both have: `missed` is then only what was not merged, and `spurious` only what
            is not a part of a split claim.
    """
    if kind is None:
        return outcomes.wrong
    check_kind(kind)
    if kind in KIND_NAMES and not (in_detail and kind in DETAILS):
        found: Bools = outcomes.kind == KIND_NAMES[kind]
        return found
    fine: Bools = outcomes.wrong & (outcomes.detail == list(DETAILS).index(kind) + 1)
    return fine


def check_kind(kind: str) -> None:
    """Refuse a kind of error that there is not."""
    if kind not in KIND_NAMES and kind not in DETAILS:
        raise unknown("kind of error", kind, [*KIND_NAMES, *(name for name in DETAILS if name not in KIND_NAMES)])


def errors_frame(outcomes: Outcomes, chosen: Bools) -> pl.DataFrame:
    """Return a row for each of the chosen outcomes, in the order of their offsets."""
    import polars as pl

    rows = np.flatnonzero(chosen)
    units = outcomes.units
    kinds = {code: name for name, code in KIND_NAMES.items()}
    kind_names = ["correct", *(kinds[Kind(k)] for k in range(1, len(Kind)))]
    columns: dict[str, Any] = {
        "unit": unit_names(units, outcomes.unit[rows]),
        "kind": pl.Series(kind_names, dtype=pl.String).gather(outcomes.kind[rows]),
        "detail": pl.Series(["correct", *DETAILS], dtype=pl.String).gather(outcomes.detail[rows]),
    }
    for side, at, claims in (
        ("gold", outcomes.gold[rows], outcomes.claims.gold),
        ("pred", outcomes.pred[rows], outcomes.claims.pred),
    ):
        columns |= _side(claims, at, side, outcomes)
    columns |= _context(outcomes, rows)
    return pl.DataFrame(columns)


def unit_names(units: Any, of: Ints) -> pl.Series:
    """Return what units are called: their ids, or their numbers from 1."""
    import polars as pl

    if units.ids is None:
        return pl.Series(of + units.first + 1).cast(pl.String)
    return pl.Series(list(units.ids), dtype=pl.String).gather(of)


def _side(claims: Claims, at: Ints, side: str, outcomes: Outcomes) -> dict[str, Any]:
    import polars as pl

    # A negative index would count from the end: what is not there takes a null.
    index = pl.Series(np.where(at >= 0, at, 0)).to_frame("at").with_columns(there=pl.Series(at >= 0))
    taken = index.select(pl.when("there").then("at")).to_series()

    def picked(column: pl.Series) -> pl.Series:
        return pl.concat([column, pl.Series([None], dtype=column.dtype)]).gather(taken.fill_null(len(column)))

    labels = pl.Series(list(claims.labels), dtype=pl.String)
    label = labels.gather(claims.label) if len(claims) else pl.Series([], dtype=pl.String)
    out = {f"{side}_label": picked(label)}
    for name in ("start", "end"):
        column = pl.Series(getattr(claims, name), dtype=pl.Int64)
        out[f"{side}_{name}"] = (
            picked(column.set(column < 0, None))
            if claims.space != "value"
            else pl.Series([None] * len(at), dtype=pl.Int64)
        )
    out[f"{side}_text"] = picked(outcomes.surface(side))  # type: ignore[arg-type]
    return out


def _context(outcomes: Outcomes, rows: Ints) -> dict[str, pl.Series]:
    """Return what stands before the error, at it, and after it."""
    import polars as pl

    texts, unit = outcomes.texts, outcomes.unit[rows]
    if texts is None:
        return {name: pl.Series([None] * len(rows), dtype=pl.String) for name in _CONTEXT}
    far = np.iinfo(np.int64).max
    low, high = np.full(len(rows), far), np.full(len(rows), -1)
    for claims, at in ((outcomes.claims.gold, outcomes.gold[rows]), (outcomes.claims.pred, outcomes.pred[rows])):
        start, end = (np.append(ends, -1) for ends in texts.offsets(claims))
        there = (at >= 0) & (start[at] >= 0)
        low = np.where(there, np.minimum(low, start[at]), low)
        high = np.where(there, np.maximum(high, end[at]), high)
    low = np.where(low == far, 0, low)
    before = np.maximum(low - AROUND, 0)
    # Without offsets, as values are, the text's start is all that can be shown.
    parts = zip((before, low, np.maximum(high, 0)), (low, high, np.maximum(high, 0) + AROUND), strict=True)
    return {name: texts.cut(unit, a, b) for name, (a, b) in zip(_CONTEXT, parts, strict=True)}


def count_kinds(outcomes: Outcomes) -> dict[str, int]:
    """Return how many errors there are of each kind of matching."""
    counts = np.bincount(outcomes.kind, minlength=len(Kind)).tolist()
    return {name: counts[code] for name, code in KIND_NAMES.items()}


def count_details(outcomes: Outcomes) -> dict[str, int]:
    """Return how many errors there are of each kind in detail."""
    counts = np.bincount(outcomes.detail[outcomes.wrong], minlength=len(Detail)).tolist()
    return {name: counts[k + 1] for k, name in enumerate(DETAILS)}


def confusion_of(outcomes: Outcomes) -> dict[tuple[str, str], int]:
    """Return how often a gold label met a predicted label; an empty name is nothing."""
    pair, count = outcomes.claims, len(outcomes.claims.labels) + 1
    gold, pred = (
        np.append(label, count - 1)[claims]  # a claim that is not there, -1, takes the last entry
        for label, claims in ((pair.gold_label, outcomes.gold), (pair.pred_label, outcomes.pred))
    )
    found, times = np.unique(gold * count + pred, return_counts=True)
    names = (*pair.labels, "")
    return {(names[k // count], names[k % count]): n for k, n in zip(found.tolist(), times.tolist(), strict=True)}
