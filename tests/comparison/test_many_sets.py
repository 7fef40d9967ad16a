"""Many test sets: what holds for test sets like those given, and the order of systems on each of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.command import run, said

import karatage
from karatage.comparison import SetContest

SYSTEMS = ("alpha", "beta", "gamma")


def tags(found: int, of: int) -> list[list[str]]:
    """Return one entity in each sentence, found in the first ones."""
    return [["B-A"] if k < found else ["O"] for k in range(of)]


def given(right: dict[str, list[int]], of: int = 20) -> tuple[karatage.Sets, dict[str, karatage.Sets]]:
    """Return gold and systems that find so many of the entities of each test set."""
    count = len(next(iter(right.values())))
    gold = karatage.Sets({f"set{k}": tags(of, of) for k in range(count)})
    return gold, {
        name: karatage.Sets({f"set{k}": tags(found, of) for k, found in enumerate(own)}) for name, own in right.items()
    }


RIGHT = {
    "alpha": [18, 16, 12, 19, 15, 10, 17, 14],
    "beta": [16, 15, 13, 15, 12, 10, 12, 9],
    "gamma": [10, 12, 4, 13, 9, 3, 9, 5],
}


@pytest.fixture(scope="module")
def found() -> karatage.Comparison:
    return karatage.compare(*given(RIGHT), metrics=["recall"])


def over_sets(comparison: karatage.Comparison, metric: str = "recall") -> SetContest:
    found = comparison[metric].over_sets
    assert found is not None
    return found


def test_the_mean_difference_has_the_interval_of_the_differences_on_the_sets(found: karatage.Comparison) -> None:
    contest = over_sets(found)
    recall = {name: np.array(own) / 20 for name, own in RIGHT.items()}
    seen = {(d.one, d.other): d for d in found["recall"].differences}
    for d in contest.differences:
        values = recall[d.one] - recall[d.other]
        assert d.value == pytest.approx(values.mean())
        tested = stats.ttest_1samp(values, 0.0)
        low, high = tested.confidence_interval()
        assert d.low == pytest.approx(min(low, seen[d.one, d.other].low))
        assert d.high == pytest.approx(max(high, seen[d.one, d.other].high))
        assert d.p == pytest.approx(max(tested.pvalue, seen[d.one, d.other].p))
        assert d.freedom == 7
    assert contest.ranks == {"alpha": (1, 1), "beta": (2, 2), "gamma": (3, 3)}
    for name, score in contest.scores.items():
        low, high = stats.t.interval(0.95, 7, recall[name].mean(), stats.sem(recall[name]))
        assert (score.low, score.high) == pytest.approx((low, min(high, 1.0)))


def test_the_order_on_each_set_is_tested_as_scipy_does(found: karatage.Comparison) -> None:
    contest = over_sets(found)
    columns = [np.array(RIGHT[name]) for name in SYSTEMS]
    assert contest.mean_ranks == pytest.approx({"alpha": 1.1875, "beta": 1.8125, "gamma": 3.0})  # one tie, one loss
    assert contest.friedman is not None
    assert contest.friedman.statistic == pytest.approx(stats.friedmanchisquare(*columns).statistic)
    assert contest.friedman.f == pytest.approx(
        7 * contest.friedman.statistic / (8 * 2 - contest.friedman.statistic)  # Iman and Davenport
    )
    assert contest.critical == pytest.approx(2.343 * (3 * 4 / (6 * 8)) ** 0.5, abs=1e-3)
    p = {}
    for d in contest.differences:
        one, other = (np.array(RIGHT[name]) for name in (d.one, d.other))
        every = stats.PermutationMethod(n_resamples=10**6)
        p[d.one, d.other] = stats.wilcoxon(one - other, zero_method="pratt", method=every).pvalue
        assert d.ranks is not None
        assert d.ranks.p == pytest.approx(p[d.one, d.other])
        assert (d.better, d.tied) == (int((one > other).sum()), int((one == other).sum()))
    pair = next(d for d in contest.differences if (d.one, d.other) == ("alpha", "beta"))
    assert (pair.better, pair.tied) == (6, 1)
    # Without a loss, eight sets have 2/256; all three are corrected together.
    assert p["alpha", "gamma"] == p["beta", "gamma"] == 2 / 256
    # Between the first two, 0 has rank 1, ±1 ranks 2.5, and -1 is the only loss: {}, {2.5} and the other {2.5} of 2⁷.
    assert pair.ranks_corrected == p["alpha", "beta"] == pytest.approx(2 * 3 / 2**7)
    assert [d.ranks_significant for d in contest.differences if d.other == "gamma"] == [True, True]


def test_the_mean_of_the_sets_given_stays_as_it_is(found: karatage.Comparison) -> None:
    """Other test sets are another question: those given are compared as two of them are."""
    two = karatage.compare(*given({name: own[:2] for name, own in RIGHT.items()}), metrics=["recall"])
    assert two["recall"].over_sets is None
    assert "over_sets" not in two.to_dict()["metrics"]["recall"]
    assert found["recall"].scores["alpha"].high < over_sets(found).scores["alpha"].high


def test_five_sets_are_too_few_for_signed_ranks(found: karatage.Comparison) -> None:
    pair = {name: RIGHT[name][:5] for name in ("alpha", "gamma")}
    few = karatage.compare(*given(pair))
    assert (
        "5 test sets are too few for signed-rank tests: with fewer than 6, no difference can be significant at 0.05"
        in few.warnings
    )
    assert not any("too few for signed-rank" in warning for warning in found.warnings)
    three = karatage.compare(*given({name: own[:6] for name, own in RIGHT.items()}))
    assert any(
        "6 test sets are too few for signed-rank tests of 3 systems: with fewer than 7" in w for w in three.warnings
    )


def test_systems_with_equal_outputs_everywhere_get_an_interval_and_no_verdict() -> None:
    same = karatage.compare(*given({"alpha": RIGHT["alpha"], "beta": RIGHT["alpha"]}))
    (d,) = over_sets(same, "f1").differences
    seen = same["f1"].differences[0]
    assert (d.low, d.high, d.significant, d.between) == (seen.low, seen.high, False, 0.0)
    assert d.low is not None
    assert d.high is not None
    assert d.low < 0 < d.high
    assert (d.better, d.tied, d.ranks) == (0, 8, (0.0, 1.0))
    assert over_sets(same, "f1").mean_ranks == {"alpha": 1.5, "beta": 1.5}
    assert over_sets(same, "f1").friedman is None


def test_a_system_whose_score_is_undefined_on_a_set_is_left_out() -> None:
    gold, systems = given({**RIGHT, "empty": [0] * 8})
    found = karatage.compare(gold, systems, metrics=["precision"])
    contest = over_sets(found, "precision")
    assert set(contest.mean_ranks) == set(SYSTEMS)
    assert contest.ranks["empty"] is None
    pair = next(d for d in contest.differences if "empty" in (d.one, d.other))
    assert (pair.value, pair.p, pair.ranks, pair.between) == (None, None, None, None)
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_margin_is_tested_over_sets_too() -> None:
    found = karatage.compare(*given({name: RIGHT[name] for name in ("alpha", "beta")}), metrics=["recall"], margin=0.1)
    (d,) = over_sets(found).differences
    values = (np.array(RIGHT["alpha"]) - np.array(RIGHT["beta"])) / 20
    assert d.margin is not None
    by_sets = stats.t.sf((0.1 - values.mean()) / stats.sem(values), 7)
    seen = found["recall"].differences[0].margin
    assert seen is not None
    assert d.margin.other == pytest.approx(max(by_sets, seen.other))
    assert not d.margin.other_no_worse


def test_the_order_of_sets_and_systems_changes_no_digit(found: karatage.Comparison) -> None:
    gold, systems = given(RIGHT)
    turned = karatage.compare(
        karatage.Sets(dict(reversed(gold.items()))), dict(reversed(systems.items())), metrics=["recall"]
    )
    assert over_sets(turned) == over_sets(found)


def test_several_runs_of_a_system_are_averaged_on_each_set() -> None:
    gold, first = given({"alpha": RIGHT["alpha"], "beta": RIGHT["beta"]})
    _, second = given({"alpha": [found - 2 for found in RIGHT["alpha"]], "beta": RIGHT["gamma"]})
    runs = {name: karatage.Runs(first[name], second[name]) for name in first}
    (d,) = over_sets(karatage.compare(gold, runs, metrics=["recall"])).differences
    means = [(np.array(RIGHT["alpha"]) - 1) / 20, (np.array(RIGHT["beta"]) + np.array(RIGHT["gamma"])) / 40]
    assert d.value == pytest.approx(float((means[0] - means[1]).mean()))
    assert d.error is not None
    assert d.error > stats.sem(means[0] - means[1])  # and the runs differ


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    for name, own in {"gold": [20] * 8, **RIGHT}.items():
        (tmp_path / name).mkdir()
        for number, right in enumerate(own):
            lines = [f"w{k} {tag}\n" for k, (tag,) in enumerate(tags(right, 20))]
            (tmp_path / name / f"set{number}.conll").write_text("\n".join(lines), "utf-8")
    return tmp_path


def test_the_command_prints_three_questions(folders: Path) -> None:
    out = said("compare", "gold", *SYSTEMS, "--sets", "-m", "recall", cwd=folders, COLUMNS="120")
    titles = [
        "mean of the test sets",
        "mean over test sets like these 8",
        "order of the systems on the 8 test sets",
        "recall by test set, with ranks where differences are significant",
    ]
    lines = out.splitlines()
    assert [line for line in lines if line in titles] == titles
    assert "1      alpha         1.19" in lines
    assert "3      gamma         3.00" in lines
    assert any(line.startswith("All systems equally good (Friedman's test): p ") for line in lines)
    assert "Mean ranks differ significantly from 1.17 on (Nemenyi)" in out


def test_json_has_everything(folders: Path) -> None:
    done = run("compare", "gold", "alpha", "beta", "gamma", "--sets", "-m", "recall", "--json", cwd=folders)
    own: dict[str, Any] = json.loads(done.stdout)["metrics"]["recall"]["over_sets"]
    assert own["sets"] == 8
    assert own["systems"]["gamma"]["rank"] == {"best": 3, "worst": 3}
    assert own["systems"]["gamma"]["mean_rank"] == 3.0
    assert set(own["friedman"]) == {"statistic", "f", "p"}
    assert own["critical_difference"] == pytest.approx(1.1717, abs=1e-3)
    (pair,) = [d for d in own["differences"] if (d["one"], d["other"]) == ("alpha", "gamma")]
    assert pair["test"] == "test sets"
    assert pair["ranks"] == {"balance": 1.0, "p": 2 / 256}
    assert (pair["better"], pair["tied"], pair["ranks_significant"]) == (8, 0, True)


def test_two_test_sets_say_that_they_tell_of_no_others(folders: Path) -> None:
    for path in folders.glob("*/set[2-7].conll"):
        path.unlink()
    out = said("compare", "gold", "alpha", "gamma", "--sets", cwd=folders)
    assert "The mean is about these 2 test sets alone: 3 or more tell of others like them" in out
    assert "like these" not in out


def test_a_notebook_and_a_citation_have_it_too(found: karatage.Comparison) -> None:
    page = found._repr_html_()
    assert "mean over test sets like these 8" in page
    assert "order of the systems on the 8 test sets" in page
    cited = found.cite()
    assert {"inthout2014", "ibragimov2010", "wilcoxon1945", "demsar2006", "friedman1937"} <= set(cited.keys)
    assert "The 8 test sets are taken for a sample of such sets" in cited.text
