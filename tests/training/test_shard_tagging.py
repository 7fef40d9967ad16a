"""A corpus of many files: each is tagged as if it were alone, by any number of processes, and nothing is done twice."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.training.corpora import TINY_CRF, Title, claims_of, titles, write_conll, write_listings

from karatage._processes import safe_environment
from karatage.engine import LocalProcesses, Running, WorkLost
from karatage.errors import InputError, KaratageError, UsageError
from karatage.training import shard_tagging, worker_count
from karatage.training.file_tagging import TaggingOptions, tag_file
from karatage.training.shard_records import TaggingJob
from karatage.training.shard_tagging import tag_files
from karatage.training.shards import Shard, find_shards, writes_folder
from karatage.training.tagging_counts import TaggingCounts
from karatage.training.trained_tagger import TrainedTagger

RULES = """
import os, pathlib, time

def first(text):
    return [(0, len(text.split()[0]), "first")] if text.split() else []

def fragile(text):
    if "trap" in text:
        raise ValueError("a trap")
    return first(text)

def logged(text):
    with open("log", "a") as out:
        out.write(f"{os.getpid()} {text.split()[0]}\\n")
    return first(text)

def lost(text):
    if os.getpid() != int(pathlib.Path("main").read_text()):
        os._exit(9)
    return first(text)

def slow(text):
    pathlib.Path("pids", str(os.getpid())).touch()
    time.sleep(0 if text.startswith("quick") else 1)
    return first(text)
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path, None, None]:
    """A folder with five files of texts, and taggers."""
    (tmp_path / "shard_rules.py").write_text(RULES)
    for number, name in enumerate(("a.jsonl", "b.jsonl", "deep/c.jsonl", "deep/d.jsonl.gz", "e.jsonl")):
        write_texts(tmp_path / "in" / name, [f"w{number}x{at} and more" for at in range(number + 1)])
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("shard_rules", None)
    sys.path[:] = [place for place in sys.path if place != str(tmp_path)]


