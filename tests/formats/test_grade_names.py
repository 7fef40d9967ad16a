"""`--grades`: judgements whose grades are words or fractions."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import karatage
from karatage.errors import InputError, UsageError

ESCI = "Exact=3, Substitute=2,Complement=1,Irrelevant=0"
ROWS = [("q", "a", "Substitute"), ("q", "b", "Exact"), ("q", "c", "Irrelevant"), ("q", "d", "Complement")]
RUN = {"q": {"b": 3.0, "a": 2.0, "c": 1.0}}


def test_words_become_grades(tmp_path: Path) -> None:
    """b and a are on top, but d is missing: DCG is 3 + 2 / log2(3), the ideal 1 / 2 more."""
    frame = pl.DataFrame(ROWS, schema=["query", "docid", "label"], orient="row").rename({"label": "rating"})
    frame.write_csv(tmp_path / "a.csv")
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, frame.rows(named=True))))
    frame.write_parquet(tmp_path / "a.parquet")
    expected = (3 + 2 * 0.6309297535714575) / (3 + 2 * 0.6309297535714575 + 0.5)
    files = (tmp_path / "a.csv", tmp_path / "a.jsonl", tmp_path / "a.parquet")
    for gold in (*files, frame, pd.DataFrame(frame.to_dict(as_series=False))):
        found = karatage.score(gold, RUN, metrics=["nDCG@10"], resamples=0, grades=ESCI)
        assert found["nDCG@10"].value == pytest.approx(expected)
    lines = "q 0 a 2\nq 0 b 3\nq 0 c 0\nq 0 d 1\n"
    for place in files[:2]:
        karatage.convert(place, tmp_path / "b.qrels", grades=ESCI)
        assert (tmp_path / "b.qrels").read_text() == lines


def test_fractions_and_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,docid,rating\nq,a,0.5\nq,b,1\nq,c,2\n")
    karatage.convert(tmp_path / "a.csv", tmp_path / "b.qrels", grades="0.5=1,1=2,2=-1")
    assert (tmp_path / "b.qrels").read_text() == "q 0 a 1\nq 0 b 2\nq 0 c -1\n"


def test_words_without_a_grade_are_errors(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,docid,rating\nq,a,Exact\nq,b,Substitute\n")
    with pytest.raises(InputError, match=r"a.csv:2, query q: the grade 'Exact' is not an integer.*--grades Exact=3"):
        karatage.score(tmp_path / "a.csv", RUN)
    with pytest.raises(InputError, match=r"a.csv:3, query q: the grade 'Substitute' is not an integer"):
        karatage.score(tmp_path / "a.csv", RUN, grades="Exact=3")
    for wrong in ("Exact", "Exact=x", "=3", "Exact=3,Exact=2", "Exact=2.5"):
        with pytest.raises(UsageError, match="cannot read --grades"):
            karatage.score(tmp_path / "a.csv", RUN, grades=wrong)


def test_where_grades_do_not_apply(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("q 0 a 1\n")
    with pytest.raises(UsageError, match=r"--grades works for tables and JSON lines: .*a.qrels is trec-qrels"):
        karatage.score(tmp_path / "a.qrels", RUN, grades="Exact=3")
    with pytest.raises(UsageError, match="--grades works for search only"):
        karatage.score([["B-A"]], [["B-A"]], grades="Exact=3")
