"""Logs of User Behavior Insights: every shape gives the same table, and what cannot be used is counted."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from karatage.clicks.click_options import ClickOptions
from karatage.clicks.ubi_files import FIELDS, read_ubi
from karatage.clicks.ubi_log import UbiLog, read_log
from karatage.errors import InputError

Record = dict[str, Any]


def event(action: str, query_id: Any, document: Any, position: Any = None, **more: Any) -> Record:
    attributes = {"object": {"object_id": document}, "position": {"ordinal": position}}
    base = {"application": "shop", "action_name": action, "query_id": query_id, "session_id": "s1"}
    return base | {"timestamp": "2026-03-01T10:00:05Z", "user_query": "golf"} | {"event_attributes": attributes} | more


def asked(query_id: str, hits: list[Any], **more: Any) -> Record:
    base = {"application": "shop", "query_id": query_id, "client_id": "c1", "user_query": "golf"}
    return base | {"timestamp": "2026-03-01T10:00:00Z", "query_response_hit_ids": hits} | more


EVENTS = [event("impression", "q1", "d1", 1), event("impression", "q1", 2, 2), event("click", "q1", "d1", 1)]


def write(path: Path, rows: list[Record]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def log(path: Path, rows: list[Record], queries: list[Record] | None = None, **options: Any) -> UbiLog:
    other = None if queries is None else write(path / "queries.jsonl", queries)
    return read_log(write(path / "events.jsonl", rows), other, ClickOptions(**options))


def rows_of(found: UbiLog) -> list[tuple[Any, ...]]:
    return sorted(found.frame.select("query", "document", "rank", "session", "clicked").rows())


def flat(row: Record) -> dict[str, str]:
    inner = row["event_attributes"]
    return {key: value for key, value in row.items() if key != "event_attributes"} | {
        "event_attributes.object.object_id": str(inner["object"]["object_id"]),
        "event_attributes.position.ordinal": str(inner["position"]["ordinal"]),
    }


def test_every_shape_of_a_file_is_the_same_log(tmp_path: Path) -> None:
    plain = write(tmp_path / "a.jsonl", EVENTS)
    hits = [{"_index": "ubi_events", "_source": row} for row in EVENTS]
    wrapped = write(tmp_path / "b.jsonl", hits)
    response = tmp_path / "c.json"
    response.write_text(json.dumps({"took": 3, "hits": {"total": {"value": 3}, "hits": hits}}, indent=2))
    array = tmp_path / "d.json"
    array.write_text(json.dumps(EVENTS))
    bulk = write(tmp_path / "e.jsonl", [one for row in EVENTS for one in ({"index": {"_index": "x"}}, row)])
    packed = tmp_path / "f.jsonl.gz"
    packed.write_bytes(gzip.compress(Path(plain).read_bytes()))
    table = tmp_path / "g.csv"
    with table.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(flat(EVENTS[0])))
        writer.writeheader()
        writer.writerows(map(flat, EVENTS))
    texts = tmp_path / "h.csv"
    with texts.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(EVENTS[0]))
        writer.writeheader()
        writer.writerows(row | {"event_attributes": json.dumps(row["event_attributes"])} for row in EVENTS)
    parquet, nested = tmp_path / "i.parquet", tmp_path / "j.parquet"
    pl.DataFrame(list(map(flat, EVENTS))).write_parquet(parquet)
    pl.read_ndjson(plain, infer_schema_length=None).write_parquet(nested)
    expected = read_ubi(plain)
    assert expected["document"].to_list() == ["d1", "2", "d1"]
    assert expected["position"].to_list() == ["1", "2", "1"]
    for path in (wrapped, response, array, bulk, packed, table, texts, parquet, nested):
        assert read_ubi(str(path)).equals(expected), path


def test_impressions_and_clicks(tmp_path: Path) -> None:
    found = log(tmp_path, EVENTS)
    assert rows_of(found) == [("golf", "2", 2, "s1", False), ("golf", "d1", 1, "s1", True)]
    assert found.shown_by == "events"
    assert found.counts == {
        "events": 3, "queries": 1, "result_lists": 1, "sessions": 1, "impressions": 2, "clicks": 1,
    }  # fmt: skip
    assert found.dropped == {}


def test_results_of_queries_are_impressions_where_no_event_is(tmp_path: Path) -> None:
    click = event("click", "q1", "d2", session_id=None, user_query=None)
    found = log(tmp_path, [click], [asked("q1", ["d1", "d2"])])
    assert found.shown_by == "queries"
    assert rows_of(found) == [("golf", "d1", 1, "c1", False), ("golf", "d2", 2, "c1", True)]
    both = log(tmp_path, [click, asked("q1", ["d1", "d2"])])  # in one file
    assert rows_of(both) == rows_of(found)


def test_whatever_cannot_be_used_is_counted(tmp_path: Path) -> None:
    rows = [
        *EVENTS,
        EVENTS[0],  # a duplicate
        event("click", "q1", "d1", 1, timestamp="2026-03-01T10:00:09Z"),  # a second click
        event("impression", None, "d1", 1),
        event("click", "q1", None, 1),
        event("impression", "q1", "d3"),  # no position
        event("impression", "q1", "d4", -2),
        event("impression", "q1", "d4", "third"),
        event("click", "q1", "d9", 9),  # never shown
        event("impression", "q1", "d1", 5),  # shown again, further down
        event("impression", "q2", "d1", 1, user_query=" "),
        event("impression", "q3", "d1", 1, session_id=None),
        event("impression", "q4", "d1", 1, timestamp="2026-03-01T11:00:00+00:00"),
        event("click", "q4", "d1", 2, timestamp="2026-03-01T10:59:59.5Z"),  # before, and elsewhere
        event("add_to_cart", "q1", "d1"),
        event("add_to_cart", "q1", "d1"),
        {"query_id": "q1", "application": "shop"},
    ]
    found = log(tmp_path, rows)
    assert found.dropped == {
        "records without an action name or results": 1,
        "events without a query id": 1,
        "events without a document": 1,
        "duplicate events": 1,
        "invalid positions, taken as missing": 2,
        "impressions without a position": 3,
        "documents shown again in the same result list": 1,
        "further clicks on the same result": 1,
        "clicks on documents that were not shown": 1,
        "clicks with a time before their impression (used)": 1,
        "clicks with another position than their impression (used)": 1,
        "impressions without the text of the query": 1,
        "result lists without a session, each taken as its own": 1,
    }
    assert found.ignored == {"add_to_cart": 2}
    assert found.counts["impressions"] == 4  # d1 and 2 of q1, d1 of q3 and of q4
    assert found.counts["clicks"] == 2
    assert "1 of 3 clicks are on documents that were not shown" in found.warnings[0]


def test_positions_that_start_at_zero_are_raised(tmp_path: Path) -> None:
    rows = [event("impression", "q1", "d1", 0), event("impression", "q1", "d2", 1), event("click", "q1", "d2", 1)]
    found = log(tmp_path, rows)
    assert found.dropped == {"positions that start at 0, raised by one": 3}
    assert [row[2] for row in rows_of(found)] == [1, 2]


def test_a_missing_position_is_that_in_the_results_of_the_query(tmp_path: Path) -> None:
    found = log(tmp_path, [event("impression", "q1", "d2"), event("click", "q1", "d2")], [asked("q1", ["d1", "d2"])])
    assert rows_of(found) == [("golf", "d2", 2, "s1", True)]
    assert found.dropped == {"impressions with the position of their query's results": 1}


def test_long_sessions_are_reported_or_left_out(tmp_path: Path) -> None:
    rows = [event("impression", f"b{k}", "d1", 1, session_id="bot") for k in range(101)]
    found = log(tmp_path, [*rows, *EVENTS])
    assert found.warnings == (
        "1 session has more than 100 result lists, 98.1% of all impressions. If these are bots, leave them out with "
        "--max-session",
    )
    found = log(tmp_path, [*rows[2:], *EVENTS], max_session=50)
    assert found.dropped == {"sessions with more than 50 result lists": 1, "impressions of these sessions": 99}
    assert found.counts["impressions"] == 2


def test_applications_are_told_and_chosen(tmp_path: Path) -> None:
    rows = [*EVENTS, event("impression", "q7", "d7", 1, application="blog")]
    assert "events of 2 applications are taken together: blog, shop" in log(tmp_path, rows).warnings[0]
    found = log(tmp_path, rows, application="shop")
    assert found.dropped == {"records of other applications": 1}
    with pytest.raises(InputError, match="no records of the application 'news'"):
        log(tmp_path, rows, application="news")


def test_other_actions_can_be_clicks_and_impressions(tmp_path: Path) -> None:
    rows = [event("seen", "q1", "d1", 1), event("bought", "q1", "d1", 1)]
    assert rows_of(log(tmp_path, rows, clicks=["bought"], impressions=["seen"])) == [("golf", "d1", 1, "s1", True)]
    with pytest.raises(InputError, match=r"no clicks. Name their action with --click; other actions: bought \(1\), "):
        log(tmp_path, rows)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ('{"query_id": "a"}\n{"query_id" "b"}\n', ":2: invalid JSON"),
        ("[1]", "expected an object, got 1"),
        ('{"action_name": "click", "query_response_hit_ids": "d1"}', '"query_response_hit_ids" must be a list'),
        ("a,b\n1,2\n", "no column of a UBI log"),
        ("query_id,action_name\n1,click\n1,click,3\n", ":3: expected 2 columns, found 3"),
        ('query_id,event_attributes\n1,"{x"\n', '"event_attributes" is not valid JSON'),
        ("PAR1xxxx", "cannot read this as Parquet"),
        ('{"hits": {"hits": []}}', "no records"),
    ],
)
def test_a_broken_file_is_one_clear_message(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(text)
    with pytest.raises(InputError) as caught:
        read_ubi(str(tmp_path / "log"))
    assert message in str(caught.value)
    assert str(tmp_path / "log") in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([asked("q1", ["d1"])], "no events"),
        ([EVENTS[2]], "no impressions, and clicks alone say nothing about the documents"),
        ([EVENTS[1], EVENTS[2]], "no click is on a document that was shown"),
    ],
)
def test_a_log_that_says_nothing_is_an_error(rows: list[Record], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        log(tmp_path, rows)


def test_fields_are_named_once() -> None:
    paths = [path for group in FIELDS.values() for path in group]
    assert len(paths) == len(set(paths))
