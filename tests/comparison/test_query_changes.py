"""Which queries got worse: counts, values, tests, and the documents that moved."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import ir_measures
import polars as pl
import pytest
import pytrec_eval
from scipy.stats import binomtest
from tests.command import run
from tests.parity.test_trec import random_case

import karatage
from karatage.demo import data
from karatage.errors import InputError, UsageError
from karatage.reports import plain
from karatage.stats import sign_test

QRELS = {
    "a": {"d1": 2, "d2": 1, "d3": 0},
    "b": {"d1": 1},
    "c": {"d1": 1, "d2": 1},
    "d": {"d1": 1},
    "none": {"d1": 0},
}
OLD = {
    "a": {"d1": 9.0, "d2": 8.0, "d3": 7.0},
    "b": {"d9": 9.0, "d1": 8.0},
    "c": {"d1": 9.0, "d2": 8.0},
    "d": {"d1": 2.0},
    "none": {"d1": 1.0},
}
NEW = {
    "a": {"d3": 9.0, "d7": 8.0, "d2": 7.0},
    "b": {"d1": 9.0, "d9": 8.0},
    "c": {"d2": 9.0, "d1": 8.0},
    "d": {"d2": 2.0, "d3": 1.5, "d1": 1.0},
    "none": {"d1": 1.0},
}
DEMO = ("bm25", "trigrams", "expanded")


@pytest.fixture(scope="module")
def found() -> Any:
    return karatage.compare(QRELS, {"old": OLD, "new": NEW}, diff=True, metrics=["RR", "P@1"])


@pytest.fixture(scope="module")
def demo() -> karatage.Comparison:
    systems = {name: data(f"{name}.run") for name in DEMO}
    metrics = ["nDCG@10", "AP", "RR", "P@10", "RBPres"]
    return karatage.compare(data("search.qrels"), systems, diff=True, queries=data("queries.tsv"), metrics=metrics)


def test_values_by_hand(found: Any) -> None:
    """RR: a falls from 1 to 1/3, as its first relevant document is third now; d to 1/3; b rises from 1/2 to 1."""
    changes = found.changes["new"]
    assert (changes.old, changes.new, changes.metric) == ("old", "new", "RR")
    third = 1 / 3
    assert changes.queries().rows() == [
        ("a", 1.0, third, third - 1, "worse"),
        ("d", 1.0, third, third - 1, "worse"),
        ("c", 1.0, 1.0, 0.0, "same"),
        ("b", 0.5, 1.0, 0.5, "better"),
        ("none", None, None, None, "undefined"),
    ]
    counts = changes.counts["RR"]
    assert (counts.worse, counts.same, counts.better, counts.undefined) == (2, 1, 1, 1)
    # Of three queries that changed one got better: P(X <= 1 or X >= 2) = 1 for Binomial(3, 1/2).
    assert counts.p == counts.corrected == 1.0
    assert changes.queries("P@1", change="better")["unit"].to_list() == ["b"]
    assert changes.changed["unit"].to_list() == ["a", "d", "b"]


def test_documents_that_moved_by_hand(found: Any) -> None:
    """Of a, d1 (grade 2) is gone, d2 falls from 2 to 3, d3 rises from 3 to 1, and d7 is new and not judged."""
    changes = found.changes["new"]
    assert changes.documents("a").rows() == [
        ("a", "d1", "gone", 2, 1, None),
        ("a", "d2", "down", 1, 2, 3),
        ("a", "d3", "up", 0, 3, 1),
        ("a", "d7", "new", None, None, 2),
    ]
    assert changes.documents("b").rows() == [("b", "d1", "up", 1, 2, 1), ("b", "d9", "down", None, 1, 2)]
    assert changes.documents("c").height == 0, "its values are the same"


def test_only_the_first_results_count(found: Any) -> None:
    """With P@1, documents are looked at that are first in either run; with a depth of 2, the third result is gone."""
    changes = karatage.compare(QRELS, {"old": OLD, "new": NEW}, diff=True, metrics=["P@1"]).changes["new"]
    assert (changes.depth, found.changes["new"].depth) == (1, 10)
    assert changes.documents("a").rows() == [("a", "d1", "gone", 2, 1, None), ("a", "d3", "up", 0, 3, 1)]
    cut = karatage.compare(QRELS, {"old": OLD, "new": NEW}, diff=True, metrics=["RR"], depth=2).changes["new"]
    assert cut.documents("a").rows() == [
        ("a", "d1", "gone", 2, 1, None),
        ("a", "d2", "gone", 1, 2, None),
        ("a", "d3", "new", 0, None, 1),
        ("a", "d7", "new", None, None, 2),
    ]


def test_where_less_is_better_worse_means_more(demo: karatage.Comparison) -> None:
    """RBPres is what unjudged documents could add: a query whose residual grows is worse."""
    changes = demo.changes["trigrams"]
    own = changes.queries("RBPres")
    worse = own.filter(pl.col("change") == "worse")
    assert worse.height == changes.counts["RBPres"].worse > 0
    assert (worse["difference"] > 0).all()
    assert own["difference"].is_sorted(descending=True)


MEASURES = {"nDCG@10": ("ndcg_cut_10", ir_measures.nDCG @ 10), "AP": ("map", ir_measures.AP)}
MEASURES |= {"RR": ("recip_rank", ir_measures.RR), "P@10": ("P_10", ir_measures.P @ 10)}


@pytest.mark.parametrize("name", MEASURES)
def test_values_and_counts_are_those_of_the_peers(demo: karatage.Comparison, name: str) -> None:
    """Values of each query are those of pytrec_eval and ir_measures, and so are counts and differences."""
    theirs, measure = MEASURES[name]
    with Path(data("search.qrels")).open() as stream:
        qrels = pytrec_eval.parse_qrel(stream)
    values: dict[str, dict[str, float]] = {}
    for system in DEMO:
        with Path(data(f"{system}.run")).open() as stream:
            ranked = pytrec_eval.parse_run(stream)
        by_query = pytrec_eval.RelevanceEvaluator(qrels, {theirs}).evaluate(ranked)
        values[system] = {query: own[theirs] for query, own in by_query.items()}
        others = {one.query_id: one.value for one in ir_measures.iter_calc([measure], qrels, ranked)}
        assert others == pytest.approx(values[system])
    for new in DEMO[1:]:
        changes = demo.changes[new]
        rows = changes.queries(name).to_dicts()
        assert {row["unit"]: row["old"] for row in rows} == pytest.approx(values["bm25"])
        assert {row["unit"]: row["new"] for row in rows} == pytest.approx(values[new])
        apart = {query: values[new][query] - values["bm25"][query] for query in qrels}
        assert {row["unit"]: row["difference"] for row in rows} == pytest.approx(apart)
        assert [row["difference"] for row in rows] == pytest.approx(sorted(apart.values()))
        counts = changes.counts[name]
        worse, better = (sum(sign * gap > 1e-9 for gap in apart.values()) for sign in (-1, 1))
        assert (counts.worse, counts.same, counts.better) == (worse, len(qrels) - worse - better, better)
        assert counts.p == binomtest(better, better + worse).pvalue


def test_the_sign_test_is_the_exact_binomial_test() -> None:
    """2 of 10 are better: 2 · (1 + 10 + 45) / 2^10 = 0.109375. Where nothing changed, p is 1."""
    assert sign_test(2, 8) == pytest.approx(0.109375)
    assert sign_test(0, 0) == 1.0
    for better in range(12):
        for worse in range(0 if better else 1, 12):
            assert sign_test(better, worse) == binomtest(better, better + worse).pvalue


def test_several_systems_are_compared_with_the_first(demo: karatage.Comparison) -> None:
    """Holm: the smaller of two p-values is doubled, the larger one is not."""
    assert [(one.old, one.new) for one in demo.changes.values()] == [("bm25", "trigrams"), ("bm25", "expanded")]
    more, less = (demo.changes[name].counts["nDCG@10"] for name in ("expanded", "trigrams"))
    assert more.p < less.p
    assert (more.corrected, less.corrected) == (2 * more.p, less.p)


def test_documents_are_those_of_a_plain_loop() -> None:
    """Random judgements and runs, with ties and missing queries: ranks and moves as plain Python finds them."""
    rng, moved = random.Random(3), 0
    for _ in range(40):
        qrels, old = random_case(rng)
        documents = sorted({d for own in qrels.values() for d in own})
        new = {q: {d: rng.random() for d in rng.sample([*documents, "x", "y"], 3)} for q in qrels if rng.random() < 0.9}
        if not set(qrels) & set(old) or not set(qrels) & set(new):
            continue
        try:
            changes = karatage.compare(qrels, {"old": old, "new": new}, diff=True, metrics=["nDCG@3"]).changes["new"]
        except InputError:  # nothing is relevant
            continue
        expected = set()
        for query in changes.changed["unit"]:
            ranks = [_ranks(own.get(query, {})) for own in (old, new)]
            for document in {*ranks[0], *ranks[1]}:
                before, after = (own.get(document) for own in ranks)
                if before != after and min(before or 99, after or 99) <= 3:
                    grade = qrels[query].get(document, -1)
                    up = "up" if (after or 0) < (before or 0) else "down"
                    change = "new" if before is None else "gone" if after is None else up
                    expected.add((query, document, change, grade if grade >= 0 else None, before, after))
        assert set(changes.documents().rows()) == expected
        moved += len(expected)
    assert moved > 100


def _ranks(results: dict[str, float]) -> dict[str, int]:
    """Rank as trec_eval does: by score in single precision, then by id, highest first."""
    import numpy as np

    with np.errstate(over="ignore"):
        order = sorted(results, key=lambda d: (np.float32(results[d]), d.encode()), reverse=True)
    return {document: k for k, document in enumerate(order, 1)}


def test_the_order_of_files_changes_nothing() -> None:
    """Queries and documents in any order give the same, digit for digit."""
    rng = random.Random(5)

    def shuffled(own: Any) -> Any:
        return {q: dict(rng.sample(list(own[q].items()), len(own[q]))) for q in rng.sample(list(own), len(own))}

    options: dict[str, Any] = {"diff": True, "metrics": ["RR", "nDCG@10"]}
    known = karatage.compare(QRELS, {"old": OLD, "new": NEW}, **options).to_dict()
    for _ in range(5):
        again = karatage.compare(shuffled(QRELS), {"old": shuffled(OLD), "new": shuffled(NEW)}, **options)
        assert again.to_dict()["changes"] == known["changes"]


def test_labels_that_changed(tmp_path: Path) -> None:
    """Documents that are labelled and not ranked are new or gone, without ranks."""
    for name, text in (
        ("gold", "d\tq\tr\na\t1\t1\nb\t-1\t1\nc\t1\t-1\n"),
        ("old", "d\tr\tq\nb\t1\t1\na\t1\t1\nc\t-1\t-1\n"),  # q: a and b
        ("new", "d\tq\tr\na\t1\t1\nb\t-1\t1\nc\t1\t-1\n"),  # q: a and c, as it should be
    ):
        (tmp_path / f"{name}.tsv").write_text(text)
    systems = {name: tmp_path / f"{name}.tsv" for name in ("old", "new")}
    options: dict[str, Any] = {"like": "sigir-ecom19", "format": "sigir19", "metrics": ["units_f1"]}
    changes = karatage.compare(tmp_path / "gold.tsv", systems, diff=True, **options).changes["new"]
    # F1 of q: one of two predicted is right, of two relevant: 1/2. Of r: 1 in both.
    assert changes.queries().rows() == [("r", 1.0, 1.0, 0.0, "same"), ("q", 0.5, 1.0, 0.5, "better")]
    assert changes.documents().rows() == [("q", "c", "new", 1, None, None), ("q", "b", "gone", -1, None, None)]


def test_texts_stand_beside_ids(demo: karatage.Comparison, tmp_path: Path) -> None:
    texts = dict(pl.read_csv(data("queries.tsv"), separator="\t").select("query_id", "query").iter_rows())
    for frame in (demo.changes["trigrams"].queries(), demo.most_different()):
        assert dict(frame.select("unit", "query").iter_rows()).items() <= texts.items()
    (tmp_path / "some.tsv").write_text("query_id\tquery\nq1\tone\n")
    systems = {name: data(f"{name}.run") for name in DEMO}
    some = karatage.compare(data("search.qrels"), systems, queries=tmp_path / "some.tsv")
    assert some.warnings[-1] == f"queries without a text in {tmp_path / 'some.tsv'}: 82"
    (tmp_path / "other.tsv").write_text("query_id\tquery\nx1\tone\n")
    with pytest.raises(InputError, match="no text of any query"):
        karatage.compare(data("search.qrels"), systems, queries=tmp_path / "other.tsv")
    (tmp_path / "ids.tsv").write_text("query_id\tkind\nq1\tone\n")
    with pytest.raises(InputError, match="no column with query texts"):
        karatage.compare(data("search.qrels"), systems, queries=tmp_path / "ids.tsv")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": ["f1"]}, "computed per query"),
        ({"judge": QRELS}, "a judge"),
        ({"limit": -1}, "at least 0"),
        ({"gold": karatage.Sets(a=QRELS)}, "several test sets"),
        ({"gold": karatage.Annotators(a=QRELS, b=QRELS)}, "several annotators"),
        ({"systems": {"a": karatage.Runs(OLD, NEW), "b": NEW}}, "several runs"),
        ({"gold": [["B-A"]], "systems": {"a": [["O"]], "b": [["B-A"]]}}, "works for search only"),
    ],
)
def test_what_does_not_work_is_refused(options: dict[str, Any], message: str) -> None:
    gold, systems = options.pop("gold", QRELS), options.pop("systems", {"old": OLD, "new": NEW})
    with pytest.raises(UsageError, match=message):
        karatage.compare(gold, systems, diff=True, **options)


def test_an_unknown_metric_is_refused(found: Any) -> None:
    with pytest.raises(UsageError, match="AP"):
        found.changes["new"].queries("AP")


def test_explain_has_the_changes_of_compare(demo: karatage.Comparison) -> None:
    systems = {name: data(f"{name}.run") for name in DEMO}
    options: dict[str, Any] = {"queries": data("queries.tsv"), "metrics": list(demo.contests)}
    explained: Any = karatage.explain(data("search.qrels"), systems, diff=True, **options)
    told = explained.to_dict()
    assert told["changes"] == demo.to_dict()["changes"]
    assert "changes" not in told["comparison"]
    assert "from bm25 to expanded: 6 queries worse, 2 the same, 75 better in nDCG@10" in str(explained)
    assert (
        len(karatage.explain(data("search.qrels"), systems, diff=True, limit=3).to_dict()["changes"][0]["queries"]) == 3
    )


def test_the_terminal_needs_80_columns(demo: karatage.Comparison) -> None:
    """Nothing of the list is wider, with long texts and names too."""
    from karatage.reports.terminal.query_change_tables import query_change_parts

    text = plain(query_change_parts(demo), 80)
    assert max(map(len, text.splitlines())) <= 80
    assert "-0.4187  0.7899 → 0.3712  q6  Zahnriemen 307 SW" in text.splitlines()
    assert "    up: t94 (2) 2→1, t142 (1) 16→9" in text.splitlines()
    long = {name * 30: {query * 20: own for query, own in ranked.items()} for name, ranked in (("o", OLD), ("n", NEW))}
    gold = {query * 20: own for query, own in QRELS.items()}
    wide = plain(query_change_parts(karatage.compare(gold, long, diff=True)), 80)
    assert max(map(len, wide.splitlines())) <= 80


def test_the_command(tmp_path: Path) -> None:
    files = [str(data(name)) for name in ("search.qrels", "bm25.run", "trigrams.run")]
    told = json.loads(
        run("compare", *files, "--diff", "--limit", "2", "--queries", data("queries.tsv"), "--json").stdout
    )
    (changes,) = told["changes"]
    assert {name: changes[name] for name in ("old", "new", "metric", "depth", "total")} == {
        "old": "bm25", "new": "trigrams", "metric": "nDCG(gain=linear)@10", "depth": 10, "total": 82,
    }  # fmt: skip
    assert [row["unit"] for row in changes["queries"]] == ["q6", "q60"]
    first = changes["queries"][0]
    assert list(first) == ["unit", "query", "old", "new", "difference", "change", "documents"]
    assert first["documents"][0] == {
        "document": "t84", "change": "gone", "grade": 2, "old_rank": 1, "new_rank": None,
    }  # fmt: skip
    page = tmp_path / "page.html"
    assert run("explain", *files, "--diff", "--queries", data("queries.tsv"), "--html", page).returncode == 0
    assert "Queries that changed" in page.read_text("utf-8")
    for wrong, message in ((["--limit", "2"], "--limit needs --diff"), (["--diff", "--judge", files[0]], "a judge")):
        refused = run("compare", *files, *wrong)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert message in refused.stderr
    entities = [str(data(name)) for name in ("gold.conll", "shape.conll", "context.conll")]
    assert "`karatage explain --diff` works for extraction" in run("compare", *entities, "--diff").stderr
    assert "--limit works for search only" in run("explain", *entities, "--diff", "--limit", "2").stderr


def test_standard_input_is_a_system_too() -> None:
    files = [str(data(name)) for name in ("search.qrels", "bm25.run")]
    done = run("compare", *files, "new=-", "--diff", stdin=Path(data("trigrams.run")).read_bytes())
    assert "from bm25 to new: 34 queries worse, 1 the same, 48 better" in done.stdout, done.stderr


def test_a_comparison_speaks_of_queries() -> None:
    """No text of a comparison of search engines says units or sentences."""
    texts = [str(karatage.compare({"a": {"d": 1}}, {"x": {"a": {"d": 1.0}}, "y": {"a": {"e": 1.0}}}))]
    every = {query: {"d1": 1.0} for query in QRELS}
    texts.append(str(karatage.compare(QRELS, {"old": every, "new": NEW}, metrics=["P@1"], interval="t", diff=True)))
    assert "(at least two queries are needed)" in texts[0]
    assert "(nothing varies between the queries)" in texts[1]
    runs = {"a": karatage.Runs(OLD, NEW), "b": karatage.Runs(NEW, every)}
    texts.append(str(karatage.compare(QRELS, runs)))
    texts.append(str(karatage.compare(karatage.Sets(one=QRELS, two=QRELS), {
        name: karatage.Sets(one=own, two=own) for name, own in (("old", OLD), ("new", NEW))
    })))  # fmt: skip
    for text in texts:
        assert not {word for word in ("unit", "units", "sentence", "sentences") if word in text.split()}
        assert "quer" in text
