"""Scoring large files on a Ray cluster of two nodes on this machine: two workers against one.

`python -m benchmarks.engine_ray [TOKENS]` runs it. The nodes have one core each and are started first, as a cluster
would be. By default, the files are so large that one worker takes a little more than a minute, which takes three to
four minutes in all; files of less than 4·10⁶ tokens are not read in parts. Other work on the machine takes cores away,
so the first line says how many were free.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from shutil import disk_usage

from tests.ray_nodes import Nodes

from benchmarks.data import corpus, write_files
from benchmarks.engine import free_cores, run

SECONDS = 75
"""How long one worker is to work, at least about a minute."""
SAMPLE = 2 * 10**7
"""The tokens of the files that tell how many that takes."""


def timed_runs(gold: Path, pred: Path, repeats: int) -> dict[int, float]:
    """Score two files with one worker and with two, by turns; return the shortest time of each, in seconds."""
    nodes = Nodes(1, 1, path=gold.parent)
    before = dict(os.environ)
    os.environ |= nodes.environment
    try:
        taken: dict[int, list[float]] = {1: [], 2: []}
        for _ in range(repeats):
            for workers, times in taken.items():
                more = ("--engine", f"ray:{nodes.address}", "--jobs", str(workers), "--resamples", "0")
                times.append(run("score", (gold, pred), *more)[0])
        return {workers: min(times) for workers, times in taken.items()}
    finally:
        os.environ.clear()
        os.environ |= before
        nodes.stop()


def enough(folder: Path, seconds: float) -> int:
    """Return how many tokens one worker takes so many seconds for, from smaller files in one process."""
    gold, pred, count = write_files(folder, *corpus(30_000), SAMPLE)
    more = ("score", (gold, pred), "--jobs", "1", "--resamples", "0")
    run(*more)  # compiles the modules
    wanted = int(count * seconds / run(*more)[0])
    size = (gold.stat().st_size + pred.stat().st_size) / count
    gold.unlink()
    pred.unlink()
    return min(wanted, int(disk_usage(folder).free / 2 / size))


def main(tokens: int | None) -> None:
    """Print the times and their ratio."""
    print(f"free cores, of 2: {free_cores(2):.1f}", flush=True)
    with tempfile.TemporaryDirectory() as place:
        gold, pred, count = write_files(Path(place), *corpus(30_000), tokens or enough(Path(place), SECONDS))
        taken = timed_runs(gold, pred, repeats=1 if tokens is None else 2)
    print(f"{count:,} tokens: {taken[1]:.1f} s with one worker, {taken[2]:.1f} s with two")
    print(f"two workers / one: {taken[1] / taken[2]:.2f}× as fast; wanted: at least 1.7× on work of a minute or more")


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else None)
