"""Tallies, metrics and how the one becomes the other."""

from karat.metrics.evaluation import NO_SCHEMA, Schema, Score, compute, evaluate
from karat.metrics.metric import AVERAGES, MEASURES, SCENARIOS, Metric
from karat.metrics.tally import COUNTS, KINDS, Tally, tally, tally_tags, total

__all__ = [
    "AVERAGES",
    "COUNTS",
    "KINDS",
    "MEASURES",
    "NO_SCHEMA",
    "SCENARIOS",
    "Metric",
    "Schema",
    "Score",
    "Tally",
    "compute",
    "evaluate",
    "tally",
    "tally_tags",
    "total",
]
