"""Worlds with a second system that is better or worse than the first by a chosen amount, in whichever metric.

The second system answers on its own, as well as the first. Then a share of its errors is mended, or a share of what it
has right is lost: single entities, or whole units where the errors of a unit go together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import NamedTuple, Protocol

import numpy as np
from scipy.optimize import brentq

from benchmarks.query_worlds import QUERIES, QueryWorld
from benchmarks.unkind_worlds import UNKIND, Unkind, answers, cells
from benchmarks.worlds import CELLS, LABELS, SCHEMA, WORLDS, World, dense_rows, with_hits
from karatage.metrics import COUNTS, NO_SCHEMA, Layout, Metric, Rows, Schema, mean_rows
from karatage.stats import Sampler

F1 = {"micro F1": Metric.parse("f1"), "macro F1": Metric.parse("macro_f1")}
MEAN = Metric.parse("nDCG@10")


class Shifted(Protocol):
    """A world in which a second system can be made better or worse."""

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The scores that are looked at."""

    def shift(self, metric: Metric, difference: float, alike: float = 0.0) -> float | None:
        """Return what makes the second system better by the difference; None where nothing does."""

    def draw(self, rng: np.random.Generator, units: int, shift: float = 0.0, alike: float = 0.0) -> Sampler:
        """Draw a test set. On a share of the units, chosen by chance, both systems answer alike."""


class ShiftedCounts(NamedTuple):
    """A world of extraction.

    Attributes:
        metrics: the scores that are looked at.
        answer: lets two systems answer; returns gold, predicted and correct of each unit and cell.
        expected: what a unit has on average.
        cells: the cells.
        schema: the declared groups.
        whole: whether whole units are mended or lost.
    """

    metrics: Mapping[str, Metric]
    answer: Callable[[np.random.Generator, int], list[np.ndarray]]
    expected: np.ndarray
    cells: tuple[tuple[str, str], ...]
    schema: Schema = NO_SCHEMA
    whole: bool = False

    def shift(self, metric: Metric, difference: float, alike: float = 0.0) -> float | None:
        """Return the share of errors to mend, or minus the share of correct answers to lose."""

        def gained(share: float) -> float:
            second = alike * self.expected + (1 - alike) * self._on_average(share)
            one, other = (
                float(metric.compute(Layout(COUNTS, self.cells), with_hits(own), self.schema))
                for own in (self.expected, second)
            )
            return other - one - difference

        most = 1.0 if difference > 0 else -0.999
        return float(brentq(gained, 0.0, most)) if gained(0.0) * gained(most) < 0 else None

    def draw(self, rng: np.random.Generator, units: int, shift: float = 0.0, alike: float = 0.0) -> Sampler:
        """Draw a test set."""
        one, other = self.answer(rng, units)
        other = self._shifted(rng, other, shift)
        same = rng.random(units) < alike
        other[same] = one[same]
        return Sampler([dense_rows(self.cells, own) for own in (one, other)], schema=self.schema)

    def _on_average(self, share: float) -> np.ndarray:
        gold, predicted, correct = np.moveaxis(self.expected, -1, 0)
        if share > 0:
            parts = gold, (1 - share) * predicted + share * gold, (1 - share) * correct + share * gold
        elif self.whole:
            parts = gold, (1 + share) * predicted, (1 + share) * correct
        else:
            parts = gold, predicted + share * correct, (1 + share) * correct
        return np.stack(parts, -1)

    def _shifted(self, rng: np.random.Generator, counts: np.ndarray, share: float) -> np.ndarray:
        gold, predicted, correct = np.moveaxis(counts, -1, 0)
        if self.whole:
            chosen = (rng.random(len(counts)) < abs(share))[:, None]
            mended, spurious, lost = (gold - correct) * chosen, (predicted - correct) * chosen, correct * chosen
            gone = predicted * chosen  # a system that fails says nothing
        else:
            mended, spurious = (rng.binomial(own - correct, max(share, 0)) for own in (gold, predicted))
            lost = gone = rng.binomial(correct, max(-share, 0))
        if share > 0:
            return np.stack([gold, predicted - spurious + mended, correct + mended], -1)
        return np.stack([gold, predicted - gone, correct - lost], -1) if share else counts


class ShiftedQueries(NamedTuple):
    """A world of search: all values of the second engine are raised to a power."""

    world: QueryWorld
    metrics: Mapping[str, Metric]

    def shift(self, metric: Metric, difference: float, alike: float = 0.0) -> float | None:
        """Return minus the logarithm of the power."""
        del metric
        values = self.world.draw(np.random.default_rng(1), 200_000)
        own = np.maximum(values, 1e-300)

        def gained(shift: float) -> float:
            raised = np.where(values > 0, own ** np.exp(-shift), 0)
            return (1 - alike) * float(raised.mean() - values.mean()) - difference

        most = 6.0 if difference > 0 else -6.0
        return float(brentq(gained, 0.0, most)) if gained(0.0) * gained(most) < 0 else None

    def draw(self, rng: np.random.Generator, units: int, shift: float = 0.0, alike: float = 0.0) -> Sampler:
        """Draw queries."""
        one, other = self.world.draw(rng, units), self.world.draw(rng, units) ** np.exp(-shift)
        other = np.where(rng.random(units) < alike, one, other)
        row = Rows.of_values(("gold",), np.ones((units, 1), np.int64))
        return Sampler([row, row], None, [mean_rows({MEAN: values}) for values in (one, other)])


def kind(world: World) -> Shifted:
    """Return a kind world; units that are hard for one system are not for the other."""

    def answer(rng: np.random.Generator, units: int) -> list[np.ndarray]:
        second, ease, gold = world.gold(units, rng)
        out = []
        for own in (ease, world.units(units, rng)[1]):
            counts = np.zeros((units, len(CELLS), 3), np.int64)
            found = world.answer(own, gold, rng)
            counts[~second, : len(LABELS)], counts[second, len(LABELS) :] = found[~second], found[second]
            out.append(counts)
        return out

    metrics = {**F1, "a label": Metric.parse("f1[C]")}
    return ShiftedCounts(metrics, answer, world.expected(), CELLS, SCHEMA)


def unkind(world: Unkind, whole: bool) -> Shifted:
    """Return an unkind world; what is to be expected is that of half a million units."""

    def answer(rng: np.random.Generator, units: int) -> list[np.ndarray]:
        return [own[..., :3] for own in answers(world, rng, units)]

    rng = np.random.default_rng(1)
    expected = sum(answer(rng, 50_000)[0].mean(axis=0) for _ in range(10)) / 10
    metrics = {**F1, "a label": Metric.parse("f1[C]")}
    return ShiftedCounts(metrics, answer, np.asarray(expected), cells(len(expected)), whole=whole)


def _queries(world: QueryWorld) -> Shifted:
    return ShiftedQueries(world, {"mean": MEAN})


WHOLE = {"independent": False, "together": True, "bursty": True, "failures": True, "pareto": True, "perfect": False}
MADE: dict[str, Callable[[], Shifted]] = {
    **{name: partial(kind, world) for name, world in WORLDS.items()},
    **{name: partial(unkind, UNKIND[name], whole) for name, whole in WHOLE.items()},
    **{f"queries, {name}": partial(_queries, world) for name, world in QUERIES.items()},
}


@cache
def shifted(name: str) -> Shifted:
    """Return a world by name."""
    return MADE[name]()
