"""Scoring and comparing large files on all cores, against one core of the same machine and against `wc -w`.

`python -m benchmarks.engine` runs it alone. Other work on the machine takes cores away, so the table starts with how
many of them were free. The command runs as `pip` installs it, with its modules compiled to bytecode.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.data import Rows, corpus, noisy, write_files
from karatage.engine import Running

Row = tuple[str, str, str, str]

# The peaks of the process itself and of the largest that it started, in KiB.
PEAKS = """
import atexit, pathlib, re, resource, sys
from karatage._start import main
status = pathlib.Path("/proc/self/status")
def tell():
    own = re.search(r"VmHWM:\\s+(\\d+)", status.read_text()).group(1)
    sys.stderr.write(f"{own} {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss}")
atexit.register(tell)
main()
"""

BUSY = "import time\nend = time.perf_counter() + 1\nwhile time.perf_counter() < end: pass\nprint(time.process_time())"


def free_cores(count: int) -> float:
    """Return how many cores so many busy processes get, for a second."""
    command = [sys.executable, "-c", BUSY]
    busy = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    return sum(float(process.communicate()[0]) for process in busy)


def run(command: str, files: Sequence[Path], *more: str) -> tuple[float, int, int]:
    """Score or compare files; return the seconds and the peaks of this process and of the largest that it started."""
    start = time.perf_counter()
    words = [sys.executable, "-c", PEAKS, command, *map(str, files), "--json", *more]
    compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(files[0].parent / "bytecode")}
    done = subprocess.run(
        words,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=True,
        text=True,
        env={**os.environ, **compiled},
    )
    *notes, peaks = done.stderr.splitlines()
    if notes:  # such as that a cluster is not used
        sys.exit("\n".join(notes))
    own, largest = map(int, peaks.split())
    return time.perf_counter() - start, own, largest


def cores(folder: Path, gold: Rows, pred: Rows, tokens: int, repeats: int = 3) -> list[Row]:
    """Score two files on one core and on all, with intervals and without, by turns."""
    engine = Running().chosen
    jobs = 1 if engine is None else engine.jobs
    ours, theirs, count = write_files(folder, gold, pred, tokens)
    run("score", (ours, theirs), "--jobs", str(jobs))  # compiles the modules
    out: list[Row] = [(f"free cores, of {jobs}", f"{free_cores(jobs):.1f}", "", f"{jobs}, for the rows below")]
    for name, more in (("without intervals", ("--resamples", "0")), ("with intervals", ())):
        runs: dict[int, list[tuple[float, int, int]]] = {1: [], jobs: []}
        words = []
        for _ in range(repeats):
            for own, taken in runs.items():
                taken.append(run("score", (ours, theirs), "--jobs", str(own), *more))
            start = time.perf_counter()
            subprocess.run(["wc", "-w", str(ours), str(theirs)], stdout=subprocess.DEVNULL, check=True)
            words.append(time.perf_counter() - start)
        one, every = (min(taken)[0] for taken in runs.values())
        main, largest = (max(run[k] for run in runs[jobs]) / 1024 for k in (1, 2))
        out += [
            (
                f"score two files of {count:,} tokens {name}, {jobs} processes / one",
                f"{every:.2f} s against {one:.2f} s",
                f"{every / one:.2f}×",
                "at most 0.65×",
            ),
            (
                f"the same / wc -w {name}",
                f"{every:.2f} s against {min(words):.2f} s",
                f"{every / min(words):.2f}×",
                "at most 1.3×",
            ),
            (
                f"peak memory {name}: this process, the largest other, all",
                f"{main:,.0f} MiB, {largest:,.0f} MiB, at most {main + (jobs - 1) * largest:,.0f} MiB",
                f"one process: {max(run[1] for run in runs[1]) / 1024:,.0f} MiB",
                "",
            ),
        ]
    ours.unlink()
    theirs.unlink()
    return out


def compared(folder: Path, gold: Rows, systems: Sequence[Rows], sizes: Sequence[int], repeats: int = 3) -> list[Row]:
    """Compare two systems, against scoring one of them, on one core and on all, by turns; then on larger files."""
    engine = Running().chosen
    jobs = sorted({1, 1 if engine is None else engine.jobs})
    out: list[Row] = []
    before: dict[int, float] = {}
    for tokens in sizes:
        files: list[Path] = []
        for number, own in enumerate(systems):
            ours, theirs, count = write_files(folder, gold, own, tokens)
            files.append(theirs.rename(folder / f"system-{number}.conll"))
        for processes in jobs:
            runs: dict[str, list[tuple[float, int, int]]] = {"score": [], "compare": []}
            for _ in range(repeats):
                for command, taken in runs.items():
                    chosen = files[:1] if command == "score" else files
                    taken.append(run(command, (ours, *chosen), "--jobs", str(processes)))
            one, all_ = (min(taken)[0] for taken in runs.values())
            peak = max(max(taken[1:]) for taken in runs["compare"]) / 1024
            growth = f"{peak / before[processes]:.2f}× that of fewer tokens" if processes in before else ""
            before.setdefault(processes, peak)
            out += [
                (
                    f"compare two systems on {count:,} tokens / score one, {processes} processes",
                    f"{all_:.2f} s against {one:.2f} s",
                    f"{all_ / one:.2f}×",
                    "at most 2.2×",
                ),
                (f"peak memory of it, the largest process, {processes} processes", f"{peak:,.0f} MiB", growth, ""),
            ]
        for path in (ours, *files):
            path.unlink()
    return out


def growth(folder: Path, gold: Rows, pred: Rows, tokens: int) -> list[Row]:
    """Compare the peak memory of scoring with that of files ten times as long."""
    peaks: dict[str, list[int]] = {"1": [], "2": []}
    for size in (tokens, 10 * tokens):
        ours, theirs, _ = write_files(folder, gold, pred, size)
        for jobs, found in peaks.items():
            found.append(max(run("score", (ours, theirs), "--jobs", jobs)[1:]))
        ours.unlink()
        theirs.unlink()
    return [
        (
            f"peak memory with intervals of ten times as many tokens as {tokens:,}, --jobs {jobs}",
            f"{large / 1024:,.0f} MiB against {small / 1024:,.0f} MiB",
            f"{large / small:.2f}×",
            "at most 1.15×",
        )
        for jobs, (small, large) in peaks.items()
    ]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        folder, (gold, pred) = Path(place), corpus(30_000)
        rows = cores(folder, gold, pred, tokens=10**7)
        rows += growth(folder, gold, pred, tokens=10**7)
        rows += compared(folder, gold, (pred, noisy(gold, seed=2)), sizes=(10**7, 10**8))
        for row in rows:
            print(" | ".join(row))
