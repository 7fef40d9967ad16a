"""Made-up worlds with known scores: test sets can be drawn from them at will, to see how often an interval is right.

A unit belongs to one of two categories and is more or less difficult. It has claims of six labels, of which a system
finds some, takes some for another label, and adds some that are not there. All expected counts are known, so the true
score is known too. Difficulty is shared within a unit: its claims are right or wrong together.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import betaincinv

from karatage.metrics import COUNTS, Layout, Metric, Rows, Schema

LABELS = ("A", "B", "C", "D", "E", "F")
CELLS = tuple((group, label) for group in "12" for label in LABELS)
SCHEMA = Schema(groups=("1", "2"))
METRICS = {
    "micro F1": Metric.parse("f1"),
    "macro F1": Metric.parse("macro_f1"),
    "`final_f0.2`": Metric.parse("groups_weighted_f0.2"),
}


@dataclass(frozen=True)
class World:
    """How claims come about.

    Attributes:
        quality: the mean chance that a claim is found.
        spread: how much units differ: the larger, the more alike they are.
        extra: how many claims that are not there the system adds to a unit.
        shares: the shares of the labels among the claims.
        per_unit: how many claims a unit has.
        steps: how much better or worse the system is on each label.
    """

    quality: float = 0.8
    spread: float = 10.0
    extra: float = 0.3
    shares: tuple[float, ...] = (0.35, 0.25, 0.15, 0.12, 0.08, 0.05)
    per_unit: float = 2.5
    steps: tuple[float, ...] = field(default=(0.06, 0.0, -0.03, 0.03, -0.08, -0.12))

    def units(self, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw units: whether each is of the second category, and how easy it is."""
        return rng.random(count) < 0.4, rng.beta(self.quality * self.spread, (1 - self.quality) * self.spread, count)

    def rates(self, second: np.ndarray) -> np.ndarray:
        """Return how many claims of each label are to be expected in each unit."""
        rates = self.per_unit * np.array(self.shares)
        return np.where(second[:, None], rates[::-1] * 0.5 + rates * 0.5, rates)

    def chances(self, ease: np.ndarray) -> np.ndarray:
        """Return the chance of each label's claims to be found in each unit."""
        return np.clip(ease[:, None] + (1 - self.quality) * 2 * np.array(self.steps), 0.0, 1.0)

    def gold(self, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw units with their gold claims."""
        second, ease = self.units(count, rng)
        return second, ease, rng.poisson(self.rates(second))

    def answer(self, ease: np.ndarray, gold: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Let a system answer; return gold, predicted and correct of each unit and label."""
        correct = rng.binomial(gold, self.chances(ease))
        taken = rng.binomial(gold - correct, 0.3)  # for the next label
        added = rng.poisson(self.extra * (1.8 - ease)[:, None] * np.array(self.shares), gold.shape)
        return np.stack([gold, correct + np.roll(taken, 1, axis=1) + added, correct], axis=2)

    def expected(self) -> np.ndarray:
        """Return the expected counts of a unit in each cell, by summing over how easy units are."""
        steps = (np.arange(20_000) + 0.5) / 20_000
        ease = betaincinv(self.quality * self.spread, (1 - self.quality) * self.spread, steps)
        out = []
        for second, share in ((False, 0.6), (True, 0.4)):
            rates, chances = self.rates(np.full(len(ease), second)), self.chances(ease)
            correct = rates * chances
            taken = np.roll((rates - correct) * 0.3, 1, axis=1)
            added = self.extra * (1.8 - ease)[:, None] * np.array(self.shares)
            out.append(share * np.stack([rates, correct + taken + added, correct], axis=2).mean(axis=0))
        return np.concatenate(out)

    def true(self, metric: Metric) -> float:
        """Return the score that an endless test set would have."""
        counts = self.expected()
        return float(metric.compute(Layout(COUNTS, CELLS), with_hits(counts), SCHEMA))


WORLDS = {
    "usual": World(),
    "good": World(quality=0.95, extra=0.08),
    "poor": World(quality=0.45, extra=0.6),
}


def with_hits(counts: np.ndarray) -> np.ndarray:
    """Put the fourth column beside gold, predicted and correct: in exact matching hits are what is correct."""
    return np.concatenate([counts, counts[..., 2:]], axis=-1)


def rows_of(second: np.ndarray, counts: np.ndarray) -> Rows:
    """Return the rows of units whose claims are counted in the cells of their category."""
    wide = np.zeros((len(counts), len(CELLS), 3), np.int64)
    wide[~second, : len(LABELS)] = counts[~second]
    wide[second, len(LABELS) :] = counts[second]
    return dense_rows(CELLS, wide)


def dense_rows(cells: tuple[tuple[str, str], ...], counts: np.ndarray) -> Rows:
    """Return rows of counts that are given for every unit and cell."""
    unit, cell = np.nonzero(counts.any(axis=2))
    starts = np.searchsorted(unit, np.arange(len(counts) + 1))
    found = with_hits(counts[unit, cell]).astype(np.int32)
    alone = np.ones(len(counts), np.int64), np.zeros(len(counts), np.int64)
    return Rows(COUNTS, cells, starts, cell.astype(np.int32), found, *alone)
