"""How long something takes, and how much memory a command needs."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Callable


def best(work: Callable[[], object], repeats: int = 5) -> float:
    """Return the shortest of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        gc.collect()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def cpu_time(work: Callable[[], object], repeats: int = 5) -> float:
    """Return the least CPU time of several runs, over all threads, in seconds."""
    times = []
    for _ in range(repeats):
        gc.collect()
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


# The peak of the process itself: what `wait4` tells includes the memory of the parent that it was forked from.
PEAK = """
import atexit, pathlib, re, sys
from karatage.cli import main
status = pathlib.Path("/proc/self/status")
atexit.register(lambda: sys.stderr.write(re.search(r"VmHWM:\\s+(\\d+)", status.read_text()).group(1)))
main()
"""


def karatage_command(*words: object) -> tuple[float, int]:
    """Run the command `karatage`; return its seconds and its peak memory in KiB."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True
    )
    return time.perf_counter() - start, int(done.stderr)
