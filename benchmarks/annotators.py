"""Do intervals with several annotators hold the score by all annotators? `python -m benchmarks.annotators`.

Half of the entities are doubtful, and an annotator leaves out a share of these that is their own. The system A finds
clear entities, and B doubtful ones. The truth is the mean over the population of annotators, of units without end.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import karatage
from benchmarks.recall import Held
from benchmarks.simulating import GrowingTable, processes

SLOTS = 4
"""Entities of a unit, the second half of which are doubtful."""
FOUND = {"A": (0.9, 0.5), "B": (0.7, 0.8)}
"""How often a system finds a clear entity and a doubtful one."""
SPURIOUS = 0.1
"""How often a system adds an entity at one of the places."""

LEFT_OUT: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "alike": lambda _, count: np.full(count, 0.3),
    "differ": lambda rng, count: rng.beta(0.9, 2.1, count),
    "some careless": lambda rng, count: np.where(rng.random(count) < 0.3, 0.8, 0.1),
}
"""Which share of the doubtful entities annotators leave out."""


class Truth(NamedTuple):
    """The scores by all annotators."""

    one: float
    difference: float


def truth(world: str) -> Truth:
    """Return the true F1 of A, and its difference to B."""
    left_out = LEFT_OUT[world](np.random.default_rng(1), 400_000)
    kept = np.stack([np.ones_like(left_out), 1 - left_out]) / 2
    scores = {}
    for name, found in FOUND.items():
        correct, predicted = np.array(found) @ kept, sum(found) / 2 + SPURIOUS
        scores[name] = float((2 * correct / (kept.sum(axis=0) + predicted)).mean())
    return Truth(scores["A"], scores["A"] - scores["B"])


def drawn(
    world: str, annotators: int, units: int, number: int
) -> tuple[dict[str, list[list[tuple[str, int, int]]]], ...]:
    """Return the labels of each annotator and of each system."""
    rng = np.random.default_rng([list(LEFT_OUT).index(world), annotators, units, number])
    doubtful = np.arange(SLOTS) >= SLOTS // 2
    left_out = LEFT_OUT[world](rng, annotators)
    ease = rng.uniform(-0.1, 0.1, (units, 1))  # of a unit, for all systems
    golds = {f"a{k}": rng.random((units, SLOTS)) >= np.where(doubtful, left_out[k], 0.0) for k in range(annotators)}
    systems = {
        name: rng.random((units, SLOTS)) < np.where(doubtful, found[1], found[0]) + ease
        for name, found in FOUND.items()
    }
    extra = {name: rng.random((units, SLOTS)) < SPURIOUS for name in FOUND}
    gold_spans = {name: _spans(own) for name, own in golds.items()}
    return gold_spans, {name: _spans(own, extra[name]) for name, own in systems.items()}


def _spans(kept: np.ndarray, extra: np.ndarray | None = None) -> list[list[tuple[str, int, int]]]:
    out: list[list[tuple[str, int, int]]] = [[] for _ in kept]
    for marked, shift in ((kept, 0), (extra, 50)):
        for unit, place in zip(*np.nonzero(marked if marked is not None else np.zeros_like(kept)), strict=True):
            out[unit].append(("X", int(place) * 3 + shift, int(place) * 3 + shift + 2))
    return out


COLUMNS = ("by one annotator", "all annotators", "difference")


def held(world: str, annotators: int, units: int, true: Truth, numbers: range) -> tuple[Held, ...]:
    """Return what became of the intervals: by the first annotator alone, by all of them, and of the difference."""
    out = [Held()] * len(COLUMNS)
    for number in numbers:
        golds, systems = drawn(world, annotators, units, number)
        alone = karatage.score(golds["a0"], systems["A"])["f1"]
        found = karatage.compare(karatage.Annotators(golds), systems, by_label=False)["f1"]
        every, apart = found.scores["A"], found["A", "B"]
        sign = 1 if apart.one == "A" else -1
        ends = sorted((sign * float(apart.low or 0), sign * float(apart.high or 0)))
        for k, (low, high, value) in enumerate(
            ((alone.low, alone.high, true.one), (every.low, every.high, true.one), (*ends, true.difference))
        ):
            out[k] = out[k].plus((float(low or 0), float(high or 0)), value)
    return tuple(out)


def coverage(world: str, annotators: int, units: int, numbers: range) -> dict[str, Held]:
    """Return what became of the intervals in one world."""
    return dict(zip(COLUMNS, held(world, annotators, units, truth(world), numbers), strict=True))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.annotators")
    parser.add_argument("--sets", type=int, default=400, help="how many test sets to draw in each world")
    given = parser.parse_args()
    table = GrowingTable("annotators who", "number", "units", *COLUMNS)
    with processes() as in_parts:
        for world in LEFT_OUT:
            for annotators in (2, 3, 5):
                for units in (100, 400):
                    parts = list(in_parts(held, given.sets, world, annotators, units, truth(world)))
                    sums = [Held(*map(sum, zip(*own, strict=True))) for own in zip(*parts, strict=True)]
                    table.row(world, annotators, units, *sums)
    table.save("annotators")


if __name__ == "__main__":
    main()
