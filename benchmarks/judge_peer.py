"""Intervals with a judge beside those of ppi-python: `python -m benchmarks.judge_peer` prints a table.

The score is the precision at 1 of 4,000 queries, 60 % of which have a relevant result first. Some of them are labelled,
and a judge that is wrong in 7 % of the queries labels all.
"""

from __future__ import annotations

import argparse
from importlib import import_module

import numpy as np

from benchmarks.judges import Cell, estimates
from benchmarks.simulating import GrowingTable
from karatage.metrics import COUNTS, Metric, Rows, mean_rows
from karatage.scoring import UnitRows
from karatage.stats import LabelledPart

ALL = 4000
SIZES = (30, 50, 100, 200, 300, 500, 1500)
TRUE = 0.6
METRIC = Metric.parse("P@1")


def drawn(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return whether the first result of each query is relevant, by gold and by the judge."""
    gold = rng.random(ALL) < TRUE
    return gold.astype(float), np.where(rng.random(ALL) < 0.15, rng.random(ALL) < 0.7, gold).astype(float)


def ours(gold: np.ndarray, judge: np.ndarray, labelled: int) -> Cell:
    """Return the interval that `--judge` gives."""
    empty = Rows.of_values(COUNTS, np.zeros((ALL, 4), np.int64))
    sides = [[UnitRows(empty, None, None, mean_rows({METRIC: own}))] * 2 for own in (gold, judge)]
    part = LabelledPart(np.arange(ALL) < labelled, np.arange(ALL), np.zeros(ALL, np.int64))
    return dict(estimates(sides[0], sides[1], part, {"P@1": METRIC}, {"P@1": TRUE}))["P@1"]


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.judge_peer")
    parser.add_argument("--sets", type=int, default=400, help="test sets of each size")
    sets = parser.parse_args().sets
    peer = import_module("ppi_py")
    table = GrowingTable("labelled", "coverage of ppi-python", "ours", "width relative to ppi-python")
    for labelled in SIZES:
        held = [0, 0]
        widths = np.zeros(2)
        for number in range(sets):
            gold, judge = drawn(np.random.default_rng([labelled, number]))
            own = ours(gold, judge, labelled)
            ends = peer.ppi_mean_ci(gold[:labelled], judge[:labelled], judge[labelled:], alpha=0.05)
            low, high = (float(np.squeeze(end)) for end in ends)
            held[0] += low <= TRUE <= high
            held[1] += not (own.below or own.above)
            widths += (high - low, own.width)
        shares = (f"{100 * count / sets:.1f}" for count in held)
        table.row(labelled, *shares, f"{widths[1] / widths[0]:.3f}")
    table.save("judge_peer")


if __name__ == "__main__":
    main()
