"""What is wrong most often: labels taken for others, and surface forms."""

from __future__ import annotations

import numpy as np
import polars as pl

from karatage._arrays import Bools, Ints
from karatage.scoring import Outcomes

FORMS = ("side", "text", "label", "claims", "wrong", "share")

_EXAMPLES = 3


def frequent_confusions(outcomes: Outcomes) -> pl.DataFrame:
    """Return each gold label with each label that it was taken for, with examples.

    Pairs of two labels come first, the most frequent first, and then what was missed or made up.

    Nulls stand for nothing: a missed claim has no predicted label, a spurious one no gold label. `share` is that of
    the claims with the gold label; of a spurious claim, of those with the predicted one.
    """
    pair = outcomes.claims
    wrong = outcomes.wrong & ((outcomes.gold < 0) | (outcomes.pred < 0) | ~_same_label(outcomes))
    gold, pred = outcomes.gold[wrong], outcomes.pred[wrong]
    ours, theirs = outcomes.surface("gold"), outcomes.surface("pred")
    frame = pl.DataFrame(
        {
            "gold": np.append(pair.gold_label, -1)[gold],
            "pred": np.append(pair.pred_label, -1)[pred],
            "text": _either(ours, theirs, gold, pred),
        }
    )
    texts = pl.col("text").drop_nulls()
    found = (
        frame.group_by("gold", "pred")
        .agg(times=pl.len(), examples=texts.unique(maintain_order=True).head(_EXAMPLES))
        .sort((pl.col("gold") < 0) | (pl.col("pred") < 0), -pl.col("times").cast(pl.Int64), "gold", "pred")
    )
    totals = [np.bincount(label, minlength=len(pair.labels)) for label in (pair.gold_label, pair.pred_label)]
    g, p = found["gold"].to_numpy(), found["pred"].to_numpy()
    of = np.where(g >= 0, np.append(totals[0], 0)[g], np.append(totals[1], 0)[p])
    return found.select(
        _names(pair.labels, g).alias("gold_label"),
        _names(pair.labels, p).alias("pred_label"),
        pl.col("times").cast(pl.Int64),
        (pl.col("times") / pl.Series(of)).alias("share"),
        "examples",
    )


def frequent_forms(outcomes: Outcomes, limit: int | None = None) -> pl.DataFrame:
    """Return surface forms by how often they are wrong: those of gold that are not found, and those that are made up.

    `side` is gold for forms of gold claims that were not predicted as they are, and pred for forms of predictions that
    are not right.
    """
    parts = []
    for side, claims, label, at in (
        ("gold", outcomes.claims.gold, outcomes.claims.gold_label, outcomes.gold),
        ("pred", outcomes.claims.pred, outcomes.claims.pred_label, outcomes.pred),
    ):
        wrong = np.zeros(len(claims), bool)
        own = at[outcomes.wrong]
        wrong[own[own >= 0]] = True
        frame = pl.DataFrame({"text": outcomes.surface(side), "label": label, "wrong": wrong})  # type: ignore[arg-type]
        parts.append(
            frame.drop_nulls("text")
            .group_by("text", "label")
            .agg(claims=pl.len().cast(pl.Int64), wrong=pl.col("wrong").sum().cast(pl.Int64))
            .filter(pl.col("wrong") > 0)
            .with_columns(side=pl.lit(side), share=pl.col("wrong") / pl.col("claims"))
        )
    found = pl.concat(parts).sort(
        ["wrong", "claims", "text", "side", "label"], descending=[True, False, False, False, False]
    )
    found = found if limit is None else found.head(limit)
    return found.with_columns(label=_names(outcomes.claims.labels, found["label"].to_numpy())).select(FORMS)


def _same_label(outcomes: Outcomes) -> Bools:
    pair = outcomes.claims
    same: Bools = np.append(pair.gold_label, -1)[outcomes.gold] == np.append(pair.pred_label, -1)[outcomes.pred]
    return same


def _either(ours: pl.Series, theirs: pl.Series, gold: Ints, pred: Ints) -> pl.Series:
    """Return gold's text, or the prediction's where there is no gold."""
    return pl.concat([ours, theirs]).gather(np.where(gold >= 0, gold, len(ours) + pred))


def _names(labels: tuple[str, ...], codes: Ints) -> pl.Series:
    names = pl.Series([*labels, None], dtype=pl.String)
    return names.gather(np.where(codes >= 0, codes, len(labels)))
