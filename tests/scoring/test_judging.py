"""Scores from gold labels of a part of the units and a judge's labels of all: what is estimated, said and refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.command import run

import karatage as kg
from karatage.errors import UnitError, UsageError

Tags = dict[str, list[str]]
SEARCH = {"gold": (1, 1, 0, 0, 1, 1), "judge": (1, 1, 0, 0, 1, 0, 1, 1, 1, 1, 0, 0)}
"""Whether the first result of each query is relevant: people labelled six queries, the judge twelve."""


def relevance(grades: tuple[int, ...]) -> dict[str, dict[str, int]]:
    return {f"q{k}": {"d": grade, "e": 1} for k, grade in enumerate(grades)}


def results(count: int) -> dict[str, dict[str, float]]:
    return {f"q{k}": {"d": 1.0, "e": 0.5} for k in range(count)}


def made(seed: int = 0, units: int = 400) -> dict[str, Tags]:
    """Return gold, two systems, and a judge that errs less than they do."""
    rng = np.random.default_rng(seed)

    def changed(tags: list[str], missed: float, added: float) -> list[str]:
        out = []
        for tag in tags:
            chance = rng.random()
            if tag == "O":
                out.append("B-PER" if chance < added else "O")
            else:
                out.append("O" if chance < missed else tag)
        return out

    gold = {f"s{k}": rng.choice(["O", "B-PER", "B-LOC"], 8, p=[0.8, 0.15, 0.05]).tolist() for k in range(units)}
    rates = {"a": (0.2, 0.03), "b": (0.4, 0.03), "judge": (0.06, 0.01)}
    return {"gold": gold} | {
        name: {unit: changed(tags, *rate) for unit, tags in gold.items()} for name, rate in rates.items()
    }


def part(gold: Tags, count: int = 60, seed: int = 1) -> Tags:
    names = np.random.default_rng(seed).permutation(list(gold))[:count].tolist()
    return {name: gold[name] for name in names}


def test_a_mean_is_moved_by_what_the_judge_says_of_the_other_units() -> None:
    """Worked out by hand.

    Gold: 4/6. The judge: 1/2 on the same six, 2/3 on the other six, 7/12 on all. Of the six, the covariance of gold and
    judge is (1/6 + 1/6 + 1/3 + 1/3 + 1/6 - 1/6) / 5 = 1/5; the judge's variance is (6/4 + 4/3) / 12 = 17/72. The weight
    is 1/5 / (17/72 · (1 + 6/6)) = 7.2/17, the estimate 4/6 + 7.2/17 · (2/3 - 1/2) = 0.7373, the bias 7/12 - 0.7373.
    """
    found = kg.score(relevance(SEARCH["gold"]), results(12), judge=relevance(SEARCH["judge"]), metrics="P@1")["P@1"]
    assert found.judge is not None
    assert found.judge.weight == pytest.approx(7.2 / 17)
    assert found.value == pytest.approx(4 / 6 + 7.2 / 17 / 6)
    assert found.judge.gold_only.value == pytest.approx(4 / 6)
    assert found.judge.alone == pytest.approx(7 / 12)
    assert found.judge.bias == pytest.approx(7 / 12 - 4 / 6 - 7.2 / 17 / 6)


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "f0.5"])
def test_counts_are_moved_and_the_metric_is_taken_of_them(name: str) -> None:
    """Gold, predicted and correct of a unit on average: by gold, plus the weight times the judge's difference."""
    data = made()
    some = part(data["gold"])
    found = kg.score(some, data["a"], judge=data["judge"], metrics=name)[name]
    assert found.judge is not None
    weight = found.judge.weight

    def mean(labels: Tags, units: list[str]) -> Any:
        own = kg.score({u: labels[u] for u in units}, {u: data["a"][u] for u in units}, resamples=0).counts
        return np.array([own["gold"], own["predicted"], own["correct"]]) / len(units)

    others = [unit for unit in data["gold"] if unit not in some]
    rectified = mean(some, list(some)) + weight * (mean(data["judge"], others) - mean(data["judge"], list(some)))
    gold, predicted, correct = rectified
    precision, recall = correct / predicted, correct / gold
    expected = {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall),
        "f0.5": 1.25 * precision * recall / (0.25 * precision + recall),
    }
    assert 0 < weight < 1
    assert found.value == pytest.approx(expected[name])


