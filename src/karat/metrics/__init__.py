"""Tallies, metrics and how the one becomes the other."""

from karat.metrics.evaluation import NO_SCHEMA, Schema, Score, claims_behind, compute, evaluate
from karat.metrics.layout import Layout
from karat.metrics.metric import AVERAGES, MEASURES, SCENARIOS, Metric
from karat.metrics.rows import Rows
from karat.metrics.tally import COUNTS, KINDS, TOKENS, Tally, attribute, tally, tally_tags, total

__all__ = [
    "AVERAGES",
    "COUNTS",
    "KINDS",
    "MEASURES",
    "NO_SCHEMA",
    "SCENARIOS",
    "TOKENS",
    "Layout",
    "Metric",
    "Rows",
    "Schema",
    "Score",
    "Tally",
    "attribute",
    "claims_behind",
    "compute",
    "evaluate",
    "tally",
    "tally_tags",
    "total",
]
