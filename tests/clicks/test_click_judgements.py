"""Judgements from clicks: grades, identifiability, and the files that `karatage score` reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from benchmarks.click_worlds import CURVES, ClickWorld, write_ubi

import karatage
from karatage.clicks import judge_clicks, write_judgements
from karatage.errors import FormatError, InputError, UsageError

SMALL = ClickWorld(CURVES["1/rank"], lists=1500, queries=8)


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("clicks") / "events.jsonl"
    write_ubi(SMALL.draw(np.random.default_rng(3))[0], SMALL.documents, path)
    return str(path)


def by_hand(path: Path, cells: list[tuple[str, int, int, int]]) -> str:
    """Write impressions of a document at a rank, of which so many are clicked, each in a session of its own."""
    rows: list[dict[str, Any]] = []
    for document, rank, shown, clicks in cells:
        for k in range(shown):
            attributes = {"object": {"object_id": document}, "position": {"ordinal": rank}}
            own = {"query_id": f"{document}-{rank}-{k}", "session_id": f"{document}-{rank}-{k}", "user_query": "golf"}
            row = own | {"action_name": "impression", "event_attributes": attributes}
            rows += [row, row | {"action_name": "click"}] if k < clicks else [row]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_grades_follow_the_cut_points(tmp_path: Path) -> None:
    # Rank 2 has half the clicks of rank 1 in both documents, so 18 of 30 and 16 of 40 expected clicks: 0.6 and 0.4.
    path = by_hand(tmp_path / "e.jsonl", [("a", 1, 20, 12), ("a", 2, 20, 6), ("b", 1, 20, 8), ("b", 2, 40, 8)])
    found = judge_clicks(path, cuts=(0.3, 0.5))
    assert found.identified
    assert found.bias.propensity == pytest.approx([1, 0.5])
    assert found.table.select("query_id", "doc_id", "relevance", "attractiveness").rows() == [
        ("golf", "a", 2, 0.6),
        ("golf", "b", 1, 0.4),
    ]
    assert found.grades == {0: 0, 1: 1, 2: 1}
    assert judge_clicks(path, min_impressions=50).too_few == 1  # a has 40


def test_documents_that_never_move_are_judged_with_a_warning_or_not_at_all(tmp_path: Path) -> None:
    path = by_hand(tmp_path / "e.jsonl", [("a", 1, 40, 20), ("b", 2, 40, 10), ("c", 3, 40, 5)])
    found = judge_clicks(path)
    assert not found.identified
    assert found.bias.method == "ctr"
    # Click rates by rank explain everything by position: all documents look equally attractive.
    assert found.table["attractiveness"].to_list() == [0.5, 0.5, 0.5]
    assert "too few documents were clicked and shown at several ranks" in found.warnings[0]
    with pytest.raises(InputError, match="swap neighbours at random"):
        judge_clicks(path, bias="pbm")


def test_ranks_without_a_link_are_left_out_and_said(tmp_path: Path) -> None:
    cells = [("a", 1, 40, 24), ("a", 2, 40, 12), ("b", 3, 30, 5), ("c", 4, 30, 5), ("d", 9, 30, 1)]
    found = judge_clicks(by_hand(tmp_path / "e.jsonl", cells))
    assert found.identified
    assert found.table["doc_id"].to_list() == ["a"]
    assert found.too_few == 3
    assert found.warnings == (
        "position bias cannot be identified at ranks 3–4 and 9: 90 impressions and 11 clicks there are not used",
    )
    assert found.ranks[2] == {
        "rank": 3, "impressions": 30, "clicks": 5,
        "propensity": {"value": None, "undefined": "cannot be identified"},
    }  # fmt: skip


def test_one_rank_needs_no_correction(tmp_path: Path) -> None:
    found = judge_clicks(by_hand(tmp_path / "e.jsonl", [("a", 1, 40, 24), ("b", 1, 40, 4)]))
    assert found.identified
    assert found.table["attractiveness"].to_list() == [0.6, 0.1]
    assert not found.warnings


def test_the_order_of_events_changes_nothing(events: str, tmp_path: Path) -> None:
    lines = Path(events).read_text().splitlines(keepends=True)
    (tmp_path / "reversed.jsonl").write_text("".join(reversed(lines)))
    one, other = judge_clicks(events), judge_clicks(str(tmp_path / "reversed.jsonl"))
    assert one.table.drop("attractiveness", "low", "high").equals(other.table.drop("attractiveness", "low", "high"))
    assert one.table["low"].to_numpy() == pytest.approx(other.table["low"].to_numpy(), abs=2e-6)


@pytest.mark.parametrize("ending", [".qrels", ".qrels.gz", ".parquet"])
def test_score_reads_the_judgements(ending: str, events: str, tmp_path: Path) -> None:
    found, out = judge_clicks(events), tmp_path / f"clicks{ending}"
    write_judgements(found, str(out), str(tmp_path / "topics.tsv"))
    first = found.table.sort("attractiveness", descending=True).unique("query_id", keep="first", maintain_order=True)
    topics = dict(line.split("\t")[::-1] for line in (tmp_path / "topics.tsv").read_text().splitlines())
    run = [f"{topics[query]} Q0 {document} 1 1.0 x\n" for query, document in first.select("query_id", "doc_id").rows()]
    (tmp_path / "best.run").write_text("".join(run))
    # The most attractive document has the highest grade of its query, so nothing can be better at rank 1.
    assert karatage.score(out, tmp_path / "best.run", metrics=["nDCG@1"], resamples=0)["nDCG@1"].value == 1


def test_tables_have_the_intervals(events: str, tmp_path: Path) -> None:
    found = judge_clicks(events)
    for ending, read in ((".csv", pl.read_csv), (".jsonl", pl.read_ndjson), (".parquet", pl.read_parquet)):
        write_judgements(found, str(tmp_path / f"q{ending}"))
        assert read(tmp_path / f"q{ending}").equals(found.table)


def test_qrels_cannot_store_queries_with_blanks(events: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"8 ids contain blanks, e.g. the query 'query 0'.* --topics"):
        write_judgements(judge_clicks(events), str(tmp_path / "q.qrels"))
    assert list(tmp_path.iterdir()) == []


def test_json_has_everything_that_is_shown(events: str) -> None:
    found = judge_clicks(events)
    plain = json.loads(found.to_json())
    assert plain["counts"]["judged"] == len(plain["judgements"]) == found.table.height
    assert sum(plain["grades"].values()) == found.table.height
    assert [rank["rank"] for rank in plain["bias"]["ranks"]] == list(range(1, 11))
    assert "Position bias: position-based model" in str(found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cuts": (0.4, 0.2)}, "cuts must rise"),
        ({"cuts": ("x",)}, "cuts must rise"),
        ({"bias": "em"}, "unknown bias 'em'"),
        ({"min_impressions": 0}, "min_impressions must be a whole number from 1"),
        ({"clicks": ("impression",)}, "'impression' cannot be both a click and an impression"),
        ({"level": 1.5}, "level"),
        ({"cut": 1}, "unknown option 'cut'"),
    ],
)
def test_an_invalid_option_is_an_error(options: dict[str, Any], message: str, events: str) -> None:
    with pytest.raises(UsageError, match=message):
        judge_clicks(events, **options)
