"""Search goes the same way as extraction: results, comparisons, gates and plans."""

from __future__ import annotations

import json
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import karatage
from karatage.cli import application
from karatage.demo import data
from karatage.errors import InputError, UsageError

QRELS = data("search.qrels")
RUNS = {name: data(f"{name}.run") for name in ("bm25", "trigrams", "expanded")}
MATRIX = "d\tq\tr\ts\na\t1\t-1\t1\nb\t-1\t1\t-1\nc\t1\t-1\t-1\nd\t-1\t-1\t1\n"


def command(*arguments: Any) -> tuple[int, str]:
    done = CliRunner().invoke(application(), [str(a) for a in arguments], catch_exceptions=False)
    return done.exit_code, done.stdout


def test_the_shape_of_a_result() -> None:
    result = karatage.score(QRELS, RUNS["expanded"])
    assert result.profile.name == "trec"
    assert result.labels == []
    assert result.by_label == {}
    out = json.loads(result.to_json())
    assert out["profile"] == "trec"
    assert out["headline"] == "nDCG(gain=linear)@10"
    first = out["metrics"]["nDCG(gain=linear)@10"]
    assert first["low"] < first["value"] < first["high"]
    assert first["units"] == out["counts"]["units"] == result.by_unit.height
    assert set(out["counts"]) == {"units", "gold", "predicted", "correct"}
    assert out["provenance"]["gold"].startswith("sha256:")
    assert "nDCG" in str(result)
    assert "nDCG" in result._repr_html_()


def test_the_mean_is_that_of_the_values_by_query() -> None:
    result = karatage.score(QRELS, RUNS["bm25"])
    frame = result.by_unit
    assert frame.columns[:4] == ["unit", "gold", "predicted", "correct"]
    assert frame["gold"].sum() == result.counts["gold"]
    for name in result.profile.metrics:
        assert result[name].value == pytest.approx(frame[name].mean(), abs=1e-12)


def test_depth_keeps_the_first_results_and_counts_the_others(tmp_path: Path) -> None:
    """By rank, so b and c of q; c is relevant, and a no longer found: SetP (1/2 + 0)/2, AP (1/1/2 + 0)/2."""
    gold = {"q": {"a": 1, "b": 0, "c": 1}, "r": {"a": 1}}
    run = {"q": {"a": 1.0, "b": 2.0, "c": 3.0}, "r": {"x": 1.0}}
    result = karatage.score(gold, run, metrics=["SetP", "AP"], depth=2, resamples=0)
    assert (result["SetP"].value, result["AP"].value) == (0.25, 0.25)
    assert result.counts == {"units": 2, "gold": 3, "predicted": 3, "correct": 1}
    unjudged = "queries none of whose results is judged (e.g. r): 1 of 2"
    assert result.warnings == ("results beyond rank 2, left out: 1", unjudged)
    assert karatage.score(gold, run, metrics=["AP"], depth=3, resamples=0).warnings == (unjudged,)
    with pytest.raises(UsageError, match="must be at least 1"):
        karatage.score(gold, run, depth=0)
    with pytest.raises(UsageError, match="does not support --ties expected"):
        karatage.score(gold, run, depth=2, ties="expected")
    (tmp_path / "m.tsv").write_text(MATRIX)
    with pytest.raises(UsageError, match="ranked results only"):
        karatage.score(tmp_path / "m.tsv", tmp_path / "m.tsv", depth=2)
    with pytest.raises(UsageError, match="no option 'depth'"):
        karatage.score([["B-PER"]], [["B-PER"]], depth=2)
    code, out = command("score", QRELS, RUNS["bm25"], "--depth", 5, "-m", "SetP", "-m", "P@5", "--json")
    assert code == 0
    assert json.loads(out)["metrics"]["SetP"]["value"] == json.loads(out)["metrics"]["P@5"]["value"]


