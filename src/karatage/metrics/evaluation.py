"""From a tally to a score: a value, or the reason why there is none."""

from __future__ import annotations

import numpy as np

from karatage.errors import UsageError
from karatage.metrics.averages import Schema
from karatage.metrics.cells import Layout
from karatage.metrics.measure import TOKENS
from karatage.metrics.metric import NO_SCHEMA, Metric, Undefined
from karatage.metrics.score_value import Score
from karatage.metrics.tallies import Tally


def evaluate(metric: Metric, tally: Tally, schema: Schema = NO_SCHEMA, undefined: Undefined = None) -> Score:
    """Compute a metric.

    Args:
        metric: what to compute.
        tally: the counts.
        schema: the declared labels and groups.
        undefined: the number that a profile exports where a part of the metric is undefined, or one for each measure;
            None keeps it undefined.
    """
    if metric.per_unit:
        return _mean(metric, tally, metric.exported(undefined))
    layout, totals = tally.layout, tally.totals
    if not metric.measure.reads(layout.columns):
        if not metric.measure.counts_tokens:
            raise UsageError(f"{metric} needs documents that are all labelled as relevant or irrelevant")
        if TOKENS[0] not in tally.facts:
            return Score(None, "needs the tags of gold and predictions")
        layout, totals = Layout(TOKENS, (("", ""),)), np.array([[tally.facts[name] for name in TOKENS]])
    value = float(metric.compute(layout, totals, schema))
    if not np.isnan(value):
        return Score(value)
    stands = float(metric.compute(layout, totals, schema, undefined))
    return Score(None if np.isnan(stands) else stands, metric.why_undefined(layout, totals, schema))


def _mean(metric: Metric, tally: Tally, undefined: float | None) -> Score:
    if metric not in tally.values:
        raise UsageError(f"{metric} was not computed: name it in the list of metrics")
    found = tally.values[metric]
    if found.units:
        return Score(found.mean)
    if not found.undefined:
        return Score(undefined, "nothing to average")
    needs = f" (it needs {metric.measure.requirement})" if metric.measure.requirement else ""
    return Score(undefined, f"undefined for every query or sentence{needs}")
