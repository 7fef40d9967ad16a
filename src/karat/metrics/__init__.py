"""Tallies, metrics and how the one becomes the other."""

from karat.metrics.evaluation import (
    NO_SCHEMA,
    Schema,
    Undefined,
    claims_behind,
    compute,
    evaluate,
    exported,
    unit_values,
)
from karat.metrics.layout import Layout
from karat.metrics.means import Sum, mean_rows, sums
from karat.metrics.measures import MEASURES_OF_LISTS
from karat.metrics.metric import AVERAGES, MEASURES, SCENARIOS, Metric
from karat.metrics.rows import Rows
from karat.metrics.score import Score
from karat.metrics.tally import COUNTS, KINDS, NEGATIVES, TOKENS, Tally, attribute, tally, tally_tags, total

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
