"""TREC's qrels and runs: what is read, and what a message says of what is not."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import zstandard

import karatage
from karatage.claims.relevance import Relevance
from karatage.errors import FormatError, InputError, KaratageError, UsageError
from karatage.formats import ReadOptions, Source, from_frame, get_format, sniff

QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\nq2 0 d3 -1\n"
RUN = "q1 Q0 d2 1 9.5 mine\nq1 Q0 d1 2 8.25 mine\nq2 Q0 d1 1 7 mine\n"


def read(place: Path, name: str) -> Relevance:
    found: Relevance
    (found,) = get_format(name).read(Source(place), ReadOptions())
    return found


def rows(found: Relevance) -> list[tuple[str, str, float]]:
    ids = found.units.ids or ()
    return [(ids[u], d, v) for u, d, v in zip(found.unit.tolist(), found.document, found.value.tolist(), strict=True)]


EXPECTED = [("q1", "d2", 9.5), ("q1", "d1", 8.25), ("q2", "d1", 7.0)]


@pytest.mark.parametrize(
    "text",
    [
        RUN,
        RUN.replace("\n", "\r\n"),
        RUN.replace(" ", "\t"),
        RUN.replace(" ", "  "),
        RUN.replace(" ", " \t "),
        RUN.rstrip("\n"),
        "\ufeff" + RUN,
        "  " + RUN.replace("\n", "  \n"),
        RUN.replace("\n", "\n\n") + "\n\n",
    ],
)
def test_a_run_is_read_however_its_fields_are_separated(text: str, tmp_path: Path) -> None:
    place = tmp_path / "a.run"
    place.write_bytes(text.encode())
    assert rows(read(place, "trec-run")) == EXPECTED
    assert sniff(Source(place)).name == "trec-run"


def test_compressed_files_and_tables_say_the_same(tmp_path: Path) -> None:
    files = {"gz": gzip.compress(RUN.encode()), "zst": zstandard.compress(RUN.encode())}
    for name, data in files.items():
        place = tmp_path / f"a.run.{name}"
        place.write_bytes(data)
        assert rows(read(place, "trec-run")) == EXPECTED
    frame = pl.DataFrame(EXPECTED, schema=["query_id", "doc_id", "score"], orient="row")
    place = tmp_path / "a.parquet"
    frame.write_parquet(place)
    assert sniff(Source(place)).name == "trec-run"
    assert rows(read(place, "trec-run")) == EXPECTED
    qrels = tmp_path / "qrels.parquet"
    pl.DataFrame({"qid": [1, 1], "docno": [7, 8], "rel": [1, 0]}).write_parquet(qrels)
    assert sniff(Source(qrels)).name == "trec-qrels"
    assert rows(read(qrels, "trec-qrels")) == [("1", "7", 1.0), ("1", "8", 0.0)]


def test_every_way_to_give_them_scores_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN)
    wanted = karatage.score(tmp_path / "a.qrels", tmp_path / "a.run").to_dict()["metrics"]
    qrels = {"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1, "d3": -1}}
    run: dict[str, dict[str, Any]] = {"q1": {"d2": 9.5, "d1": 8.25}, "q2": {"d1": 7}}
    frame = pl.DataFrame([(q, d, g) for q, own in qrels.items() for d, g in own.items()], orient="row")
    frame.columns = ["query_id", "doc_id", "relevance"]
    table = pd.DataFrame([(q, d, s) for q, own in run.items() for d, s in own.items()])
    table.columns = pd.Index(["qid", "docno", "score"])
    typed = {q: {d: np.float32(s) for d, s in own.items()} for q, own in run.items()}
    for ours in (qrels, frame, pd.DataFrame(frame.to_dict(as_series=False))):
        for theirs in (run, typed, table, pl.DataFrame({name: table[name].to_list() for name in table})):
            assert karatage.score(ours, theirs).to_dict()["metrics"] == wanted


def test_the_order_of_lines_does_not_matter(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    qrels = [f"q{q} 0 d{d} {d % 4 - 1}\n" for q in range(20) for d in range(30)]
    run = [f"q{q} Q0 d{d} 0 {rng.integers(5)} x\n" for q in range(20) for d in range(15, 45)]
    (tmp_path / "a.qrels").write_text("".join(qrels))
    (tmp_path / "a.run").write_text("".join(run))
    first = karatage.score(tmp_path / "a.qrels", tmp_path / "a.run", like="trec-eval").by_unit.sort("unit")
    (tmp_path / "b.qrels").write_text("".join(rng.permutation(qrels)))
    (tmp_path / "b.run").write_text("".join(rng.permutation(run)))
    second = karatage.score(tmp_path / "b.qrels", tmp_path / "b.run", like="trec-eval").by_unit.sort("unit")
    assert first.columns == second.columns
    for name in first.columns[1:]:
        assert first[name].to_list() == pytest.approx(second[name].to_list(), abs=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 Q0 d1 1 9.5\n", r":1: expected 6 fields \(query Q0 document rank score tag\), found 5"),
        (RUN + "q1 Q0 d9 1 9.5 my run\n", ":4: expected 6 fields .* found 7"),
        (RUN + "q1 0 d9 1\n", ":4: expected 6 fields .* This looks like qrels: are the files swapped"),
        (RUN + "q1 Q0 d9 1 high x\n", ":4: the score 'high' is not a number"),
        (RUN + "q1 Q0 d9 1 nan x\n", ":4: the score 'nan' is not a number"),
        (RUN + "q1 Q0 d9 1 -inf x\n", ":4: the score '-inf' is not a number"),
        (RUN + "q1 Q0 d1 3 1 x\n", ":4, unit q1: duplicate document 'd1' for this query, first in line 2"),
        ("\n" + RUN + "\nq1 Q0 d1 3 1 x\n", ":6, unit q1: duplicate document 'd1' .* first in line 3"),
        ("\n\n", "the file is empty"),
    ],
)
def test_a_bad_run(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(text)
    with pytest.raises(InputError, match=message):
        read(tmp_path / "a.run", "trec-run")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (QRELS + "q2 0 d4 1.5\n", ":5: the grade '1.5' is not an integer"),
        (QRELS + "q2 0 d4 x\n", ":5: the grade 'x' is not an integer"),
        (QRELS + "q2 0 d4 1e400\n", ":5: the grade '1e400' is not an integer"),
        (QRELS + "q2 0 d4\n", ":5: expected 4 fields .query iteration document grade., found 3"),
        (RUN, ":1: expected 4 fields .* This looks like a run: are the files swapped"),
        (QRELS + "q1 0 d2 1\n", ":5, unit q1: duplicate document 'd2' for this query, first in line 2"),
    ],
)
def test_bad_qrels(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text(text)
    with pytest.raises(InputError, match=message):
        read(tmp_path / "a.qrels", "trec-qrels")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    place = tmp_path / "a.run"
    place.write_bytes(RUN.encode() + b"q1 Q0 \xff 1 2 x\n")
    with pytest.raises(FormatError, match=":4: byte ff at position 6"):
        read(place, "trec-run")
    place.write_bytes(gzip.compress(RUN.encode() * 50)[:-20])
    with pytest.raises(FormatError, match="the compressed file is truncated"):
        karatage.score({"q1": {"d1": 1}}, place, pred_format="trec-run")


def test_ids_stay_as_they_are(tmp_path: Path) -> None:
    """Numbers with leading zeros, quotes, letters with and without marks: nothing is the same that is not."""
    ids = ["1", "01", "1.0", '"1"', "'1", "é", "e\u0301", "1#", "NA", "null", "-"]
    (tmp_path / "a.qrels").write_text("".join(f"{q} 0 {d} 1\n" for q in ids for d in ids))
    (tmp_path / "a.run").write_text("".join(f"{q} Q0 {d} 0 {k} x\n" for q in ids for k, d in enumerate(ids)))
    result = karatage.score(tmp_path / "a.qrels", tmp_path / "a.run", metrics=["R@11", "AP"])
    assert result.counts == {"units": 11, "gold": 121, "predicted": 121, "correct": 121}
    assert result["AP"].value == 1.0


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n", " \n"])
def test_comments_are_skipped_and_counted(tmp_path: Path, end: str) -> None:
    """Lines that start with #, at the start, between lines and at the end, as in trec_eval 10."""
    lines = ["# judged in May", "q1 0 #a 1", "#q1 0 b 1", "  # no more", "q2 0 a 1", "# end"]
    (tmp_path / "a.qrels").write_text(end.join(lines), newline="")
    (tmp_path / "a.run").write_text(end.join(["#", "q1 Q0 #a 1 2 x", "q2 Q0 a 1 2 x", ""]), newline="")
    result = karatage.score(tmp_path / "a.qrels", tmp_path / "a.run", metrics=["AP"], resamples=0)
    assert result.counts == {"units": 2, "gold": 2, "predicted": 2, "correct": 2}
    assert result.warnings[:2] == ("gold: comment lines skipped: 4", "predictions: comment lines skipped: 1")