def test_a_judge_that_says_the_same_of_every_unit_changes_nothing() -> None:
    data = made()
    some = part(data["gold"])
    same = {unit: ["B-PER", *["O"] * 7] for unit in data["gold"]}
    pred = {unit: ["B-PER", *["O"] * 7] for unit in data["gold"]}  # so that the judge's counts are the same too
    with_judge = kg.score(some, pred, judge=same)
    alone = kg.score(some, pred, extra="ignore")
    for name in ("precision", "recall", "f1"):
        ours, theirs = with_judge[name], alone[name]
        assert ours.judge is not None
        assert ours.judge.weight == 0
        # Units in which only the judge has entities weigh too, so that n/(n-1) is a little smaller.
        assert ours.value == pytest.approx(theirs.value)
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-3)


def test_a_good_judge_narrows_the_interval_and_its_worth_says_by_how_much() -> None:
    data = made()
    some = part(data["gold"])
    found = kg.score(some, data["a"], judge=data["judge"])["f1"]
    alone = kg.score(some, data["a"], extra="ignore")["f1"]
    assert found.error is not None
    assert alone.error is not None
    assert found.judge is not None
    assert found.error < 0.7 * alone.error
    # As many labelled units as the variance is smaller by.
    assert found.judge.worth == pytest.approx(60 * (alone.error / found.error) ** 2)
    gold_only = found.judge.gold_only
    assert (gold_only.value, gold_only.low, gold_only.high) == (alone.value, alone.low, alone.high)


def test_units_without_gold_labels_do_not_count_as_without_entities() -> None:
    data = made()
    found = kg.score(part(data["gold"]), data["a"], judge=data["judge"])
    assert found.counts["units"] == 60
    assert found.judge is not None
    assert (found.judge.units, found.judge.labelled) == (400, 60)
    assert not [warning for warning in found.warnings if "left out" in warning or "counted as empty" in warning]
    assert found.to_dict()["judge"] == {"units": 400, "labelled": 60}


def test_the_order_of_units_changes_nothing() -> None:
    data = made()
    turned = {name: dict(reversed(own.items())) for name, own in data.items()}
    one = kg.score(part(data["gold"]), data["a"], judge=data["judge"])["f1"]
    other = kg.score(dict(reversed(part(data["gold"]).items())), turned["a"], judge=turned["judge"])["f1"]
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), abs=1e-9)


def test_gold_units_that_the_judge_lacks_are_refused() -> None:
    data = made()
    some = part(data["gold"])
    first = next(iter(some))
    judge = {unit: tags for unit, tags in data["judge"].items() if unit != first}
    with pytest.raises(UnitError, match=f"1 sentence of gold has no labels of the judge.*{first}|{first}.*1 sentence"):
        kg.score(some, data["a"], judge=judge)


def test_predictions_that_nobody_labelled_are_counted() -> None:
    data = made()
    judge = dict(list(data["judge"].items())[:300])
    found = kg.score(part(dict(list(data["gold"].items())[:300])), data["a"], judge=judge)
    assert "with the judge as gold: predicted sentences that are not in gold, left out: 100" in found.warnings


def test_where_all_units_are_labelled_the_judge_adds_nothing() -> None:
    data = made(units=60)
    found = kg.score(data["gold"], data["a"], judge=data["judge"])
    assert found["f1"] == kg.score(data["gold"], data["a"])["f1"]
    assert "all sentences have gold labels, so the judge adds nothing" in found.warnings


def test_few_labelled_units_are_warned_of() -> None:
    data = made()
    found = kg.score(part(data["gold"], 20), data["a"], judge=data["judge"])
    assert "only 20 sentences with gold labels: the judge's errors are hardly known" in found.warnings
    few = kg.score(part(data["gold"], 4), data["a"], judge=data["judge"])
    assert few["f1"].judge is None  # too few to know anything of the judge


