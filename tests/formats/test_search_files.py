"""Files of search teams: what is read of tables, JSON, Elasticsearch, Quepid, RRE, LTR and BEIR, and what is said."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.command import run

import karatage
from karatage.claims import Relevance
from karatage.errors import FormatError, InputError, UsageError
from karatage.explanation.search_explanation import SearchSystem
from karatage.formats import ReadOptions, Source, from_frame, get_format, sniff

Rows = list[tuple[str, str, float]]
DISAGREE = (
    "queries whose ranks and scores disagree; results are ordered by score, as in trec_eval "
    "(--columns rank=rank orders by rank)"
)


def read(place: Path, text: str, **options: Any) -> tuple[Relevance, Counter[str]]:
    """Write a file, read it by its detected format, and return what it says and what was noted."""
    place.write_text(text, "utf-8", newline="")
    notes: Counter[str] = Counter()
    form = options.pop("format", None)
    source = Source(place)
    (found,) = (get_format(form) if form else sniff(source)).read(source, ReadOptions(notes=notes, **options))
    return found, +notes


def rows(found: Relevance) -> Rows:
    ids = found.units.ids or ()
    return [(ids[u], d, v) for u, d, v in zip(found.unit.tolist(), found.document, found.value.tolist(), strict=True)]


@pytest.mark.parametrize(
    "header",
    [
        "query,docid,rating",
        "Query,DocID,Grade",
        "query_text,document,relevance",
        "QID,doc_id,judgement",
        "query-id,Doc ID,judgment",
        "queryId,docId,rel",
    ],
)
@pytest.mark.parametrize("mark", [",", "\t", ";"])
def test_judgements_with_the_usual_names_of_columns(header: str, mark: str, tmp_path: Path) -> None:
    text = f"{header}\ngolf,d1,3\ngolf,d2,0\npolo,d1,1\n".replace(",", mark)
    found, notes = read(tmp_path / "a.csv", text)
    assert (rows(found), found.what, notes) == ([("golf", "d1", 3), ("golf", "d2", 0), ("polo", "d1", 1)], "grades", {})


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_quotes_commas_and_line_breaks(end: str, tmp_path: Path) -> None:
    text = end.join(["query,docid,rating", '"golf, red",d1,1', '"say ""hi""",d2,0', "polo,d1,2", ""])
    found, _ = read(tmp_path / "a.csv", text)
    assert rows(found) == [("golf, red", "d1", 1), ('say "hi"', "d2", 0), ("polo", "d1", 2)]


def test_an_id_beside_a_text(tmp_path: Path) -> None:
    """The id pairs queries; the text is kept."""
    text = "query,qid,docid,rating\ngolf shoes,7,d1,3\ngolf shoes,7,d2,0\npolo,8,d1,1\n"
    found, notes = read(tmp_path / "a.csv", text)
    assert (found.units.ids, found.units.texts) == (["7", "8"], ["golf shoes", "polo"])
    assert notes == {}
    _, notes = read(tmp_path / "a.csv", text.replace("golf shoes,7,d2", "Golf,7,d2"))
    assert notes == {"queries with several texts, of which the first counts": 1}


def test_two_columns_for_one_thing_are_refused_unless_they_agree(tmp_path: Path) -> None:
    text = "query,query_text,docid,rating\nq1,golf,d1,3\n"
    with pytest.raises(FormatError, match=r"'query' and 'query_text' differ.*--columns query=query") as caught:
        read(tmp_path / "a.csv", text)
    assert "a.csv" in str(caught.value)
    found, _ = read(tmp_path / "a.csv", text, columns=("query=query",))
    assert (rows(found), found.units.texts) == ([("q1", "d1", 3)], ["golf"])
    found, _ = read(tmp_path / "a.csv", text.replace("golf", "q1"))
    assert rows(found) == [("q1", "d1", 3)]
    with pytest.raises(FormatError, match=r"'relevance' and 'rating' differ"):
        read(tmp_path / "b.csv", "query,docid,rating,relevance\nq1,d1,3,2\n")
    with pytest.raises(FormatError, match="two columns are called 'query'"):
        read(tmp_path / "b.csv", "query,docid,rating,query\nq1,d1,3,2\n")


