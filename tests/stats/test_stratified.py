"""Recall from samples of strata: hand-worked numbers, plain item-by-item computations, enumeration and simulation."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from karatage.errors import UsageError
from karatage.recall.benchmark import Stratum
from karatage.recall.stratum_estimates import _estimated_positives, hidden_positives
from karatage.stats.convolution import WeightedBinomials
from karatage.stats.proportions import student, wilson, wilson_at
from karatage.stats.published_sum import published_sum
from karatage.stats.stratified import METHODS, Strata, interval, posterior, ratio_variance

Row = tuple[int, int, int, int]
"""Occurrences, labelled, positives and hits of a stratum."""

AMUNDSEN: list[Row] = [(84_822, 1000, 350, 266), (81_893, 1000, 13, 1), (185_897, 1000, 172, 77)]
INSIDE = sorted(set(METHODS) - {"published"})


def strata_of(*rows: Row) -> Strata:
    occurrences, labelled, positives, hits = np.array(rows, float).T
    return Strata(occurrences, labelled, positives, positives, hits)


def some_rows(rng: random.Random, strata: int = 4) -> list[Row]:
    rows = []
    for _ in range(strata):
        labelled = rng.randint(20, 400)
        positives = rng.randint(2, labelled)
        rows.append((labelled + rng.randint(0, 9000), labelled, positives, rng.randint(0, positives)))
    return rows


# The estimate


@pytest.mark.parametrize("count", [0, 1, 15, 16, 31, 32, 33, 47, 48, 64, 100, 1685])
def test_the_published_order_of_adding_gives_the_sum(count: int) -> None:
    values = np.random.default_rng(count).random(count)
    assert published_sum(values) == pytest.approx(math.fsum(values), rel=1e-14)


def test_the_estimate_by_hand() -> None:
    # 1,000 candidates, 10 of 100 positive: about 100 positives, of which 5/10 are found; 500 candidates, 20 of 50
    # positive: about 200, of which 18/20 are found. (100·0.5 + 200·0.9) / 300 = 230 / 300.
    strata = strata_of((1000, 100, 10, 5), (500, 50, 20, 18))
    assert strata.estimated.tolist() == [100, 200]
    assert strata.weights.tolist() == pytest.approx([1 / 3, 2 / 3])
    assert strata.recall == pytest.approx(230 / 300)


def test_results_one_by_one_give_the_same_estimate(rng: random.Random) -> None:
    rows = some_rows(rng)
    strata = strata_of(*rows)
    found = np.array([k < hits for *_, positives, hits in rows for k in range(positives)])
    each = Strata(strata.occurrences, strata.labelled, strata.positives, strata.tried, strata.hits, found)
    assert each.recall == pytest.approx(strata.recall, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_strata_does_not_matter(method: str, rng: random.Random) -> None:
    rows = some_rows(rng)
    ends = interval(strata_of(*rows), method)
    turned = interval(strata_of(*rows[::-1]), method)
    assert turned == pytest.approx(ends, abs=0.01 if method == "bayes" else 1e-9)  # draws come in another order


def test_two_strata_that_are_alike_weigh_as_one() -> None:
    """A stratum parted into two of the same counts has the estimate and, but for n - 1, the error of the whole."""
    whole = strata_of((20_000, 2000, 400, 300))
    halves = strata_of((10_000, 1000, 200, 150), (10_000, 1000, 200, 150))
    assert halves.recall == pytest.approx(whole.recall)
    assert ratio_variance(halves) == pytest.approx(ratio_variance(whole), rel=2e-3)
    assert interval(halves, "published") == pytest.approx(interval(whole, "published"))


# Published


def test_the_published_interval_of_estnltk() -> None:
    """The leaderboard of `amundsen_01` has these numbers."""
    strata = strata_of(*AMUNDSEN)
    assert strata.recall == pytest.approx(0.5892016803782091, abs=1e-15)
    assert interval(strata, "published") == pytest.approx((0.5442531601445354, 0.6341502006118828), abs=1e-15)


def test_the_published_interval_by_hand() -> None:
    # One stratum, 64 of 100: every positive weighs 1/100, Σw² = 1/100, R ± 1.96·√(0.64·0.36/100) = 0.64 ± 1.96·0.048.
    low, high = interval(strata_of((10_000, 1000, 100, 64)), "published")
    assert (low, high) == pytest.approx((0.64 - 0.09408, 0.64 + 0.09408), abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_the_published_formula_item_by_item(seed: int) -> None:
    """As the published script computes it: a weight for every positive, in plain Python."""
    rows = some_rows(random.Random(seed))
    totals = [n * positives / labelled for n, labelled, positives, _ in rows]
    weights, found = [], []
    for total, (*_, positives, hits) in zip(totals, rows, strict=True):
        weights += [total / sum(totals) / positives] * positives
        found += [1] * hits + [0] * (positives - hits)
    recall = sum(w * x for w, x in zip(weights, found, strict=True))
    error = math.sqrt(recall * (1 - recall) * sum(w * w for w in weights))
    ends = interval(strata_of(*rows), "published")
    assert ends == pytest.approx((recall - 1.96 * error, recall + 1.96 * error), abs=1e-12)


def test_the_published_interval_may_leave_0_to_1() -> None:
    assert interval(strata_of((1000, 100, 10, 9)), "published")[1] > 1


# Stratified and ratio


def test_the_stratified_interval_by_hand() -> None:
    # λ = 1/3, 2/3; s² = 0.25/9, 0.09/19. √(1/9·0.0277778 + 4/9·0.00473684) = √(0.00308642 + 0.00210526) = 0.0720533.
    low, high = interval(strata_of((1000, 100, 10, 5), (500, 50, 20, 18)), "stratified")
    assert (low, high) == pytest.approx((23 / 30 - 1.959964 * 0.0720533, 23 / 30 + 1.959964 * 0.0720533), abs=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_the_variance_of_the_ratio_from_item_level_data(seed: int) -> None:
    """What each labelled candidate counts, written out; NumPy's variance of it, with the finite correction."""
    rows = some_rows(random.Random(seed))
    strata = strata_of(*rows)
    variance = 0.0
    for n, labelled, positives, hits in rows:
        hit = np.repeat([1.0, 0.0], [hits, labelled - hits])
        positive = np.repeat([1.0, 0.0], [positives, labelled - positives])
        variance += n**2 * (1 - labelled / n) / labelled * float(np.var(hit - strata.recall * positive, ddof=1))
    total = sum(n * positives / labelled for n, labelled, positives, _ in rows)
    assert ratio_variance(strata) == pytest.approx(variance / total**2, rel=1e-9)


