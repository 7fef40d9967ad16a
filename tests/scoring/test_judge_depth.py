"""People and a judge who judged different documents of a query: what is refused, and what is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command import run

import karatage as kg
from karatage.errors import InputError

Grades = dict[str, dict[str, int]]

DOCUMENTS = 10
QUERIES = [f"q{k}" for k in range(40)]
LABELLED = QUERIES[:30]


def graded(documents: int = DOCUMENTS) -> Grades:
    """Return the grades of the first documents of each query: one in three is relevant."""
    return {query: {f"d{d}": int((d + k) % 3 == 0) for d in range(documents)} for k, query in enumerate(QUERIES)}


def results() -> dict[str, dict[str, float]]:
    return {query: {f"d{d}": float(-d) for d in range(DOCUMENTS)} for query in QUERIES}


def labelled(grades: Grades) -> Grades:
    return {query: grades[query] for query in LABELLED}


def test_a_perfect_judge_of_the_same_documents_has_no_bias() -> None:
    judge = graded()
    found = kg.score(labelled(judge), results(), judge=judge, metrics=["nDCG@10"])
    effect = found["nDCG@10"].judge
    assert effect is not None
    assert (effect.bias_low or 0) <= 0 <= (effect.bias_high or 0)
    assert not [warning for warning in found.warnings if "documents" in warning]


def test_a_judge_that_judged_deeper_than_people_is_refused() -> None:
    """People judged the first three of ten documents, the judge all ten."""
    with pytest.raises(InputError) as caught:
        kg.score(labelled(graded(3)), results(), judge=graded())
    message = str(caught.value)
    assert "in 30 of 30 labelled queries, the judge judged documents that people did not" in message
    assert "(query 'q0': 3 by people, 10 by the judge)" in message
    assert "Let people judge the documents that the judge does" in message


def test_people_who_judged_deeper_than_the_judge_are_refused() -> None:
    with pytest.raises(InputError, match="people judged documents that the judge did not"):
        kg.score(labelled(graded()), results(), judge=graded(3))


def test_compare_and_gate_refuse_it_too(tmp_path: Path) -> None:
    for name, grades in (("gold", labelled(graded(3))), ("judge", graded())):
        lines = [f"{query} 0 {document} {grade}\n" for query, own in grades.items() for document, grade in own.items()]
        (tmp_path / f"{name}.qrels").write_text("".join(lines))
    lines = [f"{q} Q0 {d} 1 {score} x\n" for q, own in results().items() for d, score in own.items()]
    for name in ("a.run", "b.run"):
        (tmp_path / name).write_text("".join(lines))
    gold, judge, a, b = (str(tmp_path / name) for name in ("gold.qrels", "judge.qrels", "a.run", "b.run"))
    for args in (["compare", gold, a, b], ["gate", gold, a, "--min", "nDCG@10=0.1"]):
        done = run(*args, "--judge", judge)
        assert done.returncode == 2
        assert "people and the judge judged different documents of the same queries" in done.stderr


def test_the_same_rule_for_all_queries_is_no_error() -> None:
    """What the message advises: the judge's labels of the documents that people were asked for, in all queries."""
    found = kg.score(labelled(graded(3)), results(), judge=graded(3))
    assert not [warning for warning in found.warnings if "judged" in warning and "judge judged" in warning]


def test_a_judge_cut_in_labelled_queries_alone_is_warned_of() -> None:
    judge = graded() | labelled(graded(3))
    found = kg.score(labelled(graded(3)), results(), judge=judge)
    assert [warning for warning in found.warnings if warning.startswith("the judge judged 3.0 documents per query")]


def test_a_few_documents_that_people_left_out_are_a_warning() -> None:
    """29 queries with all ten documents, one with nine: 299 of 300 documents in common."""
    judge = graded()
    gold = labelled(judge)
    gold["q5"] = {document: grade for document, grade in gold["q5"].items() if document != "d9"}
    for warnings in (
        kg.score(gold, results(), judge=judge).warnings,
        kg.compare(gold, {"a": results(), "b": results()}, judge=judge).warnings,
    ):
        assert (
            "people and the judge judged different documents of some queries: in 1 of 30 labelled queries, the judge "
            "judged documents that people did not (query 'q5': 9 by people, 10 by the judge)" in warnings
        )


@pytest.mark.parametrize(("left", "refused"), [(8, False), (7, True)])
def test_four_in_five_documents_must_be_judged_by_both(left: int, refused: bool) -> None:
    if refused:
        with pytest.raises(InputError):
            kg.score(labelled(graded(left)), results(), judge=graded())
    else:
        assert kg.score(labelled(graded(left)), results(), judge=graded()).warnings


def test_a_negative_grade_is_no_judgement() -> None:
    unjudged = {f"d{d}": -1 for d in range(3, DOCUMENTS)}
    gold = {query: grades | unjudged for query, grades in labelled(graded(3)).items()}
    with pytest.raises(InputError, match="3 by people, 10 by the judge"):
        kg.score(gold, results(), judge=graded())
