"""The log of experiments: numbers, names, and gold and predictions that can be scored again."""

from __future__ import annotations

import gzip
import json
import random
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karatage
from karatage.claims import Claims, Tagged, Units
from karatage.demo import copy
from karatage.errors import InputError, KaratageError, UsageError
from karatage.experiments import (
    EpochEntry,
    Experiment,
    ExperimentLog,
    NewExperiment,
    ScoredInputs,
    changed_settings,
    compare_experiments,
    display_names,
    log_score,
    result_scores,
)
from karatage.experiments.stored_inputs import load
from karatage.inputs import DataFile

GROUPS = ("1", "2")
WORDS = ["SKF", "für", "BMW", "Ø259", '"A"', "N/A", "a\tb", "語", "", "O"]


def new(**facts: Any) -> NewExperiment:
    return NewExperiment(**({"kind": "score", "date": "2025-11-15T12:00:00+00:00"} | facts))


def scored(result: karatage.Result, gold: Any, pred: Any, *, keep_gold: bool = True, **facts: Any) -> NewExperiment:
    """An experiment with its scores, gold and predictions."""
    inputs = ScoredInputs.of(result, gold, pred, like=facts.pop("like", None), keep_gold=keep_gold)
    return new(**({"kind": "train", "scores": result_scores(result), "inputs": inputs} | facts))


def corpus(space: str, rng: random.Random, *, noise: float = 0.0, ids: bool = True, count: int = 40) -> Claims:
    """Claims of a space on the same units; with noise, some have another label or another place."""
    shape = random.Random(5)
    tokens = [[shape.choice(WORDS) for _ in range(shape.randrange(1, 7))] for _ in range(count)]
    tokens[3] = []
    texts = [" ".join(own) for own in tokens]
    rows: list[Any] = []
    for unit in range(count):
        size = len(texts[unit]) if space == "char" else len(tokens[unit])
        at = 0
        while at < size:
            end = min(size, at + shape.randrange(1, 3))
            label = shape.choice("ABC")
            value = " ".join(tokens[unit][at:end])
            if shape.random() < 0.6:
                odd = rng.random() < noise
                label = rng.choice("ABC") if odd else label
                rows.append(
                    (unit, label, -1, -1, None, value) if space == "value" else (unit, label, at, end, None, None)
                )
            at = end
    if space == "char":  # spans that overlap, and one in two pieces
        long = next(unit for unit in range(count) if len(texts[unit]) > 8)
        given = f"{texts[long][:2]} {texts[long][5:7]}"
        rows += [(long, "A", 0, 8, None, None), (long, "B", 0, 7, ((0, 2), (5, 7)), given)]
    units = Units(
        count,
        [f"r{k}" for k in range(count)] if ids else None,
        texts=None if space == "value" else texts,
        tokens=tokens if space == "token" else None,
        attributes={"category": [GROUPS[k % 2] for k in range(count)], "label": ["x"] * count, "__odd": ["y"] * count},
    )
    return Claims.build(units, space, rows)


def again(log: ExperimentLog, record: Experiment, **options: Any) -> dict[str, Any]:
    """Score what the log kept, from its files."""
    stored = record.stored
    assert stored is not None
    files = log.folder / stored.gold_file, log.folder / record.name / stored.predictions
    given: dict[str, Any] = {**stored.options, **options}
    return numbers(karatage.score(*files, like=log.profile_of(record), **given))


def numbers(result: karatage.Result) -> dict[str, Any]:
    """Return all numbers; words may say "listings" of the file and "sentences" of the log's copy."""
    out = result.to_dict()
    del out["provenance"], out["warnings"], out["answer"]
    return out | {"warned": len(result.warnings)}


CASES = [
    ("token", "exact", {}),
    ("token", "ebay-2025", {}),
    ("token", "exact", {"group_by": "category", "metrics": ["macro_f1", "f0.2{1}"]}),
    ("char", "exact", {}),
    ("char", "overlap", {"labels": ["A", "B"]}),
    ("char", "semeval2013", {}),
    ("value", "values", {}),
    ("value", "ebay-2025", {}),
]


