"""Systems that are read side by side, whole or in parts, compare as if each were scored alone, to the last byte."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.engines import Here, use_here
from tests.parts import parts
from tests.scoring.test_folding import GOOD, HOSTILE, OPTIONS, TAGS, corpus

import karatage
from karatage.errors import KaratageError
from karatage.inputs import cutting
from karatage.scoring import folding
from karatage.scoring.extraction import Extraction
from karatage.scoring.task import Task

TESTS: dict[str, dict[str, Any]] = {
    **{name: options for name, options in OPTIONS.items() if name != "no intervals"},
    "randomisation": {"test": "randomisation", "resamples": 60},
    "bootstrap": {"test": "bootstrap", "resamples": 60},
    "margin": {"margin": 0.05},
    "macro": {"metrics": ["macro_f1", "f1"]},
    "accuracy": {"metrics": ["accuracy", "units_accuracy"]},
}


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Here:
    """Let files of any size be counted by this engine; one process is asked for as ever."""
    return use_here(monkeypatch)


def outcome(gold: Any, systems: Any, jobs: int, **options: Any) -> str:
    """Return all that a user sees, all listed units included; or the message."""
    try:
        found = karatage.compare(gold, systems, jobs=jobs, **{"resamples": 50} | options)
    except KaratageError as error:
        return f"{type(error).__name__}: {error}"
    return json.dumps([found.to_dict(), found.most])


def noisy(text: str, rng: random.Random, share: float) -> str:
    """Change some tags."""
    lines = text.split("\n")
    for k, line in enumerate(lines):
        if line and rng.random() < share:
            lines[k] = f"{line.split(' ')[0]} {rng.choice(TAGS)}"
    return "\n".join(lines)


def write(folder: Path, **texts: str | bytes) -> dict[str, Path]:
    for name, text in texts.items():
        (folder / f"{name}.conll").write_bytes(text.encode() if isinstance(text, str) else text)
    return {name: folder / f"{name}.conll" for name in texts}


@pytest.mark.parametrize("name", list(TESTS))
@pytest.mark.parametrize("seed", parts(4, 1))
def test_parts_of_any_size_give_the_same_result_as_scoring_each_system_alone(
    tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch, name: str, seed: int
) -> None:
    """Systems with several runs and with files of other lengths included."""
    rng = random.Random(f"{name} {seed}")
    gold, pred = corpus(rng, 40)
    longer = noisy(pred, rng, 0.1).replace("\n\n", "\n\n\n")
    files = write(tmp_path, gold=gold, a=pred, b=noisy(gold, rng, 0.2), c=longer, d=noisy(gold, rng, 0.3))
    systems = {"crf": files["a"], "bert": karatage.Runs(files["b"], files["d"]), "old": files["c"]}
    if name in ("randomisation", "bootstrap"):
        systems["bert"] = files["b"]
    with monkeypatch.context() as alone:
        alone.setattr(Extraction, "tally_together", Task.tally_together)
        known = outcome(files["gold"], systems, 1, **TESTS[name])
    assert outcome(files["gold"], systems, 1, **TESTS[name]) == known
    assert here.parts == 0
    for size in (rng.randint(1, 30), rng.randint(100, 500)):
        monkeypatch.setattr(cutting, "_MOST", size)
        before = here.parts
        assert outcome(files["gold"], systems, 2, **TESTS[name]) == known
        assert here.parts - before > 2 or not known.startswith("["), "it was not counted in parts"


@pytest.mark.parametrize("name", list(HOSTILE))
@pytest.mark.parametrize(
    "options", parts([{}, {"missing": "empty", "extra": "ignore", "truncated": "missed"}], 1), ids=["exact", "lenient"]
)
@pytest.mark.parametrize("first", [True, False], ids=["odd first", "odd last"])
@pytest.mark.usefixtures("here")
def test_odd_files_have_the_same_result_or_the_same_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, options: dict[str, Any], first: bool
) -> None:
    """As if systems were scored one after the other: the error is that of the first system that has one."""
    rng, (gold, pred) = random.Random(name), HOSTILE[name]
    files = write(tmp_path, gold=gold, odd=pred, good=gold)
    systems = {"a": files["odd"], "b": files["good"]} if first else {"a": files["good"], "b": files["odd"]}
    options = {"format": "conll"} | options
    with monkeypatch.context() as alone:
        alone.setattr(Extraction, "tally_together", Task.tally_together)
        known = outcome(files["gold"], systems, 1, **options)
    for jobs, size in ((1, 1), (2, rng.randint(1, 200))):
        monkeypatch.setattr(cutting, "_MOST", size)
        assert outcome(files["gold"], systems, jobs, **options) == known


def test_the_error_of_the_first_system_is_told_however_late_it_comes(tmp_path: Path) -> None:
    late = GOOD * 40 + "a b O\n\n"
    files = write(tmp_path, gold=GOOD * 40, late=late, early="x O\n\n" + GOOD * 40)
    found = outcome(files["gold"], {"a": files["late"], "b": files["early"]}, 1)
    assert "system a: " in found
    assert f"late.conll:{late.count(chr(10)) - 1}" in found
    assert "system b: " in outcome(files["gold"], {"c": files["late"], "b": files["early"]}, 1)


def test_units_by_id_in_another_order_are_compared_as_in_the_same_order(tmp_path: Path) -> None:
    """Where one system has another order, it waits with all its counts; the others go on batch by batch."""
    blocks = [f"# sent_id = s{n}\nAnn {'B-PER' if n % 3 else 'O'}\nx B-LOC\n\n" for n in range(40)]
    other = [block.replace("x B-LOC", "x O") if n % 7 else block for n, block in enumerate(blocks)]
    files = write(tmp_path, gold="".join(blocks), a="".join(other), b="".join(blocks[::-1]), c="".join(other[::-1]))
    found = outcome(files["gold"], {"one": files["a"], "two": files["b"]}, 1)
    turned = outcome(files["gold"], {"one": files["c"], "two": files["gold"]}, 1)
    assert json.loads(found)[1] == json.loads(turned)[1]
    assert json.loads(found)[0]["metrics"] == json.loads(turned)[0]["metrics"]
    assert {row["unit"] for row in json.loads(found)[1]} == {f"s{n}" for n in range(40)}


@pytest.mark.parametrize("size", [1, 60, 5000])
def test_the_first_hundred_of_equal_units_are_listed(
    tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """Sentences 3, 6, 9 … differ most, all alike: sentence 300 is the last that fits."""
    gold = "".join(f"a B-X\n\n{'b O' + chr(10) * 2 if n % 2 else 'c B-X' + chr(10) * 2}d B-Y\n\n" for n in range(150))
    files = write(tmp_path, gold=gold, right=gold, wrong=gold.replace("d B-Y", "d B-X"))
    monkeypatch.setattr(cutting, "_MOST", size)
    found = karatage.compare(files["gold"], {"a": files["right"], "b": files["wrong"]}, jobs=2)
    assert [row["unit"] for row in found.most] == [str(n) for n in range(3, 301, 3)]
    assert here.parts > 1 or size == 5000


def test_folders_with_documents_are_counted_in_parts(
    tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of many files is a document, and a warning names those that weigh most, the same as `score` names."""
    rng = random.Random(1)
    for n in range(25):
        gold, pred = corpus(rng, 30 if n == 7 else rng.randint(1, 3))
        for side, text in (("gold", gold), ("a", pred), ("b", noisy(gold, rng, 0.4))):
            (tmp_path / side).mkdir(exist_ok=True)
            (tmp_path / side / f"{n:02}.conll").write_text(text)
    systems = {side: tmp_path / side for side in ("a", "b")}
    known = outcome(tmp_path / "gold", systems, 1)
    told = [w for w in karatage.score(tmp_path / "gold", tmp_path / "a", jobs=1).warnings if "account for half" in w]
    assert len(told) == 1
    assert ".conll" in told[0]
    assert f"a: {told[0]}" in json.loads(known)[0]["warnings"]
    for size in (1, 150, 5000):
        monkeypatch.setattr(cutting, "_MOST", size)
        assert outcome(tmp_path / "gold", systems, 2) == known
    assert here.parts > 25


