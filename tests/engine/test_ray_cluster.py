"""Work on a Ray cluster of two nodes: the same results, and nothing is lost when a worker dies."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.ray_nodes import Nodes, need_ray
from tests.scoring.test_folding import GOOD, HOSTILE, OPTIONS, corpus, outcome, write

import karatage
from karatage.engine import RayCluster, WorkLost
from karatage.engine.ray_workers import unfit
from karatage.errors import EngineError, InputError
from karatage.inputs import cutting
from karatage.scoring import folding

need_ray()  # a module that tests nothing else

WORK = """
import os, pathlib, signal, time
from karatage.errors import EngineError, InputError
from karatage.scoring.folding import fold_part

class Text(str):
    @property
    def units(self):
        return len(self)

def text(number):
    return Text(f"{number} ")

def add(one, other):
    return Text(one + other)

def where(number):
    import ray
    time.sleep(0.3)
    return ray.get_runtime_context().get_node_id()

def gpus(number):
    import ray
    time.sleep(0.3)
    return os.getpid(), len(ray.get_gpu_ids()), ray.get_runtime_context().get_node_id()

def refuse(number):
    raise InputError("a bad line", source="x.conll", line=number) if number == 7 else EngineError("no space left")

def fail(number):
    raise ValueError(f"number {number}")

def size(path):
    return path.stat().st_size

