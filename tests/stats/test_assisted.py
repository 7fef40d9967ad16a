"""Recall with predictions for every candidate, and F1 from a sample for precision."""

from __future__ import annotations

import numpy as np
import pytest

from karatage.errors import UsageError
from karatage.recall.precision import PrecisionSample, with_precision
from karatage.stats.assisted_recall import Assisted, assisted
from karatage.stats.stratified import Strata, interval, ratio_variance

LEVEL = 0.95


def sample_of(
    positives: int, hits: int, labelled: int, predicted: np.ndarray | None = None, mean: float = 0.0
) -> Assisted:
    """Hits first, then misses, then what is not positive."""
    at = np.arange(labelled)
    given = np.zeros(labelled) if predicted is None else predicted.astype(float)
    return Assisted(at < positives, at < hits, given, mean)


def strata_of(sizes: list[int], samples: list[Assisted]) -> Strata:
    labelled, positives, hits = (
        np.array([f(one) for one in samples], float)
        for f in (lambda one: len(one.hit), lambda one: one.positive.sum(), lambda one: one.hit.sum())
    )
    return Strata(np.array(sizes, float), labelled, positives, positives, hits)


SIZES = [84_822, 81_893, 185_897]
COUNTS = [(350, 266, 1000), (13, 1, 1000), (172, 77, 1000)]


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_predictions_that_are_all_the_same_change_nothing(value: float, level: float) -> None:
    samples = [sample_of(*counts, np.full(counts[2], value), value) for counts in COUNTS]
    strata = strata_of(SIZES, samples)
    recall, *ends = assisted(strata, samples, level)
    assert recall == pytest.approx(strata.recall, abs=1e-12)
    assert ends == pytest.approx(interval(strata, "mover", level), abs=1e-12)


def test_predictions_whose_sample_has_the_mean_of_all_do_not_move_the_estimate() -> None:
    rng = np.random.default_rng(1)
    given = [rng.random(counts[2]) for counts in COUNTS]
    samples = [sample_of(*counts, one, one.mean()) for counts, one in zip(COUNTS, given, strict=True)]
    strata = strata_of(SIZES, samples)
    assert assisted(strata, samples, LEVEL)[0] == pytest.approx(strata.recall, abs=1e-12)


def test_the_estimate_by_hand() -> None:
    """One stratum of 1,000, 10 labelled: 4 positive, 2 found; the existing tagger says yes to 3 of the positives."""
    predicted = np.array([1, 1, 1, 0] + [0] * 6)
    one = sample_of(4, 2, 10, predicted, 0.4)
    # Slope of the hits: Σ(f - 0.3)·hit / Σ(f - 0.3)² = 1.4 / 2.1 = 2/3; of the positives: (3·0.7 - 0.3) / 2.1 = 6/7.
    # The sample's mean is 0.1 too low: hits 0.2 + 2/30, positives 0.4 + 6/70. Recall (4/15) / (17/35) = 28/51.
    recall, low, high = assisted(strata_of([1000], [one]), [one], LEVEL)
    assert recall == pytest.approx(28 / 51)
    assert 0 < low < recall < high < 1


def test_predictions_of_few_labelled_are_not_used() -> None:
    one = sample_of(4, 2, 9, np.array([1, 1, 1, 0] + [0] * 5), 0.9)
    strata = strata_of([1000], [one])
    assert assisted(strata, [one], LEVEL) == pytest.approx((0.5, *interval(strata)))


def test_perfect_predictions_leave_only_the_doubt_about_recall() -> None:
    """All positives are known then, so the weights are: the interval is narrower where strata differ in recall."""
    counts = [(100, 95, 1000), (100, 5, 1000)]
    samples = [sample_of(*c, np.arange(c[2]) < c[0], 0.1) for c in counts]
    strata = strata_of([100_000, 100_000], samples)
    recall, low, high = assisted(strata, samples, LEVEL)
    plain = interval(strata)
    assert recall == pytest.approx(0.5)
    # Within a stratum, per positive: 0.95·0.05; with the difference of its recall from 0.5: 0.25. (1 - 100/1000 of the
    # latter are due to the share of positives.) √(0.0475 / (0.0475 + 0.9·0.2025)) = 0.455.
    assert (high - low) / (plain[1] - plain[0]) == pytest.approx(0.455, abs=0.02)


def test_predictions_that_say_what_the_system_finds_are_the_best() -> None:
    """Where hits and positives of all candidates are as good as known, hardly any doubt is left."""
    kinds = np.repeat([0, 1, 2], [200, 200, 600])
    one = Assisted(kinds < 2, kinds < 1, np.where(kinds == 0, 1.0, np.where(kinds == 1, 0.0, 0.5)), 0.5)
    strata = strata_of([50_000], [one])
    recall, low, high = assisted(strata, [one], LEVEL)
    plain = interval(strata)
    assert recall == pytest.approx(0.5)
    assert high - low < 0.1 * (plain[1] - plain[0])


