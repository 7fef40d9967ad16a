"""One recall from several benchmarks: by hand, with shared items, and its coverage."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tests.recall.conftest import ends
from tests.recall.test_cli import ok, refused

from karatage.errors import UsageError
from karatage.recall import Benchmark, Positive, Stratum, pool, write_benchmark
from karatage.stats import Strata, mover, pooled_recall


def benchmark(name: str, size: int, labelled: int, texts: list[str]) -> Benchmark:
    positives = tuple(Positive(text, 0, len(text), ("LOC",)) for text in texts)
    return Benchmark(name, (Stratum(name, size, labelled, positives),))


FIRST = benchmark("first", 1000, 100, [f"a{k}" for k in range(10)])
SECOND = benchmark("second", 1000, 200, ["a0", "a1", *(f"b{k}" for k in range(28))])  # two are in both
HITS = [k < 5 for k in range(10)], [k < 24 for k in range(30)]


def test_by_hand() -> None:
    """With 10 and 30 positives of equal weight, the recalls ½ and ⅘ weigh ¼ and ¾: 0.725."""
    found = pool([FIRST, SECOND], HITS)
    assert found.weights == pytest.approx((0.25, 0.75))
    assert found.recall.value == pytest.approx(0.725)
    assert (found.items, found.shared) == (38, 2)
    assert found.correct == 5 + 24 - 2  # the shared items were found
    low, high = ends(found.recall)
    assert low < 0.725 < high


def test_a_shared_item_is_one_observation() -> None:
    """Its weights add up, so two shared items add 2 · 2 · (¼ · 1/10) · (¾ · 1/30) · R(1-R) to the variance."""
    apart = benchmark("second", 1000, 200, [f"b{k}" for k in range(30)])
    alone, shared = pool([FIRST, apart], HITS), pool([FIRST, SECOND], HITS)
    assert shared.recall.value == alone.recall.value
    assert ends(shared.recall)[0] < ends(alone.recall)[0]
    assert ends(shared.recall)[1] > ends(alone.recall)[1]
    samples = [
        Strata(*(np.array([float(one)]) for one in row)) for row in ((1000, 100, 10, 10, 5), (1000, 200, 30, 30, 24))
    ]
    product = 2 * 2 * (0.25 / 10) * (0.75 / 30)
    assert (shared.recall.low, shared.recall.high) == pytest.approx(pooled_recall(samples, product)[1:3])


def test_the_interval_by_hand() -> None:
    """Each end is as far from the mean as the root of the sum of squared distances, weighted by ¼ and ¾."""
    samples = [
        Strata(*(np.array([float(one)]) for one in row)) for row in ((1000, 100, 10, 10, 5), (1000, 200, 30, 30, 24))
    ]
    (low, high), (other_low, other_high) = (mover(one, 0.95, 0) for one in samples)
    below = ((0.25 * (0.5 - low)) ** 2 + (0.75 * (0.8 - other_low)) ** 2) ** 0.5
    above = ((0.25 * (high - 0.5)) ** 2 + (0.75 * (other_high - 0.8)) ** 2) ** 0.5
    assert pooled_recall(samples)[1:3] == pytest.approx((0.725 - below, 0.725 + above))
    # Shared items add R(1-R) times what they weigh, at the normal quantile.
    more = 1.959964**2 * 0.725 * 0.275 * 0.01
    expected = 0.725 - (below**2 + more) ** 0.5, 0.725 + (above**2 + more) ** 0.5
    assert pooled_recall(samples, 0.01)[1:3] == pytest.approx(expected, rel=1e-6)


def test_the_interval_is_narrower_than_either() -> None:
    apart = benchmark("second", 1000, 200, [f"b{k}" for k in range(30)])
    found = pool([FIRST, apart], ([True] * 6 + [False] * 4, [True] * 18 + [False] * 12))
    width = ends(found.recall)[1] - ends(found.recall)[0]
    for one in found.estimates:
        assert width < ends(one.recall)[1] - ends(one.recall)[0]


def test_benchmarks_that_differ_are_reported() -> None:
    other = benchmark("other", 9000, 200, [f"b{k}" for k in range(30)])  # 1,350 positives, not 100
    found = pool([FIRST, other], ([False] * 10, [True] * 30))
    assert [one.partition(" (")[0] for one in found.warnings] == [
        "first and other differ in the recall",
        "first and other differ in the number of positives in the corpus",
    ]
    assert "(0 and 1, p = " in found.warnings[0]
    assert "(100 and 1,350, p = " in found.warnings[1]
    whole = pool([FIRST, benchmark("other", 1000, 100, list("uvwxyz"))], ([True] * 10, [True] + [False] * 5))
    assert "differ in the recall (1 and 0.1667, p = " in whole.warnings[0]
    other_results = [not hit for hit in HITS[1]]
    assert "2 positives found in one benchmark but not in another: is the tagger the same?" in (
        pool([FIRST, SECOND], (HITS[0], other_results)).warnings
    )


def test_how_far_the_numbers_of_positives_may_differ_by_chance() -> None:
    """10 and 25 of 100 labelled, of 1,000: 100 and 250 positives; the variance is N² (1 - n/N) s (1 - s) / (n - 1)."""
    other = benchmark("other", 1000, 100, [f"b{k}" for k in range(25)])
    found = pool([FIRST, other], (HITS[0], [k % 2 == 0 for k in range(25)]))
    variance = sum(1000**2 * (1 - 100 / 1000) * share * (1 - share) / 99 for share in (0.1, 0.25))
    p = 2 * stats.norm.sf(150 / variance**0.5)
    assert [one for one in found.warnings if "number of positives" in one] == [
        "first and other differ in the number of positives in the corpus "
        f"(100 and 250, p = {p:.2g}): is the corpus the same?"
    ]


def test_calls_that_are_wrong() -> None:
    with pytest.raises(UsageError, match="at least two benchmarks"):
        pool([FIRST], [HITS[0]])
    with pytest.raises(UsageError, match="the same positives"):
        pool([FIRST, FIRST], [HITS[0], HITS[0]])


def test_the_command(tmp_path: Path) -> None:
    for one in (FIRST, SECOND):
        write_benchmark(one, tmp_path / one.name)
    (tmp_path / "mine.py").write_text('def find(text):\n    return [(0, len(text), "LOC")] if "a" in text else []\n')
    done = json.loads(ok("pool", "first", "second", "--tagger", "mine:find", "--json", cwd=tmp_path))
    # all 10, and 2 of 30: ¼ · 1 + ¾ · 2/30
    assert done["metrics"]["recall"]["value"] == pytest.approx(0.25 + 0.75 * 2 / 30)
    assert done["counts"] == {"positive": 38, "shared": 2, "correct": 10}
    result = ok("estimate", "second", "--tagger", "mine:find", "--json", cwd=tmp_path)
    (tmp_path / "second.json").write_text(result, "utf-8")
    again = ok("pool", "first", "second", "--tagger", "mine:find", "--results", "second.json", cwd=tmp_path)
    assert "38 distinct positives, 2 of them shared" in again
    write_benchmark(benchmark("third", 1000, 100, ["c"]), tmp_path / "third")
    assert "is not about one of these" in refused(
        "pool", "first", "third", "--stored", "--results", "second.json", cwd=tmp_path
    )
    assert "at least two benchmarks" in refused("pool", "first", "--tagger", "mine:missing", cwd=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("size", [2_000, 20_000])
def test_coverage(size: int) -> None:
    """Two stratified samples of one corpus, with other strata each; in the small corpus, many items are in both.

    1,000 corpora and pairs of samples: the standard error of a coverage of 95 % is 0.7 points. Shared items are counted
    as one observation even where they are shared by chance, so the interval is a little wide where many are shared.
    """
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(1000):
        kind, source = rng.integers(0, 3, size), rng.integers(0, 2, size)
        positive = rng.random(size) < np.array([0.5, 0.2, 0.05])[kind]
        hit = positive & (rng.random(size) < np.array([0.9, 0.6, 0.3])[kind] - 0.2 * source)
        truth = hit.sum() / positive.sum()
        samples, results = [], []
        for name, strata, n in (("kinds", kind, 200), ("sources", source, 400)):
            drawn = [rng.choice(np.flatnonzero(strata == value), n, replace=False) for value in np.unique(strata)]
            own = [items[positive[items]] for items in drawn]
            made = [
                Stratum(
                    str(value), int((strata == value).sum()), n, tuple(Positive(str(i), 0, 1, ("L",)) for i in items)
                )
                for value, items in enumerate(own)
            ]
            samples.append(Benchmark(name, tuple(made)))
            results.append([bool(hit[i]) for items in own for i in items])
        low, high = ends(pool(samples, results).recall)
        held += low <= truth <= high
    assert 0.935 <= held / 1000 <= 0.99
