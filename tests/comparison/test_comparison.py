"""Comparisons in Python: ranks, seeds, test sets, labels, units, and what happens at the edges."""

from __future__ import annotations

import json
import pickle
from statistics import mean, stdev
from typing import Any

import pytest

import karatage
from karatage.demo import data

GOLD = data("gold.conll")
FILES = {name: data(f"{name}.conll") for name in ("context", "lexicon", "shape")}


@pytest.fixture(scope="module")
def demo() -> karatage.Comparison:
    return karatage.compare(GOLD, FILES, metrics=["f1", "macro_f1"], resamples=2000)


def test_scores_are_those_of_score(demo: karatage.Comparison) -> None:
    for name, path in FILES.items():
        alone = karatage.score(GOLD, path, resamples=2000)
        for metric in ("f1", "macro_f1"):
            assert demo[metric].scores[name].value == alone[metric].value
            # The same rows are drawn, but jointly with those of the others: the ends agree but for chance.
            assert demo[metric].scores[name].low == pytest.approx(alone[metric].low, abs=0.003)
        for label, contest in demo.by_label.items():
            score = alone.by_label[label]["f1"] if label in alone.by_label else karatage.Score(0.0)
            assert contest.scores[name].value == score.value


def test_systems_are_ordered_and_ranked(demo: karatage.Comparison) -> None:
    assert demo.systems == ["context", "lexicon", "shape"]
    assert demo.ranks == {"context": (1, 1), "lexicon": (2, 2), "shape": (3, 3)}
    pair = demo["f1"]["shape", "context"]
    assert (pair.one, pair.other) == ("context", "shape")
    assert pair.value == pytest.approx(demo["f1"].scores["context"].value - demo["f1"].scores["shape"].value)
    assert pair.significant
    assert pair.low < pair.value < pair.high
    with pytest.raises(karatage.KaratageError, match="unknown pair of systems"):
        demo["f1"]["shape", "nobody"]
    with pytest.raises(karatage.KaratageError, match="unknown metric of this comparison"):
        demo["f2"]


def test_the_order_of_the_systems_changes_nothing(demo: karatage.Comparison) -> None:
    turned = karatage.compare(GOLD, dict(reversed(FILES.items())), metrics=["f1"], resamples=2000)
    assert turned.systems == demo.systems
    for one, other in zip(turned["f1"].differences, demo["f1"].differences, strict=True):
        assert (one.one, one.other, one.value, one.units) == (other.one, other.other, other.value, other.units)
        assert one.p == pytest.approx(other.p, abs=0.01)


def test_units_that_differ_most(demo: karatage.Comparison) -> None:
    """What a unit adds is the score minus the score without it."""
    frame = demo.most_different(5)
    assert frame.columns == ["unit", "gold", "systems"]
    row = frame.row(0, named=True)
    gold, pred = (karatage.read(path) for path in (GOLD, FILES["shape"]))
    ids = list(gold.units.ids or ())
    import numpy as np

    rest = np.array([k for k, name in enumerate(ids) if name != row["unit"]])
    without = karatage.score(gold.take(rest), pred.take(rest), resamples=0)["f1"].value
    assert row["systems"]["shape"]["adds"] == pytest.approx(
        karatage.score(GOLD, FILES["shape"], resamples=0)["f1"].value - without
    )
    one = np.array([ids.index(row["unit"])])
    alone = karatage.score(gold.take(one), pred.take(one), resamples=0).counts
    assert (row["gold"], row["systems"]["shape"]["predicted"], row["systems"]["shape"]["correct"]) == (
        alone["gold"],
        alone["predicted"],
        alone["correct"],
    )


def test_corrected_over_all_pairs_and_labels(demo: karatage.Comparison) -> None:
    tests = [d for contest in demo.by_label.values() for d in contest.differences]
    known = [d for d in tests if d.p is not None]
    smallest = min(d.p for d in known if d.p is not None)
    corrected = min(d.corrected for d in known if d.corrected is not None)
    assert corrected == pytest.approx(min(1.0, smallest * len(known)))


def test_identical_systems_share_their_ranks() -> None:
    same = karatage.compare(GOLD, {"a": FILES["shape"], "b": FILES["shape"]}, resamples=200)
    (difference,) = same.headline.differences
    assert same.ranks == {"a": (1, 2), "b": (1, 2)}
    assert (difference.value, difference.p, difference.units) == (0.0, 1.0, 0)
    # 2 · √(2 · 320² / 322²) / 320, times t with 320 degrees: nothing differs, and little is known of how much could.
    assert difference.high == pytest.approx(1.96738 * (2 / 322**2) ** 0.5, rel=1e-4)
    assert difference.low == -difference.high
    assert same.most_different().height == 0
    assert "same counts everywhere" in str(same)


