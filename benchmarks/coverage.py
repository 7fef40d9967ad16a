"""How often intervals hold the true score: `python -m benchmarks.coverage` writes the tables of the documentation.

Each cell says in how many test sets the interval held the truth, and in how many the truth lay below and above it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from benchmarks.settings import LABEL, MACRO, MEAN, MICRO, PARTIAL, WEIGHTED, Setting, available, setting
from benchmarks.simulating import RESULTS, processes
from karatage.metrics import Metric, Score
from karatage.scoring.doubtful_intervals import HiddenFailures
from karatage.stats import FEW_UNITS, UNEVEN, Resampling, Sampler, TwoSystems, difference_interval, with_intervals

SIZES = (50, 100, 300, 1000)
DIFFERENCES = {MICRO: "micro difference", MACRO: "macro difference", MEAN: "difference of means"}
TABLES = (
    (MICRO, MACRO, WEIGHTED, LABEL, PARTIAL),
    ("micro difference", "macro difference"),
    (MEAN, "difference of means"),
)


class Held(NamedTuple):
    """What became of intervals.

    Attributes:
        scores: how many scores there were.
        given: how many intervals there were.
        below: in how many the truth lay below.
        above: in how many it lay above.
        width: how wide they were, all together.
        warned: in how many test sets there was a warning that the interval may be too narrow.
    """

    scores: int = 0
    given: int = 0
    below: int = 0
    above: int = 0
    width: float = 0.0
    warned: int = 0

    def plus(self, score: Score, true: float, warned: bool) -> Held:
        """Count one more."""
        if score.low is None or score.high is None:
            return self.add(Held(scores=1))
        return self.add(Held(1, 1, true < score.low, true > score.high, score.high - score.low, warned))

    def add(self, other: Held) -> Held:
        """Count others too."""
        return Held(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def share(self) -> float:
        """In how many the truth lay inside."""
        return 1 - (self.below + self.above) / self.given if self.given else float("nan")

    @property
    def mean_width(self) -> float:
        """How wide the intervals were."""
        return self.width / max(self.given, 1)

    def __str__(self) -> str:
        sides = " + ".join(f"{100 * count / self.given:.1f}" for count in (self.below, self.above))
        text = f"{100 * self.share:.1f} ({sides})"
        text += "" if self.given == self.scores else f", given in {100 * self.given / self.scores:.0f} %"
        return text if self.warned < 0.01 * self.given else f"{text}, warned in {100 * self.warned / self.given:.0f} %"


Table = dict[tuple[str, str], Held]
"""By method and by column of the table."""


def coverage(name: str, units: int, methods: Iterable[str], sets: Iterable[int]) -> Table:
    """Draw test sets by their numbers; return what became of the intervals."""
    made = setting(name)
    out: Table = {}

    def count(method: str, column: str, score: Score, true: float, warned: bool) -> None:
        out[method, column] = out.get((method, column), Held()).plus(score, true, warned)

    for number in sets:
        sampler = made.draw(np.random.default_rng([units, number, *name.encode()]), units)
        values = {column: observed(made, sampler, metric) for column, metric in made.metrics.items()}
        doubtful = _doubtful(made, sampler)
        for method in methods:
            resampling = Resampling(1000, seed=number, interval=method)
            scores = {
                made.metrics[column]: Score(float(own[0])) for column, own in values.items() if not np.isnan(own[0])
            }
            found = with_intervals(scores, sampler, resampling)
            for column, metric in made.metrics.items():
                if metric in found:
                    count(method, column, found[metric], made.true(metric, sampler, 0), doubtful[column])
        for column, shown in DIFFERENCES.items():
            if column in values and not np.isnan(values[column]).any():
                metric = made.metrics[column]
                true = made.true(metric, sampler, 0) - made.true(metric, sampler, 1)
                own = float(values[column][0] - values[column][1])
                score = difference_interval(metric, own, Resampling(), TwoSystems(sampler, 0, 1))
                count("auto", shown, score, true, doubtful[column])
    return out


def observed(made: Setting, sampler: Sampler, metric: Metric) -> np.ndarray:
    """Return the scores of both systems."""
    drawn = sampler.population(metric)
    return np.asarray(metric.compute(drawn.layout, drawn.totals, made.schema))


def _doubtful(made: Setting, sampler: Sampler) -> dict[str, bool]:
    """Say for each score whether a warning would say that its interval may be too narrow."""
    first = next(iter(made.metrics.values()))
    uneven = sampler.evidence(first, 0).even < UNEVEN
    out = {}
    for column, metric in made.metrics.items():
        own = sampler.evidence(metric, 0)
        label = own.even < UNEVEN and own.units >= 2 * FEW_UNITS
        out[column] = uneven or label or bool(own.rare) or HiddenFailures.of(own) is not None
    return out


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.coverage")
    parser.add_argument("--sets", type=int, default=2000, help="test sets of each size")
    parser.add_argument("--settings", default="", help="only these, separated by semicolons")
    parser.add_argument("--methods", default="auto", help="names of methods, comma-separated")
    options = parser.parse_args()
    methods = tuple(options.methods.split(","))
    names = [name.strip() for name in options.settings.split(";")] if options.settings else available()
    start = time.perf_counter()
    total: dict[tuple[str, int, str, str], Held] = {}
    with processes() as in_parts:
        for name in names:
            for units in SIZES:
                for part in in_parts(coverage, options.sets, name, units, methods):
                    for (method, column), held in part.items():
                        key = name, units, method, column
                        total[key] = total.get(key, Held()).add(held)
            print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
            RESULTS.mkdir(exist_ok=True)
            (RESULTS / "coverage.md").write_text(_report(names, methods, total), "utf-8")
    print(_report(names, methods, total))
    if not options.settings:
        _others(options.sets)


def _others(sets: int) -> None:
    """Print the tables of worlds that are drawn in another way."""
    from benchmarks import documents, margins, recall

    print("Over documents: coverage and width\n")
    documents.report(sets)
    print("\nNo worse by more than the true drop: false alarms, and how often a system is found that is not worse\n")
    margins.report(sets)
    print("\nRecall from strata\n")
    recall.unkind(sets)


def _report(names: Iterable[str], methods: Iterable[str], total: dict[tuple[str, int, str, str], Held]) -> str:
    """Return the tables of each method, and the cells that are not as they should be."""
    lines = []
    for method in methods:
        for columns in TABLES:
            lines += [*_table(names, columns, {key: held for key, held in total.items() if key[2] == method}), ""]
    lines += [
        f"outside 93 to 98 %: {name}, {units:,}, {method}, {column}: {held}, width {held.mean_width:.3f}"
        for (name, units, method, column), held in total.items()
        if not 0.93 <= held.share <= 0.98
    ]
    return "\n".join(lines) + "\n"


def _table(names: Iterable[str], columns: tuple[str, ...], total: dict[tuple[str, int, str, str], Held]) -> list[str]:
    """Return a table of the settings that have any of the columns."""
    cells = {(name, units, column): held for (name, units, _, column), held in total.items() if column in columns}
    lines = [f"| setting | units | {' | '.join(columns)} |", f"|---|---|{'---|' * len(columns)}"]
    for name in names:
        for units in SIZES:
            row = [str(cells.get((name, units, column), "")) for column in columns]
            lines += [f"| {name} | {units:,} | {' | '.join(row)} |"] if any(row) else []
    return lines if len(lines) > 2 else []


if __name__ == "__main__":
    main()
