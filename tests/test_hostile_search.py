"""Search meets bad input: one clear message, and nothing wrong that is taken silently."""

from __future__ import annotations

import random
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import karatage
from karatage.errors import KaratageError

QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\nq2 0 d3 1\n"
RUN = "q1 Q0 d1 1 9.5 m\nq1 Q0 d2 2 8 m\nq2 Q0 d3 1 7 m\nq2 Q0 d9 2 6 m\n"
GOLD = "doc/query\tq1\tq2\nd1\t1\t0\nd2\t-1\t1\nd3\t1\t1\n"
PRED = "doc/query\tq1\tq2\nd1\t1\t-1\nd2\t1\t1\nd3\t-1\t1\n"
STRICT = "sigir-ecom19-corrected"


@pytest.fixture
def place(tmp_path: Path) -> Any:
    def write(name: str, text: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


def refused(words: str, *sides: Any, **options: Any) -> None:
    with pytest.raises(KaratageError, match=words):
        karatage.score(*sides, **options).compute()


def test_tabs_make_no_matrix(place: Any) -> None:
    """Qrels and runs with tabs are what they are, and a blank within is no part of an id."""
    wanted = karatage.score(place("a.qrels", QRELS), place("a.run", RUN), resamples=0).metrics
    qrels, run = place("tab.txt", QRELS.replace(" ", "\t")), place("tab.run", RUN.replace(" ", "\t"))
    assert karatage.score(qrels, run, resamples=0).metrics == wanted
    mixed = place("mixed.run", RUN.replace(" ", "\t").replace("d1\t", "d1 \t"))
    assert karatage.score(qrels, mixed, resamples=0).metrics == wanted


def test_files_that_can_be_read_once(place: Any) -> None:
    """A pipe, as a shell makes it with <(…), on either side, and standard input."""
    qrels, run = place("a.qrels", QRELS), place("a.run", RUN)
    karatage_ = f"{sys.executable} -m karatage score"
    for words in (
        f"{karatage_} <(cat {qrels}) {run}",
        f"{karatage_} {qrels} <(cat {run})",
        f"{karatage_} {qrels} <(gzip -c {run})",
        f"cat {run} | {karatage_} {qrels} -",
        f"cat {qrels} | {karatage_} - {run}",
    ):
        done = subprocess.run(
            ["bash", "-c", f"{words} -m AP --resamples 0"], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, ""), words
        assert "AP       0.7500" in done.stdout


def test_odd_bytes_in_a_run(place: Any) -> None:
    qrels = place("a.qrels", QRELS)
    refused("a.run:2: the line contains a NUL byte", qrels, place("a.run", RUN.replace("d2", "d\0002")))
    refused("a.run: the file is empty", qrels, place("a.run", ""))
    refused("a.run: the file is empty", qrels, place("a.run", "\n\n"))
    refused("a.run:1: the score '1_0' is not a number", qrels, place("a.run", RUN.replace("9.5", "1_0")))
    refused("a.run:1: the score '٣' is not a number", qrels, place("a.run", RUN.replace("9.5", "٣")))
    refused("b.qrels:1: the grade '1_0' is not", place("b.qrels", QRELS.replace("d1 2", "d1 1_0")), place("a.run", RUN))
    odd = place("odd.run", RUN.replace("d3", "d\u2028\x0c3"))
    assert karatage.score(qrels, odd, resamples=0).counts["predicted"] == 4


@pytest.mark.parametrize("like", ["sigir-ecom19", STRICT])
def test_a_ground_truth_without_rows_or_queries(place: Any, like: str) -> None:
    pred = place("pred.tsv", PRED)
    refused("no pair is judged", place("gold.tsv", "doc/query\tq1\n"), pred, like=like)
    refused("the first row names no query", place("gold.tsv", "doc\nd1\n"), pred, like=like)


def test_documents_that_are_hard_to_read(place: Any) -> None:
    sides = place("gold.tsv", GOLD), place("pred.tsv", PRED)

    def prices(*rows: str) -> Path:
        found: Path = place("documents.tsv", "\n".join(["doc_id\tprice", *(r.replace(" ", "\t") for r in rows)]) + "\n")
        return found

    plain = karatage.score(*sides, documents=prices("d1 1", "d2 2", "d3 3"), resamples=0).metrics
    written: tuple[tuple[str, ...], ...] = (
        ("", "d1 1", "d2 2", "d3 3"),
        ("d1 1", "", "d2 2 more", "d3 3", "x"),
        ("d1 9", "d1 1", "d2 2", "d3 3"),
    )
    for rows in written:
        assert karatage.score(*sides, documents=prices(*rows), resamples=0).metrics == plain
    apart = "cannot be divided into bins"
    for rows in (
        ("d1 1e17", "d2 1e17", "d3 1e17"),
        ("d1 -1e308", "d2 1e308", "d3 1e308"),
        ("d1 0", "d2 1", "d3 5e-324"),
    ):
        refused(f"query q1: .*{apart}", *sides, documents=prices(*rows))
    refused("'d1' has two prices, 9 and 1", *sides, documents=prices("d1 9", "d1 1", "d2 2", "d3 3"), like=STRICT)
    twice = place("documents.tsv", "doc_id\tprice\tprice\nd1\t1\t2\n")
    refused("has the column 'price' twice", *sides, documents=twice, like=STRICT)
    cut = karatage.score(
        *sides, documents=prices("d1 1", "d2 2", "d3 3"), metrics=["PriceNDCG@1000000000"], resamples=0
    )
    assert cut["PriceNDCG@1000000000"].value == plain["l2h_ndcg10"].value


def test_labels_obey_or_refuse_what_is_said_of_queries(place: Any) -> None:
    gold, pred = place("gold.tsv", GOLD), place("pred.tsv", PRED.replace("q2", "qz"))
    refused("query q2: the predictions have no labels for this query", gold, pred, missing="error")
    refused("query qz: this query of the predictions is not in gold", gold, pred, extra="error")
    refused("use --missing empty or --missing error", gold, pred, missing="ignore")
    refused("--ties works for ranked results only", gold, pred, ties="expected")
    empty = "doc/query\tq1\n\t1\n\t-1\n"
    refused("the document '' occurs twice", place("gold.tsv", empty), place("pred.tsv", empty), like=STRICT)


@pytest.mark.parametrize(
    ("gold", "pred", "words"),
    [
        ({"q": {"a": 2**63}}, {"q": {"a": 1.0}}, "beyond 2\\^53"),
        ({"q": {"a": 1}}, {"q": {"a": 10**400}}, "is not a number"),
        ({"q": {"a": 1}}, {"q": {"a": 1.0, "b": True}}, "the score True is not a number"),
        ({"q": {"a": 1}}, {"q": {"a": 1.0, "b": "3"}}, "the score '3' is not a number"),
        ({"q": {"a": 1}}, {"q": {"a": 1.0, "b": b"3"}}, "is not a number"),
        ({"q": {"a": 1, "b": True}}, {"q": {"a": 1.0}}, "True is not a number"),
        ({"q": {"a": 1}}, {"q": {"\ud800": 1.0}}, "cannot be encoded as UTF-8"),
    ],
)
def test_odd_values_in_dictionaries(gold: Any, pred: Any, words: str) -> None:
    refused(words, gold, pred, like="trec")


def test_odd_columns_in_frames() -> None:
    gold = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["1", "2"], "relevance": [1, 0]})
    run: dict[str, Any] = {"query_id": ["q", "q"], "doc_id": ["1", "2"], "score": [2.0, 1.0]}
    column: Any
    for name, column, words in (
        ("doc_id", [1.5, 2.0], "the document 1.5 in row 1 is neither a string nor an integer"),
        ("doc_id", [b"1", b"2"], "got Binary"),
        ("doc_id", [["1"], ["2"]], "'doc_id' must contain strings or integers, got List"),
        ("query_id", [True, True], "'query_id' must contain strings or integers, got Boolean"),
        ("score", [date(2024, 1, 1)] * 2, "'score' must contain numbers, got Date"),
        ("score", [[1.0], [2.0]], "'score' must contain numbers, got List"),
        ("doc_id", ["1", None], "row 2 has no document"),
    ):
        refused(words, gold, pl.DataFrame(run | {name: column}))
    for name, column, words in (
        ("doc_id", ["1", np.nan], "row 2 has no document"),
        ("doc_id", ["1", pd.NA], "row 2 has no document"),
        ("doc_id", [1.5, 2.0], "the document 1.5 in row 1 is neither a string nor an integer"),
        ("query_id", [None, "q"], "row 1 has no query"),
        ("score", [1.0, np.nan], "row 2: the score nan is not a number"),
    ):
        refused(words, gold, pd.DataFrame(run | {name: column}))
    both = pl.DataFrame(run | {"relevance": [0, 1]})
    assert karatage.score(gold, both, resamples=0)["RR"].value == 1.0
    assert karatage.score(gold.lazy(), both.lazy(), resamples=0)["RR"].value == 1.0
    assert karatage.score(gold.cast({"doc_id": pl.Categorical}), both, resamples=0)["RR"].value == 1.0


