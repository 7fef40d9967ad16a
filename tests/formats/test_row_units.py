"""Which columns of a table identify texts, and rows of several systems: what differs is not merged."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import karatage
from karatage.errors import FormatError, UsageError

SENTENCES = "doc_id,sentence_id,start,end,label\n"


def score(tmp_path: Path, gold: str, pred: str, **options: Any) -> karatage.Result:
    """Score two tables as CSV, and as frames, which must give the same."""
    paths = [tmp_path / "gold.csv", tmp_path / "pred.csv"]
    for path, content in zip(paths, (gold, pred), strict=True):
        path.write_text(content)
    result = karatage.score(*paths, resamples=0, **options)
    frames = [pl.read_csv(path) for path in paths]
    assert karatage.score(*frames, resamples=0, **options)["f1"].value == result["f1"].value
    tables = [path.with_suffix(".parquet") for path in paths]
    for frame, path in zip(frames, tables, strict=True):
        frame.write_parquet(path)
    assert karatage.score(*tables, resamples=0, **options)["f1"].value == result["f1"].value
    return result


def test_a_sentence_is_named_by_its_document_and_its_number(tmp_path: Path) -> None:
    """Both types are swapped, so nothing is right; merged into one document, everything would be."""
    gold, pred = f"{SENTENCES}a,1,0,3,PER\na,2,0,3,LOC\n", f"{SENTENCES}a,1,0,3,LOC\na,2,0,3,PER\n"
    result = score(tmp_path, gold, pred)
    assert result["f1"].value == 0
    assert result.counts["units"] == 2
    assert not result.warnings
    assert karatage.read(tmp_path / "gold.csv").units.ids == ["a/1", "a/2"]
    assert karatage.read(tmp_path / "gold.csv").units.attributes["doc_id"] == ["a", "a"]  # for clusters


def test_names_of_two_parts_are_never_the_same(read: Any) -> None:
    """The document a/b with the sentence c is not the document a with the sentence b/c."""
    claims = read("csv", f"{SENTENCES}a/b,c,0,3,PER\na,b/c,0,3,LOC\n")
    assert claims.units.ids == ["a\\/b/c", "a/b\\/c"]


def test_the_unit_can_be_named(tmp_path: Path) -> None:
    """With offsets of the document, sentences do not matter: of two predictions, one is right."""
    gold, pred = f"{SENTENCES}a,1,0,3,PER\na,2,9,12,LOC\n", f"{SENTENCES}a,1,0,3,PER\na,1,9,11,LOC\n"
    assert score(tmp_path, gold, pred, columns="unit=doc_id")["f1"].value == 0.5
    both = "article,tag,start,end\nx,PER,0,3\n"
    named = "unit=article,label=tag"
    path = tmp_path / "named.csv"
    path.write_text(both)
    assert karatage.score(path, path, columns=named, format="csv", resamples=0)["f1"].value == 1
    with pytest.raises(UsageError, match=r"cannot read --columns units=doc_id.*Known: unit, label, start, end, value"):
        score(tmp_path, gold, pred, columns="units=doc_id")


def test_a_named_column_that_a_table_lacks_is_said(tmp_path: Path) -> None:
    gold, pred = "doc,start,end,label\na,0,3,PER\n", "doc_id,start,end,label\na,0,3,PER\n"
    result = score(tmp_path, gold, pred, columns="unit=doc")
    assert result["f1"].value == 1
    assert list(result.warnings) == [
        "predictions: no column 'doc', named with --columns for the unit; usual names apply: 1"
    ]


def test_numbers_of_rows_are_no_texts(tmp_path: Path) -> None:
    """The same entities in another order have other row numbers, and are all right."""
    gold = "id,doc,start,end,label\n1,a,0,3,PER\n2,a,5,8,LOC\n3,b,0,3,ORG\n"
    pred = "id,doc,start,end,label\n1,b,0,3,ORG\n2,a,0,3,PER\n3,a,5,8,LOC\n"
    result = score(tmp_path, gold, pred)
    assert result["f1"].value == 1
    assert result.warnings[0] == (
        "gold: rows of the same 'doc' that differ in 'id', read as the number of an entity in the text 'doc' "
        "(--columns unit=id changes that): 1"
    )


@pytest.mark.parametrize(
    "rows",
    [
        "a,1,0,3,PER\na,2,1,4,LOC\n",  # overlapping, as if offsets started anew
        "a,1,0,3,PER\na,1,9,12,PER\na,2,20,23,LOC\n",  # an id with two rows is not the number of an entity
    ],
)
def test_ids_that_may_be_sentences_are_refused(read: Any, rows: str) -> None:
    with pytest.raises(FormatError, match=r"'doc_id' and 'id' may both identify the texts: rows with doc_id 'a'"):
        read("csv", f"doc_id,id,start,end,label\n{rows}")
    assert read("csv", f"doc_id,id,start,end,label\n{rows}", columns=("unit=doc_id+id",)).units.ids == ["a/1", "a/2"]
    assert read("csv", f"doc_id,id,start,end,label\n{rows}", columns=("unit=doc_id",)).units.ids == ["a"]


def test_a_unit_in_two_documents_is_refused(read: Any) -> None:
    content = "unit,doc_id,start,end,label\n1,a,0,3,PER\n1,b,0,3,LOC\n"
    with pytest.raises(FormatError, match=r"rows of one text have different values of 'doc_id': 'a' and 'b'"):
        read("csv", content)
    assert len(read("csv", content, columns=("unit=doc_id+unit",)).units) == 2


GOLD = "doc_id,start,end,label\na,0,3,PER\nb,4,7,LOC\n"
TWO = "doc_id,start,end,label,model\na,0,3,PER,A\na,5,7,LOC,B\nb,4,7,LOC,A\nb,4,7,LOC,B\n"


def test_systems_are_not_pooled(tmp_path: Path) -> None:
    """A is perfect. B has one of two right, and one of two found."""
    with pytest.raises(FormatError, match=r"'model' has 2 values \(A, B\).*--system A"):
        score(tmp_path, GOLD, TWO)
    assert score(tmp_path, GOLD, TWO, system="A")["f1"].value == 1
    assert score(tmp_path, GOLD, TWO, system="B")["f1"].value == 0.5
    with pytest.raises(UsageError, match=r"no system 'C' \(its systems are A, B\)"):
        score(tmp_path, GOLD, TWO, system="C")
    with pytest.raises(UsageError, match="has no column that names systems"):
        score(tmp_path, GOLD, GOLD, system="A")


def test_a_text_without_rows_of_a_system_is_a_text_without_entities(tmp_path: Path) -> None:
    """C predicts in b only, but the table shows that a was there: one of two is found, and right."""
    assert score(tmp_path, GOLD, f"{TWO}b,4,7,LOC,C\n", system="C")["recall"].value == 0.5


def test_the_model_of_a_text_is_an_attribute(tmp_path: Path) -> None:
    """Each text has one, as a listing of car parts has the model of a car; runs and annotators differ within texts."""
    table = GOLD.replace("label", "label,model").replace("PER", "PER,Golf").replace("LOC", "LOC,Polo")
    assert score(tmp_path, table, table)["f1"].value == 1
    with pytest.raises(FormatError, match="'system' has 2 values"):
        score(tmp_path, GOLD, table.replace("model", "system"))
    with pytest.raises(FormatError, match=r"'annotator' has 2 values \(A, B\)"):
        score(tmp_path, TWO.replace("model", "annotator"), GOLD)


def test_records_of_several_systems_are_not_pooled() -> None:
    gold = [{"id": 1, "text": "Ann", "entities": [("PER", 0, 3)]}]
    pred = [{"id": 1, "system": name, "entities": [(label, 0, 3)]} for name, label in (("A", "PER"), ("B", "LOC"))]
    with pytest.raises(FormatError, match=r"'system' has 2 values \(A, B\)"):
        karatage.score(gold, pred, resamples=0)
    assert karatage.score(gold, pred, resamples=0, system="A")["f1"].value == 1
    assert karatage.score(gold, pred, resamples=0, system="B")["f1"].value == 0
    with pytest.raises(UsageError, match="no system 'C'"):
        karatage.score(gold, pred, resamples=0, system="C")


def test_unknown_columns_are_answered_with_all_names(read: Any) -> None:
    with pytest.raises(FormatError, match=r"unit \(or doc_id, document_id, doc, .*label \(or type, .*--columns, e.g."):
        read("csv", "article,tag,start,end\nx,PER,0,3\n")


def test_other_attributes_still_vary(read: Any) -> None:
    notes: Counter[str] = Counter()
    read("csv", "doc_id,start,end,label,source\na,0,3,PER,x\na,4,7,LOC,y\n", notes=notes)
    assert list(notes.values()) == [1]
    assert "all rows count" in next(iter(notes))
