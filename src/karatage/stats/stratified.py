"""Recall estimated from stratified samples, with intervals.

A corpus is divided into strata of N candidates each. Of these, n were drawn and labelled, p of them are positive, and
the system found x of those. So a stratum has about N·p/n positives, and the system's recall on the corpus is
R = Σ N·x/n / Σ N·p/n: the recalls of the strata, x/p, weighted by their shares λ of all positives.

All methods give the same R, but different intervals. They differ in whether they treat the weights λ as known, whether
they use a finite-population correction, what they do if none or all of a few positives were found, and whether they
allow for positives in strata whose sample has none. `benchmarks/recall.py` measures the coverage of each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from statistics import NormalDist

import numpy as np

from karatage._arrays import Bools, Floats
from karatage.errors import UsageError, unknown
from karatage.stats.convolution import WeightedBinomials
from karatage.stats.few_positives import Totals, recall_limits, totals
from karatage.stats.proportions import student, wilson_at
from karatage.stats.published_sum import published_sum
from karatage.stats.resampling_options import LEVEL, check_level

DRAWS = 20_000
"""Draws from a posterior distribution. The error of the ends is then about a fortieth of the interval's width."""

DEFAULT = "mover"
"""The method with the best coverage, also for strata with few positives or none (see `benchmarks/recall.py`)."""


@dataclass(frozen=True)
class Strata:
    """The counts of all strata with labels, as arrays of the same length.

    A stratum whose sample has no positives adds nothing to the recall, but the corpus may have some in it.

    Attributes:
        occurrences: Number of candidates in the corpus, N.
        labelled: Number of candidates drawn and labelled, n.
        positives: Number of positives among them, p.
        tried: Number of positives with a known result, m; usually all of them.
        hits: Number of positives that the system found, x.
        found: The individual results, stratum by stratum, if the order of summation matters.
        as_stated: Whether the counts are those of a description, which may contradict each other. Only `published`
            takes such counts.
        unlabelled: Number of candidates in strata without labels, any of which may be positive.
    """

    occurrences: Floats
    labelled: Floats
    positives: Floats
    tried: Floats
    hits: Floats
    found: Bools | None = field(default=None, repr=False)
    as_stated: bool = False
    unlabelled: float = 0.0

    def __post_init__(self) -> None:
        columns = (self.occurrences, self.labelled, self.positives, self.tried, self.hits)
        if len({len(column) for column in columns}) > 1:
            raise UsageError("the counts of all strata must have the same length")
        related = (self.tried, self.hits) if self.as_stated else columns
        falling = all((one >= other).all() for one, other in pairwise(related))
        if not len(self.hits) or not falling or self.hits.min() < 0:
            raise UsageError("each stratum needs occurrences ≥ labelled ≥ positives ≥ tried ≥ hits ≥ 0")
        if ((self.positives > 0) & (self.tried == 0)).any():
            raise UsageError("each stratum with positives needs one with a known result")
        if not (self.labelled.min() > 0 and self.estimated.sum() > 0):
            raise UsageError("each stratum needs labelled candidates, and at least one needs positives")

    @cached_property
    def estimated(self) -> Floats:
        """Estimated number of positives of each stratum in the corpus."""
        out: Floats = self.occurrences * self.positives / self.labelled
        return out

    @cached_property
    def weights(self) -> Floats:
        """Estimated share of all positives in each stratum, λ."""
        out: Floats = self.estimated / self.estimated.sum()
        return out

    @cached_property
    def shares(self) -> Floats:
        """Recall in the sample of each stratum; 0 if it has no positives."""
        out: Floats = self.hits / np.maximum(self.tried, 1)
        return out

    @cached_property
    def seen(self) -> Strata:
        """The strata whose sample has positives."""
        kept = self.tried > 0
        if kept.all() and not self.unlabelled:
            return self
        names = ("occurrences", "labelled", "positives", "tried", "hits")
        return replace(self, unlabelled=0.0, **{name: getattr(self, name)[kept] for name in names})

    def totals(self, level: float) -> Totals:
        """The numbers of hits and misses in the corpus, with their limits."""
        # Positives without a result are left out with their share of the candidates.
        known = np.where(self.positives > 0, self.tried / np.maximum(self.positives, 1), 1.0)
        return totals(self.occurrences, self.labelled * known, self.hits, self.tried - self.hits, level)

    @cached_property
    def recall(self) -> float:
        """The estimate R. If individual results are known, they are summed one by one."""
        return self._summed(lambda values: float(values.sum()))

    @cached_property
    def published_recall(self) -> float:
        """The estimate R with the digits that the published script computes from individual results."""
        return self._summed(published_sum)

    def _summed(self, add: Callable[[Floats], float]) -> float:
        if not self.hits.any() or bool((self.hits == self.tried).all()):
            return float(self.hits.any())  # the weights may sum to slightly more than 1
        if self.found is None:
            return min(float((self.weights * self.shares).sum()), 1.0)
        each = np.repeat(self.weights / np.maximum(self.tried, 1), self.tried.astype(np.int64))
        return min(add(each * self.found), 1.0)


