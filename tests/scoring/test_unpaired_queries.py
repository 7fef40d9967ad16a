"""What is said of a run none of whose queries has judgements."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import karatage
from karatage.errors import UnitError

GOLD = "query_id,query,docid,rating\n1,golf shoes,a,1\n1,golf shoes,b,0\n"
RUN = "query,docid,rank\ngolf shoes,b,1\ngolf shoes,a,2\n"


def score(folder: Path, gold: str, run: str, name: str = "gold.csv", **options: Any) -> float | None:
    (folder / name).write_text(gold)
    (folder / "run.csv").write_text(run)
    return karatage.score(folder / name, folder / "run.csv", metrics=["RR"], resamples=0, **options)["RR"].value


def test_ids_on_one_side_and_texts_on_the_other(tmp_path: Path) -> None:
    with pytest.raises(UnitError, match=r"Queries of the run are texts of queries in gold.*--columns query=NAME"):
        score(tmp_path, GOLD, RUN)
    assert score(tmp_path, GOLD, RUN, columns="query=query") == 0.5
    ids = RUN.replace("query,", "query_id,query,").replace("\ngolf", "\n7,golf")
    with pytest.raises(UnitError, match=r"Queries of gold are texts of queries in the run"):
        score(tmp_path, "query,docid,rating\ngolf shoes,a,1\n", ids)


def test_the_texts_of_a_file_for_learning_to_rank(tmp_path: Path) -> None:
    """It has no columns, but becomes a table."""
    lines = "# qid:1: golf shoes\n1 qid:1 # a\n0 qid:1 # b\n"
    with pytest.raises(UnitError, match=r"texts of queries in gold.*convert other formats to CSV first"):
        score(tmp_path, lines, RUN, "gold.ltr")
    karatage.convert(tmp_path / "gold.ltr", tmp_path / "gold.csv", to="search-csv")
    assert score(tmp_path, (tmp_path / "gold.csv").read_text(), RUN, columns="query=query") == 0.5


def test_swapped_columns(tmp_path: Path) -> None:
    with pytest.raises(UnitError, match=r"All documents of the run are queries of gold: are the columns .* swapped\?$"):
        score(tmp_path, "query,docid,rating\ngolf,a,1\npolo,b,1\n", "query,docid,rank\na,golf,1\nb,polo,1\n")


@pytest.mark.parametrize(("count", "said"), [(2, "q0, q1"), (3, "q0, q1, q2"), (5, "q0, q1, q2 and 2 more")])
def test_the_first_queries_are_named(count: int, said: str, tmp_path: Path) -> None:
    gold = "query,docid,rating\n" + "".join(f"q{k},a,1\n" for k in range(count))
    with pytest.raises(UnitError, match=rf"Queries with judgements: {said}$"):
        score(tmp_path, gold, RUN)
