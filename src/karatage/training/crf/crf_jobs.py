"""Parallel trainings, each in its own process: CRFsuite holds Python's lock while it trains."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from karatage._processes import safe_environment
from karatage._temporaries import scratch_folder, unnamed_file
from karatage._writing import create_file
from karatage.errors import InputError
from karatage.training.crf.crf_settings import CrfSettings
from karatage.training.crf.crfsuite import OnIteration, train
from karatage.training.crf.features import Features
from karatage.training.crf.gazetteers import gazetteers_of
from karatage.training.examples import Examples
from karatage.training.settings import settings_from, to_mapping

_WORKER = "karatage.training.crf.crf_worker"


OnJobIteration = Callable[[int, int, float], None]
"""Called with the number of a job, the number of its iteration, and the loss."""


@dataclass(frozen=True)
class CrfJob:
    """One model to train; `lists` are the entries of its gazetteers."""

    examples: Examples
    tags: Sequence[str]
    settings: CrfSettings
    lists: Mapping[str, Sequence[str]]

    def run(self, path: Path, on_iteration: OnIteration) -> None:
        """Train in this process, and write the model to a file."""
        learned = self.examples
        features = Features(self.settings, gazetteers_of(self.lists, match_case=self.settings.match_case))
        columns = features.columns(learned.tokens, learned.groups)
        train(
            columns=columns,
            codes=learned.codes,
            sizes=learned.sizes,
            tags=self.tags,
            settings=self.settings,
            path=path,
            on_iteration=on_iteration,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        learned = self.examples
        return {
            "tokens": [list(own) for own in learned.tokens],
            "groups": None if learned.groups is None else list(learned.groups),
            "codes": learned.codes.tolist(),
            "tags": list(self.tags),
            "settings": to_mapping(self.settings),
            "lists": {name: list(entries) for name, entries in self.lists.items()},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CrfJob:
        """Read what `to_dict` returned."""
        sizes = np.array([len(own) for own in data["tokens"]], np.int64)
        return cls(
            Examples(data["tokens"], data["groups"], np.array(data["codes"], np.int64), sizes),
            data["tags"],
            settings_from(CrfSettings, data["settings"], "settings of crf"),
            data["lists"],
        )


def run_jobs(jobs: Sequence[CrfJob], workers: int, on_iteration: OnJobIteration) -> list[bytes]:
    """Train several models; return the files that CRFsuite wrote, which do not depend on the number of workers.

    `on_iteration` is called by one thread at a time.
    """
    with scratch_folder() as folder:
        files = [folder / str(number) for number in range(len(jobs))]
        if workers < 2 or len(jobs) < 2:
            for number, (job, path) in enumerate(zip(jobs, files, strict=True)):
                job.run(path, partial(on_iteration, number))
        else:
            _run_in_processes(jobs, files, workers, on_iteration)
        return [path.read_bytes() for path in files]


def _run_in_processes(
    jobs: Sequence[CrfJob], files: Sequence[Path], workers: int, on_iteration: OnJobIteration
) -> None:
    """Train each model in its own process."""
    with ThreadPoolExecutor(workers) as pool:
        processes = _Workers(on_iteration)
        waiting = [pool.submit(processes.run, number, job, files[number]) for number, job in enumerate(jobs)]
        try:
            for future in waiting:
                future.result()
        except BaseException:
            processes.stop()
            raise


@dataclass
class _Workers:
    """Processes that train.

    Attributes:
        lock: held while reporting, starting or stopping.
    """

    on_iteration: OnJobIteration
    running: list[subprocess.Popen[str]] = field(default_factory=list)
    stopped: bool = False
    lock: Lock = field(default_factory=Lock)

    def run(self, number: int, job: CrfJob, path: Path) -> None:
        """Train one model."""
        job_file = path.with_suffix(".json")
        create_file(job_file, json.dumps(job.to_dict()))
        with unnamed_file() as errors:
            process = self._start(job_file, path, errors.fileno())
            if process is None:
                return
            with process:
                try:
                    for line in process.stdout or ():
                        iteration, loss = line.split()
                        with self.lock:
                            self.on_iteration(number, int(iteration), float(loss))
                except BaseException:
                    process.kill()
                    raise
            if process.returncode and not self.stopped:
                errors.seek(0)
                lines = errors.read().decode("utf-8", "replace").strip().splitlines()
                last = lines[-1] if lines else f"exit code {process.returncode}"
                raise InputError(f"the training of a category failed ({last})")

    def _start(self, job_file: Path, path: Path, errors: int) -> subprocess.Popen[str] | None:
        with self.lock:
            if self.stopped:
                return None
            process = subprocess.Popen(  # noqa: S603  # this Python, and our own paths
                [sys.executable, "-m", _WORKER, str(job_file), str(path)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                encoding="utf-8",
                env=safe_environment(),
            )
            self.running.append(process)
            return process

    def stop(self) -> None:
        """Kill all processes, and start no more."""
        self.stopped = True
        with self.lock:
            for process in self.running:
                process.kill()
