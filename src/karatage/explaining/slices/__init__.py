"""Slices: where a system is worse than elsewhere, by label, length, category or any condition."""

from karatage.explaining.slices.claims import slice_outcomes
from karatage.explaining.slices.queries import QUERY_SLICINGS, slice_queries
from karatage.explaining.slices.slices import Slice
from karatage.explaining.slices.slicings import SLICINGS, Slicing
from karatage.explaining.slices.training import Training

__all__ = ["QUERY_SLICINGS", "SLICINGS", "Slice", "Slicing", "Training", "slice_outcomes", "slice_queries"]
