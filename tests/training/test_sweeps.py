"""Sweeps: what is tried, where it goes, that it resumes, and what is logged."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median_low, stdev
from typing import Any

import pytest
from tests.training.corpora import TINY, spans_of, titles, write_ebay

import karatage
from karatage.engine import WorkLost
from karatage.errors import InputError, KaratageError, UsageError
from karatage.experiments.log import ExperimentLog
from karatage.experiments.training_log import log_sweep
from karatage.inputs import Runs
from karatage.stats import Resampling
from karatage.training.many_trainings import TrainingWork, train_one
from karatage.training.model_folder import read_card
from karatage.training.sweeps import Grid, Sweep, Variant, run_sweep
from karatage.training.training_data import TrainingPlan

# What is tried.


def grid_of(tmp_path: Path, text: str) -> Grid:
    path = tmp_path / "grid.toml"
    path.write_text(text)
    return Grid.read(str(path))


def test_a_grid_is_the_product_of_its_lists(tmp_path: Path) -> None:
    found = grid_of(
        tmp_path,
        """
        model = "bilstm"
        seeds = [3, 1]
        [set]
        epochs = 2
        [grid]
        clip = [0.0, 0.25]
        optimizer = ["adam", "adamw"]
        lowercase = [true]
        """,
    )
    assert (found.model, found.base, found.seeds) == ("bilstm", {"epochs": 2}, (3, 1))
    assert found.variants == (
        Variant("clip=0 optimizer=adam lowercase=True", {"clip": 0.0, "optimizer": "adam", "lowercase": True}),
        Variant("clip=0 optimizer=adamw lowercase=True", {"clip": 0.0, "optimizer": "adamw", "lowercase": True}),
        Variant("clip=0.25 optimizer=adam lowercase=True", {"clip": 0.25, "optimizer": "adam", "lowercase": True}),
        Variant("clip=0.25 optimizer=adamw lowercase=True", {"clip": 0.25, "optimizer": "adamw", "lowercase": True}),
    )


def test_variants_by_name(tmp_path: Path) -> None:
    found = grid_of(
        tmp_path,
        """
        config = "exp-002"
        [set]
        epochs = 2
        [[variants]]
        name = "no clipping"
        clip = 0.0
        [[variants]]
        dropout = 0.4
        """,
    )
    assert found.model == "bilstm"
    assert "model" not in found.base
    assert (found.base["epochs"], found.base["clip"], found.base["hidden"]) == (2, 0.25, 256)
    assert found.variants == (Variant("no clipping", {"clip": 0.0}), Variant("2", {"dropout": 0.4}))
    assert found.seeds == (0,)


def test_one_variant_with_many_seeds(tmp_path: Path) -> None:
    found = grid_of(tmp_path, 'model = "bilstm"\nseeds = [0, 1, 2]\n')
    assert found.variants == (Variant("plain", {}),)
    assert found.seeds == (0, 1, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("models = 3", "unknown key of a sweep 'models'. Did you mean 'model'?"),
        ("seeds = [0]", 'name the model: model = "bilstm"'),
        ('model = "bilstm"\nseeds = 3', "seeds must be a list of whole numbers"),
        ('model = "bilstm"\nseeds = []', "seeds must be a list of whole numbers"),
        ('model = "bilstm"\nseeds = [-1]', "seeds must be a list of whole numbers"),
        ('model = "bilstm"\nseeds = [true]', "seeds must be a list of whole numbers"),
        ('model = "bilstm"\nseeds = [1, 1]', "the seeds must be different"),
        ('model = "bilstm"\n[grid]\nclip = 1', "clip in the grid must be a list of values"),
        ('model = "bilstm"\n[grid]\nclip = []', "clip in the grid must be a list of values"),
        ('model = "bilstm"\n[grid]\nclip = [1]\n[[variants]]\nclip = 2', "use either a grid or variants, not both"),
        ('model = "bilstm"\nvariants = [1]', "variants must be tables: [[variants]]"),
        ('model = "bilstm"\nvariants = []', "variants must be tables: [[variants]]"),
        ('model = "bilstm"\nvariants = 5', "variants must be tables: [[variants]]"),
        ('model = "bilstm"\nset = 5', "set must be a table: [set]"),
        ('model = "bilstm"\ngrid = [1]', "grid must be a table: [grid]"),
        ('model = "bilstm"\n[[variants]]\nname = "a"\n[[variants]]\nname = "a"', "there are two variants named 'a'"),
        ('config = "exp-1"', "unknown preset 'exp-1'"),
        ("model = ", "is not TOML"),
    ],
)
def test_grids_that_are_wrong(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(KaratageError) as error:
        grid_of(tmp_path, text)
    assert message in str(error.value)


def test_no_such_grid(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none.toml: no such file"):
        Grid.read(str(tmp_path / "none.toml"))


# What is trained.

pytest.importorskip("torch")

GRID = Grid(
    "bilstm", {**TINY, "epochs": 3}, (Variant("slow", {"learning_rate": 1e-4}), Variant("fast 0/1", {})), (0, 7)
)


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    import torch

    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_ebay(tmp_path_factory.mktemp("data") / "train.tsv", titles(40))


@pytest.fixture(scope="module")
def plan(data: Path) -> TrainingPlan:
    return TrainingPlan(str(data), "", share=0.25, resampling=Resampling(50))


@pytest.fixture(scope="module")
def swept(plan: TrainingPlan, tmp_path_factory: pytest.TempPathFactory) -> tuple[Sweep, Path]:
    out = tmp_path_factory.mktemp("swept") / "sweep"
    return run_sweep(GRID, plan, out, jobs=1), out


FOLDERS = ["001-slow/seed-0", "001-slow/seed-7", "002-fast-0-1/seed-0", "002-fast-0-1/seed-7"]


def digests(out: Path) -> dict[str, str]:
    """The weights and lexicons of all models."""
    return {
        str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name not in ("model.toml", "history.json", "logged.json")
    }


def values(sweep: Sweep) -> dict[str, tuple[float, ...]]:
    return {row.variant.name: row.values for row in sweep.rows}


def test_where_the_models_go(swept: tuple[Sweep, Path]) -> None:
    _, out = swept
    assert sorted(str(path.parent.relative_to(out)) for path in out.rglob("model.toml")) == FOLDERS
    for name in FOLDERS:
        card = read_card(out / name)
        assert card.settings["seed"] == int(name[-1])
        assert card.settings["learning_rate"] == (1e-4 if "slow" in name else 0.05)
        assert card.settings["epochs"] == 3
    assert len({digest for name, digest in digests(out).items() if name.endswith("safetensors")}) == 4


def test_the_rows_of_a_sweep(swept: tuple[Sweep, Path]) -> None:
    """The best variant first; each value is what Karatage scores for the model's predictions."""
    sweep, out = swept
    assert [row.variant.name for row in sweep.rows] == ["fast 0/1", "slow"]
    assert sweep.metric == "final_f0.2"
    for row in sweep.rows:
        assert row.mean == fmean(row.values)
        assert row.deviation == stdev(row.values)
        for value, outcome in zip(row.values, row.trainings, strict=True):
            scored = karatage.score(outcome.evaluator.gold, outcome.predictions, like="ebay-2025", resamples=0)
            assert (
                value
                == scored["final_f0.2"].value
                == read_card(Path(outcome.tagger.folder)).scores["final_f0.2"]["value"]
            )
    assert sweep.rows[0].mean > sweep.rows[1].mean
    plain = json.loads(json.dumps(sweep.to_dict()))
    assert plain["seeds"] == [0, 7]
    assert [one["name"] for one in plain["variants"]] == ["fast 0/1", "slow"]
    assert plain["variants"][0]["values"] == list(sweep.rows[0].values)
    assert len(sweep.rows[0].trainings[0].evaluator.gold.units) == 10
    assert out.name == "sweep"