def test_the_variance_of_the_ratio_is_that_of_many_samples() -> None:
    """20,000 samples from one corpus: the spread of their estimates, and the mean of their variances."""
    rng = np.random.default_rng(4)
    sizes, positives, found = np.array([3000, 5000]), np.array([900, 1000]), np.array([800, 300])
    labelled = np.array([1000, 500])
    p = rng.hypergeometric(positives, sizes - positives, labelled, (20_000, 2))
    x = rng.hypergeometric(found, positives - found, p)
    drawn = [strata_of(*zip(sizes, labelled, *row, strict=True)) for row in zip(p, x, strict=True)]
    spread = np.var([one.recall for one in drawn])
    # The standard error of a variance from 20,000 values is 1 %; the formula is of first order.
    assert np.mean([ratio_variance(one) for one in drawn]) == pytest.approx(spread, rel=0.04)


@pytest.mark.parametrize("method", ["ratio", "ratio-wilson"])
def test_a_corpus_that_was_labelled_in_full_is_known(method: str) -> None:
    strata = strata_of((100, 100, 10, 7), (50, 50, 30, 3))
    assert interval(strata, method) == (strata.recall, strata.recall) == pytest.approx((0.25, 0.25))


def test_the_posterior_of_a_corpus_that_was_labelled_in_full_is_one_value() -> None:
    assert set(posterior(strata_of((100, 100, 10, 7), (50, 50, 30, 3)), 0).tolist()) == {0.25}