def dies_once(part):
    folder, number = part
    if number == 5 and not (folder / "died").exists():
        (folder / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return text(number)

def dies(number):
    os.kill(os.getpid(), signal.SIGKILL)

def slow(part):
    folder, number = part
    (folder / f"{number}").touch()
    time.sleep(1)
    return text(number)

def fold_and_die_once(part):
    died = pathlib.Path(str(part.part.inputs[0].sources[0].path) + ".died")
    if part.part.inputs[0].sources[0].start and not died.exists():
        died.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return fold_part(part)
"""


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a module that workers can import, too."""
    folder = tmp_path_factory.mktemp("modules")
    (folder / "ray_work.py").write_text(WORK)
    return folder


@pytest.fixture(scope="module")
def nodes(modules: Path) -> Iterator[Nodes]:
    """Return a cluster of two nodes, with two cores each."""
    started = Nodes(2, 2, path=modules)
    yield started
    started.stop()


@pytest.fixture
def work(modules: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(modules)
    import ray_work  # type: ignore[import-not-found]

    return ray_work


@pytest.fixture
def cluster(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the address of the cluster, to which this process has the token."""
    for name, value in nodes.environment.items():
        monkeypatch.setenv(name, value)
    return f"ray:{nodes.address}"


@pytest.fixture
def engine(cluster: str) -> RayCluster:
    return RayCluster(cluster.removeprefix("ray:"), None)


@pytest.fixture
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "_LEAST", 0)
    monkeypatch.setattr(cutting, "_LEAST", 100)


def test_a_cluster_says_how_many_cores_it_has(engine: RayCluster) -> None:
    with closing(engine.map(len, [])) as nothing:
        assert engine.jobs == 4
        assert list(nothing) == []


@pytest.mark.parametrize("count", [1, 150])
def test_results_come_in_the_order_of_the_parts(engine: RayCluster, work: Any, count: int) -> None:
    assert list(engine.map(work.text, range(count))) == [f"{n} " for n in range(count)]


@pytest.mark.parametrize("jobs", [1, None])
def test_workers_add_up_in_order(cluster: str, work: Any, jobs: int | None) -> None:
    """Progress counts every part once, and knows how many there are."""
    seen: list[Any] = []
    engine = RayCluster(cluster.removeprefix("ray:"), jobs)
    whole = engine.reduce(work.text, work.add, iter(range(150)), seen.append)
    assert whole == "".join(f"{n} " for n in range(150))
    assert (seen[-1], seen[-1].parts, seen[-1].of) == (len(whole), 150, 150)
    assert seen == sorted(seen)
    assert engine.reduce(work.text, work.add, [], None) is None


def test_both_nodes_work(engine: RayCluster, work: Any) -> None:
    assert len(set(engine.map(work.where, range(12)))) == 2


def test_an_error_of_a_part_arrives_as_it_is(engine: RayCluster, work: Any) -> None:
    with pytest.raises(InputError, match=r"^x.conll:7: a bad line$"):
        engine.reduce(work.refuse, work.add, [7], None)
    with pytest.raises(EngineError, match="^no space left$"):
        list(engine.map(work.refuse, [1]))
    with pytest.raises(WorkLost, match="ValueError: number 3"):
        list(engine.map(work.fail, [3]))
    with pytest.raises(WorkLost, match="cannot be sent"):
        list(engine.map(lambda number: number, [3]))


def test_a_part_whose_worker_dies_is_done_again(engine: RayCluster, work: Any, tmp_path: Path) -> None:
    parts = [(tmp_path, number) for number in range(20)]
    assert engine.reduce(work.dies_once, work.add, parts, None) == "".join(f"{n} " for n in range(20))
    assert (tmp_path / "died").exists()


def test_a_part_that_kills_every_worker_is_an_error(engine: RayCluster, work: Any) -> None:
    with pytest.raises(EngineError, match="a Ray worker failed 4 times to do the same part"):
        list(engine.map(work.dies, [1]))


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs a path that another process does not have")
def test_a_file_that_workers_cannot_see_is_an_error(engine: RayCluster, work: Any, tmp_path: Path) -> None:
    (tmp_path / "there.txt").write_text("abc")
    assert list(engine.map(work.size, [tmp_path / "there.txt"])) == [3]
    with (tmp_path / "there.txt").open() as opened:
        own = os.dup2(opened.fileno(), 77)
    with pytest.raises(
        EngineError, match="/proc/self/fd/77: the Ray worker on .* cannot see.*storage that all machines"
    ):
        list(engine.map(work.size, [Path("/proc/self/fd/77")]))
    os.close(own)


def test_a_worker_that_cannot_do_any_part_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from karatage import __version__

    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_text("abc")
    assert unfit(__version__, str(tmp_path), [(str(tmp_path / "a"), 3, 0)]) == ""
    assert "a has 4 bytes here, but 3 for the Ray worker" in unfit(__version__, "/none", [(str(tmp_path / "a"), 4, 0)])
    assert "b: the Ray worker on " in unfit(__version__, "/none", [(str(tmp_path / "b"), 4, 0)])
    assert f"has karatage {__version__}, but this is 0.0.1. Install" in unfit("0.0.1", "/none", [])
    monkeypatch.setitem(sys.modules, "karatage._version", None)
    assert "cannot import Karatage" in unfit(__version__, "/none", [])


@pytest.mark.usefixtures("_small_parts")
@pytest.mark.parametrize(
    ("name", "jobs"),
    [
        ("intervals", 4),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in (("intervals", 1), ("means", 2), ("resampled", 2))),
    ],
)
def test_the_result_is_that_of_one_process(tmp_path: Path, cluster: str, name: str, jobs: int) -> None:
    gold, pred = write(tmp_path, *corpus(random.Random(name), 60))
    known = outcome(gold, pred, 1, **OPTIONS[name])
    assert known.startswith("{")
    assert outcome(gold, pred, 2, **OPTIONS[name]) == known
    assert outcome(gold, pred, jobs, engine=cluster, **OPTIONS[name]) == known


def compared(folder: Path, **where: Any) -> str:
    found = karatage.compare(
        folder / "gold.conll", [folder / "pred.conll", folder / "gold.conll"], resamples=50, **where
    )
    return json.dumps(found.to_dict())


def explained(folder: Path, **where: Any) -> str:
    return json.dumps(karatage.explain(folder / "gold.conll", folder / "pred.conll", **where).to_dict())


def shards(folder: Path, **where: Any) -> str:
    return json.dumps(karatage.score(folder / "gold", folder / "pred", **where).compute().to_dict())


def searched(folder: Path, **where: Any) -> str:
    return json.dumps(karatage.score(folder / "a.qrels", folder / "a.run", **where).compute().to_dict())


@pytest.mark.slow
@pytest.mark.usefixtures("_small_parts")
@pytest.mark.parametrize("command", [compared, explained, shards, searched])
def test_other_work_has_the_result_of_one_process(
    tmp_path: Path, cluster: str, command: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Comparing, explaining, shards and runs go through the cluster, too: it gets more than one part of each."""
    from karatage.explanation import explaining
    from karatage.scoring.search import run_parts, streamed_run

    for module, name in ((explaining, "_REMEMBERED"), (streamed_run, "_LEAST"), (streamed_run, "_PAYS")):
        monkeypatch.setattr(module, name, -1)
    monkeypatch.setattr(run_parts, "_LEAST", 50)
    write(tmp_path, *corpus(random.Random(8), 60))
    for side in ("gold", "pred"):
        (tmp_path / side).mkdir()
        text = (tmp_path / f"{side}.conll").read_text().strip("\n").split("\n\n")
        for number in range(4):
            (tmp_path / side / f"{number}.conll").write_text("\n\n".join(text[number::4]) + "\n")
    (tmp_path / "a.qrels").write_text("".join(f"q{n} 0 d{n % 3} 1\n" for n in range(40)))
    (tmp_path / "a.run").write_text("".join(f"q{n} Q0 d{k} 1 {9 - k} x\n" for n in range(40) for k in range(3)))
    known = command(tmp_path, jobs=1)
    sent: list[int] = []
    reduce = RayCluster.reduce

    def counted(self: RayCluster, function: Any, add: Any, parts: Any, progress: Any) -> Any:
        every = list(parts)
        sent.append(len(every))
        return reduce(self, function, add, every, progress)

    monkeypatch.setattr(RayCluster, "reduce", counted)
    assert command(tmp_path, jobs=2, engine=cluster) == known
    assert max(sent) > 1


@pytest.mark.parametrize("jobs", [2, *(pytest.param(one, marks=pytest.mark.slow) for one in (1, 4))])
def test_draws_are_those_of_one_process(
    tmp_path: Path, cluster: str, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whichever order the files are listed."""
    from karatage.recall import Pattern, draw
    from karatage.recall.drawing import corpus_reader

    rng = random.Random(jobs)
    for number in range(5):
        lines = [" ".join(rng.choices(["a", "b", "c"], k=rng.randint(0, 5))) + "\n" for _ in range(200)]
        (tmp_path / f"{number}.txt").write_text("".join(lines))
    files, lists = sorted(tmp_path.iterdir()), [Pattern("a", "x", named=True), Pattern("b", "y", named=True)]
    known = draw(files, lists=lists, size=40, jobs=1)
    assert all(one.occurrences > 500 for one in known.strata)
    rng.shuffle(files)
    monkeypatch.setattr(corpus_reader, "PART", 300)
    told: list[int] = []
    assert draw(files, lists=lists, size=40, jobs=jobs, engine=cluster, progress=told.append) == known
    assert told[-1] == 1000
    assert len(told) > 5


@pytest.mark.slow
def test_files_are_tagged_on_a_cluster(tmp_path: Path, cluster: str) -> None:
    from karatage.training import tag_files, train
    from karatage.training.training_data import TrainingPlan

    write(tmp_path, *corpus(random.Random(3), 60))
    (tmp_path / "in").mkdir()
    for number in range(3):
        (tmp_path / "in" / f"{number}.conll").write_text((tmp_path / "gold.conll").read_text())
    train(TrainingPlan(str(tmp_path / "gold.conll"), "crf", {})).tagger.save(tmp_path / "model")
    for out, where in (("one", {"jobs": 1}), ("cluster", {"engine": cluster, "jobs": 2})):
        tag_files(str(tmp_path / "model"), [str(tmp_path / "in")], str(tmp_path / out), **where)
    for number in range(3):
        assert (tmp_path / "one" / f"{number}.conll").read_bytes() == (
            tmp_path / "cluster" / f"{number}.conll"
        ).read_bytes()


@pytest.mark.usefixtures("_small_parts")
def test_workers_read_relative_paths(tmp_path: Path, cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They have another current folder, but read what this process would."""
    write(tmp_path, *corpus(random.Random(3), 60))
    monkeypatch.chdir(tmp_path)
    assert outcome("gold.conll", "pred.conll", 2, engine=cluster) == outcome("gold.conll", "pred.conll", 1)


@pytest.mark.slow
@pytest.mark.usefixtures("_small_parts", "cluster")
def test_a_cluster_is_used_from_outside(tmp_path: Path, nodes: Nodes) -> None:
    gold, pred = write(tmp_path, *corpus(random.Random(3), 60))
    assert outcome(gold, pred, 2, engine=f"ray://127.0.0.1:{nodes.client_port}") == outcome(gold, pred, 1)


@pytest.mark.usefixtures("_small_parts")
@pytest.mark.parametrize("name", ["not UTF-8 at the end", "fewer predictions"])
def test_bad_files_have_the_same_message(tmp_path: Path, cluster: str, name: str) -> None:
    gold, pred = write(tmp_path, *HOSTILE[name])
    known = outcome(gold, pred, 1)
    assert "Error: " in known
    assert outcome(gold, pred, 2, engine=cluster) == known


@pytest.mark.usefixtures("_small_parts")
def test_a_worker_that_is_killed_changes_nothing(
    tmp_path: Path, cluster: str, work: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold, pred = write(tmp_path, *corpus(random.Random(4), 60))
    known = outcome(gold, pred, 1)
    monkeypatch.setattr(folding, "fold_part", work.fold_and_die_once)
    assert outcome(gold, pred, 2, engine=cluster) == known
    assert (tmp_path / "gold.conll.died").exists()


def test_there_is_no_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "_LEAST", 0)
    gold, pred = write(tmp_path, GOOD, GOOD)
    assert outcome(gold, pred, 2, engine="ray:127.0.0.1:1") == (
        "EngineError: the Ray cluster at 127.0.0.1:1: nothing answers there"
    )


DATASET = """
import json, sys
import ray
from karatage.errors import KaratageError
from karatage.scoring import score_dataset

ray.init(address=sys.argv[1], log_to_driver=False, logging_level="CRITICAL")
ray.data.DataContext.get_current().enable_progress_bars = False
out = []
for rows, options in json.load(sys.stdin):
    dataset = ray.data.from_items(rows, override_num_blocks=3)
    try:
        result = score_dataset(dataset, **options)
        out.append([result.to_dict(), result.errors().height])
    except KaratageError as error:
        out.append(f"{type(error).__name__}: {error}")
print(json.dumps(out))
"""


def test_a_ray_dataset_has_the_same_result(nodes: Nodes, cluster: str) -> None:
    """In whichever order its rows are; ids that occur twice are found in whichever blocks they are."""
    del cluster
    rng = random.Random(6)
    tags = ["O", "O", "B-PER", "I-PER", "B-LOC"]
    rows: list[dict[str, Any]] = [{"id": f"s{n}", "gold": rng.choices(tags, k=1 + n % 7)} for n in range(60)]
    tagged = [row | {"pred": [tag if rng.random() < 0.8 else rng.choice(tags) for tag in row["gold"]]} for row in rows]
    one = {"label": "PER", "start": 9, "end": 12}
    spans: list[dict[str, Any]] = [{"id": n, "gold": [one | {"start": n % 12}], "pred": [one]} for n in range(40)]
    asked: list[Any] = [(tagged, {}), (spans, {"resamples": 0}), (spans + spans[:2], {}), (spans, {"gold": "golden"})]
    for given, _ in asked:
        rng.shuffle(given)
    command = [sys.executable, "-W", "ignore", "-c", DATASET, nodes.address]
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    for (given, options), got in zip(asked[:2], found[:2], strict=True):
        given = sorted(given, key=lambda row: str(row["id"]))
        sides = [{str(row["id"]): row[side] for row in given} for side in ("gold", "pred")]
        known = karatage.score(*sides, **options)
        assert got == [json.loads(json.dumps(known.to_dict())), known.errors().height]
    assert found[2].startswith("UnitError: dataset: ")
    assert "Make the column 'id' unique" in found[2]
    assert found[3] == "InputError: dataset: no column 'golden'. Columns: id, gold, pred"


LOCAL = """
import sys
from karatage._start import main
from karatage.scoring import folding
folding._LEAST = 0
main()
"""


def processes_with(text: str) -> list[str]:
    """Return the processes whose command or environment has a text."""
    found = []
    for own in Path("/proc").glob("[0-9]*"):
        try:
            content = (own / "cmdline").read_bytes() + (own / "environ").read_bytes()
        except OSError:
            continue
        if text.encode() in content and own.name != str(os.getpid()):
            found.append(own.name)
    return found


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="looks at all processes")
def test_ray_on_this_machine_starts_and_stops_without_a_word(tmp_path: Path) -> None:
    gold, pred = write(tmp_path, GOOD, GOOD)
    mark = f"KARATAGE_TEST={tmp_path}"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RAY_")} | dict([mark.split("=")])
    command = [sys.executable, "-c", LOCAL, "score", gold, pred, "--json", "--engine", "ray", "--jobs", "2"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["metrics"]["f1"]["value"] == 1
    end = time.monotonic() + 30
    while left := processes_with(mark):  # the last ones are on their way out
        assert time.monotonic() < end, left
        time.sleep(0.2)


def test_a_cluster_without_a_gpu_does_the_work_on_its_cores(engine: RayCluster, work: Any) -> None:
    assert {gpus for _, gpus, _ in engine.on_gpus().map(work.gpus, range(4))} == {0}


@pytest.mark.slow
def test_each_worker_has_a_gpu_where_there_are_some(modules: Path, work: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The head has none, and another node says that it has two: two workers there do everything.

    Taggers ask for them: a neural one does, unless it is to run on processors.
    """
    from karatage.engine import Running
    from karatage.training import shard_tagging
    from karatage.training.worker_count import shared_engine

    nodes = Nodes(2, 2, path=modules, gpus=2)
    try:
        for name, value in nodes.environment.items():
            monkeypatch.setenv(name, value)
        running = Running(engine=f"ray:{nodes.address}")
        monkeypatch.setitem(sys.modules, "torch", sys)
        asked = [shard_tagging._is_neural(device) for device in ("auto", "cpu")]
        assert asked == [True, False]
        on_gpus, on_cores = (shared_engine(running, 8, memory=0, on_gpu=False, neural=one) for one in asked)
        assert on_gpus is not None
        assert on_cores is not None
        assert (on_gpus.jobs, on_cores.jobs) == (2, 4)
        found = list(on_gpus.map(work.gpus, range(8)))
        assert {gpus for _, gpus, _ in found} == {1}
        assert len({node for _, _, node in found}) == 1
        assert len({process for process, _, _ in found}) <= 2  # each keeps its model
        assert {gpus for _, gpus, _ in on_cores.map(work.gpus, range(8))} == {0}
    finally:
        nodes.stop()


@pytest.mark.slow
def test_a_node_that_is_killed_loses_nothing(modules: Path, work: Any, tmp_path: Path, monkeypatch: Any) -> None:
    """The only other node dies while it works on parts."""
    nodes = Nodes(1, 1, path=modules)
    try:
        for name, value in nodes.environment.items():
            monkeypatch.setenv(name, value)
        engine = RayCluster(nodes.address, None)
        while engine.jobs < 2:
            time.sleep(1)
            engine = RayCluster(nodes.address, None)

        def kill(done: Any) -> None:
            if done.parts == 4:
                nodes.kill(1)

        parts = [(tmp_path, number) for number in range(12)]
        assert engine.reduce(work.slow, work.add, parts, kill) == "".join(f"{n} " for n in range(12))
    finally:
        nodes.stop()


@pytest.mark.slow
def test_a_cluster_that_goes_away_is_one_message(modules: Path, work: Any, tmp_path: Path, monkeypatch: Any) -> None:
    nodes = Nodes(1, path=modules)
    try:
        for name, value in nodes.environment.items():
            monkeypatch.setenv(name, value)
        engine = RayCluster(nodes.address, None)

        def kill(done: Any) -> None:
            if done.parts == 2:
                nodes.kill(0)

        with pytest.raises(
            EngineError, match="Ray cluster at .* is gone.* Run the command again; with --resume FOLDER"
        ):
            engine.reduce(work.slow, work.add, [(tmp_path, number) for number in range(60)], kill)
    finally:
        nodes.stop()
