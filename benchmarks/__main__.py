"""`make bench`: every claim about speed and memory, measured in this run, as ratios to the peer.

`make bench ARGS=--quick` takes a tenth of the data. The table is also written to `benchmarks/results/bench.md`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from benchmarks import crf, draw, engine, search
from benchmarks.data import TYPES, Rows, corpus, noisy, write_files
from benchmarks.timing import best, karatage_command

Row = tuple[str, str, str, str]
RESULTS = Path(__file__).parent / "results"


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

    import karatage
    import karatage.compat.seqeval.metrics as compat

    def score(like: str) -> float | None:
        return karatage.score(gold, pred, like=like, resamples=0).headline.value

    f1 = best(lambda: peer.f1_score(gold, pred), 3)
    report = best(lambda: peer.classification_report(gold, pred), 1)
    four = best(lambda: Evaluator(gold, pred, tags=TYPES, loader="list").evaluate(), 1)
    if compat.classification_report(gold, pred) != peer.classification_report(gold, pred):
        raise AssertionError("the report differs from seqeval's")
    return [
        ratio_row("karatage.score like seqeval / seqeval f1_score", best(lambda: score("seqeval")), f1, 20),
        ratio_row("compat f1_score / seqeval f1_score", best(lambda: compat.f1_score(gold, pred)), f1, 20),
        ratio_row(
            "compat classification_report / seqeval's",
            best(lambda: compat.classification_report(gold, pred)),
            report,
            80,
        ),
        ratio_row(
            "karatage.score like semeval2013 / nervaluate evaluate", best(lambda: score("semeval2013")), four, 80
        ),
    ]


def intervals(gold: Rows, pred: Rows) -> list[Row]:
    """Resampling, against one call of seqeval's f1_score and against the package confidence-intervals."""
    import seqeval.metrics as peer

    import karatage
    from karatage.metrics import Metric
    from karatage.stats import Sampler

    micro = [Metric.parse(name) for name in ("precision", "recall", "f1")]

    def kept(times: int = 1) -> karatage.Result:
        return karatage.score(gold * times, pred * times, like="seqeval")

    def ten_thousand(result: karatage.Result) -> object:
        return Sampler([result.tally.rows]).replicates(micro, 10_000, 0)  # type: ignore[list-item]

    def report(result: karatage.Result) -> object:
        fresh = karatage.Result(
            task=result._task, tally=result.tally, warnings=(), digests=(None, None), resampling=result.resampling
        )
        return fresh.compute()

    one, two, four = kept(), kept(2), kept(4)
    f1 = best(lambda: peer.f1_score(gold, pred), 3)
    many, full = best(lambda: ten_thousand(one)), best(lambda: report(one))
    out = [
        share_row("10,000 resamples of micro P, R and F1 / seqeval f1_score", many, f1, "under 0.2×"),
        share_row("1,000 resamples of the full report by label / seqeval f1_score", full, f1, "under 1×"),
        share_row("karatage.score with intervals / seqeval f1_score", best(lambda: kept().compute(), 3), f1, ""),
    ]
    for name, work in (("10,000 resamples of micro P, R and F1", ten_thousand), ("1,000 of the full report", report)):
        times = [best(partial(work, part), 3) for part in (one, two, four)]
        text = ", ".join(f"{seconds * 1000:,.0f} ms" for seconds in times)
        out.append((f"{name}, corpus once, twice, four times", text, f"{times[1] / times[0]:.2f}×", "under 2×"))
    return out + binary()


def binary() -> list[Row]:
    """Binary F1 of 5,000 samples: the whole of karatage.score against confidence-intervals."""
    import numpy as np
    from confidence_intervals import evaluate_with_conf_int
    from sklearn.metrics import f1_score

    import karatage
    from karatage.metrics import Metric
    from karatage.stats import Sampler

    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 5000)
    guess = np.where(rng.random(5000) < 0.8, truth, 1 - truth)
    tags = [[["B-X"] if x else ["O"] for x in side.tolist()] for side in (truth, guess)]
    rows = karatage.score(*tags).tally.rows
    if rows is None:
        raise AssertionError("scored without resamples")

    def quick(labels: np.ndarray, samples: np.ndarray) -> float:
        right = np.sum(labels & samples)
        return float(2 * right / (labels.sum() + samples.sum()))

    ours = best(lambda: Sampler([rows]).replicates([Metric.parse("f1")], 1000, 0), 10)
    whole = best(lambda: karatage.score(*tags, metrics=["f1"])["f1"], 10)
    learn = best(lambda: evaluate_with_conf_int(guess, f1_score, truth, num_bootstraps=1000), 1)
    plain = best(lambda: evaluate_with_conf_int(guess, quick, truth, num_bootstraps=1000), 3)
    name = "1,000 resamples of binary F1 / confidence-intervals"
    return [
        ratio_row(f"{name} with scikit-learn's f1_score", ours, learn, 100),
        ratio_row(f"{name} with a metric in NumPy", ours, plain, 100),
        ratio_row("the whole of karatage.score from lists / the same with scikit-learn's f1_score", whole, learn, 100),
    ]


def share_row(name: str, ours: float, theirs: float, wanted: str) -> Row:
    return (name, f"{ours * 1000:,.0f} ms against {theirs * 1000:,.0f} ms", f"{ours / theirs:.2f}×", wanted)


def command(*arguments: object) -> float:
    """Run a command; return its seconds."""
    start = time.perf_counter()
    subprocess.run([str(a) for a in arguments], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def karatage_score(gold: Path, pred: Path, *more: str) -> tuple[float, int]:
    """Score two files with the command, in one process; return its seconds and its peak memory in KiB."""
    return karatage_command("score", gold, pred, "--json", "--jobs", 1, *more)


def files(folder: Path, gold: Rows, pred: Rows, sizes: list[int]) -> list[Row]:
    """Column files in, against `wc -w`; memory and time as the files grow."""
    out: list[Row] = []
    seconds: dict[int, float] = {}
    memory: dict[int, int] = {}
    tokens: dict[int, int] = {}
    for size in sizes:
        ours, theirs, tokens[size] = write_files(folder, gold, pred, size)
        runs = [karatage_score(ours, theirs, "--resamples", "0") for _ in range(3)]
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
            runs = [karatage_score(ours, theirs) for _ in range(2)]
            out.append(
                (
                    f"the same with intervals, 1,000 resamples of {tokens[size] // 22:,} sentences or so",
                    f"{min(s for s, _ in runs):.2f} s, {max(m for _, m in runs) / 1024:,.0f} MiB",
                    f"{min(s for s, _ in runs) / seconds[size]:.2f}×",
                    "",
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
    start = min(karatage_score(*tiny(folder), "--resamples", "0")[0] for _ in range(3))
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
    ours = min(command(sys.executable, "-m", "karatage", "--help") for _ in range(7))
    theirs = min(command(sys.executable, "-c", "import numpy") for _ in range(7))
    return [
        (
            "karatage --help / import numpy",
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
    rows = lists(gold, pred) + intervals(gold, pred)
    with tempfile.TemporaryDirectory() as folder:
        rows += files(Path(folder), gold, pred, [n // scale for n in (100_000, 1_000_000, 10_000_000, 30_000_000)])
        rows += engine.cores(Path(folder), gold, pred, 10_000_000)  # smaller files are scored in one process
        rows += engine.compared(Path(folder), gold, (pred, noisy(gold, seed=2)), sizes=(10_000_000,))
    rows += start_up() + search.rows(scale) + draw.rows(scale) + crf.rows(scale)
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