def test_further_measures_can_be_asked_for_afterwards() -> None:
    result = karatage.score(QRELS, RUNS["bm25"], metrics=["AP"])
    asked = karatage.score(QRELS, RUNS["bm25"], metrics=["RBP(p=0.9)", "P_5"])
    assert result["RBP(p=0.9)"] == asked["RBP(p=0.9)"]
    assert result["P@5"] == asked["P_5"]
    assert karatage.score(QRELS, RUNS["bm25"], resamples=0)["P@5"].value == asked["P_5"].value
    apart = pickle.loads(pickle.dumps(asked))  # noqa: S301  our own
    assert apart["P_5"] == asked["P_5"]
    with pytest.raises(UsageError, match="name it in the list of metrics"):
        apart["P@7"]
    with pytest.raises(UsageError, match="loaded without its input"):
        _ = apart.by_unit


def test_intervals_do_not_depend_on_what_else_is_asked_for() -> None:
    alone = karatage.score(QRELS, RUNS["bm25"], metrics=["AP"])["AP"]
    together = karatage.score(QRELS, RUNS["bm25"], metrics=["nDCG@10", "AP", "RR"])["AP"]
    assert alone == together


def test_a_comparison_has_the_scores_of_score() -> None:
    found = karatage.compare(QRELS, RUNS, resamples=1000)
    assert found.systems[0] == "expanded"
    assert found.ranks == {"expanded": (1, 1), "trigrams": (2, 3), "bm25": (2, 3)}
    for name, score in found.headline.scores.items():
        assert score.value == karatage.score(QRELS, RUNS[name], resamples=0).headline.value
    assert found.by_label == {}
    worst = found.most_different(1).to_dicts()[0]
    assert worst["unit"].startswith("q")
    with_sets = karatage.compare(
        karatage.Sets(one=QRELS, two=QRELS), {n: karatage.Sets(one=p, two=p) for n, p in RUNS.items()}, resamples=200
    )
    assert with_sets.headline.scores["bm25"].value == found.headline.scores["bm25"].value
    seeds = karatage.compare(
        QRELS, {"a": karatage.Runs(RUNS["bm25"], RUNS["trigrams"]), "b": RUNS["expanded"]}, resamples=200
    )
    assert len(seeds.headline.seeds["a"].values) == 2


def test_randomisation_over_queries_is_scipys() -> None:
    """All swaps of seven queries, against SciPy's exact paired permutation test of the mean difference."""
    from scipy.stats import permutation_test

    rng = random.Random(2)
    qrels = {f"q{k}": {f"d{d}": rng.choice((0, 1)) for d in range(6)} | {"x": 1} for k in range(7)}
    runs = [{q: {d: rng.random() for d in own} for q, own in qrels.items()} for _ in range(2)]
    found = karatage.compare(qrels, {"a": runs[0], "b": runs[1]}, metrics=["AP"], test="randomisation")
    values = [karatage.score(qrels, run, metrics=["AP"]).by_unit["AP"].to_numpy() for run in runs]
    wanted = permutation_test(
        values, lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples", n_resamples=np.inf
    )
    assert found["AP"].differences[0].p == pytest.approx(wanted.pvalue)


