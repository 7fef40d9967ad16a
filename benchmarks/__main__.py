"""`make bench`: every claim about speed and memory, measured in this run, as ratios to the peer.

`make bench ARGS=--quick` takes a tenth of the data. The table is also written to `benchmarks/results/bench.md`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.data import TYPES, Rows, corpus, write_files

Row = tuple[str, str, str, str]
RESULTS = Path(__file__).parent / "results"


def best(work: Callable[[], object], repeats: int = 5) -> float:
    """Return the shortest of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def ratio_row(name: str, ours: float, theirs: float, least: float) -> Row:
    ratio = theirs / ours
    return (
        name,
        f"{ours * 1000:,.0f} ms against {theirs * 1000:,.0f} ms",
        f"{ratio:.1f}×",
        f"at least {least:g}×",
    )


def lists(gold: Rows, pred: Rows) -> list[Row]:
    """Python lists in, against seqeval and nervaluate."""
    import seqeval.metrics as peer
    from nervaluate import Evaluator

    import karat
    import karat.compat.seqeval.metrics as compat

    def score(like: str) -> float | None:
        return karat.score(gold, pred, like=like, resamples=0).headline.value

    f1 = best(lambda: peer.f1_score(gold, pred), 3)
    report = best(lambda: peer.classification_report(gold, pred), 1)
    four = best(lambda: Evaluator(gold, pred, tags=TYPES, loader="list").evaluate(), 1)
    if compat.classification_report(gold, pred) != peer.classification_report(gold, pred):
        raise AssertionError("the report differs from seqeval's")
    return [
        ratio_row("karat.score like seqeval / seqeval f1_score", best(lambda: score("seqeval")), f1, 20),
        ratio_row("compat f1_score / seqeval f1_score", best(lambda: compat.f1_score(gold, pred)), f1, 20),
        ratio_row(
            "compat classification_report / seqeval's",
            best(lambda: compat.classification_report(gold, pred)),
            report,
            80,
        ),
        ratio_row("karat.score like semeval2013 / nervaluate evaluate", best(lambda: score("semeval2013")), four, 80),
    ]


def command(*arguments: object) -> float:
    """Run a command; return its seconds."""
    start = time.perf_counter()
    subprocess.run([str(a) for a in arguments], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


# The peak of the process itself: what `wait4` tells includes the memory of the parent that it was forked from.
PEAK = """
import atexit, pathlib, re, sys
from karat.cli import main
status = pathlib.Path("/proc/self/status")
atexit.register(lambda: sys.stderr.write(re.search(r"VmHWM:\\s+(\\d+)", status.read_text()).group(1)))
main()
"""


def karat_score(gold: Path, pred: Path) -> tuple[float, int]:
    """Score two files with the command; return its seconds and its peak memory in KiB."""
    words = [sys.executable, "-c", PEAK, "score", str(gold), str(pred), "--json"]
    start = time.perf_counter()
    done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    return time.perf_counter() - start, int(done.stderr)


def files(folder: Path, gold: Rows, pred: Rows, sizes: list[int]) -> list[Row]:
    """Column files in, against `wc -w`; memory and time as the files grow."""
    out: list[Row] = []
    seconds: dict[int, float] = {}
    memory: dict[int, int] = {}
    tokens: dict[int, int] = {}
    for size in sizes:
        ours, theirs, tokens[size] = write_files(folder, gold, pred, size)
        runs = [karat_score(ours, theirs) for _ in range(3)]
        seconds[size], memory[size] = min(s for s, _ in runs), max(m for _, m in runs)
        if size == sizes[-2]:
            words = min(command("wc", "-w", ours, theirs) for _ in range(3))
            share = f"{seconds[size] / words:.2f}×"
            out.append(
                (
                    f"score two files of {tokens[size]:,} tokens / wc -w",
                    f"{seconds[size]:.2f} s against {words:.2f} s",
                    share,
                    "at most 4×",
                )
            )
        ours.unlink()
        theirs.unlink()
    large, largest = sizes[-2], sizes[-1]
    out.append((f"peak memory at {tokens[large]:,} tokens", f"{memory[large] / 1024:,.0f} MiB", "", "under 2,500 MB"))
    growth = memory[largest] / memory[large]
    out.append(
        (
            f"peak memory at {tokens[largest]:,} tokens",
            f"{memory[largest] / 1024:,.0f} MiB",
            f"{growth:.2f}×",
            "no higher",
        )
    )
    start = min(karat_score(*tiny(folder))[0] for _ in range(3))
    for size in sizes:
        per = (seconds[size] - start) / tokens[size] * 1e9
        out.append(
            (
                f"time per token at {tokens[size]:,} tokens",
                f"{per:,.0f} ns beyond the start of {start:.2f} s",
                "",
                "level",
            )
        )
    return out


def tiny(folder: Path) -> tuple[Path, Path]:
    path = folder / "tiny.conll"
    path.write_text("a B-X\n\n")
    return path, path


def start_up() -> list[Row]:
    """The command's start against importing NumPy."""
    ours = min(command(sys.executable, "-m", "karat", "--help") for _ in range(7))
    theirs = min(command(sys.executable, "-c", "import numpy") for _ in range(7))
    return [
        (
            "karat --help / import numpy",
            f"{ours * 1000:.0f} ms against {theirs * 1000:.0f} ms",
            f"{ours / theirs:.2f}×",
            "under 3×",
        )
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks")
    parser.add_argument("--quick", action="store_true", help="a tenth of the data")
    scale = 10 if parser.parse_args().quick else 1
    gold, pred = corpus(50_000 // scale)
    print(
        f"{len(gold):,} sentences, {sum(map(len, gold)):,} tokens, {len(TYPES)} types; the best of several runs each",
        flush=True,
    )
    rows = lists(gold, pred)
    with tempfile.TemporaryDirectory() as folder:
        rows += files(Path(folder), gold, pred, [n // scale for n in (100_000, 1_000_000, 10_000_000, 30_000_000)])
    rows += start_up()
    lines = [
        "| what | measured | ratio | wanted |",
        "|---|---|---|---|",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]
    text = "\n".join(lines)
    print(text)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "bench.md").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
