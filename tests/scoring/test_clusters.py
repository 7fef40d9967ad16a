"""Documents as clusters: intervals rest on them wherever gold knows them, and say so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.command import run

import karatage
from karatage.errors import InputError

Frames = tuple[pl.DataFrame, pl.DataFrame]


def frames(documents: int = 40, sentences: int = 10, *, wrong: int = 5, column: str = "document") -> Frames:
    """Make documents of one entity a sentence; a system fails on every fifth document, wholly."""
    places = [(d, s) for d in range(documents) for s in range(sentences)]
    gold = pl.DataFrame(
        {
            "unit": [f"{d}-{s}" for d, s in places],
            column: [str(d) for d, _ in places],
            "label": "PER",
            "start": 0,
            "end": 4,
        }
    )
    ends = [9 if d % wrong == 0 else 4 for d, _ in places]
    return gold, gold.drop(column).with_columns(pl.Series("end", ends))


def conll(documents: int, sentences: int = 3, *, before: int = 0, start: str = "-DOCSTART- O\n\n") -> str:
    body = "".join(start + f"a{d} B-X\n\n" * sentences for d in range(documents))
    return "first B-X\n\n" * before + body


def test_documents_are_clusters_by_default_and_none_undoes_it() -> None:
    gold, pred = frames()
    found, named = karatage.score(gold, pred), karatage.score(gold, pred, cluster_by="document")
    alone, none = karatage.score(gold, pred, cluster_by=None), karatage.score(gold, pred, cluster_by="none")
    assert (found.drawn, named.drawn, alone.drawn, none.drawn) == (40, 40, 400, 400)
    assert found["f1"] == named["f1"]
    assert alone["f1"] == none["f1"]
    assert found.resampling is not None
    assert found.resampling.cluster_by == "document"
    assert found["f1"].high - found["f1"].low > 3 * (alone["f1"].high - alone["f1"].low)


def test_the_design_effect_is_worked_out() -> None:
    """Variance over 40 documents: 40/39 · 40 · 0.16 · (10/400)²; over 400 sentences: 400/399 · 400 · 0.16 / 400²."""
    found = karatage.score(*frames())
    assert found.design_effect == pytest.approx(10 * (40 / 39) / (400 / 399))
    assert found.to_dict()["intervals"] | {"clusters": 40, "cluster_by": "document"} == found.to_dict()["intervals"]
    assert found.to_dict()["intervals"]["design_effect"] == found.design_effect
    shown = str(found)
    assert "Intervals: 95 %, over 40 documents" in shown
    assert "Design effect: 10.2 (400 texts tell as much as about 39 independent ones)" in shown
    assert karatage.score(*frames(), cluster_by=None).design_effect is None


@pytest.mark.parametrize("column", ["document", "document_id", "doc_id"])
def test_files_call_a_document_differently(column: str) -> None:
    assert karatage.score(*frames(column=column)).drawn == 40


def test_every_command_rests_on_documents(tmp_path: Path) -> None:
    gold, pred = frames()
    score = karatage.score(gold, pred)["f1"]
    compared = karatage.compare(gold, {"a": pred, "b": gold})
    assert compared.headline.scores["a"] == score
    assert compared.design_effects == {"a": pytest.approx(10 * (40 / 39) / (400 / 399))}  # b is right everywhere
    assert compared.to_dict()["intervals"]["clusters"] == 40
    gate = karatage.gate(gold, pred, minimum=0.5)
    assert (gate.checks[0].low, gate.drawn) == (score.low, 40)
    assert "400 texts in 40 documents" in str(gate)
    plan = karatage.plan(gold, pred, margins=0.05)
    assert (plan.score, plan.units) == (score, 40)
    explained = karatage.explain(gold, {"a": pred})
    assert explained.systems["a"].result["f1"] == score
    # 8 of 40 documents are mended wholly: as far from sure as 8 of 40 units
    (fix,) = explained.systems["a"].fixes  # type: ignore[union-attr]  # not search
    assert fix.gain == pytest.approx(0.2)
    assert fix.low is not None
    assert fix.high is not None
    assert fix.high - fix.low > 0.2
    gold.write_csv(tmp_path / "gold.csv")
    pred.write_csv(tmp_path / "pred.csv")
    files = [str(tmp_path / "gold.csv"), str(tmp_path / "pred.csv")]
    assert "over 40 documents" in run("score", *files).stdout
    assert "over texts" in run("score", *files, "--cluster-by", "none").stdout


def test_one_document_says_nothing_about_others(tmp_path: Path) -> None:
    (tmp_path / "gold.conll").write_text(conll(1, 12))
    found = karatage.score(tmp_path / "gold.conll", tmp_path / "gold.conll")
    assert found.drawn == 12
    assert found["f1"] == karatage.score(tmp_path / "gold.conll", tmp_path / "gold.conll", cluster_by=None)["f1"]
    (warning,) = found.warnings
    assert warning.startswith("all 12 sentences belong to one document: the intervals are about more of its sentences")
    asked = karatage.score(tmp_path / "gold.conll", tmp_path / "gold.conll", cluster_by="document")
    assert asked["f1"].withheld == "at least two units are needed"


def test_few_documents_are_told() -> None:
    told = [w for w in karatage.score(*frames(9)).warnings if "few to tell" in w]
    assert told == [
        "9 documents are few to tell how much documents differ, so the intervals are wide. Use --cluster-by none for "
        "intervals about more texts of these documents only"
    ]
    assert not karatage.score(*frames(10)).warnings
    compared = karatage.compare(frames(9)[0], {"a": frames(9)[0], "b": frames(9)[1]})
    assert told[0] in compared.warnings


def test_documents_of_one_sentence_are_not_worth_a_word() -> None:
    found = karatage.score(*frames(50, 1))
    assert (found.drawn, found.warnings) == (50, ())
    assert found.resampling is not None
    assert found.resampling.cluster_by is None


def test_units_without_a_document_are_alone(tmp_path: Path) -> None:
    """Two sentences come before the first document, which the reader of a table or of a file leaves empty."""
    (tmp_path / "gold.conll").write_text(conll(12, 3, before=2))
    found = karatage.score(tmp_path / "gold.conll", tmp_path / "gold.conll")
    assert found.drawn == 14
    assert found.warnings == ("sentences without a document, each counted as a document of its own: 2",)
    gold, pred = frames(12, 3)
    some = gold.with_columns(document=pl.when(pl.col("document") == "3").then(pl.lit("")).otherwise("document"))
    assert karatage.score(some, pred).drawn == 11 + 3
    assert karatage.compare(some, {"a": pred, "b": gold}).drawn == 11 + 3


def test_documents_need_not_be_adjacent(tmp_path: Path) -> None:
    gold, pred = frames()
    mixed = gold.sample(fraction=1.0, shuffle=True, seed=1)
    assert karatage.score(mixed, pred)["f1"] == karatage.score(gold, pred)["f1"]
    mixed.write_ndjson(tmp_path / "gold.jsonl")


def _folder(place: Path, files: int, text: Callable[[int], str]) -> Path:
    place.mkdir()
    for k in range(files):
        (place / f"{k:02}.conll").write_text(text(k))
    return place


def test_many_files_of_sentences_are_a_document_each(tmp_path: Path) -> None:
    twenty = _folder(tmp_path / "twenty", 20, lambda k: f"w{k} B-X\n\n" * 3)
    nineteen = _folder(tmp_path / "nineteen", 19, lambda k: f"w{k} B-X\n\n" * 3)
    assert karatage.score(twenty, twenty).drawn == 20
    assert karatage.score(nineteen, nineteen).drawn == 57
    assert karatage.read(twenty).units.attributes == {}  # only scoring takes a file for a document


@pytest.mark.parametrize("given", ["-DOCSTART- O\n\n", "# newdoc\n"])
def test_files_number_their_documents_each_from_1(tmp_path: Path, given: str) -> None:
    """Also where gold and predictions have another order, so that they are joined by their ids."""

    def text(file: int, order: int) -> str:
        own = [f"# sent_id = {file}-{d}\nw B-X\n\n" for d in range(6)]
        return given + "".join(own[:3][::order]) + given + "".join(own[3:][::order])

    gold = _folder(tmp_path / "gold", 6, lambda k: text(k, 1))
    pred = _folder(tmp_path / "pred", 6, lambda k: text(k, -1))
    assert karatage.score(gold, gold).drawn == 12
    assert karatage.score(gold, pred).drawn == 12
    assert karatage.read(gold).units.attributes["document"][2:4] == ["00.conll:1", "00.conll:2"]


def test_documents_that_cross_strata() -> None:
    gold, pred = frames()
    inside = gold.with_columns(kind=pl.col("document").cast(int) % 2).cast({"kind": pl.String})
    across = gold.with_columns(kind=pl.col("unit").str.slice(-1))
    assert karatage.score(inside, pred, stratify_by="kind").drawn == 40
    for found in (
        karatage.score(across, pred, stratify_by="kind"),
        karatage.compare(across, {"a": pred, "b": gold}, stratify_by="kind"),
    ):
        assert found.drawn == 400
        told = "documents belong to several strata, so the intervals treat texts as independent"
        assert told in found.warnings
    for call, systems in ((karatage.score, pred), (karatage.compare, {"a": pred, "b": gold})):
        options: dict[str, Any] = {"stratify_by": "kind", "cluster_by": "document"}
        with pytest.raises(InputError, match="a cluster belongs to several strata"):
            call(across, systems, **options)


def test_an_attribute_that_no_unit_has_is_an_error() -> None:
    gold, pred = frames(column="page")
    assert karatage.score(gold, pred).drawn == 400
    for call, systems in ((karatage.score, pred), (karatage.compare, {"a": pred, "b": gold})):
        with pytest.raises(InputError, match=r"no attribute 'document' to cluster units by \(attributes: page"):
            call(gold, systems, cluster_by="document")


def test_test_sets_of_which_one_knows_documents() -> None:
    gold, pred = frames()
    bare = gold.drop("document")
    sets = karatage.Sets(one=gold, two=bare)
    found = karatage.compare(sets, {"a": karatage.Sets(one=pred, two=pred), "b": karatage.Sets(one=gold, two=bare)})
    assert [one.drawn for one in found.sets.values()] == [40, 400]
    assert found.drawn == 440


def test_further_metrics_rest_on_documents_too(tmp_path: Path) -> None:
    """Tokens by type, which are counted when somebody asks for them: 8 of 40 documents fail, as for entities."""
    for name, wrong in (("gold", "B-X"), ("pred", "O")):
        text = "".join("-DOCSTART- O\n\n" + f"a {wrong if d % 5 == 0 else 'B-X'}\n\n" * 10 for d in range(40))
        (tmp_path / f"{name}.conll").write_text(text)
    found = karatage.score(tmp_path / "gold.conll", tmp_path / "pred.conll")
    assert found["token_recall"] == found["recall"]
    assert found["recall"].low == pytest.approx(0.645, abs=0.001)


def test_means_over_sentences_rest_on_documents() -> None:
    """One entity a sentence, so the F1 of a sentence is 1 or 0 and their mean is recall: so are the intervals.

    The values of a document's sentences add up to more than 32 bits hold.
    """
    gold, pred = frames()
    recall = karatage.score(gold, pred, metrics=["recall"], missing="empty")["recall"]
    means = karatage.score(gold, pred, metrics=["units_recall"], missing="empty")["units_recall"]
    assert (means.value, means.low, means.high) == pytest.approx((recall.value, recall.low, recall.high), abs=1e-6)