def test_variants_are_compared_over_seeds(swept: tuple[Sweep, Path]) -> None:
    sweep, _ = swept
    assert sweep.comparison is not None
    judge = sweep.rows[0].trainings[0].evaluator
    systems = {row.variant.name: Runs(*(one.predictions for one in row.trainings)) for row in sweep.rows}
    expected = karatage.compare(
        judge.gold, systems, like="ebay-2025", metrics=["final_f0.2"], by_label=False, resamples=50
    )
    assert sweep.comparison.to_dict() == expected.to_dict()


def test_one_variant_is_compared_with_nothing(plan: TrainingPlan, tmp_path: Path) -> None:
    grid = Grid("bilstm", {**TINY, "epochs": 1}, (Variant("plain", {}),))
    sweep = run_sweep(grid, plan, tmp_path / "sweep")
    assert sweep.comparison is None
    assert sweep.rows[0].deviation is None
    assert sweep.to_dict()["variants"][0]["deviation"] is None


def test_what_is_complete_is_not_trained_again(
    swept: tuple[Sweep, Path], plan: TrainingPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep, out = swept
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}

    def refusing(*_: Any, **__: Any) -> None:
        raise AssertionError("it was trained again")

    monkeypatch.setattr("karatage.training.many_trainings.train_into", refusing)
    told: list[tuple[int, int]] = []
    again = run_sweep(GRID, plan, out, progress=lambda done, total: told.append((done, total)))
    assert told == [(4, 4)]
    assert values(again) == values(sweep)
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == before