def test_more_systems_than_units() -> None:
    gold = [["B-X"], ["B-Y"], ["B-X"]]
    systems = {f"s{k}": [["B-X"] if k & 1 << u else ["O"] for u in range(3)] for k in range(6)}
    found = karatage.compare(gold, systems, resamples=200)
    assert set(found.ranks.values()) == {(1, 6)}
    assert any("too few" in warning for warning in found.warnings)


def test_a_small_set_among_large_ones() -> None:
    """It is warned of, and the mean is hardly surer than the small set, on which it rests."""
    small = [["B-X"], ["B-X"], ["O"], ["B-Y"]]
    gold = karatage.Sets(large=GOLD, small=small)
    systems = {
        "x": karatage.Sets(large=FILES["context"], small=small),
        "y": karatage.Sets(large=FILES["lexicon"], small=[["B-X"], ["O"], ["O"], ["O"]]),
    }
    found = karatage.compare(gold, systems, resamples=500)
    assert "small: 4 sentences are too few for 2 systems: no difference can be significant at 0.05" in found.warnings
    difference = found.headline.differences[0]
    assert difference.high - difference.low > 2 * 3.1 * difference.error  # t with 3 degrees of freedom is 3.18


def test_one_unit_only() -> None:
    found = karatage.compare([["B-X", "B-Y"]], {"a": [["B-X", "O"]], "b": [["O", "O"]]}, resamples=200)
    (difference,) = found.headline.differences
    assert difference.p is None
    assert difference.withheld == "at least two sentences are needed"


def test_systems_on_different_units_are_refused() -> None:
    gold = {"1": [("X", 0, 1)], "2": [("X", 0, 1)]}
    with pytest.raises(karatage.KaratageError, match=r"system b: 1 gold text has no predictions"):
        karatage.compare(gold, {"a": gold, "b": {"1": []}})
    found = karatage.compare(gold, {"a": gold, "b": {"1": []}}, missing="empty", resamples=200)
    assert found.systems == ["a", "b"]
    assert found.warnings[:2] == (
        "b: predictions contain no entities: 2 texts",
        "b: gold texts without predictions, counted as empty: 1",
    )


def test_undefined_scores_come_last_and_have_no_test() -> None:
    gold = [["B-X"], ["B-X"], ["O"]]
    found = karatage.compare(gold, {"silent": [["O"]] * 3, "good": gold}, metrics=["precision"], resamples=200)
    assert found.systems == ["good", "silent"]
    score = found.headline.scores["silent"]
    assert (score.value, score.undefined) == (None, "no predictions")
    (difference,) = found.headline.differences
    assert (difference.value, difference.p, difference.significant) == (None, None, False)
    assert "undefined" in str(found)


def test_runs_tell_the_seed_from_the_sample() -> None:
    runs = [FILES["context"], FILES["lexicon"], FILES["shape"]]
    found = karatage.compare(GOLD, {"three": karatage.Runs(*runs), "one": FILES["shape"]}, resamples=2000)
    values: list[Any] = [karatage.score(GOLD, run, resamples=0)["f1"].value for run in runs]
    seeds = found.headline.seeds["three"]
    assert seeds.values == pytest.approx(values)
    assert seeds.spread == pytest.approx(stdev(values))
    assert found.headline.scores["three"].value == pytest.approx(mean(values))
    assert seeds.error < 0.01 < seeds.spread
    (difference,) = found.headline.differences
    assert difference.test == "runs and units"
    assert not difference.significant  # three runs that far apart say little about the next one
    assert found.warnings == ("systems with a single run, whose variance over random seeds is unknown: one",)


def test_sets_are_averaged_and_shown_apart() -> None:
    gold = karatage.Sets(a=GOLD, b=GOLD)
    systems = {
        "x": karatage.Sets(a=FILES["context"], b=FILES["lexicon"]),
        "y": karatage.Sets(a=FILES["shape"], b=FILES["lexicon"]),
    }
    found = karatage.compare(gold, systems, resamples=1000)
    assert set(found.sets) == {"a", "b"}
    per_set: dict[str, Any] = {name: own["f1"].scores for name, own in found.sets.items()}
    for name in ("x", "y"):
        expected = mean(per_set[part][name].value for part in "ab")
        assert found["f1"].scores[name].value == pytest.approx(expected)
    assert found.units == {"a": 320, "b": 320}
    assert found.sets["b"]["f1"].differences[0].units == 0
    # The mean of two independent parts has half the error of the one part that varies.
    assert found["f1"].differences[0].error == pytest.approx(found.sets["a"]["f1"].differences[0].error / 2, rel=0.15)
    assert found.by_label == {}
    assert set(found.sets["a"].by_label) == set(karatage.score(GOLD, GOLD).labels)


