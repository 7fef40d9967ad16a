"""Scores that are 0 or undefined because the wrong thing was read: each of them comes with what was found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.command import run

import karatage

GOLD = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}


def test_no_document_in_common() -> None:
    """Document ids written in another way score 0, with an example of each side."""
    result = karatage.score(GOLD, {"q1": {"D1": 2.0, "D2": 1.0}, "q2": {"D3": 1.0}})
    assert result["AP"].value == 0.0
    assert result.warnings == (
        "0 of 3 results judged: for query q1, gold has the document 'd1', the run has 'D1'. "
        "Are document ids written alike?",
        "unjudged results whose ids differ from those of judged documents only in upper case: 3 of 3, e.g. 'd1' in "
        "gold and 'D1' in the predictions. Write document ids alike in both files",
    )


def test_documents_of_other_queries() -> None:
    result = karatage.score(GOLD, {"q1": {"d3": 1.0}, "q2": {"d1": 1.0}})
    assert result.warnings[0].startswith("0 of 2 results judged: for query q1, gold has the document 'd1', the run has")
    assert result.warnings[0].endswith("Some are judged for other queries: are query ids right?")


def test_queries_without_a_judged_result() -> None:
    """Of two queries with results, one has no judged one; a query without results does not count."""
    gold = {**GOLD, "q3": {"d9": 1}}
    result = karatage.score(gold, {"q1": {"d1": 1.0}, "q2": {"D3": 1.0}})
    assert "queries none of whose results is judged (e.g. q2): 1 of 2" in result.warnings


def test_results_below_the_depth_are_judged_all_the_same() -> None:
    result = karatage.score({"q1": {"d1": 1}}, {"q1": {"x": 2.0, "d1": 1.0}}, depth=1)
    assert result.warnings == ("results beyond rank 1, left out: 1",)


def test_a_matrix_of_other_queries(tmp_path: Path) -> None:
    """The table of documents taken for predictions: it has columns, but no query of gold."""
    gold, documents, other = (tmp_path / name for name in ("gold.tsv", "documents.tsv", "other.tsv"))
    gold.write_text("doc\tq1\tq2\nd1\t1\t0\nd2\t-1\t1\n")
    documents.write_text("doc\tprice\nd1\t3\nd2\t4\n")
    other.write_text("doc\tq1\tq2\nD1\t1\t1\nD2\t-1\t1\n")

    def scored(predictions: Path) -> dict[str, Any]:
        done = run("sigir19", "-g", gold, "-p", predictions, "--json")
        assert done.returncode == 0
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    assert scored(documents)["metrics"]["recall"]["value"] == 0.0
    queries = "gold and predictions have no query in common: gold has 'q1', the predictions have 'price'"
    assert queries in scored(documents)["warnings"]
    ids = "gold and predictions have no document in common: gold has 'd1', the predictions have 'D1'"
    assert ids in scored(other)["warnings"]
    assert not any("in common" in text for text in scored(gold)["warnings"])


def test_a_wrong_format_finds_nothing(tmp_path: Path) -> None:
    """A column file read as plain text has five lines and no entity: 0 of 0, and both sides say so."""
    path = tmp_path / "gold.conll"
    path.write_text("Anna\tB-PER\nlacht\tO\n\nin\tO\nRom\tB-LOC\n")
    result = karatage.score(path, path, format="text")
    assert result.counts["gold"] == result.counts["predicted"] == 0
    assert result.warnings == (
        "gold contains no entities: 5 texts, read as text. If that is wrong, set --format",
        "predictions contain no entities: 5 texts, read as text. If that is wrong, set --pred-format",
    )
    shown = run("score", path, path, "--format", "text")
    assert "gold contains no entities: 5 texts, read as text" in shown.stdout + shown.stderr


def test_a_wrong_column_finds_nothing(tmp_path: Path) -> None:
    """The second of three columns has only O and no entity: its tags are named."""
    path = tmp_path / "gold.conll"
    path.write_text("Anna\tO\tB-PER\nlacht\tO\tO\n\nin\tO\tO\nRom\tO\tB-LOC\n")
    result = karatage.score(path, path, columns=["2"])
    assert result.warnings[0] == (
        "gold contains no entities: 2 sentences, 4 tokens, tag O, read as conll. If that is wrong, set --format or "
        "--columns"
    )


def test_one_side_without_entities() -> None:
    assert karatage.score([["B-X", "O"]], [["O", "O"]]).warnings == (
        "predictions contain no entities: 1 sentence, 2 tokens, tag O",
    )
    assert karatage.score([["O", "O"]], [["B-X", "O"]]).warnings == (
        "predictions whose label does not occur in gold (X), which weighted averages ignore: 1",
        "gold contains no entities: 1 sentence, 2 tokens, tag O",
    )
    assert karatage.score({"a": {}}, {"a": {"X": "1"}}, like="values").warnings[-1] == (
        "gold contains no values: 1 text"
    )


def test_entities_in_any_batch_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from karatage.formats.columns import conll

    path = tmp_path / "gold.conll"
    path.write_text("w O\n\n" * 100 + "w B-X\n\n")
    monkeypatch.setattr(conll, "BATCH_BYTES", 64)
    assert karatage.score(path, path).warnings == ()


def test_what_was_left_out_by_label_is_not_missing() -> None:
    result = karatage.score([["B-X", "B-Y"]], [["B-X", "O"]], labels=["Y"])
    assert result.warnings == (
        "gold entities left out because of their label: 1",
        "predictions left out because of their label: 1",
    )


@pytest.mark.parametrize(
    ("gold", "pred", "options"),
    [
        ([["B-PER", "B-LOC"]], [["B-person", "O"]], {}),
        ([{"PER": "Anna", "LOC": "Rom"}], [{"person": "Anna"}], {"like": "values"}),
    ],
)
def test_labels_that_have_nothing_in_common(gold: object, pred: object, options: Any) -> None:
    shared = "gold and predictions have no label in common: LOC, PER in gold, person in the predictions"
    assert shared in karatage.score(gold, pred, **options).warnings


def test_the_first_five_labels_are_named() -> None:
    for labels, shown in (("ABCDE", "A, B, C, D, E"), ("ABCDEFG", "A, B, C, D, E and 2 more")):
        found = karatage.score([["B-Z"] * len(labels)], [[f"B-{label}" for label in labels]], resamples=0).warnings
        assert any(f"Z in gold, {shown} in the predictions" in warning for warning in found)


def test_scores_that_are_distances(tmp_path: Path) -> None:
    """Ranks say a, b; the order by score is b, a: the relevant document is second in both queries, so RR is 1/2."""
    qrels, run = tmp_path / "gold.qrels", tmp_path / "mine.run"
    qrels.write_text("q1 0 a 1\nq2 0 a 1\n")

    def reciprocal_rank(results: str) -> tuple[float | None, list[str]]:
        run.write_text(results)
        result = karatage.score(qrels, run, metrics=["RR"])
        return result["RR"].value, [text for text in result.warnings if "ranks" in text]

    distances = "q1 Q0 a 1 0.1 m\nq1 Q0 b 2 0.5 m\nq2 Q0 a 1 0.2 m\nq2 Q0 b 2 0.3 m"
    assert reciprocal_rank(distances) == (
        0.5,
        [
            "predictions: queries whose ranks and scores disagree; results are ordered by score, as in trec_eval. If "
            "scores are distances, negate them: 2"
        ],
    )
    assert reciprocal_rank(distances.replace(" 0.", " -0.")) == (1.0, [])
    value, (said,) = reciprocal_rank(distances.replace("0.2", "0.4"))  # of two queries, one
    assert (value, said.endswith("negate them: 1")) == (0.75, True)
    # Ranks that are all 0 have no order.
    assert reciprocal_rank(distances.replace("a 1", "a 0").replace("b 2", "b 0")) == (0.5, [])


def test_pairs_with_opposite_labels(tmp_path: Path) -> None:
    """The script takes the first prediction of d1 and so finds no error; of gold it takes the last label."""
    once, twice = tmp_path / "once.tsv", tmp_path / "twice.tsv"
    once.write_text("doc\tq1\nd1\t1\nd2\t-1\n")
    twice.write_text("doc\tq1\nd1\t1\nd2\t-1\nd1\t-1\nd2\t-1\n")
    predicted = karatage.score(once, twice, like="sigir-ecom19")
    assert predicted["accuracy"].value == 1.0
    assert "predicted pairs with opposite labels, the first of which counts: 1" in predicted.warnings
    judged = karatage.score(twice, once, like="sigir-ecom19")
    assert judged["accuracy"].value == 0.5
    assert "gold pairs with opposite labels, the last of which counts: 1" in judged.warnings
