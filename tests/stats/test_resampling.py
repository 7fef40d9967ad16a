"""Resamples: drawn as they should be, and every metric computed on them as on a corpus of the drawn units."""

from __future__ import annotations

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

import karatage
from karatage.metrics import Metric, Rows
from karatage.profiles import get_profile, profile_names
from karatage.stats import Resampling, Sampler
from karatage.stats.resampling import Poisson, blocks, draw, generator, resamples
from karatage.stats.resampling_options import MOST

from .test_rows import corpus

FURTHER = ["f0.5", "macro_recall", "macro_f1(over=gold)", "weighted_precision", "recall[PER]", "f1[ORG]"]


def records(units: int, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Make values of units in two categories, as the eBay challenge has them."""
    rng = random.Random(seed)
    gold, pred = [], []
    for unit in range(units):
        for _ in range(rng.randint(1, 4)):
            row = {"unit": str(unit), "label": rng.choice("ABC"), "value": rng.choice("xyz")}
            gold.append(row)
            if rng.random() < 0.8:
                pred.append(row | ({"value": "w"} if rng.random() < 0.2 else {}))
    category = {str(unit): str(1 + rng.randrange(2)) for unit in range(units)}
    return pl.DataFrame(gold).with_columns(category=pl.col("unit").replace(category)), pl.DataFrame(pred)


@pytest.mark.parametrize("like", ["ebay-2025", "values"])
def test_metrics_of_values_are_computed_on_the_drawn_units(like: str) -> None:
    """The same for values: a unit drawn twice comes again under another id."""
    gold, pred = records(12, 3)
    profile = get_profile(like)
    units = [str(k) for k in range(12)]
    alone = [
        karatage.score(gold.filter(unit=u), pred.filter(unit=u), like=like, missing="empty").tally.rows for u in units
    ]
    sampler = Sampler([Rows.concatenate(alone)], schema=profile.schema, merge=False)
    rng = np.random.default_rng(6)
    for _ in range(5):
        times = rng.multinomial(12, np.full(12, 1 / 12))
        copies = [(u, f"{u}+{n}") for u, count in zip(units, times.tolist(), strict=True) for n in range(count)]
        names = pl.DataFrame(copies, schema=["unit", "copy"], orient="row")
        sides = [side.join(names, on="unit").drop("unit").rename({"copy": "unit"}) for side in (gold, pred)]
        whole = karatage.score(*sides, like=like, resamples=0, missing="empty")
        for name, metric in profile.metrics.items():
            population = sampler.population(metric)
            weights = np.bincount(population.index, times, len(population.times))[None]
            value = float(sampler.values(metric, population.layout)(population.weighted(weights))[0, 0])
            assert value == whole[name].value or (np.isnan(value) and whole[name].value is None)


@pytest.mark.parametrize(
    "like", [n for n in profile_names() if not get_profile(n).rule.of_values and not get_profile(n).search]
)
def test_every_metric_of_every_profile_is_computed_on_the_drawn_units(like: str) -> None:
    """Units repeated at will: the metric of the weighted rows is the score of the repeated corpus, to the last bit."""
    gold, pred = corpus(12, 3)
    profile = get_profile(like)
    metrics = [*profile.metrics.values(), *(profile.metric(text) for text in FURTHER)]
    scheme = "IOB2" if "strict" in like else None
    in_order = [karatage.score([g], [p], like=like, scheme=scheme) for g, p in zip(gold, pred, strict=True)]
    rows = Rows.concatenate([r.tally.rows for r in in_order])  # type: ignore[misc]
    tokens = Rows.concatenate([r.tally.tokens for r in in_order])  # type: ignore[misc]
    typed = [r.tally.typed.rows for r in in_order if r.tally.typed is not None]
    types = [Rows.concatenate(typed)] if typed else None
    options = {"schema": profile.schema, "undefined": profile.undefined, "merge": False}
    sampler = Sampler([rows], [tokens], types=types, **options)
    rng = np.random.default_rng(5)
    for _ in range(10):
        times = rng.multinomial(12, np.full(12, 1 / 12))
        again = [k for k, count in enumerate(times) for _ in range(count)]
        sides = [gold[k] for k in again], [pred[k] for k in again]
        whole = karatage.score(*sides, like=like, resamples=0, scheme=scheme)
        for metric in metrics:
            population = sampler.population(metric)
            weights = np.bincount(population.index, times, len(population.times))[None]
            value = float(sampler.values(metric, population.layout)(population.weighted(weights))[0, 0])
            expected = whole[str(metric)].value
            assert (np.isnan(value) and (expected is None or np.isnan(expected))) or value == expected


def test_grouped_metrics_by_brute_force() -> None:
    """final_f0.2 with its weights made anew in each resample: every pair out of two units, against the formula."""
    gold = pl.DataFrame(
        {
            "unit": ["a", "a", "b", "b", "c"],
            "label": ["A", "B", "A", "A", "B"],
            "value": ["x", "y", "x", "z", "y"],
            "category": ["1", "1", "2", "2", "1"],
        }
    )
    pred = pl.DataFrame({"unit": ["a", "b", "b", "c"], "label": ["A", "A", "B", "B"], "value": ["x", "x", "y", "w"]})
    result = karatage.score(gold, pred, like="ebay-2025")
    # a: A correct, B missed; b: one of two A correct, B spurious; c: B wrong.
    counts = {
        "a": {("1", "A"): (1, 1, 1), ("1", "B"): (1, 0, 0)},
        "b": {("2", "A"): (2, 1, 1), ("2", "B"): (0, 1, 0)},
        "c": {("1", "B"): (1, 1, 0)},
    }

    def final(units: tuple[str, ...]) -> float:
        groups = []
        for group in "12":
            cells: Counter[str] = Counter()
            for unit in units:
                for (g, label), values in counts[unit].items():
                    if g == group:
                        for name, value in zip(("gold", "pred", "hit"), values, strict=True):
                            cells[f"{label} {name}"] += value
            golds = {label: cells[f"{label} gold"] for label in "AB"}
            if not sum(golds.values()):
                return float("nan")
            total = 0.0
            for label, n in golds.items():
                p = cells[f"{label} hit"] / cells[f"{label} pred"] if cells[f"{label} pred"] else 0.0
                r = cells[f"{label} hit"] / n if n else 0.0
                total += n * (1.04 * p * r / (0.04 * p + r) if p + r else 0.0)
            groups.append(total / sum(golds.values()))
        return sum(groups) / 2

    metric = result.profile.metrics["final_f0.2"]
    drawn = result.sampler.replicates([metric], 4000, 1)[metric][:, 0]
    expected = Counter(round(final(units), 12) for units in product("abc", repeat=3) if final(units) == final(units))
    undefined = sum(final(units) != final(units) for units in product("abc", repeat=3)) / 27
    assert set(np.round(drawn[~np.isnan(drawn)], 12)) == set(expected)
    assert np.isnan(drawn).mean() == pytest.approx(undefined, abs=0.03)
    for value, times in expected.items():
        assert (np.round(drawn, 12) == value).mean() == pytest.approx(times / 27, abs=0.03)


def test_the_bootstrap_distribution_of_three_units_enumerated() -> None:
    """27 resamples of three units: F1 takes the values that they take by hand, as often."""
    gold, pred = [["B-X", "B-X"], ["B-X"], ["O"]], [["B-X", "O"], ["B-X"], ["B-X"]]
    # (gold, predicted, correct): (2, 1, 1), (1, 1, 1), (0, 1, 0)
    units = [(2, 1, 1), (1, 1, 1), (0, 1, 0)]
    expected: Counter[float] = Counter()
    for chosen in product(units, repeat=3):
        g, p, c = (sum(unit[k] for unit in chosen) for k in range(3))
        expected[round(2 * c / (g + p), 12)] += 1
    result = karatage.score(gold, pred)
    drawn = result.sampler.replicates([Metric.parse("f1")], 20_000, 0)[Metric.parse("f1")][:, 0]
    found = Counter(np.round(drawn, 12).tolist())
    assert set(found) == set(expected)
    _, p_value = stats.chisquare([found[v] for v in expected], [20_000 * n / 27 for n in expected.values()])
    assert p_value > 0.001


@pytest.mark.parametrize(("often", "many"), [(1, 10_000), (4, 10_000), (10_000, 10_000), (10_000, 1), (4, 1)])
def test_draws_are_multinomial(often: int, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever way the rows are drawn: as many units as there are, each with the same chance."""
    monkeypatch.setattr("karatage.stats.resampling._OFTEN", often)
    monkeypatch.setattr("karatage.stats.resampling._MANY", many)
    gold, pred = corpus(40, 8)
    population = karatage.score(gold * 2, pred * 2).sampler.population(Metric.parse("macro_f1"))
    weights = draw(population, 20_000, np.random.default_rng(0))
    assert (weights.sum(axis=1) == 80).all()
    chances = population.times / 80
    assert weights.mean(axis=0) == pytest.approx(80 * chances, abs=0.1)
    expected = 80 * (np.diag(chances) - np.outer(chances, chances))
    assert np.abs(np.cov(weights.T) - expected).max() < 0.12


def test_counts_from_tables_are_poisson() -> None:
    """Four rates side by side, half a million counts each, against SciPy's probabilities."""
    rates = np.repeat([0.7, 2.0, 5.5, 31.0], 5000)
    counts = Poisson(rates)
    rng = np.random.default_rng(1)
    drawn = np.stack([counts.draw(rng) for _ in range(100)])
    for k, rate in enumerate((0.7, 2.0, 5.5, 31.0)):
        own = drawn[:, 5000 * k : 5000 * (k + 1)].ravel()
        expected = stats.poisson.pmf(np.arange(200), rate) * len(own)
        found = np.bincount(own, minlength=200)
        likely = expected > 20
        _, p_value = stats.chisquare(
            [*found[likely], found[~likely].sum()], [*expected[likely], expected[~likely].sum()], sum_check=False
        )
        assert p_value > 0.001


def test_a_large_corpus_is_drawn_by_counts() -> None:
    """The quick way for many units gives the interval that the slow way gives, but for chance."""
    gold, pred = corpus(400, 13)
    population = karatage.score(gold * 100, pred * 100).sampler.population(Metric.parse("macro_f1"))
    import karatage.stats.resampling as module

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_OFTEN", 10**6)
        assert module._by_counts(population.times)
        quick = np.concatenate(list(resamples(population, 400, 1)))
        patch.setattr(module, "_MANY", 10**9)
        slow = np.concatenate(list(resamples(population, 400, 1)))
    assert quick.mean(axis=0) == pytest.approx(slow.mean(axis=0), rel=0.01)
    assert quick[:, 0, :, 0].std(axis=0) == pytest.approx(slow[:, 0, :, 0].std(axis=0), rel=0.2)


def test_strata_keep_their_sizes() -> None:
    gold, pred = records(30, 4)
    result = karatage.score(gold, pred, like="ebay-2025", stratify_by="category")
    sizes = Counter(pl.DataFrame(gold).unique("unit")["category"].to_list())
    population = result.sampler.population(Metric.parse("macro_f1"))
    weights = draw(population, 200, np.random.default_rng(0))
    for stratum, name in enumerate(sorted(sizes)):
        assert (weights[:, population.stratum == stratum].sum(axis=1) == sizes[name]).all()
    assert result["f1"].error != karatage.score(gold, pred, like="ebay-2025")["f1"].error


def test_clusters_are_drawn_whole() -> None:
    """Four documents of five equal sentences: the interval is that of four units, not of twenty."""
    rows = [(f"{d}-{s}", "A", "x", str(d)) for d in range(4) for s in range(5)]
    gold = pl.DataFrame(rows, schema=["unit", "label", "value", "document"], orient="row")
    pred = gold.filter(pl.col("document").is_in(["0", "1", "2"])).drop("document")
    kwargs = {"like": "values", "missing": "empty", "metrics": ["recall"], "interval": "percentile"}
    clustered = karatage.score(gold, pred, cluster_by="document", **kwargs)
    assert clustered.drawn == 4
    drawn = clustered.sampler.replicates([Metric.parse("recall")], 5000, 0)[Metric.parse("recall")]
    assert set(np.unique(drawn)) == {0.0, 0.25, 0.5, 0.75, 1.0}
    alone = karatage.score(gold, pred, cluster_by=None, **kwargs)
    assert clustered["recall"].error > 2 * alone["recall"].error  # √5 times, but for chance


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals_agree_with_scipys_bootstrap(method: str) -> None:
    """Recall of 60 units with up to 19 gold claims each, against scipy.stats.bootstrap on the same units."""
    rng = np.random.default_rng(3)
    size = rng.integers(1, 20, 60)
    found = rng.binomial(size, rng.beta(2, 1, 60))
    gold = [["B-X"] * n for n in size]
    pred = [["B-X"] * f + ["O"] * (n - f) for f, n in zip(found, size, strict=True)]
    ours = karatage.score(gold, pred, interval=method, resamples=20_000, metrics=["recall"])["recall"]

    def recall(f: np.ndarray, n: np.ndarray, axis: int = -1) -> np.ndarray:
        return np.asarray(f.sum(axis=axis) / n.sum(axis=axis))

    theirs = stats.bootstrap(
        (found, size),
        recall,
        paired=True,
        vectorized=True,
        n_resamples=20_000,
        method=method,
        rng=np.random.default_rng(0),
    )
    # The ends of an interval of 20,000 resamples have a standard error of less than 0.001 here.
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.003)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.003)
    assert ours.error == pytest.approx(theirs.standard_error, rel=0.03)
    assert ours.method == method


