"""Ranks of a TREC run, which order nothing, as in trec_eval, but may show that its scores are not what they seem."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from karatage.claims import Relevance
from karatage.formats.search.run_ranks import COUNTING, DISAGREE, contradictions, odd_ranks, ranks_as_scores

if TYPE_CHECKING:
    import polars as pl

DISTANCES = f"{DISAGREE}. If scores are distances, negate them"
RANK_LIKE = f"rank and score may be exchanged. {COUNTING}"
ODD = "rank and score may be exchanged. Lines whose rank is not a whole number from 0"
LATE = "queries whose ranks start above 1: results above may be missing"


def note_run(found: Relevance, lines: pl.DataFrame, notes: Counter[str]) -> None:
    """Count what is doubtful about ranks and scores, query by query, so that the counts of parts add up.

    Args:
        found: the results.
        lines: the same with their ranks, NaN where they are not numbers.
        notes: gets the counts.
    """
    if found.what != "scores":
        return
    notes[RANK_LIKE] += ranks_as_scores(found)
    rank = lines["rank"].to_numpy()
    if odd := _odd(rank):
        notes[ODD] += odd
        return
    notes[DISTANCES] += contradictions(found, rank)
    starts = np.flatnonzero(np.concatenate([[True], found.unit[1:] != found.unit[:-1]]))
    first = np.full(len(found.units), np.inf)
    np.minimum.at(first, found.unit[starts], np.minimum.reduceat(rank, starts))
    notes[LATE] += int(np.count_nonzero(first > 1))


def _odd(rank: Any) -> int:
    """Count ranks that are not whole numbers from 0."""
    if rank.dtype.kind == "i" and rank.min() >= 0:  # as nearly always
        return 0
    return int(np.count_nonzero(odd_ranks(rank) | np.isnan(rank)))
