"""What is wrong most often: labels taken for others, and surface forms."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl

from karatage._arrays import Bools, Ints
from karatage.scoring import Outcomes

FORMS = ("side", "text", "label", "claims", "wrong", "share")

_EXAMPLES = 3

_PENDING = 1 << 16
"""Rows of forms to hold before equal ones are added up."""

_SCHEMA = {"side": pl.String, "text": pl.String, "label": pl.String, "claims": pl.Int64, "wrong": pl.Int64}

Labels = tuple[str | None, str | None]
"""The label of a gold and of a predicted claim; None where there is no claim."""


class ConfusionCounts:
    """Gathers which labels are taken for which, with the first examples of each, batch by batch."""

    def __init__(self) -> None:
        self._times: Counter[Labels] = Counter()
        self._examples: dict[Labels, list[str]] = {}
        self._claims: tuple[Counter[str], Counter[str]] = Counter(), Counter()

    def add(self, outcomes: Outcomes) -> None:
        """Take a batch."""
        pair = outcomes.claims
        wrong = outcomes.wrong & ((outcomes.gold < 0) | (outcomes.pred < 0) | ~_same_label(outcomes))
        gold, pred = outcomes.gold[wrong], outcomes.pred[wrong]
        frame = pl.DataFrame(
            {
                "gold": np.append(pair.gold_label, -1)[gold],
                "pred": np.append(pair.pred_label, -1)[pred],
                "text": _either(outcomes.surface("gold"), outcomes.surface("pred"), gold, pred),
            }
        )
        texts = pl.col("text").drop_nulls()
        found = frame.group_by("gold", "pred").agg(
            times=pl.len(), examples=texts.unique(maintain_order=True).head(_EXAMPLES)
        )
        names = (*pair.labels, None)  # where there is no claim, -1 picks the last
        for g, p, times, examples in found.iter_rows():
            self._take((names[g], names[p]), times, examples)
        for counts, label in zip(self._claims, (pair.gold_label, pair.pred_label), strict=True):
            own = np.bincount(label, minlength=len(pair.labels)).tolist()
            counts.update({name: n for name, n in zip(pair.labels, own, strict=True) if n})

    def _take(self, labels: Labels, times: int, examples: list[str]) -> None:
        self._times[labels] += times
        known = self._examples.setdefault(labels, [])
        known += [text for text in examples if text not in known][: _EXAMPLES - len(known)]

    def __iadd__(self, other: ConfusionCounts) -> ConfusionCounts:
        """Add what was gathered of the part that follows."""
        for labels, times in other._times.items():
            self._take(labels, times, other._examples[labels])
        for counts, more in zip(self._claims, other._claims, strict=True):
            counts.update(more)
        return self

    def frame(self) -> pl.DataFrame:
        """Return each gold label with each label that it was taken for, with examples; see `frequent_confusions`."""
        rows = []
        for (gold, pred), times in self._times.items():
            of = self._claims[0][gold] if gold is not None else self._claims[1][pred or ""]
            rows.append((gold, pred, times, times / of, self._examples[gold, pred]))
        # Of as many, those come first that are first in the alphabet; what is missed or made up comes last.
        rows.sort(key=lambda row: (row[0] is None or row[1] is None, -row[2], row[0] or "", row[1] or ""))
        labels = {"gold_label": pl.String, "pred_label": pl.String}
        numbers = {"times": pl.Int64, "share": pl.Float64}
        return pl.DataFrame(rows, schema={**labels, **numbers, "examples": pl.List(pl.String)}, orient="row")


class FormCounts:
    """Gathers how often each surface form occurs and is wrong, batch by batch; memory grows with distinct forms."""

    def __init__(self) -> None:
        self._kept = pl.DataFrame(schema=_SCHEMA)
        self._parts: list[pl.DataFrame] = []
        self._waiting = 0

    def add(self, outcomes: Outcomes) -> None:
        """Take a batch."""
        labels = pl.Series(list(outcomes.claims.labels), dtype=pl.String)
        for side, claims, label, at in (
            ("gold", outcomes.claims.gold, outcomes.claims.gold_label, outcomes.gold),
            ("pred", outcomes.claims.pred, outcomes.claims.pred_label, outcomes.pred),
        ):
            wrong = np.zeros(len(claims), bool)
            own = at[outcomes.wrong]
            wrong[own[own >= 0]] = True
            frame = pl.DataFrame({"text": outcomes.surface(side), "label": label, "wrong": wrong})  # type: ignore[arg-type]
            found = (
                frame.drop_nulls("text")
                .group_by("text", "label")
                .agg(claims=pl.len().cast(pl.Int64), wrong=pl.col("wrong").sum().cast(pl.Int64))
            )
            named = found.with_columns(side=pl.lit(side), label=labels.gather(found["label"]))
            self._take(named.select(*_SCHEMA))

    def _take(self, part: pl.DataFrame) -> None:
        self._parts.append(part)
        self._waiting += len(part)
        if self._waiting > max(_PENDING, len(self._kept)):
            self._merge()

    def _merge(self) -> None:
        every = pl.concat([self._kept, *self._parts])
        self._kept = every.group_by("side", "text", "label").agg(pl.col("claims", "wrong").sum())
        self._parts, self._waiting = [], 0

    def __iadd__(self, other: FormCounts) -> FormCounts:
        """Add what was gathered of the part that follows."""
        for part in (other._kept, *other._parts):
            self._take(part)
        return self

    def frame(self, limit: int | None = None) -> pl.DataFrame:
        """Return surface forms by how often they are wrong; see `frequent_forms`."""
        self._merge()
        order = ["wrong", "claims", "text", "side", "label"]
        found = self._kept.filter(pl.col("wrong") > 0).sort(order, descending=[True, False, False, False, False])
        found = found if limit is None else found.head(limit)
        return found.with_columns(share=pl.col("wrong") / pl.col("claims")).select(FORMS)


def frequent_confusions(outcomes: Outcomes) -> pl.DataFrame:
    """Return each gold label with each label that it was taken for, with examples.

    Pairs of two labels come first, the most frequent first, and then what was missed or made up.

    Nulls stand for nothing: a missed claim has no predicted label, a spurious one no gold label. `share` is that of
    the claims with the gold label; of a spurious claim, of those with the predicted one.
    """
    counts = ConfusionCounts()
    counts.add(outcomes)
    return counts.frame()


def frequent_forms(outcomes: Outcomes, limit: int | None = None) -> pl.DataFrame:
    """Return surface forms by how often they are wrong: those of gold that are not found, and those that are made up.

    `side` is gold for forms of gold claims that were not predicted as they are, and pred for forms of predictions that
    are not right.
    """
    counts = FormCounts()
    counts.add(outcomes)
    return counts.frame(limit)


def _same_label(outcomes: Outcomes) -> Bools:
    pair = outcomes.claims
    same: Bools = np.append(pair.gold_label, -1)[outcomes.gold] == np.append(pair.pred_label, -1)[outcomes.pred]
    return same


def _either(ours: pl.Series, theirs: pl.Series, gold: Ints, pred: Ints) -> pl.Series:
    """Return gold's text, or the prediction's where there is no gold."""
    return pl.concat([ours, theirs]).gather(np.where(gold >= 0, gold, len(ours) + pred))