@pytest.mark.parametrize(("space", "like", "options"), CASES)
def test_the_same_numbers_again(tmp_path: Path, space: str, like: str, options: dict[str, Any]) -> None:
    """From the files of the log, with every interval, warning and count."""
    rng = random.Random(1)
    gold, pred = corpus(space, rng), corpus(space, rng, noise=0.3)
    result = karatage.score(gold, pred, like=like, resamples=60, **options)
    log = ExperimentLog(tmp_path)
    record = log.add(scored(result, gold, pred))
    assert again(log, record, resamples=60) == numbers(result)
    assert result.headline.value != 1.0  # there is something to tell apart


def test_old_names_of_profiles_and_rules(tmp_path: Path) -> None:
    """A log that was written when `overlap` and `label-only` were called `partial` and `type`."""
    rng = random.Random(1)
    gold, pred = corpus("char", rng), corpus("char", rng, noise=0.3)
    result = karatage.score(gold, pred, like="overlap", match="label-only", resamples=0)
    log = ExperimentLog(tmp_path)
    file = tmp_path / log.add(scored(result, gold, pred)).name / "record.toml"
    text = file.read_text()
    assert text.count('"overlap"') == text.count('"label-only"') == 1
    file.write_text(text.replace('"overlap"', '"partial"').replace('"label-only"', '"type"'))
    assert again(log, log.experiments()[0], resamples=0) == numbers(result)


@pytest.mark.parametrize("name", ["context", "lexicon"])
@pytest.mark.parametrize("like", ["exact", "conlleval", "seqeval", "semeval2013"])
def test_tags_are_kept_as_tags(tmp_path: Path, like: str, name: str) -> None:
    """So that accuracy, and what each profile makes of odd tags, stay the same."""
    copy(tmp_path / "demo")
    gold, pred = (tmp_path / "demo" / f"{name}.conll" for name in ("gold", name))
    lines = pred.read_text().splitlines()
    at = next(k for k, line in enumerate(lines) if line.endswith("O"))
    lines[at] = lines[at][:-1] + "I-Brand"  # a span that starts with I
    pred.write_text("\n".join(lines) + "\n")
    log = ExperimentLog(tmp_path / "log")
    result = karatage.score(gold, pred, like=like, resamples=30)
    record = log_score(log, result, gold, pred, like=like)
    assert again(log, record, resamples=30) == numbers(result)
    read = karatage.score(karatage.read(gold), karatage.read(pred), like="exact", resamples=30)
    record = log.add(scored(read, karatage.read(gold), karatage.read(pred)))
    assert again(log, record, resamples=30) == numbers(read)
    assert "accuracy" in numbers(read)["metrics"]


def test_the_files_of_the_challenge(tmp_path: Path) -> None:
    """Tagged titles as gold, a submission as predictions: one record right, one half right, one left out."""
    titles = {
        "5001": ("1", [("ATE", "Hersteller"), ("Ø259", "Stärke"), ("VORNE", "Einbauposition")]),
        "5002": ("2", [("VKMA", "Herstellernummer"), ("06103", ""), ("für", "O"), ("BMW", "Marke")]),
        "5003": ("2", [("SKF", "Hersteller")]),
    }
    lines = ["Record Number\tCategory\tTitle\tToken\tTag"]
    for number, (category, rows) in titles.items():
        title = " ".join(token for token, _ in rows)
        lines += [f"{number}\t{category}\t{title}\t{token}\t{tag}" for token, tag in rows]
    gold, pred = tmp_path / "gold.tsv", tmp_path / "pred.tsv"
    gold.write_text("\r\n".join(lines) + "\r\n")
    answers = [("5002", "2", "Herstellernummer", "VKMA 06103"), ("5002", "2", "Marke", "VW"), ("5001", "1", "O", "ATE")]
    answers += [("5001", "1", name, value) for value, name in titles["5001"][1]] + [("9999", "1", "Marke", "VW")]
    pred.write_text("".join("\t".join(row) + "\n" for row in answers))
    log = ExperimentLog(tmp_path / "log")
    result = karatage.score(gold, pred, like="ebay-2025", resamples=20)
    # Category 1 is right; of category 2, Herstellernummer is, Marke and Hersteller are not: a third.
    assert result["final_f0.2"].value == pytest.approx((1 + 1 / 3) / 2)
    record = log_score(log, result, gold, pred, like="ebay-2025")
    assert again(log, record, resamples=20) == numbers(result)
    assert [len(record.scores["by_group"][group]) for group in GROUPS] == [3, 3]
    # As training has it: claims of some titles, and predictions without tags.
    some = karatage.read(gold).take(np.array([0, 2]))
    tagged = Claims.build(
        some.units, "token", [(0, "Hersteller", 0, 1, None, None), (1, "Hersteller", 0, 1, None, None)]
    )
    result = karatage.score(some, tagged, like="ebay-2025", resamples=20)
    record = log.add(scored(result, some, tagged))
    assert again(log, record, resamples=20) == numbers(result)


