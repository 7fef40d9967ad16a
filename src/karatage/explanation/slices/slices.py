"""Slices: parts of a test set, each scored as if it were the whole and compared with the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from karatage._arrays import Floats
from karatage.explanation.slices.slice_counts import SliceCounts
from karatage.explanation.slices.slice_tests import SliceDifference, corrected
from karatage.metrics import Metric, Rows, Score, Undefined
from karatage.stats import Resampling, Sampler, with_intervals

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Slice:
    """A part of the test set.

    Attributes:
        by: the slicing: `label`, `length`, an attribute, or an expression as it was written.
        name: the group.
        units: how many units have a claim in it, or belong to it.
        counts: its gold, predicted and correct claims.
        scores: precision, recall and the main measure; for search the metric.
        rest: the main measure on everything else.
        difference: the main measure of the slice minus that of the rest; None where one of them is undefined.
        p: how likely such a difference would be if there were none; None where there was no test.
        corrected: the same, corrected for all slices that were looked at.
        mark: `worse` or `better` where the difference is real, else empty.
        headline: the main measure's name among the scores.
    """

    by: str
    name: str
    units: int
    counts: dict[str, int]
    scores: dict[str, Score]
    rest: Score
    difference: float | None
    ends: tuple[float, float] | None
    p: float | None
    corrected: float | None
    mark: str
    headline: str

    @property
    def score(self) -> Score:
        """The main measure."""
        return self.scores[self.headline]

    @property
    def telling(self) -> bool:
        """Whether its score says something about the system, and is not what it is by definition.

        Where there is no gold, nothing can be right; and a slice that is the whole test set has its score.
        """
        whole = self.rest.value is None and self.score.value is not None
        return self.counts.get("gold", 1) > 0 and not whole

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "by": self.by,
            "name": self.name,
            "units": self.units,
            "counts": dict(self.counts),
            "scores": {name: score.to_dict() for name, score in self.scores.items()},
            "headline": self.headline,
            "rest": self.rest.to_dict(),
            "difference": self.difference,
            "difference_low": None if self.ends is None else self.ends[0],
            "difference_high": None if self.ends is None else self.ends[1],
            "p": self.p,
            "corrected": self.corrected,
            "mark": self.mark,
        }


@dataclass(frozen=True, eq=False)
class Candidate:
    """A slice before it is scored.

    Attributes:
        by, name, units, counts: as of the slice.
        part: the counts of what is in it.
        others: the counts of what is not.
        both: the counts of both on the same units.
        mirror: the number of an earlier candidate that is just the rest of this one; None if there is none.
    """

    by: str
    name: str
    units: int
    counts: dict[str, int]
    part: SliceCounts
    others: SliceCounts
    both: Sequence[Rows]
    mirror: int | None = None


@dataclass(frozen=True, eq=False)
class Scorer:
    """Scores candidates.

    Attributes:
        metrics: what to compute, by the names that it is shown under; the last one is the main measure.
        value: computes a metric of a part, without an interval.
        resampling: how intervals are made.
        undefined: the number that the profile exports for undefined values, on resamples too.
        higher_is_better: the direction of the main measure.
    """

    metrics: Mapping[str, Metric]
    value: Callable[[Metric, SliceCounts], Score]
    resampling: Resampling
    undefined: Undefined = None
    higher_is_better: bool = True

    @property
    def main(self) -> Metric:
        """The main measure."""
        return list(self.metrics.values())[-1]

    def slices(self, candidates: Sequence[Candidate]) -> list[Slice]:
        """Score all candidates and test each against its rest, at one level for all of them."""
        erring = self._erring(candidates[0].both) if candidates and self.resampling.resamples else None
        out = [self._slice(candidate, erring) for candidate in candidates]
        same = [k if candidate.mirror is None else candidate.mirror for k, candidate in enumerate(candidates)]
        for k, first in enumerate(same):
            if k != first:  # two slices that are each other's rest show the same numbers, and are one test
                turned = out[first].ends
                ends = None if turned is None else (-turned[1], -turned[0])
                out[k] = replace(out[k], rest=out[first].score, ends=ends, p=out[first].p)
                out[first] = replace(out[first], rest=out[k].score)
        found = corrected([one.p for one in out], same)
        return [replace(one, corrected=p, mark=self._mark(one, p)) for one, p in zip(out, found, strict=True)]

    def _mark(self, one: Slice, p: float | None) -> str:
        if p is None or one.difference is None or p > 1 - self.resampling.level + _ROUNDING:
            return ""
        return "better" if (one.difference > 0) == self.higher_is_better else "worse"

    def _erring(self, both: Sequence[Rows]) -> Floats | None:
        """Return how many units of the whole test set have errors; None where the main measure is undefined."""
        one, rest = both
        sampler = self._sampler(replace(one, counts=one.counts + rest.counts))
        drawn = sampler.population(self.main)
        undefined = np.isnan(self.main.compute(drawn.layout, drawn.totals)).any()
        return None if undefined else sampler.evidence(self.main, 0).erring

    def _slice(self, candidate: Candidate, erring: Floats | None) -> Slice:
        name, level = list(self.metrics)[-1], self.resampling.level
        scores = self._scores(candidate.part)
        rest = self.value(self.main, candidate.others)
        p = ends = None
        if erring is not None and candidate.counts.get("gold", 1):  # without gold nothing can be right
            rest = self._with_intervals({self.main: rest}, candidate.others)[self.main]
            found = SliceDifference.of(self.main, self._sampler(*candidate.both), erring)
            p, ends = (found.p, found.ends(level)) if found is not None else (None, None)
        known = scores[name].value is not None and rest.value is not None
        return Slice(
            by=candidate.by,
            name=candidate.name,
            units=candidate.units,
            counts=candidate.counts,
            scores=scores,
            rest=rest,
            difference=float(scores[name]) - float(rest) if known else None,
            ends=ends,
            p=p,
            corrected=None,
            mark="",
            headline=name,
        )

    def _scores(self, part: SliceCounts) -> dict[str, Score]:
        points = {metric: self.value(metric, part) for metric in self.metrics.values()}
        if self.resampling.resamples:
            points = self._with_intervals(points, part)
        return {name: points[metric] for name, metric in self.metrics.items()}

    def _with_intervals(self, points: Mapping[Metric, Score], part: SliceCounts) -> dict[Metric, Score]:
        defined = {metric: score for metric, score in points.items() if score.undefined is None}
        return {**points, **with_intervals(defined, self._sampler(part.rows), self.resampling)}

    def _sampler(self, *rows: Rows) -> Sampler:
        return Sampler(rows, means=rows if self.main.per_unit else None, undefined=self.undefined)
