"""What scoring on a cluster costs: fitted from runs on one and two workers, and extended to sizes nobody has here.

`python -m benchmarks.cost_model [TOKENS]` prints the fitted figures, and predicts times for large corpora, as tables
for `docs/guide/clusters.md`. With the default of 10⁸ tokens it takes two to three minutes. The model is

    time = start + max(driver, workers) + last sums
    driver = bytes × max(seconds to cut, seconds for digests) + tasks × seconds per task
    workers = bytes × seconds per byte / workers
    last sums = levels of the tree × seconds to add up eight results

What a worker takes per byte and what does not shrink with workers follow from two runs, T₁ and T₂. The rest is measured
directly.
"""

from __future__ import annotations

import hashlib
import math
import pickle
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import corpus, write_files
from benchmarks.engine import free_cores
from benchmarks.engine_ray import timed_runs
from karatage.inputs import as_input, cut_alike
from karatage.profiles import get_profile
from karatage.scoring.extraction_counts import ExtractionCounts
from karatage.scoring.folding import FoldPart, add_up, fold_part
from karatage.scoring.nouns import Nouns
from karatage.scoring.unit_counts import DistinctCounts
from karatage.stats import Resampling

PART = 16 << 20
"""The usual size of a part, in bytes of gold."""
TASK_SECONDS = 1.0
"""How long a task takes at least, with up to 250 workers; parts are grouped for that."""
MOST = 64
"""The largest number of parts in a task."""
WORKERS = (1, 8, 64, 1000)
"""The numbers of workers to predict for."""
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
WIDTH = 8
"""How many results are added up at a time."""


@dataclass(frozen=True)
class CostModel:
    """The figures of a cluster and of the data; bytes are those of gold and predictions together.

    Attributes:
        start: seconds that do not depend on the size or the workers.
        worker: seconds of a worker for a byte.
        cut: seconds of the driver to cut a byte.
        digest: seconds of the driver for the digest of a byte; gold and predictions at the same time.
        task: seconds of the driver for a task, at most.
        add: seconds to add two results.
        counts: bytes of the counts of a part.
        token: bytes of a token, in gold and predictions together.
    """

    start: float
    worker: float
    cut: float
    digest: float
    task: float
    add: float
    counts: int
    token: float

    def seconds(self, tokens: float, workers: int, *, shards: bool = False) -> tuple[float, float, float]:
        """Return the seconds of all together, of the driver, and of the workers; shards are not cut."""
        size = tokens * self.token
        work = size * self.worker
        tasks = min(size / (2 * PART), work / max(TASK_SECONDS, workers / 250)) + workers
        driver = size * self.driver(shards=shards) + tasks * self.task
        last = math.log(max(tasks, 2), WIDTH) * WIDTH * self.add
        return self.start + max(driver, work / workers) + last, driver, work / workers

    def driver(self, *, shards: bool) -> float:
        """Return the seconds of the driver for a byte."""
        return self.digest if shards else max(self.cut, self.digest)

    def fed(self, *, shards: bool) -> int:
        """Return how many workers the driver reads as fast as."""
        return math.ceil(self.worker / self.driver(shards=shards))


def measured(folder: Path, tokens: int) -> CostModel:
    """Fit the model to runs on one and two workers, and measure what the driver does."""
    gold, pred, count = write_files(folder, *corpus(30_000), tokens)
    size = gold.stat().st_size + pred.stat().st_size
    taken = timed_runs(gold, pred, repeats=2)
    shared = 2 * (taken[1] - taken[2])  # T₁ − T₂ = work − work / 2
    if shared <= 0:
        sys.exit("Two workers were not faster than one: take more tokens, or a machine with two free cores.")
    inputs = [as_input(path, name=path.name) for path in (gold, pred)]
    began = time.perf_counter()
    parts = list(cut_alike(inputs, 2))
    cut = time.perf_counter() - began
    began = time.perf_counter()
    hashlib.file_digest(gold.open("rb"), "sha256")
    digest = time.perf_counter() - began
    collector = DistinctCounts(Resampling())
    empty = ExtractionCounts(get_profile("exact"), Nouns(unit="sentence", claim="entity"), collector)
    one, other = (fold_part(FoldPart(empty, part)) for part in parts[:2])
    counts = len(pickle.dumps(one, pickle.HIGHEST_PROTOCOL))
    began = time.perf_counter()
    add_up(one, other)
    add = time.perf_counter() - began
    start = max(0.0, taken[1] - shared - cut)
    return CostModel(start, shared / size, cut / size, digest / size, _task_seconds(), add, counts, size / count)


def _task_seconds(tasks: int = 100) -> float:
    """Return what a task costs at most: many tasks of 64 parts that take no time, one after the other."""
    from karatage.engine import RayCluster

    began, first = 0.0, 10 * MOST
    for number, _ in enumerate(RayCluster(None, 1).map(abs, range(first + tasks * MOST))):
        if number == first:
            began = time.perf_counter()
    return (time.perf_counter() - began) / tasks


def figures(model: CostModel) -> list[tuple[str, str]]:
    """Return the fitted figures, in words."""
    mega = 1e-6
    return [
        ("start", f"{model.start:.1f} s"),
        ("a worker reads and counts", f"{mega / model.worker:,.0f} MB/s"),
        ("the driver cuts", f"{mega / model.cut:,.0f} MB/s"),
        ("the driver computes digests", f"{mega / model.digest:,.0f} MB/s"),
        ("handing out a task", f"{1000 * model.task:.1f} ms"),
        ("adding two results", f"{1000 * model.add:.0f} ms"),
        ("counts of a part", f"{mega * model.counts:.2f} MB"),
        ("a token, in gold and predictions", f"{model.token:.1f} bytes"),
        ("workers that the driver can feed", f"{model.fed(shards=False):,}, or {model.fed(shards=True):,} with shards"),
    ]


def shown(seconds: float) -> str:
    """Return a time in the unit that fits it."""
    for unit, size in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def predictions(model: CostModel) -> list[tuple[str, ...]]:
    """Return how long corpora of several sizes take, with as many workers as the columns say."""
    out = []
    for shards in (False, True):
        for power in (9, 10, 11, 12):
            cells = []
            for workers in WORKERS:
                total, driver, work = model.seconds(10.0**power, workers, shards=shards)
                cells.append(f"{shown(total)}{' (driver)' if driver > work else ''}")
            out.append((f"10{str(power).translate(RAISED)}{' in shards' if shards else ''}", *cells))
    return out


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table in Markdown."""
    for row in (head, ["---"] * len(head), *rows):
        print(f"| {' | '.join(row)} |")
    print()


def main(tokens: int) -> None:
    """Print the fitted figures and what follows from them."""
    print(f"free cores, of 2: {free_cores(2):.1f}\n", flush=True)
    with tempfile.TemporaryDirectory() as place:
        model = measured(Path(place), tokens)
    print_table(("what", "measured"), figures(model))
    names = [f"{workers:,} worker{'s' * (workers > 1)}" for workers in WORKERS]
    print_table(("tokens", *names), predictions(model))


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**8)
