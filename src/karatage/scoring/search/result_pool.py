"""How many of a run's first results are judged: others count as not relevant, which is unfair to some engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from karatage._arrays import Ints
from karatage.matching import Ranking
from karatage.metrics import Metric, QueryMeasure
from karatage.profiles import Profile
from karatage.scoring.nouns import counted

_CUTOFF = 10
"""How many of the first results are looked at where the headline metric has no cutoff."""

_LOW = 0.5
"""The share of judged results below which a single run is warned of."""

_APART = 0.1
"""By how much shares may differ between systems."""

_ALIKE = 10
"""The least number of queries from which lists of the same length look like cut ones."""


_STARS = 2
"""The least span of grades that look like stars; 1 and 2 alone are usual where only relevant documents are listed."""


def cutoff_of(profile: Profile) -> int:
    """Return how many of the first results the headline metric looks at."""
    return getattr(profile.metrics[profile.headline].measure, "cutoff", None) or _CUTOFF


def pool_columns(ranking: Ranking, cutoff: int) -> Ints:
    """Return for each query the judged ones among its first results, and its lowest and its highest grade.

    A query without a judged document has the grades -1 and -1; a negative grade means not judged.
    """
    known = ranking.grade >= 0
    unit, grade = ranking.unit[known], ranking.grade[known]
    first = known & (ranking.rank >= 0) & (ranking.rank < cutoff)
    judged = np.bincount(ranking.unit[first], minlength=ranking.count)
    top = int(grade.max(initial=0))
    lowest, highest = np.full(ranking.count, top + 1), np.full(ranking.count, -1)
    np.minimum.at(lowest, unit, grade)
    np.maximum.at(highest, unit, grade)
    return np.stack([judged, np.where(lowest > top, -1, lowest), highest], axis=1)


@dataclass(frozen=True)
class ResultPool:
    """The first results of all queries that are scored.

    Attributes:
        metric: the headline metric.
        cutoff: how many of the first results of a query are looked at.
        judged: how many of them are judged.
        results: how many there are.
        queries: how many queries have results.
        longest: the length of the longest list, and how many lists have that length.
        grades: the lowest and the highest grade of gold; -1 where nothing is judged.
    """

    metric: Metric
    cutoff: int
    judged: int
    results: int
    queries: int
    longest: tuple[int, int]
    grades: tuple[int, int]

    @classmethod
    def of(cls, profile: Profile, columns: Ints, retrieved: Ints) -> ResultPool:
        """Add up what `pool_columns` says of queries, with how many results each has."""
        cutoff, most = cutoff_of(profile), int(retrieved.max(initial=0))
        judged, lowest, highest = columns.T
        some = lowest[lowest >= 0]
        return cls(
            metric=profile.metrics[profile.headline],
            cutoff=cutoff,
            judged=int(judged.sum()),
            results=int(np.minimum(retrieved, cutoff).sum()),
            queries=int((retrieved > 0).sum()),
            longest=(most, int((retrieved == most).sum())),
            grades=(int(some.min(initial=some[0] if len(some) else -1)), int(highest.max(initial=-1))),
        )

    @property
    def share(self) -> float:
        """The share of judged results."""
        return self.judged / self.results if self.results else 1.0

    @property
    def per_query(self) -> float:
        """The mean number of results, of the first ones."""
        return self.results / self.queries if self.queries else 0.0

    @property
    def unjudged_are_wrong(self) -> bool:
        """Whether the headline metric is lower because of unjudged results; a residual is what they may change."""
        measure = self.metric.measure
        return measure.higher_is_better and not (isinstance(measure, QueryMeasure) and measure.ignores_unjudged)

    @property
    def caveat(self) -> str:
        """Say in a few words that the scores may be too low; empty if enough of the results is judged."""
        if not self.results or self.share >= _LOW or not self.unjudged_are_wrong:
            return ""
        return f"{self._few}, so the score may be too low"

    @property
    def _few(self) -> str:
        first = "first results" if self.cutoff == 1 else f"the first {self.cutoff:,} results"
        if not self.judged:
            return f"none of {first} is judged"
        share = "less than 1 %" if self.share < 0.01 else f"only {100 * self.share:.0f} %"
        return f"{share} of {first} are judged"

    def warnings(self) -> list[str]:
        """Return what a reader of the numbers should know of one run."""
        return [*self._low(), *self._cut(), *self._no_zero()]

    def _low(self) -> list[str]:
        if not self.judged or self.share >= _LOW or not self.unjudged_are_wrong:  # common_ids speaks of none at all
            return []
        return [f"{self._few}; unjudged results count as not relevant, so scores may be too low"]

    def _cut(self) -> list[str]:
        """Warn of lists that are cut before the cutoff: of most queries, at the same length."""
        most, times = self.longest
        if not 0 < most < self.cutoff or times * 2 < self.queries or self.queries < _ALIKE or not self._has_cutoff:
            return []
        return [
            f"no query has more than {counted(most, 'result')}, but {self.metric} looks at the first {self.cutoff:,}: "
            "ranks without a result count as not relevant"
        ]

    @property
    def _has_cutoff(self) -> bool:
        return getattr(self.metric.measure, "cutoff", None) is not None

    def _no_zero(self) -> list[str]:
        """Warn of grades from 1 on, as stars are: the lowest may mean not relevant."""
        low, high = self.grades
        if low < 1 or high - low < _STARS or getattr(self.metric.measure, "rel", 1) > 1:
            return []
        return [
            f"no judged document has grade 0: grades are {low:,} to {high:,}, and {low:,} counts as relevant. If it "
            f"means not relevant, use e.g. -m 'P(rel={low + 1})@10'"
        ]


def judged_apart(low: float, high: float) -> bool:
    """Whether a share of judged results is clearly lower than another one; 70 % is not, beside 80 %."""
    return high - low > _APART + 1e-9


def unequal_pools(pools: Mapping[str, ResultPool]) -> list[str]:
    """Warn of systems whose results are judged to different degrees, or that have fewer results than others."""
    if not pools:
        return []
    out = []
    least, most = (of(pools, key=lambda name: (pools[name].share, name)) for of in (min, max))
    low, high = pools[least], pools[most]
    if judged_apart(low.share, high.share) and low.unjudged_are_wrong:
        shares = f"from {low.share:.0%} ({least}) to {high.share:.0%} ({most})".replace("%", " %")
        out.append(
            f"judged results among the first {low.cutoff:,} differ between systems: {shares}. Unjudged results count "
            f"as not relevant, so the score of {least} may be too low. {_remedy(low.metric)}"
        )
    least, most = (of(pools, key=lambda name: (pools[name].per_query, name)) for of in (min, max))
    low, high = pools[least], pools[most]
    if high.per_query - low.per_query > _APART * low.cutoff:
        out.append(
            f"numbers of results differ between systems: of the first {low.cutoff:,}, from {low.per_query:.1f} per "
            f"query ({least}) to {high.per_query:.1f} ({most}). Ranks without a result count as not relevant"
        )
    return out


def _remedy(metric: Metric) -> str:
    """Say what to do about unjudged results."""
    judge = "Judge them"
    if not hasattr(metric.measure, "judged_only"):
        return judge
    other = replace(metric, measure=replace(metric.measure, judged_only=True))  # type: ignore[call-arg]  # it has one
    return f"{judge}, or look at -m '{other}' too"