def test_worthless_predictions_do_no_harm() -> None:
    rng = np.random.default_rng(2)
    samples = [sample_of(*counts, rng.random(counts[2]) < 0.3, 0.3) for counts in COUNTS]
    strata = strata_of(SIZES, samples)
    recall, low, high = assisted(strata, samples, LEVEL)
    plain = interval(strata)
    assert recall == pytest.approx(strata.recall, abs=0.01)
    assert high - low == pytest.approx(plain[1] - plain[0], rel=0.01)


@pytest.mark.parametrize("turn", [lambda f: 1 - f, lambda f: f / 10, lambda f: 0.2 + f / 2])
def test_only_the_order_of_predictions_counts_not_their_scale(turn) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(3)
    given = [np.clip(rng.normal(0.2, 0.1, n) + 0.4 * (np.arange(n) < p), 0, 1) for p, _, n in COUNTS]
    means = [one.mean() + 0.01 for one in given]
    strata = strata_of(SIZES, [sample_of(*counts) for counts in COUNTS])
    plain, turned = (
        assisted(
            strata,
            [sample_of(*c, how(one), float(how(mean))) for c, one, mean in zip(COUNTS, given, means, strict=True)],
            LEVEL,
        )
        for how in (lambda f: f, turn)
    )
    assert turned == pytest.approx(plain, abs=1e-9)


def test_the_variance_is_that_of_the_regression_estimator() -> None:
    """The residuals of a least-squares fit by NumPy; their variance is as much smaller as the interval's is."""
    rng = np.random.default_rng(4)
    at = np.arange(1000)
    predicted = (rng.random(1000) < np.where(at < 200, 0.9, np.where(at < 400, 0.3, 0.05))).astype(float)
    one = sample_of(400, 200, 1000, predicted, float(predicted.mean()))
    strata = strata_of([10**8], [one])
    counts = one.hit - 0.5 * one.positive
    design = np.column_stack([np.ones(1000), predicted])
    residuals = counts - design @ np.linalg.lstsq(design, counts, rcond=None)[0]
    narrower = (residuals @ residuals / 998) / np.var(counts, ddof=1)
    recall, low, high = assisted(strata, [one], LEVEL)
    plain = interval(strata)
    assert recall == pytest.approx(0.5)
    assert (high - low) / (plain[1] - plain[0]) == pytest.approx(np.sqrt(narrower), rel=2e-3)


def test_the_estimate_of_many_samples_is_right_and_as_sure_as_it_says() -> None:
    """2,000 samples of one corpus: no bias, and the spread that the interval's width tells."""
    rng = np.random.default_rng(5)
    # Found, missed and other candidates, each with a yes and a no of the existing tagger.
    corpus = np.array([1800, 200, 400, 1600, 300, 15_700])
    predicted = np.array([1, 0, 1, 0, 1, 0])
    mean = float(corpus @ predicted / corpus.sum())
    values, widths, plain = [], [], []
    for drawn in rng.multivariate_hypergeometric(corpus, 1000, 2000):
        kind = np.repeat(np.arange(6), drawn)
        one = Assisted(kind < 4, kind < 2, predicted[kind].astype(float), mean)
        strata = strata_of([20_000], [one])
        recall, low, high = assisted(strata, [one], LEVEL)
        values.append(recall)
        widths.append(high - low)
        plain.append(strata.recall)
    assert np.mean(values) == pytest.approx(0.5, abs=4 * np.std(values) / np.sqrt(2000))
    assert np.mean(widths) == pytest.approx(2 * 1.96 * np.std(values), rel=0.06)
    assert np.std(values) < 0.9 * np.std(plain)


def test_all_found_and_none_found_have_an_interval() -> None:
    rng = np.random.default_rng(6)
    for hits, end in ((40, 1.0), (0, 0.0)):
        one = sample_of(40, hits, 500, rng.random(500), 0.5)
        recall, low, high = assisted(strata_of([9000], [one]), [one], LEVEL)
        assert recall == pytest.approx(end, abs=1e-12)
        assert np.isfinite([low, high]).all()
        assert 0 <= low <= high <= 1
        assert high - low > 0.01


def test_a_corpus_that_was_labelled_in_full_is_known() -> None:
    predicted = np.arange(100) < 12
    one = sample_of(20, 15, 100, predicted, 0.12)
    strata = strata_of([100], [one])
    assert ratio_variance(strata) == 0
    assert assisted(strata, [one], LEVEL) == pytest.approx((0.75, 0.75, 0.75))


def test_predictions_must_be_there_for_every_labelled_candidate() -> None:
    one = sample_of(4, 2, 10)
    strata = strata_of([1000], [one])
    with pytest.raises(UsageError, match="the samples must contain all labelled candidates"):
        assisted(strata, [sample_of(4, 2, 9)], LEVEL)