@pytest.mark.parametrize(("ours", "theirs"), [(True, False), (False, True), (False, False)])
@pytest.mark.parametrize("space", ["token", "char", "value"])
def test_units_without_ids_pair_by_their_order(tmp_path: Path, space: str, ours: bool, theirs: bool) -> None:
    rng = random.Random(2)
    gold, pred = corpus(space, rng, ids=ours), corpus(space, rng, noise=0.4, ids=theirs)
    result = karatage.score(gold, pred, like="ebay-2025", resamples=0)
    log = ExperimentLog(tmp_path)
    record = log.add(scored(result, gold, pred))
    warned = int(space == "value" and ours != theirs)  # nothing could be compared; both sides of the copy have ids
    assert again(log, record, resamples=0) | {"warned": warned} == numbers(result)


def test_attributes_with_names_of_columns_come_back(tmp_path: Path) -> None:
    rng = random.Random(2)
    for space in ("token", "char", "value"):
        gold = corpus(space, rng)
        result = karatage.score(gold, gold, like="ebay-2025", resamples=0)
        log = ExperimentLog(tmp_path / space)
        record = log.add(scored(result, gold, gold))
        assert record.stored is not None
        back = load(log.folder / record.stored.gold_file)
        assert not isinstance(back, str)
        assert back.units.attributes == gold.units.attributes
        assert back.units.ids == gold.units.ids
        assert back.units.texts == gold.units.texts


def test_layers_of_tags_come_back(tmp_path: Path) -> None:
    """Each side has its own number of columns with tags, and its own unknown tokens."""
    place = tmp_path / "two.conll"
    place.write_text("a B-X B-Y\nb I-X O\n\nc O B-Y\n\n")
    log = ExperimentLog(tmp_path / "log")
    gold = karatage.read(place, columns=["2", "3"])
    pred = Tagged(Units(2), (karatage.Tags.from_lists([["B-X", "I-X"], ["O"]]),)).decode()
    result = karatage.score(gold, pred, resamples=0)
    record = log.add(scored(result, gold, pred))
    assert record.stored is not None
    ours, theirs = (
        load(log.folder / record.stored.gold_file),
        load(log.folder / record.name / record.stored.predictions),
    )
    assert isinstance(ours, Tagged)
    assert isinstance(theirs, Tagged)
    assert [layer.lists() for layer in ours.layers] == [[["B-X", "I-X"], ["O"]], [["B-Y", "O"], ["B-Y"]]]
    assert theirs.units.tokens is None
    assert numbers(karatage.score(ours, theirs, resamples=0)) == numbers(result)


def test_empty_tags_are_kept_as_claims(tmp_path: Path) -> None:
    place = tmp_path / "empty.conll"
    place.write_text("a\tX\nb\t\nc\tO\n\n")
    log = ExperimentLog(tmp_path / "log")
    result = karatage.score(place, place, scheme="EMPTY", resamples=0)
    record = log_score(log, result, place, place)
    out = again(log, record, resamples=0)
    assert out["counts"] == {"units": 1, "gold": 1, "predicted": 1, "correct": 1}
    assert out["metrics"]["f1"] == {"value": 1.0}


def test_search_is_kept_too(tmp_path: Path) -> None:
    copy(tmp_path / "demo")
    demo = tmp_path / "demo"
    log = ExperimentLog(tmp_path / "log")
    for name in ("bm25", "trigrams"):
        result = karatage.score(demo / "search.qrels", demo / f"{name}.run", resamples=40)
        record = log_score(log, result, demo / "search.qrels", demo / f"{name}.run")
        assert again(log, record, resamples=40) == numbers(result)
    found = compare_experiments(log, "1", "2", resamples=50)
    files = {name: demo / f"{name}.run" for name in ("bm25", "trigrams")}
    direct = karatage.compare(demo / "search.qrels", files, resamples=50)
    assert found.test is not None
    assert found.test.headline.differences[0].p == direct.headline.differences[0].p
    assert found.test.headline.differences[0].value == direct.headline.differences[0].value


