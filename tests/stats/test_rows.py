"""Rows: equal units are kept once, nothing depends on order or batches, counts add up."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import karatage
from karatage.errors import InputError
from karatage.metrics import Rows
from karatage.metrics.rows import Merger, _mix, sort_rows

LABELS = ["PER", "LOC", "ORG"]


def corpus(units: int, seed: int) -> tuple[list[list[str]], list[list[str]]]:
    rng = random.Random(seed)
    tags = ["O", "O", *(f"{p}-{label}" for p in "BI" for label in LABELS)]
    gold = [[rng.choice(tags) for _ in range(rng.randint(1, 6))] for _ in range(units)]
    return gold, [[tag if rng.random() < 0.7 else rng.choice(tags) for tag in row] for row in gold]


def same(one: Rows, other: Rows) -> bool:
    return (
        one.cells == other.cells
        and one.strata == other.strata
        and all(
            np.array_equal(getattr(one, name), getattr(other, name))
            for name in ("starts", "cell", "counts", "times", "stratum")
        )
    )


@pytest.mark.parametrize("like", ["exact", "semeval2013", "label-only", "overlap"])
def test_rows_add_up_to_the_totals(like: str) -> None:
    result = karatage.score(*corpus(60, 1), like=like)
    rows = result.tally.rows
    assert rows is not None
    assert rows.size == 60
    assert rows.cells == result.tally.cells
    assert np.array_equal(rows.totals, result.tally.totals)
    assert result.tally.tokens is not None
    assert result.tally.tokens.totals.ravel().tolist() == [
        result.counts["tokens"],
        result.counts["tokens_correct"],
    ]


def test_equal_units_are_kept_once() -> None:
    gold, pred = corpus(20, 2)
    one = karatage.score(gold, pred).tally.rows
    many = karatage.score(gold * 5, pred * 5).tally.rows
    assert one is not None
    assert many is not None
    assert len(many) == len(one) <= 20
    assert np.array_equal(many.times, 5 * one.times)


def test_what_counts_is_the_content_of_a_row() -> None:
    """Two units with the same counts at other places are one row; a unit without claims is one too."""
    rows = karatage.score(
        [["B-X", "O"], ["O", "B-X"], ["O"], ["O", "O"]], [["O", "O"]] * 2 + [["O"], ["O", "O"]]
    ).tally.rows
    assert rows is not None
    assert sorted(rows.times.tolist()) == [2, 2]
    # gold 1, predicted 0, correct 0, hits 0 in the only cell; nothing in the other row
    assert rows.counts.tolist() == [[1, 0, 0, 0]]


@pytest.mark.parametrize("seed", range(20))
def test_order_and_batches_do_not_matter(seed: int) -> None:
    gold, pred = corpus(50, seed)
    whole = karatage.score(gold, pred).tally.rows
    rng = random.Random(seed)
    order = list(range(50))
    rng.shuffle(order)
    cuts = sorted({0, 50, *rng.sample(range(1, 50), 4)})
    merger = Merger()
    total = None
    for start, stop in pairwise(cuts):
        own = order[start:stop]
        tally = karatage.score([gold[k] for k in own], [pred[k] for k in own]).tally
        assert tally.rows is not None
        merger.add(tally.rows)
        total = tally if total is None else total + tally
    merged = merger.rows()
    assert whole is not None
    assert merged is not None
    assert total is not None
    assert total.rows is not None
    assert same(merged, whole)
    assert same(total.rows, whole)


def test_clusters_add_up_the_units_that_share_a_name() -> None:
    rows = karatage.score([["B-X"], ["B-X"], ["B-Y"]], [["B-X"], ["O"], ["B-Y"]]).tally.rows
    assert rows is not None
    unit_rows = Rows.concatenate([rows.taken(np.array([k]), np.ones(1, np.int64)) for k in range(len(rows))])
    both = unit_rows.in_clusters(["a", "b", "a"][: len(unit_rows)])
    assert both.size == 2
    assert np.array_equal(both.totals, unit_rows.totals)


def test_a_cluster_in_two_strata_is_an_error() -> None:
    rows = Rows.of_values(("tokens", "tokens_correct"), np.array([[1, 1], [2, 1]]))
    with pytest.raises(InputError, match="several strata"):
        rows.in_strata(["x", "y"]).in_clusters(["a", "a"])


def test_a_merger_holds_few_rows_at_a_time() -> None:
    """Many batches with the same rows: what is held does not grow with their number."""
    merger = Merger()
    values = np.stack([np.arange(1, 20_001), np.zeros(20_000, np.int64)], axis=1)
    for _ in range(30):
        merger.add(Rows.of_values(("tokens", "tokens_correct"), values))
        assert sum(map(len, merger._parts)) <= 60_000
    rows = merger.rows()
    assert rows is not None
    assert len(rows) == 20_000
    assert set(rows.times.tolist()) == {30}


def test_fingerprints_are_mixed_as_splitmix64_does() -> None:
    """The same rows come in the same order in every release, so the same seed draws the same units."""
    golden = 0x9E3779B97F4A7C15
    states = np.array([golden * k % 2**64 for k in (1, 2, 3)], np.uint64)
    assert _mix(states).tolist() == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_rows_whose_first_halves_collide_are_told_apart_by_their_second() -> None:
    keys = np.array([[1, 2], [7, 0], [1, 1], [1, 2], [1, 1]], np.uint64)
    order, first = sort_rows(keys)
    groups = np.split(order, first[1:])
    assert sorted(sorted(own.tolist()) for own in groups) == [[0, 3], [1], [2, 4]]


def test_sums_over_a_cluster_may_be_larger_than_any_count() -> None:
    """Values of means are whole numbers of 2^-30: three of 1 do not fit four bytes."""
    rows = Rows.of_values(("value", "units"), np.array([[2**30, 1]] * 3 + [[5, 1]]))
    clusters = rows.in_clusters(["a", "a", "a", "b"])
    assert sorted(clusters.counts.tolist()) == [[5, 1], [3 * 2**30, 3]]
    assert Rows.concatenate([clusters, rows]).totals.tolist() == [[2 * (3 * 2**30 + 5), 8]]


@pytest.mark.parametrize("documents", [10, 40])
def test_an_error_of_a_mean_over_documents_is_that_of_their_sums(tmp_path: Path, documents: int) -> None:
    """Half of the documents are right as a whole: their mean varies as that of so many sentences, not of forty.

    One document varies by 0.5 · 0.5 = 0.25, the mean of n by 0.25 / n, and as it is estimated by 0.25 / (n - 1).
    """
    each = 40 // documents
    gold = "".join("-DOCSTART- O\n\n" + "a B-X\n\n" * each for _ in range(documents))
    wrong = "-DOCSTART- O\n\n" + "a O\n\n" * each
    right = "-DOCSTART- O\n\n" + "a B-X\n\n" * each
    (tmp_path / "gold.conll").write_text(gold)
    (tmp_path / "pred.conll").write_text(right * (documents // 2) + wrong * (documents // 2))
    rows = karatage.score(tmp_path / "gold.conll", tmp_path / "pred.conll", metrics=["units_recall"])
    found = rows.sampler.evidence(next(iter(rows.profile.metrics.values())), 0)
    assert found.shown == pytest.approx(0.25 / (documents - 1))