Interval = tuple[float, float]


def mover(strata: Strata, level: float, seed: int) -> Interval:  # noqa: ARG001  all methods are called alike
    """Return limits that follow from those of the hits and the misses in the corpus; see `recall_limits`.

    Strata whose sample has no positives may have some, and the interval allows for them. Nothing is known of strata
    without labels: all of their candidates may be missed, or found.
    """
    low, high = recall_limits(strata.totals(level), strata.unlabelled)
    return min(float(low), strata.recall), max(float(high), strata.recall)


def published(strata: Strata, level: float, seed: int) -> Interval:  # noqa: ARG001
    """Return R ± 1.96 √(R(1-R) Σw²), where each positive has the weight w = λ/p, as if all recalls were equal.

    This is the interval of the Amundsen benchmarks. It treats the weights as known, and may leave the range 0 to 1.
    """
    z = 1.96 if level == 0.95 else _z(level)
    recall = strata.published_recall
    reach = z * math.sqrt(recall * (1 - recall) * sum((strata.weights**2 / strata.tried).tolist()))
    return recall - reach, recall + reach


def stratified(strata: Strata, level: float, seed: int) -> Interval:  # noqa: ARG001
    """Return R ± z √(Σ λ²s²), where s² is the variance of the stratum's own mean; weights are treated as known."""
    variance = strata.shares * (1 - strata.shares) / np.maximum(strata.tried - 1, 1)
    return _around(strata.recall, _z(level) * math.sqrt(float((strata.weights**2 * variance).sum())))


def ratio(strata: Strata, level: float, seed: int) -> Interval:  # noqa: ARG001
    """Return R ± z times the standard error of a ratio of estimated totals, with finite-population correction.

    Each labelled candidate counts 1 - R if it was found, -R if it was missed, and 0 if it is not positive. The standard
    error is that of their total, divided by the estimated number of positives (Cochran 1977, section 6.11).
    """
    return _around(strata.recall, _z(level) * math.sqrt(ratio_variance(strata)))


def ratio_wilson(strata: Strata, level: float, seed: int) -> Interval:  # noqa: ARG001
    """Return the Wilson interval for as many independent trials as have the variance of the ratio.

    For the variance, half a hit and half a miss are added to each stratum, so that it is not zero where all or none
    were found. A variance that rests on a few positives is itself uncertain, so Student's quantile replaces the normal
    one, with Satterthwaite's degrees of freedom: two for each positive, since a share determines its own variance
    better than other means do.
    """
    shares = (strata.hits + 0.5) / (strata.tried + 1)
    parts = ratio_variances(strata, shares)
    variance, recall = float(parts.sum()), strata.recall
    if variance == 0:  # every stratum was labelled in full
        return recall, recall
    freedom = variance**2 / float((parts**2 / (2 * strata.tried)).sum())
    z = student(0.5 + level / 2, max(freedom, 1.0))
    middle = float(strata.weights @ shares)
    trials = middle * (1 - middle) / variance
    low, high = wilson_at(recall * trials, trials, z)
    return float(low), float(high)


def stratified_wilson(strata: Strata, level: float, seed: int) -> Interval:  # noqa: ARG001
    """Return the weighted sum of the strata's Wilson intervals, at a z with the right level (Yan and Su 2010).

    z is lowered to z √(Σ λ²s²) / Σ λs, where s is the standard error of a stratum; weights are treated as known.
    """
    share = (strata.hits + 0.5) / (strata.tried + 1)  # never 0 or 1, where the standard error would be 0
    errors = strata.weights * np.sqrt(share * (1 - share) / strata.tried)
    z = _z(level) * math.sqrt(float((errors**2).sum())) / float(errors.sum())
    low, high = wilson_at(strata.hits, strata.tried, z)
    return max(0.0, float(strata.weights @ low)), min(1.0, float(strata.weights @ high))


FARTHEST = 40.0
"""Log-odds by which recalls are shifted at most, which makes each of them 0 or 1."""


def convolution(strata: Strata, level: float, seed: int) -> Interval:  # noqa: ARG001
    """Return the recalls that the exact distribution of the estimate does not reject; weights are treated as known.

    Hits are binomial in each stratum, and the distribution of the estimate is their convolution. The recalls of the
    strata are shifted together, by the same log-odds, until an estimate at least (at most) as large as the observed one
    has a probability of (1 - level)/2, where an equal one counts half.
    """
    from scipy.optimize import brentq

    odds = np.log((strata.hits + 0.5) / (strata.tried - strata.hits + 0.5))
    estimate = WeightedBinomials(strata.weights / strata.tried, strata.tried.astype(np.int64))
    tail = (1 - level) / 2

    def end(reached: float) -> float:
        """Find the recall at which a larger estimate has the probability `reached`; its normal quantile is smooth."""
        target = NormalDist().inv_cdf(reached)

        def off(shift: float) -> float:
            chance = estimate.above(_chance(odds + shift), strata.recall)
            return NormalDist().inv_cdf(min(max(chance, 1e-12), 1 - 1e-12)) - target

        # No shift leads there where the estimate is closer to 0 or 1 than a cell of the grid: the interval ends there.
        if off(-FARTHEST) >= 0:
            return 0.0
        if off(FARTHEST) <= 0:
            return 1.0
        return float(strata.weights @ _chance(odds + brentq(off, -FARTHEST, FARTHEST, xtol=1e-9)))

    # With one or two positives, shifting by equal odds may exclude the estimate itself.
    low = end(tail) if strata.hits.any() else 0.0
    high = end(1 - tail) if (strata.hits < strata.tried).any() else 1.0
    return min(low, strata.recall), max(high, strata.recall)