def test_grades_and_scores_in_one_table_need_a_choice(tmp_path: Path) -> None:
    """In a scoring the side decides; elsewhere `--columns` does."""
    text = "query,docid,position,rating\nq1,d1,1,0\nq1,d2,2,3\n"
    place = tmp_path / "both.csv"
    with pytest.raises(FormatError, match=r"'rating' and 'position' could be judgements or results.*rank=position"):
        read(place, text)
    assert rows(read(place, text, columns=("grade=rating",))[0]) == [("q1", "d1", 0), ("q1", "d2", 3)]
    assert rows(read(place, text, columns=("rank=position",))[0]) == [("q1", "d1", -1), ("q1", "d2", -2)]
    # The relevant document is second: RR 1/2.
    assert karatage.score(place, place, metrics=["RR"], resamples=0)["RR"].value == 0.5


def test_named_columns(tmp_path: Path) -> None:
    text = "search_term,sku,label\ngolf,d1,3\n"
    columns = ("query=search_term,document=sku", "grade=label")
    assert rows(read(tmp_path / "a.csv", text, format="search-csv", columns=columns)[0]) == [("golf", "d1", 3)]
    with pytest.raises(FormatError, match=r"--format search-csv --columns query"):
        read(tmp_path / "a.csv", text)
    with pytest.raises(FormatError, match=r"no column .*Its columns are search_term, sku, label.*--columns query=NAME"):
        read(tmp_path / "a.csv", text, format="search-csv")
    with pytest.raises(UsageError, match=r"cannot read --columns 'sku'"):
        read(tmp_path / "a.csv", text, format="search-csv", columns=("sku",))
    with pytest.raises(UsageError, match=r"no column 'lable' for the grades.*The columns are query, docid, rating"):
        read(tmp_path / "b.csv", "query,docid,rating\ngolf,d1,3\n", columns=("grade=lable",))


def test_names_of_columns_match_without_regard_to_case_if_only_one_does(tmp_path: Path) -> None:
    columns = ("query=search_TERM,document=SKU,grade=label",)
    text = "Search_Term;Sku;Label\ngolf;d1;3\n"
    assert rows(read(tmp_path / "a.csv", text, format="search-csv", columns=columns)[0]) == [("golf", "d1", 3)]
    with pytest.raises(UsageError, match=r"no column 'LABEL' for the grades"):
        read(
            tmp_path / "b.csv", "query,docid,label,Label\ngolf,d1,3,1\n", format="search-csv", columns=("grade=LABEL",)
        )


def test_a_named_column_must_be_in_a_file_with_such_a_role(tmp_path: Path) -> None:
    """Document a is relevant and first: RR is 1."""
    gold, pred = tmp_path / "gold.csv", tmp_path / "pred.csv"
    gold.write_text("query,docid,rating\nq,a,1\nq,b,0\n")
    pred.write_text("query,sku,rank\nq,a,1\nq,b,2\n")

    def score(columns: str, *, of: Path = gold) -> float | None:
        result = karatage.score(of, pred, metrics=["RR"], resamples=0, columns=columns, pred_format="search-csv")
        return result["RR"].value

    assert score("document=sku") == 1  # in the results only
    assert score("document=sku,rank=RANK,grade=rating") == 1
    with pytest.raises(UsageError, match=r"no column 'label' for the grades.*gold.csv.*query, docid, rating"):
        score("document=sku,grade=label")
    with pytest.raises(UsageError, match=r"no column 'place' for the ranks.*pred.csv.*query, sku, rank"):
        score("document=sku,rank=place")
    with pytest.raises(UsageError, match=r"no column 'term' for the queries.*query, docid, rating.*query, sku, rank"):
        score("document=sku,query=term")
    qrels = tmp_path / "gold.qrels"  # which has no names of columns
    qrels.write_text("q 0 a 1\n")
    assert score("document=sku", of=qrels) == 1
    with pytest.raises(UsageError, match=r"no column 'term' for the queries"):
        score("document=sku,query=term", of=qrels)
    with pytest.raises(UsageError, match=r"no column 'term' for the queries"):
        karatage.convert(gold, tmp_path / "out.qrels", columns="query=term")


def test_results_with_unknown_columns_are_a_table_all_the_same(tmp_path: Path) -> None:
    gold, pred = tmp_path / "gold.csv", tmp_path / "pred.csv"
    gold.write_text("query,docid,rating\nq,a,1\nq,b,0\n")
    pred.write_text("Query,Product ID,Position\nq,b,1\nq,a,2\n")
    with pytest.raises(FormatError) as caught:
        karatage.score(gold, pred, metrics=["RR"], resamples=0)
    for part in ("The columns are: Query, Product ID, Position", "--pred-format search-csv --columns query=", "rank="):
        assert part in str(caught.value)
    # The relevant document is second.
    how = {"pred_format": "search-csv", "columns": "document=Product ID"}
    assert karatage.score(gold, pred, metrics=["RR"], resamples=0, **how)["RR"].value == 0.5