def test_an_empty_list_of_results_is_said() -> None:
    gold = {"q": {"a": 1}, "r": {"c": 2}}
    result = karatage.score(gold, {"q": {"a": 1.0}, "r": {}}, metrics=["AP"])
    assert result["AP"].value == 0.5
    assert result.warnings == ("queries without results, scored 0: 1",)
    refused("query r: .*no results for this query", gold, {"q": {"a": 1.0}, "r": {}}, missing="error")


def test_grades_that_are_too_high() -> None:
    gold, run = {"q": {"a": 2000, "b": 1}}, {"q": {"a": 1.0}}
    refused("cannot take the grade 2000: at most 1,000", gold, run, metrics=["nDCG(gain=exp)@10"])
    refused(r"max is a whole number from 1 to 1,000", gold, run, metrics=["ERR(max=2000)"])
    refused("unknown metric", gold, run, metrics=["nDCG@" + "9" * 5000])
    assert karatage.score(gold, run, metrics=["nDCG@10"])["nDCG@10"].value == pytest.approx(
        2000 / (2000 + 1 / np.log2(3))
    )


@pytest.mark.parametrize("text", ["P@٣", "P(rel=٣)@5", "SetF(beta=1_0)", "RBP(p=.)", "nDCG(gain=linear,gain=exp)@5"])
def test_odd_parameters(text: str) -> None:
    refused("unknown metric|is a |twice", {"q": {"a": 1}}, {"q": {"a": 1.0}}, metrics=[text])


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ('base = "trec"\nundefined = { AP = 2.0 }', "undefined.AP must be a number between 0 and 1"),
        ('base = "trec"\nundefined = { nonsense = 0.5 }', "unknown measure 'nonsense'"),
        ('base = "trec"\nundefined = -1.0', "undefined must be between 0 and 1"),
        ('base = "trec"\nmetrics = ["macro_f1"]', "'macro_f1' is for extraction"),
        ('base = "trec"\nsearch = { ties = "random" }', "unknown value of search.ties 'random'"),
        ('base = "trec"\nsearch = { order = "asc" }', "unknown profile key 'search.order'"),
        ('metrics = ["nDCG@10"]', "is for search and needs the table `search`"),
        ('base = "exact"\nunits = { missing = "ignore" }', "unknown value of missing 'ignore'"),
    ],
)
def test_profiles_that_cannot_be(place: Any, toml: str, words: str) -> None:
    refused(words, {"q": {"a": 1}}, {"q": {"a": 1.0}}, like=place("own.toml", toml))


