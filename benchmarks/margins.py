"""How often is a system called no worse that is worse by the margin? `python -m benchmarks.margins` prints a table.

The second system answers as the first does, except that it fails wholly on a few units; in some worlds both also differ
by chance on other units. The margin is its true drop, so each time it is called no worse is an error. The power is that
of a system which does not fail, with the same margin.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np

from benchmarks.simulating import GrowingTable, processes
from benchmarks.worlds import dense_rows, with_hits
from karatage.metrics import COUNTS, Layout, Metric
from karatage.stats import PairedDifference, Sampler, TwoSystems

CELLS = tuple(("", label) for label in "ABC")
METRICS = {name: Metric.parse(name) for name in ("f1", "macro_f1", "recall")}
SIZES = (30, 50, 100, 200, 300, 1000)


class Crashing(NamedTuple):
    """A world: how many units the second system fails on, how often answers differ by chance, how large units are."""

    about: str
    crashes: float
    noise: float = 0.0
    sizes: tuple[float, ...] = (4.0, 2.0, 1.0)
    tail: float | None = None


WORLDS = {
    "crashes": Crashing("3 % of the units fail", 0.03),
    "rare crashes": Crashing("1 % of the units fail", 0.01),
    "crashes and noise": Crashing("1 % fail, and 2 % of all entities are found by chance", 0.01, 0.02),
    "crashes and much noise": Crashing("3 % fail, and 20 % of all entities are found by chance", 0.03, 0.2),
    "single entities": Crashing("1 % fail, units have an entity or none", 0.01, 0.02, (0.5, 0.3, 0.1)),
    "long tail": Crashing("2 % fail, sizes of units have a heavy tail", 0.02, 0.02, (1.0, 0.5, 0.3), 2.5),
}


def answers(world: Crashing, rng: np.random.Generator, units: int, crashes: float) -> list[np.ndarray]:
    """Let both systems answer; return gold, predicted and correct of each unit and label."""
    size = np.ones((units, 1)) if world.tail is None else rng.pareto(world.tail, (units, 1)) + 1
    gold = rng.poisson(size * np.array(world.sizes))
    shared = rng.binomial(gold, 0.9)
    out = []
    for failing in (0.0, crashes):
        by_chance = rng.binomial(shared, world.noise)
        correct = shared - by_chance + rng.binomial(by_chance, 0.5)
        correct = np.where(rng.random((units, 1)) < failing, 0, correct)
        out.append(np.stack([gold, correct + rng.poisson(0.02, gold.shape) * (world.noise > 0), correct], axis=2))
    return out


@cache
def true_drops(name: str) -> dict[str, float]:
    """Return the drop in each metric on endlessly many units."""
    rng, layout = np.random.default_rng(1), Layout(COUNTS, CELLS)
    totals = [np.zeros((len(CELLS), 3)), np.zeros((len(CELLS), 3))]
    for _ in range(20):
        for total, own in zip(totals, answers(WORLDS[name], rng, 50_000, WORLDS[name].crashes), strict=True):
            total += own.sum(axis=0)
    out = {}
    for text, metric in METRICS.items():
        one, other = (float(metric.compute(layout, with_hits(total))) for total in totals)
        out[text] = one - other
    return out


def no_worse(name: str, units: int, crashes: float, sets: Iterable[int]) -> dict[str, int]:
    """Count the test sets on which the second system is called no worse by more than the true drop."""
    out = dict.fromkeys(METRICS, 0)
    for number in sets:
        rng = np.random.default_rng([units, number, sorted(WORLDS).index(name), round(1000 * crashes)])
        sampler = Sampler([dense_rows(CELLS, own) for own in answers(WORLDS[name], rng, units, crashes)])
        for text, metric in METRICS.items():
            pair: PairedDifference | None = TwoSystems(sampler, 1, 0).paired(metric)
            out[text] += pair is not None and pair.largest_drop(0.95) <= true_drops(name)[text]
    return out


def report(sets: int) -> None:
    """Print the share of test sets on which a worse system is called no worse, and that for one which is not worse."""
    table = GrowingTable("setting", "units", *METRICS)
    for name in WORLDS:  # once, before there are several processes
        true_drops(name)
    with processes() as in_parts:
        for name, world in WORLDS.items():
            for units in SIZES:
                shares = []
                for crashes in (world.crashes, 0.0):
                    parts = list(in_parts(no_worse, sets, name, units, crashes))
                    shares.append({text: sum(part[text] for part in parts) / sets for text in METRICS})
                cells = (f"{100 * shares[0][text]:.1f} %, {100 * shares[1][text]:.0f} %" for text in METRICS)
                table.row(name, f"{units:,}", *cells)
    table.save("margins")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="benchmarks.margins")
    parser.add_argument("--sets", type=int, default=2000)
    report(parser.parse_args().sets)
