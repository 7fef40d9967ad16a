"""How far two sets of judgements agree: by hand, against scikit-learn, and what is refused."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from tests.command import run

import karatage
from karatage.errors import InputError, UsageError

HUMAN = {"a": {"d1": 2, "d2": 1, "d3": 0, "d4": 0}, "b": {"d1": 1, "d2": 0, "d9": 1}, "c": {"d1": 1}}
LLM = {"a": {"d1": 2, "d2": 2, "d3": 1, "d4": 0}, "b": {"d1": 1, "d2": 0, "d8": 0}, "d": {"d1": 1}}


def test_agreement_by_hand() -> None:
    """Pairs of grades: (2,2) (1,2) (0,1) (0,0) in a, (1,1) (0,0) in b: 4 of 6 are the same."""
    found = karatage.agree(HUMAN, LLM)
    assert (found.queries, found.judgements) == (2, 6)
    assert (found.only_first, found.only_second) == (2, 2)
    assert (found.queries_only_first, found.queries_only_second) == (1, 1)
    assert found["agreement"].value == pytest.approx(4 / 6)
    assert found["relevance"].value == pytest.approx(5 / 6)  # only (0, 1) differs in relevance
    assert found["bias"].value == pytest.approx(2 / 6)
    # People: grade 2 once, 1 twice, 0 three times; the LLM each twice. So by chance 2 + 4 + 6 of 36 agree.
    assert found["kappa"].value == pytest.approx((4 / 6 - 12 / 36) / (1 - 12 / 36))
    # Squared gaps: observed 2/6. Expected: 1·(0 + 2·1 + 2·4) + 2·(2·1 + 0 + 2·1) + 3·(2·4 + 2·1 + 0) = 48 of 36.
    assert found["weighted_kappa"].value == pytest.approx(1 - (2 / 6) / (48 / 36))
    assert found.confusion == {2: {2: 1, 1: 0, 0: 0}, 1: {2: 1, 1: 1, 0: 0}, 0: {2: 0, 1: 1, 0: 2}}
    grades = [(own.grade, own.first, own.second, own.both, own.kept.value, own.specific) for own in found.by_grade]
    assert grades == [(2, 1, 2, 1, 1.0, 2 / 3), (1, 2, 2, 1, 0.5, 0.5), (0, 3, 2, 2, 2 / 3, 0.8)]
    assert found.disagreements().rows() == [("a", "d2", 1, 2), ("a", "d3", 0, 1)]


def test_intervals_by_hand() -> None:
    """The bias is 2/6: query a adds (2 - 4/3)/6 = 1/9 to it, b the opposite; the variance is 2 · (1/9)² · 2."""
    bias = karatage.agree(HUMAN, LLM)["bias"]
    assert bias.error == pytest.approx((4 / 81) ** 0.5)
    assert bias.low is not None
    assert bias.high is not None
    # One degree of freedom: 12.706 standard errors.
    assert (bias.high - bias.low) / 2 == pytest.approx(12.7062 * (4 / 81) ** 0.5, rel=1e-5)


def _random(rng: random.Random) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
    human: dict[str, dict[str, int]] = {}
    llm: dict[str, dict[str, int]] = {}
    for query in range(rng.randrange(5, 30)):
        strict = rng.random()
        human[f"q{query}"] = {f"d{k}": rng.randrange(4) for k in range(rng.randrange(1, 12))}
        llm[f"q{query}"] = {d: g if rng.random() < strict else rng.randrange(4) for d, g in human[f"q{query}"].items()}
    return human, llm


def test_kappas_are_those_of_scikit_learn() -> None:
    rng = random.Random(1)
    for _ in range(30):
        human, llm = _random(rng)
        found = karatage.agree(human, llm)
        sides = [[own[q][d] for q in human for d in human[q]] for own in (human, llm)]
        relevant = [[grade >= 1 for grade in own] for own in sides]
        assert found["kappa"].value == pytest.approx(cohen_kappa_score(*sides))
        assert found["weighted_kappa"].value == pytest.approx(cohen_kappa_score(*sides, weights="quadratic"))
        assert found["relevance_kappa"].value == pytest.approx(cohen_kappa_score(*relevant))
        turned = karatage.agree(llm, human)
        for name in ("agreement", "relevance", "kappa", "weighted_kappa"):
            assert turned[name].value == pytest.approx(found[name].value)
            assert turned[name].low == pytest.approx(found[name].low)


def test_the_order_of_files_changes_nothing() -> None:
    human, llm = _random(random.Random(2))
    turned = [{q: dict(reversed(list(own[q].items()))) for q in reversed(list(own))} for own in (human, llm)]
    assert karatage.agree(*turned).to_dict() == karatage.agree(human, llm).to_dict()


def test_the_standard_errors_are_those_of_the_jackknife() -> None:
    """Each query left out in turn gives nearly the same standard errors, of all scores."""
    rng = random.Random(4)
    human, llm = ({f"{k}{q}": own for k in range(12) for q, own in side.items()} for side in _random(rng))
    llm = {q: {d: g if rng.random() < 0.8 else rng.randrange(4) for d, g in own.items()} for q, own in llm.items()}
    found = karatage.agree(human, llm)
    without = [karatage.agree({q: own for q, own in human.items() if q != out}, llm) for out in human]
    count = len(human)
    for name, score in found.scores.items():
        values = np.array([one[name].value for one in without], float)
        jackknife = ((count - 1) / count * ((values - values.mean()) ** 2).sum()) ** 0.5
        assert score.error == pytest.approx(jackknife, rel=0.03), name


def test_where_nothing_varies() -> None:
    """Full agreement: a share has an interval that stops at 1, kappa and bias have none, and say why."""
    found = karatage.agree(HUMAN, HUMAN)
    assert found["agreement"].value == found["kappa"].value == 1.0
    assert found["agreement"].high == 1.0
    assert 0 < (found["agreement"].low or 0) < 1
    assert found["kappa"].withheld == found["bias"].withheld == "nothing varies between the queries"
    one = karatage.agree({"a": {"d": 1, "e": 1}}, {"a": {"d": 1, "e": 1}})
    assert one["kappa"].undefined == "only one grade occurs"
    assert one["agreement"].withheld == "at least two queries are needed"
    missing = karatage.agree({"a": {"d": 1}, "b": {"d": 0}}, {"a": {"d": 2}, "b": {"d": 0}})
    assert missing.by_grade[0].kept.undefined == "the first judge did not give the grade 2"
    assert "undefined" in str(missing)


def test_negative_grades_are_left_out_and_counted() -> None:
    found = karatage.agree({"a": {"d": 1, "e": -1}, "b": {"d": 0}}, {"a": {"d": 1, "e": 1}, "b": {"d": -2}})
    assert (found.judgements, found.only_first, found.only_second) == (1, 1, 1)
    assert found.warnings == ("judgements with a negative grade, left out: 2",)


def test_what_is_refused(tmp_path: Path) -> None:
    (tmp_path / "h.qrels").write_text("q1 0 d1 1\nq1 0 d2 0\n")
    (tmp_path / "r.run").write_text("q1 Q0 d1 1 2.5 x\n")
    (tmp_path / "t.qrels").write_text("q1 0 d1 1\nq1 0 d1 0\n")
    (tmp_path / "n.conll").write_text("a B-X\n\n")
    for other, message in (
        ("r.run", "results with scores, not judgements"),
        ("t.qrels", "d1"),
        ("n.conll", "no judgements"),
    ):
        with pytest.raises((InputError, UsageError), match=message):
            karatage.agree(tmp_path / "h.qrels", tmp_path / other)
    with pytest.raises(InputError, match="no document is judged in both"):
        karatage.agree({"a": {"d": 1}}, {"a": {"e": 1}})
    with pytest.raises(InputError, match="no query is judged in both"):
        karatage.agree({"a": {"d": 1}}, {"b": {"d": 1}})
    with pytest.raises(UsageError, match="kapa"):
        _ = karatage.agree(HUMAN, LLM)["kapa"]


def test_labels_can_be_compared(tmp_path: Path) -> None:
    """Labels are 1 and -1; 0 means that a document was not judged."""
    (tmp_path / "one.tsv").write_text("d\tq\tr\na\t1\t0\nb\t-1\t1\nc\t1\t-1\n")
    (tmp_path / "two.tsv").write_text("d\tq\tr\na\t1\t1\nb\t1\t1\nc\t1\t-1\n")
    found = karatage.agree(tmp_path / "one.tsv", tmp_path / "two.tsv", format="sigir19")
    assert found.confusion == {1: {1: 3, -1: 0}, -1: {1: 1, -1: 1}}
    assert (found.only_first, found.only_second) == (0, 1)


def test_the_command(tmp_path: Path) -> None:
    for name, own in (("human", HUMAN), ("llm", LLM)):
        lines = (f"{q} 0 {d} {g}\n" for q, grades in own.items() for d, g in grades.items())
        (tmp_path / f"{name}.qrels").write_text("".join(lines))
    told = run("agree", "human.qrels", "llm.qrels", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert "karatage · agreement · 6 judgements in common, in 2 queries" in told.stdout
    assert "Only in the first, left out: 2 judgements, 1 query without any in common" in told.stdout
    assert "0.6667" in told.stdout
    whole = json.loads(run("agree", "human.qrels", "llm.qrels", "--json", cwd=tmp_path).stdout)
    assert whole == karatage.agree(HUMAN, LLM).to_dict() | {"first": "human.qrels", "second": "llm.qrels"}
    assert run("agree", "human.qrels", "none.qrels", cwd=tmp_path).returncode == 2
    twice = run("agree", "-", "-", cwd=tmp_path)
    assert (twice.returncode, twice.stdout) == (2, "")
    assert "standard input" in twice.stderr


def test_other_scales_are_warned_of_and_compared_by_relevance() -> None:
    """People say yes or no; the LLM gives 0 to 3, and 2 or more where people say yes: they agree on relevance."""
    people = {f"q{k}": {"a": 1, "b": 0, "c": 0, "d": 1} for k in range(5)}
    llm = {f"q{k}": {"a": 3, "b": 1, "c": 0, "d": 2} for k in range(5)}
    found = karatage.agree(people, llm)
    assert found["relevance"].value == 3 / 4  # b has grade 1
    assert found.warnings[0] == (
        "grades are 0 to 1 in the first and 0 to 3 in the second: if these are different scales, agreement, kappa and "
        "bias compare numbers that mean different things; --rel 1,2 compares relevance from these grades on"
    )
    by_rel = karatage.agree(people, llm, rel=(1, 2))
    assert by_rel["relevance"].value == 1
    assert by_rel["agreement"].value == found["agreement"].value
    assert "Relevant: grade 1 or more in the first, 2 or more in the second" in str(by_rel)


def test_a_scale_that_is_shifted_or_inverted_is_asked_about() -> None:
    first = {f"q{k}": {"a": 0, "b": 1, "c": 2, "d": 3} for k in range(5)}
    shifted = {query: {d: grade + 1 for d, grade in own.items()} for query, own in first.items()}
    inverted = {query: {d: 3 - grade for d, grade in own.items()} for query, own in first.items()}
    said = "grades of the second are 1 higher for 100 % of the documents: is one scale shifted?"
    assert said in karatage.agree(first, shifted).warnings
    assert karatage.agree(first, inverted).warnings == (
        "high grades of the first are low grades of the second: is one scale inverted?",
    )
    assert karatage.agree(first, first).warnings == ()


def test_disagreements_of_the_same_size_come_from_different_queries() -> None:
    """Three queries with three documents each that differ by 1, one of which differs by 2 in another one."""
    first = {query: {f"d{d}": 0 for d in range(3)} for query in "abc"} | {"z": {"d": 0, "e": 0}}
    second = {query: {f"d{d}": 1 for d in range(3)} for query in "abc"} | {"z": {"d": 2, "e": 0}}
    found = karatage.agree(first, second)
    assert found.disagreements(5)["query"].to_list() == ["z", "a", "b", "c", "a"]
    more = {query: {f"d{d}": 1 for d in range(9)} for query in "abc"}
    none = {query: {f"d{d}": 0 for d in range(9)} for query in "abc"}
    assert "largest disagreements, 10 of 27" in str(karatage.agree(none, more))


def test_columns_of_tables_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("begriff,artikel,note\ngolf,d1,1\ngolf,d2,0\n")
    (tmp_path / "b.csv").write_text("begriff,artikel,note\ngolf,d1,1\ngolf,d2,1\n")
    named = "query=begriff,document=artikel,grade=note"
    done = run("agree", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "--format", "search-csv", "--columns", named)
    assert "2 judgements in common, in 1 query" in done.stdout
    wrong = run("agree", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "--columns", named, "--rel", "x")
    assert (wrong.returncode, "--rel must be a grade" in wrong.stderr) == (2, True)


@pytest.mark.parametrize("rel", [0, (1, 2, 3), True, (0, 1)])
def test_a_grade_that_cannot_be_the_lowest_relevant_one(rel: Any) -> None:
    with pytest.raises(UsageError, match="rel must be a grade from 1"):
        karatage.agree(HUMAN, LLM, rel=rel)
