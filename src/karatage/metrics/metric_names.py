"""The metrics that most people name, as a shell completes them."""

from __future__ import annotations

from karatage.metrics.averages import AVERAGES
from karatage.metrics.measure import CountMeasure, measures
from karatage.metrics.named_counts import SCENARIOS
from karatage.metrics.query_measure import QueryMeasure

_CUTOFFS = {"needed": ("@10",), "optional": ("", "@10"), "none": ("",)}


def common_metrics() -> list[str]:
    """Return every measure by its usual names, with each average and scenario; the grammar has more."""
    counted, ranked = list[str](), list[str]()
    for measure in measures():
        if issubclass(measure, CountMeasure):
            counted += [name.strip(" …") for name in measure.written().split(", ")]
        elif issubclass(measure, QueryMeasure):
            ranked += [f"{measure.name}{cutoff}" for cutoff in _CUTOFFS[measure.cutoffs]]
    prefixed = [
        f"{prefix}_{name}"
        for prefix in (*(name for name in AVERAGES if name != "micro"), *filter(None, SCENARIOS))
        for name in ("precision", "recall", "f1")
    ]
    return [*counted, *prefixed, *ranked]