def test_a_lower_false_positive_rate_is_better(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.choice([1, -1], (40, 30))

    def write(name: str, labels: Any) -> Path:
        place = tmp_path / f"{name}.tsv"
        rows = ["\t".join([f"d{k}", *map(str, row)]) for k, row in enumerate(labels.tolist())]
        place.write_text("\n".join(["d\t" + "\t".join(f"q{k}" for k in range(30)), *rows]) + "\n")
        return place

    gold = write("gold", truth)
    careful = write("careful", np.where(rng.random(truth.shape) < 0.1, -truth, truth))
    loose = write("loose", np.where(rng.random(truth.shape) < 0.3, 1, truth))
    found = karatage.compare(gold, {"loose": loose, "careful": careful}, metrics=["fpr", "recall"], resamples=500)
    assert found.systems == ["careful", "loose"]
    assert found["fpr"].differences[0].one == "careful"
    assert found["fpr"].differences[0].value < 0
    assert list(found["recall"].scores) == ["loose", "careful"]
    assert karatage.gate(gold, careful, maximum={"fpr": 0.2}).holds
    failed = karatage.gate(gold, loose, maximum={"fpr": 0.2})
    assert not failed.holds
    assert "the score itself is above the threshold" in failed.checks[0].why
    assert karatage.gate(gold, careful, baseline=loose, max_drop={"fpr": 0.01}).holds
    risen = karatage.gate(gold, loose, baseline=careful, max_drop={"fpr": 0.01})
    assert "the rise itself is too large" in risen.checks[0].why
    with pytest.raises(UsageError, match="lower is better for fpr: set a maximum instead"):
        karatage.gate(gold, careful, minimum={"fpr": 0.2})
    with pytest.raises(UsageError, match="higher is better for recall: set a minimum instead"):
        karatage.gate(gold, careful, maximum={"recall": 0.2})
    assert command("gate", gold, careful, "--max", "fpr=0.2")[0] == 0
    assert command("gate", gold, loose, "--max", "fpr=0.2")[0] == 1


def test_gate_and_plan() -> None:
    gate = karatage.gate(QRELS, RUNS["expanded"], minimum={"nDCG@10": 0.7}, baseline=RUNS["bm25"], max_drop={"AP": 0.0})
    assert [check.holds for check in gate.checks] == [True, True]
    plan = karatage.plan(QRELS, RUNS["bm25"], RUNS["trigrams"], differences=0.01, metrics=["nDCG@10"])
    assert plan.needs[0].units > plan.units


def test_the_command(tmp_path: Path) -> None:
    code, out = command("score", QRELS, RUNS["bm25"], "-m", "nDCG@10", "-m", "P(rel=2)@5", "--by-unit", "--json")
    assert code == 0
    found = json.loads(out)
    assert list(found["metrics"]) == ["nDCG@10", "P(rel=2)@5"]
    assert found["by_unit"][0].keys() == {"unit", "gold", "predicted", "correct", "nDCG@10", "P(rel=2)@5"}
    code, out = command("score", QRELS, RUNS["bm25"], "--ties", "expected", "--by-unit")
    assert code == 0
    assert "tied results, averaged over all orders" in out
    assert "profile trec with ties=expected" in out
    code, out = command("compare", QRELS, *RUNS.values(), "--resamples", 200)
    assert code == 0
    assert out.index("expanded") < out.index("bm25")
    gold = tmp_path / "gold.tsv"
    gold.write_text(MATRIX)
    code, out = command("score", gold, gold, "--json")
    assert json.loads(out)["counts"]["true_negatives"] == 7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scheme": "IOB2"}, "has no option 'scheme'"),
        ({"labels": ["A"]}, "has no option 'labels'"),
        ({"ties": "random"}, "unknown value of ties 'random'"),
        ({"metrics": ["macro_f1"]}, "is for extraction"),
        ({"metrics": ["PriceNDCG@10"]}, "needs documents with labels and prices"),
        ({"metrics": ["accuracy"]}, "needs a label for each judged document"),
        ({"metrics": ["units_fpr"]}, "needs a label for each judged document"),
        ({"missing": "sometimes"}, "unknown value of missing"),
        ({"extra": "error"}, "query u: this query of the run has no judgements"),
    ],
)
def test_what_does_not_fit(options: dict[str, Any], message: str) -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}, "u": {"a": 1.0}}
    with pytest.raises((UsageError, InputError), match=message):
        karatage.score(qrels, run, **options)


def test_what_is_for_extraction_only() -> None:
    result = karatage.score({"q": {"a": 1}}, {"q": {"a": 1.0}})
    with pytest.raises(AttributeError, match="SearchResult has no 'errors'; ExtractionResult has"):
        result.errors()
    with pytest.raises(AttributeError, match="ExtractionResult has"):
        _ = result.confusion
    with pytest.raises(InputError, match="no attribute 'topic'"):
        karatage.score({"q": {"a": 1}}, {"q": {"a": 1.0}}, cluster_by="topic")
    with pytest.raises(UsageError, match="has no option 'ties'"):
        karatage.score([["O"]], [["O"]], ties="expected")


