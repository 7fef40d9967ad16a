"""Do intervals of means over queries hold the true mean as often as they say? `python -m benchmarks.means`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from karatage.metrics import Metric, Rows, Score, mean_rows, sums
from karatage.stats import Resampling, Sampler, with_intervals

METRIC = Metric.parse("nDCG@10")
METHODS = ("wilson", "t", "percentile", "bca")


class World(NamedTuple):
    """How the values of queries are spread, and their true mean."""

    about: str
    draw: Callable[[np.random.Generator, int], np.ndarray]
    mean: float


WORLDS = {
    "spread": World(
        "15 % of the queries find nothing, the others lie around a half",
        lambda rng, n: np.where(rng.random(n) < 0.15, 0.0, rng.beta(2, 2, n)),
        0.85 * 0.5,
    ),
    "precision": World(
        "ten results, each relevant with a chance that differs between queries",
        lambda rng, n: rng.binomial(10, rng.beta(1, 3, n)) / 10,
        1 / (1 + 3),
    ),
    "good": World(
        "90 % of the queries are perfect",
        lambda rng, n: np.where(rng.random(n) < 0.9, 1.0, rng.beta(2, 2, n)),
        0.9 + 0.1 * 0.5,
    ),
    "poor": World(
        "93 % of the queries find nothing",
        lambda rng, n: np.where(rng.random(n) < 0.93, 0.0, rng.beta(2, 2, n)),
        0.07 * 0.5,
    ),
}


def coverage(world: World, queries: int, method: str, sets: int, resamples: int = 1000) -> tuple[float, float]:
    """Return the share of intervals that hold the true mean, and the share of test sets that have one."""
    held = given = 0
    for number in range(sets):
        values = {METRIC: world.draw(np.random.default_rng([queries, number]), queries)}
        mean = sums(values)[METRIC].mean
        sampler = Sampler([Rows.of_values(("gold",), np.ones((queries, 1), np.int64))], None, [mean_rows(values)])
        settings = Resampling(resamples, seed=number, interval=method)
        found = with_intervals({METRIC: Score(mean)}, sampler, settings)[METRIC]
        if found.low is not None and found.high is not None:
            given += 1
            held += found.low <= world.mean <= found.high
    return held / max(given, 1), given / sets


def main() -> None:
    print(f"| setting | queries | {' | '.join(METHODS)} |\n|---|---|{'---|' * len(METHODS)}")
    for name, world in WORLDS.items():
        for queries in (20, 50, 200, 1000):
            cells = []
            for method in METHODS:
                share, given = coverage(world, queries, method, 2000)
                cells.append(f"{100 * share:.1f} %" + ("" if given > 0.995 else f" (given in {100 * given:.0f} %)"))
            print(f"| {name} | {queries:,} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