def test_labelled_units_that_differ_from_the_others_are_warned_of() -> None:
    data = made()
    longest = sorted(data["gold"], key=lambda unit: data["a"][unit].count("O"))[:60]
    found = kg.score({unit: data["gold"][unit] for unit in longest}, data["a"], judge=data["judge"])
    (warning,) = [warning for warning in found.warnings if "random part" in warning]
    count = np.mean([8 - data["a"][unit].count("O") for unit in longest])
    assert warning.startswith(f"sentences with gold labels have {count:.2f} entities predicted on average, the others")
    assert not [w for w in kg.score(part(data["gold"]), data["a"], judge=data["judge"]).warnings if "random" in w]


def test_strata_weigh_as_they_do_among_all_units(tmp_path: Path) -> None:
    """Half of the labels are of a stratum that has a tenth of the units; the judge is the same everywhere, so w = 0.

    In `rare` 2 of 10 labelled units are right, in `usual` 9 of 10: 0.1 · 0.2 + 0.9 · 0.9 = 0.83.
    """

    def write(name: str, tags: dict[str, str]) -> str:
        lines = [
            json.dumps({"id": unit, "text": "Ann", "label": [[0, 3, tag]], "stratum": unit.split("-")[0]})
            for unit, tag in tags.items()
        ]
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n", "utf-8")
        return str(path)

    every = [f"rare-{k}" for k in range(20)] + [f"usual-{k}" for k in range(180)]
    wrong = {f"rare-{k}" for k in range(2, 10)} | {"usual-0"}
    labelled = [unit for unit in every if int(unit.split("-")[1]) < 10]
    gold = write("gold.jsonl", {unit: "LOC" if unit in wrong else "PER" for unit in labelled})
    pred, judge = (write(name, dict.fromkeys(every, "PER")) for name in ("pred.jsonl", "judge.jsonl"))
    found = kg.score(gold, pred, judge=judge, metrics="recall", stratify_by="stratum", format="doccano")["recall"]
    assert found.judge is not None
    assert found.judge.weight == 0
    assert found.value == pytest.approx(0.83)


def test_sentences_without_ids_are_paired_by_their_tokens(tmp_path: Path) -> None:
    data = made(units=200)

    def write(name: str, units: Tags) -> str:
        blocks = ["\n".join(f"{unit}w{k}\t{tag}" for k, tag in enumerate(tags)) + "\n" for unit, tags in units.items()]
        (tmp_path / name).write_text("\n".join(blocks), "utf-8")
        return str(tmp_path / name)

    some = part(data["gold"], 50)
    paths = [write(name, own) for name, own in (("g", some), ("p", data["a"]), ("j", data["judge"]))]
    found = kg.score(paths[0], paths[1], judge=paths[2], format="conll")["f1"]
    known = kg.score(some, data["a"], judge=data["judge"])["f1"]
    assert (found.value, found.low, found.high) == pytest.approx((known.value, known.low, known.high))


def test_units_without_ids_and_texts_are_refused() -> None:
    data = made(units=50)
    lists = [list(own.values()) for own in (part(data["gold"], 20), data["a"], data["judge"])]
    with pytest.raises(UsageError, match="need ids to be paired by"):
        kg.score(lists[0], lists[1], judge=lists[2])


def test_repeated_sentences_are_paired_in_order_and_counted(tmp_path: Path) -> None:
    text = "Ann\tB-PER\n\n" * 3
    for name in ("p", "j"):
        (tmp_path / name).write_text(text + "".join(f"w{k}\tO\n\n" for k in range(20)), "utf-8")
    (tmp_path / "g").write_text("Ann\tB-PER\n\n" + "".join(f"w{k}\tO\n\n" for k in range(9)), "utf-8")
    paths = [str(tmp_path / name) for name in "gpj"]
    found = kg.score(paths[0], paths[1], judge=paths[2], format="conll")
    assert "sentences of gold whose text occurs several times, paired in order: 1" in found.warnings