def test_several_files_are_one_run(tmp_path: Path) -> None:
    lines = RUNS["bm25"].read_text().splitlines(keepends=True)
    (tmp_path / "1.run").write_text("".join(lines[:1000]))
    (tmp_path / "2.run").write_text("".join(lines[1000:]))
    together = karatage.score(QRELS, str(tmp_path / "*.run"), resamples=0)
    assert together.metrics == karatage.score(QRELS, RUNS["bm25"], resamples=0).metrics
    (tmp_path / "3.run").write_text(lines[0])
    with pytest.raises(InputError, match="a document occurs twice for a query, in different files"):
        karatage.score(QRELS, str(tmp_path / "*.run"))


def test_systems_that_answer_different_queries_are_not_paired_by_position() -> None:
    qrels = {f"q{k}": {"a": 1} for k in range(6)}
    one = {q: {"a": 1.0} for q in qrels if q != "q2"}
    other = {q: {"b": 1.0} for q in qrels if q != "q4"}
    with pytest.raises(InputError, match="system b: its queries differ from those of system a"):
        karatage.compare(qrels, {"a": one, "b": other}, like="trec-eval")
    found = karatage.compare(qrels, {"a": one, "b": other})
    assert found.headline.scores["a"].value == pytest.approx(5 / 6)


def test_gold_that_holds_nothing() -> None:
    nothing: tuple[dict[str, dict[str, int]], ...] = ({}, {"q": {}})
    for gold in nothing:
        with pytest.raises(InputError, match="gold contains no judgements"):
            karatage.score(gold, {"q": {"a": 1.0}})
    with pytest.raises(UsageError, match="predictions contains search results or judgements, but gold does not"):
        karatage.score({"q": {"a": "1"}}, {"q": {"a": 1.0}})


def test_a_frame_of_the_reported_metrics() -> None:
    frame = karatage.score(QRELS, RUNS["bm25"], metrics=["AP", "P@10"]).to_frame(intervals=True)
    assert frame.columns[:4] == ["label", "AP", "AP_low", "AP_high"]
    assert frame.height == 1


@pytest.mark.parametrize("name", ["trec", "trec-eval", "sigir-ecom19", "sigir-ecom19-corrected"])
def test_a_profile_is_shown(name: str) -> None:
    code, out = command("profiles", name)
    assert code == 0
    assert "ties" in out


def test_the_queries_that_differ_most_are_those_whose_values_do() -> None:
    qrels = {q: {"a": 1} for q in ("p", "q", "r", "s")}
    one = {"p": {"a": 1.0}, "q": {"a": 1.0}, "r": {"a": 1.0}, "s": {}}
    other = {"p": {"a": 1.0, "b": 2.0}, "q": {"b": 1.0}, "r": {"a": 1.0}, "s": {"b": 1.0}}
    found = karatage.compare(qrels, {"one": one, "other": other}, metrics=["RR"], resamples=100)
    rows = found.most_different().to_dicts()
    assert [row["unit"] for row in rows] == ["q", "p"]  # 1 against 0, 1 against 1/2; the others are alike
    assert [row["systems"]["other"]["value"] for row in rows] == [0.0, 0.5]
    assert "queries with the largest differences in RR" in str(found)


def test_a_set_of_metrics_has_a_fixed_order() -> None:
    result = karatage.score(QRELS, RUNS["bm25"], metrics={"map", "ndcg_cut_10", "P_5"}, resamples=0)
    assert list(result.metrics) == ["P_5", "map", "ndcg_cut_10"]