def write_texts(path: Path, texts: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = "".join(f'{{"text": "{text}", "spans": []}}\n' for text in texts).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def contents(folder: Path, *, hidden: bool = False) -> dict[str, bytes]:
    """Return the files of a folder, by their names."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in sorted(found.items()) if hidden or not name.startswith(".")}


NAMES = ["a.jsonl", "b.jsonl", "deep/c.jsonl", "deep/d.jsonl.gz", "e.jsonl"]


def alone(model: str, home: Path, **options: Any) -> dict[str, bytes]:
    """Return what each file is when it is tagged by itself."""
    out = {}
    for name in NAMES:
        place = home / "alone" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        tag_file(model, f"in/{name}", str(place), **options)
        out[name] = place.read_bytes()
    return out


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_files_are_those_that_are_tagged_one_by_one(home: Path, jobs: int) -> None:
    """Byte for byte, by any number of processes. 1 + 2 + 3 + 4 + 5 texts have an entity each."""
    told: list[tuple[int, int, int]] = []
    done = tag_files(
        "shard_rules:first", ["in"], "out", to="prodigy", jobs=jobs, progress=lambda *now: told.append(now)
    )
    assert contents(home / "out") == alone("shard_rules:first", home, to="prodigy")
    assert (done.units, done.claims, done.files, done.resumed_files) == (15, 15, 5, 0)
    assert (done.format, done.warnings) == ("prodigy", ())
    assert str(done).startswith("Tagged 15 texts in 5 files and found 15 entities, written as prodigy (")
    assert told[0] == (0, 0, 5)
    assert told[-1] == (15, 5, 5)
    assert told == sorted(told)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A neural model that has learned something, with categories."""
    pytest.importorskip("torch").set_num_threads(1)
    settings = {**TINY_CRF, "epochs": 8, "average": 0.0}
    tagger = TrainedTagger.fit(claims_of(titles(24)), "bilstm-crf", settings, tokenization="spaces")[0]
    place = tmp_path_factory.mktemp("model") / "model"
    tagger.save(place)
    return str(place)


def test_a_trained_model(model: str, tmp_path: Path) -> None:
    """Two processes with a model each write what one writes; warnings are about all files."""
    (tmp_path / "in").mkdir()
    for number in range(3):
        made = titles(7, seed=number)
        write_listings(tmp_path / "in" / f"{number}.tsv", [Title(f"{number}", one.tokens, ()) for one in made])
    write_conll(tmp_path / "in" / "plain.conll", titles(5, seed=9))
    found = [tag_files(model, [str(tmp_path / "in")], str(tmp_path / f"out{jobs}"), jobs=jobs) for jobs in (1, 2)]
    assert contents(tmp_path / "out1") == contents(tmp_path / "out2")
    assert sorted(contents(tmp_path / "out1")) == ["0.tsv", "1.tsv", "2.tsv", "plain.conll"]
    assert found[0].claims == found[1].claims > 20
    assert found[0].format == "conll, ebay-submission"
    assert found[0].warnings == found[1].warnings
    assert "the model uses category, which 1 of 4 files do not have" in found[0].warnings
    assert "category not seen in training, tagged with all labels: '0'" in found[0].warnings


def test_one_thread_whatever_the_number_of_processes(model: str, tmp_path: Path) -> None:
    """And as many as before, afterwards."""
    import torch

    before, seen = torch.get_num_threads(), []
    write_conll(tmp_path / "a.conll", titles(5))
    torch.set_num_threads(3)
    try:
        told = lambda *_: seen.append(torch.get_num_threads())  # noqa: E731
        tag_files(model, [str(tmp_path / "a.conll")], str(tmp_path / "out"), jobs=1, progress=told)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
    assert 1 in seen


# What was done before.


def test_what_is_done_is_not_tagged_again(home: Path) -> None:
    """Only the file that is new, and the one that changed."""
    tag_files("shard_rules:logged", ["in"], "out", to="prodigy", jobs=1)
    before = contents(home / "out")
    (home / "log").unlink()
    again = tag_files("shard_rules:logged", ["in"], "out", to="prodigy", jobs=2)
    assert not (home / "log").exists()
    assert (again.units, again.claims, again.files, again.resumed_files, again.resumed_units) == (15, 15, 5, 5, 15)
    assert str(again).endswith("written as prodigy (0 texts per second; 5 files were done before)")
    write_texts(home / "in" / "f.jsonl", ["new one"])
    write_texts(home / "in" / "a.jsonl", ["other text", "two"])
    more = tag_files("shard_rules:logged", ["in"], "out", to="prodigy", jobs=1)
    assert sorted(line.split()[1] for line in (home / "log").read_text().splitlines()) == ["new", "other", "two"]
    assert (more.units, more.files, more.resumed_files) == (17, 6, 4)
    assert {name: data for name, data in contents(home / "out").items() if name not in ("a.jsonl", "f.jsonl")} == {
        name: data for name, data in before.items() if name != "a.jsonl"
    }


@pytest.mark.parametrize("harm", ["gone", "shorter", "record"])
def test_a_file_that_was_lost_is_tagged_again(home: Path, harm: str) -> None:
    tag_files("shard_rules:logged", ["in"], "out", to="prodigy", jobs=1)
    before = contents(home / "out")
    (home / "log").unlink()
    if harm == "gone":
        (home / "out" / "b.jsonl").unlink()
    elif harm == "shorter":
        (home / "out" / "b.jsonl").write_bytes(before["b.jsonl"][:-9])
    else:
        (home / "out" / ".tagging" / "b.jsonl.json").write_text('{"source":')
    tag_files("shard_rules:logged", ["in"], "out", to="prodigy", jobs=1)
    assert len((home / "log").read_text().splitlines()) == 2
    assert contents(home / "out") == before


def test_a_folder_of_another_job_is_left_alone(home: Path) -> None:
    tag_files("shard_rules:first", ["in"], "out", to="prodigy", jobs=1)
    before = contents(home / "out", hidden=True)
    for model, options in (
        ("shard_rules:fragile", {"to": "prodigy"}),
        ("shard_rules:first", {"to": "doccano"}),
        ("shard_rules:first", {"to": "prodigy", "words": "spaces"}),
    ):
        with pytest.raises(InputError, match="out: was tagged with another model or with other options. Use another"):
            tag_files(model, ["in"], "out", **options)
    (home / "out" / ".tagging" / "job.json").write_text("[")
    with pytest.raises(InputError, match=r"job\.json: is damaged"):
        tag_files("shard_rules:first", ["in"], "out", to="prodigy")
    assert {**contents(home / "out", hidden=True), ".tagging/job.json": b""} == {**before, ".tagging/job.json": b""}


def test_a_model_that_was_moved_is_the_same(model: str, tmp_path: Path) -> None:
    write_conll(tmp_path / "a.conll", titles(5))
    words = [str(tmp_path / "a.conll")], str(tmp_path / "out")
    tag_files(model, *words, jobs=1)
    assert tag_files(str(shutil.copytree(model, tmp_path / "copy")), *words, jobs=1).resumed_files == 1
    TrainedTagger.load(model).with_threshold(0.9).save(tmp_path / "other")
    with pytest.raises(InputError, match="was tagged with another model or with other options"):
        tag_files(str(tmp_path / "other"), *words, jobs=1)


def test_files_of_others_are_left_alone(home: Path) -> None:
    (home / "out").mkdir()
    (home / "out" / "e.jsonl").write_text("mine")
    with pytest.raises(InputError, match=r"out/e\.jsonl: the file exists, and was not written by this command"):
        tag_files("shard_rules:first", ["in"], "out", to="prodigy")
    assert contents(home, hidden=True)["out/e.jsonl"] == b"mine"
    assert [path.name for path in (home / "out").iterdir()] == ["e.jsonl"]


# What goes wrong.


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bad_file_is_named_and_the_others_are_done(home: Path, jobs: int) -> None:
    """Then only it is tagged, when it is repaired."""
    expected = alone("shard_rules:fragile", home, to="prodigy")
    good = (home / "in" / "b.jsonl").read_bytes()
    (home / "in" / "b.jsonl").write_text('{"text": "fine", "spans": []}\n{"text": 5, "spans": []}\n')
    write_texts(home / "in" / "e.jsonl", ["a trap"])
    with pytest.raises(UsageError) as error:
        tag_files("shard_rules:fragile", ["in"], "out", to="prodigy", jobs=jobs)
    text = str(error.value)
    assert text.startswith("2 of 5 files could not be tagged: in/b.jsonl:2: ")
    assert "; in/e.jsonl: ValueError: a trap. The other files are done: run the same command again" in text
    assert contents(home / "out") == {name: expected[name] for name in ("a.jsonl", "deep/c.jsonl", "deep/d.jsonl.gz")}
    (home / "in" / "b.jsonl").write_bytes(good)
    write_texts(home / "in" / "e.jsonl", [f"w4x{at} and more" for at in range(5)])
    done = tag_files("shard_rules:fragile", ["in"], "out", to="prodigy", jobs=jobs)
    assert (done.files, done.resumed_files) == (5, 3)
    assert contents(home / "out") == expected


def test_if_all_files_are_bad_nothing_is_left(home: Path) -> None:
    for name in NAMES:
        write_texts(home / "in" / name, ["a trap"])
    with pytest.raises(UsageError) as error:
        tag_files("shard_rules:fragile", ["in"], "out", to="prodigy", jobs=1)
    assert str(error.value) == (
        "5 of 5 files could not be tagged: in/a.jsonl: ValueError: a trap; in/b.jsonl: ValueError: a trap; "
        "in/deep/c.jsonl: ValueError: a trap; and 2 more"
    )
    assert not (home / "out").exists()


@pytest.mark.parametrize(
    ("sources", "out", "options", "message"),
    [
        (["-"], "out", {"to": "prodigy"}, "standard input cannot be tagged into a folder"),
        (["in"], "in", {"to": "prodigy"}, "in/a.jsonl is in the output folder in. Write to another folder"),
        (["in"], ".", {"to": "prodigy"}, "in/a.jsonl is in the output folder"),
        (["in/a.jsonl", "in2/a.jsonl"], "out", {"to": "prodigy"}, "would both be written to a.jsonl. Rename one"),
        (["in"], "out", {}, "cannot choose a format to write: several formats use this extension"),
        (["in"], "out", {"to": "prodigy", "threshold": 0.5}, "--threshold works only with a model"),
        (["nothing"], "out", {"to": "prodigy"}, "nothing"),
        (["nothing*"], "out", {"to": "prodigy"}, "no file matches this pattern"),
        (["in"], "shard_rules.py", {"to": "prodigy"}, "is a file, not a folder"),
        (["in"], "out", {"to": "prodigy", "jobs": 0}, "jobs must be a whole number from 1"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_tagged(
    home: Path, sources: list[str], out: str, options: dict[str, Any], message: str
) -> None:
    write_texts(home / "in2" / "a.jsonl", ["one"])
    before = contents(home, hidden=True)
    with pytest.raises(KaratageError) as error:
        tag_files("shard_rules:logged", sources, out, **options)
    assert message in str(error.value)
    found = contents(home, hidden=True)
    assert {name: data for name, data in found.items() if "__pycache__" not in name} == before


def test_when_a_process_is_lost_the_others_work_is_done_here(home: Path) -> None:
    (home / "main").write_text(str(os.getpid()))
    done = tag_files("shard_rules:lost", ["in"], "out", to="prodigy", jobs=2)
    assert contents(home / "out") == alone("shard_rules:first", home, to="prodigy")
    assert all("The rest was tagged by one process" in warning for warning in done.warnings)


class _Forgetful:
    """An engine that does the work, and loses its answers."""

    jobs = 2

    def map(self, function: Callable[[Any], Any], parts: Iterable[Any]) -> Generator[Any, None, None]:
        for number, part in enumerate(parts):
            found = function(part)
            if number > 1:
                raise WorkLost("forgotten")
            yield found


def test_answers_that_are_lost_are_not_tagged_again(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work is recorded where it is done. Any engine will do."""
    monkeypatch.setattr(shard_tagging, "shared_engine", lambda *_, **__: _Forgetful())
    done = tag_files("shard_rules:logged", ["in"], "out", to="prodigy")
    assert len((home / "log").read_text().splitlines()) == 15
    assert (done.units, done.files) == (15, 5)
    assert done.warnings[0].startswith("forgotten. ")


def test_two_runs_do_not_write_into_one_folder(home: Path) -> None:
    from karatage._locking import locked

    (home / "out").mkdir()
    with locked(home / "out"), pytest.raises(UsageError, match="another run is writing to out"):
        tag_files("shard_rules:first", ["in"], "out", to="prodigy")


def test_a_model_that_changes_while_it_is_used(model: str, tmp_path: Path) -> None:
    """The file is named, and nothing is mixed."""
    write_conll(tmp_path / "a.conll", titles(5))
    job = TaggingJob(model, "", "sha256:other", str(tmp_path / "out"), TaggingOptions())
    shard = Shard(str(tmp_path / "a.conll"), "a.conll")
    found = shard_tagging.tag_shard(shard_tagging.ShardWork(job, shard, str(Path.cwd()), str(tmp_path / "0")))
    shard_tagging._opened.cache_clear()
    assert found.problem.startswith(f"{tmp_path / 'a.conll'}: {model} changed while it was used")
    assert found.counts == TaggingCounts()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals to a group of processes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_run_leaves_what_is_done_and_no_more(home: Path, number: signal.Signals) -> None:
    """Workers end with the command, however it ends; the next run removes what a killed one left behind."""
    (home / "pids").mkdir()
    write_texts(home / "in" / "z.jsonl", ["quick " + "x" * 999])  # the largest, which is first
    command = [sys.executable, "-m", "karatage", "tag", "shard_rules:slow", "in", "--to", "prodigy", "--out", "out"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(  # type: ignore[call-overload]
        [*command, "--jobs", "2"], env=safe_environment(), start_new_session=True, **pipes
    ) as process:
        end = time.monotonic() + 120
        while len(pids := list((home / "pids").iterdir())) < 2 or not (home / "out" / "z.jsonl").exists():
            assert time.monotonic() < end
            time.sleep(0.05)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert out == b""
    if number is not signal.SIGKILL:
        assert process.returncode == 128 + number
        assert err.decode().endswith(
            "interrupted. Run the same command again to resume: files that are done are kept\n"
        )
        kept = contents(home / "out", hidden=True)
        done = [name for name in kept if not name.startswith(".")]
        assert "z.jsonl" in done
        assert len(done) < 6
        assert sorted(kept) == sorted([*done, ".tagging/job.json", *(f".tagging/{name}.json" for name in done)])
    end = time.monotonic() + 60
    while any(alive(int(path.name)) for path in pids):
        assert time.monotonic() < end
        time.sleep(0.1)
    before = {path: path.stat().st_mtime_ns for path in (home / "out").glob("*.jsonl")}
    again = tag_files("shard_rules:slow", ["in"], "out", to="prodigy", jobs=1)
    assert (again.files, again.units) == (6, 16)
    assert again.resumed_files >= 1
    assert {path: path.stat().st_mtime_ns for path in before} == before
    found = contents(home / "out", hidden=True)
    assert sorted(name for name in found if not name.startswith(".tagging")) == [*NAMES, "z.jsonl"]
    assert {name: data for name, data in found.items() if name in NAMES} == alone(
        "shard_rules:first", home, to="prodigy"
    )


def alive(process: int) -> bool:
    """Whether a process runs; one that ended and that nobody asked for its end does not."""
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False)
    return bool(found.stdout.strip()) and not found.stdout.strip().startswith("Z")


# Which files there are, and what they are called.


def test_names_of_files(home: Path) -> None:
    """A file keeps its place below the folder, or below the part of a pattern without wildcards."""
    assert [one.name for one in find_shards(["in"])] == NAMES
    assert find_shards(["in/d*/*.jsonl", "in/a.jsonl"]) == (
        Shard("in/a.jsonl", "a.jsonl"), Shard("in/deep/c.jsonl", "deep/c.jsonl"),
    )  # fmt: skip
    assert [one.name for one in find_shards(["in/deep"])] == ["c.jsonl", "d.jsonl.gz"]
    assert [one.name for one in find_shards([f"{home}/*/e.jsonl"])] == ["in/e.jsonl"]
    assert [one.name for one in find_shards(["in/a.jsonl", "in/a.jsonl"])] == ["a.jsonl"]


def test_another_format_has_another_extension(home: Path) -> None:
    """Unless the file has one that fits; the compression stays."""
    del home
    assert [one.name for one in find_shards(["in"], to="conll")] == [
        "a.conll", "b.conll", "deep/c.conll", "deep/d.conll.gz", "e.conll",
    ]  # fmt: skip
    assert [one.name for one in find_shards(["in"], to="doccano")] == NAMES
    assert Shard("x", "deep.er/some.name.conll.gz").endings == ".conll.gz"


@pytest.mark.parametrize(
    ("inputs", "out", "to", "expected"),
    [
        (["in"], "new", None, True),
        (["in/*.jsonl"], "new", "conll", True),
        (["in/a.jsonl", "in/b.jsonl"], "new", None, True),
        (["in/a.jsonl"], "new", "conll", False),
        (["in/a.jsonl"], "new/", None, True),
        (["in/a.jsonl"], "in", None, True),
        (["in"], "new.conll", None, False),
        (["in"], "new.d/", None, True),
        (["in"], "new", "brat", False),
        (["in"], "-", "conll", False),
        (["-"], "new", "conll", False),
    ],
)
def test_when_a_folder_is_written(home: Path, inputs: list[str], out: str, to: str | None, expected: bool) -> None:
    del home
    assert writes_folder(inputs, out, to) is expected


# How many processes there are.

GIB = 1 << 30


@pytest.mark.parametrize(
    ("jobs", "parts", "memory", "on_gpu", "expected"),
    [
        (None, 99, GIB, False, 6),  # 5 further ones fit into 5.5 GiB
        (None, 99, 2 * GIB, False, 3),
        (None, 99, 6 * GIB, False, None),
        (None, 99, 0, False, 8),  # the system does not tell how much a process takes
        (None, 4, GIB, False, 4),
        (None, 1, GIB, False, None),
        (None, 99, GIB, True, None),
        (7, 99, 6 * GIB, True, 7),  # who says so has their way
        (7, 3, GIB, False, 3),
        (1, 99, GIB, False, None),
    ],
)
def test_a_process_per_core_as_far_as_memory_allows(
    monkeypatch: pytest.MonkeyPatch, jobs: int | None, parts: int, memory: int, on_gpu: bool, expected: int | None
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setattr(worker_count, "_available_memory", lambda: int(5.5 * GIB))
    engine = worker_count.shared_engine(Running(jobs=jobs), parts, memory=memory, on_gpu=on_gpu)
    assert (None if engine is None else engine.jobs) == expected
    assert engine is None or isinstance(engine, LocalProcesses)


def test_the_memory_of_a_container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its limit less what it takes, without the files that are kept in memory as long as there is room."""
    monkeypatch.setattr(worker_count, "_CONTAINER", tmp_path)
    for name, text in (
        ("memory.max", "5000\n"),
        ("memory.current", "3000"),
        ("memory.stat", "anon 9\ninactive_file 7"),
    ):
        (tmp_path / name).write_text(text)
    if Path("/proc/meminfo").exists():
        assert worker_count._available_memory() == 2007
        (tmp_path / "memory.max").write_text("max")
        whole = worker_count._available_memory()
        assert whole is not None
        assert whole > 1 << 20
        assert 1 << 20 < worker_count.used_memory() < 1 << 40