def test_clusters_are_those_of_the_judge() -> None:
    """Every unit twice, in one cluster: as much is known as of the units once."""
    data = made(units=150)
    some = part(data["gold"], 40)

    def frame(units: Tags, times: int) -> Any:
        import polars as pl

        rows = [
            {"unit": f"{unit}-{copy}", "document": unit, "label": tag[2:], "start": k, "end": k + 1}
            for unit, tags in units.items()
            for copy in range(times)
            for k, tag in enumerate([*tags, "B-END"])  # so that every unit has a row
            if tag != "O"
        ]
        return pl.DataFrame(rows)

    once = kg.score(frame(some, 1), frame(data["a"], 1), judge=frame(data["judge"], 1))["f1"]
    options: dict[str, Any] = {"cluster_by": "document"}
    twice = kg.score(frame(some, 2), frame(data["a"], 2), judge=frame(data["judge"], 2), **options)["f1"]
    assert twice.value == pytest.approx(once.value, abs=1e-3)  # the weight is fitted to units
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high), abs=5e-3)


def test_a_comparison_has_the_same_scores_and_a_narrower_difference() -> None:
    data = made()
    some = part(data["gold"])
    systems = {"a": data["a"], "b": data["b"]}
    found = kg.compare(some, systems, judge=data["judge"])
    alone = kg.compare(some, systems, extra="ignore")
    for name in systems:
        ours, own = found["f1"].scores[name], kg.score(some, data[name], judge=data["judge"])["f1"]
        assert (ours.value, ours.low, ours.high) == pytest.approx((own.value, own.low, own.high), abs=1e-12)
        assert ours.judge is not None
        assert own.judge is not None
        assert (ours.judge.weight, ours.judge.bias) == pytest.approx((own.judge.weight, own.judge.bias), abs=1e-12)
        assert (ours.judge.gold_only.low, ours.judge.worth) == pytest.approx((own.judge.gold_only.low, own.judge.worth))
    (difference,), (plain,) = found["f1"].differences, alone["f1"].differences
    assert difference.value == pytest.approx(abs(float(found["f1"].scores["a"]) - float(found["f1"].scores["b"])))
    assert difference.error is not None
    assert plain.error is not None
    assert difference.error < 0.8 * plain.error
    assert found.to_dict()["judge"] == {"units": 400, "labelled": 60}
    assert "60 of 400 sentences labelled" in str(found)


def test_a_gate_takes_a_judge() -> None:
    data = made()
    some = part(data["gold"])
    own = kg.score(some, data["a"], judge=data["judge"])["f1"]
    assert own.low is not None
    limits = {"minimum": {"f1": own.low - 0.001}, "baseline": data["b"], "max_drop": {"f1": 0.05}}
    found = kg.gate(some, data["a"], judge=data["judge"], **limits)
    assert found
    assert (found.checks[0].low, found.checks[0].high) == (own.low, own.high)
    assert not kg.gate(some, data["a"], extra="ignore", minimum={"f1": own.low - 0.001})


def test_what_does_not_work_with_a_judge_is_refused() -> None:
    data = made(units=60)
    some = part(data["gold"], 30)
    with pytest.raises(UsageError, match="--interval bca does not work with --judge"):
        kg.score(some, data["a"], judge=data["judge"], interval="bca")
    with pytest.raises(UsageError, match="--test bootstrap does not work with --judge"):
        kg.compare(some, {"a": data["a"], "b": data["b"]}, judge=data["judge"], test="bootstrap")
    with pytest.raises(UsageError, match="a judge needs predictions of their own"):
        kg.score(some, judge=data["judge"])
    with pytest.raises(UsageError, match="name it in `metrics` when scoring with a judge"):
        kg.score(relevance(SEARCH["gold"]), results(12), judge=relevance(SEARCH["judge"]), metrics="P@1")["AP"]


