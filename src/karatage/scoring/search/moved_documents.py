"""Documents that one run has at another rank than an earlier one: up, down, new or gone."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from karatage.claims import IRRELEVANT, RELEVANT, UNJUDGED, Matrix, Relevance
from karatage.matching import places

if TYPE_CHECKING:
    import polars as pl

MOVES = ("down", "gone", "new", "up")
"""How a document can move: to a lower or a higher rank, into the results, or out of them."""

_KEY = ["unit", "document"]


def moved_documents(
    gold: Any, old: Any, new: Any, *, units: Collection[str], depth: int, last: int | None
) -> pl.DataFrame:
    """Return a row for each document that stands elsewhere in the new run, among the first results of either run.

    Args:
        gold: the judgements.
        old: the results before.
        new: the results after.
        units: the queries to look at.
        depth: how many of the first results are looked at.
        last: the last rank that counts; None for all.

    Returns:
        A frame with the query, the document, how it moved, its grade (null if it is not judged), and its rank from 1 in
        both runs (null where it was not retrieved, and where documents are labelled and not ranked). By query, those
        with the highest grade first, of which those that were or are highest.
    """
    import polars as pl

    runs = [_retrieved(run, units, last).rename({"rank": f"{name}_rank"}) for run, name in ((old, "old"), (new, "new"))]
    both = runs[0].with_columns(old=True).join(runs[1].with_columns(new=True), on=_KEY, how="full", coalesce=True)
    before, after = pl.col("old_rank"), pl.col("new_rank")
    first = pl.min_horizontal(before, after)
    change = (
        pl.when(pl.col("old").is_null())
        .then(pl.lit("new"))
        .when(pl.col("new").is_null())
        .then(pl.lit("gone"))
        .when(after > before)
        .then(pl.lit("down"))
        .when(after < before)
        .then(pl.lit("up"))
    )
    found = both.with_columns(change=change, first=first).filter(
        pl.col("change").is_not_null() & (pl.col("first").is_null() | (pl.col("first") <= depth))
    )
    graded = found.join(_grades(gold, units), on=_KEY, how="left")
    order = ["unit", "grade", "first", "document"]
    return graded.sort(order, descending=[False, True, False, False], nulls_last=True).select(
        "unit", "document", "change", "grade", "old_rank", "new_rank"
    )


def _retrieved(run: Matrix | Relevance, units: Collection[str], last: int | None) -> pl.DataFrame:
    """Return the results of some queries with their ranks; of labels, the documents labelled as relevant."""
    import polars as pl

    if isinstance(run, Matrix):
        cells = _cells(run, units, (RELEVANT,))
        return cells.select(*_KEY, rank=pl.lit(None, pl.Int64))
    frame = _claims(run).with_columns(rank=pl.Series(places(run) + 1, dtype=pl.Int64))
    frame = frame.filter(pl.col("unit").is_in(list(units)))
    return (frame if last is None else frame.filter(pl.col("rank") <= last)).select(*_KEY, "rank")


def _grades(gold: Matrix | Relevance, units: Collection[str]) -> pl.DataFrame:
    """Return the grade of each judged document of some queries; a negative grade means that it is not judged."""
    import polars as pl

    if isinstance(gold, Matrix):
        return _cells(gold, units, (RELEVANT, IRRELEVANT)).select(*_KEY, "grade")
    frame = _claims(gold).with_columns(grade=pl.Series(gold.value).cast(pl.Int64))
    return frame.filter(pl.col("unit").is_in(list(units)) & (pl.col("grade") >= UNJUDGED))


def _claims(own: Relevance) -> pl.DataFrame:
    import polars as pl

    ids = pl.Series(list(own.units.ids or ()), dtype=pl.String)
    return pl.DataFrame({"unit": ids.gather(own.unit), "document": own.document})


def _cells(own: Matrix, units: Collection[str], labels: tuple[int, ...]) -> pl.DataFrame:
    """Return the cells of some queries that have one of these labels; where an id occurs twice, its first cell."""
    import numpy as np
    import polars as pl

    row, column = np.nonzero(np.isin(own.labels, labels))
    frame = pl.DataFrame(
        {
            "unit": pl.Series(list(own.queries), dtype=pl.String).gather(column),
            "document": pl.Series(list(own.documents), dtype=pl.String).gather(row),
            "grade": own.labels[row, column].astype(np.int64),
        }
    )
    return frame.filter(pl.col("unit").is_in(list(units))).unique(_KEY, keep="first", maintain_order=True)
