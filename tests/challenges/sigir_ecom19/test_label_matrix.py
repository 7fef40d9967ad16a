"""The matrix of SIGIR eCom'19: what is read, and what a message says of what is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import karatage
from karatage.claims import Matrix
from karatage.errors import KaratageError
from karatage.formats import Source, sniff
from karatage.matching import LabelRules, verdicts
from karatage.scoring import SearchResult

GOLD = "d q r\na 1 0\nb -1 1\nc 0 -1\n"
PRICES = "doc_id price\na 10\nb 20\nc 5\n"
STRICT = "sigir-ecom19-corrected"


def write(folder: Path, name: str, text: str) -> Path:
    place = folder / f"{name}.tsv"
    place.write_bytes(text.replace(" ", "\t").encode())
    return place


def score(folder: Path, gold: str, pred: str, prices: str | None = None, like: str = STRICT) -> karatage.Result:
    documents = None if prices is None else write(folder, "documents", prices)
    places = write(folder, "gold", gold), write(folder, "pred", pred)
    return karatage.score(*places, like=like, format="sigir19", documents=documents, resamples=0)


def test_the_matrix_is_recognised(tmp_path: Path) -> None:
    assert sniff(Source(write(tmp_path, "gold", GOLD))).name == "sigir19"
    result = karatage.score(write(tmp_path, "gold", GOLD), write(tmp_path, "pred", GOLD.replace("0", "1")))
    assert result.profile.name == "sigir-ecom19"
    # q: a relevant, b not; r: b relevant, c not; all four right
    assert result.counts == {"units": 2, "gold": 2, "predicted": 2, "correct": 2, "true_negatives": 2}


@pytest.mark.parametrize(
    ("pred", "message"),
    [
        ("d q r\na 1 1\nb -1\nc 1 1\n", "pred.tsv:3: the row of document 'b' has 1 of 2 labels"),
        ("d q r\na 1 1\nb -1 1 1\nc 1 1\n", "pred.tsv:3: the row of document 'b' has 3 labels for 2 queries"),
        ("d q r\na 1 1\nb -1 2\nc 1 1\n", r"pred.tsv:3: the label '2' of document 'b' for query 'r' \(column 3\)"),
        ("d q r\na 1 1\nb -1 +1\nc 1 1\n", "the label '[+]1'"),
        ("d r q\nc 1 1\nb 1 0\na 1 1\n", r"pred.tsv:3: the label '0' of document 'b' for query 'q' \(column 3\)"),
        ("d q r\na 1 1\nb -1 01\nc 1 1\n", "the label '01'"),
        ("d q q\na 1 1\nb -1 1\nc 1 1\n", "pred.tsv:1: the query 'q' occurs twice .in columns 2 and 3"),
        ("d q r\na 1 1\nb -1 1\na 1 1\n", "pred.tsv:4: the document 'a' occurs twice .first in line 2"),
        ("d\na\n", "pred.tsv:1: the first row names no query"),
        ("", "pred.tsv: the file is empty"),
    ],
)
def test_what_the_corrected_profile_refuses(pred: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(KaratageError, match=message):
        score(tmp_path, GOLD, pred)


def test_blank_lines_are_no_documents(tmp_path: Path) -> None:
    plain = score(tmp_path, GOLD, "d q r\na 1 1\nb -1 1\nc 1 1\n")
    spaced = score(tmp_path, GOLD, "d q r\na 1 1\n\nb -1 1\n\nc 1 1\n\n\n")
    assert spaced.metrics == plain.metrics
    with pytest.raises(KaratageError, match="the document '' occurs twice .first in line 3"):
        score(tmp_path, GOLD, "d q r\na 1 1\n 1 1\nb -1 1\n 1 1\nc 1 1\n")


def test_what_both_profiles_refuse_in_gold(tmp_path: Path) -> None:
    for like in ("sigir-ecom19", STRICT):
        with pytest.raises(
            KaratageError, match=r"gold.tsv:3: the label 'x' of document 'b' for query 'q' \(column 2\)"
        ):
            score(tmp_path, GOLD.replace("b -1", "b x"), GOLD, like=like)
        with pytest.raises(KaratageError, match="gold.tsv:3: the row of document 'b' has 3 labels for 2 queries"):
            score(tmp_path, GOLD.replace("b -1 1", "b -1 1 1"), GOLD, like=like)


def test_rows_that_are_too_long_where_the_script_does_not_look(tmp_path: Path) -> None:
    """Zeros behind the last query of gold, and anything behind it in a row of a document that nobody judged."""
    same = score(tmp_path, GOLD, GOLD, like="sigir-ecom19").metrics
    longer = score(tmp_path, GOLD.replace("a 1 0", "a 1 0 0"), GOLD + "z 1 1 1\n", like="sigir-ecom19").metrics
    assert same == longer


@pytest.mark.parametrize(
    ("prices", "message"),
    [
        (PRICES.replace("b 20\n", ""), "documents.tsv: the document 'b', judged for query 'q', has no price"),
        (PRICES.replace("20", "cheap"), "documents.tsv:3: the price 'cheap' of document 'b' is not a number"),
        (PRICES.replace("20", ""), "documents.tsv:3: the price '' of document 'b' is not a number"),
        (PRICES.replace("20", "nan"), "documents.tsv:3: the price 'nan' of document 'b' is not a number"),
        (PRICES.replace("20", "inf"), "documents.tsv: the price of document 'b' is not a finite number"),
        (PRICES.replace("price", "cost"), "documents.tsv:1: the header has no column 'price'"),
        (PRICES.replace("doc_id", "id"), "documents.tsv:1: the header has no column 'doc_id'"),
    ],
)
def test_bad_prices(prices: str, message: str, tmp_path: Path) -> None:
    for like in ("sigir-ecom19", STRICT):
        with pytest.raises(KaratageError, match=message):
            score(tmp_path, GOLD, GOLD, prices, like=like)


def test_a_document_without_price_that_is_not_relevant(tmp_path: Path) -> None:
    """The script takes it as free; the corrected profile wants to know."""
    assert score(tmp_path, GOLD, GOLD, PRICES.replace("c 5\n", ""), like="sigir-ecom19")["l2h_ndcg10"].value == 1.0
    with pytest.raises(KaratageError, match="'c', judged for query 'r', has no price"):
        score(tmp_path, GOLD, GOLD, PRICES.replace("c 5\n", ""))


def test_without_prices_the_corrected_profile_has_no_price_ndcg(tmp_path: Path) -> None:
    assert score(tmp_path, GOLD, GOLD, like="sigir-ecom19")["l2h_ndcg10"].value == 0.0
    assert score(tmp_path, GOLD, GOLD)["l2h_ndcg10"].undefined == (
        "no query or sentence has a value (it needs relevant documents and their prices)"
    )


def test_means_are_over_the_queries_that_have_a_value(tmp_path: Path) -> None:
    """q has a miss, r a false alarm and nothing relevant: its recall is undefined, and F1 is 0 for both."""
    gold, pred = "d q r\na 1 -1\nb 1 -1\n", "d q r\na 1 1\nb -1 -1\n"
    result = score(tmp_path, gold, pred)
    assert result["ave_recall"].value == 0.5
    assert result["ave_f1"].value == pytest.approx((2 / 3 + 0) / 2)
    assert result["ave_fpr"].value == 0.5
    assert "(ave_recall, ave_tpr, ave_fpr): 1" in "".join(result.warnings)
    script = score(tmp_path, gold, pred, like="sigir-ecom19")
    assert script["ave_recall"].value == 0.75
    assert script["ave_fpr"].value == 0.75


def test_prices_with_a_run_are_refused(tmp_path: Path) -> None:
    with pytest.raises(KaratageError, match="for matrices of labels"):
        karatage.score({"q": {"a": 1}}, {"q": {"a": 1.0}}, documents=write(tmp_path, "documents", PRICES))
    with pytest.raises(KaratageError, match="works for search with the profile sigir-ecom19 only"):
        karatage.score([["O"]], [["O"]], documents=write(tmp_path, "documents", PRICES))


def test_pairs_without_a_prediction_come_last_in_the_order_of_gold() -> None:
    """Gold repeats a; of d it first says something in the fifth row. One document was predicted."""
    labels = np.array([[1], [1], [-1], [0], [1]], np.int8)
    gold = Matrix("gold", ["q"], ["a", "b", "a", "d", "d"], labels)
    pred = Matrix("pred", ["q"], ["c"], np.ones((1, 1), np.int8))
    found = verdicts(gold, pred, rules=LabelRules(repeated_pairs="first"))
    assert (found.documents, found.truth.tolist()) == (["a", "b", "d"], [[-1], [1], [1]])
    assert found.position.tolist() == [[1 + 0], [1 + 1], [1 + 4]]


def test_the_mean_price_of_a_query_is_that_of_its_relevant_documents(tmp_path: Path) -> None:
    """For q, a and b of 10 and 20 are relevant; for r, only c of 7; for s, nothing."""
    gold = "d q r s\na 1 -1 -1\nb 1 -1 0\nc -1 1 -1\n"
    result = score(tmp_path, gold, gold.replace("0", "1"), "doc_id price\na 10\nb 20\nc 7\n")
    assert isinstance(result, SearchResult)
    np.testing.assert_array_equal(result.prices(), [15.0, 7.0, np.nan])
    assert isinstance(unpriced := score(tmp_path, gold, gold.replace("0", "1")), SearchResult)
    assert unpriced.prices() is None
