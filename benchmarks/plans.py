"""Does a test set show what a plan says? `python -m benchmarks.plans` writes the tables of the documentation.

`--only` runs one part: unrelated, pairs, gates, margins or differences.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace
from statistics import mean, median

import numpy as np

from benchmarks.shifted_worlds import MADE, Shifted, shifted
from karatage.metrics import Metric, Score
from karatage.stats import (
    DifferenceError,
    PairedDifference,
    PilotError,
    Resampling,
    Sampler,
    TwoSystems,
    score_interval,
)

SIZES = (50, 100, 300, 1000)
PILOTS = (50, 100, 300)
ALIKE = (0.5, 0.9)
"""On how large a share of the units two systems answer alike."""
TRIED = 60
"""Test sets from which the usual detectable difference is taken."""


LARGER = 1.25
"""How many times the detectable difference a gate may allow."""


def scored(sampler: Sampler, metric: Metric, system: int = 0) -> Score | None:
    """Return the score of a system with its interval."""
    drawn = sampler.population(metric)
    value = float(sampler.values(metric, drawn.layout)(drawn.totals)[system])
    score = None if np.isnan(value) else score_interval(metric, Score(value), Resampling(), sampler.system(system))
    return score if score is not None and score.low is not None else None


def half(score: Score) -> float:
    """Return half the width of an interval."""
    if score.low is None or score.high is None:
        raise AssertionError("no interval")
    return (score.high - score.low) / 2


def paired(sampler: Sampler, metric: Metric) -> PairedDifference | None:
    """Return the difference between the systems."""
    return TwoSystems(sampler, 1, 0).paired(metric)


def detectable_alone(sampler: Sampler, metric: Metric) -> float:
    """Return what `score` says can be detected; 1 where nothing can."""
    score = scored(sampler, metric)
    return (score and DifferenceError.unrelated(score).detectable()) or 1.0


def between(sampler: Sampler, metric: Metric) -> tuple[DifferenceError, float] | None:
    """Return the standard error of the difference, as `compare` and `plan` take it, and its degrees of freedom."""
    pair, one, other = paired(sampler, metric), scored(sampler, metric), scored(sampler, metric, 1)
    if pair is None or one is None or other is None:
        return None
    apart = float(other) - float(one)
    return DifferenceError.between(max(one, other, key=float), apart, pair.variance**0.5), pair.freedom


def detectable_between(sampler: Sampler, metric: Metric) -> float:
    """Return what `compare` says can be detected; 1 where nothing can."""
    told = between(sampler, metric)
    return (told and told[0].detectable(freedom=told[1])) or 1.0


def drawn(
    world: Shifted, units: int, sets: int, seed: int, shift: float = 0.0, alike: float = 0.0
) -> Iterator[Sampler]:
    """Draw test sets."""
    for number in range(sets):
        yield world.draw(np.random.default_rng([seed, number, units]), units, shift, alike)


def power(world: Shifted, metric: Metric, units: int, sets: int, shift: float, alike: float = 0.0) -> float:
    """Return the share of test sets in which the second system is significantly different."""
    pairs = (paired(sampler, metric) for sampler in drawn(world, units, sets, 2, shift, alike))
    return mean(pair is not None and pair.p <= 0.05 for pair in pairs)


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"


def unrelated(name: str, column: str, sets: int) -> Iterator[tuple[object, ...]]:
    """Show how often a system is found that is better or worse by what `score` says can be detected."""
    world = shifted(name)
    metric = world.metrics[column]
    for units in SIZES:
        difference = median(detectable_alone(sampler, metric) for sampler in drawn(world, units, TRIED, 1))
        shifts = [world.shift(metric, sign * difference) for sign in (1, -1)]
        found = ["–" if s is None else _percent(power(world, metric, units, sets, s)) for s in shifts]
        yield name, column, f"{units:,}", f"{difference:.3f}", *found


def pairs(name: str, column: str, sets: int) -> Iterator[tuple[object, ...]]:
    """Show how often a system is found that is better or worse by what `compare` says can be detected.

    It says so of two systems that are as good as each other.
    """
    world = shifted(name)
    metric = world.metrics[column]
    for alike in (0.0, *ALIKE):
        for units in SIZES[1:]:
            difference = median(detectable_between(s, metric) for s in drawn(world, units, TRIED, 1, 0.0, alike))
            shifts = [world.shift(metric, sign * difference, alike) for sign in (1, -1)]
            found = ["–" if s is None else _percent(power(world, metric, units, sets, s, alike)) for s in shifts]
            yield name, column, _percent(alike), f"{units:,}", f"{difference:.3f}", *found


def gates(name: str, column: str, sets: int) -> Iterator[tuple[object, ...]]:
    """Show how often a build as good as the baseline passes with what can be detected as its largest drop."""
    world = shifted(name)
    metric = world.metrics[column]
    for alike in (0.0, *ALIKE, 0.98):
        for units in SIZES[1:]:
            told = median(detectable_between(s, metric) for s in drawn(world, units, TRIED, 1, 0.0, alike))
            builds = [paired(s, metric) for s in drawn(world, units, sets, 2, 0.0, alike)]
            drops = np.array([1.0 if pair is None else pair.largest_drop(0.95) for pair in builds])
            passed = [_percent((drops <= times * told).mean()) for times in (1, LARGER)]
            yield name, column, _percent(alike), f"{units:,}", f"{told:.4f}", *passed


def margins(name: str, column: str, sets: int) -> Iterator[tuple[object, ...]]:
    """Show how often a test set of the planned size has an interval as narrow as planned."""
    world = shifted(name)
    metric = world.metrics[column]
    for units in PILOTS:
        pilots = [pilot for pilot in (_pilot(s, metric, units) for s in drawn(world, units, sets, 1)) if pilot]
        for part in (0.7, 0.4):
            margin = part * mean(1.96 * pilot.error for pilot in pilots)
            row = []
            for assurance in (0.5, 0.8):
                sizes = [pilot.units_for_margin(margin, assurance=assurance) for pilot in pilots]
                reached = []
                for number, size in enumerate(sizes):
                    score = scored(world.draw(np.random.default_rng([3, number, units]), size), metric)
                    reached.append(score is not None and half(score) <= margin)
                row += [_percent(mean(reached)), f"{mean(sizes):,.0f}"]
            yield name, column, units, f"{margin:.3f}", *row


def _pilot(sampler: Sampler, metric: Metric, units: int) -> PilotError | None:
    score = scored(sampler, metric)
    if score is None:
        return None
    error = score.error or half(score) / 1.96
    return PilotError(units, error, min(sampler.evidence(metric, 0).freedom(), units - 1))


def differences(name: str, column: str, sets: int) -> Iterator[tuple[object, ...]]:
    """Show with which power a difference is found, on test sets of the size that four of five plans exceed."""
    world = shifted(name)
    metric = world.metrics[column]
    for units in PILOTS:
        pilots = list(drawn(world, units, sets, 1))
        difference = 0.6 * median(detectable_alone(sampler, metric) for sampler in pilots)
        plans: dict[str, list[int]] = {"one system": [], "both": []}
        for sampler in pilots:
            score, own, pair = scored(sampler, metric), _pilot(sampler, metric, units), between(sampler, metric)
            if score is not None and own is not None:
                error = DifferenceError.unrelated(score).error(difference)
                plans["one system"].append(replace(own, error=error).units_for_difference(difference))
            if pair is not None:
                both = PilotError(units, pair[0].error(difference), pair[1])
                plans["both"].append(both.units_for_difference(difference))
        shifts = [world.shift(metric, sign * difference) for sign in (1, -1)]
        row: list[str] = []
        for sizes in plans.values():
            fifth = round(float(np.quantile(sizes, 0.2)))
            row += ["–" if shift is None else _percent(power(world, metric, fifth, sets, shift)) for shift in shifts]
            row.append(f"{mean(sizes):,.0f}")
        yield name, column, units, f"{difference:.3f}", *row


PARTS: dict[str, tuple[Callable[[str, str, int], Iterator[tuple[object, ...]]], tuple[str, ...]]] = {
    "unrelated": (unrelated, ("setting", "score", "units", "detectable", "better", "worse")),
    "pairs": (pairs, ("setting", "score", "alike in %", "units", "detectable", "better", "worse")),
    "gates": (gates, ("setting", "score", "alike in %", "units", "detectable", "passes", f"with {LARGER} times it")),
    "margins": (margins, ("setting", "score", "pilot", "margin", "50 %", "units", "80 %", "units")),
    "differences": (
        differences,
        ("setting", "score", "pilot", "difference", "better", "worse", "units", "pair better", "pair worse", "units"),
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.plans")
    parser.add_argument("--sets", type=int, default=400, help="test sets of each size")
    parser.add_argument("--only", choices=PARTS, help="run one part")
    parser.add_argument("--settings", default=";".join(MADE), help="names of settings, separated by semicolons")
    parser.add_argument("--scores", default="", help="names of scores, separated by semicolons")
    given = parser.parse_args()
    for part, (run, head) in PARTS.items():
        if given.only not in (None, part):
            continue
        print(f"\n{part}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}", flush=True)
        for name in given.settings.split(";"):
            for column in shifted(name).metrics:
                if not given.scores or column in given.scores.split(";"):
                    for row in run(name, column, given.sets):
                        print(f"| {' | '.join(str(cell) for cell in row)} |", flush=True)


if __name__ == "__main__":
    main()
