"""Ranks beside scores: exchanged columns, scores that are ranks, contradictions anywhere, and ordering by rank."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import karatage
from karatage.claims import Relevance
from karatage.errors import InputError
from karatage.formats import ReadOptions, Source, from_frame, sniff
from karatage.scoring.search import streamed_run

COUNTING = "Queries whose scores count 1, 2, 3 … in the order of the file"
TABLE = f"scores look like ranks: --columns rank=score reads them so. {COUNTING}"
RUN = f"rank and score may be exchanged. {COUNTING}"
GAPS = "queries whose ranks have gaps or start above 1: results below a gap move up"
LATE = "queries whose ranks start above 1: results above may be missing"
DISTANCES = (
    "queries whose ranks and scores disagree; results are ordered by score, as in trec_eval. If scores are "
    "distances, negate them"
)


def read(place: Path, text: str, *columns: str) -> tuple[Relevance, dict[str, int]]:
    place.write_text(text)
    notes: Counter[str] = Counter()
    source = Source(place)
    (found,) = sniff(source).read(source, ReadOptions(columns=columns, notes=notes))
    return found, dict(+notes)


def best(found: Relevance) -> list[str]:
    """Return the documents, the best first."""
    return [str(found.document[k]) for k in np.argsort(-found.value, kind="stable").tolist()]


@pytest.mark.parametrize("cell", ["7.21", "-1", "first", "inf", "1e300"])
def test_a_rank_beside_a_score_must_be_a_whole_number(cell: str, tmp_path: Path) -> None:
    text = f"query,docid,rank,score\nq,a,1,3\nq,b,{cell},2\n"
    exchange = r"--columns rank=score,score=rank"
    with pytest.raises(InputError, match=rf"a\.csv:3, unit q: the rank '{cell}' is not a whole number.*{exchange}"):
        read(tmp_path / "a.csv", text)
    frame = pl.DataFrame({"query": ["q", "q"], "docid": ["a", "b"], "rank": ["1", cell], "score": [3, 2]})
    with pytest.raises(InputError, match=rf"a\.jsonl:2, unit q: the rank '{cell}' is not.*{exchange}"):
        read(tmp_path / "a.jsonl", "\n".join(map(json.dumps, frame.rows(named=True))))
    with pytest.raises(InputError, match=rf"frame, unit q, row 2: the rank '{cell}' is not.*{exchange}"):
        from_frame(frame, "frame")


def test_a_result_may_lack_its_rank(tmp_path: Path) -> None:
    found, notes = read(tmp_path / "a.csv", "query,docid,rank,score\nq,a,2,3\nq,b,,2\n")
    assert (best(found), notes) == (["a", "b"], {})


def test_exchanged_columns_are_read_by_name(tmp_path: Path) -> None:
    text = "query,docid,rank,score\nq,a,9.5,1\nq,b,8.5,2\nq,c,7.5,3\n"
    found, notes = read(tmp_path / "a.csv", text, "rank=score,score=rank")
    assert (best(found), found.value.tolist(), notes) == (["a", "b", "c"], [9.5, 8.5, 7.5], {})


@pytest.mark.parametrize("first", [0, 1])
def test_scores_that_count_like_ranks(first: int, tmp_path: Path) -> None:
    """Of q, four results count up; r counts down, s leaps, and t has too few results to tell."""
    scores = {"q": [0, 1, 2, 3], "r": [3, 2, 1, 0], "s": [0, 1, 3], "t": [0, 1]}
    rows = [(q, f"d{k}", v + first) for q, own in scores.items() for k, v in enumerate(own)]
    text = "query,docid,score\n" + "".join(f"{q},{d},{v}\n" for q, d, v in rows)
    assert read(tmp_path / "a.csv", text)[1] == {TABLE: 1}
    assert read(tmp_path / "a.run", "".join(f"{q} Q0 {d} 0 {v} x\n" for q, d, v in rows))[1] == {RUN: 1}
    apart = sorted(rows, key=lambda row: row[1])  # the lines of a query are apart
    assert read(tmp_path / "b.run", "".join(f"{q} Q0 {d} 0 {v} x\n" for q, d, v in apart))[1] == {RUN: 1}
    found, notes = read(tmp_path / "a.csv", text, "rank=score")
    assert (best(found)[0], notes) == ("d0", {GAPS: 1})  # that of s


def test_ranks_that_start_above_1_are_counted_beside_scores(tmp_path: Path) -> None:
    lines = [("q", "a", 9, 1), ("q", "b", 8, 2), ("q", "c", 7, 3), ("p", "a", 1, 5), ("p", "b", 3, 4)]
    text = "query,docid,rank,score\n" + "".join(f"{q},{d},{r},{s}\n" for q, d, r, s in lines)
    assert read(tmp_path / "a.csv", text)[1] == {TABLE: 1, GAPS: 2}
    run = "".join(f"{q} Q0 {d} {r} {s} x\n" for q, d, r, s in lines)
    assert read(tmp_path / "a.run", run)[1] == {RUN: 1, LATE: 1}


def test_ranks_of_a_run_that_are_not_whole_numbers(tmp_path: Path) -> None:
    """trec_eval ignores ranks, so that such runs are read; two of the three ranks are not whole numbers."""
    found, notes = read(tmp_path / "a.run", "q Q0 a 9.5 2 x\nq Q0 b 3 1 x\nr Q0 a first 2 x\n")
    assert found.value.tolist() == [2, 1, 2]
    assert notes == {"rank and score may be exchanged. Lines whose rank is not a whole number from 0": 2}
    _, notes = read(tmp_path / "a.run", "q Q0 a -1 2 x\nq  Q0 b 3 1 x\n")
    assert notes == {"rank and score may be exchanged. Lines whose rank is not a whole number from 0": 1}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("streamed", [False, True])
def test_contradictions_are_found_wherever_they_are(
    packed: bool, streamed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """60 queries of 20 results; in the last 10, behind 1,000 lines, scores rise along the ranks."""
    lines = [f"q{q} Q0 d{k} {k + 1} {(k if q >= 50 else -k) + 0.5} x\n" for q in range(60) for k in range(20)]
    data = "".join(lines).encode()
    place = tmp_path / ("a.run.gz" if packed else "a.run")
    place.write_bytes(gzip.compress(data) if packed else data)
    qrels = tmp_path / "a.qrels"
    qrels.write_text("".join(f"q{q} 0 d0 1\n" for q in range(60)))
    if streamed:
        monkeypatch.setattr(streamed_run, "_LEAST", 1)
    result = karatage.score(qrels, place, metrics=["RR"], resamples=0)
    # The relevant document is first in 50 queries, and twentieth in 10.
    assert result["RR"].value == pytest.approx((50 + 10 / 20) / 60)
    assert result.warnings[0] == f"predictions: {DISTANCES}: 10"


def test_a_named_rank_orders_results_that_have_scores(tmp_path: Path) -> None:
    gold, pred = tmp_path / "gold.csv", tmp_path / "pred.csv"
    gold.write_text("query,docid,rating\nq,a,1\nq,b,0\n")
    pred.write_text("query,docid,rank,score\nq,a,1,0.1\nq,b,2,0.9\n")

    def score(**options: Any) -> tuple[float | None, bool]:
        result = karatage.score(gold, pred, metrics=["RR"], resamples=0, **options)
        return result["RR"].value, any("(--columns rank=rank orders by rank)" in text for text in result.warnings)

    assert score() == (0.5, True)
    assert score(columns="rank=rank") == (1.0, False)
    assert score(columns="score=score,rank=rank") == (0.5, True)
    assert score(columns="score=score") == (0.5, True)
    frame = pl.read_csv(pred)
    assert best(from_frame(frame, "frame", columns=("rank=rank",))) == ["a", "b"]
    lines = "\n".join(map(json.dumps, frame.rows(named=True)))
    assert best(read(tmp_path / "a.jsonl", lines, "rank=rank")[0]) == ["a", "b"]
