"""Slices: parts of the data on which a system is worse, by label, length, category or any condition."""

from karatage.explanation.slices.entity_slices import slice_outcomes
from karatage.explanation.slices.query_slices import QUERY_SLICINGS, slice_queries
from karatage.explanation.slices.slices import Slice
from karatage.explanation.slices.slicings import SLICINGS, Slicing
from karatage.explanation.slices.training_forms import TrainingForms

__all__ = ["QUERY_SLICINGS", "SLICINGS", "Slice", "Slicing", "TrainingForms", "slice_outcomes", "slice_queries"]