def test_a_larger_part_labelled_makes_a_narrower_interval() -> None:
    """At half of all candidates, the variance of the ratio is half that of an endless corpus."""
    half, tiny = strata_of((2000, 1000, 300, 200)), strata_of((10**9, 1000, 300, 200))
    assert ratio_variance(half) == pytest.approx(ratio_variance(tiny) / 2, rel=1e-5)


# One stratum


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize(("hits", "positives"), [(0, 30), (7, 30), (15, 30), (30, 30), (399, 400)])
def test_one_stratum_is_a_plain_share(hits: int, positives: int, level: float) -> None:
    """With nothing to weigh and an endless corpus: Wilson's interval, for `ratio-wilson` at Student's quantile."""
    strata = strata_of((10**12, 10**6, positives, hits))
    low, high = wilson(hits, positives, level)
    assert interval(strata, "wilson", level) == pytest.approx((float(low), float(high)), abs=1e-12)
    low, high = wilson_at(hits, positives, student(0.5 + level / 2, 2 * positives))
    assert interval(strata, "ratio-wilson", level) == pytest.approx((float(low), float(high)), abs=1e-5)


@pytest.mark.parametrize(("hits", "positives"), [(1, 12), (6, 12), (11, 12), (70, 90)])
def test_one_stratum_by_bayes_is_jeffreys(hits: int, positives: int) -> None:
    low, high = interval(strata_of((10**9, 10_000, positives, hits)), "bayes")
    beta = stats.beta(hits + 0.5, positives - hits + 0.5)
    assert (low, high) == pytest.approx((beta.ppf(0.025), beta.ppf(0.975)), abs=0.01)


# Wilson in strata


def test_the_stratified_wilson_interval_by_hand() -> None:
    """Yan and Su 2010: Σλ of Wilson's ends at z √(Σλ²s²) / Σλs."""
    rows: list[Row] = [(1000, 100, 10, 5), (500, 50, 20, 18)]
    errors = [
        share * math.sqrt((x + 0.5) / (m + 1) * (m - x + 0.5) / (m + 1) / m)
        for share, (*_, m, x) in zip((1 / 3, 2 / 3), rows, strict=True)
    ]
    z = 1.959964 * math.hypot(*errors) / sum(errors)
    ends = [0.0, 0.0]
    for share, (*_, m, x) in zip((1 / 3, 2 / 3), rows, strict=True):
        r, more = x / m, z * z / m
        reach = z * math.sqrt(r * (1 - r) / m + more / (4 * m))
        ends[0] += share * (r + more / 2 - reach) / (1 + more)
        ends[1] += share * (r + more / 2 + reach) / (1 + more)
    assert interval(strata_of(*rows), "wilson") == pytest.approx(ends, abs=1e-6)


# Convolution


def enumerated(weights: list[Fraction], trials: list[int], chances: list[Fraction], value: Fraction) -> Fraction:
    """The chance of a sum above the value, an equal one counting half: over all outcomes, in fractions."""
    out = Fraction(0)
    for counts in itertools.product(*(range(m + 1) for m in trials)):
        chance = Fraction(1)
        for m, x, c in zip(trials, counts, chances, strict=True):
            chance *= math.comb(m, x) * c**x * (1 - c) ** (m - x)
        total = sum(w * x for w, x in zip(weights, counts, strict=True))
        out += chance * (1 if total > value else Fraction(1, 2) if total == value else 0)
    return out


