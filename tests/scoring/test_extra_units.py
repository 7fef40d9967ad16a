"""Units that only the predictions have: a table of entities has no row for a text without entities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import karatage
from karatage.errors import UnitError, UsageError

COLUMNS = ("unit", "label", "start", "end")
GOLD = [("a", "X", 0, 3), ("b", "X", 0, 3)]
PRED = [("a", "X", 0, 3), ("b", "X", 0, 3), ("c", "X", 0, 3), ("c", "X", 5, 8)]


def as_polars(rows: list[Any], _: Path) -> Any:
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def as_pandas(rows: list[Any], _: Path) -> Any:
    return pd.DataFrame(rows, columns=list(COLUMNS))


def as_csv(rows: list[Any], path: Path) -> Any:
    as_polars(rows, path).write_csv(path)
    return path


def as_parquet(rows: list[Any], path: Path) -> Any:
    as_polars(rows, path).write_parquet(path)
    return path


@pytest.mark.parametrize("make", [as_polars, as_pandas, as_csv, as_parquet])
def test_extra_units_are_never_dropped_silently(make: Any, tmp_path: Path) -> None:
    gold, pred = make(GOLD, tmp_path / "gold"), make(PRED, tmp_path / "pred")
    with pytest.raises(UnitError, match="1 predicted text is not in gold.*--extra empty.*--extra ignore"):
        karatage.score(gold, pred, resamples=0)
    # Of 4 predictions, 2 are right; without text c, both of 2.
    counted = karatage.score(gold, pred, extra="empty", resamples=0)
    assert (counted["precision"].value, counted["recall"].value, counted.counts["units"]) == (0.5, 1.0, 3)
    assert counted.warnings == ("predicted texts that are not in gold, counted as empty in gold: 1",)
    ignored = karatage.score(gold, pred, extra="ignore", resamples=0)
    assert ignored["precision"].value == 1.0
    assert ignored.warnings[1] == "predicted entities in these texts, which precision does not count: 2"
    # The same as naming the text in gold, in a row without a label.
    named = karatage.score(
        as_polars([*GOLD, ("c", None, None, None)], tmp_path), as_polars(PRED, tmp_path), resamples=0
    )
    assert named.counts == counted.counts


def test_intervals_and_errors_cover_extra_units(tmp_path: Path) -> None:
    named = as_polars([*GOLD, ("c", None, None, None)], tmp_path)
    pred = as_polars(PRED, tmp_path)
    one, other = karatage.score(named, pred), karatage.score(as_polars(GOLD, tmp_path), pred, extra="empty")
    assert one["f1"] == other["f1"]
    assert one.errors().equals(other.errors())


def test_ids_that_have_nothing_in_common_are_refused() -> None:
    """Otherwise another way to write ids would be a score of 0."""
    with pytest.raises(UnitError, match="no ids in common: '1' in gold, 'doc1' here"):
        karatage.score({"1": [("X", 0, 3)]}, {"doc1": [("X", 0, 3)]}, extra="empty", missing="empty")


def test_without_ids_extra_units_come_last() -> None:
    result = karatage.score([[("X", 0, 3)]], [[("X", 0, 3)], [("X", 0, 3)]], extra="empty", resamples=0)
    assert result["precision"].value == 0.5


def test_tags_of_extra_units_count(tmp_path: Path) -> None:
    gold, pred = tmp_path / "g.conll", tmp_path / "p.conll"
    gold.write_text("# sent_id = 1\na\tB-X\n\n")
    pred.write_text("# sent_id = 1\na\tB-X\n\n# sent_id = 2\nb\tB-X\n\n")
    result = karatage.score(gold, pred, extra="empty", resamples=0)
    assert (result["precision"].value, result["accuracy"].value) == (0.5, 0.5)


def test_systems_with_extra_units_are_not_compared() -> None:
    """Each would be scored on other texts."""
    gold = {"1": [("X", 0, 3)], "2": [("X", 0, 3)]}
    with pytest.raises(UnitError, match="system b: 1 predicted text not in gold, which --extra empty cannot compare"):
        karatage.compare(gold, {"a": gold, "b": gold | {"3": [("X", 0, 3)]}}, extra="empty")


def test_search_has_no_empty_queries() -> None:
    with pytest.raises(UsageError, match="unknown value of extra 'empty'"):
        karatage.score({"q": {"d": 1}}, {"q": {"d": 1.0}}, extra="empty")