def test_the_same_seed_gives_the_same_and_another_seed_another() -> None:
    gold, pred = corpus(80, 6)
    one, again, other = (karatage.score(gold, pred, seed=seed).to_json() for seed in (1, 1, 2))
    assert one == again != other


def test_order_of_units_and_batches_change_no_interval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gold, pred = corpus(300, 7)
    texts = ["\n\n".join("\n".join(f"t {tag}" for tag in row) for row in side) + "\n" for side in (gold, pred)]
    paths = [tmp_path / name for name in ("gold.conll", "pred.conll")]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    whole = karatage.score(*paths).to_dict()
    monkeypatch.setattr("karatage.formats.columns.conll.BATCH_BYTES", 256)
    parted = karatage.score(*paths).to_dict()
    assert parted == whole
    order = list(range(300))
    random.Random(1).shuffle(order)
    shuffled = karatage.score([gold[k] for k in order], [pred[k] for k in order]).to_dict()
    for part in ("metrics", "by_label", "intervals"):
        assert shuffled[part] == whole[part]


def test_blocks_can_be_drawn_by_anyone_in_any_order() -> None:
    """What block k holds depends on the seed and on k, not on who draws it or when."""
    gold, pred = corpus(200, 9)
    population = karatage.score(gold, pred).sampler.population(Metric.parse("macro_f1"))
    import karatage.stats.resampling as module

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", 20_000)
        together = np.concatenate(list(resamples(population, 950, 4)))
        parts = list(blocks(200, 950))  # each of the 200 units is drawn
        assert len(parts) > 5
        assert sum(length for _, length in parts) == 950
        with ThreadPoolExecutor(3) as pool:
            alone = list(
                pool.map(
                    lambda part: population.weighted(draw(population, part[1], generator(4, part[0]))), parts[::-1]
                )
            )
    assert np.array_equal(np.concatenate(alone[::-1]), together)