def test_what_quepid_leaves_empty_is_skipped_and_counted(tmp_path: Path) -> None:
    """A query without ratings is a row of its own, and an unrated document has no rating."""
    found, notes = read(tmp_path / "a.csv", "query,docid,rating\ngolf,d1,3\ngolf,d2,\nkart\npolo,,\n")
    assert rows(found) == [("golf", "d1", 3)]
    assert notes == {"rows without a grade, not judged": 1, "rows without a document, skipped": 2}


def test_a_snapshot_of_quepid_is_a_run(tmp_path: Path) -> None:
    header = "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position"
    text = f"{header}\nmay,2026-05-01,7,golf,d3,1\nmay,2026-05-01,7,golf,d1,2\n"
    found, notes = read(tmp_path / "a.csv", text)
    assert (rows(found), found.what, notes) == ([("golf", "d3", -1), ("golf", "d1", -2)], "scores", {})
    text = json.dumps({"name": "may", "docs": {"5": [{"id": "d3"}, {"id": "d1"}]}, "queries": []})
    assert rows(read(tmp_path / "a.json", text)[0]) == [("5", "d3", -1), ("5", "d1", -2)]
    text = json.dumps({"docs": {"5": [{"id": "d3"}]}, "queries": [{"query_id": 5, "query_text": "golf"}]})
    assert rows(read(tmp_path / "a.json", text)[0]) == [("golf", "d3", -1)]


GAPS = "queries whose ranks have gaps or start above 1: results below a gap move up"


@pytest.mark.parametrize(
    ("ranks", "noted"),
    [
        ((1, 2, 3), {}),
        ((0, 1, 2), {}),
        ((1, 2, 2), {}),  # a tie
        ((1, 1, 3), {}),
        ((1, 2, 4), {GAPS: 1}),
        ((11, 12, 13), {GAPS: 1}),
        ((0, 1, 3), {GAPS: 1}),
    ],
)
def test_ranks_order_results_and_gaps_are_noted(ranks: tuple[int, ...], noted: dict[str, int], tmp_path: Path) -> None:
    lines = "".join(f"q,d{k},{rank}\n" for k, rank in enumerate(ranks))
    found, notes = read(tmp_path / "a.csv", f"query,docid,rank\n{lines}")
    assert [value for *_, value in rows(found)] == [-rank for rank in ranks]
    assert notes == noted


def test_ranks_that_start_at_0_and_at_1(tmp_path: Path) -> None:
    _, notes = read(tmp_path / "a.csv", "query,docid,rank\nq,a,0\nq,b,1\np,a,1\np,b,2\n")
    assert notes == {"queries whose ranks start at 0, while those of others start at 1": 1}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hits.jsonl", json.dumps({"query": "q", "response": {"hits": {"hits": [
            {"_id": "a", "_score": 1.0}, {"_id": "b", "_score": 1.0}]}}})),
        ("table.csv", "query,docid,rank,score\nq,b,2,1.0\nq,a,1,1.0\n"),
        ("rows.jsonl", '{"query":"q","doc":"b","rank":2,"score":1}\n{"query":"q","doc":"a","rank":1,"score":1}\n'),
        ("lists.jsonl", '{"query":"q","results":[{"doc_id":"a","score":1},{"doc_id":"b","score":1}]}\n'),
        # Scores are compared in single precision, in which these are equal.
        ("close.csv", "query,docid,rank,score\nq,a,1,1.00000000002\nq,b,2,1.00000000001\n"),
    ],
)  # fmt: skip
def test_equal_scores_keep_the_order_that_users_saw(name: str, text: str, tmp_path: Path) -> None:
    """The relevant document a is first: nDCG is 1, and not 1/log2(3) = 0.6309, as ids would order."""
    (tmp_path / "gold.csv").write_text("query,docid,rating\nq,a,1\nq,b,0\n")
    (tmp_path / name).write_text(text)
    result = karatage.score(tmp_path / "gold.csv", tmp_path / name, metrics=["nDCG@10"], resamples=0)
    assert result["nDCG@10"].value == 1
    assert not any("tied" in warning for warning in result.warnings)


