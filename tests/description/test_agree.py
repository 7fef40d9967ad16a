"""How far two sets of judgements agree: by hand, against scikit-learn, and what is refused."""

from __future__ import annotations

import json
import random
from pathlib import Path

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
