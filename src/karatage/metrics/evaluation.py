"""From a tally to scores: precision, recall and F, per label, averaged, grouped.

Every function works on one tally or on a stack of them along leading axes. Where a value is undefined it is NaN inside,
and the score says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage.errors import UsageError
from karatage.metrics.cells import Layout
from karatage.metrics.means import mean_of
from karatage.metrics.metric import Metric
from karatage.metrics.score_value import Score
from karatage.metrics.tallies import NEGATIVES, TOKENS, Tally

Values = NDArray[np.float64]
Undefined = float | Mapping[str, float] | None
"""The number that stands for an undefined value, or one for each measure that has one."""

# Credit in each scenario as a weighted sum of kinds: correct, wrong type, wrong boundary, both wrong.
CREDIT: dict[str, tuple[float, float, float, float]] = {
    "strict": (1, 0, 0, 0),
    "exact": (1, 1, 0, 0),
    "partial": (1, 1, 0.5, 0.5),
    "type": (1, 0, 1, 0),
}


@dataclass(frozen=True, slots=True)
class Schema:
    """What was declared beforehand: the labels that macro averages may run over, and the groups of units."""

    labels: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


NO_SCHEMA = Schema()


def evaluate(metric: Metric, tally: Tally, schema: Schema = NO_SCHEMA, undefined: Undefined = None) -> Score:
    """Compute a metric.

    Args:
        metric: what to compute.
        tally: the counts.
        schema: the declared labels and groups.
        undefined: the number that a profile exports where a part of the metric is undefined, or one for each measure;
            None keeps it undefined.
    """
    undefined = exported(metric, undefined)
    if metric.per_unit:
        return _mean(metric, tally, undefined)
    layout = tally.layout
    if metric.measure == "accuracy" and NEGATIVES[0] not in layout.columns:
        return _accuracy(tally, undefined)
    value = float(compute(metric, layout, tally.totals, schema))
    if not np.isnan(value):
        return Score(value)
    stands = float("nan") if undefined is None else float(compute(metric, layout, tally.totals, schema, undefined))
    return Score(None if np.isnan(stands) else stands, reason(metric, tally, schema))


def exported(metric: Metric, undefined: Undefined) -> float | None:
    """Return the number that stands for an undefined value of a metric."""
    return undefined.get(metric.measure) if isinstance(undefined, Mapping) else undefined


def compute(
    metric: Metric,
    layout: Layout,
    totals: NDArray[Any],
    schema: Schema = NO_SCHEMA,
    undefined: Undefined = None,
) -> Values:
    """Compute a metric on totals of shape (…, cells, columns); NaN, or the exported number, where it is undefined."""
    undefined = exported(metric, undefined)
    if metric.per_unit:
        mean = mean_of(metric, layout, totals)
        return mean if undefined is None else np.where(np.isnan(mean), undefined, mean)
    if metric.measure == "accuracy" and NEGATIVES[0] not in layout.columns:
        tokens, correct = (totals[..., 0, layout.columns.index(name)] for name in TOKENS)
        with np.errstate(invalid="ignore"):
            share: Values = np.asarray(correct / tokens)
        return share if undefined is None else np.where(np.isnan(share), undefined, share)
    if metric.groups:
        groups = schema.groups or tuple(layout.groups)
        if not groups:
            return np.full(totals.shape[:-2], np.nan if undefined is None else undefined)
        parts = [_in_group(metric, layout, totals, group, schema, undefined) for group in groups]
        over: Values = np.mean(np.stack(parts), axis=0)
        return over
    return _in_group(metric, layout, totals, metric.group, schema, undefined)


def unit_values(metric: Metric, columns: tuple[str, ...], counts: NDArray[Any], undefined: Undefined = None) -> Values:
    """Return a metric of each unit, from its own counts; NaN, or the exported number, where it is undefined."""
    return compute(
        replace(metric, average="micro"), Layout(columns, (("", ""),)), counts[:, None, :], NO_SCHEMA, undefined
    )


def _in_group(
    metric: Metric,
    layout: Layout,
    totals: NDArray[Any],
    group: str | None,
    schema: Schema,
    undefined: float | None,
) -> Values:
    if metric.average == "micro":
        rows = layout.rows(group, metric.label)
        own = totals if len(rows) == len(layout.cells) else totals[..., rows, :]
        if metric.measure in ("accuracy", "fpr"):
            return _with_negatives(metric, layout, own, undefined)
        sums = (np.sum(part, axis=-1) for part in parts_of(metric.scenario, layout, own))
        return ratio(metric, *sums, undefined=undefined)
    values, weights, _, _ = _labels_of(metric, layout, totals, group, schema, undefined)
    weighted = np.where(weights > 0, values, 0.0) * weights
    with np.errstate(invalid="ignore", divide="ignore"):
        mean: Values = np.sum(weighted, axis=-1) / np.sum(weights, axis=-1)
    # A macro average over no label at all stays undefined even where a profile exports a number for its parts.
    return mean if undefined is None or metric.average == "macro" else np.where(np.isnan(mean), undefined, mean)


def _with_negatives(metric: Metric, layout: Layout, totals: NDArray[Any], undefined: float | None) -> Values:
    """Return accuracy or the false positive rate of pairs that are all judged."""
    right, all_of = _negatives(metric, layout, totals)
    with np.errstate(invalid="ignore", divide="ignore"):
        out: Values = np.asarray(right / all_of)
    return out if undefined is None else np.where(np.isnan(out), undefined, out)


def _negatives(metric: Metric, layout: Layout, totals: NDArray[Any]) -> tuple[Values, Values]:
    """Return the numerator and the denominator of accuracy or the false positive rate."""
    if NEGATIVES[0] not in layout.columns:
        raise UsageError(f"{metric} is for documents that are all labelled as relevant or not")
    gold, predicted, correct, rejected = (
        np.sum(totals[..., layout.columns.index(name)].astype(float), axis=-1)
        for name in ("gold", "predicted", "correct", *NEGATIVES)
    )
    if metric.measure == "fpr":
        return predicted - correct, predicted - correct + rejected
    return correct + rejected, gold + predicted - correct + rejected


def _labels_of(
    metric: Metric,
    layout: Layout,
    totals: NDArray[Any],
    group: str | None,
    schema: Schema,
    undefined: float | None,
) -> tuple[Values, Values, Values, Values]:
    """Return the value of each label, its weight in the average, and its gold and predicted claims."""
    rows = layout.rows(group, None)
    own = totals if len(rows) == len(layout.cells) else totals[..., rows, :]
    names = [layout.cells[k][1] for k in rows]
    labels = sorted({*names, *schema.labels})
    number = {label: k for k, label in enumerate(labels)}
    column = np.array([number[name] for name in names], np.intp)
    gold, predicted, correct, hits = (
        _by_label(part, column, len(labels)) for part in parts_of(metric.scenario, layout, own)
    )
    values = ratio(metric, gold, predicted, correct, hits, undefined=undefined)
    if metric.average == "weighted":
        weights = gold
    elif metric.over == "gold":
        weights = (gold > 0).astype(float)
    elif metric.over == "schema":
        weights = np.broadcast_to(np.array([label in schema.labels for label in labels], float), gold.shape)
    else:
        weights = ((gold > 0) | (predicted > 0)).astype(float)
    return values, weights, gold, predicted


def _by_label(part: Values, column: NDArray[np.intp], count: int) -> Values:
    """Add up cells that have the same label, in different groups."""
    if len(column) == count and (column == np.arange(count)).all():
        return part
    out = np.zeros((count, *part.shape[:-1]))
    np.add.at(out, column, np.moveaxis(part, -1, 0))
    return np.moveaxis(out, 0, -1)


def parts_of(scenario: str, layout: Layout, totals: NDArray[Any]) -> tuple[Values, Values, Values, Values]:
    """Return gold, predicted, credit by gold label and credit by predicted label, per cell."""
    at = layout.columns.index
    gold, predicted = totals[..., at("gold")].astype(float), totals[..., at("predicted")].astype(float)
    if not scenario:
        return (
            gold,
            predicted,
            totals[..., at("correct")].astype(float),
            totals[..., at("hits")].astype(float),
        )
    if "missed" not in layout.columns:
        raise UsageError(
            f"the scenario {scenario!r} needs the kinds of error: use a profile that counts them, such as semeval2013"
        )
    kinds = ("correct", "type", "boundary", "both")
    correct = sum(w * totals[..., at(f"gold_{k}")] for w, k in zip(CREDIT[scenario], kinds, strict=True))
    hits = sum(w * totals[..., at(f"pred_{k}")] for w, k in zip(CREDIT[scenario], kinds, strict=True))
    return gold, predicted, np.asarray(correct, float), np.asarray(hits, float)


def ratio(
    metric: Metric,
    gold: Values,
    predicted: Values,
    correct: Values,
    hits: Values,
    *,
    undefined: float | None = None,
) -> Values:
    """Return precision, recall or F of counts; NaN, or the exported number, where it is undefined."""
    with np.errstate(invalid="ignore", divide="ignore"):
        precision, recall = hits / predicted, correct / gold
        if metric.measure == "precision":
            out = precision
        elif metric.measure == "recall":
            out = recall
        else:
            squared = metric.beta**2
            p, r = np.nan_to_num(precision), np.nan_to_num(recall)
            out = (1 + squared) * p * r / (squared * p + r)
            # With no correct claim F is 0, as long as there is any claim that could have been.
            out = np.where((p + r == 0) & (gold + predicted > 0), 0.0, out)
    return out if undefined is None else np.where(np.isnan(out), undefined, out)


def claims_behind(metric: Metric, layout: Layout, totals: NDArray[Any], schema: Schema = NO_SCHEMA) -> float:
    """Return how many independent claims a metric can be a share of at most.

    Recall is a share of the gold claims, precision of the predicted ones, accuracy of the tokens. F is one of
    (β² gold + predicted) / (1 + β² - min(1, β²) F) claims: for F1 the variance is that of correct / (correct + missed
    + spurious) as a share, carried over to F1. A mean with the weights w has 1 / Σ(w² / n) (Kish 1965).
    """
    if metric.per_unit:
        return float("inf")  # the spread of the values tells it all
    if metric.measure in ("accuracy", "fpr") and NEGATIVES[0] in layout.columns:
        return float(_negatives(metric, layout, totals)[1])
    if metric.measure == "accuracy":
        return float(totals[0, layout.columns.index("tokens")])
    if not metric.groups:
        return _claims_in_group(metric, layout, totals, metric.group, schema)
    groups = schema.groups or tuple(layout.groups)
    parts = [_claims_in_group(metric, layout, totals, group, schema) for group in groups]
    return len(parts) ** 2 / sum(1 / part for part in parts) if parts and all(parts) else 0.0


def _claims_in_group(metric: Metric, layout: Layout, totals: NDArray[Any], group: str | None, schema: Schema) -> float:
    if metric.average == "micro":
        rows = layout.rows(group, metric.label)
        gold, predicted, correct, hits = (part.sum() for part in parts_of(metric.scenario, layout, totals[rows]))
        return float(_claims(metric, gold, predicted, ratio(metric, gold, predicted, correct, hits)))
    values, weights, gold, predicted = _labels_of(metric, layout, totals, group, schema, None)
    claims = _claims(metric, gold, predicted, values)
    known = (weights > 0) & (claims > 0)
    weights, claims = weights[known], claims[known]
    return float(weights.sum() ** 2 / (weights**2 / claims).sum()) if known.any() else 0.0


def _claims(metric: Metric, gold: Values, predicted: Values, values: Values) -> Values:
    if metric.measure != "f":
        return gold if metric.measure == "recall" else predicted
    squared = metric.beta**2
    return (squared * gold + predicted) / (1 + squared - min(1.0, squared) * np.nan_to_num(values))


def _mean(metric: Metric, tally: Tally, undefined: float | None) -> Score:
    if metric not in tally.values:
        raise UsageError(f"{metric} is a mean over units and was not counted: name it among the metrics")
    found = tally.values[metric]
    if found.units:
        return Score(found.mean)
    if not found.undefined:
        return Score(undefined, "no units")
    needs = " (it needs relevant documents, and their prices)" if metric.measure == "PriceNDCG" else ""
    return Score(undefined, f"undefined for every unit{needs}")


def _accuracy(tally: Tally, undefined: float | None) -> Score:
    if "tokens" not in tally.facts:
        return Score(None, "the tags of all labels are not known on both sides")
    if tally.facts["tokens"] == 0:
        return Score(undefined, "no tokens")
    return Score(tally.facts["tokens_correct"] / tally.facts["tokens"])


def reason(metric: Metric, tally: Tally, schema: Schema) -> str:
    """Say why a metric is undefined."""
    what = f" of label {metric.label}" if metric.label is not None else ""
    if metric.groups:
        for group in schema.groups or tally.groups:
            if np.isnan(_in_group(metric, tally.layout, tally.totals, group, schema, None)):
                return f"{_why(metric, tally, tally.layout.rows(group, None))} in group {group}"
    return _why(metric, tally, tally.layout.rows(metric.group, metric.label)) + what


def _why(metric: Metric, tally: Tally, rows: list[int]) -> str:
    if metric.measure in ("accuracy", "fpr"):
        return "no pair is judged as not relevant" if metric.measure == "fpr" else "no pair is judged"
    gold, predicted = (int(tally.column(name)[rows].sum()) for name in ("gold", "predicted"))
    if gold == 0 and predicted == 0:
        return "no gold and no predicted claims"
    if metric.average == "micro" or gold == 0:
        return "no predicted claims" if metric.measure == "precision" and predicted == 0 else "no gold claims"
    lacking = "predicted" if metric.measure == "precision" else "gold"
    column = tally.column(lacking)
    side: dict[str, int] = {}
    for k in rows:
        side[tally.cells[k][1]] = side.get(tally.cells[k][1], 0) + int(column[k])
    empty = sorted(label for label, count in side.items() if count == 0)
    shown = ", ".join(empty[:3]) + (" …" if len(empty) > 3 else "")
    return f"{metric.measure} is undefined for {len(empty)} of the labels, without {lacking} claims ({shown})"