def test_without_a_rank_equal_scores_are_ordered_as_in_trec_eval(tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("query,docid,rating\nq,a,1\nq,b,0\n")
    for name, text in (("a.csv", "query,docid,score\nq,a,1\nq,b,1\n"), ("a.run", "q Q0 a 1 1 m\nq Q0 b 2 1 m\n")):
        (tmp_path / name).write_text(text)
        result = karatage.score(tmp_path / "gold.csv", tmp_path / name, metrics=["nDCG@10"], resamples=0)
        assert result["nDCG@10"].value == pytest.approx(1 / np.log2(3))


def test_places_replace_scores_only_in_queries_that_need_them(tmp_path: Path) -> None:
    lines = (
        "q,a,1,9\nq,b,2,7\nq,c,3,7\nq,d,3,5\n"  # b and c have one score, and c and d one rank
        "r,a,1,3\nr,b,2,2\n"  # all scores differ
        "s,a,1,1\ns,b,2,1\ns,c,3,2\n"  # the scores rise, so that they decide
        "t,a,,1\nt,b,2,1\n"  # a rank is missing
        "u,a,1,4\nu,b,1,4\nu,c,3,4\n"  # a and b are tied in both
    )
    found, notes = read(tmp_path / "a.csv", f"query,docid,rank,score\n{lines}")
    assert [value for *_, value in rows(found)] == [-1, -2, -3, -4, 3, 2, 1, 1, 2, 1, 1, -1, -1, -2]
    assert notes == {DISAGREE: 1}


def test_ranks_that_start_anew_are_duplicates(tmp_path: Path) -> None:
    duplicate = "queries with duplicate ranks: they seem to start anew, as on a second page"
    _, notes = read(tmp_path / "a.csv", "query,docid,rank\nq,a,1\nq,b,2\nq,c,1\nq,d,2\np,a,1\np,b,2\n")
    assert notes == {duplicate: 1}
    lines = "q,a,1,9\np,a,2,1\nq,b,2,8\np,b,1,2\nq,c,1,7\nq,d,2,6\n"  # p is only written from below
    _, notes = read(tmp_path / "b.csv", f"query,docid,rank,score\n{lines}")
    # By rank the scores of q are 9 7 8 6, which rise once.
    assert notes.pop(duplicate) == 1
    assert list(notes.values()) == [1]
    ranked = [{"doc_id": d, "rank": r} for d, r in (("a", 1), ("b", 2), ("c", 1))]
    _, notes = read(tmp_path / "c.jsonl", json.dumps({"query": "q", "results": ranked}))
    assert notes[duplicate] == 1


def test_ranks_beside_scores_are_compared(tmp_path: Path) -> None:
    """Scores order; of query q the ranks say otherwise, whichever row comes first."""
    for lines in ("q,a,1,0.5\nq,b,2,0.9\np,a,1,3\np,b,2,1\n", "q,b,2,0.9\np,b,2,1\np,a,1,3\nq,a,1,0.5\n"):
        found, notes = read(tmp_path / "a.csv", f"query,docid,rank,score\n{lines}")
        assert found.what == "scores"
        assert notes == {DISAGREE: 1}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("q,d1,1\nq,d1,2\n", r"a\.csv:3.*q: duplicate document 'd1' for this query, first in line 2"),
        ("q,d1,1\nq,d2,\n", r"a\.csv:3.*q: the row has no rank"),
        ("q,d1,1\nq,d2,x\n", r"a\.csv:3.*q: the rank 'x' is not a whole number"),
        ("q,d1,1\nq,d2,-1\n", r"a\.csv:3.*q: the rank '-1' is not a whole number"),
        ("q,d1,1\nq,d2,1.5\n", r"a\.csv:3.*q: the rank '1.5' is not a whole number"),
        ("q,d1,1\n,d2,1\n", r"a\.csv:3: the row has no query"),
        ("q,d1,1\nq,,1\n", r"a\.csv:3: the row has no document"),
        ("q,d1,1\nq,d2\n", r"a\.csv:3: expected 3 columns, found 2"),
        ("q,d1,1\nquery,docid,rank\n", r"a\.csv:3: the header is repeated here"),
        ('q,d1,1\nq,"d2,1\n', r"a\.csv:3: invalid quoting"),
        ("", r"a\.csv: the file has no rows"),
    ],
)
def test_a_message_names_the_line(lines: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path / "a.csv", f"query,docid,rank\n{lines}")


def test_scores_must_be_numbers(tmp_path: Path) -> None:
    for cell in ("nan", "inf", "", "high"):
        with pytest.raises(InputError, match=r"a\.csv:3.*is not a number"):
            read(tmp_path / "a.csv", f"query,docid,score\nq,d1,1\nq,d2,{cell}\n")
    with pytest.raises(InputError, match=r"a\.csv:2.*the grade '2.5' is not an integer"):
        read(tmp_path / "a.csv", "query,docid,rating\nq,d1,2.5\n")
    with pytest.raises(FormatError, match="is JSON, not a table"):
        read(tmp_path / "a.csv", "[]", format="search-csv")