@pytest.mark.parametrize("value", [Fraction(1, 7), Fraction(2, 5), Fraction(1, 2), Fraction(9, 10)])
@pytest.mark.parametrize("trials", [[6], [4, 5], [3, 4, 5]])
def test_the_convolution_is_that_of_all_outcomes(trials: list[int], value: Fraction) -> None:
    """At values that no outcome has: the grid is fine enough to tell the outcomes below from those above."""
    shares = [Fraction(k + 1, sum(range(len(trials) + 1))) for k in range(len(trials))]
    weights = [share / m * Fraction(1009, 1013) for share, m in zip(shares, trials, strict=True)]
    chances = [Fraction(3, 10), Fraction(17, 20), Fraction(1, 2)][: len(trials)]
    ours = WeightedBinomials(np.array(weights, float), np.array(trials)).above(np.array(chances, float), float(value))
    assert ours == pytest.approx(float(enumerated(weights, trials, chances, value)), abs=1e-9)


@pytest.mark.parametrize("trials", [[2], [8], [4, 4]])
def test_an_outcome_on_the_grid_counts_half(trials: list[int]) -> None:
    weights = [Fraction(1, sum(trials))] * len(trials)
    chances = [Fraction(3, 10), Fraction(17, 20)][: len(trials)]
    distribution = WeightedBinomials(np.array(weights, float), np.array(trials))
    for value in (Fraction(0), Fraction(1, 2), Fraction(1)):
        ours = distribution.above(np.array(chances, float), float(value))
        assert ours == pytest.approx(float(enumerated(weights, trials, chances, value)), abs=1e-12)


@pytest.mark.parametrize("trials", [3, 5, 20])
def test_an_outcome_beside_the_grid_counts_half(trials: int) -> None:
    distribution = WeightedBinomials(np.array([1 / trials]), np.array([trials]))
    for successes in range(trials + 1):
        exact = enumerated([Fraction(1, trials)], [trials], [Fraction(3, 10)], Fraction(successes, trials))
        assert distribution.above(np.array([0.3]), successes / trials) == pytest.approx(float(exact), abs=1e-6)


def test_a_larger_chance_makes_larger_sums() -> None:
    distribution = WeightedBinomials(np.array([0.02, 0.005]), np.array([30, 80]))
    above = [distribution.above(np.array([c, c]), 0.5) for c in np.linspace(0, 1, 21)]
    assert above == sorted(above)
    assert (above[0], above[-1]) == pytest.approx((0, 1), abs=1e-12)


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_at_the_ends_of_the_convolution_the_estimate_is_just_not_refuted(level: float) -> None:
    """The tail equations, by plain convolution of binomials: at each end, the chance beyond the estimate is 2.5 %."""
    trials, hits = [16, 32], [11, 20]  # equal weights per positive, on the grid: the sum is a lattice of 48 steps
    strata = strata_of(*((100 * m, 10 * m, m, x) for m, x in zip(trials, hits, strict=True)))
    odds = [math.log((x + 0.5) / (m - x + 0.5)) for m, x in zip(trials, hits, strict=True)]
    for end, tail in zip(interval(strata, "convolution", level), ((1 - level) / 2, (1 + level) / 2), strict=True):
        low, high = -10.0, 10.0
        for _ in range(60):  # the common shift of the log-odds that gives this recall
            shift = (low + high) / 2
            chances = [1 / (1 + math.exp(-one - shift)) for one in odds]
            recall = sum(m * c for m, c in zip(trials, chances, strict=True)) / sum(trials)
            low, high = (shift, high) if recall < end else (low, shift)
        each = (stats.binom.pmf(np.arange(m + 1), m, c) for m, c in zip(trials, chances, strict=True))
        mass = np.convolve(*each)
        above = mass[sum(hits) + 1 :].sum() + mass[sum(hits)] / 2
        assert above == pytest.approx(tail, abs=0.06 * mass[sum(hits)])


