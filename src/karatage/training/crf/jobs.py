"""Trainings side by side, each in a process of its own: CRFsuite keeps Python's lock while it trains."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

import numpy as np

from karatage.errors import InputError
from karatage.training.crf.crf_settings import CrfSettings
from karatage.training.crf.crfsuite import Heard, train
from karatage.training.crf.features import Features
from karatage.training.crf.gazetteers import gazetteers_of
from karatage.training.examples import Examples
from karatage.training.settings import as_mapping, settings_from

_WORKER = "karatage.training.crf.worker"


@dataclass(frozen=True)
class Job:
    """One model to train.

    Attributes:
        examples: what it learns from.
        tags: the tag of each code.
        settings: how it is trained.
        lists: the entries of its gazetteers.
    """

    examples: Examples
    tags: Sequence[str]
    settings: CrfSettings
    lists: Mapping[str, Sequence[str]]

    def run(self, path: Path, heard: Heard) -> None:
        """Train in this process; the model is written into a file."""
        learned = self.examples
        features = Features(self.settings, gazetteers_of(self.lists, match_case=self.settings.match_case))
        columns = features.columns(learned.tokens, learned.groups)
        train(columns, learned.codes, learned.sizes, self.tags, self.settings, path, heard)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        learned = self.examples
        return {
            "tokens": [list(own) for own in learned.tokens],
            "groups": None if learned.groups is None else list(learned.groups),
            "codes": learned.codes.tolist(),
            "tags": list(self.tags),
            "settings": as_mapping(self.settings),
            "lists": {name: list(entries) for name, entries in self.lists.items()},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Job:
        """Read what `to_dict` gave."""
        sizes = np.array([len(own) for own in data["tokens"]], np.int64)
        return cls(
            Examples(data["tokens"], data["groups"], np.array(data["codes"], np.int64), sizes),
            data["tags"],
            settings_from(CrfSettings, data["settings"], "a training"),
            data["lists"],
        )


def run_jobs(jobs: Sequence[Job], workers: int, heard: Callable[[int, int, float], None]) -> list[bytes]:
    """Train several models; return the files that CRFsuite wrote, which do not depend on the number of workers.

    Args:
        jobs: the models.
        workers: how many are trained at a time.
        heard: is told the number of a job, of its iteration, and the loss, by one thread at a time.
    """
    with TemporaryDirectory() as folder:
        files = [Path(folder) / str(number) for number in range(len(jobs))]
        if workers < 2 or len(jobs) < 2:
            for number, (job, path) in enumerate(zip(jobs, files, strict=True)):
                job.run(path, partial(heard, number))
        else:
            _run_apart(jobs, files, workers, heard)
        return [path.read_bytes() for path in files]


def _run_apart(
    jobs: Sequence[Job], files: Sequence[Path], workers: int, heard: Callable[[int, int, float], None]
) -> None:
    """Train each model in a process of its own."""
    with ThreadPoolExecutor(workers) as pool:
        apart = _Apart(heard)
        waiting = [pool.submit(apart.run, number, job, files[number]) for number, job in enumerate(jobs)]
        try:
            for future in waiting:
                future.result()
        except BaseException:
            apart.stop()
            raise


@dataclass
class _Apart:
    """Processes that train.

    Attributes:
        heard: is told of iterations.
        running: the processes that were started.
        stopped: whether no more of them may start.
        lock: held by the one who speaks, starts or stops.
    """

    heard: Callable[[int, int, float], None]
    running: list[subprocess.Popen[str]] = field(default_factory=list)
    stopped: bool = False
    lock: Lock = field(default_factory=Lock)

    def run(self, number: int, job: Job, path: Path) -> None:
        """Train one model."""
        asked, said = path.with_suffix(".json"), path.with_suffix(".err")
        asked.write_text(json.dumps(job.to_dict()), "utf-8")
        with said.open("w", encoding="utf-8") as errors:
            process = self._started(asked, path, errors.fileno())
            if process is None:
                return
            with process:
                try:
                    for line in process.stdout or ():
                        iteration, loss = line.split()
                        with self.lock:
                            self.heard(number, int(iteration), float(loss))
                except BaseException:
                    process.kill()
                    raise
        if process.returncode and not self.stopped:
            last = (said.read_text("utf-8", "replace").strip().splitlines() or [f"exit code {process.returncode}"])[-1]
            raise InputError(f"the training of a group ended early ({last})")

    def _started(self, asked: Path, path: Path, errors: int) -> subprocess.Popen[str] | None:
        with self.lock:
            if self.stopped:
                return None
            process = subprocess.Popen(  # noqa: S603  # this very Python, and paths of ours
                [sys.executable, "-m", _WORKER, str(asked), str(path)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                encoding="utf-8",
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
            self.running.append(process)
            return process

    def stop(self) -> None:
        """End all processes, and let no more start."""
        self.stopped = True
        with self.lock:
            for process in self.running:
                process.kill()