def test_data_frames_have_the_same_names(tmp_path: Path) -> None:
    columns = {"Query Text": ["golf", "golf"], "Doc ID": ["d3", "d1"], "Doc Position": [1, 2]}
    for frame in (pl.DataFrame(columns), pd.DataFrame(columns)):
        assert rows(from_frame(frame, "frame")) == [("golf", "d3", -1), ("golf", "d1", -2)]
    pl.DataFrame(columns).write_parquet(tmp_path / "a.parquet")
    assert sniff(Source(tmp_path / "a.parquet")).name == "trec-run"
    gold = pl.DataFrame({"query": ["golf"], "docid": ["d1"], "rating": [2]})
    # d1 is second: RR 1/2.
    assert karatage.score(gold, tmp_path / "a.parquet", metrics=["RR"], resamples=0)["RR"].value == 0.5
    gaps = karatage.score(gold, pl.DataFrame({"query": ["golf"], "docid": ["d1"], "rank": [3]}), resamples=0)
    assert any(GAPS in warning for warning in gaps.warnings)


def test_json_rows_and_ranked_lists(tmp_path: Path) -> None:
    lines = '{"query": "golf", "doc_id": "d3", "score": 2.5}\n{"query": "golf", "doc_id": 1, "score": 1}\n'
    assert rows(read(tmp_path / "a.jsonl", lines)[0]) == [("golf", "d3", 2.5), ("golf", "1", 1)]
    lists = '{"query": "golf", "results": ["d3", "d1"]}\n{"query": "kart", "results": []}\n'
    found, _ = read(tmp_path / "a.jsonl", lists)
    assert (rows(found), found.units.ids) == ([("golf", "d3", -1), ("golf", "d1", -2)], ["golf", "kart"])
    scored = '[{"qid": 1, "query": "golf", "results": [{"doc_id": "a", "score": 2}, {"doc_id": "b", "score": 1}]}]'
    found, _ = read(tmp_path / "a.json", scored)
    assert (rows(found), found.units.texts) == ([("1", "a", 2), ("1", "b", 1)], ["golf"])
    ranked = '{"query": "q", "results": [{"doc_id": "a", "rank": 2}, {"doc_id": "b", "rank": 1}]}'
    found, notes = read(tmp_path / "a.json", ranked)
    assert rows(found) == [("q", "a", -2), ("q", "b", -1)]
    assert notes == {"queries whose results are listed in another order than their scores or ranks, which count": 1}
    for text, message in {
        '{"query": "q", "results": ["a"]}\n{"query": "q", "results": ["b"]}\n': r":2.*duplicate query 'q'",
        '{"query": "q", "results": [{"doc_id": "a", "score": 1}, "b"]}': "scores nor ranks and some have scores",
        '{"query": "q", "doc_id": "a", "rank": 1}\n{"query": "q", "doc_id": "b"}\n': r":2: rank is missing",
        '{"query": null, "doc_id": "a", "rank": 1}': "query is null",
    }.items():
        with pytest.raises(InputError, match=message):
            read(tmp_path / "a.jsonl", text)


def hits(*documents: str, **more: Any) -> dict[str, Any]:
    found = [{"_index": "shop", "_id": d, "_score": 9.0 - k, "_source": {}} for k, d in enumerate(documents)]
    return {"took": 1, "timed_out": False, "hits": {"total": {"value": len(found)}, "hits": found}, **more}


NUMBERED = "queries numbered in the order of the responses, which do not name them (--query-list names them)"


def test_responses_of_elasticsearch(tmp_path: Path) -> None:
    """A query is named beside or around its response, by a list, or by the file; or it is a number, and noted."""
    wanted = [("golf", "d3", 9.0), ("golf", "d1", 8.0)]
    one, place = hits("d3", "d1"), tmp_path / "golf.json"
    named: list[Any] = [
        {"query": "golf", **one},
        {"query": "golf", "response": one},
        {"golf": one},
        {"queries": ["golf"], "responses": [one]},
        {"metric_score": 0.5, "details": {"golf": {"hits": [{"hit": h, "rating": None} for h in one["hits"]["hits"]]}}},
    ]
    for value in named:
        found, notes = read(place, json.dumps(value))
        assert (rows(found), notes) == (wanted, {})
    found, notes = read(place, json.dumps(one))
    assert (rows(found), notes) == (wanted, {"queries named after their file, as the response does not name them": 1})
    many = json.dumps({"took": 2, "responses": [one, hits("d5")]})
    found, notes = read(place, many)
    assert (found.units.ids, notes) == (["1", "2"], {NUMBERED: 2})
    (tmp_path / "q.txt").write_text("golf\npolo\n")
    found, notes = read(place, many, query_list=str(tmp_path / "q.txt"))
    assert (rows(found), notes) == ([*wanted, ("polo", "d5", 9.0)], {})
    (tmp_path / "q.txt").write_text("golf\n")
    with pytest.raises(InputError, match=r"q\.txt: lists 1 query, but .*golf\.json has 2 responses"):
        read(place, many, query_list=str(tmp_path / "q.txt"))


