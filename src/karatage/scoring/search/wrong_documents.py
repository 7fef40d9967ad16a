"""Documents that a search engine got wrong: relevant ones missed or put too low, others put too high."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karatage.claims import IRRELEVANT, RELEVANT, Matrix, Relevance
from karatage.matching import ranks_in
from karatage.scoring.search.scored_queries import numbers

if TYPE_CHECKING:
    import polars as pl

SEARCH_KINDS: dict[str, str] = {
    "missed": "a relevant document that was not retrieved or not labelled as relevant",
    "too low": "a relevant document below the top results",
    "too high": "an irrelevant document among the top results or labelled as relevant",
}
"""The kinds of error of a search engine."""

DEPTH = 10
"""How many of the first results people look at."""

COLUMNS = ("unit", "kind", "document", "grade", "rank")


def wrong_documents(gold: Any, pred: Any, depth: int = DEPTH) -> pl.DataFrame:
    """Return a row for each judged document that stands where it should not.

    Args:
        gold: the judgements.
        pred: the results.
        depth: how many of the first results a relevant document should be among.

    Returns:
        A frame with the query, the kind of error, the document, its grade and its rank from 1; null where it has none.
    """
    import polars as pl

    frame = _labelled(gold, pred) if isinstance(gold, Matrix) else _ranked(gold, pred, depth)
    return frame.with_columns(pl.col("grade", "rank").cast(pl.Int64)).select(COLUMNS)


def _ranked(gold: Relevance, run: Relevance, depth: int) -> pl.DataFrame:
    import polars as pl

    rank = ranks_in(gold, run, numbers(gold, run))
    relevant, first = gold.value >= 1, (rank >= 0) & (rank < depth)
    kind = np.select(
        [relevant & (rank < 0), relevant & ~first, ~relevant & first], ["missed", "too low", "too high"], ""
    )
    rows = np.flatnonzero(kind != "")
    rows = rows[np.lexsort((rank[rows], -gold.value[rows], gold.unit[rows]))]
    return pl.DataFrame(
        {
            "unit": pl.Series(list(gold.units.ids or ()), dtype=pl.String).gather(gold.unit[rows]),
            "kind": kind[rows],
            "document": gold.document.gather(rows),
            "grade": gold.value[rows].astype(np.int64),
            "rank": np.where(rank[rows] >= 0, rank[rows] + 1, 0),
        }
    ).with_columns(rank=pl.when(pl.col("rank") > 0).then("rank"))


def _labelled(gold: Matrix, pred: Matrix) -> pl.DataFrame:
    import polars as pl

    query = {name: at for at, name in enumerate(pred.queries)}
    document = {name: at for at, name in enumerate(pred.documents)}
    columns = np.array([query.get(name, -1) for name in gold.queries], np.int64)
    rows = np.array([document.get(name, -1) for name in gold.documents], np.int64)
    padded = np.zeros((len(pred.documents) + 1, len(pred.queries) + 1), np.int8)
    padded[:-1, :-1] = pred.labels
    answer = padded[rows][:, columns]
    wrong = {"missed": (gold.labels == RELEVANT) & (answer != RELEVANT)}
    wrong["too high"] = (gold.labels == IRRELEVANT) & (answer == RELEVANT)
    parts = []
    for kind, mask in wrong.items():
        at, unit = np.nonzero(mask)
        parts.append(
            pl.DataFrame(
                {
                    "column": unit,
                    "unit": pl.Series(list(gold.queries), dtype=pl.String).gather(unit),
                    "kind": pl.Series([kind] * len(unit), dtype=pl.String),
                    "document": pl.Series(list(gold.documents), dtype=pl.String).gather(at),
                    "grade": gold.labels[at, unit].astype(np.int64),
                    "rank": pl.Series([None] * len(unit), dtype=pl.Int64),
                }
            )
        )
    return pl.concat(parts).sort("column", maintain_order=True)
