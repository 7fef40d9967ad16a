"""`explain` on files that are read in parts: the same explanation, to the last byte, however they are cut."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.engines import Here, use_here
from tests.parts import parts
from tests.scoring.test_folding import HOSTILE, corpus, write

import karatage
from karatage.errors import KaratageError
from karatage.explanation import explaining, held_units
from karatage.inputs import cutting
from karatage.scoring import folding

OPTIONS: dict[str, dict[str, Any]] = {
    "everything": {},
    "no intervals": {"resamples": 0},
    "kinds": {"like": "semeval2013"},
    "overlap": {"like": "overlap"},
    "labels": {"labels": ["PER", "GPE"]},
    "means": {"metrics": ["units_f1"]},
    "average": {"metrics": ["macro_f1"]},
    "resampled": {"interval": "percentile", "resamples": 50},
    "asked for": {"by": ["label", "length > 1 and label == 'PER'", "sentence length", "capitals"]},
    "not asked for": {"by": "nonsense"},
    "no check": {"check": False},
}


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Here:
    """Let files of any size be read in parts by this engine; one process is asked for as ever."""
    monkeypatch.setattr(explaining, "_REMEMBERED", -1)
    return use_here(monkeypatch)


def told(gold: Path, systems: Any, jobs: int, **options: Any) -> str:
    """Return all that a user sees: the page and the data, or the message."""
    try:
        found = karatage.explain(gold, systems, jobs=jobs, **options)
    except KaratageError as error:
        return f"{type(error).__name__}: {error}"
    return json.dumps(found.to_dict(errors=10_000, limit=10_000)) + found.to_html() + str(found)


def three(folder: Path, rng: random.Random, sentences: int) -> tuple[Path, dict[str, Path]]:
    """Write gold and two systems."""
    gold, one = corpus(rng, sentences)
    paths = write(folder, gold, one)
    other = folder / "other.conll"
    other.write_text("".join(line.replace("B-PER", rng.choice(["B-PER", "O"])) for line in one.splitlines(True)))
    return paths[0], {"old": paths[1], "new": other}


@pytest.mark.parametrize("name", list(OPTIONS))
@pytest.mark.parametrize("held", [10**6, 60])
@pytest.mark.parametrize("seed", parts(2, 1))
def test_parts_of_any_size_give_the_same_explanation(
    tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch, name: str, held: int, seed: int
) -> None:
    """All of it, and a sample of it."""
    monkeypatch.setattr(held_units, "HELD", held)
    monkeypatch.setattr(held_units, "PER_KIND", 5)
    rng = random.Random(f"{name} {seed}")
    gold, systems = three(tmp_path, rng, 40)
    known = told(gold, systems["old"], 1, **OPTIONS[name])
    assert here.parts == 0
    for size in (1, 200, rng.randint(1, 500)):
        monkeypatch.setattr(cutting, "_MOST", size)
        before = here.parts
        assert told(gold, systems["old"], 2, **OPTIONS[name]) == known
        assert here.parts - before > 2 or not known.startswith("{"), "it was not read in parts"


@pytest.mark.parametrize("held", [10**6, 80])
@pytest.mark.parametrize("seed", parts(3, 1))
def test_two_systems_side_by_side(
    tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch, held: int, seed: int
) -> None:
    monkeypatch.setattr(held_units, "HELD", held)
    monkeypatch.setattr(held_units, "PER_KIND", 3)
    gold, systems = three(tmp_path, random.Random(seed), 50)
    known = told(gold, systems, 1, diff=True, resamples=100)
    assert '"changes"' in known
    for size in (1, 150):
        monkeypatch.setattr(cutting, "_MOST", size)
        assert told(gold, systems, 2, diff=True, resamples=100) == known
    assert here.parts > 2


@pytest.mark.parametrize("name", list(HOSTILE))
@pytest.mark.usefixtures("here")
def test_odd_files_have_the_same_explanation_or_the_same_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    gold, pred = write(tmp_path, *HOSTILE[name])
    options: dict[str, Any] = {"format": "conll", "resamples": 20}
    known = told(gold, pred, 1, **options)
    for size in (1, 700):
        monkeypatch.setattr(cutting, "_MOST", size)
        assert told(gold, pred, 2, **options) == known


def test_real_processes_give_the_same_explanation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gold, systems = three(tmp_path, random.Random(1), 60)
    known = told(gold, systems, 1, diff=True, resamples=50, train=gold)
    monkeypatch.setattr(explaining, "_REMEMBERED", -1)
    monkeypatch.setattr(folding, "_LEAST", 0)
    monkeypatch.setattr(cutting, "_LEAST", 100)
    assert told(gold, systems, 2, diff=True, resamples=50, train=gold) == known


def test_documents_are_clusters_in_parts_too(tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """25 files are 25 documents; slices, costs and means over sentences rest on them."""
    rng = random.Random(0)
    for n in range(25):
        for side, text in zip(("gold", "pred"), corpus(rng, rng.randint(1, 9)), strict=True):
            (tmp_path / side).mkdir(exist_ok=True)
            (tmp_path / side / f"{n:02}.conll").write_text(text)
    monkeypatch.setattr(cutting, "_MOST", 150)
    for options in ({}, {"metrics": ["units_f1"]}):
        known = told(tmp_path / "gold", tmp_path / "pred", 1, **options)
        assert '"cluster_by": "document"' in known
        assert told(tmp_path / "gold", tmp_path / "pred", 2, **options) == known
    assert here.parts > 2
