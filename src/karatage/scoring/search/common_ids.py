"""Warnings of ids that gold and results do not share: then all values are 0, and the results may be good."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from karatage._arrays import Ints
from karatage.claims import UNJUDGED, Matrix, Relevance, Units
from karatage.matching import Verdicts, form_difference
from karatage.scoring.nouns import counted


class StrangeIds(NamedTuple):
    """Ids of a query none of whose results is judged.

    Attributes:
        judged: its first judged document.
        retrieved: its first result.
        elsewhere: whether a result of the run is judged for another query.
    """

    judged: str
    retrieved: str
    elsewhere: bool

    @classmethod
    def of(cls, query: str, gold: Iterable[Relevance], run: Iterable[Relevance]) -> StrangeIds:
        """Look for a query that both sides have, in batches of whole queries."""
        import polars as pl

        batches = list(gold)
        judged = next(filter(None, (_first(query, batch) for batch in batches)))
        documents = pl.concat([batch.document for batch in batches]).unique().implode()
        retrieved, elsewhere = "", False
        for batch in run:
            retrieved = retrieved or _first(query, batch) or ""
            elsewhere = elsewhere or bool(batch.document.is_in(documents).any())
        return cls(judged, retrieved, elsewhere)


def _first(query: str, batch: Relevance) -> str | None:
    """Return the first document of a query; None where the batch does not have it."""
    ids = list(batch.units.ids or ())
    return str(batch.document.filter(batch.unit == ids.index(query))[0]) if query in ids else None


def unjudged_results(units: Units, judged: Ints, retrieved: Ints, look: Callable[[str], StrangeIds]) -> list[str]:
    """Warn of a run, or of queries, none of whose results is judged.

    Args:
        units: the queries.
        judged: how many results of each are judged, however deep they are.
        retrieved: how many results each has.
        look: finds ids of a query that both sides have.
    """
    strange = np.flatnonzero((retrieved > 0) & (judged == 0))
    if not len(strange):
        return []
    query = str(units.name(int(strange[0])))
    if judged.any():
        answered = int((retrieved > 0).sum())
        return [f"queries none of whose results is judged (e.g. {query}): {len(strange):,} of {answered:,}"]
    ids, total = look(query), counted(int(retrieved.sum()), "result")
    hint = "Are document ids written alike?"
    if ids.elsewhere:
        hint = "Some are judged for other queries: are query ids right?"
    difference = form_difference(ids.judged, ids.retrieved)
    example = f"gold has the document {ids.judged!r}, the run has {ids.retrieved!r}{difference}"
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