def test_a_named_format_is_not_overruled(place: Any) -> None:
    refused(
        "contains no search results or judgements", place("a.qrels", QRELS), place("a.run", RUN), pred_format="conll"
    )


def test_the_order_of_judgements_and_queries_changes_no_bit() -> None:
    rng = random.Random(5)
    names = ["nDCG@10", "AP", "RBP", "ERR(max=9)", "Bpref", "infAP", "Rprec"]
    for _ in range(40):
        qrels = {f"q{k}": {f"d{d}": rng.choice((-1, 0, 1, 2, 3)) for d in range(20)} for k in range(9)}
        run = {q: {f"d{d}": float(rng.randrange(8)) for d in range(5, 30)} for q in qrels}
        shuffled = {q: dict(rng.sample(list(qrels[q].items()), 20)) for q in rng.sample(list(qrels), 9)}
        ties = rng.choice(["trec_eval", "expected"])
        chosen = [name for name in names if ties == "trec_eval" or name != "infAP"]
        one = karatage.score(qrels, run, metrics=chosen, ties=ties, resamples=0).metrics
        assert karatage.score(shuffled, run, metrics=chosen, ties=ties, resamples=0).metrics == one


def test_gold_as_a_run_is_perfect_and_nothing_is_beyond_the_scale() -> None:
    rng = random.Random(6)
    for _ in range(60):
        qrels = {"q": {f"d{d}": rng.randrange(4) for d in range(rng.randrange(1, 12))} | {"x": 1}}
        run = {"q": {d: float(g) for d, g in qrels["q"].items()}}
        for ties in ("trec_eval", "expected"):
            result = karatage.score(
                qrels, run, metrics=["nDCG@10", "nDCG(gain=exp)", "ERR(max=60)"], ties=ties, resamples=0
            )
            assert result["nDCG@10"].value == 1.0
            assert result["nDCG(gain=exp)"].value == 1.0
            assert 0 <= float(result["ERR(max=60)"]) <= 1
