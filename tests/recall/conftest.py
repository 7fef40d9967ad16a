"""A small benchmark that the tests write themselves."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from karatage import Score

Row = tuple[str, str, str, str]
ROWS = {
    "rivers": [("by the river Ob", "river Ob", "LOC", "yes"), ("Ema river flows", "Ema river", "LOC", "no")],
    "lakes": [
        ("lake Como again", "lake Como", "LOC", "yes"),
        ("at lake Võrts", "lake Võrts", "LOC", "yes"),
        ("lake Erie", "lake Erie", "LOC", "no"),
        ("old lake Van", "lake Van", "LOC", "yes"),
    ],
}
COUNTS = {"rivers": (1000, 40), "lakes": (300, 20)}


def ends(score: Score | None) -> tuple[float, float]:
    """Return the ends of an interval, which must be known."""
    assert score is not None
    assert score.low is not None
    assert score.high is not None
    return score.low, score.high


def write(folder: Path, rows: dict[str, list[Row]] = ROWS, counts: dict[str, tuple[int, int]] = COUNTS) -> Path:
    """Write a benchmark as a script of the Amundsen benchmarks would: through csv, numbers by repr."""
    total = sum(size for size, _ in counts.values())
    expected = {name: counts[name][0] * len(rows[name]) / counts[name][1] for name in rows}
    sets = folder / "data" / "recall_sets"
    sets.mkdir(parents=True)
    with (folder / "data_description.csv").open("w", encoding="utf-8", newline="") as stream:
        out = csv.writer(stream, lineterminator="\n")
        head = ["", "population", "occurences", "labelled", "positive", "occurence_ratio", "detection_ratio"]
        out.writerow([*head, "relative_frequency", "file"])
        for at, (name, own) in enumerate(rows.items()):
            size, labelled = counts[name]
            ratios = (size / total, len(own) / labelled, expected[name] / sum(expected.values()))
            file = f"{folder.name}/data/recall_sets/{name}.csv"
            out.writerow([at, name, size, labelled, len(own), *map(repr, ratios), file])
    for name, own in rows.items():
        with (sets / f"{name}.csv").open("w", encoding="utf-8", newline="") as stream:
            out = csv.writer(stream, lineterminator="\n")
            out.writerow(["", "text", "span", "correct"])
            for at, (text, entity, label, correct) in enumerate(own):
                start = text.index(entity)
                span = {"start": start, "end": start + len(entity), "text": entity, "labels": [label]}
                out.writerow([at, text, str(span), correct])
    return folder


@pytest.fixture(autouse=True)
def empty_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers that the tagger of another test gave are not there."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def benchmark_folder(tmp_path: Path) -> Path:
    return write(tmp_path / "waters")
