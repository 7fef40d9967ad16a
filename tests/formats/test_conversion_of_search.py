"""Converting results and judgements: scores, orders and ties stay, or are counted as lost."""

from __future__ import annotations

from pathlib import Path

import pytest

import karatage
from karatage.errors import FormatError

SHOWN = "query,docid,rank,score\ngolf,d1,1,9.5\ngolf,d2,2,9.5\ngolf,d3,3,4.25\npolo,d4,1,7.5\n"
TIED = "query,docid,score\ngolf,d1,9.5\ngolf,d2,9.5\ngolf,d3,4.25\n"
ORDERS = "queries whose tied results were shown in another order than by document id, as trec_eval orders them"
TIES = "ties, as these results are now in trec_eval's order"


def expected_rr(run: Path, ties: str) -> float | None:
    """Return the reciprocal rank, where d1 is relevant."""
    gold = {"golf": {"d1": 1}}
    return karatage.score(gold, run, metrics=["RR"], resamples=0, ties=ties, extra="ignore")["RR"].value


@pytest.mark.parametrize("name", ["b.csv", "b.tsv"])
def test_scores_stay_as_they_are_beside_ranks(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(SHOWN)
    assert karatage.convert(tmp_path / "a.csv", tmp_path / name, to="search-csv", allow_loss=False) == {}
    mark = "\t" if name.endswith("tsv") else ","
    assert (tmp_path / name).read_text() == SHOWN.replace(",", mark)
    assert expected_rr(tmp_path / name, "trec_eval") == 1  # the order is known


@pytest.mark.parametrize(("name", "form"), [("b.jsonl", "search-jsonl"), ("b.json", "elasticsearch")])
def test_scores_and_orders_come_back_from_json(name: str, form: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(SHOWN)
    assert karatage.convert(tmp_path / "a.csv", tmp_path / name, to=form, allow_loss=False) == {}
    assert karatage.convert(tmp_path / name, tmp_path / "c.csv", format=form, allow_loss=False) == {}
    assert (tmp_path / "c.csv").read_text() == SHOWN


def test_a_run_has_the_scores_and_loses_the_order_of_ties(tmp_path: Path) -> None:
    """trec_eval puts d2 before d1, so that the relevant document is second."""
    (tmp_path / "a.csv").write_text(SHOWN)
    with pytest.raises(FormatError, match="would lose something: queries whose tied results were shown"):
        karatage.convert(tmp_path / "a.csv", tmp_path / "b.run", allow_loss=False)
    assert karatage.convert(tmp_path / "a.csv", tmp_path / "b.run") == {ORDERS: 1}
    lines = ["golf Q0 d1 1 9.5", "golf Q0 d2 2 9.5", "golf Q0 d3 3 4.25", "polo Q0 d4 1 7.5"]
    assert (tmp_path / "b.run").read_text() == "".join(f"{line} karatage\n" for line in lines)
    assert expected_rr(tmp_path / "b.run", "trec_eval") == 0.5
    # The order by document id is that of trec_eval: nothing is lost.
    (tmp_path / "a.csv").write_text(SHOWN.replace("d1,1", "d2,1", 1).replace("d2,2", "d1,2", 1))
    assert karatage.convert(tmp_path / "a.csv", tmp_path / "c.run", allow_loss=False) == {}


def test_scores_that_are_equal_in_single_precision_are_tied(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,docid,rank,score\ngolf,d1,1,1.000000001\ngolf,d2,2,1\n")
    assert karatage.convert(tmp_path / "a.csv", tmp_path / "b.run") == {ORDERS: 1}
    assert "d1 1 1.000000001" in (tmp_path / "b.run").read_text()


@pytest.mark.parametrize("name", ["b.csv", "b.jsonl", "b.run"])
def test_ties_without_an_order_stay_ties(name: str, tmp_path: Path) -> None:
    """d1 is first or second: (1 + 1/2) / 2."""
    (tmp_path / "a.csv").write_text(TIED)
    assert karatage.convert(tmp_path / "a.csv", tmp_path / name, allow_loss=False, to=FORMS[name]) == {}
    for place in ("a.csv", name):
        assert expected_rr(tmp_path / place, "expected") == 0.75
        assert expected_rr(tmp_path / place, "trec_eval") == 0.5


FORMS = {"b.csv": "search-csv", "b.jsonl": "search-jsonl", "b.run": "trec-run"}


def test_hits_have_an_order_so_that_ties_are_lost(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(TIED)
    assert karatage.convert(tmp_path / "a.csv", tmp_path / "b.json", to="elasticsearch") == {TIES: 2}
    assert expected_rr(tmp_path / "b.json", "expected") == 0.5


def test_scores_of_several_files_are_kept(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("query,docid,rank,score\ngolf,d1,1,2\ngolf,d2,2,2\n")
    (tmp_path / "in" / "b.csv").write_text("query,docid,rank,score\npolo,d1,1,7\n")
    karatage.convert(tmp_path / "in", tmp_path / "b.csv", to="search-csv", allow_loss=False)
    assert (tmp_path / "b.csv").read_text() == "query,docid,rank,score\ngolf,d1,1,2.0\ngolf,d2,2,2.0\npolo,d1,1,7.0\n"


@pytest.mark.parametrize("form", ["rre", "rank-eval", "quepid", "ltr"])
def test_unjudged_documents_are_not_written_as_grades(form: str, tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("1 0 d1 -1\n1 0 d2 2\n")
    lost = karatage.convert(tmp_path / "a.qrels", tmp_path / "b", to=form)
    assert lost == {"grades below 0, which stand for unjudged documents": 1}
    karatage.convert(tmp_path / "b", tmp_path / "c.qrels", format=form)
    assert (tmp_path / "c.qrels").read_text() == "1 0 d2 2\n"
