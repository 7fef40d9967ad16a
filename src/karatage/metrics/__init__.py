"""Tallies, metrics and how the one becomes the other."""

from karatage.metrics.evaluation import (
    NO_SCHEMA,
    Schema,
    Undefined,
    claims_behind,
    compute,
    evaluate,
    exported,
    unit_values,
)
from karatage.metrics.layout import Layout
from karatage.metrics.means import Sum, mean_rows, sums
from karatage.metrics.measures import MEASURES_OF_LISTS
from karatage.metrics.metric import AVERAGES, MEASURES, SCENARIOS, Metric
from karatage.metrics.rows import Rows
from karatage.metrics.score import Score
from karatage.metrics.tally import COUNTS, KINDS, NEGATIVES, TOKENS, Tally, attribute, tally, tally_tags, total

__all__ = [
    "AVERAGES",
    "COUNTS",
    "KINDS",
    "MEASURES",
    "MEASURES_OF_LISTS",
    "NEGATIVES",
    "NO_SCHEMA",
    "SCENARIOS",
    "TOKENS",
    "Layout",
    "Metric",
    "Rows",
    "Schema",
    "Score",
    "Sum",
    "Tally",
    "Undefined",
    "attribute",
    "claims_behind",
    "compute",
    "evaluate",
    "exported",
    "mean_rows",
    "sums",
    "tally",
    "tally_tags",
    "total",
    "unit_values",
]
