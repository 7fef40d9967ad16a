"""Warnings of results that would be judged if their ids were written as in gold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from karatage.claims import Relevance, Units
from karatage.matching import folded, near_ids
from karatage.scoring.search.result_pool import ResultPool

if TYPE_CHECKING:
    import polars as pl

_SUSPICIOUS = 0.9
"""The share of judged results below which ids are looked at."""

_QUERIES = 100
"""How many queries of the run are looked at."""


class Documents(NamedTuple):
    """The judged documents and the results of some queries: a row each, with the columns query and document."""

    gold: pl.DataFrame
    run: pl.DataFrame

    @classmethod
    def of(cls, units: Units, gold: Iterable[Relevance], run: Iterable[Relevance]) -> Documents:
        """Take the first queries of a run that gold has, in batches of whole queries."""
        known, wanted = set(units.ids or ()), set[str]()
        results = []
        for batch in run:
            names = [name for name in batch.units.ids or () if name in known and name not in wanted]
            wanted.update(names[: _QUERIES - len(wanted)])
            results.append(_rows(batch, wanted))
            if len(wanted) >= _QUERIES:
                break
        import polars as pl

        return cls(pl.concat([_rows(batch, wanted) for batch in gold]), pl.concat(results))


def _rows(batch: Relevance, wanted: set[str]) -> pl.DataFrame:
    import polars as pl

    frame = pl.DataFrame(
        {"query": pl.Series(batch.units.ids, dtype=pl.String).gather(batch.unit), "document": batch.document}
    )
    return frame.filter(frame["query"].is_in(list(wanted)))


def near_documents(pool: ResultPool, look: Callable[[], Documents]) -> list[str]:
    """Warn of unjudged results that look like judged documents of the same query which were not retrieved.

    Args:
        pool: how many of the first results are judged.
        look: reads documents of some queries.
    """
    if not pool.results or pool.share >= _SUSPICIOUS:
        return []
    gold, run = look()
    both = ["query", "document"]
    lacking, unjudged = gold.join(run, on=both, how="anti"), run.join(gold, on=both, how="anti")
    forms = [own.with_columns(form=_forms(own)) for own in (lacking, unjudged)]
    pairs = forms[0].join(forms[1], on=["query", "form"], suffix="_run", maintain_order="left")
    found = near_ids(pairs["document"], pairs["document_run"])
    if found is None:
        return []
    count = pairs.select("query", "document_run").n_unique()
    return [
        f"unjudged results whose ids differ from those of judged documents {found.how}: {count:,} of "
        f"{unjudged.height:,}, {found.example}. Write document ids alike in both files"
    ]


def _forms(own: pl.DataFrame) -> pl.Series:
    import polars as pl

    return pl.Series([folded(name) for name in own["document"]], dtype=pl.String)