# What strata without positives may hide, and how many positives there are


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize(("size", "labelled"), [(1, 0), (5, 5), (10, 1), (314, 100), (2000, 99), (9000, 1000)])
def test_hidden_is_the_largest_number_that_a_draw_may_miss(size: int, labelled: int, level: float) -> None:
    bound = hidden_positives(Stratum("", size, labelled, ()), level)
    ks = np.arange(size + 1)
    missed = stats.hypergeom.pmf(0, size, ks, labelled)
    assert bound == ks[missed >= 1 - level - 1e-9].max()


def test_hidden_by_hand() -> None:
    # 10 candidates, 5 labelled, none positive: K = 1 is missed with 1/2, 2 with 2/9, 3 with 1/12, 4 with 1/42 < 5 %.
    assert hidden_positives(Stratum("", 10, 5, ()), 0.95) == 3


def test_estimated_positives_lie_between_those_seen_and_all() -> None:
    stratum = Stratum("", 84_822, 1000, (None,) * 350)  # only their number counts
    score = _estimated_positives(stratum, 0.95)
    assert score.value == pytest.approx(29_687.7)
    # As many trials as have the variance without replacement: 1000·84821/83822 = 1011.9.
    low, high = stats.binomtest(354, 1012).proportion_ci(0.95, "wilson")
    assert (score.low, score.high) == pytest.approx((84_822 * low, 84_822 * high), rel=2e-3)


# All methods


@pytest.mark.parametrize("method", METHODS)
def test_all_found_and_none_found(method: str) -> None:
    """The ends are 1 and 0 where they should be, and no end is missing; `bayes` may stop just short of both."""
    every = interval(strata_of((10_000, 1000, 40, 40), (6000, 1000, 4, 4)), method)
    none = interval(strata_of((10_000, 1000, 40, 0), (6000, 1000, 4, 0)), method)
    assert np.isfinite([*every, *none]).all()
    short = 1e-3 if method == "bayes" else 0
    assert every[1] == pytest.approx(1, abs=short, rel=0)
    assert none[0] == pytest.approx(0, abs=short, rel=0)
    if method not in ("published", "stratified", "ratio"):  # these have no width there
        assert every[0] < 0.99
        assert none[1] > 0.01


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"bayes", "convolution"}))
def test_rounding_does_not_carry_all_found_beyond_1(method: str) -> None:
    positives = (16, 14, 5, 111, 15, 114, 254)
    sizes = (12_703, 284_856, 200_860, 222_310, 277_629, 230_579, 290_857)
    strata = strata_of(*((n, 1000, p, p) for n, p in zip(sizes, positives, strict=True)))
    low, high = interval(strata, method)
    assert low <= strata.recall <= high == 1


@pytest.mark.parametrize("method", METHODS)
def test_hits_and_misses_are_alike(method: str, rng: random.Random) -> None:
    """The interval of what is missed is that of what is found, turned round."""
    rows = some_rows(rng)
    low, high = interval(strata_of(*rows), method)
    turned = interval(strata_of(*((n, labelled, p, p - x) for n, labelled, p, x in rows)), method)
    near = {"bayes": 0.01, "convolution": 1e-5}.get(method, 1e-9)  # draws are others, cells are rounded down
    assert turned == pytest.approx((1 - high, 1 - low), abs=near)


@pytest.mark.parametrize("method", METHODS)
def test_a_higher_level_makes_a_wider_interval(method: str) -> None:
    ends = [interval(strata_of(*AMUNDSEN), method, level) for level in (0.9, 0.95, 0.99)]
    for (low, high), (lower, higher) in itertools.pairwise(ends):
        assert lower < low < high < higher
    # A normal interval at 90 % is 1.645/1.96 as wide as one at 95 %, at 99 % 2.576/1.96; all methods come near it.
    widths = [high - low for low, high in ends]
    assert (widths[0] / widths[1], widths[2] / widths[1]) == pytest.approx((0.839, 1.314), abs=0.02)