def test_a_file_of_two_formats_is_refused(tmp_path: Path) -> None:
    text = json.dumps({"query": "q", "results": ["a"], **hits("a")})
    with pytest.raises(FormatError, match="may be search-jsonl or elasticsearch"):
        read(tmp_path / "a.json", text)
    assert rows(read(tmp_path / "a.json", text, format="search-jsonl")[0]) == [("q", "a", -1)]


def test_what_is_odd_in_a_response_is_said(tmp_path: Path) -> None:
    place = tmp_path / "a.json"
    failed = {"query": "golf", "error": {"type": "x", "reason": "no such index [shop]"}, "status": 404}
    with pytest.raises(FormatError, match=r"golf: the engine answered with an error: no such index \[shop\]"):
        read(place, json.dumps(failed))
    _, notes = read(place, json.dumps({"query": "q", **hits("a"), "timed_out": True}))
    assert notes == {"responses that timed out or miss shards": 1}
    by_price = {"query": "q", **hits("a", "b")}
    by_price["hits"]["hits"][0]["_score"] = 1.0
    found, notes = read(place, json.dumps(by_price))
    assert [value for *_, value in rows(found)] == [-1, -2]
    assert notes == {"responses not ordered by _score, in which the order of the hits counts": 1}
    no_scores = {"query": "q", "hits": {"hits": [{"_id": "a", "_score": None, "sort": [3]}, {"_id": "b"}]}}
    found, notes = read(place, json.dumps(no_scores))
    assert [value for *_, value in rows(found)] == [-1, -2]
    assert notes == {"responses not ordered by _score, in which the order of the hits counts": 1}
    ten = {"query": "q", **hits(*map(str, range(10)))}
    ten["hits"]["total"]["value"] = 200
    _, notes = read(place, json.dumps(ten))
    assert notes == {"responses cut at 10 hits, the default size, although more documents match": 1}
    with pytest.raises(FormatError, match="duplicate query 'q'"):
        read(place, json.dumps([{"query": "q", **hits("a")}, {"query": "q", **hits("a")}]))
    with pytest.raises(FormatError, match="_rank_eval failed for some requests: golf"):
        read(place, json.dumps({"metric_score": 0, "details": {}, "failures": {"golf": {"error": "x"}}}))


def test_judgements_of_rank_eval_and_quepid(tmp_path: Path) -> None:
    ratings = [{"_index": "shop", "_id": "d1", "rating": 3}, {"_index": "shop", "_id": "d2", "rating": 0}]
    request = {"requests": [{"id": "golf", "request": {"query": {}}, "ratings": ratings}], "metric": {"precision": {}}}
    found, notes = read(tmp_path / "a.json", json.dumps(request), others=True)
    assert rows(found) == [("golf", "d1", 3), ("golf", "d2", 0)]
    assert notes == {"indexes of documents": 2, '"request" of requests': 1} or notes == {"indexes of documents": 2}
    case = {"case_name": "shop", "queries": [{"query_text": "golf", "ratings": {"d1": 3, "d2": None}, "notes": ""}]}
    found, notes = read(tmp_path / "a.json", json.dumps(case))
    assert (rows(found), notes) == ([("golf", "d1", 3)], {"rows without a grade, not judged": 1})
    found, _ = read(tmp_path / "a.json", '{"queries": [{"query": "golf", "ratings": {"d1": 3}}]}')
    assert rows(found) == [("golf", "d1", 3)]


