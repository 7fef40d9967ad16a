"""Descriptions of judgements and results: every count is worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from karatage.description import SearchDescription, describe
from karatage.errors import InputError, UsageError
from karatage.reports import plain

QRELS = "q1 0 d1 2\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d1 0\nq3 0 d4 -1\nq3 0 d5 1\n"
RUN = "q1 Q0 d1 1 9 x\nq1 Q0 d9 2 9 x\nq1 Q0 d2 3 8 x\nq4 Q0 d1 1 3 x\n"
MATRIX = "doc/query\tq1\tq2\nd1\t1\t0\nd2\t-1\t1\nd3\t-1\t0\n"


def described(folder: Path, text: str, name: str, against: str | None = None) -> SearchDescription:
    (folder / name).write_text(text)
    found = describe(str(folder / name), against)
    assert isinstance(found, SearchDescription)
    return found


def test_judgements(tmp_path: Path) -> None:
    found = described(tmp_path, QRELS, "a.qrels")
    # Documents d1 to d5; relevant are d1 and d3 for q1, d5 for q3.
    assert found.counts == {"queries": 3, "documents": 5, "pairs": 6, "relevant": 3}
    assert found.kind == "judgement"
    assert found.values == {2: 1, 1: 2, 0: 2, -1: 1}
    assert found.per_query.to_dict() == {"min": 1, "median": 2.0, "mean": 2.0, "max": 3}
    assert found.relevant_per_query is not None
    assert found.relevant_per_query.to_dict() == {"min": 0, "median": 1.0, "mean": 1.0, "max": 2}
    assert found.without_relevant is not None
    assert found.without_relevant.rows == ("q2",)
    assert found.repeated.extra == 0
    assert [(one.query, one.pairs, one.relevant, one.tied) for one in found.queries] == [
        ("q1", 3, 2, None),
        ("q2", 1, 0, None),
        ("q3", 2, 1, None),
    ]
    shown = plain(found.parts(), 80)
    assert "queries without relevant documents: 1 (q2)" in shown
    assert "-1 (unjudged)" in shown


def test_results(tmp_path: Path) -> None:
    found = described(tmp_path, RUN, "a.run")
    # d1 and d9 share the score 9 for q1.
    assert found.counts == {"queries": 2, "documents": 3, "pairs": 4, "tied": 2}
    assert found.tied_queries == 1
    assert (found.values, found.relevant_per_query, found.without_relevant) == (None, None, None)
    assert found.per_query.counts == {1: 1, 3: 1}
    assert "tied results: 2 of 4 (50.0 %), in 1 query" in plain(found.parts(), 80)


def test_a_run_beside_judgements(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(RUN)
    own = described(tmp_path, QRELS, "a.qrels", str(tmp_path / "a.run")).overlap
    assert own is not None
    # Both have q1. d1 and d2 are in both; of the four results, those on d1 and d2 for q1 are judged.
    assert (own.queries, own.documents, own.pairs, own.shared, own.conflicting) == (1, 2, 4, 2, None)
    assert (own.only_first.rows, own.only_second.rows) == (("q2", "q3"), ("q4",))


def test_two_sets_of_judgements_may_conflict(tmp_path: Path) -> None:
    (tmp_path / "b.qrels").write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d9 1\n")
    own = described(tmp_path, QRELS, "a.qrels", str(tmp_path / "b.qrels")).overlap
    assert own is not None
    # Two pairs are in both, and d1 has grade 2 in one and 1 in the other.
    assert (own.pairs, own.shared, own.conflicting) == (3, 2, 1)


def test_duplicate_judgements_are_counted_and_not_refused(tmp_path: Path) -> None:
    found = described(tmp_path, "q1 0 d1 1\nq1 0 d2 0\nq1 0 d1 1\nq1 0 d2 2\nq1 0 d2 0\n", "a.qrels")
    # d1 occurs twice with one grade, d2 three times with two: three are extra, one pair conflicts.
    assert (found.repeated.extra, found.repeated.conflicting) == (3, 1)
    rows = [(one.query, one.document, one.values) for one in found.repeated.pairs.rows]
    assert rows == [("q1", "d2", (0.0, 2.0, 0.0)), ("q1", "d1", (1.0, 1.0))]
    line = "duplicate judgements: 3, in 2 pairs of query and document, 1 of them conflicting"
    assert line in plain(found.parts(), 80)


def test_duplicates_in_lines_with_odd_blanks_and_in_frames(tmp_path: Path) -> None:
    found = described(tmp_path, "q1\t0 d1  1\nq1 0 d1 1\n", "a.qrels")
    assert found.repeated.extra == 1
    frame = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["d", "d"], "relevance": [1, 0]})
    in_memory = describe(frame)
    assert isinstance(in_memory, SearchDescription)
    assert (in_memory.repeated.extra, in_memory.repeated.conflicting) == (1, 1)


def test_duplicates_are_still_refused_in_scoring(tmp_path: Path) -> None:
    import karatage

    (tmp_path / "a.qrels").write_text("q1 0 d1 1\nq1 0 d1 1\n")
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 9 x\n")
    with pytest.raises(InputError, match="duplicate document 'd1' for this query, first in line 1"):
        karatage.score(str(tmp_path / "a.qrels"), str(tmp_path / "a.run"))


def test_a_matrix_of_labels(tmp_path: Path) -> None:
    (tmp_path / "b.tsv").write_text("doc/query\tq1\tq3\nd1\t-1\t1\nd2\t-1\t1\n")
    found = described(tmp_path, MATRIX, "a.tsv", str(tmp_path / "b.tsv"))
    assert found.kind == "label"
    # q1 has three labels, one of them relevant; q2 has one, which is relevant. Two cells are 0.
    assert found.counts == {"queries": 2, "documents": 3, "pairs": 4, "relevant": 2}
    assert found.values == {1: 2, 0: 2, -1: 2}
    assert [(one.query, one.pairs, one.relevant) for one in found.queries] == [("q1", 3, 1), ("q2", 1, 1)]
    own = found.overlap
    assert own is not None
    # The second matrix labels q1 with d1 and d2 too: d1 differently.
    assert (own.queries, own.documents, own.pairs, own.shared, own.conflicting) == (1, 2, 4, 2, 1)


def test_repeated_rows_and_columns_of_a_matrix(tmp_path: Path) -> None:
    text = "doc/query\tq1\tq1\tq2\nd1\t1\t-1\t1\nd2\t1\t1\t0\nd1\t0\t0\t1\n"
    found = described(tmp_path, text, "a.tsv")
    # d1 with q1: 1 and -1. d2 with q1: 1 and 1. d1 with q2: 1 in two rows. A 0 is not a label.
    assert (found.repeated.extra, found.repeated.conflicting) == (3, 1)
    rows = {(one.query, one.document): one.values for one in found.repeated.pairs.rows}
    assert rows == {("q1", "d1"): (1.0, -1.0), ("q1", "d2"): (1.0, 1.0), ("q2", "d1"): (1.0, 1.0)}
    assert found.counts["queries"] == 2


def test_cells_that_are_not_labels_are_counted(tmp_path: Path) -> None:
    found = described(tmp_path, "doc/query\tq1\tq2\nd1\t1\t-1\nd2\t1\tx\nd3\t1\nd4\t1\t1\t1\n", "a.tsv")
    assert found.warnings == (
        "cells other than 1, -1 and 0: 1",
        "cells missing at the end of a row: 1",
        "cells beyond the last query: 1",
    )


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text(QRELS)
    with pytest.raises(UsageError, match="can only be compared with another matrix"):
        described(tmp_path, MATRIX, "a.tsv", str(tmp_path / "a.qrels"))
    (tmp_path / "a.run").write_text(RUN)
    with pytest.raises(UsageError, match="contains both judgements and results"):
        describe(str(tmp_path / "a.[qr]*"))


def test_several_files_are_one_set_of_judgements(tmp_path: Path) -> None:
    (tmp_path / "1.qrels").write_text("q1 0 d1 1\nq2 0 d1 0\n")
    (tmp_path / "2.qrels").write_text("q2 0 d2 1\nq1 0 d1 1\n")
    found = describe(str(tmp_path / "*.qrels"))
    assert isinstance(found, SearchDescription)
    assert found.counts == {"queries": 2, "documents": 2, "pairs": 4, "relevant": 3}
    assert found.repeated.extra == 1


def test_what_the_reader_skips_is_said(tmp_path: Path) -> None:
    found = described(tmp_path, f"# judged by hand\n{QRELS}", "a.qrels")
    assert found.warnings == ("comment lines skipped: 1",)
    assert found.counts["pairs"] == 6


def test_json(tmp_path: Path) -> None:
    told = json.loads(described(tmp_path, QRELS, "a.qrels").to_json())
    assert told["values"] == {"2": 1, "1": 2, "0": 2, "-1": 1}
    assert told["without_relevant"] == {"total": 1, "first": ["q2"]}
    assert told["overlap"] is None
