"""Slices: where a system is worse than elsewhere, by label, length, category or any condition."""

from karat.explaining.slices.claims import slice_outcomes
from karat.explaining.slices.queries import QUERY_SLICINGS, slice_queries
from karat.explaining.slices.slices import Slice
from karat.explaining.slices.slicings import SLICINGS, Slicing
from karat.explaining.slices.training import Training

__all__ = ["QUERY_SLICINGS", "SLICINGS", "Slice", "Slicing", "Training", "slice_outcomes", "slice_queries"]