@pytest.mark.parametrize(
    ("gold", "systems", "message"),
    [
        (GOLD, [], "at least two systems, got 0"),
        (GOLD, "context.conll", "as a mapping from names"),
        (GOLD, [[["O"]], [["O"]]], "need names"),
        (GOLD, {"a": karatage.Runs(), "b": GOLD}, "the system a has no runs"),
        (GOLD, {"": GOLD, "b": GOLD}, "needs a name"),
        (karatage.Sets(a=GOLD), {"x": GOLD, "y": GOLD}, "the system x must have them too"),
        (GOLD, {"x": karatage.Sets(a=GOLD), "y": GOLD}, "several sets, but gold has not"),
        (
            karatage.Sets(a=GOLD, b=GOLD),
            {"x": karatage.Sets(a=GOLD), "y": karatage.Sets(a=GOLD, b=GOLD)},
            "x has no set 'b'",
        ),
        (karatage.Sets(a=GOLD), {"x": karatage.Sets(a=GOLD, c=GOLD), "y": GOLD}, "a set 'c' that gold lacks"),
        (karatage.Sets(), {"x": karatage.Sets(), "y": karatage.Sets()}, "no test set"),
    ],
)
def test_bad_calls(gold: object, systems: object, message: str) -> None:
    with pytest.raises(karatage.KaratageError, match=message):
        karatage.compare(gold, systems, resamples=100)


def test_it_prints_travels_and_is_data(demo: karatage.Comparison) -> None:
    assert json.loads(demo.to_json()) == json.loads(json.dumps(demo.to_dict()))
    assert "context" in demo._repr_html_()
    assert repr(demo) == "<Comparison f1: 1. context, 2. lexicon, 3. shape like='exact'>"
    assert pickle.loads(pickle.dumps(demo)).to_json() == demo.to_json()  # noqa: S301  our own
    assert karatage.compare(GOLD, FILES, metrics=["f1", "macro_f1"], resamples=2000).to_json() == demo.to_json()


def test_hostile_names_are_escaped() -> None:
    gold = [["B-<b>x</b>"], ["B-Y"]]
    found = karatage.compare(gold, {"<script>": gold, "[red]b|": [["O"], ["B-Y"]]}, resamples=100)
    assert "<script>" not in found._repr_html_()
    assert "[red]b|" in str(found)


def test_every_profile_can_be_compared() -> None:
    from karatage.profiles import get_profile, profile_names

    for like in profile_names():
        profile = get_profile(like)
        if profile.search or profile.merge:  # merging needs the tokens of tagged titles and their categories
            continue
        values = like in ("ebay-2025", "values")
        gold, pred = (data(f"{name}-values.tsv" if values else f"{name}.conll") for name in ("gold", "context"))
        found = karatage.compare(gold, {"gold": gold, "context": pred}, like=like, resamples=100)
        assert found.systems == ["gold", "context"]
        assert found.ranks["context"] == (2, 2)


def test_accuracy_is_compared_by_tokens() -> None:
    found = karatage.compare(GOLD, FILES, metrics=["accuracy"], resamples=500)
    alone = {name: karatage.score(GOLD, path, resamples=0)["accuracy"].value for name, path in FILES.items()}
    assert {name: score.value for name, score in found.headline.scores.items()} == pytest.approx(alone)
    assert found.ranks["context"] == (1, 1)


def test_accuracy_without_tags_is_undefined() -> None:
    gold = {"1": [("X", 0, 1)], "2": [("X", 0, 1)]}
    found = karatage.compare(gold, {"a": gold, "b": {"1": [], "2": []}}, metrics=["accuracy"], resamples=100)
    assert [score.value for score in found.headline.scores.values()] == [None, None]
    assert found.ranks == {"a": None, "b": None}
    assert "undefined" in str(found)


def test_clusters_are_swapped_together() -> None:
    """Two documents: four ways to swap, and the systems are never told apart, however many sentences there are."""
    import polars as pl

    rows = [(f"{d}-{s}", "A", "x", str(d)) for d in range(2) for s in range(30)]
    gold = pl.DataFrame(rows, schema=["unit", "label", "value", "document"], orient="row")
    half = gold.filter(pl.col("unit").str.ends_with("1")).drop("document")
    systems = {"all": gold.drop("document"), "half": half}
    options = {"like": "values", "missing": "empty", "resamples": 500, "test": "randomisation"}
    alone = karatage.compare(gold, systems, cluster_by=None, **options)
    together = karatage.compare(gold, systems, cluster_by="document", **options)
    assert alone.headline.differences[0].significant
    assert together.headline.differences[0].p == 0.5  # both documents point the same way: two of four patterns
    assert together.headline.differences[0].units == 2