@pytest.mark.parametrize("method", METHODS)
def test_methods_agree_where_there_is_much_data(method: str) -> None:
    strata = strata_of((10**8, 10**5, 40_000, 30_000), (10**8, 10**5, 40_000, 30_000))
    # 0.75 ± 1.96·√(0.75·0.25/80,000)
    assert interval(strata, method) == pytest.approx((0.747, 0.753), abs=1e-4)


def test_the_same_seed_draws_the_same() -> None:
    strata = strata_of(*AMUNDSEN)
    assert interval(strata, "bayes", seed=3) == interval(strata, "bayes", seed=3)
    assert interval(strata, "bayes", seed=3) != interval(strata, "bayes", seed=4)
    assert posterior(strata, 3, 50).tolist() == posterior(strata, 3, 50).tolist()


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"bayes"}))
def test_other_methods_have_no_use_for_a_seed(method: str) -> None:
    assert interval(strata_of(*AMUNDSEN), method, seed=3) == interval(strata_of(*AMUNDSEN), method, seed=4)


@st.composite
def benchmarks(draw: st.DrawFn) -> Strata:
    rows = []
    for _ in range(draw(st.integers(1, 5))):
        labelled = draw(st.integers(1, 1000))
        positives = draw(st.integers(1, labelled))
        occurrences = labelled + draw(st.sampled_from([0, 1, 10, 1000, 200_000]))
        rows.append((occurrences, labelled, positives, draw(st.integers(0, positives))))
    return strata_of(*rows)


ROUNDING = 1e-9


@pytest.mark.parametrize("method", ["mover", "published", "stratified", "ratio", "wilson", "ratio-wilson"])
@given(strata=benchmarks(), level=st.sampled_from([0.5, 0.9, 0.95, 0.99]))
@settings(max_examples=150, deadline=None)
def test_the_interval_holds_the_estimate(method: str, strata: Strata, level: float) -> None:
    low, high = interval(strata, method, level)
    assert low - ROUNDING <= strata.recall <= high + ROUNDING
    if method in INSIDE:
        assert 0 <= low <= high <= 1 + ROUNDING


@given(strata=benchmarks())
@settings(max_examples=25, deadline=None)
def test_convolution_and_bayes_stay_between_0_and_1(strata: Strata) -> None:
    for method in ("convolution", "bayes"):
        low, high = interval(strata, method)
        assert 0 <= low <= high <= 1 + ROUNDING


@pytest.mark.parametrize("hits", [0, 1])
def test_convolution_with_an_estimate_closer_to_0_or_1_than_the_grid_tells(hits: int) -> None:
    """The one positive of the second stratum weighs 1/200,001, less than a cell; the interval still ends at 0 or 1."""
    low, high = interval(strata_of((200_000, 1, 1, hits), (1, 1, 1, 1 - hits)), "convolution")
    assert (high if hits else 1 - low) == 1.0
    assert 0 <= low < high <= 1


# Wrong calls


@pytest.mark.parametrize(
    "row",
    [
        (99, 100, 10, 5),  # more labelled than there are
        (1000, 9, 10, 5),  # more positives than labelled
        (1000, 100, 10, 11),  # more hits than positives
        (1000, 100, 10, -1),
        (float("nan"), 100, 10, 5),
    ],
)
def test_counts_that_cannot_be_are_refused(row: Row) -> None:
    with pytest.raises(UsageError, match="occurrences ≥ labelled ≥ positives ≥ tried ≥ hits"):
        strata_of((1000, 100, 10, 5), row)