def test_matrices_of_labels_are_not_kept(tmp_path: Path) -> None:
    place = tmp_path / "gold.tsv"
    place.write_text("\tq1\tq2\nd1\t1\t-1\nd2\t-1\t1\n")
    result = karatage.score(place, place, like="sigir-ecom19", resamples=0)
    record = log_score(ExperimentLog(tmp_path / "log"), result, place, place, like="sigir-ecom19")
    assert record.stored is None
    assert record.data[0].units == 2


def test_a_profile_of_the_user_is_kept(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('base = "exact"\nmetrics = ["f2", "f1"]\nheadline = "f2"\n')
    rng = random.Random(4)
    gold, pred = corpus("token", rng), corpus("token", rng, noise=0.5)
    result = karatage.score(gold, pred, like=mine, resamples=10)
    with pytest.raises(UsageError, match="Pass the path of its file"):
        scored(result, gold, pred)
    log = ExperimentLog(tmp_path / "log")
    record = log.add(scored(result, gold, pred, like=mine))
    mine.unlink()
    assert again(log, record, resamples=10) == numbers(result)


@pytest.mark.parametrize("key", ["gold_file", "predictions", "profile"])
@pytest.mark.parametrize("path", ["/elsewhere/gold.parquet", "../other/gold.parquet"])
def test_a_record_cannot_name_files_outside_the_log(tmp_path: Path, key: str, path: str) -> None:
    rng = random.Random(1)
    gold, pred = corpus("token", rng), corpus("token", rng, noise=0.3)
    log = ExperimentLog(tmp_path / "log")
    file = log.folder / log.add(scored(karatage.score(gold, pred, resamples=0), gold, pred)).name / "record.toml"
    text = re.sub(rf'(?m)^{key} = ".*"$', f'{key} = "{path}"', file.read_text("utf-8"))
    assert path in text
    file.write_text(text, "utf-8")
    with pytest.raises(InputError, match=f"{path!r} is not a path inside the log"):
        log.experiments()


def test_gold_is_kept_once(tmp_path: Path) -> None:
    log = ExperimentLog(tmp_path)
    rng = random.Random(4)
    gold = corpus("token", rng)
    for noise in (0.1, 0.2, 0.3):
        pred = corpus("token", rng, noise=noise)
        log.add(scored(karatage.score(gold, pred, resamples=0), gold, pred))
    other = gold.keep(gold.unit > 0)
    log.add(scored(karatage.score(other, gold, resamples=0), other, gold))
    kept = [record.stored for record in log.experiments()]
    assert len({one.gold for one in kept[:3] if one}) == 1
    assert len({one.gold for one in kept if one}) == 2
    assert len(list((tmp_path / "gold").iterdir())) == 2


def test_numbers_go_on_after_the_highest(tmp_path: Path) -> None:
    log = ExperimentLog(tmp_path / "log")
    assert log.experiments() == []
    names = [log.add(new(model="My Model/2")).name for _ in range(2)]
    assert [name[:-4] for name in names] == ["RUN-001-my-model-2-", "RUN-002-my-model-2-"]
    (log.folder / names[1]).rename(log.folder / "RUN-1041-moved")
    assert log.add(new()).id == "RUN-1042"
    shutil.rmtree(log.folder / "RUN-1041-moved")
    assert [record.id for record in log.experiments()] == ["RUN-001", "RUN-1042"]


def test_a_date_without_an_offset_is_refused(tmp_path: Path) -> None:
    log = ExperimentLog(tmp_path)
    for wrong in ("2025-11-15T12:00:00", "yesterday"):
        with pytest.raises(UsageError, match="with a UTC offset"):
            log.add(new(date=wrong))
    assert log.add(new(date="2025-11-15T12:00:00.75Z")).date == "2025-11-15T12:00:00+00:00"
    assert log.add(new(date="")).when.utcoffset() is not None


WORKER = """
import sys
from karatage.experiments import ExperimentLog, NewExperiment
log = ExperimentLog(sys.argv[1])
sys.stdin.read()
for _ in range(8):
    print(log.add(NewExperiment(kind="train", model="m")).id)
"""


def test_eight_processes_get_different_numbers(tmp_path: Path) -> None:
    words = [sys.executable, "-c", WORKER, str(tmp_path / "log")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    workers = [subprocess.Popen(words, **pipes) for _ in range(8)]  # type: ignore[call-overload]
    for worker in workers:  # all are let go at once
        worker.stdin.close()
        worker.stdin = None
    ids = [name for worker in workers for name in worker.communicate()[0].split()]
    assert [worker.returncode for worker in workers] == [0] * 8
    assert sorted(ids) == [f"RUN-{k:03}" for k in range(1, 65)]
    assert len(ExperimentLog(tmp_path / "log").experiments()) == 64
    assert not [one for one in (tmp_path / "log").iterdir() if one.name.startswith(".")]


def test_an_interrupted_writer_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = ExperimentLog(tmp_path)
    monkeypatch.setattr("karatage.experiments.experiment_folders.to_toml", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        log.add(new())
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    assert log.add(new()).id == "RUN-001"


def test_what_a_killed_writer_left_is_passed_over_and_removed_by_the_next_one(tmp_path: Path) -> None:
    part = tmp_path / ".RUN.0123456789abcdef.part"
    part.mkdir()
    (part / "record.toml").write_text("half")
    (tmp_path / ".karatage.lock").write_text("")
    log = ExperimentLog(tmp_path)
    assert log.experiments() == []
    assert log.add(new()).id == "RUN-001"
    assert not part.exists()
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_records_are_found_by_id_number_or_folder(tmp_path: Path) -> None:
    log = ExperimentLog(tmp_path)
    with pytest.raises(UsageError, match="the log '.*' is empty"):
        log.get("RUN-001")
    first, second = log.add(new(model="a")), log.add(new(model="b"))
    for name in ("RUN-002", "run-002", "2", "002", second.name):
        assert log.get(name) == second
    with pytest.raises(UsageError, match="unknown experiment 'RUN-02'. Did you mean 'RUN-00[12]'"):
        log.get("RUN-02")
    with pytest.raises(UsageError, match="unknown experiment '../x'"):
        log.get("../x")
    # As two branches of a repository leave it that both made a RUN-002.
    shutil.copytree(tmp_path / second.name, tmp_path / "RUN-002-c-ffff")
    with pytest.raises(
        UsageError, match=f"2 experiments have the id RUN-002. Use the folder's name: {second.name} or RUN-002-c"
    ):
        log.get("RUN-002")
    assert log.get("RUN-002-c-ffff").model == "b"
    assert display_names(log.names()) == {
        first.name: "RUN-001", second.name: second.name, "RUN-002-c-ffff": "RUN-002-c-ffff",
    }  # fmt: skip
    assert log.add(new()).id == "RUN-003"


def test_presets_are_not_experiments(tmp_path: Path) -> None:
    """`exp-001` is what was trained, RUN-002 the training; an experiment of an older version keeps its id EXP-001."""
    log = ExperimentLog(tmp_path)
    log.add(new(model="bilstm", preset="exp-003"))
    log.add(new(model="bilstm", preset="exp-001 with epochs=6"))
    with pytest.raises(UsageError, match="'exp-001' is a preset, not an experiment. Trained with it: RUN-002$"):
        log.get("exp-001")
    with pytest.raises(UsageError, match="'exp-002' is a preset, .* No experiment in this log was trained with it$"):
        log.get("exp-002")
    with pytest.raises(UsageError, match="unknown experiment 'EXP-001'. Known: RUN-001, RUN-002"):
        log.get("EXP-001")
    third = log.add(new(model="a"))
    (tmp_path / third.name).rename(tmp_path / "EXP-003-a-ffff")
    record = tmp_path / "EXP-003-a-ffff" / "record.toml"
    record.write_text(record.read_text().replace("RUN-003", "EXP-003"))
    assert log.get("EXP-003").id == log.get("3").id == "EXP-003"
    with pytest.raises(UsageError, match="'exp-003' is a preset.* Trained with it: RUN-001. For the experiment, write"):
        log.get("exp-003")
    assert log.add(new()).id == "RUN-004"


def test_records_are_sorted_by_the_point_in_time(tmp_path: Path) -> None:
    log = ExperimentLog(tmp_path)
    for date in ("2025-11-15T12:00:00+02:00", "2025-11-15T11:30:00+01:00", "2025-11-15T09:00:00+00:00"):
        log.add(new(date=date))  # 10:00, 10:30 and 9:00 in UTC
    assert [record.id for record in log.experiments()] == ["RUN-003", "RUN-001", "RUN-002"]


def test_a_damaged_record_is_left_out_or_an_error(tmp_path: Path) -> None:
    log = ExperimentLog(tmp_path)
    good, bad = log.add(new()), log.add(new())
    (tmp_path / bad.name / "record.toml").write_text("no toml")
    defects: list[InputError] = []
    assert log.experiments(defects) == [good]
    assert len(defects) == 1
    assert str(tmp_path / bad.name / "record.toml") in str(defects[0])
    assert log.get("1") == good
    for wrong in (log.experiments, lambda: log.get("2"), lambda: log.note("2", "x")):
        with pytest.raises(InputError, match=f"{bad.name}.record.toml: invalid TOML"):
            wrong()
    assert (tmp_path / bad.name / "record.toml").read_text() == "no toml"
    with pytest.raises(InputError, match="this is a file, not the folder of an experiment log"):
        ExperimentLog(tmp_path / good.name / "record.toml")


def test_notes_can_change(tmp_path: Path) -> None:
    log = ExperimentLog(tmp_path)
    trial = log.add(new(model="m", config={"a": 1}, note="old"))
    place = tmp_path / trial.name / "record.toml"
    place.write_text("future = 1\n" + place.read_text())
    assert log.note("1", 'new\n"one"') == replace(trial, note='new\n"one"')
    assert "future = 1" in place.read_text()
    assert log.note("1", "").note == ""
    assert sorted(one.name for one in (tmp_path / trial.name).iterdir()) == [
        "epochs.csv", "record.toml", "scores.json",
    ]  # fmt: skip


def compared(tmp_path: Path, **options: Any) -> tuple[ExperimentLog, Claims, list[Claims]]:
    log = ExperimentLog(tmp_path / "log")
    rng = random.Random(7)
    gold = corpus("token", rng)
    preds = [corpus("token", rng, noise=noise) for noise in (0.9, 0.05, 0.8, 0.1)]
    for k, pred in enumerate(preds):
        result = karatage.score(gold, pred, like="ebay-2025", resamples=20, seed=3)
        config = {"hidden": 64 * (k + 1), "dropout": 0.5}
        log.add(scored(result, gold, pred, model="m", config=config, **options))
    return log, gold, preds


def test_a_comparison_is_that_of_karatage_compare(tmp_path: Path) -> None:
    log, gold, preds = compared(tmp_path)
    found = compare_experiments(log, "RUN-001", "RUN-002", resamples=200)
    direct = karatage.compare(gold, {"RUN-001": preds[0], "RUN-002": preds[1]}, like="ebay-2025", resamples=200, seed=3)
    assert found.test is not None
    assert found.test.to_dict() == direct.to_dict()
    assert found.verdict.startswith("Significant difference: RUN-002 is better than RUN-001 by 0.")
    assert [(one.name, one.values) for one in found.changes] == [("hidden", (64, 128))]
    assert found.metrics[0] == "final_f0.2"
    out = found.to_dict()
    assert out["changes"] == {"hidden": {"RUN-001": 64, "RUN-002": 128}}
    assert out["scores"]["c1_f1"]["RUN-002"] == log.get("2").scores["metrics"]["c1_f1"]


def test_runs_with_several_seeds(tmp_path: Path) -> None:
    log, gold, preds = compared(tmp_path)
    found = compare_experiments(log, ["1", "3"], ["2", "4"], resamples=200)
    direct = karatage.compare(
        gold,
        {"RUN-001 RUN-003": karatage.Runs(preds[0], preds[2]), "RUN-002 RUN-004": karatage.Runs(preds[1], preds[3])},
        like="ebay-2025",
        resamples=200,
        seed=3,
    )
    assert found.test is not None
    assert found.test.to_dict() == direct.to_dict()
    assert list(found.experiments) == ["RUN-001", "RUN-003", "RUN-002", "RUN-004"]
    with pytest.raises(UsageError, match="needs two different experiments"):
        compare_experiments(log, ["1", "3"], ["3"])


def test_no_test_without_the_same_gold_or_predictions(tmp_path: Path) -> None:
    log, gold, preds = compared(tmp_path)
    other = gold.keep(gold.unit > 0)
    log.add(scored(karatage.score(other, preds[0], resamples=0), other, preds[0]))
    log.add(new(kind="train", scores=result_scores(karatage.score(gold, preds[0], resamples=0))))
    found = compare_experiments(log, "1", "5")
    assert found.test is None
    assert found.verdict.startswith("No test: they were scored on different gold data (RUN-001 on ")
    assert "profile" in [one.name for one in found.changes]
    assert compare_experiments(log, "6", "1").verdict == "No test: the log has no predictions of RUN-006"


def test_equal_predictions_are_called_equal(tmp_path: Path) -> None:
    log, gold, preds = compared(tmp_path)
    log.add(scored(karatage.score(gold, preds[0], like="exact"), gold, preds[0], kind="score"))
    found = compare_experiments(log, "1", "5", resamples=50)
    assert found.verdict == "No difference: the counts are identical"
    assert found.remarks == ("they were scored with different profiles; the test uses that of RUN-001",)


@pytest.mark.parametrize("space", ["token", "char"])
def test_gold_that_must_not_be_copied(tmp_path: Path, space: str) -> None:
    """No text is kept; the user's file gives it back, though it holds further units; another file is refused."""
    rng = random.Random(7)
    whole = corpus(space, rng, count=60)
    place = tmp_path / "whole.parquet"
    karatage.write(
        replace(whole, units=replace(whole.units, attributes={"category": whole.units.attributes["category"]})), place
    )
    whole = karatage.read(place)
    some = np.arange(5, 45)
    gold = whole.take(some)
    noisy = [karatage.Claims.take(corpus(space, rng, noise=noise, count=60), some) for noise in (0.9, 0.1)]
    log = ExperimentLog(tmp_path / "log")
    for pred in noisy:
        result = karatage.score(gold, pred, like="ebay-2025", resamples=20)
        log.add(scored(result, gold, pred, keep_gold=False))
    assert not (log.folder / "gold").exists()
    for record in log.experiments():
        assert record.stored is not None
        bare = load(log.folder / record.name / record.stored.predictions)
        assert not isinstance(bare, str)
        assert (bare.units.texts, bare.units.tokens, bare.units.attributes) == (None, None, {})
    assert compare_experiments(log, "1", "2").verdict == (
        "No test: the log has only a fingerprint of the gold data; pass its file with --gold FILE"
    )
    found = compare_experiments(log, "1", "2", gold=place, resamples=100)
    direct = karatage.compare(gold, {"RUN-001": noisy[0], "RUN-002": noisy[1]}, like="ebay-2025", resamples=100)
    assert found.test is not None
    assert found.test.to_dict()["metrics"] == direct.to_dict()["metrics"]
    wrong = tmp_path / "wrong.parquet"
    karatage.write(whole.keep(whole.label != 0), wrong)
    with pytest.raises(UsageError, match="wrong.parquet: this is not the gold data that RUN-001 was scored on"):
        compare_experiments(log, "1", "2", gold=wrong)


def test_tags_whose_gold_must_not_be_copied(tmp_path: Path) -> None:
    """The same for tags, read from a column file without ids."""
    copy(tmp_path / "demo")
    demo = tmp_path / "demo"
    log = ExperimentLog(tmp_path / "log")
    for name in ("context", "lexicon"):
        result = karatage.score(demo / "gold.conll", demo / f"{name}.conll", resamples=20)
        log_score(log, result, demo / "gold.conll", demo / f"{name}.conll", keep_gold=False)
    found = compare_experiments(log, "1", "2", gold=demo / "gold.conll", resamples=50)
    files = {f"RUN-00{k}": demo / f"{name}.conll" for k, name in enumerate(("context", "lexicon"), 1)}
    direct = karatage.compare(demo / "gold.conll", files, resamples=50)
    assert found.test is not None
    assert found.test.to_dict()["metrics"] == direct.to_dict()["metrics"]
    with pytest.raises(KaratageError, match="this is not the gold"):
        compare_experiments(log, "1", "2", gold=demo / "shape.conll")


OLD_RECORD = """
id = "RUN-001"
date = "2025-11-16T12:00:00+00:00"
kind = "score"
duration = 1.158

[[data]]
role = "gold"
path = "gold.conll"
sha256 = "63e2bccd0fb095a2a830a3f50e4d8803460513b1066514594913218b2a538b9e"
units = 2

[[data]]
role = "predictions"
path = "one.conll"

[machine]
system = "Linux 6"

[code]
version = "0.1.0"

[kept]
profile = "mine.toml"
gold = "7086e924e1829fa8488ddaa466e0b6482a7960e2eb461227ab66def7cc8848af"
gold_file = "gold/7086e924e1829fa8.jsonl.gz"
predictions = "predictions.jsonl.gz"

[kept.reading]
format = "conll"
columns = []
unit = "sentence"
"""


def test_a_log_that_the_old_name_wrote(tmp_path: Path) -> None:
    """As Karat 0.1.0 wrote it, with a profile that names its reader of tags: it loads, and compares with a new one."""
    log = ExperimentLog(tmp_path / "log")
    old = log.folder / "RUN-001-score-b3b8"
    old.mkdir(parents=True)
    (old / "record.toml").write_text(OLD_RECORD)
    (old / "epochs.csv").write_text("epoch,loss,seconds\n")
    (old / "mine.toml").write_text('base = "exact"\n[decode]\nreader = "karat"\n')
    scores = {"profile": "mine", "options": {}, "headline": "f1", "metrics": {"f1": {"value": 0.5}}}
    (old / "scores.json").write_text(json.dumps(scores | {"provenance": {"karat": "0.1.0", "seed": 0}}))
    rows = [(["Ana", "Lee"], ["B-PER", "I-PER"]), (["Rom"], ["B-LOC"])]
    found = [(["Ana", "Lee"], ["B-PER", "O"]), (["Rom"], ["B-LOC"])]
    (log.folder / "gold").mkdir()
    for path, content in (("gold/7086e924e1829fa8.jsonl.gz", rows), (f"{old.name}/predictions.jsonl.gz", found)):
        lines = [json.dumps({"tokens": tokens, "ner_tags": tags}) + "\n" for tokens, tags in content]
        (log.folder / path).write_bytes(gzip.compress("".join(lines).encode()))
    (tmp_path / "gold.conll").write_text("Ana B-PER\nLee I-PER\n\nRom B-LOC\n\n")
    result = karatage.score(tmp_path / "gold.conll", tmp_path / "gold.conll", resamples=0)
    log_score(log, result, tmp_path / "gold.conll", tmp_path / "gold.conll")
    compared = compare_experiments(log, "1", "2", resamples=20)
    assert compared.test is not None
    assert compared.test.headline.differences[0].value == 0.5  # the new one is perfect
    values = {one.name: one.values for one in compared.changes}
    assert values["karatage"] == ("0.1.0", karatage.__version__)
    assert log.note("1", "still there").note == "still there"


def test_what_changed() -> None:
    def record(**facts: Any) -> Experiment:
        return Experiment(id="RUN-001", name="x", date="2025-11-15T12:00:00+00:00", kind="train", **facts)

    before = record(model="a", config={"x": 1, "y": 1, "z": "s"}, data=(DataFile("train", "old.tsv", "ab" * 32),))
    after = record(model="b", config={"x": True, "y": 1}, data=(DataFile("train", "new.tsv", "ab" * 32),), split="half")
    found = {one.name: one.values for one in changed_settings(before, after)}
    assert found == {"model": ("a", "b"), "x": (1, True), "z": ("s", None), "split": (None, "half")}
    moved = record(model="a", data=(DataFile("train", "old.tsv", "cd" * 32), DataFile("predictions", "p")))
    assert changed_settings(record(model="a", data=before.data), moved)[0].values == (
        "old.tsv (abababab)",
        "old.tsv (cdcdcdcd)",
    )
    assert changed_settings(before, before) == ()


def test_epochs_are_kept_with_a_record(tmp_path: Path) -> None:
    log = ExperimentLog(tmp_path)
    epochs = [EpochEntry(k, 1 / k, 0.5, {"f1": k / 10}) for k in range(1, 4)]
    record = log.add(new(kind="train", epochs=tuple(epochs), best_epoch=3, metric="f1"))
    assert log.get("1").epochs == tuple(epochs)
    assert record.scores == {}
    assert record.metrics == {}
