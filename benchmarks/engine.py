"""Scoring large files on all cores, against one core of the same machine and against `wc -w`.

`python -m benchmarks.engine` runs it alone. Other work on the machine takes cores away, so the table starts with how
many of them were free.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.data import Rows, corpus, write_files
from karatage.engine import Running

Row = tuple[str, str, str, str]

# The peaks of the process itself and of the largest that it started, in KiB.
PEAKS = """
import atexit, pathlib, re, resource, sys
from karatage.cli import main
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


def scored(gold: Path, pred: Path, *more: str) -> tuple[float, int, int]:
    """Score two files; return the seconds and the peaks of this process and of the largest that it started."""
    start = time.perf_counter()
    command = [sys.executable, "-c", PEAKS, "score", str(gold), str(pred), "--json", *more]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True, text=True)
    own, largest = map(int, done.stderr.split())
    return time.perf_counter() - start, own, largest


def cores(folder: Path, gold: Rows, pred: Rows, tokens: int, repeats: int = 3) -> list[Row]:
    """Score two files on one core and on all, with intervals and without, by turns."""
    engine = Running().engine
    jobs = 1 if engine is None else engine.jobs
    ours, theirs, count = write_files(folder, gold, pred, tokens)
    out: list[Row] = [(f"free cores, of {jobs}", f"{free_cores(jobs):.1f}", "", f"{jobs}, for the rows below")]
    for name, more in (("without intervals", ("--resamples", "0")), ("with intervals", ())):
        runs: dict[int, list[tuple[float, int, int]]] = {1: [], jobs: []}
        words = []
        for _ in range(repeats):
            for own, taken in runs.items():
                taken.append(scored(ours, theirs, "--jobs", str(own), *more))
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
            (f"the same / wc -w {name}", f"{every:.2f} s against {min(words):.2f} s", f"{every / min(words):.2f}×", ""),
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


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        for row in cores(Path(place), *corpus(30_000), tokens=10**7):
            print(" | ".join(row))