def test_a_model_that_is_completed_meanwhile_is_kept(
    swept: tuple[Sweep, Path], plan: TrainingPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker of a killed sweep publishes its model after the next sweep has listed what is left to train."""
    import shutil

    from karatage.training.many_trainings import train_all

    sweep, out = swept

    def late(*given: Any) -> Any:
        assert len(given[0]) == 4  # nothing is there yet
        shutil.copytree(out, tmp_path / "sweep", dirs_exist_ok=True)
        return train_all(*given)

    monkeypatch.setattr("karatage.training.sweeps.train_all", late)
    monkeypatch.setattr("karatage.training.train_tagger.train", lambda *_, **__: pytest.fail("it was trained again"))
    assert values(run_sweep(GRID, plan, tmp_path / "sweep", jobs=1)) == values(sweep)
    assert digests(tmp_path / "sweep") == digests(out)
    other = replace(plan, model="bilstm", settings={**TINY, "epochs": 4})
    problem = train_one(TrainingWork(other, tmp_path / "sweep" / FOLDERS[0], 5.0, str(Path.cwd())))
    assert "belongs to an interrupted run with other settings or data" in problem
    assert digests(tmp_path / "sweep") == digests(out)


def test_more_seeds_and_variants_go_on_from_it(swept: tuple[Sweep, Path], plan: TrainingPlan, tmp_path: Path) -> None:
    """A grid that begins alike keeps what is there."""
    import shutil

    sweep, out = swept
    shutil.copytree(out, tmp_path / "sweep")
    told: list[tuple[int, int]] = []
    more = replace(GRID, variants=(*GRID.variants, Variant("new", {"dropout": 0.1})), seeds=(0, 7))
    found = run_sweep(more, plan, tmp_path / "sweep", progress=lambda done, total: told.append((done, total)))
    assert told == [(4, 6), (5, 6), (6, 6)]
    assert {name: own for name, own in values(found).items() if name != "new"} == values(sweep)


def test_a_folder_of_another_sweep_is_refused(swept: tuple[Sweep, Path], plan: TrainingPlan, tmp_path: Path) -> None:
    _, out = swept
    before = digests(out)
    longer = write_ebay(tmp_path / "longer.tsv", titles(41))
    other = replace(GRID, base={**GRID.base, "epochs": 4})
    swapped = replace(GRID, variants=(Variant("slow", {}), GRID.variants[1]))
    for grid, changed in (
        (other, plan),
        (swapped, plan),
        (GRID, replace(plan, data=str(longer))),
        (GRID, replace(plan, share=0.5)),
        (GRID, replace(plan, split_seed=9)),
        (GRID, replace(plan, like="exact")),
    ):
        with pytest.raises(InputError, match=r"seed-0: belongs to another sweep. Use another folder than"):
            run_sweep(grid, changed, out)
    assert digests(out) == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda plan: (replace(GRID, variants=(Variant("x", {"hiden": 3}),)), plan), "unknown setting 'hiden'"),
        (lambda plan: (Grid("ensemble", {}, (Variant("x", {}),)), plan), "an ensemble is made from trained models"),
        (lambda plan: (replace(GRID, model="crf", base={}), plan), "crf is deterministic"),
        (lambda plan: (GRID, replace(plan, test=plan.data)), "a sweep selects on validation data"),
        (lambda plan: (GRID, replace(plan, validation=plan.data)), "a sweep selects on validation data"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_trained(
    plan: TrainingPlan, tmp_path: Path, change: Callable[[TrainingPlan], tuple[Grid, TrainingPlan]], message: str
) -> None:
    grid, changed = change(plan)
    with pytest.raises(UsageError) as error:
        run_sweep(grid, changed, tmp_path / "sweep")
    assert message in str(error.value)
    assert not (tmp_path / "sweep").exists()
    with pytest.raises(UsageError, match="jobs must be a whole number from 1, not 0"):
        run_sweep(GRID, plan, tmp_path / "sweep", jobs=0)


@pytest.mark.slow
def test_two_at_a_time_find_the_same(swept: tuple[Sweep, Path], plan: TrainingPlan, tmp_path: Path) -> None:
    sweep, out = swept
    told: list[int] = []
    found = run_sweep(GRID, plan, tmp_path / "sweep", jobs=2, progress=lambda done, _: told.append(done))
    assert told == [0, 1, 2, 3, 4]
    assert values(found) == values(sweep)
    assert digests(tmp_path / "sweep") == digests(out)
    assert [spans_of(one.predictions) for row in found.rows for one in row.trainings] == [
        spans_of(one.predictions) for row in sweep.rows for one in row.trainings
    ]


# What is killed.

_SWEEP = """
import sys, time
from karatage.training.network.training_loop import TrainingLoop  # slowed down, so that there is time to be killed in
note = TrainingLoop._record
TrainingLoop._record = lambda self, *found: (time.sleep(0.2), note(self, *found))
from karatage.cli import main
sys.argv = ["karatage", *sys.argv[1:]]
main()
"""


@pytest.mark.slow
def test_killed_at_any_moment(data: Path, tmp_path: Path) -> None:
    """`karatage sweep`, ended by the system in its second training: run again, all models are those of one run."""
    toml = tmp_path / "grid.toml"
    lines = [f"{key} = {json.dumps(value)}" for key, value in {**TINY, "epochs": 6}.items()]
    toml.write_text("\n".join(['model = "bilstm"', "seeds = [0, 1]", "[set]", *lines]))
    grid = Grid.read(str(toml))
    plan = TrainingPlan(str(data), "", reading={"unit": "sentence"}, resampling=Resampling(0))
    whole = run_sweep(grid, plan, tmp_path / "whole")
    out = tmp_path / "sweep"
    command = [
        sys.executable,
        "-c",
        _SWEEP,
        "sweep",
        str(toml),
        str(data),
        "--out",
        str(out),
        "--no-log",
        "--checkpoint",
        "0",
        "--jobs",
        "1",
    ]
    with subprocess.Popen([*command, "--resamples", "0"], env={**os.environ, "OMP_NUM_THREADS": "1"}) as running:
        deadline = time.monotonic() + 120
        first, second = (out / "001-plain" / name for name in ("seed-0", ".seed-1.training"))
        while not second.exists() and running.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(random.random() * 0.5)
        running.send_signal(signal.SIGKILL)
    assert running.returncode == -signal.SIGKILL
    assert (first / "model.toml").exists()
    assert not (out / "001-plain" / "seed-1").exists()
    told: list[int] = []
    again = run_sweep(grid, plan, out, progress=lambda done, _: told.append(done))
    assert told == [1, 2]
    assert digests(out) == digests(tmp_path / "whole")
    assert values(again) == values(whole)


@pytest.mark.slow
def test_several_at_a_time_are_killed_at_any_moment(data: Path, tmp_path: Path) -> None:
    """Workers end with the command, in the middle of a training; run again, all models are those of one run."""
    toml = tmp_path / "grid.toml"
    lines = [f"{key} = {json.dumps(value)}" for key, value in {**TINY, "epochs": 6}.items()]
    toml.write_text("\n".join(['model = "bilstm"', "seeds = [0, 1, 2]", "[set]", *lines]))
    grid, out = Grid.read(str(toml)), tmp_path / "sweep"
    plan = TrainingPlan(str(data), "", reading={"unit": "sentence"}, resampling=Resampling(0))
    whole = run_sweep(grid, plan, tmp_path / "whole", jobs=1)
    command = [sys.executable, "-m", "karatage", "sweep", str(toml), str(data), "--out", str(out), "--no-log"]
    with subprocess.Popen([*command, "--checkpoint", "0", "--resamples", "0", "--jobs", "2"]) as running:
        deadline = time.monotonic() + 120
        while len(list(out.glob("*/.seed-*.training"))) < 2 and running.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        workers = children(running.pid)
        running.send_signal(signal.SIGKILL)
    assert workers
    deadline = time.monotonic() + 30
    while any(map(alive, workers)):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    again = run_sweep(grid, plan, out, jobs=1)
    assert digests(out) == digests(tmp_path / "whole")
    assert values(again) == values(whole)


class _Failing:
    """An engine whose workers are killed."""

    jobs = 2

    def map(self, function: Callable[[Any], Any], parts: Any) -> Generator[Any, None, None]:
        del function, parts
        yield ""
        raise WorkLost("a worker failed: EOFError: ")


def test_a_training_that_is_lost_is_told(plan: TrainingPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karatage.training.many_trainings.shared_engine", lambda *_, **__: _Failing())
    with pytest.raises(UsageError, match="a worker failed: EOFError: . Run the same command again to resume, with"):
        run_sweep(GRID, plan, tmp_path / "sweep")


def test_a_training_that_fails_is_named(plan: TrainingPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder is in the way of one of them; the one before it is kept."""
    (tmp_path / "sweep" / "001-slow" / "seed-7").mkdir(parents=True)
    (tmp_path / "sweep" / "001-slow" / "seed-7" / "mine").touch()
    monkeypatch.setattr("karatage.training.many_trainings.shared_engine", lambda *_, **__: None)
    with pytest.raises(UsageError, match=r"001-slow, seed-7: .*seed-7 contains other files. Use another folder"):
        run_sweep(GRID, plan, tmp_path / "sweep")
    assert (tmp_path / "sweep" / "001-slow" / "seed-0" / "model.toml").exists()


def test_one_thread_for_each_training(plan: TrainingPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the last digits of sums depend on how many there are; it is as before afterwards."""
    import torch

    seen: list[int] = []
    monkeypatch.setattr(
        "karatage.training.many_trainings.train_into", lambda *_, **__: seen.append(torch.get_num_threads())
    )
    work = TrainingWork(replace(plan, model="bilstm"), tmp_path / "seed-0", 5.0, str(Path.cwd()))
    torch.set_num_threads(3)
    try:
        assert train_one(work) == ""
        assert (seen, torch.get_num_threads()) == ([1], 3)
    finally:
        torch.set_num_threads(1)


def children(process: int) -> list[int]:
    """Return the processes that a process started."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


def alive(process: int) -> bool:
    """Whether a process runs; one that ended and that nobody asked for its end does not."""
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False)
    return bool(found.stdout.strip()) and not found.stdout.strip().startswith("Z")


# What is logged.


def test_records_are_written_once(swept: tuple[Sweep, Path], tmp_path: Path) -> None:
    sweep, out = swept
    log = tmp_path / "log"
    name = log_sweep(ExperimentLog(log), sweep, out, note="a remark")
    records = [ExperimentLog(log).get(one) for one in ExperimentLog(log).names()]
    assert [(one.kind, one.parent) for one in records] == [("sweep", "")] + [("train", name)] * 4
    first = records[0]
    assert (first.id, first.note, first.model) == (name, "a remark", "bilstm")
    assert first.model_folder == str(out)
    best = sweep.rows[0]
    assert first.config["mean final_f0.2 of fast 0/1"] == pytest.approx(best.mean, abs=1e-6)
    assert first.score("final_f0.2").value == median_low(best.values)  # type: ignore[union-attr]
    assert [one.note for one in records[1:]] == [
        "fast 0/1, seed 0", "fast 0/1, seed 7", "slow, seed 0", "slow, seed 7",
    ]  # fmt: skip
    assert [one.config["seed"] for one in records[1:]] == [0, 7, 0, 7]
    assert [Path(one.model_folder).name for one in records[1:]] == ["seed-0", "seed-7", "seed-0", "seed-7"]
    assert log_sweep(ExperimentLog(log), sweep, out, note="another remark") == name
    assert len(ExperimentLog(log).names()) == 5
    # In another log they are new.
    assert log_sweep(ExperimentLog(tmp_path / "other"), sweep, out) == "RUN-001"
    assert len(ExperimentLog(tmp_path / "other").names()) == 5


def test_what_was_not_logged_yet_is_logged(swept: tuple[Sweep, Path], tmp_path: Path) -> None:
    """Killed between two records: the others follow."""
    sweep, out = swept
    log = tmp_path / "log"
    log_sweep(ExperimentLog(log), sweep, out)
    known = json.loads((out / "logged.json").read_text())
    gone = [key for key in known if key.endswith("seed-7")]
    assert len(gone) == 2
    (out / "logged.json").write_text(json.dumps({key: value for key, value in known.items() if key not in gone}))
    log_sweep(ExperimentLog(log), sweep, out)
    assert len(ExperimentLog(log).names()) == 7  # the five, and the two that were forgotten
    (out / "logged.json").write_text(json.dumps({**known, gone[0]: "RUN-008-bilstm-0000"}))
    log_sweep(ExperimentLog(log), sweep, out)
    assert len(ExperimentLog(log).names()) == 8  # the name was written, the record was not
    (out / "logged.json").write_text("[")
    with pytest.raises(InputError, match="logged.json: invalid content"):
        log_sweep(ExperimentLog(log), sweep, out)
    (out / "logged.json").unlink()