def test_values_by_query_of_what_was_asked_for() -> None:
    result = karatage.score(QRELS, RUNS["bm25"], resamples=0)
    asked = result["nDCG@10"].value
    assert result.by_unit["nDCG@10"].mean() == pytest.approx(asked)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nDGC@10", "Did you mean 'nDCG@10'"),
        ("presicion", "Did you mean 'precision'"),
        ("recal@5", "Did you mean 'R@5'"),
        ("recip_rnk", "Did you mean 'RR'"),
        ("ndgc_cut_10", "Did you mean 'nDCG@10'"),
        ("succes", "Did you mean 'Success@10'"),
        ("nDCG@10,AP", "List metrics and cutoffs one by one"),
        ("P_5,10", "List metrics and cutoffs one by one"),
    ],
)
def test_what_was_probably_meant(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        karatage.score(QRELS, RUNS["bm25"], metrics=[text])


def test_labels_warn_of_prices_that_are_missing_and_of_swapped_files(tmp_path: Path) -> None:
    gold, pred = tmp_path / "gold.tsv", tmp_path / "pred.tsv"
    gold.write_text("d\tq\tr\na\t1\t0\nb\t-1\t1\n")
    pred.write_text("d\tq\tr\na\t1\t1\nb\t-1\t1\n")
    no_prices = "price nDCG is {}, because there are no prices: pass them with --documents"
    assert karatage.score(gold, pred).warnings == (no_prices.format("0, as in the script"),)
    assert karatage.score(gold, pred, like="sigir-ecom19-corrected").warnings[0] == no_prices.format("undefined")
    assert karatage.score(gold, pred, metrics=["f1"]).warnings == ()
    assert any(warning.endswith("are they swapped?") for warning in karatage.score(pred, gold).warnings)
    with pytest.raises(UsageError, match="needs ranked results, but these are labels"):
        karatage.score(gold, pred, metrics=["nDCG@10"])


def test_a_limit_without_a_name_is_for_the_headline_of_the_profile() -> None:
    named = karatage.gate(
        QRELS, RUNS["bm25"], minimum={"AP": 0.1}, baseline=RUNS["trigrams"], max_drop=0.5, resamples=100
    )
    assert [check.metric for check in named.checks] == ["AP", "nDCG(gain=linear)@10"]


def test_a_gate_warns_of_what_it_checks() -> None:
    gate = karatage.gate(QRELS, RUNS["bm25"], minimum={"P(rel=2)@10": 0.01}, resamples=100)
    assert not any("AP" in warning for warning in gate.warnings)


@pytest.mark.parametrize("method", ["auto", "wilson", "percentile", "bca", "t", "clopper-pearson", "jeffreys"])
def test_every_method_makes_an_interval_of_a_mean(method: str) -> None:
    result = karatage.score(QRELS, RUNS["bm25"], metrics=["units_recall", "AP", "recall"], interval=method)
    for score in result.metrics.values():
        assert score.low is not None
        assert score.high is not None
        assert 0 < score.low < float(score) < score.high < 1


def test_a_mean_over_few_queries_knows_that_they_are_few() -> None:
    """One query of forty has a document of grade 3: its value says nothing of how much others would differ."""
    qrels = {f"q{k}": {"a": 1, "b": 0} for k in range(40)} | {"x": {"a": 3}}
    run = {q: {"a": 1.0, "b": 2.0} for q in qrels}
    alone = karatage.score(qrels, run, metrics=["RR(rel=3)"])["RR(rel=3)"]
    assert (alone.value, alone.low, alone.withheld) == (0.5, None, "at least two units are needed")
    five = {f"y{k}": {"a" if k % 2 else "b": 3} for k in range(5)}
    answers = {q: {"a": 1.0, "b": 2.0} for q in five}
    many = {f"q{k}": {"a": 1, "b": 0} for k in range(40)}
    name = "RR(rel=3)"
    among = karatage.score(many | five, {q: {"a": 1.0, "b": 2.0} for q in [*many, *five]}, metrics=[name])[name]
    by_themselves = karatage.score(five, answers, metrics=[name])[name]
    assert among.value == by_themselves.value
    width, wanted = (float(s.high or 0) - float(s.low or 0) for s in (among, by_themselves))
    assert width == pytest.approx(wanted, rel=0.25)  # and not that of 45 queries


def test_an_empty_list_of_results_is_missing_in_every_mode() -> None:
    """q2 has its relevant document first, so its AP is 1; q1 is left out, scored 0 or refused."""
    gold, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {}, "q2": {"a": 1.0}}
    ignored = karatage.score(gold, run, metrics=["AP"], missing="ignore")
    assert (ignored["AP"].value, ignored.warnings) == (1.0, ("queries without results, left out: 1",))
    counted = karatage.score(gold, run, metrics=["AP"], missing="empty")
    assert (counted["AP"].value, counted.warnings) == (0.5, ("queries without results, scored 0: 1",))
    with pytest.raises(InputError, match="the run has no results for this query"):
        karatage.score(gold, run, metrics=["AP"], missing="error")