def test_an_error_behind_comments_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("# one\nq1 0 a 1\n# two\nq1 0 b\n")
    with pytest.raises(FormatError, match=":4: expected 4 fields"):
        read(tmp_path / "a.qrels", "trec-qrels")
    (tmp_path / "b.qrels").write_text("# one\n")
    with pytest.raises(FormatError, match="the file is empty"):
        read(tmp_path / "b.qrels", "trec-qrels")


@pytest.mark.parametrize(
    ("gold", "pred", "message"),
    [
        ({"q": {"a": 1}}, {"q": {"a": None}}, "predictions, query q: the score None is not a number"),
        ({"q": {"a": 1}}, {"q": {"a": 1.0, "b": "high"}}, "the score 'high' is not a number"),
        ({"q": {"a": 1.5}}, {"q": {"a": 1.0}}, "gold contains scores, not grades"),
        ({"q": {"a": 1}, 1: {"a": 1}, "1": {"a": 1}}, {"q": {"a": 1.0}}, "query 1: duplicate query"),
        ({"q": {"a": 1}}, {"q": {1: 1.0, "1": 2.0}}, "query q: duplicate document '1' for this query"),
        ({"q": {"a": 1}}, {"r": {"a": 1.0}}, "no query of the run has judgements"),
    ],
)
def test_bad_mappings(gold: Any, pred: Any, message: str) -> None:
    with pytest.raises(KaratageError, match=message):
        karatage.score(gold, pred, like="trec")


