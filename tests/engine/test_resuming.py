"""Work that was interrupted: the same command takes what was finished from a folder, and nothing else."""

from __future__ import annotations

import hmac
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.command import run
from tests.ray_nodes import need_ray
from tests.scoring.test_folding import GOOD, corpus, outcome, write

from karatage._processes import safe_environment
from karatage.engine import LocalProcesses, Resumed, Running, resuming
from karatage.errors import EngineError
from karatage.inputs import cutting
from karatage.scoring import folding

WORK = """
import pathlib, time
from karatage.scoring.folding import fold_part

def noted(part):
    path, number = part
    with open(path.parent / "calls", "a") as calls:
        calls.write(f"{number} ")
    return number * 2

def slow_fold(part):
    time.sleep(0.3)
    return fold_part(part)
"""


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a module that workers can import, too."""
    (tmp_path / "resumed_work.py").write_text(WORK)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "resumed_work", raising=False)
    import resumed_work  # type: ignore[import-not-found]

    return resumed_work


class Noted:
    """Work on a file, which notes what is done."""

    def __init__(self, folder: Path, work: Any) -> None:
        self.file, self.kept, self._work = folder / "file", folder / "kept", work
        self.file.write_text("a")

    def done(self, count: int = 5, jobs: int = 1) -> tuple[list[int], list[int]]:
        """Do so many parts; return the results, and which parts were not kept before."""
        calls = self.file.with_name("calls")
        calls.write_text("")
        found = list(
            Resumed(LocalProcesses(jobs), self.kept).map(self._work.noted, [(self.file, n) for n in range(count)])
        )
        return found, sorted(map(int, calls.read_text().split()))

    @property
    def entries(self) -> list[Path]:
        return sorted(self.kept.glob("*/*.kept"))


@pytest.fixture
def noted(tmp_path: Path, work: Any) -> Noted:
    return Noted(tmp_path, work)


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_finished_is_not_done_again(noted: Noted, jobs: int) -> None:
    assert noted.done(3, jobs) == ([0, 2, 4], [0, 1, 2])
    assert noted.done(5, jobs) == ([0, 2, 4, 6, 8], [3, 4])
    assert noted.done(5, jobs) == ([0, 2, 4, 6, 8], [])
    assert len(noted.entries) == 5


def test_a_file_that_changed_is_read_again(noted: Noted) -> None:
    noted.done()
    noted.file.write_text("bb")
    assert noted.done()[1] == [0, 1, 2, 3, 4]


def test_another_version_does_everything_again(noted: Noted, monkeypatch: pytest.MonkeyPatch) -> None:
    noted.done()
    monkeypatch.setattr(resuming, "__version__", "0.0.1")
    assert noted.done()[1] == [0, 1, 2, 3, 4]


class Bomb:
    """A pickle that runs code when it is read."""

    def __reduce__(self) -> Any:
        return os.mkdir, ("exploded",)


def test_what_others_wrote_is_not_read(noted: Noted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a signature, with one of another key, with that of another part, cut off, or with one bit changed."""
    monkeypatch.chdir(tmp_path)
    noted.done()
    bomb = pickle.dumps(Bomb())
    one, other, cut, flipped, empty = noted.entries
    one.write_bytes(bomb)
    other.write_bytes(hmac.digest(b"k" * 32, other.name.encode() + bomb, "sha256") + bomb)
    flipped.write_bytes(flipped.read_bytes()[:-1] + bytes([flipped.read_bytes()[-1] ^ 1]))
    signed_for_another = cut.read_bytes()
    cut.write_bytes(signed_for_another[:-1])
    empty.write_bytes(signed_for_another)
    assert noted.done() == ([0, 2, 4, 6, 8], [0, 1, 2, 3, 4])
    assert not (tmp_path / "exploded").exists()
    assert noted.done()[1] == []


def test_the_key_is_the_users_alone(noted: Noted) -> None:
    noted.done()
    key = noted.kept / "karatage.key"
    assert key.stat().st_mode & 0o777 == 0o600
    resuming._key.cache_clear()
    key.chmod(0o640)
    with pytest.raises(EngineError, match="karatage.key must be yours alone"):
        noted.done()
    key.chmod(0o600)
    key.write_bytes(b"short")
    with pytest.raises(EngineError, match="karatage.key must be yours alone, with 32 bytes"):
        noted.done()


