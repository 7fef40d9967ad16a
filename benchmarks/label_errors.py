"""Does a recall that is corrected for wrong labels hold the true one? `python -m benchmarks.label_errors`.

Benchmarks are drawn as in `benchmarks.recall`, and some labels are wrong. A random sample of the labelled items of each
stratum is labelled again, and these labels are right.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np

from benchmarks.recall import LEVEL, RECALLS, SHAPES, UNKIND, Held, head, row
from karatage.stats.label_errors import LabelErrors, corrected_recall
from karatage.stats.stratified import Strata, interval


class Mistakes(NamedTuple):
    """How labels are wrong.

    `false` is the share of negatives that are labelled positive, `spread` by how much it differs between the first and
    the last stratum, `found` the share of them that the tagger takes for positives as well, and `overlooked` the share
    of the positives that are not labelled.
    """

    false: float = 0.01
    spread: float = 0.0
    found: float = 0.0
    overlooked: float = 0.0


MISTAKES = {
    "0.5 % false": Mistakes(0.005),
    "1 % false": Mistakes(0.01),
    "5 % false": Mistakes(0.05),
    "1 % false, strata differ": Mistakes(0.01, spread=0.9),
    "5 % false, strata differ": Mistakes(0.05, spread=-0.9),
    "2 % false, half found": Mistakes(0.02, found=0.5),
    "1 % false, 10 % overlooked": Mistakes(0.01, overlooked=0.1),
    "no errors": Mistakes(0.0),
}
WORLDS = (("_01", "as EstNLTK"), ("_01", "all .9"), ("heavy", "all .9"), ("rare", "all .75"))


def coverage(shape: str, recalls: str, mistakes: str, checked: int, number: int) -> dict[str, Held]:
    """Return what became of the intervals: of labels as they are, of known rates, and of estimated ones."""
    false, spread, found_share, overlooked = MISTAKES[mistakes]
    shapes = SHAPES | UNKIND
    names = (list(shapes).index(shape), list(RECALLS).index(recalls), list(MISTAKES).index(mistakes), checked)
    rng = np.random.default_rng(names)
    sizes, shares, numbers = (np.array(column) for column in shapes[shape])
    rule, count = RECALLS[recalls], len(sizes)
    labelled = np.minimum(sizes, np.broadcast_to(numbers, count))
    rates = false * np.linspace(1 - spread, 1 + spread, count)
    out = dict.fromkeys(("as labelled", "known rates", "corrected"), Held())
    while out["corrected"].intervals < number:
        given = rng.uniform(0.1, 0.98, count) if rule is None else np.array(list(rule(count)))
        positives = rng.binomial(sizes, shares)
        found = rng.binomial(positives, given)
        truth = found.sum() / positives.sum()
        kinds = np.stack([found, positives - found, sizes - positives], -1)
        true = np.array([rng.multivariate_hypergeometric(c, n) for c, n in zip(kinds, labelled, strict=True)])
        noticed = rng.binomial(true[:, :2], 1 - overlooked)
        wrong = rng.binomial(true[:, 2], rates)
        wrong_found = rng.binomial(wrong, found_share)
        hits, misses = noticed[:, 0] + wrong_found, noticed[:, 1] + wrong - wrong_found
        if not (hits + misses).any():
            continue
        columns = (sizes, labelled, hits + misses, hits + misses, hits)
        strata = Strata(*(column.astype(float) for column in columns))
        parts = (wrong - wrong_found, wrong_found, true[:, 2] - wrong, noticed.sum(1), (true[:, :2] - noticed).sum(1))
        again = zip(np.stack(parts, -1), np.minimum(checked, labelled), strict=True)
        drawn = np.array([rng.multivariate_hypergeometric(c, n) for c, n in again])
        counts = (drawn[:, 0], drawn[:, 1], drawn[:, :3].sum(1), int(drawn[:, 4].sum()), int(drawn[:, 3:].sum()))
        if counts[3] == counts[4] > 0:
            continue  # all positives that were checked had been overlooked, which is refused
        ends = {"as labelled": interval(strata, level=LEVEL)}
        known = LabelErrors(rates * (1 - found_share), rates * found_share, np.full(count, np.inf), overlooked)
        for name, errors in (("known rates", known), ("corrected", LabelErrors.of_counts(*counts))):
            recall = corrected_recall(strata, errors, LEVEL).recall
            ends[name] = (0.0, 1.0) if recall is None else recall[1:]
        out = {name: held.plus(ends[name], truth) for name, held in out.items()}
    return out


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.label_errors")
    parser.add_argument("--benchmarks", type=int, default=500, help="how many to draw in each world")
    given = parser.parse_args()
    print(f"Coverage in % (interval below + above the truth), mean width; {given.benchmarks:,} benchmarks.\n")
    head("world", "recalls", "labels", "checked", "as labelled", "known rates", "corrected")
    for shape, recalls in WORLDS:
        for mistakes in MISTAKES:
            for checked in (100, 1000):
                found = coverage(shape, recalls, mistakes, checked, given.benchmarks)
                row(shape, recalls, mistakes, checked, *found.values())


if __name__ == "__main__":
    main()
