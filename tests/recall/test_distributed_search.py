"""Draws on an engine: the same as in one process, wherever a corpus is cut and in whichever order its files are."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.engines import Here

from karatage.engine import LocalProcesses, Running, WorkLost
from karatage.errors import InputError, UsageError
from karatage.recall import Draw, Pattern, WordList, draw
from karatage.recall.drawing import corpus_blocks as blocks, corpus_reader as corpus

LISTS: list[WordList | Pattern] = [Pattern("a", "x", named=True), Pattern("b+", "y", named=True)]


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Here:
    """Take this engine for the cluster, and cut files into small parts."""
    own = Here()
    monkeypatch.setattr(Running, "_ray", lambda _: own)
    monkeypatch.setattr(corpus, "PART", 500)
    monkeypatch.setattr(blocks, "BLOCK", 300)
    return own


def texts(rng: random.Random, count: int) -> list[str]:
    return [" ".join(rng.choices(["a", "bb", "ü", "c", "aab"], k=rng.randint(0, 6))) for _ in range(count)]


def shards(folder: Path) -> list[Path]:
    """Write five files: text, JSON lines with blank ones between and attributes, packed or not, and Parquet."""
    rng, folder = random.Random(3), folder / "corpus"
    folder.mkdir()
    rows = [{"text": text, "kind": rng.choice("pq"), "score": k % 5 / 4} for k, text in enumerate(texts(rng, 300))]
    lines = ["\n" * (k % 7 == 0) + json.dumps(row) + "\n" for k, row in enumerate(rows)]
    (folder / "d.jsonl").write_text("".join(lines[:120]))
    (folder / "b.jsonl.gz").write_bytes(gzip.compress("".join(lines[120:180]).encode()))
    pl.DataFrame([row | {"score": str(row["score"])} for row in rows[180:230]]).write_parquet(folder / "c.parquet")
    (folder / "a.jsonl").write_text("".join(lines[230:]).removesuffix("\n"))
    return sorted(folder.iterdir())


OPTIONS: dict[str, dict[str, Any]] = {
    "lists": {"lists": LISTS, "size": 20},
    "attribute": {"lists": LISTS, "size": 7, "by": "kind"},
    "assisted": {"lists": LISTS, "size": 1, "sizes": {"y": 500}, "assist": "score", "seed": 4},
    "nothing drawn": {"lists": LISTS, "size": 0},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_a_draw_is_that_of_one_process(tmp_path: Path, engine: Here, name: str) -> None:
    """Lists of files in any order, and a folder, are the same corpus; d.jsonl has more than one part."""
    files, options = shards(tmp_path), OPTIONS[name]
    known = draw([files[0].parent], jobs=1, **options)
    assert sum(one.occurrences for one in known.strata) > 200
    for seed in range(3):
        random.Random(seed).shuffle(files)
        assert draw(files, jobs=1 + seed, **options) == known
        engine.parts = 0
        assert draw(files, engine="ray", **options) == known
        assert engine.parts > 5


def test_two_processes_draw_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = shards(tmp_path)
    known = draw(files, lists=LISTS, size=20)
    monkeypatch.setattr(Running, "_ray", lambda _: LocalProcesses(2))
    monkeypatch.setattr(corpus, "PART", 500)
    assert draw(files[::-1], lists=LISTS, size=20, engine="ray") == known


@pytest.mark.usefixtures("engine")
def test_lines_of_text_have_their_numbers(tmp_path: Path) -> None:
    """The parts of a file do not know how many lines come before them until all are counted."""
    (tmp_path / "c.txt").write_text("\n".join(texts(random.Random(5), 400)))
    known = draw([tmp_path / "c.txt"], lists=LISTS, size=30)
    assert max(int(item.unit) for item in known.items) > 300
    assert draw([tmp_path / "c.txt"], lists=LISTS, size=30, engine="ray") == known


@pytest.mark.parametrize("bad", [b"\xff", b"\0"])
@pytest.mark.usefixtures("engine")
def test_an_error_names_the_line_of_the_file(tmp_path: Path, bad: bytes) -> None:
    lines = [text.encode() for text in texts(random.Random(5), 400)]
    lines[333] += bad
    (tmp_path / "c.txt").write_bytes(b"\n".join(lines))
    messages = []
    for where in ("local", "ray"):
        with pytest.raises(InputError) as caught:
            draw([tmp_path / "c.txt"], lists=LISTS, engine=where)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    assert "c.txt:334: " in messages[0]


@pytest.mark.usefixtures("engine")
def test_other_errors_are_those_of_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = shards(tmp_path)
    from karatage.recall.drawing import draw_sample

    monkeypatch.setattr(draw_sample, "MOST_STRATA", 1)
    for where in ("local", "ray"):
        with pytest.raises(UsageError, match="more than 1 values"):
            draw(files, lists=LISTS, by="kind", engine=where)
        with pytest.raises(InputError, match="no candidates found"):
            draw(files, lists=[Pattern("zz")], engine=where)


def test_work_that_is_lost_is_done_here(tmp_path: Path, engine: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if it is lost after the candidates were numbered."""
    files = shards(tmp_path)
    known = draw(files, lists=LISTS, size=20)
    told: list[str] = []
    whole = Here.map

    def losing(self: Here, function: Any, parts: Iterable[Any]) -> Generator[Any, None, None]:
        if function.__name__ == "fetch_candidates":
            raise WorkLost("it died")
        yield from whole(self, function, parts)

    monkeypatch.setattr(Here, "map", losing)
    monkeypatch.setattr(Here, "pass_over", lambda _, reason: told.append(reason))
    assert draw(files, lists=LISTS, size=20, engine="ray") == known
    assert told == ["not all parts could be searched, so this machine searches everything (it died)"]
    assert engine.parts


def test_other_formats_are_searched_here(tmp_path: Path, engine: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(Here, "pass_over", lambda _, reason: told.append(reason))
    (tmp_path / "c.conll").write_text("a O\nbb O\n\n" * 9)
    known = draw([tmp_path / "c.conll"], lists=LISTS)
    assert draw([tmp_path / "c.conll"], lists=LISTS, engine="ray") == known
    assert told == ["only text, JSON Lines and Parquet in files are searched in parts"]
    assert engine.parts == 0


def test_a_draw_in_another_order_of_files_is_continued(tmp_path: Path) -> None:
    """A draw of an earlier version may have its files in the order in which they were listed."""
    files = shards(tmp_path)
    pilot = draw(files, lists=LISTS, size=5)
    other = Draw(**{**vars(pilot), "corpus": pilot.corpus[::-1]})
    with pytest.raises(InputError, match="not the one that the earlier draw was made from"):
        draw(files, lists=LISTS, size=5, after=other)
    assert draw(files[::-1], lists=LISTS, size=5, after=pilot).items == draw(files, lists=LISTS, size=10).items
