"""Does the mean over test sets hold? `python -m benchmarks.test_sets` prints the table of the docs.

Two systems answer on several test sets. On each set they differ by another amount, whose mean over all such sets is
known. For each cell: the share of 95 % intervals that hold it, with misses on both sides, and the width. Beside ours,
that of a random-effects model with weights by precision (Paule-Mandel, Hartung-Knapp-Sidik-Jonkman).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import cache
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

import numpy as np

from karatage._arrays import Floats
from karatage.stats import Evidence, PairedDifference, SetSample, signed_ranks, student

RESULTS = Path(__file__).parent / "results"
COUNTS = (3, 5, 10, 20)
RATE, EXTRA = 2.0, 0.5
LEVEL = 0.95

SIZES: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "equal": lambda _, sets: np.full(sets, 200.0),
    "unequal": lambda rng, sets: np.exp(rng.uniform(np.log(50), np.log(2000), sets)),
    "one large": lambda _, sets: np.where(np.arange(sets) == 0, 2000.0, 80.0),
}

BETWEEN: dict[str, Callable[[np.random.Generator, Floats], Floats]] = {
    "none": lambda _, sizes: np.zeros(len(sizes)),
    "some": lambda rng, sizes: 0.03 * rng.standard_normal(len(sizes)),
    "much": lambda rng, sizes: 0.1 * rng.standard_normal(len(sizes)),
    "skewed": lambda rng, sizes: 0.06 * (rng.exponential(size=len(sizes)) - 1),
    "by size": lambda rng, sizes: 0.03 * np.log(sizes / 316) + 0.02 * rng.standard_normal(len(sizes)),
}
"""By how much the chance to find an entity differs on each test set, between two systems."""


class Found(NamedTuple):
    """What is counted of one collection of test sets."""

    below: bool
    above: bool
    width: float
    weighted_below: bool
    weighted_above: bool
    weighted_width: float
    seen_missed: bool
    alarm: bool
    ranks_alarm: bool


def chances(rng: np.random.Generator, sizes: Floats, between: str, apart: float) -> tuple[Floats, Floats]:
    """Return the chance of both systems to find an entity, on each test set."""
    easy = rng.uniform(0.55, 0.85, len(sizes))
    gap = BETWEEN[between](rng, sizes) + apart
    return np.clip(easy + gap / 2, 0, 1), np.clip(easy - gap / 2, 0, 1)


def scores(found: Floats) -> Floats:
    """Return F1 on endlessly many units."""
    out: Floats = 2 * RATE * found / (RATE + RATE * found + EXTRA)
    return out


@cache
def truth(sizes: str, between: str, apart: float) -> float:
    """Return the mean difference over endlessly many test sets."""
    rng = np.random.default_rng(1)
    one, other = chances(rng, SIZES[sizes](rng, 2_000_000), between, apart)
    return float((scores(one) - scores(other)).mean())


def difference(
    rng: np.random.Generator, units: int, found: tuple[float, float]
) -> tuple[float, PairedDifference | None]:
    """Draw a test set, and return the difference in F1 between the systems, with what the units tell of it."""
    gold, luck = rng.poisson(RATE, units), rng.normal(0, 0.1, units)
    apart, moved, weighing = 0.0, np.zeros(units), gold > 0
    for chance, sign in zip(found, (1, -1), strict=True):
        correct = rng.binomial(gold, np.clip(chance + luck, 0, 1))
        both = gold + correct + rng.poisson(EXTRA, units)
        f1 = 2 * float(correct.sum()) / max(float(both.sum()), 1.0)
        apart += sign * f1
        moved += sign * (2 * correct - f1 * both) / max(float(both.sum()), 1.0)
        weighing = weighing | (both > 0)
    told = Evidence(moved, np.ones(units, np.int64), np.zeros(units, np.int64), weighing)
    return apart, PairedDifference.of(apart, told, units)


def weighted(values: Floats, variances: Floats, between: float) -> tuple[float, float]:
    """Return the interval of a random-effects model with weights by precision."""
    weights = 1 / (variances + between**2)
    mean = float(weights @ values / weights.sum())
    error = (float(weights @ (values - mean) ** 2) / (len(values) - 1) / float(weights.sum())) ** 0.5
    reach = student(0.5 + LEVEL / 2, len(values) - 1) * error
    return mean - reach, mean + reach


def repeat(task: tuple[str, str, float, int, int, int]) -> list[Found]:
    """Draw some collections of test sets of one kind."""
    kind, between, apart, sets, count, seed = task
    rng = np.random.default_rng([seed, sets, list(SIZES).index(kind), list(BETWEEN).index(between)])
    true = truth(kind, between, apart)
    out = []
    for _ in range(count):
        sizes = SIZES[kind](rng, sets)
        both = chances(rng, sizes, between, apart)
        found = [
            difference(rng, int(units), (float(one), float(other)))
            for units, one, other in zip(sizes, *both, strict=True)
        ]
        values = np.array([value for value, _ in found])
        parts = [part for _, part in found if part is not None]
        sample = SetSample.of(values.tolist(), parts)
        low, high = sample.ends(LEVEL)
        other_low, other_high = weighted(values, np.array([p.variance for p in parts]), sample.between)
        here = float((scores(both[0]) - scores(both[1])).mean())
        seen_low, seen_high = sample.seen.ends(LEVEL)
        out.append(
            Found(
                true < low,
                true > high,
                high - low,
                true < other_low,
                true > other_high,
                other_high - other_low,
                not seen_low <= here <= seen_high,
                sample.p <= 1 - LEVEL,
                signed_ranks(values).p <= 1 - LEVEL,
            )
        )
    return out


def shown(below: Floats, above: Floats, width: Floats) -> str:
    """Return the coverage with misses on each side, and the mean width."""
    missed = [100 * float(side.mean()) for side in (below, above)]
    return f"{100 - sum(missed):.1f} ({missed[0]:.1f} + {missed[1]:.1f}), {width.mean():.3f}"


TITLES = "| sizes | between sets | sets | these sets | sets like these | weighted by precision | alarms | by ranks |"


def line(kind: str, between: str, sets: int, cells: list[Found]) -> str:
    """Return a row of the table."""
    columns = np.array(cells, float).T
    seen, alarms, ranks = (f"{100 * float(own.mean()):.1f}" for own in (1 - columns[6], columns[7], columns[8]))
    ours, theirs = shown(*columns[:3]), shown(*columns[3:6])
    return f"| {kind} | {between} | {sets} | {seen} | {ours} | {theirs} | {alarms} | {ranks} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.test_sets")
    parser.add_argument("--repeats", type=int, default=600, help="collections of test sets per cell")
    parser.add_argument("--apart", type=float, default=0.0, help="true difference in the chance to find an entity")
    parser.add_argument("--cores", type=int, default=2)
    options = parser.parse_args()
    lines = [TITLES, "|---|---|---|---|---|---|---|---|"]
    print("\n".join(lines), flush=True)
    with Pool(options.cores) as pool:
        for kind in SIZES:
            for between in BETWEEN:
                for sets in COUNTS if between != "by size" or kind == "unequal" else ():
                    jobs = [(kind, between, options.apart, sets, 25, seed) for seed in range(options.repeats // 25)]
                    cells = [found for part in pool.imap_unordered(repeat, jobs) for found in part]
                    lines.append(line(kind, between, sets, cells))
                    print(lines[-1], flush=True)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "test_sets.md").write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