def bayes(strata: Strata, level: float, seed: int) -> Interval:
    """Return the central credible interval of the recall on the corpus, with Jeffreys' priors."""
    tail = (1 - level) / 2
    low, high = np.quantile(posterior(strata, seed), (tail, 1 - tail))
    # The priors shrink strata with very few positives, sometimes past the estimate.
    return min(float(low), strata.recall), max(float(high), strata.recall)


def posterior(strata: Strata, seed: int, draws: int = DRAWS) -> Floats:
    """Draw recalls on the corpus, with Jeffreys' prior for the share of positives and the recall of each stratum.

    What was labelled is known; the other positives, and the hits among them, are drawn. So the weights are not treated
    as known, nor the corpus as infinite. Strata whose sample has no positives, and those without labels, may have some.
    """
    rng = np.random.default_rng([seed, 5])
    shape = (draws, len(strata.hits))
    share = rng.beta(strata.positives + 0.5, strata.labelled - strata.positives + 0.5, shape)
    recall = rng.beta(strata.hits + 0.5, strata.tried - strata.hits + 0.5, shape)
    rest = (strata.occurrences - strata.labelled).astype(np.int64)
    unknown_results = (strata.positives - strata.tried).astype(np.int64)
    unseen = rng.binomial(rest, share) + unknown_results
    hits = (strata.hits + rng.binomial(unseen, recall)).sum(axis=1)
    positives = (strata.tried + unseen).sum(axis=1)
    if strata.unlabelled:
        more = strata.unlabelled * rng.beta(0.5, 0.5, draws)
        hits, positives = hits + more * rng.beta(0.5, 0.5, draws), positives + more
    out: Floats = hits / positives
    return out


Method = Callable[[Strata, float, int], Interval]

METHODS: dict[str, Method] = {
    "mover": mover,
    "published": published,
    "stratified": stratified,
    "ratio": ratio,
    "ratio-wilson": ratio_wilson,
    "convolution": convolution,
    "bayes": bayes,
    "wilson": stratified_wilson,
}
"""The interval methods, by name."""

ALLOW_FOR_HIDDEN = frozenset({"mover", "bayes", "assisted"})
"""The methods that allow for positives in strata whose sample has none; the others are about the other strata."""


def interval(strata: Strata, method: str = DEFAULT, level: float = LEVEL, seed: int = 0) -> Interval:
    """Return the interval of the recall by one of `METHODS`."""
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    if strata.as_stated and METHODS[method] is not published:
        raise UsageError(f"the method {method!r} needs counts that do not contradict each other")
    return METHODS[method](strata if method in ALLOW_FOR_HIDDEN else strata.seen, check_level(level), seed)


def ratio_variance(strata: Strata) -> float:
    """Return the variance of R as a ratio of two estimated totals."""
    return float(ratio_variances(strata, strata.shares).sum())


def ratio_variances(strata: Strata, shares: Floats) -> Floats:
    """Return the contribution of each stratum to the variance of R as a ratio of totals, given its recall."""
    n, recall = strata.labelled, float(strata.weights @ shares)
    tried, positives = np.maximum(strata.tried, 1), np.maximum(strata.positives, 1)
    # Positives without a known result are assumed to be found as often as the others; `unknown_part` is that error.
    hits, misses = strata.positives * shares, strata.positives * (1 - shares)
    total = hits * (1 - recall) - misses * recall
    squares = hits * (1 - recall) ** 2 + misses * recall**2
    scatter = np.maximum(squares - total**2 / n, 0) / np.maximum(n - 1, 1)
    finite = 1 - n / strata.occurrences
    drawn = strata.occurrences**2 * finite * scatter / n / strata.estimated.sum() ** 2
    unknown_part = strata.weights**2 * shares * (1 - shares) * (1 / tried - 1 / positives)
    out: Floats = drawn + unknown_part
    return out


def _chance(odds: Floats) -> Floats:
    out: Floats = 1 / (1 + np.exp(-odds))
    return out


def _around(middle: float, reach: float) -> Interval:
    return max(0.0, middle - reach), min(1.0, middle + reach)


def _z(level: float) -> float:
    return NormalDist().inv_cdf(0.5 + check_level(level) / 2)
