"""Slices of queries."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import karatage
from karatage.errors import UsageError
from karatage.explanation.slices import QUERY_SLICINGS, Slice, slice_queries
from karatage.explanation.slices.bands import by_value
from karatage.stats import Resampling

FRAME = pl.DataFrame(
    {
        "unit": ["q1", "q2", "q3", "q4", "q5", "q6"],
        "gold": [1, 3, 30, 0, 7, 1],
        "predicted": [10] * 6,
        "correct": [1, 2, 9, 0, 3, 0],
        "AP": [1.0, 0.5, 0.25, None, 0.5, 0.0],
        "nDCG@10": [1.0, 0.5, 0.2, 0.0, 0.5, 0.0],
        "query": ["shoes", "red shoes", "red shoes for men", "a b c d e f", "x", "y z"],
        "price": [1.0, 2.0, 3.0, None, 4.0, 5.0],
        "kind": ["short", "short", "long", "long", "short", "short"],
    }
)


def slices(*by: str, frame: pl.DataFrame = FRAME, metric: str = "AP", **options: Any) -> dict[tuple[str, str], Slice]:
    found = slice_queries(frame, metric, Resampling(200), by=by, **options)
    return {(one.by, one.name): one for one in found}


def test_all_that_apply() -> None:
    found = slices()
    assert {by for by, _ in found} == {"relevant documents", "query length", "price", "kind"}
    assert [name for by, name in found if by == "relevant documents"] == ["none", "1", "2–5", "6–20", "21+"]
    assert [name for by, name in found if by == "query length"] == ["1 word", "2 words", "4–5 words", "6+ words"]
    assert [name for by, name in found if by == "price"] == ["up to 2", "over 2 to 3", "over 3 to 4", "over 4"]


def test_what_is_not_known_is_left_out_or_an_error() -> None:
    bare = FRAME.select("unit", "gold", "predicted", "correct", "AP")
    assert {by for by, _ in slices(frame=bare)} == {"relevant documents"}
    for by, says in (
        ("query length", "the texts of the queries are unknown"),
        ("price", "the prices of the documents are unknown"),
        ("query_length > 2", "the texts of the queries are unknown"),
        ("knd == 'a'", "unknown name in the expression"),
        ("quary length", "Did you mean 'query length'?"),
        ("1 == 1", "both constants"),
    ):
        with pytest.raises(UsageError, match=says.replace("?", r"\?")):
            slices(by, frame=bare)
    with pytest.raises(UsageError, match="gold is not between 0 and 1"):
        slices(metric="gold")
    with pytest.raises(UsageError, match="unknown metric of the queries 'ap'. Did you mean 'AP'?"):
        slices(metric="ap")


def test_the_names_of_expressions_are_slicings_too() -> None:
    alone, named = slices("relevant"), slices("relevant documents")
    assert [name for _, name in alone] == [name for _, name in named]
    assert {by for by, _ in alone} == {"relevant"}


def test_means_by_hand() -> None:
    """The short queries have 1, 0.5, 0.5 and 0; of the long ones only one has a value, 0.25."""
    found = slices("kind")
    short, long = found["kind", "short"], found["kind", "long"]
    assert short.score.value == 0.5
    assert long.score.value == 0.25
    assert (short.units, long.units) == (4, 2)
    assert short.counts == {"gold": 12, "predicted": 40, "correct": 6}
    assert short.difference == 0.25
    assert short.rest == long.score
    assert short.p is long.p is None  # one query with a value says nothing of the spread


def test_queries_without_a_value_stay_undefined() -> None:
    none = slices("relevant documents")["relevant documents", "none"]
    assert none.score.value is None
    assert none.score.undefined == "undefined for every query"
    assert none.difference is None


def test_expressions() -> None:
    found = slices("query_length > 1 and relevant >= 1 and kind == 'short'")
    (by, _), *_ = found
    assert found[by, "yes"].units == 2
    assert found[by, "yes"].score.value == 0.25  # of 0.5 and 0
    assert slices("'shoes' in query and price < 3")["'shoes' in query and price < 3", "yes"].units == 2
    assert slices("nDCG_10 > 0.4")["nDCG_10 > 0.4", "yes"].units == 3


def many(seed: int = 3) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    hard = rng.random(300) < 0.3
    value = np.clip(rng.normal(np.where(hard, 0.4, 0.7), 0.2), 0, 1)
    return pl.DataFrame({"gold": rng.integers(1, 9, 300), "AP": value, "kind": np.where(hard, "hard", "easy")})


def test_a_worse_kind_of_query_is_marked() -> None:
    found = slices(frame=many())
    assert found["kind", "hard"].mark == "worse"
    assert found["kind", "easy"].mark == "better"
    assert not any(one.mark for (by, _), one in found.items() if by != "kind")
    other = slices("kind", frame=many(), higher_is_better=False)
    assert other["kind", "hard"].mark == "better"


def test_an_attribute_that_is_the_metric_by_another_name_is_no_slicing() -> None:
    """A log may say passed or failed beside 1 or 0: slices by it are what they are by definition. Asked for, they come.

    With a single sample of another value it is an attribute like others, and so are few samples, by chance.
    """
    value = [1.0, 0.0] * 20
    frame = pl.DataFrame({"score": value, "status": ["passed", "failed"] * 20, "topic": ["a", "a", "b", "b"] * 10})
    assert {by for by, _ in slices(frame=frame, metric="score")} == {"topic"}
    assert {by for by, _ in slices("status", frame=frame, metric="score")} == {"status"}
    mixed = frame.with_columns(score=pl.Series([0.5, *value[1:]]))
    assert {by for by, _ in slices(frame=mixed, metric="score")} == {"status", "topic"}
    assert {by for by, _ in slices(frame=frame.head(6), metric="score")} == {"status", "topic"}


def test_a_group_without_relevant_documents_tells_nothing() -> None:
    found = slices("relevant documents")
    assert {name: one.telling for (_, name), one in found.items()} == {
        "none": False,
        "1": True,
        "2–5": True,
        "6–20": True,
        "21+": True,
    }


def test_the_p_value_is_close_to_welch() -> None:
    """For means of many queries the test is about Welch's, but for two more that nobody saw."""
    from scipy import stats

    frame = many().with_columns(kind=pl.when(pl.int_range(300) % 3 == 0).then(pl.lit("a")).otherwise(pl.lit("b")))
    parts = [frame.filter(pl.col("kind") == kind)["AP"].to_numpy() for kind in "ab"]
    expected = stats.ttest_ind(*parts, equal_var=False).pvalue
    found = slices("kind", frame=frame)["kind", "a"].p
    assert found == pytest.approx(expected, abs=0.03)
    assert found > expected


