"""How often equal systems are called different, and how often worse ones are found.

`python -m benchmarks.false_alarms` prints the tables of the docs: two systems in all settings and by all tests, two of
which one is worse, and six equal systems with a correction for fifteen pairs.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import product

import numpy as np

from benchmarks.coverage import SIZES
from benchmarks.paired_tests import COLUMNS, DOCUMENTS, TESTS, TRAINED, Alarms, Rejected, rejections
from benchmarks.settings import MADE, MEAN, WORSE
from benchmarks.simulated_systems import Simulated
from benchmarks.simulating import GrowingTable, InParts, processes
from benchmarks.worlds import METRICS, SCHEMA, WORLDS, World, rows_of
from karatage.comparison.pairwise import PairwiseTests
from karatage.metrics import Metric, Rows
from karatage.stats import Resampling, Sampler

NULL = ["usual", "independent", "together", "bursty", "failures", "pareto", "harder", "perfect", "labels", "opposite"]
NULL += ["strange", "traded", DOCUMENTS, TRAINED, *(name for name in MADE if name.startswith("queries"))]
"""Settings in which both systems are equally good."""

UNEQUAL = ["crashes", *WORSE]
ALIKE = {"unrelated": 0.0, "correlated": 0.7}
"""The share of units on which a system's output is a copy of the first one's."""


def draw(world: World, units: int, systems: int, alike: float, rng: np.random.Generator) -> Simulated:
    """Draw a test set and let systems of the same quality answer, more or less alike."""
    second, ease, gold = world.gold(units, rng)
    first = world.answer(ease, gold, rng)
    rows: list[Rows] = [rows_of(second, first)]
    for _ in range(systems - 1):
        own = world.answer(ease, gold, rng)
        copied = rng.random(units) < alike
        own[copied] = first[copied]
        rows.append(rows_of(second, own))
    return Simulated.of(Sampler(rows, schema=SCHEMA), systems)


def false_alarms(
    units: int,
    systems: int,
    alike: float,
    sets: Iterable[int],
    *,
    test: str = "t",
    metrics: Iterable[str] = tuple(METRICS),
) -> Counter[tuple[str, str]]:
    """Count, by metric, the test sets in which any two systems are called different, and intervals without 0."""
    out: Counter[tuple[str, str]] = Counter()
    asked: dict[str, Metric] = {name: METRICS[name] for name in metrics}
    for number in sets:
        rng = np.random.default_rng([units, systems, round(100 * alike), number])
        drawn = draw(WORLDS["usual"], units, systems, alike, rng)
        tests = PairwiseTests([drawn], Resampling(1000, seed=number), test)  # type: ignore[list-item]
        for name, contest in tests.contests(asked).items():
            differences = contest.differences
            out[name, "alarms"] += any(d.significant for d in differences)
            out[name, "ranks"] += any(rank is not None and rank.best > 1 for rank in contest.ranks.values())
            first = differences[0]
            if first.low is not None and first.high is not None:
                out[name, "intervals"] += 1
                out[name, "without 0"] += not first.low <= 0 <= first.high
    return out


def _cell(found: Rejected, column: str, show: Callable[[Alarms], str]) -> str:
    """Return the result of the t-test in full, and the share of the others where they were tried."""
    own = [found[column, test] for test in TESTS if (column, test) in found]
    return "; ".join([show(own[0]), *(f"{100 * other.share:.1f}" for other in own[1:])]) if own else ""


def _pairs(
    in_parts: InParts, names: Iterable[str], sets: int, others: int, file: str, show: Callable[[Alarms], str]
) -> None:
    for means in (False, True):
        columns = [column for column in COLUMNS if (column == MEAN) == means]
        chosen = [name for name in names if name.startswith("queries") == means]
        table = GrowingTable("setting", "units", *columns)
        for name, units in product(chosen, SIZES):
            total: Rejected = {}
            for part in in_parts(rejections, sets, name, units, others):
                total |= {key: total.get(key, Alarms()).add(own) for key, own in part.items()}
            table.row(name, f"{units:,}", *(_cell(total, column, show) for column in columns))
        table.save(f"{file}_means" if means else file)


def _many(in_parts: InParts, sets: int) -> None:
    table = GrowingTable("units", "systems", "errors", *METRICS)
    for alike, units in product(ALIKE, (50, 200, 1000)):
        total: Counter[tuple[str, str]] = Counter()
        for part in in_parts(false_alarms, sets, units, 6, ALIKE[alike]):
            total.update(part)
        table.row(f"{units:,}", 6, alike, *(f"{100 * total[name, 'alarms'] / sets:.1f} %" for name in METRICS))
    table.save("six_systems")


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.false_alarms")
    parser.add_argument("--sets", type=int, default=2000, help="test sets of each size")
    parser.add_argument("--others", type=int, default=1000, help="test sets on which the other tests are tried too")
    parser.add_argument("--settings", default="", help="only these, separated by semicolons")
    options = parser.parse_args()
    named = [name.strip() for name in options.settings.split(";") if name.strip()]
    with processes() as in_parts:
        null, unequal = ([name for name in names if not named or name in named] for names in (NULL, UNEQUAL))
        _pairs(in_parts, null, options.sets, options.others, "false_alarms", lambda found: found.sides)
        _pairs(
            in_parts,
            unequal,
            options.others,
            options.others,
            "power",
            lambda found: f"{100 * found.share:.1f}",
        )
        if not named:
            _many(in_parts, options.sets)


if __name__ == "__main__":
    main()