def test_bad_frames() -> None:
    good = pl.DataFrame({"query_id": ["q"], "doc_id": ["a"], "relevance": [1]})
    with pytest.raises(FormatError, match="predictions: row 1 has no document"):
        karatage.score(good, pl.DataFrame({"query_id": ["q"], "doc_id": [None], "score": [1.0]}))
    with pytest.raises(InputError, match="query q, row 1: the score nan is not a number"):
        karatage.score(good, pl.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [float("nan")]}))
    with pytest.raises(InputError, match="query q, row 2: the grade 0.5 is not an integer"):
        karatage.score(pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevance": [1.0, 0.5]}), good)


def test_search_and_texts_do_not_mix(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN)
    with pytest.raises(UsageError, match="search results or judgements, which the profile exact does not score"):
        karatage.score(tmp_path / "a.qrels", tmp_path / "a.run", like="exact")
    with pytest.raises(UsageError, match="search results or judgements: score or convert them"):
        karatage.read(tmp_path / "a.run")
    with pytest.raises(InputError, match="gold contains scores, not grades.* swapped"):
        karatage.score(tmp_path / "a.run", tmp_path / "a.qrels")


def test_the_order_of_columns_does_not_choose_the_key() -> None:
    """Two queries share their text. By id, each ranks its relevant document second: AP is (1/2 + 1/2) / 2 = 0.5.

    By text they would be one query, with b, y, a, x and the relevant documents a and x: (1/3 + 2/4) / 2 = 5/12.
    """
    columns = {"query": ["same"] * 4, "qid": [1, 1, 2, 2], "document": ["…"] * 4, "doc_id": ["a", "b", "x", "y"]}
    gold, pred = pl.DataFrame({**columns, "rel": [1, 0, 1, 0]}), pl.DataFrame({**columns, "score": [2.0, 4, 1, 3]})
    for order in (1, -1):
        scores = karatage.score(gold.select(gold.columns[::order]), pred.select(pred.columns[::order]), metrics=["AP"])
        assert scores["AP"].value == pytest.approx(0.5)
    table = pl.DataFrame({"qid": ["1"], "doc_id": ["a"], "grade": [0], "relevance": [1]})
    for frame in (table, pd.DataFrame(table.to_dict(as_series=False))):
        with pytest.raises(
            FormatError, match="the columns 'relevance' and 'grade' differ, and both may hold the grades"
        ):
            karatage.score(frame, pred)
    same = table.with_columns(pl.col("grade") + 1, query_id=pl.lit(1))
    assert from_frame(same, "same").units.ids == ["1"]
