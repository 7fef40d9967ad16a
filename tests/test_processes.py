"""Nothing in the current folder is imported by accident, by the command or by a process that it starts."""

from __future__ import annotations

import math
import multiprocessing
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import karatage
from karatage._processes import forget_current_folder, safe_environment, safe_spawning
from karatage.engine import LocalProcesses
from karatage.experiments.machine import current_code
from karatage.taggers import open_tagger

SOURCE = Path(karatage.__file__).parent
STARTS = {
    "comparison/git_versions.py": "git, with fixed words",
    "engine/local_processes.py": "workers, in a safe environment",
    "engine/ray_cluster.py": "the process that talks to Ray, in a safe environment",
    "experiments/machine.py": "git, with fixed words",
    "reports/github.py": "gh, with fixed words",
    "training/crf/crf_jobs.py": "workers, in a safe environment",
}
STARTING = re.compile(r"^\s*(?:import|from) (?:subprocess|multiprocessing|joblib|runpy|pty)\b|ProcessPool", re.M)
PLANTED = "import pathlib\npathlib.Path(__file__).with_suffix('.ran').touch()\nraise SystemExit('planted')\n"


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with modules that have the names of others the current one."""
    for name in ("numpy", "pickle", "polars", "json"):
        (tmp_path / f"{name}.py").write_text(PLANTED)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ran(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.ran"))


def test_only_known_modules_start_processes() -> None:
    """A new one has to be added to the list above, with how it keeps the current folder out."""
    found = {str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if STARTING.search(path.read_text("utf-8"))}
    assert found == set(STARTS)


def test_a_worker_does_not_import_from_the_current_folder(planted: Path) -> None:
    """As the parallel training of CRFs starts it: `python -m` looks in the current folder first."""
    command = [sys.executable, "-m", "karatage.training.crf.crf_worker", "missing.json", "model"]
    done = subprocess.run(command, env=safe_environment(), capture_output=True, text=True, check=False)
    assert "missing.json" in done.stderr.splitlines()[-1]  # it came as far as its job
    assert ran(planted) == []


def test_a_worker_of_the_engine_does_not_import_from_the_current_folder(planted: Path) -> None:
    assert list(LocalProcesses(2).map(math.sqrt, [4.0] * 1000)) == [2.0] * 1000
    assert ran(planted) == []


def test_a_spawned_process_does_not_import_from_the_current_folder(planted: Path) -> None:
    """Python starts it with the current folder first, before multiprocessing gives it the path of its parent."""
    before = dict(os.environ)
    with safe_spawning():
        child = multiprocessing.get_context("spawn").Process(target=os.getpid)
        child.start()
    child.join(60)
    assert child.exitcode == 0
    assert ran(planted) == []
    assert dict(os.environ) == before


@pytest.mark.parametrize("module", ["karatage", "karatage.compat.trec_eval", "karatage.compat.sigir19"])
def test_python_m_forgets_the_current_folder(planted: Path, module: str) -> None:
    """What Python itself loads before the command runs can still be replaced: that is what `python -P -m` is for."""
    (planted / "json.py").unlink()
    (planted / "a.qrels").write_text("q 0 d 1\n")
    (planted / "a.run").write_text("q Q0 d 1 1.0 x\n")
    arguments = {"karatage": ["score", "a.qrels", "a.run"], "karatage.compat.trec_eval": ["a.qrels", "a.run"]}
    command = [sys.executable, "-m", module, *arguments.get(module, ["-g", "a.qrels", "-p", "a.run"])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "planted" not in done.stderr
    assert ran(planted) == []


def test_only_the_current_folder_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for first, left in (("", ["x"]), (str(tmp_path), ["x"]), (str(tmp_path.parent), [str(tmp_path.parent), "x"])):
        monkeypatch.setattr(sys, "path", [first, "x"])
        forget_current_folder()
        assert sys.path == left


def test_a_tagger_is_imported_from_the_current_folder_and_nothing_else_by_accident(
    planted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MODULE:FUNCTION names a module here on purpose; it finds others beside it, and installed ones first."""
    (planted / "colorsys.py").write_text("import beside, sched\ntag = lambda text: [(0, 1, beside.LABEL)]\n")
    (planted / "beside.py").write_text("LABEL = 'X'\n")
    (planted / "sched.py").write_text(PLANTED)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place not in ("", str(planted))])
    for name in ("colorsys", "beside", "sched"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    try:
        assert list(open_tagger("colorsys:tag").tag(["a"]).labels) == ["X"]  # not the standard library's
        assert ran(planted) == []
    finally:
        for name in ("colorsys", "beside"):
            sys.modules.pop(name, None)


def test_git_runs_no_program_of_a_repository(tmp_path: Path) -> None:
    """A repository can name a program that watches its files."""

    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True, capture_output=True)

    try:
        git("init")
    except OSError:
        pytest.skip("git is not installed")
    (tmp_path / "a").write_text("a")
    git("add", "a")
    git("-c", "user.name=x", "-c", "user.email=x@x", "commit", "-m", "x")
    watch = tmp_path / "watch.sh"
    watch.write_text(f"#!/bin/sh\ntouch {tmp_path}/watched.ran\n")
    watch.chmod(0o755)
    git("config", "core.fsmonitor", str(watch))
    assert current_code(tmp_path).dirty is False
    assert ran(tmp_path) == []
