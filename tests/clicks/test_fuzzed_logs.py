"""Broken logs: whatever comes in, only Karatage's own errors come out."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from karatage.clicks import interleave, judge_clicks
from karatage.errors import KaratageError

QUICK, SLOW = 200, 2000

ODD: list[Any] = [
    None,
    True,
    -1,
    0,
    5,
    1.5,
    1e308,
    10**30,
    "",
    "5",
    "x" * 300,
    [],
    {},
    [[]],
    [None],
    {"a": 1},
    "é\u202e",
]


def _event(k: int) -> dict[str, Any]:
    return {
        "application": "shop",
        "action_name": "click" if k % 4 == 3 else "impression",
        "query_id": f"q{k // 8}",
        "session_id": f"s{k // 16}",
        "timestamp": "2026-03-01T10:00:00Z",
        "user_query": f"query {k % 2}",
        "event_attributes": {"object": {"object_id": f"d{k % 3}"}, "position": {"ordinal": 1 + (k * 7) % 3}},
    }


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    inner = row["event_attributes"]
    plain = {key: value for key, value in row.items() if key != "event_attributes"}
    return plain | {"object_id": inner["object"]["object_id"], "position": inner["position"]["ordinal"]}


def _lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _parquet(rows: list[dict[str, Any]]) -> bytes:
    out = io.BytesIO()
    pl.DataFrame(rows).write_parquet(out)
    return out.getvalue()


EVENTS = [_event(k) for k in range(64)]
DRAFT = [{"query": "a", "session": f"s{k // 3}", "teams": ["A", "B", "A"], "clicks": [1 + k % 3]} for k in range(30)]
BALANCED = [
    {"session": f"s{k // 3}", "list_A": ["a", "b"], "list_B": ["b", "c"], "clicks": ["abc"[k % 3]]} for k in range(30)
]
SEEDS = {
    "lines": _lines(EVENTS),
    "response": json.dumps({"hits": {"hits": [{"_source": row} for row in EVENTS]}}).encode(),
    "csv": pl.DataFrame(list(map(_flat, EVENTS))).write_csv().encode(),
    "parquet": _parquet(list(map(_flat, EVENTS))),
    "draft": _lines(DRAFT),
    "balanced": _lines(BALANCED),
    "counts": b"session,clicks_A,clicks_B\ns1,1,0\ns2,0,1\ns2,2,0\n",
}


def _damaged(data: bytes, rng: random.Random) -> bytes:
    """Return the bytes with a cut, flipped bytes, a lost or repeated stretch, or a stray mark."""
    at, length = rng.randrange(len(data)), rng.randrange(1, 30)
    kind = rng.randrange(6)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[at:]
    if kind == 2:
        flipped = bytearray(data)
        for _ in range(rng.randrange(1, 4)):
            flipped[rng.randrange(len(flipped))] = rng.randrange(256)
        return bytes(flipped)
    if kind == 3:
        return data[:at] + data[at + length :]
    if kind == 4:
        return data[:at] + data[at : at + length] * 2 + data[at + length :]
    mark = rng.choice([b"\0", b"\xff", b"\r", b"\n", b'"', b"\t", b"[", b"{", b"}", b",", b"\\"])
    return data[:at] + mark + data[at:]


def _odd(rows: list[dict[str, Any]], rng: random.Random) -> bytes:
    """Return JSON lines with an unexpected value somewhere."""
    rows = json.loads(json.dumps(rows))
    for _ in range(rng.randrange(1, 4)):
        place: Any = rng.choice(rows)
        while True:
            key = rng.choice(list(place))
            if not place[key] or not isinstance(place[key], dict) or rng.random() < 0.3:
                break
            place = place[key]
        place[key] = rng.choice(ODD)
    return _lines(rows)


def fuzzed(count: int) -> Iterator[tuple[str, bytes]]:
    rng = random.Random("clicks")
    for k in range(count):
        name = list(SEEDS)[k % len(SEEDS)]
        values = {"lines": EVENTS, "draft": DRAFT, "balanced": BALANCED}
        if name in values and rng.random() < 0.5:
            yield name, _odd(values[name], rng)
        else:
            yield name, _damaged(SEEDS[name], rng)


def feed(count: int, place: Path) -> int:
    """Read so many broken files; return how many were read without an error."""
    read = 0
    for name, data in fuzzed(count):
        place.write_bytes(data)
        with suppress(KaratageError):
            if name in ("draft", "balanced", "counts"):
                str(interleave(str(place)))
            else:
                str(judge_clicks(str(place), min_impressions=1))
            read += 1
    return read


def test_the_seeds_are_read(tmp_path: Path) -> None:
    for name, data in SEEDS.items():
        (tmp_path / name).write_bytes(data)
        if name in ("draft", "balanced", "counts"):
            assert interleave(str(tmp_path / name)).preference.votes
        else:
            assert judge_clicks(str(tmp_path / name), min_impressions=1).table.height == 6


def test_broken_logs(tmp_path: Path) -> None:
    assert 0 < feed(QUICK, tmp_path / "log") < QUICK


@pytest.mark.slow
def test_many_broken_logs(tmp_path: Path) -> None:
    assert 0 < feed(SLOW, tmp_path / "log") < SLOW
