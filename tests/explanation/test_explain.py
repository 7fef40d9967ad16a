"""`karatage.explain`: one or several systems in, where they fail out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import karatage
from karatage.claims import Claims, Units
from karatage.demo import data
from karatage.errors import UsageError
from karatage.explanation.extraction_explanation import ExtractionExplanation
from karatage.explanation.search_explanation import SearchExplanation, _measure
from karatage.metrics import Metric
from karatage.profiles import get_profile
from karatage.scoring import read_queries

GOLD = data("gold.conll")


@pytest.fixture(scope="module")
def two() -> Any:
    return karatage.explain(GOLD, {"old": data("lexicon.conll"), "new": data("context.conll")}, diff=True)


def test_numbers_are_those_of_score(two: Any) -> None:
    """Scores, counts and kinds are those of `karatage.score`, digit for digit."""
    for name, file in (("old", "lexicon.conll"), ("new", "context.conll")):
        alone = karatage.score(GOLD, data(file))
        told = two.to_dict()["systems"][name]
        assert told["scores"] == alone.to_dict()
        assert told["kinds"] == alone.kinds
        assert told["confusion"] == alone.confusion
        assert told["error_count"] == sum(told["details"].values()) == alone.errors().height


def test_the_comparison_is_that_of_compare(two: Any) -> None:
    systems = {"old": data("lexicon.conll"), "new": data("context.conll")}
    assert two.comparison.to_dict() == karatage.compare(GOLD, systems).to_dict()


def test_it_is_data_and_text(two: Any) -> None:
    whole = json.loads(two.to_json(errors=3))
    assert list(whole["systems"]) == ["old", "new"]
    assert len(whole["errors"]) == 6
    assert whole["changes"]["net"] == whole["changes"]["fixed"] - whole["changes"]["broken"]
    assert whole["suspects"]["count"] == len(two.suspects)
    text = str(two)
    for part in ("from old to new", "cost of errors, costliest first", "most frequent confusions", "── new ──"):
        assert part in text
    assert repr(two) == "<ExtractionExplanation of old, new like='exact'>"


def test_errors_are_chosen(two: Any) -> None:
    every = two.errors()
    assert every["system"].unique(maintain_order=True).to_list() == ["old", "new"]
    merged = two.errors("new", kind="merged")
    assert merged["detail"].unique().to_list() == ["merged"]
    assert merged.height == two["new"].result.details["merged"]
    label = two.errors("new", label="Breite")
    assert all("Breite" in pair for pair in label.select("gold_label", "pred_label").iter_rows())
    found = two.errors("new", text="PICASSO")
    whole = pl.concat_str([pl.col(c).fill_null("") for c in ("before", "at", "after", "gold_text", "pred_text")])
    assert found.select(whole.str.to_lowercase().str.contains("picasso").all()).item()
    assert 0 < found.height < two.errors("new").height
    assert two.errors("new", limit=5).height == 5
    for wrong in ({"kind": "nonsense"}, {"label": "nonsense"}, {"system": "newer"}, {"text": ""}):
        with pytest.raises(UsageError):
            two.errors(**wrong)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_all_errors_are_exported(two: Any, tmp_path: Path, ending: str) -> None:
    place = tmp_path / f"errors.{ending}"
    assert two.export(place) == two.errors().height
    read = {"csv": pl.read_csv, "jsonl": pl.read_ndjson, "parquet": pl.read_parquet}[ending]
    back = read(place, infer_schema_length=None) if ending != "parquet" else read(place)
    assert back.columns == two.errors().columns
    assert back.height == two.errors().height
    with pytest.raises(UsageError, match=r"\.csv"):
        two.export(tmp_path / "errors.xlsx")
    assert [p.name for p in tmp_path.iterdir()] == [place.name]


def test_formulas_are_not_for_spreadsheets(tmp_path: Path) -> None:
    gold = pl.DataFrame({"unit": ["=1+1"], "text": ["@x -y"], "label": ["+A"], "start": [0], "end": [2]})
    found = karatage.explain(gold, {"s": gold.with_columns(label=pl.lit("B"))})
    found.export(tmp_path / "e.csv")
    row = pl.read_csv(tmp_path / "e.csv").row(0, named=True)
    assert (row["unit"], row["gold_label"], row["gold_text"], row["after"]) == ("'=1+1", "'+A", "'@x", " -y")


def test_ways_of_giving_systems(tmp_path: Path) -> None:
    assert list(karatage.explain(GOLD, data("shape.conll"), resamples=0).systems) == ["shape"]
    files = [data("shape.conll"), data("lexicon.conll")]
    assert list(karatage.explain(GOLD, files, resamples=0).systems) == ["shape", "lexicon"]
    assert list(karatage.explain([["B-A"]], [["O"]]).systems) == ["predictions"]
    (tmp_path / "both.txt").write_text("Rom B-LOC B-PER\n\n")
    assert karatage.explain(tmp_path / "both.txt").first.result.details["type"] == 1
    for systems, message in (({}, "needs a system"), ({"a": [["O"]]}, "give two, not 1")):
        with pytest.raises(UsageError, match=message):
            karatage.explain([["B-A"]], systems, diff=True)


def test_nothing_is_wrong() -> None:
    found: Any = karatage.explain(GOLD, {"gold": GOLD})
    assert found.first.fixes == ()
    assert "no errors" in str(found)
    assert found.errors().height == 0
    assert "No errors." in found.to_html()


def test_slices_by_what_was_asked() -> None:
    found = karatage.explain(GOLD, data("context.conll"), by=["length", "label == 'Breite'"], resamples=100)
    assert isinstance(found, ExtractionExplanation)
    assert {one.by for one in found.first.slices} == {"length", "label == 'Breite'"}
    with pytest.raises(UsageError, match="category"):
        karatage.explain(data("gold-values.tsv"), data("context-values.tsv"), by="categry", resamples=0)


def test_what_was_seen_in_training() -> None:
    """A text of the training data that has the label there is seen; one that is not there is unseen."""
    rows = {"label": ["A", "A"], "start": [0, 3], "end": [2, 5]}
    gold = pl.DataFrame({"unit": ["1", "1"], "text": ["aa bb"] * 2} | rows)
    seen = pl.DataFrame({"unit": ["t"], "text": ["aa cc"], "label": ["A"], "start": [0], "end": [2]})
    found = karatage.explain(gold, {"s": gold}, train=seen, by="seen in training")
    groups = {one.name: one.counts["gold"] for one in found.first.slices}
    assert groups == {"this label only": 1, "unseen": 1}
    with pytest.raises(karatage.KaratageError, match="without their text"):
        karatage.explain(gold, {"s": gold}, train=[["B-A"]])
    with pytest.raises(UsageError, match="--train"):
        karatage.explain(gold, {"s": gold}, by="seen in training")


def test_search() -> None:
    found = karatage.explain(
        data("search.qrels"), {"a": data("bm25.run"), "b": data("expanded.run")}, queries=data("queries.tsv")
    )
    assert isinstance(found, SearchExplanation)
    alone = karatage.score(data("search.qrels"), data("bm25.run"))
    assert found["a"].result.to_dict() == alone.to_dict()
    assert {one.by for one in found["a"].slices} == {"relevant documents", "query length", "kind"}
    first = found["a"].hardest(1).row(0, named=True)
    assert first["query"] == "Zahnriemen Superb 3T"
    assert any(one.score.low is not None for one in found["a"].slices), "slices have intervals, as the scores have"
    every = found["a"].hardest()
    assert every.height > 1
    assert every[found["a"].measure].is_sorted()
    assert every.head(1).equals(found["a"].hardest(1))
    assert first[found["a"].measure] == alone.by_unit[found["a"].measure].min()
    whole = json.loads(found.to_json(errors=1))
    assert [row["system"] for row in whole["errors"]] == ["a", "b"]
    text = str(found)
    assert "hardest queries" in text
    assert "misranked documents" in text
    assert found.errors("a", text="superb").height > 0
    for wrong in ({"kind": "merged"}, {"label": "A"}):
        with pytest.raises(UsageError):
            found.errors(**wrong)
    with pytest.raises(UsageError):
        karatage.explain(data("search.qrels"), {"a": data("bm25.run"), "b": data("expanded.run")}, train=GOLD)


def test_documents_in_the_wrong_place_by_hand() -> None:
    """Of four relevant documents one is first, one third, one not retrieved; an irrelevant one is second."""
    gold = {"q": {"a": 1, "b": 2, "c": 1, "x": 0, "y": 0}}
    run = {"q": {"a": 3.0, "x": 2.0, "b": 1.0, "y": 0.5}}
    rows = karatage.score(gold, run).documents(depth=2).rows()
    assert rows == [("q", "too low", "b", 2, 3), ("q", "missed", "c", 1, None), ("q", "too high", "x", 0, 2)]


def test_a_price_of_the_table_and_a_name_that_is_taken(tmp_path: Path) -> None:
    (tmp_path / "p.tsv").write_text("query_id\tprice\n" + "".join(f"q{k}\t{k}\n" for k in range(1, 84)))
    found = karatage.explain(data("search.qrels"), {"a": data("bm25.run")}, queries=tmp_path / "p.tsv")
    assert "price" in {one.by for one in found.first.slices}
    (tmp_path / "t.tsv").write_text("query_id\tgold\nq1\tx\n")
    with pytest.raises(UsageError, match="gold"):
        karatage.explain(data("search.qrels"), {"a": data("bm25.run")}, queries=tmp_path / "t.tsv")


def test_queries_that_are_left_out_have_no_errors() -> None:
    gold, run = {"q1": {"d": 1}, "q3": {"x": 1}}, {"q1": {"d": 1.0}}
    assert karatage.score(gold, run, missing="ignore").documents().height == 0
    assert karatage.score(gold, run, missing="empty").documents().rows() == [("q3", "missed", "x", 1, None)]


def test_tables_of_queries(tmp_path: Path) -> None:
    (tmp_path / "plain.tsv").write_text("q1\tred car\nq2\tblue\n")
    assert read_queries(tmp_path / "plain.tsv").rows() == [("q1", "red car"), ("q2", "blue")]
    (tmp_path / "q.csv").write_text('query_id,text,kind\nq1,"a, b",x\n')
    assert read_queries(tmp_path / "q.csv").to_dicts() == [{"unit": "q1", "query": "a, b", "kind": "x"}]
    (tmp_path / "same.tsv").write_text("q1\tq1\nq2\tzwei\n")
    assert read_queries(tmp_path / "same.tsv").rows() == [("q1", "q1"), ("q2", "zwei")]
    (tmp_path / "n.tsv").write_text("query_id\tprice\tyear\tcode\nq1\t2.5\t1999\t1a\nq2\t\t2000\t2\n")
    assert read_queries(tmp_path / "n.tsv").rows() == [("q1", 2.5, 1999, "1a"), ("q2", None, 2000, "2")]
    read_queries(tmp_path / "n.tsv").rename({"unit": "qid"}).write_parquet(tmp_path / "n.parquet")
    assert read_queries(tmp_path / "n.parquet").rows() == read_queries(tmp_path / "n.tsv").rows()
    for name, text, message in (
        ("none.tsv", "query_id\tquery\n\ta\n", "no id"),
        ("named.tsv", "query_id\ta\ta\nq\t1\t2\n", "same name"),
        ("odd.parquet", "no parquet", "not a Parquet"),
        ("quote.csv", 'query_id,query\nq1,"a\n', "table of queries: (?!ComputeError)"),
        ("twice.tsv", "q1\ta\nq1\tb\n", "q1"),
        ("no.tsv", "a\tb\tc\n1\t2\t3\n", "query ids"),
        ("empty.tsv", "", "not a table"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(karatage.KaratageError, match=message):
            read_queries(tmp_path / name)


@pytest.mark.parametrize(
    ("names", "headline", "measure"),
    [
        (["precision", "units_recall", "units_precision"], "precision", "units_precision"),
        (["units_recall", "units_precision", "precision"], "precision", "units_precision"),
        (["precision", "units_recall", "units_f1"], "precision", "units_recall"),
        (["units_recall", "units_precision"], "units_precision", "units_precision"),
        (["precision", "recall"], "recall", "recall"),
    ],
)
def test_queries_are_ranked_by_a_measure_that_each_of_them_has(names: list[str], headline: str, measure: str) -> None:
    """By the headline if it is a mean over queries, else by the mean of the same measure, else by the first mean."""
    metrics = {name: Metric.parse(name) for name in names}
    assert _measure(replace(get_profile("trec"), metrics=metrics, headline=headline)) == measure


def test_that_all_forms_were_seen_in_training_is_said_unless_other_slices_were_asked_for() -> None:
    units = Units(4, tokens=[["red"]] * 4)
    gold = Claims.build(units, "token", [(k, "A", 0, 1, None, None) for k in range(4)])
    pred = Claims.build(units, "token", [(k, "A", 0, 1, None, None) for k in range(3)])

    def unseen(**options: Any) -> bool:
        found = karatage.explain(gold, {"a": pred}, **options)
        assert isinstance(found, ExtractionExplanation)
        return found.first.unseen

    assert unseen(train=gold)
    assert not unseen(train=gold, by=["label"])
    assert not unseen()
