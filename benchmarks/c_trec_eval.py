"""The command `karatage score` beside trec_eval itself, on large runs: `python -m benchmarks.c_trec_eval`.

trec_eval is its own C code, which the wheel of pytrec_eval carries, compiled with -O3. All commands take turns. The CPU
time says more than the time where other work takes cores away.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

Row = tuple[str, str, str, str]

TREC_EVAL = ("ndcg_cut.10", "map", "recip_rank", "P.10", "recall.1000")
KARATAGE = ("nDCG@10", "AP", "RR", "P@10", "R@1000")

# A small process that starts the command: what is told of children includes the memory of who forks them.
WATCH = """
import os, resource, subprocess, sys, time
cores, *command = sys.argv[1:]
if int(cores):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(cores)])
start = time.perf_counter()
subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


class Usage(NamedTuple):
    """What a command takes.

    Attributes:
        wall: its seconds.
        cpu: the seconds of CPU time, of all its processes.
        peak: the memory of its largest process, in KiB.
    """

    wall: float
    cpu: float
    peak: int

    def __str__(self) -> str:
        return f"{self.wall:.2f} s, {self.cpu:.2f} s of CPU time, {self.peak / 1024:,.0f} MiB"


def usage(command: list[str], cores: int = 0) -> Usage:
    """Run a command on so many cores, or on all; return what it takes."""
    watched = [sys.executable, "-c", WATCH, str(cores), *command]
    wall, cpu, peak = subprocess.run(watched, stdout=subprocess.PIPE, check=True, text=True).stdout.split()
    return Usage(float(wall), float(cpu), int(peak))


def score(qrels: Path, run: Path, *more: str) -> list[str]:
    """Return the command that scores a run."""
    metrics = [word for name in KARATAGE for word in ("-m", name)]
    return [sys.executable, "-m", "karatage", "score", str(qrels), str(run), "--json", *metrics, *more]


def trec_eval(qrels: Path, run: Path) -> list[str]:
    """Return trec_eval's command."""
    measures = [word for name in TREC_EVAL for word in ("-m", name)]
    return [sys.executable, "-m", "tests.parity.trec_eval_peer", *measures, str(qrels), str(run)]


def beside_trec_eval(qrels: Path, run: Path, wanted: str, repeats: int = 3) -> list[Row]:
    """Score a run by both commands, on one core and on all; `wanted` says what the ratios should be."""
    what = f"{run.stat().st_size / 1e6:,.0f} MB, five measures, as a command"
    if find_spec("pytrec_eval_ext") is None:
        return [(what, "pytrec_eval is not installed", "", wanted)]
    tiny = [run.with_name(f"tiny.{kind}") for kind in ("qrels", "run")]
    for path, text in zip(tiny, ("q 0 d 1\n", "q Q0 d 1 1 x\n"), strict=True):
        path.write_text(text, "utf-8")
    alone = ("--jobs", "1")
    ways = {
        "trec_eval": (trec_eval(qrels, run), 1),
        "start-up of Karatage": (score(*tiny, "--resamples", "0", *alone), 1),
        "Karatage on one core, without intervals": (score(qrels, run, "--resamples", "0", *alone), 1),
        "Karatage on one core, with intervals": (score(qrels, run, *alone), 1),
        "Karatage on all cores, without intervals": (score(qrels, run, "--resamples", "0"), 0),
        "Karatage on all cores, with intervals": (score(qrels, run), 0),
    }
    runs: dict[str, list[Usage]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, (command, cores) in ways.items():
            runs[name].append(usage(command, cores))
    found = {name: Usage(*map(min, zip(*own, strict=True))) for name, own in runs.items()}
    peer = found.pop("trec_eval")
    out = [(f"{what}: trec_eval", str(peer), "", "")]
    for name, own in found.items():
        ratios = f"{peer.wall / own.wall:.1f}×, {peer.cpu / own.cpu:.1f}×, {peer.peak / own.peak:.1f}×"
        out.append((f"{what}: {name}", str(own), ratios, wanted if name.startswith("Karatage") else ""))
    return out


def rows(scale: int = 1) -> list[Row]:
    """Measure runs of two sizes."""
    from benchmarks.search import write_trec

    out: list[Row] = []
    for queries, wanted in ((1000, ""), (10_000, "above 1× each")):
        with tempfile.TemporaryDirectory() as folder:
            out += beside_trec_eval(*write_trec(Path(folder), queries // scale), wanted)
    return out


if __name__ == "__main__":
    for line in rows(10 if "--quick" in sys.argv else 1):
        print("| " + " | ".join(line) + " |", flush=True)
