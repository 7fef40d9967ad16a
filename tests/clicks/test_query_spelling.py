"""Queries of a log that are written in several ways."""

from __future__ import annotations

import polars as pl

from karatage.clicks.query_spelling import Spellings


def test_queries_that_differ_only_in_how_they_are_written() -> None:
    found = Spellings.of(pl.Series(["golf", "Golf", "golf", "GOLF ", "polo", None]))
    assert found.chosen == {"GOLF ": "golf", "Golf": "golf", "golf": "golf"}
    assert (found.others, found.queries) == (["GOLF ", "Golf"], 4)
    assert found.warning == (
        "queries that differ from another one only in upper case, blanks, underscores or Unicode form: 2 of 4, e.g. "
        "'GOLF ' and 'golf'. --fold-queries joins them"
    )
    assert Spellings.of(pl.Series(["golf", "polo"])).warning is None