def test_a_metric_does_not_depend_on_which_others_are_asked_for() -> None:
    gold, pred = corpus(60, 11)
    alone = karatage.score(gold, pred, metrics=["macro_f1"])["macro_f1"]
    among = karatage.score(gold, pred)
    assert among["macro_f1"] == alone
    assert among.metrics["macro_f1"] == alone
    assert among["f1"] == karatage.score(gold, pred, metrics=["f1", "recall"])["f1"]


def test_sparse_and_dense_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, pred = corpus(60, 12)
    dense = karatage.score(gold, pred, interval="bca")
    assert isinstance(dense.sampler.population(Metric.parse("macro_f1")).matrix, np.ndarray)
    monkeypatch.setattr("karatage.stats.populations._DENSE", 10)
    sparse = karatage.score(gold, pred, interval="bca")
    assert not isinstance(sparse.sampler.population(Metric.parse("macro_f1")).matrix, np.ndarray)
    assert dense.to_json() == sparse.to_json()


def test_many_labels_do_not_overflow_the_packing() -> None:
    """Sums of many systems do not fit one number: they are told apart all the same."""
    from karatage.stats.populations import _distinct

    rng = np.random.default_rng(0)
    matrix = rng.integers(0, 50, (200, 20))
    matrix[100:] = matrix[:100]
    distinct, where = _distinct(matrix)
    assert len(distinct) == 100
    assert np.array_equal(distinct[where], matrix)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"level": 0.0}, "between 0 and 1"),
        ({"level": 1.0}, "between 0 and 1"),
        ({"level": 95.0}, "between 0 and 1"),
        ({"level": float("nan")}, "between 0 and 1"),
        ({"resamples": -1}, "at least 2"),
        ({"resamples": 1}, "at least 2"),
        ({"resamples": MOST + 1}, "at most 1,000,000"),
        ({"level": 1e-7}, "between 0.000001 and 0.999999"),
        ({"seed": -1}, "whole number from 0"),
        ({"interval": "bcaa"}, "Did you mean 'bca'"),
    ],
)
def test_bad_settings(changes: dict[str, object], message: str) -> None:
    with pytest.raises(karatage.KaratageError, match=message):
        Resampling(**changes)