def test_counts_as_stated_are_for_the_published_method_only() -> None:
    # 314 · 23/1,000 = 7.222 and 1,000 · 40/100 = 400, of which 10/23 and 30/40 are found
    occurrences, labelled, positives, hits = (
        np.array(one, float) for one in ((314, 1000), (1000, 100), (23, 40), (10, 30))
    )
    odd = Strata(occurrences, labelled, positives, positives, hits, as_stated=True)
    assert odd.recall == pytest.approx((7.222 * 10 / 23 + 300) / 407.222)
    assert interval(odd, "published")[0] < odd.recall
    for method in METHODS:
        if method != "published":
            with pytest.raises(UsageError, match="contradict each other"):
                interval(odd, method)
    with pytest.raises(UsageError, match="needs labelled candidates"):
        Strata(occurrences, np.array([0.0, 100.0]), positives, positives, hits, as_stated=True)


def test_strata_without_any_positive_or_result_are_refused() -> None:
    with pytest.raises(UsageError, match="at least one needs positives"):
        strata_of((1000, 100, 0, 0))
    with pytest.raises(UsageError, match="each stratum with positives needs one with a known result"):
        Strata(*(np.array(one, float) for one in ((1000, 1000), (100, 100), (3, 3), (3, 0), (0, 0))))


def test_no_stratum_is_refused() -> None:
    none = np.array([])
    with pytest.raises(UsageError, match="each stratum needs"):
        Strata(none, none, none, none, none)


def test_an_unknown_method_and_a_wrong_level() -> None:
    strata = strata_of(*AMUNDSEN)
    with pytest.raises(UsageError, match="Did you mean 'ratio-wilson'"):
        interval(strata, "ratio-wilsen")
    with pytest.raises(UsageError, match="between 0 and 1"):
        interval(strata, level=95)


# Positives on which the tagger failed


def test_positives_without_a_result_count_for_the_weights_only() -> None:
    """A stratum weighs what all its positives weigh; its recall is that of those tried."""
    column = [np.array(one, float) for one in ((1000, 500), (100, 50), (10, 20), (8, 20), (4, 18))]
    assert Strata(*column).recall == pytest.approx(1 / 3 * 4 / 8 + 2 / 3 * 18 / 20)


@pytest.mark.parametrize(
    "method",
    [
        "published",
        "stratified",
        "wilson",
        "convolution",
        "bayes",
        "ratio",
        "ratio-wilson",
        "mover",
    ],
)
def test_fewer_results_make_a_wider_interval(method: str) -> None:
    """20 results on 100 positives say half as much as 80: the interval is about twice as wide."""
    some, many = (
        interval(Strata(*(np.array([one]) for one in (1e5, 1e3, 100.0, tried, tried / 2))), method)
        for tried in (20.0, 80.0)
    )
    assert (some[1] - some[0]) / (many[1] - many[0]) == pytest.approx(2, abs=0.25)


def test_the_posterior_weighs_strata_by_the_positives_they_probably_hold() -> None:
    # Half of the first stratum and 5 % of the second are positives; all of the first are found, none of the second.
    # About 10,000 · 50.5/101 = 5,000 and 10,000 · 5.5/101 = 545 positives; recalls of 50.5/51 and 0.5/6.
    columns = ((10_000, 10_000), (100, 100), (50, 5), (50, 5), (50, 0))
    strata = Strata(*(np.array(column, float) for column in columns))
    expected = (5000 * 50.5 / 51 + 545 * 0.5 / 6) / 5545
    assert posterior(strata, 0).mean() == pytest.approx(expected, abs=0.01)


def test_positives_without_a_result_are_drawn_like_those_that_nobody_labelled() -> None:
    # All 100 are labelled; of 10 positives 6 have a result, all of them hits. The other 4 are hits with Beta(6.5, 0.5).
    strata = Strata(*(np.array([float(number)]) for number in (100, 100, 10, 6, 6)))
    drawn = posterior(strata, 0)
    assert drawn.mean() == pytest.approx((6 + 4 * 6.5 / 7) / 10, abs=0.005)
    assert set(np.round(drawn * 10).tolist()) <= {6.0, 7.0, 8.0, 9.0, 10.0}