def test_ratings_of_rre(tmp_path: Path) -> None:
    """Queries of a group share its documents; gains are under documents, or documents under gains."""
    group = {
        "name": "brand",
        "queries": [{"placeholders": {"$query": "golf"}}, {"placeholders": {"$query": "Golf", "$lang": "en"}}],
        "relevant_documents": {"d1": {"gain": 3}, "d2": {"gain": 1}},
    }
    single = {"placeholders": {"$q": "polo"}, "relevant_documents": {"2": ["d4", 5]}}
    text = json.dumps({"index": "shop", "topics": [{"description": "t", "query_groups": [group]}], "queries": [single]})
    found, notes = read(tmp_path / "a.json", text)
    assert rows(found) == [
        *[
            ("golf", "d1", 3),
            ("golf", "d2", 1),
            ("Golf", "d1", 3),
            ("Golf", "d2", 1),
            ("polo", "d4", 2),
            ("polo", "5", 2),
        ]
    ]
    assert notes == {}
    group["queries"].append({"placeholders": {"$query": "polo"}})  # type: ignore[attr-defined]
    _, notes = read(tmp_path / "a.json", json.dumps({"query_groups": [group], "queries": [single]}))
    assert notes == {"queries in several groups, whose documents are merged": 1}
    group["relevant_documents"] = {"d4": {"gain": 1}}
    with pytest.raises(FormatError, match="'d4' has the gains 1 and 2"):
        read(tmp_path / "a.json", json.dumps({"query_groups": [group], "queries": [single]}))
    unclear = {"queries": [{"placeholders": {"$a": "x", "$b": "y"}, "relevant_documents": {}}]}
    with pytest.raises(FormatError, match=r"which placeholder is the query: \$a, \$b"):
        read(tmp_path / "a.json", json.dumps(unclear))


def test_files_of_learning_to_rank(tmp_path: Path) -> None:
    text = '# qid:1: golf shoes\n3 qid:1 1:0.5 2:0 # d1\n0\tqid:1 1:0.1 #docid = GX7 inc = 1\n\n2 qid:2 # d4; "polo"\n'
    found, notes = read(tmp_path / "a.txt", text)
    assert rows(found) == [("1", "d1", 3), ("1", "GX7", 0), ("2", "d4", 2)]
    assert (found.units.texts, notes) == (["golf shoes", ""], {})
    _, notes = read(tmp_path / "a.txt", text, others=True)
    assert notes == {"features": 2}
    assert rows(read(tmp_path / "a.txt", "3 qid:1 # d1;\n1 qid:1 # d2, b\n")[0]) == [("1", "d1;", 3), ("1", "d2,", 1)]
    with pytest.raises(FormatError, match="would be read as 'd1'"):
        karatage.convert({"1": {"docid=d1": 1}}, tmp_path / "b.ltr", to="ltr")
    with pytest.raises(FormatError, match=r"a\.txt:2.*1: the line does not name its document"):
        read(tmp_path / "a.txt", "3 qid:1 1:0.5 # d1\n3 qid:1 1:0.5\n")
    with pytest.raises(FormatError, match=r"a\.txt:1: expected a grade, qid:QUERY and features"):
        read(tmp_path / "a.txt", "3 1:0.5\n", format="ltr")