def test_the_command_shows_the_bias_and_the_worth(tmp_path: Path) -> None:
    data = made()
    paths = {}
    for name, own in (("gold", part(data["gold"])), ("pred", data["a"]), ("old", data["b"]), ("judge", data["judge"])):
        blocks = [
            f"# sent_id = {unit}\n" + "".join(f"w{k}\t{tag}\n" for k, tag in enumerate(tags))
            for unit, tags in own.items()
        ]
        paths[name] = tmp_path / f"{name}.conll"
        paths[name].write_text("\n".join(blocks), "utf-8")
    arguments = paths["gold"], paths["pred"], "--judge", paths["judge"]
    shown = run("score", *arguments, "-m", "f1")
    assert shown.returncode == 0, shown.stderr
    assert "60 of 400 sentences labelled" in shown.stdout
    assert "metric   gold only   judge only   judge's bias" in shown.stdout
    printed = json.loads(run("score", *arguments, "--json").stdout)
    found = kg.score(part(data["gold"]), data["a"], judge=data["judge"])["f1"]
    assert found.judge is not None
    assert printed["metrics"]["f1"]["judge"] == pytest.approx(
        found.judge.to_dict() | {"gold_only": pytest.approx(found.judge.gold_only.to_dict())}
    )
    assert printed["provenance"]["judge"].startswith("sha256:")
    assert run("gate", *arguments, "--min", "f1=0.1").returncode == 0
    assert "better" in run("compare", paths["gold"], paths["pred"], paths["old"], "--judge", paths["judge"]).stdout
    refused = run("score", *arguments, "--log", tmp_path / "log")
    assert refused.returncode == 2
    assert "--log does not work with --judge" in refused.stderr
    without = run("score", *arguments, "--resamples", "0")
    assert "judge's bias" in without.stdout
    assert "interval" not in without.stdout


def test_labels_in_which_no_unit_differs_are_hardly_known_with_a_judge_either() -> None:
    """Both systems have all ORG right: what may differ there is the less known the less the judge weighs."""
    data = made()
    some = {unit: [*tags, "B-ORG"] for unit, tags in part(data["gold"]).items()}
    one, two, judge = ({unit: [*tags, "B-ORG"] for unit, tags in data[name].items()} for name in ("a", "b", "judge"))
    systems = {"a": one, "b": two}
    plain = kg.compare(some, systems, metrics="macro_f1", extra="ignore")["macro_f1"].differences[0]
    found = {
        name: kg.compare(some, systems, metrics="macro_f1", judge=labels)["macro_f1"]
        for name, labels in (("good", judge), ("useless", {unit: ["B-ORG"] * 9 for unit in one}))
    }
    effects = {name: contest.scores["a"].judge for name, contest in found.items()}
    assert effects["useless"] is not None
    assert effects["useless"].weight == 0
    assert found["useless"].differences[0].error == pytest.approx(plain.error)
    assert effects["good"] is not None
    assert effects["good"].weight > 0.5
    assert plain.error is not None
    assert found["good"].differences[0].error < 0.9 * plain.error


def test_few_labelled_units_with_entities_are_warned_of() -> None:
    data = made()
    empty = {unit: ["O"] * 8 if int(unit[1:]) % 4 else tags for unit, tags in data["gold"].items()}
    quiet = {name: {u: ["O"] * 8 if int(u[1:]) % 4 else t for u, t in data[name].items()} for name in ("a", "judge")}
    some = {unit: empty[unit] for unit in list(empty)[:80]}
    found = kg.score(some, quiet["a"], judge=quiet["judge"])
    count = sum(any(t != "O" for own in (quiet["a"], quiet["judge"]) for t in own[unit]) for unit in some)
    assert count < 30
    few = f"only {count} sentences with gold labels have entities, the judge's or predicted"
    assert f"{few}: the judge's errors are hardly known" in found.warnings


def test_runs_of_equal_length_are_not_warned_of() -> None:
    """20 results for every query: labelled queries and others have the same mean, but for rounding."""
    queries = [f"q{k}" for k in range(83)]
    run = {query: {f"d{k}": float(20 - k) for k in range(20)} for query in queries}
    judge = {query: {"d0": 1, f"d{k % 7}": 1} for k, query in enumerate(queries)}
    gold = {query: judge[query] for query in queries[:40]}
    result = kg.score(gold, run, judge=judge, metrics=["nDCG@10"])
    assert not [warning for warning in result.warnings if "random part" in warning]
    longer = run | {query: {f"d{k}": float(20 - k) for k in range(10)} for query in queries[40:]}
    warned = [warning for warning in kg.score(gold, longer, judge=judge).warnings if "random part" in warning]
    assert warned[0].startswith("queries with gold labels have 20.00 documents retrieved on average, the others 10.00")
