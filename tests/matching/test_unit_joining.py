"""Gold and predictions in different orders: the same result in memory and on disk, and as in the same order."""

from __future__ import annotations

import errno
import json
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pytest

import karatage
from karatage._writing import writing
from karatage.errors import InputError, KaratageError
from karatage.formats import batching
from karatage.matching import piece_store, unit_joining

LENIENT = {"missing": "empty", "extra": "ignore"}


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put everything aside at once, in chunks of one batch of a few units, in a folder of its own."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(batching, "BATCH_UNITS", 3)
    return folder


@pytest.fixture
def on_disk(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Note the files that are written, and write them at once."""
    monkeypatch.setattr(piece_store, "_MEMORY", 0)
    monkeypatch.setattr(unit_joining, "_CHUNK", 0)
    written: list[Path] = []

    @contextmanager
    def noting(path: Path) -> Iterator[BinaryIO]:
        written.append(path)
        with writing(path) as out:
            yield out

    monkeypatch.setattr(piece_store, "writing", noting)
    return written


def outcome(gold: Any, pred: Any, **options: Any) -> str:
    """Return the result as JSON, without where it came from, or the message."""
    try:
        found = karatage.score(gold, pred, jobs=1, **options).compute().to_dict()
    except KaratageError as error:
        return f"{type(error).__name__}: {error}"
    del found["provenance"]
    return json.dumps(found)


def record(rng: random.Random, name: str) -> dict[str, Any]:
    length = rng.randint(1, 6)
    tags = [rng.choice(["O", "B-PER", "I-PER", "B-LOC", "S-LOC"]) for _ in range(length)]
    return {"id": name, "tokens": [rng.choice(["Ann", "in", "Paris"]) for _ in tags], "ner_tags": tags}


def noisy(rng: random.Random, one: dict[str, Any]) -> dict[str, Any]:
    tags = [tag if rng.random() < 0.8 else rng.choice(["O", "B-PER"]) for tag in one["ner_tags"]]
    return {**one, "ner_tags": tags}


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("seed", range(12))
def test_disk_and_memory_have_the_same_result(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Whatever is missing, extra, duplicate or different; nothing is left behind."""
    rng = random.Random(seed)
    gold = [record(rng, f"s{k}") for k in range(25)]
    pred = [noisy(rng, one) for one in gold]
    same = write(tmp_path / "same.jsonl", pred)
    rng.shuffle(pred)
    if seed % 3 == 1:
        pred = pred[rng.randint(1, 4) :] + [record(rng, f"x{k}") for k in range(rng.randint(0, 3))]
    if seed % 6 == 2:
        pred[rng.randint(0, 24)]["tokens"][0] = "Bob"
        pred[rng.randint(0, 24)]["tokens"][-1] = "Eva"
    if seed % 6 == 5:
        pred.append(pred[rng.randint(0, 24)])
    ours, theirs = write(tmp_path / "gold.jsonl", gold), write(tmp_path / "pred.jsonl", pred)
    every: list[dict[str, Any]] = [
        {},
        LENIENT,
        {"like": "overlap"},
        {"like": "tokens"},
        {**LENIENT, "check_text": False},
    ]
    known = [outcome(ours, theirs, **options) for options in every]
    if seed % 3 == 0:
        assert known == [outcome(ours, same, **options) for options in every]
    monkeypatch.setattr(piece_store, "_MEMORY", 0)
    for size in (0, 3000):
        monkeypatch.setattr(unit_joining, "_CHUNK", size)
        assert [outcome(ours, theirs, **options) for options in every] == known
    assert list(temporary.iterdir()) == []


def test_messages_count_the_units_and_name_the_first_in_the_order_of_its_file(
    tmp_path: Path, temporary: Path, on_disk: list[Path]
) -> None:
    del temporary
    rng = random.Random(0)
    rows = [record(rng, f"s{k}") for k in range(10)]
    gold = write(tmp_path / "gold.jsonl", rows)
    # s3 and s7 are missing; x1 and x2 are extra, in lines 2 and 5.
    left = [rows[k] for k in (9, 0, 8, 1, 6, 2, 5, 4)]
    left[1:1] = [record(rng, "x1")]
    left[4:4] = [record(rng, "x2")]
    pred = write(tmp_path / "pred.jsonl", left)
    assert f"{gold}:4, sentence s3: 2 gold sentences have no predictions" in outcome(gold, pred)
    assert f"{pred}:2, sentence x1: 2 predicted sentences are not in gold" in outcome(gold, pred, missing="empty")
    assert on_disk


def test_the_file_of_a_unit_is_named_among_several(tmp_path: Path, temporary: Path, on_disk: list[Path]) -> None:
    """The text of s1 differs, which is in the second file of the predictions, though the first has other units."""
    del temporary
    rng = random.Random(1)
    rows = [record(rng, f"s{k}") for k in range(6)]
    other = [{**one, "tokens": ["Bob", *one["tokens"][1:]]} if one["id"] == "s1" else one for one in rows]
    gold = write(tmp_path / "gold.jsonl", rows)
    (tmp_path / "pred").mkdir()
    write(tmp_path / "pred" / "a.jsonl", [other[5], other[0], other[2]])
    second = write(tmp_path / "pred" / "b.jsonl", [other[4], other[1], other[3]])
    assert f"{second}:2, sentence s1: gold and predictions have different tokens" in outcome(gold, tmp_path / "pred")
    assert on_disk


@pytest.mark.usefixtures("on_disk")
def test_a_full_disk_is_one_clear_error(tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [record(random.Random(2), f"s{k}") for k in range(9)]
    gold, pred = write(tmp_path / "gold.jsonl", rows), write(tmp_path / "pred.jsonl", rows[::-1])

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("karatage.matching.piece_store.pickle.dump", full)
    with pytest.raises(InputError, match=rf"{temporary}: .*No space left on device. Set TMPDIR to a folder"):
        karatage.score(gold, pred)
    assert list(temporary.iterdir()) == []


def test_a_small_input_stays_in_memory(tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del temporary
    rows = [record(random.Random(3), f"s{k}") for k in range(9)]
    monkeypatch.setattr(piece_store, "writing", None)  # it would fail
    assert outcome(write(tmp_path / "g.jsonl", rows), write(tmp_path / "p.jsonl", rows[::-1])).startswith("{")


def test_ids_in_two_files_name_both(tmp_path: Path) -> None:
    """Number 2 of the second file repeats the id of the only sentence of the first."""
    rows = [record(random.Random(4), name) for name in ("a", "b", "a")]
    for side in ("gold", "pred"):
        (tmp_path / side).mkdir()
        write(tmp_path / side / "1.jsonl", rows[:1])
        write(tmp_path / side / "2.jsonl", rows[1:])
    message = outcome(tmp_path / "gold", tmp_path / "pred")
    first, second = tmp_path / "gold" / "1.jsonl", tmp_path / "gold" / "2.jsonl"
    assert f"{second}: duplicate id: number 2 has the same as number 1 of {first}" in message
