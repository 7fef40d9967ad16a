"""How often slices are marked where none is worse, and how often one that is worse is found.

`python -m benchmarks.slice_marks` prints the table of the docs.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from benchmarks.simulating import GrowingTable, processes
from karatage.explanation.slices.slice_counts import Draws, side_by_side
from karatage.explanation.slices.slice_tests import SliceDifference, corrected
from karatage.metrics import COUNTS, Metric
from karatage.stats import Sampler

F1 = Metric.parse("f1")
SIZES = (50, 200, 1000)

# The shares of the groups of each slicing, common and rare ones: first slicings of claims, then of whole units.
OF_CLAIMS = [(0.5, 0.5), (0.9, 0.1), (0.97, 0.03), (0.6, 0.25, 0.1, 0.05), (0.5, 0.5), (0.8, 0.2), (0.4, 0.3, 0.3)]
OF_UNITS = [(0.5, 0.5), (0.94, 0.06), (0.5, 0.3, 0.15, 0.05)]
SLICINGS = [(shares, False) for shares in OF_CLAIMS] + [(shares, True) for shares in OF_UNITS]


class Difficulty(NamedTuple):
    """How units differ: the mean chance of a claim to be found, and how alike units are; the less, the more they fail.

    Attributes:
        quality: the mean chance.
        alike: the larger, the less the claims of a unit are right or wrong together.
        tail: the exponent of the sizes of units, where they have a long tail.
    """

    quality: float
    alike: float = 8.0
    tail: float | None = None


SETTINGS = {
    "usual": Difficulty(0.8),
    "good": Difficulty(0.95),
    "good, together": Difficulty(0.95, 0.5),
    "failures": Difficulty(0.97, 0.1),
    "long tail": Difficulty(0.8, 2.0, 1.5),
}


class Drawn:
    """A test set: units are more or less difficult, so that their claims are right or wrong together.

    A system finds a claim with the chance of its unit, and adds the more claims that are not there the harder it is.
    """

    def __init__(self, ease: np.ndarray, claims: np.ndarray, rng: np.random.Generator) -> None:
        self.units = len(ease)
        self.gold = np.repeat(np.arange(self.units), claims)
        self.found = rng.random(len(self.gold)) < ease[self.gold]
        self.spurious = np.repeat(np.arange(self.units), rng.poisson(claims * (1 - ease)))
        self._draws = Draws(self.units, None, np.zeros(self.units, np.int64))
        whole = self._counts(np.ones(len(self.gold), bool), np.ones(len(self.spurious), bool))
        sampler = Sampler(side_by_side(COUNTS, whole, 0 * whole, self._draws)[:1])
        self._erring = sampler.evidence(F1, 0).erring

    @classmethod
    def of(cls, setting: Difficulty, units: int, rng: np.random.Generator) -> Drawn:
        """Draw units with two and a half claims each, that are found with about the same precision and recall."""
        quality, alike, tail = setting
        mean = 2.5 if tail is None else np.minimum(rng.pareto(tail, units) + 1, 200)
        return cls(rng.beta(alike * quality, alike * (1 - quality), units), rng.poisson(mean, units), rng)

    def _counts(self, gold: np.ndarray, spurious: np.ndarray) -> np.ndarray:
        """Return gold, predicted, correct and hits of each unit among the chosen claims."""
        places = self.gold[gold], self.spurious[spurious], self.gold[gold & self.found]
        true, extra, right = (np.bincount(own, minlength=self.units) for own in places)
        return np.stack([true, right + extra, right, right])

    def against_rest(self, gold: np.ndarray, spurious: np.ndarray) -> SliceDifference | None:
        """Compare the chosen claims with the others."""
        if not gold.any():
            return None
        both = (self._counts(gold, spurious), self._counts(~gold, ~spurious))
        return SliceDifference.of(F1, Sampler(side_by_side(COUNTS, both[0], both[1], self._draws)), self._erring)

    def tests(
        self, shares: tuple[float, ...], of_units: bool, rng: np.random.Generator
    ) -> Iterable[SliceDifference | None]:
        """Compare the groups of a slicing that has nothing to do with right and wrong; two groups are one test."""
        unit = rng.choice(len(shares), self.units, p=shares)
        gold, spurious = (
            unit[own] if of_units else rng.choice(len(shares), len(own), p=shares) for own in (self.gold, self.spurious)
        )
        # Of two groups the smaller one is the slice.
        groups = [len(shares) - 1] if len(shares) == 2 else range(len(shares))
        return [self.against_rest(gold == k, spurious == k) for k in groups]


class Marks(NamedTuple):
    """What became of the slices.

    Attributes:
        sets: how many test sets.
        marked: in how many any slice was marked.
        tests: how many tests there were.
        worse: how many of them alone would call a slice worse.
        better: how many of them alone would call a slice better.
        found: in how many other test sets a slice that is worse was marked.
    """

    sets: int = 0
    marked: int = 0
    tests: int = 0
    worse: int = 0
    better: int = 0
    found: int = 0

    def add(self, other: Marks) -> Marks:
        """Count others too."""
        return Marks(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def single(self) -> float:
        """How many single tests reject."""
        return (self.worse + self.better) / self.tests

    @property
    def cells(self) -> tuple[str, str, str]:
        """What a table shows."""
        sides = " + ".join(f"{100 * own / self.tests:.1f}" for own in (self.worse, self.better))
        marked, single, power = self.marked / self.sets, self.single, self.found / self.sets
        return f"{100 * marked:.1f} %", f"{100 * single:.1f} % ({sides})", f"{100 * power:.0f} %"


def marks(name: str, units: int, sets: Iterable[int]) -> Marks:
    """Try ten slicings at once, 18 tests, of which none has anything to find; and one that has, beside 17 others."""
    setting, out = SETTINGS[name], Marks()
    for number in sets:
        rng = np.random.default_rng([units, sorted(SETTINGS).index(name), number])
        drawn = Drawn.of(setting, units, rng)
        tried = [one for shares, of_units in SLICINGS for one in drawn.tests(shares, of_units, rng)]
        found = [one for one in tried if one is not None]
        p = [one.p for one in found]
        marked = any(own is not None and own <= 0.05 for own in corrected(p, range(len(p))))
        single = [one.value < 0 for one, own in zip(found, p, strict=True) if own <= 0.05]
        lower = sum(single)
        out = out.add(Marks(1, marked, len(p), lower, len(single) - lower, is_found(setting, units, rng)))
    return out


def is_found(setting: Difficulty, units: int, rng: np.random.Generator) -> bool:
    """Tell whether a slice of a tenth of the units is marked on which a quarter of what was right is wrong."""
    hard = np.arange(units) < units // 10
    own = [setting._replace(quality=setting.quality * share) for share in (1.0, 0.75)]
    ease = [rng.beta(one.alike * one.quality, one.alike * (1 - one.quality), units) for one in own]
    drawn = Drawn(np.where(hard, ease[1], ease[0]), rng.poisson(2.5, units), rng)
    found = drawn.against_rest(hard[drawn.gold], hard[drawn.spurious])
    if found is None:
        return False
    p = corrected([found.p, *np.linspace(0.05, 1, 17).tolist()], range(18))[0]
    return p is not None and p <= 0.05


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.slice_marks")
    parser.add_argument("--sets", type=int, default=1000)
    sets = parser.parse_args().sets
    table = GrowingTable("setting", "units", "any slice marked", "single tests (worse + better)", "power")
    with processes() as in_parts:
        for name in SETTINGS:
            for units in SIZES:
                total = Marks()
                for part in in_parts(marks, sets, name, units):
                    total = total.add(part)
                table.row(name, f"{units:,}", *total.cells)
    table.save("slice_marks")


if __name__ == "__main__":
    main()
