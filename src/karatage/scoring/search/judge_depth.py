"""Whether people and a judge judged the same documents of a query: if not, their scores differ for that reason alone.

A score depends on which documents are judged, as others count as not relevant. If people judge three documents of a
query and a judge twenty-five, the difference between their scores is no bias of the judge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karatage._arrays import Floats
from karatage.claims import IRRELEVANT, RELEVANT, Matrix, Relevance
from karatage.errors import InputError
from karatage.scoring.nouns import counted

if TYPE_CHECKING:
    import polars as pl

_ALIKE = 0.8
"""The least share of documents judged by people or the judge that both must have judged."""

_CLEARLY = 3.5
"""By how many standard errors labelled queries are judged deeper, or less deep, where that is no chance."""


def judged_pairs(gold: Relevance | Matrix) -> pl.DataFrame:
    """Return the queries and documents that have a judgement."""
    import polars as pl

    if isinstance(gold, Matrix):
        rows, columns = np.nonzero((gold.labels == RELEVANT) | (gold.labels == IRRELEVANT))
        queries, documents = np.array(gold.queries, object), np.array(gold.documents, object)
        frame = pl.DataFrame({"query": queries[columns].tolist(), "document": documents[rows].tolist()})
    else:
        known = gold.value >= 0  # a negative grade means not judged
        names = pl.Series(gold.units.ids, dtype=pl.String)
        frame = pl.DataFrame({"query": names.gather(gold.unit[known]), "document": gold.document.filter(known)})
    return frame.unique(maintain_order=True)


def check_depth(gold: pl.DataFrame, judge: pl.DataFrame, source: str) -> list[str]:
    """Refuse people and a judge who judged other documents of the same queries; warn where a few differ.

    Args:
        gold: the pairs of query and document that people judged.
        judge: those that the judge judged, also of other queries.
        source: what messages call the judge's file.
    """
    labelled = judge.join(gold.select("query").unique(), on="query", how="semi")
    both = gold.join(labelled, on=["query", "document"], how="semi").height
    union = gold.height + labelled.height - both
    warnings = _other_depth(gold, judge)
    if both == union:
        return warnings
    said = _difference(gold, labelled)
    if both < _ALIKE * union:
        raise InputError(
            f"people and the judge judged different documents of the same queries: {said}",
            source=source,
            hint="Documents that are not judged count as not relevant, so the judge's bias cannot be measured. Let "
            "people judge the documents that the judge does, or remove from the judge's file, in all queries alike, "
            "what people were not asked to judge",
        )
    return [f"people and the judge judged different documents of some queries: {said}", *warnings]


def _difference(gold: pl.DataFrame, labelled: pl.DataFrame) -> str:
    """Say on which side documents are missing, and in how many queries."""
    pair, queries = ["query", "document"], gold["query"].n_unique()
    sides = (("the judge", labelled, gold, "people did not"), ("people", gold, labelled, "the judge did not"))
    parts = []
    for who, own, other, verb in sides:
        alone = own.join(other, on=pair, how="anti")
        if not alone.height:
            continue
        query = alone["query"][0]
        numbers = [frame.filter(frame["query"] == query).height for frame in (gold, labelled)]
        parts.append(
            f"in {alone['query'].n_unique():,} of {counted(queries, 'labelled query')}, {who} judged documents that "
            f"{verb} (query {query!r}: {numbers[0]:,} by people, {numbers[1]:,} by the judge)"
        )
    return "; ".join(parts)


def _other_depth(gold: pl.DataFrame, judge: pl.DataFrame) -> list[str]:
    """Warn of a judge that judged labelled queries deeper than others, or less deep."""
    sizes = judge.group_by("query").len()
    ours = sizes["query"].is_in(gold["query"].unique().implode())
    labelled, others = (sizes.filter(own)["len"].to_numpy().astype(float) for own in (ours, ~ours))
    if min(len(labelled), len(others)) < 2:
        return []
    means = labelled.mean(), others.mean()
    if abs(means[0] - means[1]) <= _CLEARLY * (_squared_error(labelled) + _squared_error(others)) ** 0.5 + 1e-9:
        return []
    return [
        f"the judge judged {means[0]:.1f} documents per query that people judged, and {means[1]:.1f} per other query: "
        "judge all queries alike, or these scores are off"
    ]


def _squared_error(values: Floats) -> float:
    """Return the squared standard error of a mean."""
    return float(values.var(ddof=1)) / len(values)