def test_settings_at_the_limits_are_fine() -> None:
    assert Resampling(resamples=MOST, level=1e-6, seed=0).resamples == MOST
    assert Resampling(resamples=2, level=1 - 1e-6).resamples == 2
    assert Resampling(resamples=0).resamples == 0


@pytest.mark.parametrize("like", [name for name in profile_names() if get_profile(name).search and "sigir" not in name])
def test_means_over_queries_are_computed_on_the_drawn_queries(like: str) -> None:
    """Queries repeated at will: the mean of the weighted values is the score of the repeated queries.

    But for the rounding: values are kept as multiples of 2^-30.
    """
    rng = random.Random(4)
    qrels = {f"q{k}": {f"d{d}": rng.choice((0, 0, 1, 2)) for d in range(8)} for k in range(12)}
    run = {q: {f"d{d}": rng.random() for d in range(3, 12)} for q in qrels if q != "q3"}
    result = karatage.score(qrels, run, like=like, missing="empty")
    from karatage.metrics import mean_rows

    frame = result.by_unit
    metrics = {name: metric for name, metric in result.profile.metrics.items() if metric.per_unit}
    rows = mean_rows({metric: frame[name].to_numpy().astype(float) for name, metric in metrics.items()})
    counts = Rows.of_values(("gold",), np.ones((12, 1), np.int64))
    sampler = Sampler([counts], None, [rows], undefined=result.profile.undefined, merge=False)
    draws = np.random.default_rng(7)
    for _ in range(10):
        times = draws.multinomial(12, np.full(12, 1 / 12))
        names = [(q, f"{q}+{n}") for q, count in zip(qrels, times.tolist(), strict=True) for n in range(count)]
        again = {new: qrels[q] for q, new in names}, {new: run[q] for q, new in names if q in run}
        whole = karatage.score(*again, like=like, resamples=0, missing="empty")
        for name, metric in metrics.items():
            population = sampler.population(metric)
            weights = np.bincount(population.index, times, len(population.times))[None]
            value = float(sampler.values(metric, population.layout)(population.weighted(weights))[0, 0])
            assert value == pytest.approx(whole[name].value, abs=1e-8)
