"""Warnings of ids that gold and results do not share: then all values are 0, and the results may be good."""

from __future__ import annotations

import numpy as np

from karatage.claims import UNJUDGED, Matrix, Relevance
from karatage.matching import Ranking, Verdicts, form_difference
from karatage.scoring.nouns import counted


def unjudged_results(gold: Relevance, run: Relevance, ranking: Ranking) -> list[str]:
    """Warn of a run, or of queries, none of whose results is judged.

    Args:
        gold: the judgements.
        run: the results.
        ranking: where the judged documents stand in the run, however deep.
    """
    judged = np.bincount(ranking.unit[ranking.rank >= 0], minlength=ranking.count)
    strange = np.flatnonzero((ranking.retrieved > 0) & (judged == 0))
    if not len(strange):
        return []
    first = int(strange[0])
    query = ranking.units.name(first)
    if judged.any():
        answered = int((ranking.retrieved > 0).sum())
        return [f"queries none of whose results is judged (e.g. {query}): {len(strange):,} of {answered:,}"]
    theirs = (run.units.ids or ()).index(query)
    ids = (gold.document.filter(gold.unit == first)[0], run.document.filter(run.unit == theirs)[0])
    total = counted(int(ranking.retrieved.sum()), "result")
    hint = "Are document ids written alike?"
    if run.document.is_in(gold.document.unique().implode()).any():
        hint = "Some are judged for other queries: are query ids right?"
    example = f"gold has the document {ids[0]!r}, the run has {ids[1]!r}{form_difference(*ids)}"
    return [f"0 of {total} judged: for query {query}, {example}. {hint}"]


def nothing_in_common(gold: Matrix, pred: Matrix, found: Verdicts) -> list[str]:
    """Warn of predictions that contain no judged pair, as none of their queries or documents is in gold."""
    if found.absent < int((found.truth != UNJUDGED).sum()):
        return []
    for noun, ours, theirs in (("query", gold.queries, pred.queries), ("document", gold.documents, pred.documents)):
        if set(ours).isdisjoint(theirs):
            example = f"the predictions have {theirs[0]!r}" if len(theirs) else "the predictions have none"
            return [f"gold and predictions have no {noun} in common: gold has {ours[0]!r}, {example}"]
    return []
