"""Workers that start before the command does: where a command line names a large file, and only there."""

from __future__ import annotations

import math
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from karatage.engine import LocalProcesses, head_start, local_processes, start_early


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the path of a file that counts as large."""
    monkeypatch.setattr(head_start, "LARGE", 8)
    (tmp_path / "gold.conll").write_text("a B-X\nb O\n\n")
    return str(tmp_path / "gold.conll")


@pytest.fixture(autouse=True)
def nobody_left() -> Iterator[None]:
    """End workers that nobody took."""
    yield
    while local_processes._ahead:
        process = local_processes._ahead.pop()
        process.kill()
        process.communicate()


def started(*words: str) -> int:
    """Return how many workers a command line starts."""
    before = len(local_processes._ahead)
    start_early(words, ["math"])
    return len(local_processes._ahead) - before


def test_a_large_file_starts_all_workers_but_one(file: str) -> None:
    assert started(file, file, "--jobs", "3") == 2
    assert started("--jobs=2", file, "-") == 1


def test_the_number_of_cores_is_the_default(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karatage.engine.running.usable_cores", lambda: 3)
    assert started(file, "--json") == 2


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize("start", ['{"tokens": []}', "\n [[1, 2, 3]]", "\x1f\x8bxxxxxxxx", "a O\n\n"])
def test_small_files_and_other_formats_start_nothing(start: str, tmp_path: Path) -> None:
    """Compressed files and JSON are not read in parts; 5 bytes are fewer than 8."""
    (tmp_path / "other").write_bytes(start.encode("latin-1"))
    assert started(str(tmp_path / "other"), "--jobs", "2") == 0


@pytest.mark.parametrize("words", [["--jobs", "1"], ["--jobs", "no"], ["--jobs"], ["--jobs=0"], ["--jobs", "-2"]])
def test_one_process_and_wrong_numbers_start_nothing(words: list[str], file: str) -> None:
    assert started(file, *words) == 0


@pytest.mark.usefixtures("file")
def test_words_that_are_no_files_start_nothing(tmp_path: Path) -> None:
    assert started("--json", "missing.conll", "nul\0", str(tmp_path), "--jobs", "2") == 0


def test_work_is_done_by_workers_that_were_started_ahead(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And by further ones, if there are too few."""
    later: list[subprocess.Popen[bytes]] = []
    ahead = started(file, "--jobs", "2")
    (process,) = local_processes._ahead
    start = local_processes._start_worker

    def remembered(*modules: str) -> subprocess.Popen[bytes]:
        later.append(start(*modules))
        return later[-1]

    monkeypatch.setattr(local_processes, "_start_worker", remembered)
    assert list(LocalProcesses(2).map(math.sqrt, [4.0] * 9)) == [2.0] * 9
    assert (ahead, local_processes._ahead, later) == (1, [], [])
    assert process.returncode is not None  # it ended with the work
    started(file, "--jobs", "2")
    later.clear()
    assert list(LocalProcesses(3).map(math.sqrt, [4.0] * 9)) == [2.0] * 9
    assert len(later) == 1


def test_where_no_worker_can_be_started_the_command_goes_on(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", os.devnull)
    assert started(file, "--jobs", "2") == 0


def test_libraries_leave_the_cores_to_the_workers(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """NumPy's linear algebra starts a thread for each core when it is imported, unless users say how many they want."""
    without = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    monkeypatch.setattr(os, "environ", without | {"OMP_NUM_THREADS": "3"})
    assert started(file, "--jobs", "1") == 0
    assert "OPENBLAS_NUM_THREADS" not in os.environ
    assert started(file, "--jobs", "2") == 1
    assert (os.environ["OPENBLAS_NUM_THREADS"], os.environ["OMP_NUM_THREADS"]) == ("1", "3")