def test_queries_are_scored_as_a_test_set_of_their_own() -> None:
    """A slice equals the score of these queries alone, intervals included."""
    rng = np.random.default_rng(0)
    judged = {f"q{k}": {f"d{d}": int(rng.integers(0, 2)) for d in range(8)} | {"d9": 1} for k in range(40)}
    run = {q: {f"d{d}": float(rng.random()) for d in range(10)} for q in judged}
    result = karatage.score(judged, run, like="trec", metrics=["AP"])
    frame = result.by_unit.with_columns(kind=pl.when(pl.int_range(40) < 15).then(pl.lit("a")).otherwise(pl.lit("b")))
    assert result.resampling is not None
    one = slice_queries(frame, "AP", result.resampling, by=["kind"])[0]
    some = list(judged)[:15]
    alone = karatage.score({q: judged[q] for q in some}, {q: run[q] for q in some}, like="trec", metrics=["AP"])
    assert one.score.value == pytest.approx(alone["AP"].value)
    assert (one.score.low, one.score.high) == pytest.approx((alone["AP"].low, alone["AP"].high))


def test_clusters_of_queries() -> None:
    frame = many().with_columns(topic=(pl.int_range(300) // 3).cast(pl.String))
    (first, *_) = slice_queries(frame, "AP", Resampling(50, cluster_by="topic"), by=["kind"])
    assert first.score.value == pytest.approx(frame.filter(pl.col("kind") == "easy")["AP"].mean())
    assert first.p is not None


def test_no_queries() -> None:
    assert slice_queries(FRAME.head(0), "AP", Resampling()) == []


def test_every_slicing_says_what_it_is() -> None:
    assert all(about and not about.endswith(".") for about in QUERY_SLICINGS.values())


@pytest.mark.parametrize(("values", "sliced"), [(1, False), (2, True), (50, True), (51, False)])
def test_an_attribute_with_few_values_makes_slices(values: int, *, sliced: bool) -> None:
    frame = pl.DataFrame(
        {
            "unit": [f"q{k}" for k in range(60)],
            "AP": [0.5, 1.0, 1.0] * 20,
            "kind": [f"k{k % values:02}" for k in range(60)],
        }
    )
    assert ("kind" in {by for by, _ in slices(frame=frame)}) == sliced


@pytest.mark.parametrize(("values", "names"), [(2, ["0", "1"]), (3, ["0", "1", "2"]), (4, ["0", "1"])])
def test_as_many_values_as_are_shown_need_no_rest(values: int, names: list[str]) -> None:
    """Of more, the last place is taken by all others together."""
    found = by_value(np.arange(8.0) % values, shown=3)
    assert list(found.names[: len(names)]) == names
    assert len(found.names) == min(values, 3)
    assert np.unique(found.codes).tolist() == list(range(len(found.names)))
