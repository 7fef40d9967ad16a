"""Non-inferiority and equivalence: p-values by hand and by SciPy, verdicts, and the gate's decision."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.parts import parts

import karatage
from karatage.comparison.margins import corrected_pairs
from karatage.demo import data

GOLD = data("gold.conll")
FILES = {name: data(f"{name}.conll") for name in ("context", "lexicon", "shape")}


def test_opposite_tests_are_corrected_as_one_by_hand() -> None:
    """Two pairs: 0.01, 0.02 and 0.03 are doubled; then the first pair is done with, and 0.5 stays."""
    found = corrected_pairs(np.array([[0.01, 0.03], [0.02, 0.5]]))
    assert found.ravel().tolist() == pytest.approx([0.02, 0.06, 0.04, 0.5])
    assert corrected_pairs(np.array([[0.01, 0.03]])).ravel().tolist() == [0.01, 0.03]  # one pair needs no correction
    assert corrected_pairs(np.empty((0, 2))).shape == (0, 2)


def searches(count: int, shift: float, seed: int = 0) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Queries with one relevant document each, which two engines put at some place."""
    rng = np.random.default_rng(seed)
    gold = {f"q{k}": {"d": 1} for k in range(count)}
    places = rng.integers(0, 10, count)
    moved = np.clip(places + rng.integers(-2, 3, count) + (rng.random(count) < shift), 0, 10)
    runs = [
        {f"q{k}": {"d" if at == place else f"x{at}": 1.0 / (1 + at) for at in range(11)} for k, place in enumerate(own)}
        for own in (places, moved)
    ]
    return gold, runs[0], runs[1]


def test_p_values_are_those_of_scipy() -> None:
    """On many queries, two one-sided paired t-tests against the margin."""
    gold, one, other = searches(900, 0.1)
    found = karatage.compare(gold, {"a": one, "b": other}, metrics=["RR"], margin=0.01)
    (difference,) = found.headline.differences
    scores = [karatage.score(gold, run, metrics=["RR"]).by_unit["RR"].to_numpy() for run in (one, other)]
    apart = scores[0] - scores[1] if difference.one == "a" else scores[1] - scores[0]
    test = difference.margin
    assert test is not None
    assert test.one == pytest.approx(stats.ttest_1samp(apart, -0.01, alternative="greater").pvalue, abs=0.003)
    assert test.other == pytest.approx(stats.ttest_1samp(apart, 0.01, alternative="less").pvalue, abs=0.003)
    assert test.other > 0.1
    assert test.equivalent == max(test.one, test.other)


@pytest.mark.parametrize("seed", parts(8, quick=2))
def test_the_gate_decides_the_same(seed: int) -> None:
    gold, old, new = searches(300, 0.2, seed)
    for margin in (0.005, 0.02, 0.04, 0.08):
        (difference,) = karatage.compare(
            gold, {"new": new, "old": old}, metrics=["RR"], margin=margin
        ).headline.differences
        test = difference.margin
        assert test is not None
        no_worse = test.one_no_worse if difference.one == "new" else test.other_no_worse
        assert karatage.gate(gold, new, baseline=old, max_drop={"RR": margin}).holds == no_worse


def test_equal_outputs_on_few_units_are_no_proof() -> None:
    """With p = 0.05 / 2, 299 equal units rule out a drop of 0.01, for 0.99²⁹⁹ < 0.05, and 290 do not."""
    for count, shown in ((20, False), (290, False), (310, True)):
        gold = [["B-X"]] * count
        found = karatage.compare(gold, {"a": gold, "b": gold}, margin=0.01)
        test = found.headline.differences[0].margin
        assert test is not None
        assert (test.one_no_worse, test.other_no_worse) == (shown, shown)
        assert ("equivalent within 0.01" if shown else "not shown") in str(found)
    assert test is not None
    assert test.one == pytest.approx(0.99**310 / 2, rel=0.02)


def test_verdicts_and_data() -> None:
    found = karatage.compare(GOLD, FILES, margin=0.3, by_label=False)
    by_pair = {(d.one, d.other): d for d in found.headline.differences}
    assert "equivalent within 0.3" in str(found)  # +0.2125, up to +0.2299, and +0.1647, up to +0.1867
    assert "no worse than shape by more than 0.3" in str(found)  # +0.3772
    test = by_pair["context", "shape"].margin
    assert test is not None
    assert (test.one_no_worse, test.other_no_worse) == (True, False)
    written = json.loads(found.to_json())["metrics"]["f1"]["differences"][0]["margin"]
    assert written["margin"] == 0.3
    assert written["one_no_worse"] is True
    plain = karatage.compare(GOLD, FILES, by_label=False)
    assert "margin" not in plain.to_dict()["metrics"]["f1"]["differences"][0]


def test_where_lower_is_better_a_rise_is_worse(tmp_path: Path) -> None:
    """A system that labels every document has a rate of false positives of 1, and not 0."""
    header = "doc/query\t" + "\t".join(f"q{k}" for k in range(60)) + "\n"
    for name, (right, wrong) in {"gold": (1, -1), "some": (1, -1), "every": (1, 1)}.items():
        rows = (f"d{row}\t" + "\t".join([str(value)] * 60) + "\n" for row, value in enumerate((right, wrong)))
        (tmp_path / f"{name}.tsv").write_text(header + "".join(rows), "utf-8")
    systems = {name: tmp_path / f"{name}.tsv" for name in ("some", "every")}
    found = karatage.compare(tmp_path / "gold.tsv", systems, metrics=["fpr"], margin=0.1)
    (difference,) = found.headline.differences
    assert (difference.one, difference.value) == ("some", -1.0)
    test = difference.margin
    assert test is not None
    assert (test.one_no_worse, test.other_no_worse) == (True, False)


@pytest.mark.parametrize("margin", [-0.1, 1, "0.01", float("nan")])
def test_a_margin_that_is_none(margin: object) -> None:
    with pytest.raises(karatage.KaratageError, match="a margin must be at least 0 and below 1"):
        karatage.compare(GOLD, FILES, margin=margin)
