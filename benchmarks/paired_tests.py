"""How often the three tests call two systems different: equally good ones, and one that is worse.

`python -m benchmarks.false_alarms` prints the tables of the docs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from benchmarks import documents
from benchmarks.settings import LABEL, MACRO, MEAN, MICRO, setting
from benchmarks.simulated_systems import Simulated
from benchmarks.unkind_worlds import LABELS, USUAL, unkind_rows
from benchmarks.worlds import dense_rows
from karatage.comparison.earlier_test import swapped_p
from karatage.comparison.pairwise import PairwiseTests
from karatage.metrics import COUNTS, KINDS, Metric
from karatage.stats import Resampling, Sampler, bootstrap_p

TESTS = ("t", "randomisation", "bootstrap")
COLUMNS = (MICRO, MACRO, LABEL, MEAN)
ROUNDS = 399
"""Resamples of the bootstrap and rounds of the randomisation: p can then be just 0.05."""

RUNS = 5
DOCUMENTS, TRAINED = "documents", f"{RUNS} runs each"
ONLY = {"traded": (MICRO, MACRO)}
"""Settings in which systems are equal in these scores alone."""


class Alarms(NamedTuple):
    """How often a test called two systems different.

    Attributes:
        sets: how many test sets.
        first: in how many the first system was called better.
        second: in how many the second was.
    """

    sets: int = 0
    first: int = 0
    second: int = 0

    def plus(self, p: float, value: float) -> Alarms:
        """Count one more test set."""
        rejected = p <= 0.05 + 1e-12
        return self.add(Alarms(1, rejected and value > 0, rejected and value < 0))

    def add(self, other: Alarms) -> Alarms:
        """Count others too."""
        return Alarms(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def share(self) -> float:
        """In how many any of the two was."""
        return (self.first + self.second) / self.sets

    @property
    def sides(self) -> str:
        """The share, and that of each side."""
        sides = " + ".join(f"{100 * count / self.sets:.1f}" for count in (self.first, self.second))
        return f"{100 * self.share:.1f} ({sides})"


Rejected = dict[tuple[str, str], Alarms]
"""By column and by test."""


def rejections(name: str, units: int, others: int, sets: Iterable[int]) -> Rejected:
    """Test two systems on test sets, given by their numbers; the slower tests on the first of them only.

    Args:
        name: the setting.
        units: how many units, or documents, a test set has.
        others: on how many test sets the tests are tried that resample.
        sets: the numbers of the test sets.
    """
    out: Rejected = {}
    for number in sets:
        rng = np.random.default_rng([units, number, *name.encode()])
        for column, test, p, value in _tested(name, units, number, TESTS if number < others else TESTS[:1], rng):
            out[column, test] = out.get((column, test), Alarms()).plus(p, value)
    return out


def _tested(
    name: str, units: int, number: int, tests: Iterable[str], rng: np.random.Generator
) -> Iterator[tuple[str, str, float, float]]:
    """Yield the column, the test, its p-value and the difference."""
    resampling = Resampling(ROUNDS, seed=number)
    if name == TRAINED:
        yield from _of_runs(units, resampling, rng)
        return
    drawn, metrics = _drawn(name, units, rng)
    drawable = [metric for metric in metrics.values() if not np.isnan(drawn.observed(metric)).any()]
    replicates = drawn.sampler.replicates(drawable, ROUNDS, number) if "bootstrap" in tests else {}
    for column, metric in metrics.items():
        scores = drawn.observed(metric)
        pair = drawn.difference(metric, 0, 1)
        if pair is None or np.isnan(scores).any():
            continue
        value = float(scores[0] - scores[1])
        yield column, "t", pair.p, value
        if "randomisation" in tests:
            yield column, "randomisation", swapped_p([drawn], metric, [0, 1], value, resampling), value  # type: ignore[list-item]
        if "bootstrap" in tests:
            own = replicates[metric]
            yield column, "bootstrap", bootstrap_p(own[:, 0] - own[:, 1], value), value


def _drawn(name: str, units: int, rng: np.random.Generator) -> tuple[Simulated, dict[str, Metric]]:
    """Draw a test set on which two systems answer, and return the scores that are looked at."""
    if name == DOCUMENTS:
        counts, document = documents.draw(documents.WORLDS["uneven"], rng, units)
        owners = document.astype(str).tolist()
        rows = [dense_rows(documents.CELLS, own).in_clusters(owners) for own in counts]
        return Simulated.of(Sampler(rows)), {MICRO: Metric.parse("f1")}
    made = setting(name)
    metrics = {column: made.metrics[column] for column in ONLY.get(name, COLUMNS) if column in made.metrics}
    return Simulated.of(made.draw(rng, units)), metrics


def _of_runs(units: int, resampling: Resampling, rng: np.random.Generator) -> Iterator[tuple[str, str, float, float]]:
    """Yield the test of two systems that were trained several times: runs differ, and each answers by chance."""
    gold = rng.poisson(USUAL, (units, len(LABELS)))
    ease = rng.beta(6.4, 1.6, (units, 1))
    rows = []
    for _ in range(2 * RUNS):
        chance = np.clip(ease + rng.normal(0, 0.01), 0, 1)
        correct = rng.binomial(gold, np.broadcast_to(chance, gold.shape))
        counts = np.zeros((*gold.shape, len(COUNTS) + len(KINDS)), np.int64)
        added = rng.poisson(0.05, gold.shape)
        counts[..., :4] = np.stack([gold, correct + added, correct, correct], axis=2)
        rows.append(unkind_rows(counts))
    drawn = Simulated(Sampler(rows), {"one": list(range(RUNS)), "other": list(range(RUNS, 2 * RUNS))})
    metrics = {MICRO: Metric.parse("f1"), MACRO: Metric.parse("macro_f1")}
    for column, contest in PairwiseTests([drawn], resampling, "t").contests(metrics).items():  # type: ignore[list-item]
        (found,) = contest.differences
        if found.p is not None and found.value is not None:
            yield column, "t", found.p, found.value if found.one == "one" else -found.value
