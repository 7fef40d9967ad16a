"""Ids that look alike: which pairs are found, what they differ in, and what scoring says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

import karatage as kg
from karatage.errors import UnitError
from karatage.matching import near_ids

QUERIES = ["polo shirt", "golf shoes", "caf\u00e9 table", "red socks"]
"""The é is one character, as in NFC."""


def judged(queries: list[str]) -> dict[str, dict[str, int]]:
    return {query: {"D-1": 1, "D-2": 0} for query in queries}


def results(queries: list[str]) -> dict[str, dict[str, float]]:
    return {query: {"D-1": 2.0, "D-2": 1.0} for query in queries}


@pytest.mark.parametrize(
    ("gold", "pred", "ways"),
    [
        ("Polo Shirt", "polo shirt", ("upper case",)),
        ("golf_shoes", "golf shoes", ("blanks or underscores",)),
        (" golf  shoes ", "golf shoes", ("blanks or underscores",)),
        ("golf\u00a0shoes", "golf shoes", ("Unicode form",)),
        ("caf\u00e9", "cafe\u0301", ("Unicode form",)),
        ("Golf_Shoes", "golf shoes", ("upper case", "blanks or underscores")),
        ("STRASSE", "straße", ("upper case",)),
        ("golf-shoes", "golf shoes", None),
        ("golf", "polo", None),
    ],
)
def test_what_ids_differ_in(gold: str, pred: str, ways: tuple[str, ...] | None) -> None:
    found = near_ids([gold, "other"], ["third", pred])
    assert (None if found is None else found.ways) == ways
    assert found is None or (found.pairs, found.gold, found.pred) == (1, gold, pred)


def test_queries_that_would_score_0_for_how_their_ids_are_written_are_refused() -> None:
    """Two of four queries have blanks on one side and underscores on the other."""
    run = results(["polo_shirt", "golf_shoes", *QUERIES[2:]])
    with pytest.raises(UnitError) as caught:
        kg.score(judged(QUERIES), run)
    message = str(caught.value)
    assert "whose ids differ from those of the run only in blanks or underscores: 2 of 2" in message
    assert "e.g. 'polo shirt' in gold and 'polo_shirt' in the predictions" in message
    assert "If one was converted to a TREC file, convert the other one too" in message


def test_a_run_without_any_common_query_says_what_differs() -> None:
    with pytest.raises(UnitError, match="only in upper case: 4 of 4, e.g. 'polo shirt' in gold and 'POLO SHIRT'"):
        kg.score(judged(QUERIES), results([query.upper() for query in QUERIES]))


def test_letters_that_look_the_same_are_told_by_their_normal_form() -> None:
    with pytest.raises(UnitError, match=r"'caf\u00e9 table' \(NFC\) in gold and 'cafe\u0301 table' \(NFD\)"):
        kg.score(judged(QUERIES), results([*QUERIES[:2], "cafe\u0301 table", "red socks"]))


def test_one_of_many_is_the_first_warning() -> None:
    """One of 40 queries is less than one in twenty."""
    names = [f"query {k}" for k in range(40)]
    found = kg.score(judged(names), results(["Query 0", *names[1:]]))
    assert found.warnings[0].startswith(
        "queries without results whose ids differ from those of the run only in upper case: 1 of 1, e.g. 'query 0'"
    )


def test_queries_that_are_left_out_anyway_are_a_warning() -> None:
    found = kg.score(judged(QUERIES), results(["Polo Shirt", *QUERIES[1:]]), missing="ignore")
    assert "only in upper case" in found.warnings[0]


def test_queries_that_both_sides_have_are_not_compared() -> None:
    """`Polo` and `polo` are two queries; of the others, none looks like another."""
    gold = judged(["Polo", "polo", "tank"])
    assert not [said for said in kg.score(gold, results(["Polo", "polo", "vans"])).warnings if "differ" in said]


def test_documents_that_are_written_otherwise_are_warned_of() -> None:
    """The engine writes one of two documents of each query in lower case, so that it counts as unjudged."""
    run = {query: {"d-1": 2.0, "D-2": 1.0} for query in QUERIES}
    said = [warning for warning in kg.score(judged(QUERIES), run).warnings if "differ" in warning]
    assert said == [
        "unjudged results whose ids differ from those of judged documents only in upper case: 4 of 4, e.g. 'D-1' in "
        "gold and 'd-1' in the predictions. Write document ids alike in both files"
    ]
    retrieved = {query: {"D-1": 3.0, "d-1": 2.0, "D-2": 1.0} for query in QUERIES}
    assert not [said for said in kg.score(judged(QUERIES), retrieved).warnings if "differ" in said]


def test_a_run_that_is_scored_while_it_is_read_says_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"q{k}" for k in range(30)]
    gold = [f"{q} 0 {d} {grade}\n" for q in names for d, grade in (("D1", 1), ("D2", 0))]
    run = [f"{q if q != 'q3' else 'Q3'} Q0 {d} 1 {score} x\n" for q in names for d, score in (("d1", 2), ("D2", 1))]
    (tmp_path / "gold.qrels").write_text("".join(gold))
    (tmp_path / "a.run").write_text("".join(run))
    whole = kg.score(tmp_path / "gold.qrels", tmp_path / "a.run").warnings
    monkeypatch.setattr("karatage.scoring.search.streamed_run._LEAST", 0)
    assert kg.score(tmp_path / "gold.qrels", tmp_path / "a.run").warnings == whole
    assert len([said for said in whole if "differ" in said]) == 2


def test_sentences_and_documents_of_an_extraction_are_compared_too() -> None:
    gold = {"Doc 1": ["B-PER"], "Doc 2": ["O"], "Doc 3": ["B-LOC"]}
    pred = {"doc_1": ["B-PER"], "Doc 2": ["O"], "Doc 3": ["B-LOC"]}
    alike = "ids that differ only in upper case and blanks or underscores: 1, e.g. 'Doc 1' in gold and 'doc_1' in the"
    with pytest.raises(UnitError, match=alike.replace("ids", "Ids", 1)):
        kg.score(gold, pred)
    with pytest.raises(UnitError, match=alike.replace("ids", "Ids", 1)):
        kg.score(gold, pred, missing="empty")
    found = kg.score(gold, pred, missing="empty", extra="ignore")
    assert [said for said in found.warnings if said.startswith(alike)]
