"""What to cite for a result: the methods that it really used, and BibTeX for their sources."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.command import run

import karatage as kg
from karatage.reports import citations, references

GOLD = [["B-A"], ["B-B"], ["B-A"]] * 10
PRED = [["B-A"], ["B-A"], ["B-A"]] * 10


def test_a_score_names_its_interval_and_no_other() -> None:
    found = kg.score(GOLD, PRED).cite()
    assert found.keys == ("wilson1927", "korn1998", "kish1965", "efron1982", "satterthwaite1946")
    assert "(Korn and Graubard 1998; Kish 1965)" in found.text
    assert kg.score(GOLD, PRED, interval="percentile").cite().keys == ("efron1979",)
    assert "1,000 bootstrap resamples of sentences" in kg.score(GOLD, PRED, interval="percentile").cite().text
    assert kg.score(GOLD, PRED, resamples=0).cite().keys == ()
    assert kg.score(GOLD, PRED, interval="jeffreys").cite().keys[:2] == ("brown2001", "wilson1927")


def test_a_profile_names_what_it_reproduces() -> None:
    assert kg.score(GOLD, PRED, like="conlleval", resamples=0).cite().keys == ("tjongkimsang2003",)
    search = kg.score({"q": {"a": 1}}, {"q": {"a": 1.0}}, metrics=["nDCG@10"], resamples=0)
    assert search.cite().keys == ("jarvelin2002",)


@pytest.mark.parametrize(
    ("test", "key"), [("t", "bonett2012"), ("randomisation", "noreen1989"), ("bootstrap", "efron1993")]
)
def test_a_comparison_names_its_test(test: str, key: str) -> None:
    compared = kg.compare(GOLD, {"a": PRED, "b": GOLD}, test=test, resamples=200)
    assert key in compared.cite().keys
    assert "holm1979" not in compared.cite().keys, "one pair needs no correction"
    three = kg.compare(GOLD, {"a": PRED, "b": GOLD, "c": PRED}, test=test, resamples=200)
    assert {"holm1979", "mogstad2024"} <= set(three.cite().keys)


def test_several_runs_are_named() -> None:
    compared = kg.compare(GOLD, {"a": kg.Runs(PRED, GOLD), "b": kg.Runs(PRED, PRED)}, resamples=200)
    assert "training runs" in compared.cite().text


def test_a_margin_is_named() -> None:
    compared = kg.compare(GOLD, {"a": PRED, "b": GOLD}, margin=0.02)
    assert compared.cite().keys[-3:] == ("schuirmann1987", "gaffke2005", "learnedmiller2019")
    assert "by more than 0.02" in compared.cite().text


def test_the_sign_test_is_named() -> None:
    gold, old, new = {"q": {"a": 1}}, {"q": {"a": 1.0}}, {"q": {"b": 1.0}}
    assert "dixon1946" in kg.compare(gold, {"a": old, "b": new}, diff=True).cite().keys
    assert "dixon1946" not in kg.compare(gold, {"a": old, "b": new}).cite().keys


def test_a_judge_is_named() -> None:
    units = {str(k): tags for k, tags in enumerate(GOLD)}
    gold = {name: units[name] for name in list(units)[:20]}
    scored = kg.score(gold, units, judge=units)
    assert scored.cite().keys[:2] == ("angelopoulos2023ppi", "angelopoulos2023plus")
    assert "angelopoulos2023ppi" in kg.compare(gold, {"a": units, "b": units}, judge=units).cite().keys


SCORES = ("wilson1927", "korn1998", "kish1965", "efron1982", "satterthwaite1946")
DROP = ("student1908", "bonett2012", "schuirmann1987", "gaffke2005", "learnedmiller2019")


def test_a_gate_names_what_its_checks_rest_on() -> None:
    """A minimum is checked against the interval of a score, a drop by a test of the difference."""
    assert kg.gate(GOLD, PRED, minimum=0.5).cite().keys == SCORES
    drop = kg.gate(GOLD, PRED, baseline=PRED, max_drop=0.02).cite()
    assert drop.keys == DROP
    assert "Whether it is worse by more than 0.02 was tested one-sided" in drop.text
    assert kg.gate(GOLD, PRED, minimum=0.5, baseline=PRED, max_drop=0.02).cite().keys == (*SCORES, *DROP)
    resampled = kg.gate(GOLD, PRED, baseline=GOLD, max_drop=0.02, interval="percentile", resamples=200)
    assert resampled.cite().keys == ("efron1979", *DROP)


def test_a_gate_in_a_series_names_the_look() -> None:
    text = kg.gate(GOLD, PRED, minimum=0.5, look=3).cite().text
    assert "This is look 3 at the test set: the confidence level of all looks together is 95 %." in text


def test_a_plan_names_what_it_plans_for() -> None:
    assert kg.plan(GOLD, PRED, margins=0.05).cite().keys == (*SCORES, "kelley2003")
    alone = kg.plan(GOLD, PRED, differences=0.05, power=0.9)
    assert alone.cite().keys == (*SCORES, "browne1995")
    assert "for a power of 90 %, with the variance of two systems with unrelated errors" in alone.cite().text
    both = kg.plan(GOLD, PRED, GOLD, differences=0.05)
    assert both.cite().keys == (*SCORES, "student1908", "bonett2012", "browne1995")


def test_every_work_that_a_text_names_is_known() -> None:
    texts = *citations._INTERVALS.values(), *citations._TESTS.values(), citations._JUDGE, citations._MARGIN
    texts += (citations._DROP, *citations._NEEDS.values())
    named = [key for text in texts for key in _keys(text)]
    named += [*citations._PROFILES.values(), *citations._MEASURES.values()]
    assert set(named) <= set(references())


def _keys(text: str) -> list[str]:
    return [key.strip(" @") for found in re.findall(r"\[@(.*?)\]", text) for key in found.split(";")]


def test_entries_are_bibtex() -> None:
    """Braces close, every field is there once, capitals of titles are kept, and LaTeX can read it."""
    for key in references():
        entry = citations._entry(key)
        assert re.match(r"@(article|book|inproceedings|misc|phdthesis)\{(\w+),\n", entry)[2] == key  # type: ignore[index]
        assert entry.endswith("\n}")
        assert entry.count("{") == entry.count("}")
        fields = re.findall(r"^  (\w+) = \{.*\},$", entry, re.M)
        assert len(fields) == len(set(fields)) == entry.count("\n") - 1
        assert {"author", "title", "year"} <= set(fields)
    assert "title = {{PPI++: Efficient Prediction-Powered Inference}}," in citations._entry("angelopoulos2023plus")
    assert r"publisher = {Chapman \& Hall}," in citations._entry("efron1993")
    assert r"Interface to trec\_eval}}," in citations._entry("vangysel2018")


def test_the_command_prints_both(tmp_path: Path) -> None:
    (tmp_path / "gold.conll").write_text("a B-A\n\nb B-B\n")
    done = run("score", "gold.conll", "gold.conll", "--cite", cwd=tmp_path)
    assert "Scores were computed with Karatage" in done.stdout
    assert "@article{wilson1927," in done.stdout
    out = json.loads(
        run("compare", "gold.conll", "a=gold.conll", "b=gold.conll", "--cite", "--json", cwd=tmp_path).stdout
    )
    assert set(out["citation"]) == {"text", "bibtex"}
    assert "@article{kelley2003," in run("plan", "gold.conll", "gold.conll", "--cite", cwd=tmp_path).stdout
    gated = run("gate", "gold.conll", "gold.conll", "--min", "0", "--cite", "--json", cwd=tmp_path)
    assert "@article{wilson1927," in json.loads(gated.stdout)["citation"]["bibtex"]
    assert "citation" not in json.loads(run("score", "gold.conll", "gold.conll", "--json", cwd=tmp_path).stdout)
