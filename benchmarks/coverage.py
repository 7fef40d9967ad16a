"""How often intervals hold the true score: `python -m benchmarks.coverage` writes the table of the documentation."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.worlds import METRICS, SCHEMA, WORLDS, dense_rows, rows_of
from karatage.metrics import Metric, Score
from karatage.stats import Resampling, Sampler, with_intervals

METHODS = ("wilson", "percentile", "bca")
RESULTS = Path(__file__).parent / "results"


class Held(NamedTuple):
    """How many test sets had a score, how many an interval, in how many it held the truth, and how wide it was."""

    scores: int = 0
    intervals: int = 0
    held: int = 0
    width: float = 0.0

    def plus(self, score: Score, truth: float) -> Held:
        if score.low is None or score.high is None:
            return self._replace(scores=self.scores + 1)
        holds = score.low <= truth <= score.high
        width = self.width + score.high - score.low
        return Held(self.scores + 1, self.intervals + 1, self.held + holds, width)

    def add(self, other: Held) -> Held:
        counts = (self.scores + other.scores, self.intervals + other.intervals, self.held + other.held)
        return Held(*counts, self.width + other.width)

    @property
    def share(self) -> float:
        return self.held / self.intervals if self.intervals else float("nan")

    def __str__(self) -> str:
        given = self.intervals / self.scores
        text = f"{100 * self.share:.1f} %, {self.width / max(self.intervals, 1):.3f}"
        return text if given == 1 else f"{text} (given in {100 * given:.0f} %)"


Table = dict[tuple[str, str], Held]


def coverage(
    world: str, units: int, sets: Iterable[int], *, methods: Iterable[str] = METHODS, resamples: int = 1000
) -> Table:
    """Draw test sets by their numbers; return what became of the intervals, by method and metric."""
    made = WORLDS[world]
    out: Table = {}
    truths = {name: made.true(metric) for name, metric in METRICS.items()}
    for number in sets:
        rng = np.random.default_rng([units, number, sorted(WORLDS).index(world)])
        second, ease, gold = made.gold(units, rng)
        claims = Sampler([rows_of(second, made.answer(ease, gold, rng))], schema=SCHEMA)
        rare = Sampler([dense_rows((("", "rare"),), made.rare(ease, rng))])
        for method in methods:
            resampling = Resampling(resamples, seed=number, interval=method)
            for sampler, names in ((claims, list(METRICS)[:3]), (rare, list(METRICS)[3:])):
                values = {METRICS[name]: observed(sampler, METRICS[name]) for name in names}
                scores = {metric: Score(value) for metric, value in values.items() if not np.isnan(value)}
                found = with_intervals(scores, sampler, resampling)
                for name in names:
                    if METRICS[name] in found:
                        before = out.get((method, name), Held())
                        out[method, name] = before.plus(found[METRICS[name]], truths[name])
    return out


def observed(sampler: Sampler, metric: Metric) -> float:
    drawn = sampler.population(metric)
    return float(metric.compute(drawn.layout, drawn.totals[0], sampler.schema))


def _part(job: tuple[str, int, range, int]) -> Table:
    world, units, sets, resamples = job
    return coverage(world, units, sets, resamples=resamples)


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.coverage")
    parser.add_argument("--sets", type=int, default=2000, help="test sets of each size")
    parser.add_argument("--resamples", type=int, default=1000)
    options = parser.parse_args()
    lines = [
        "| setting | units | score | wilson | percentile | bca |",
        "|---|---|---|---|---|---|",
    ]
    start = time.perf_counter()
    with Pool(2) as pool:
        for world in WORLDS:
            for units in (50, 200, 1000):
                parts = [range(k, min(k + 50, options.sets)) for k in range(0, options.sets, 50)]
                total: Table = {}
                for part in pool.imap_unordered(_part, [(world, units, part, options.resamples) for part in parts]):
                    total |= {key: total.get(key, Held()).add(held) for key, held in part.items()}
                for name in METRICS:
                    cells = (str(total[method, name]) for method in METHODS)
                    lines.append(f"| {world} | {units:,} | {name} | {' | '.join(cells)} |")
                print(f"{world}, {units:,} units: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    text = "\n".join(lines)
    print(text)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "coverage.md").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