def test_a_folder_with_something_else_is_refused(noted: Noted) -> None:
    noted.kept.mkdir()
    (noted.kept / "thesis.tex").touch()
    with pytest.raises(EngineError, match="kept has no file karatage.key. Choose a new folder"):
        noted.done()
    assert list(noted.kept.iterdir()) == [noted.kept / "thesis.tex"]


def test_a_file_in_place_of_the_folder_is_refused(noted: Noted) -> None:
    noted.kept.touch()
    with pytest.raises(EngineError, match="--resume: .*kept: is a file, not a folder"):
        noted.done()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_part_that_cannot_be_kept_is_an_error(noted: Noted, jobs: int) -> None:
    """And not a reason to do everything in one process."""
    noted.done(0)
    for first in range(256):
        (noted.kept / f"{first:02x}").touch()
    with pytest.raises(EngineError, match="finished parts cannot be kept"):
        noted.done(5, jobs)


def test_one_process_can_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "_LEAST", 0)
    monkeypatch.setattr(cutting, "_LEAST", 100)
    gold, pred = write(tmp_path, *corpus(random.Random(1), 60))
    known = outcome(gold, pred, 1)
    assert outcome(gold, pred, 1, resume=tmp_path / "kept") == known
    entries = {path: path.stat().st_mtime_ns for path in tmp_path.glob("kept/*/*.kept")}
    assert len(entries) > 2
    assert outcome(gold, pred, 1, resume=tmp_path / "kept") == known
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("kept/*/*.kept")} == entries
    assert Running(jobs=1, resume=tmp_path / "kept").chosen is not None


def test_the_command_says_what_is_wrong_with_the_folder(tmp_path: Path) -> None:
    gold, pred = write(tmp_path, GOOD, GOOD)
    done = run("score", gold, pred, "--resume", tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("karatage: --resume: ")
    assert done.stderr.count("\n") == 1


SLOW = """
import sys
sys.path.insert(0, {folder!r})
import resumed_work
from karatage._start import main
from karatage.inputs import cutting
from karatage.scoring import folding
folding._LEAST, cutting._LEAST, cutting._MOST = 0, 100, 150
if {slow}:
    folding.fold_part = resumed_work.slow_fold
    folding.fold_part.__module__, folding.fold_part.__qualname__ = {names!r}
main()
"""


@pytest.mark.parametrize(
    ("how", "ray"),
    [
        (signal.SIGINT, False),
        (signal.SIGKILL, False),
        (signal.SIGKILL, True),
        pytest.param(signal.SIGINT, True, marks=pytest.mark.slow),
    ],
)
@pytest.mark.usefixtures("work")
def test_an_interrupted_run_is_resumed_by_the_same_command(tmp_path: Path, how: int, ray: bool) -> None:
    if ray:
        need_ray()
    gold, pred = write(tmp_path, *corpus(random.Random(2), 60))
    known = run("score", gold, pred, "--json").stdout
    more = ["--engine", "ray"] if ray else []
    code = SLOW.format(folder=str(tmp_path), slow=True, names=("resumed_work", "slow_fold"))
    command = [sys.executable, "-c", code, "score", str(gold), str(pred), "--json", "--jobs", "2", *more]
    command += ["--resume", str(tmp_path / "kept")]
    environment = safe_environment() | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    with subprocess.Popen(command, env=environment, start_new_session=True, stdout=subprocess.DEVNULL) as own:
        end = time.monotonic() + 120
        while len(kept := list(tmp_path.glob("kept/*/*.kept"))) < 3:
            assert time.monotonic() < end
            assert own.poll() is None, "it was done before it could be interrupted"
            time.sleep(0.05)
        os.killpg(own.pid, how)
    assert own.returncode == (130 if how == signal.SIGINT else -9)
    written = {path: path.stat().st_mtime_ns for path in kept}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (known, "")
    assert {path: path.stat().st_mtime_ns for path in kept} == written, "what was finished was done again"
    assert len(list(tmp_path.glob("kept/*/*.kept"))) > len(kept)