# Precision and F1


def plain_strata(sizes: list[int], counts: list[tuple[int, int, int]]) -> Strata:
    return strata_of(sizes, [sample_of(*one) for one in counts])


def test_f1_is_that_of_precision_and_recall() -> None:
    # 0.75 and 0.9: 2·0.675 / 1.65 = 0.81818.
    strata = plain_strata([100_000], [(100, 75, 1000)])
    scores = with_precision(strata, strata.recall, PrecisionSample.of_counts(450, 500), LEVEL, 0)
    assert scores["precision"].value == 0.9
    assert scores["f1"].value == pytest.approx(0.81818, abs=1e-5)


def test_the_interval_of_f1_from_a_direct_simulation() -> None:
    """Precision and recall drawn from Jeffreys' posteriors with NumPy alone."""
    strata = plain_strata([10**9], [(100, 75, 1000)])
    score = with_precision(strata, 0.75, PrecisionSample.of_counts(450, 500), LEVEL, 0)["f1"]
    rng = np.random.default_rng(99)
    precision, recall = rng.beta(450.5, 50.5, 200_000), rng.beta(75.5, 25.5, 200_000)
    ends = np.quantile(2 * precision * recall / (precision + recall), (0.025, 0.975))
    assert (score.low, score.high) == pytest.approx(ends, abs=0.003)


def test_the_interval_of_f1_by_the_delta_method() -> None:
    """With much data: dF/dP = 2R²/(P+R)², dF/dR = 2P²/(P+R)²."""
    strata = plain_strata([10**9], [(10_000, 6000, 100_000)])
    score = with_precision(strata, 0.6, PrecisionSample.of_counts(8000, 10_000), LEVEL, 0)["f1"]
    error = np.hypot(2 * 0.36 / 1.96 * np.sqrt(0.16 / 10_000), 2 * 0.64 / 1.96 * np.sqrt(0.24 / 10_000))
    middle = 2 * 0.48 / 1.4
    assert (score.low, score.high) == pytest.approx((middle - 1.96 * error, middle + 1.96 * error), abs=4e-4)


def test_a_sample_of_all_predictions_leaves_no_doubt_about_precision() -> None:
    strata = plain_strata([100, 50], [(10, 7, 100), (30, 3, 50)])
    scores = with_precision(strata, 0.25, PrecisionSample.of_counts(30, 40, 40), LEVEL, 0)
    assert (scores["precision"].low, scores["precision"].high) == (0.75, 0.75)
    assert (scores["f1"].low, scores["f1"].high) == (0.375, 0.375)


def test_a_larger_part_of_the_predictions_makes_precision_surer() -> None:
    strata = plain_strata([100_000], [(100, 75, 1000)])
    some, many = (
        with_precision(strata, 0.75, PrecisionSample.of_counts(80, 100, total), LEVEL, 0)["precision"]
        for total in (10**6, 200)
    )
    # Of 200 predictions, half are known: the error is √(1/2) of that in an endless number.
    assert (many.high - many.low) / (some.high - some.low) == pytest.approx(0.71, abs=0.04)


def test_nothing_found_and_nothing_right() -> None:
    strata = plain_strata([100_000], [(100, 0, 1000)])
    scores = with_precision(strata, 0.0, PrecisionSample.of_counts(0, 20), LEVEL, 0)
    assert scores["f1"].value == 0
    assert scores["precision"].low == 0
    assert 0 <= scores["f1"].low < scores["f1"].high < 0.1


def test_the_same_seed_draws_the_same() -> None:
    strata = plain_strata([100_000], [(100, 75, 1000)])
    first, second, other = (
        with_precision(strata, 0.75, PrecisionSample.of_counts(80, 100), LEVEL, seed)["f1"] for seed in (1, 1, 2)
    )
    assert (first.low, first.high) == (second.low, second.high)
    assert (first.low, first.high) != (other.low, other.high)


@pytest.mark.parametrize("counts", [(-1, 10), (11, 10), (0, 0), (5, 10, 9)])
def test_samples_that_cannot_be_are_refused(counts: tuple[int, ...]) -> None:
    with pytest.raises(UsageError, match="a precision sample needs"):
        PrecisionSample.of_counts(*counts)


def test_a_sample_of_no_predictions_is_refused() -> None:
    with pytest.raises(UsageError, match="a precision sample needs"):
        PrecisionSample.of_counts(5, 5, 0)


def test_an_interval_holds_its_value_where_all_is_right() -> None:
    strata = plain_strata([10**7], [(100, 100, 1000)])
    for score in with_precision(strata, 1.0, PrecisionSample.of_counts(50, 50, 10**6), LEVEL, 0).values():
        assert score.low <= score.value <= score.high