@pytest.mark.parametrize("jobs", [2, 3, 5])
def test_real_processes_give_the_same_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    rng = random.Random(1)
    gold, pred = corpus(rng, 60)
    files = write(tmp_path, gold=gold, a=pred, b=noisy(pred, rng, 0.2))
    systems = {"a": files["a"], "b": files["b"]}
    checked = {"baseline": files["b"], "max_drop": 0.1, "minimum": 0.2}
    known = outcome(files["gold"], systems, 1), karatage.gate(files["gold"], files["a"], jobs=1, **checked).to_dict()
    monkeypatch.setattr(folding, "_LEAST", 0)
    monkeypatch.setattr(cutting, "_LEAST", 100)
    assert outcome(files["gold"], systems, jobs) == known[0]
    monkeypatch.setattr("karatage.comparison.gating._SMALL", 0)  # and nothing stays in memory
    assert karatage.gate(files["gold"], files["a"], jobs=jobs, **checked).to_dict() == known[1]


def test_progress_counts_the_units_of_all_systems(tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    files = write(tmp_path, gold=GOOD, a=GOOD, b=GOOD)
    for jobs in (1, 2):
        monkeypatch.setattr(cutting, "_MOST", 300)
        seen: list[int] = []
        karatage.compare(files["gold"], {"a": files["a"], "b": files["b"]}, jobs=jobs, progress=seen.append)
        assert seen == sorted(seen)
        assert seen[-1] == 120
    assert here.parts > 2


def test_gold_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from karatage.inputs import input as inputs

    opened: list[str] = []
    read = inputs._read_files

    def counted(own: Any, options: Any) -> Any:
        opened.append(Path(own.name).stem)
        return read(own, options)

    monkeypatch.setattr(inputs, "_read_files", counted)
    files = write(tmp_path, gold=GOOD, a=GOOD, b=GOOD, c=GOOD)
    karatage.compare(files["gold"], {name: files[name] for name in "abc"})
    assert sorted(opened) == ["a", "b", "c", "gold"]