def test_folders_of_beir(tmp_path: Path) -> None:
    """The test set counts, its scores are grades, and queries.jsonl has the texts."""
    folder = tmp_path / "nq"
    (folder / "qrels").mkdir(parents=True)
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "golf"}\n{"_id": "q2", "text": "polo"}\n')
    (folder / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    (folder / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    with pytest.raises(FormatError, match=r"no qrels/test\.tsv.*dev\.tsv, train\.tsv"):
        list(get_format("beir").read(Source(folder), ReadOptions()))
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq2\td1\t2\nq3\td1\t1\n")
    notes: Counter[str] = Counter()
    (found,) = get_format("beir").read(Source(folder), ReadOptions(notes=notes))
    assert (rows(found), found.what) == ([("q2", "d1", 2), ("q3", "d1", 1)], "grades")
    assert (found.units.texts, +notes) == (["polo", ""], {"queries that queries.jsonl does not have": 1})
    results = tmp_path / "r.csv"
    results.write_text("query,docid,score\nq2,d1,1\nq3,d9,1\n")
    assert karatage.score(folder, results, metrics=["RR"], resamples=0)["RR"].value == 0.5
    assert karatage.score(folder / "qrels" / "test.tsv", results, metrics=["RR"], resamples=0)["RR"].value == 0.5


def test_converting_says_what_is_lost(tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("qid,query,docid,rating\n1,golf shoes,d 1,3\n1,golf shoes,d2,0\n")
    out = tmp_path / "out.qrels"
    assert karatage.convert(gold, out) == {"texts of queries": 1, "blanks in ids, written as _": 1}
    assert out.read_text() == "1 0 d_1 3\n1 0 d2 0\n"
    out.unlink()
    with pytest.raises(FormatError, match="would lose something: texts of queries"):
        karatage.convert(gold, out, allow_loss=False)
    assert not out.exists()
    gold.write_text("query,docid,rating\nq,d 1,3\nq,d_1,0\n")
    with pytest.raises(FormatError, match="'d 1' and 'd_1' would both be written as 'd_1'"):
        karatage.convert(gold, out)
    with pytest.raises(
        FormatError, match=r"several formats use this extension \(elasticsearch, rank-eval, quepid, rre\)"
    ):
        karatage.convert(gold, tmp_path / "out.json")
    done = run("convert", gold, tmp_path / "out.run")
    assert done.returncode == 2
    assert "judgements, not results, which the format 'trec-run' cannot store" in done.stderr


def test_texts_of_queries_reach_the_explanation(tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("qid,query,docid,rating\n1,golf shoes,d1,3\n2,polo,d2,1\n")
    (tmp_path / "run.csv").write_text("qid,docid,score\n1,d1,3\n2,d3,1\n")
    found = karatage.explain(tmp_path / "gold.csv", tmp_path / "run.csv", resamples=0)
    (system,) = found.systems.values()
    assert isinstance(system, SearchSystem)
    assert system.queries["query"].to_list() == ["golf shoes", "polo"]


def test_numbered_responses_explain_why_nothing_fits(tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("query,docid,rating\ngolf,d1,3\n")
    (tmp_path / "es.json").write_text(json.dumps({"responses": [hits("d1"), hits("d2")]}))
    with pytest.raises(InputError, match=r"no query of the run has judgements.*--query-list"):
        karatage.score(tmp_path / "gold.csv", tmp_path / "es.json")
    (tmp_path / "q.txt").write_text("golf\npolo\n")
    done = karatage.score(tmp_path / "gold.csv", tmp_path / "es.json", query_list=str(tmp_path / "q.txt"), resamples=0)
    assert done["RR"].value == 1.0


def test_tables_come_from_standard_input_too(tmp_path: Path) -> None:
    """A row that the quick reader refuses is read again, but standard input is not."""
    (tmp_path / "gold.csv").write_text("query,docid,rating\ngolf,d1,3\n")
    done = run("convert", "-", "-", "--to", "search-csv", stdin="query,docid,rating\ngolf,d1,3\ngolf,d2,\n")
    assert (done.returncode, done.stdout) == (0, "query,docid,rating\ngolf,d1,3\n")
    assert "rows without a grade, not judged (1)" in done.stderr


def test_a_format_of_judgements_leaves_results_to_detection(tmp_path: Path) -> None:
    (tmp_path / "gold.json").write_text('{"queries": [{"query": "golf", "ratings": {"d1": 3}}]}')
    (tmp_path / "run.csv").write_text("query,docid,rank\ngolf,d1,1\n")
    found = karatage.score(tmp_path / "gold.json", tmp_path / "run.csv", format="quepid", resamples=0)
    assert found["RR"].value == 1.0


def test_comments_of_learning_to_rank_with_several_words_are_doubtful(tmp_path: Path) -> None:
    several = "comments with several words, of which the first is taken as the document"
    found, notes = read(tmp_path / "a.ltr", "3 qid:1 # sku 0044 golf\n1 qid:2 # d1\n")
    assert (rows(found), notes) == ([("1", "sku", 3), ("2", "d1", 1)], {several: 1})
    found, notes = read(tmp_path / "b.ltr", '3 qid:1 # sku 0044; "golf"\n1 qid:1 # docid = d1 inc = 1\n')
    assert (rows(found), notes) == ([("1", "sku 0044", 3), ("1", "d1", 1)], {})


def test_queries_that_beir_cannot_hold_are_numbered(tmp_path: Path) -> None:
    gold = {"golf": {"d1": 3}, 'tv 55"': {"d2": 1}}
    lost = karatage.convert(gold, tmp_path / "beir", to="beir")
    assert lost["query ids, replaced by numbers (queries.jsonl has the ids as texts)"] == 2
    (found,) = get_format("beir").read(Source(tmp_path / "beir"), ReadOptions())
    assert (found.units.ids, found.units.texts) == (["1", "2"], ["golf", 'tv 55"'])
    with pytest.raises(FormatError, match=r"the document 'd\\t1' contains a tab.*Replace these characters.*search-csv"):
        karatage.convert({"golf": {"d\t1": 3}}, tmp_path / "other", to="beir")
