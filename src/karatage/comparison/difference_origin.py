"""Where the difference between two systems comes from: which labels, and how many queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from karatage._arrays import Floats, Ints
from karatage.comparison.comparison import Contest, Difference
from karatage.comparison.system_counts import SystemCounts
from karatage.metrics import STEP, Metric

_SAME = 1e-9
"""A smaller difference is rounding."""

_STEPS = 5
"""Differences are counted in so many steps up, and as many down."""

_Shares = dict[str, tuple[float, float]]
"""For each label what it adds to the score, and what its weight is."""


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where the difference between the two best systems comes from.

    Attributes:
        one, other: the two systems, the better first.
        labels: what each label contributes to the difference, the largest contribution first. They add up to it. Empty
            where the score is no mean over labels, and with several test sets, a judge or several annotators.
        better: on how many units the first system has the better value, where the score is a mean over units.
        worse: on how many it has the worse value.
        spread: how many units differ by how much, from the largest gain to the largest loss: the ends of each step, and
            the number of units; those without a difference stand between 0 and 0.
    """

    one: str
    other: str
    labels: Mapping[str, float] = field(default_factory=dict)
    better: int | None = None
    worse: int | None = None
    spread: tuple[tuple[float, float, int], ...] = ()

    @property
    def main_label(self) -> str | None:
        """The label that contributes more than all others together that point the same way; None if there is none."""
        if len(self.labels) < 2:
            return None
        total = sum(self.labels.values())
        same = {label: value / total for label, value in self.labels.items() if total and value / total > 0}
        label = max(same, key=lambda label: same[label], default=None)
        return label if label is not None and same[label] > sum(same.values()) / 2 else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        out: dict[str, Any] = {"one": self.one, "other": self.other}
        out |= {"by_label": dict(self.labels)} if self.labels else {}
        return out | ({} if self.better is None else {"better": self.better, "worse": self.worse})


def origin_of(contest: Contest, counts: SystemCounts, metric: Metric) -> Origin | None:
    """Find where the difference between the two best systems comes from; None if it is not known.

    Args:
        contest: the systems in the metric.
        counts: their counts on a single test set.
        metric: the metric.
    """
    one, other = list(contest.scores)[:2]
    found = contest[one, other]
    if found.value is None or counts.annotators or counts.judge_units is not None:
        return None
    runs = counts.runs[one], counts.runs[other]
    if metric.per_unit:
        single = len(runs[0]) == len(runs[1]) == 1 and counts.resampling.cluster_by is None
        return _by_unit(found, counts, metric, runs[0][0], runs[1][0]) if single else None
    labels = label_contributions(counts, metric, *runs)
    if not labels or not np.isclose(sum(labels.values()), found.value, rtol=0, atol=_SAME):
        return None
    return Origin(one=one, other=other, labels=labels)


def label_contributions(
    counts: SystemCounts, metric: Metric, runs: Sequence[int], minus: Sequence[int]
) -> dict[str, float]:
    """Return what each label contributes to the difference between some runs and others, the largest first.

    A score is a mean of the labels' values v with weights w: Σwv / Σw. For two scores s and t, the difference
    s - t is the sum over labels of (Δ(wv) - (s + t)/2 · Δw) / W, where W is the mean of the two Σw. A label counts
    in favour of the first system where it adds more to the numerator than its weight takes off. Swapping the systems
    changes the sign of every contribution, and nothing else.
    """
    known = {run: _shares(counts, metric, run) for run in {*runs, *minus}}
    out: dict[str, float] = defaultdict(float)
    pairs = list(product(runs, minus))
    for run, against in pairs:
        for label, value in _between(known[run], known[against]).items():
            out[label] += value / len(pairs)
    return dict(sorted(out.items(), key=lambda item: (-abs(item[1]), item[0])))


def _shares(counts: SystemCounts, metric: Metric, run: int) -> _Shares:
    """Return what each label adds to the score of a run, and its weight; nothing where labels do not add up."""
    read = counts.counted[run].tally.read_by(metric)
    if read is None or not metric.over_labels or not metric.measure.reads(read.layout.columns):
        return {}
    labels, parts, weights = metric.shares(read.layout, read.totals, counts.profile.schema)
    return dict(zip(labels, zip(parts.tolist(), weights.tolist(), strict=True), strict=True))


def _between(ours: _Shares, theirs: _Shares) -> dict[str, float]:
    (part, weight), (their_part, their_weight) = (_totals(own) for own in (ours, theirs))
    if not weight or not their_weight:
        return {}
    middle, size = (part / weight + their_part / their_weight) / 2, (weight + their_weight) / 2
    nothing = 0.0, 0.0
    return {
        label: (ours.get(label, nothing)[0] - theirs.get(label, nothing)[0]) / size
        - middle * (ours.get(label, nothing)[1] - theirs.get(label, nothing)[1]) / size
        for label in sorted({*ours, *theirs})
    }


def _totals(shares: _Shares) -> tuple[float, float]:
    return sum(part for part, _ in shares.values()), sum(weight for _, weight in shares.values())


def _by_unit(found: Difference, counts: SystemCounts, metric: Metric, run: int, against: int) -> Origin:
    """Count the units on which either system has the better value; those without a value in one are left out."""
    population = counts.sampler.population(metric)
    ours, theirs = (np.asarray(population.of_system(own), float) for own in (run, against))
    known = (ours[:, 1] > 0) & (theirs[:, 1] > 0)
    gain = (ours[known, 0] - theirs[known, 0]) / STEP * (1 if metric.higher_is_better else -1)
    times = population.times[known]
    better, worse = (int(times[sign * gain > _SAME].sum()) for sign in (1, -1))
    return Origin(one=found.one, other=found.other, better=better, worse=worse, spread=spread_of(gain, times))


def spread_of(gains: Floats, times: Ints) -> tuple[tuple[float, float, int], ...]:
    """Count gains by their size, in at most five round steps up and as many down; nothing if all are 0."""
    largest = float(np.abs(gains).max(initial=0.0))
    if largest <= _SAME:
        return ()
    power = 10.0 ** np.floor(np.log10(largest / _STEPS))
    width = next(own * power for own in (1, 2, 5, 10) if largest <= _STEPS * own * power + _SAME)
    step = (np.sign(gains) * np.ceil((np.abs(gains) - _SAME) / width)).astype(int)
    edges = [round(k * width, 12) for k in range(_STEPS + 1)]
    counts = {k: int(times[step == k].sum()) for k in range(-_STEPS, _STEPS + 1)}
    most = max(abs(k) for k, count in counts.items() if count)
    up = [(edges[k - 1], edges[k], counts[k]) for k in range(most, 0, -1)]
    down = [(-edges[k], -edges[k - 1], counts[-k]) for k in range(1, most + 1)]
    return (*up, (0.0, 0.0, counts[0]), *down)
