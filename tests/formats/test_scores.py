"""How sure the source is of each claim: read, written, refused where it is no number."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import karatage
from karatage.claims import Claims, Units, join_batches
from karatage.errors import FormatError
from karatage.formats import ReadOptions, Source, format_names, get_format
from karatage.formats.conversion import convert
from karatage.formats.tables.claim_tables import claims_of_frame

NAN = float("nan")
TEXT = "Tallinn on Eesti pealinn"


def hf(score: Any) -> str:
    return json.dumps(
        {"id": 7, "text": TEXT, "entities": [{"entity_group": "LOC", "start": 0, "end": 7, "score": score}]}
    )


def prodigy(score: Any) -> str:
    return json.dumps({"id": 7, "text": TEXT, "spans": [{"label": "LOC", "start": 0, "end": 7, "score": score}]})


def label_studio(score: Any) -> str:
    value = {"start": 0, "end": 7, "labels": ["LOC"]}
    result = [{"type": "labels", "to_name": "text", "value": value, "score": score}]
    return json.dumps([{"id": 7, "data": {"text": TEXT}, "annotations": [], "predictions": [{"result": result}]}])


def annotated(score: Any) -> str:
    return label_studio(score).replace('"annotations": [], "predictions"', '"annotations"')


def doccano(score: Any, key: str = "score") -> str:
    return json.dumps(
        {"id": 7, "text": TEXT, "entities": [{"label": "LOC", "start_offset": 0, "end_offset": 7, key: score}]}
    )


def spacy(score: Any, key: str = "score") -> str:
    span = {"label": "LOC", "start": 0, "end": 7, key: score}
    return json.dumps({"text": TEXT, "ents": [span], "spans": {"sc": [span, {**span, "label": "GPE", key: 0.5}]}})


OWN = {"hf-pipeline": hf, "prodigy": prodigy, "label-studio": annotated, "label-studio-predictions": label_studio}
"""The formats with a member for it."""


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("score", [0.75, 0, 1, -3.5, 12, "0.75", " 1e-3 "])
def test_a_number_is_read(read: Any, name: str, score: Any) -> None:
    """Also one below 0 or above 1, such as a logarithm; and text, as `json.dumps(…, default=str)` makes of NumPy's."""
    assert read(name, OWN[name](score)).score.tolist() == [float(score)]


@pytest.mark.parametrize("name", OWN)
def test_null_is_unknown(read: Any, name: str) -> None:
    assert read(name, OWN[name](None)).score is None


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("score", ["high", "", "nan", "Infinity", "1e400", "٣", True, [0.5], {"value": 0.5}, 10**400])
def test_what_is_no_finite_number_is_refused(read: Any, name: str, score: Any) -> None:
    """With the file, the line, the unit and the member."""
    with pytest.raises(FormatError, match=r"score must be a finite number or null, got") as caught:
        read(name, OWN[name](score))
    assert caught.value.source is not None
    assert (caught.value.line, caught.value.unit) == (1, "7")
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400"])
def test_numbers_that_json_cannot_hold_are_refused(read: Any, name: str, number: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(name, OWN[name]("NUMBER").replace('"NUMBER"', number))
    assert caught.value.line == 1


@pytest.mark.parametrize("make", [doccano, spacy])
def test_elsewhere_a_number_is_taken_and_anything_else_passed_over(read: Any, make: Any) -> None:
    """These formats have no such member of their own, so what is no number means something else."""
    name = make.__name__
    for key in ("score", "confidence"):
        assert 0.75 in read(name, make(0.75, key)).score.tolist()
    assert (read("doccano", doccano("high")).score, read("doccano", doccano([1])).score) == (None, None)


def test_a_span_in_two_groups_keeps_its_first_score(read: Any) -> None:
    claims = read("spacy", spacy(0.75))
    assert [row[1] for row in claims.rows()] == ["GPE", "LOC"]
    assert claims.score.tolist() == [0.5, 0.75]


def test_triples_of_doccano_have_none(read: Any) -> None:
    """Beside an entity that has one, theirs is unknown."""
    record = json.loads(doccano(0.75)) | {"label": [[11, 16, "LOC"]]}
    assert read("doccano", json.dumps(record)).score.tolist() == pytest.approx([0.75, NAN], nan_ok=True)


def test_the_pieces_of_a_pipeline_have_the_mean(read: Any) -> None:
    """Of those that are known, as the pipeline itself has it where it groups them: (.9 + .5) / 2, and .8."""
    pieces = [("B-LOC", 0, 4, 0.9), ("I-LOC", 4, 7, 0.5), ("B-LOC", 11, 13, 0.8), ("I-LOC", 13, 16, None)]
    entities = [
        {"entity": t, "start": a, "end": b, "score": s, "index": k, "word": ""} for k, (t, a, b, s) in enumerate(pieces)
    ]
    claims = read("hf-pipeline", json.dumps([{"id": 1, "text": TEXT, "entities": entities}]))
    assert [row[2:4] for row in claims.rows()] == [(0, 7), (11, 16)]
    assert claims.score.tolist() == pytest.approx([0.7, 0.8])


def scored(space: str = "char") -> Claims:
    """Three units; the second has no claims, and one score is unknown."""
    units = Units(
        3,
        ["1", "2", "3"],
        texts=[TEXT, "x", TEXT],
        tokens=None if space == "char" else [TEXT.split(), ["x"], TEXT.split()],
    )
    spans = [(0, 7), (11, 16), (0, 7)] if space == "char" else [(0, 1), (2, 3), (0, 1)]
    rows = [(u, "LOC", a, b, None, None) for u, (a, b) in zip((0, 0, 2), spans, strict=True)]
    return Claims.build(units, space, rows, [0.1 + 0.2, NAN, 1e-12])


@pytest.mark.parametrize("name", [n for n in format_names() if "confidence" in get_format(n).holds])
@pytest.mark.parametrize("compression", ["", ".gz"])
def test_what_holds_scores_gives_them_back_to_the_last_digit(name: str, compression: str, tmp_path: Path) -> None:
    form = get_format(name)
    place = tmp_path / f"corpus{form.suffixes[0]}{compression}"
    assert convert([scored()], form, str(place)) == {}
    again = join_batches(form.read(Source(place), ReadOptions()))
    assert again.score is not None
    np.testing.assert_array_equal(again.score, scored().score)
    assert list(again.rows()) == list(scored().rows())
    assert "score" not in again.units.attributes


@pytest.mark.parametrize("name", [n for n in format_names() if get_format(n).write and not get_format(n).search])
def test_other_formats_drop_them_without_a_word(name: str, tmp_path: Path) -> None:
    """No conversion loses more than it would without scores."""
    if name == "docbin":
        pytest.importorskip("spacy")
    form, lost = get_format(name), []
    claims = scored("token")
    claims = replace(claims, units=replace(claims.units, attributes={"category": ["1", "1", "2"]}))
    for number, one in enumerate((claims, Claims.build(claims.units, "token", claims.rows()))):
        lost.append(convert([one], form, str(tmp_path / f"{number}{form.suffixes[0]}")))
    assert lost[0] == lost[1]


CSV = "unit,label,start,end,score\na,LOC,0,3,0.5\na,ORG,4,9,{}\nb,,,,{}\n"


@pytest.mark.parametrize("cell", ["0.25", "1", "-7.5e-1", ".5"])
def test_a_column_of_numbers_says_how_sure_claims_are(read: Any, cell: str) -> None:
    claims = read("csv", CSV.format(cell, ""))
    assert claims.score.tolist() == [0.5, float(cell)]
    assert "score" not in claims.units.attributes


@pytest.mark.parametrize("cell", ["", "NaN"])
def test_an_empty_cell_is_unknown(read: Any, cell: str) -> None:
    assert read("csv", CSV.format(cell, "")).score.tolist() == pytest.approx([0.5, NAN], nan_ok=True)


@pytest.mark.parametrize(
    ("cell", "without"),
    [("high", ""), ("inf", ""), ("1e400", ""), ("0x1p3", ""), ("1_0", ""), ("[0.5]", ""), ("0.5", "3"), ("0.5", "low")],
    ids=["word", "infinite", "too large", "hexadecimal", "underscore", "nested", "of a unit", "a unit's word"],
)
def test_any_other_column_speaks_of_units_as_before(read: Any, cell: str, without: str) -> None:
    claims = read("csv", CSV.format(cell, without))
    assert claims.score is None
    assert claims.units.attributes == {"score": ["0.5", without]}


def test_a_column_without_numbers_is_no_score(read: Any) -> None:
    claims = read("csv", "unit,label,start,end,score\na,LOC,0,3,\n")
    assert (claims.score, claims.units.attributes) == (None, {"score": [""]})


def test_a_word_far_behind_makes_it_an_attribute_everywhere(read: Any) -> None:
    """Behind the first batch of units, too: the column is looked at before the first claim is made."""
    rows = "".join(f"u{n},LOC,0,3,0.5\n" for n in range(5000))
    claims = read("csv", f"unit,label,start,end,score\n{rows}last,LOC,0,3,high\n")
    assert claims.score is None
    assert claims.units.attributes["score"][-2:] == ["0.5", "high"]


@pytest.mark.parametrize(("last", "attribute"), [("0.25", False), ("high", True)])
def test_standard_input_is_judged_by_its_head(monkeypatch: pytest.MonkeyPatch, last: str, attribute: bool) -> None:
    data = f"unit,label,start,end,score\na,LOC,0,3,0.5\nb,LOC,0,3,{last}\n".encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    claims = karatage.read("-", format="csv")
    assert len(claims) == 2
    assert ("score" in claims.units.attributes, claims.score is None) == (attribute, attribute)


def test_standard_input_with_a_word_behind_its_head_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The claims before it have gone out with scores."""
    rows = "".join(f"u{n},LOC,0,3,0.5\n" for n in range(20_000))
    data = f"unit,label,start,end,score\n{rows}last,LOC,0,3,high\n".encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    with pytest.raises(FormatError, match=r"'high' is not a finite number") as caught:
        karatage.read("-", format="csv")
    assert (caught.value.line, caught.value.unit) == (20_002, "last")


FRAME = pl.DataFrame(
    {
        "unit": ["a", "b", "a", "c"],
        "label": ["X", "X", "Y", None],
        "value": ["1", "2", "3", None],
        "score": [0.5, None, 2, None],
    }
)


def test_frames_and_parquet(read: Any) -> None:
    """The rows of a unit may lie apart in a frame; pandas says NaN for null; whole numbers are numbers."""
    expected = pytest.approx([0.5, 2, NAN], nan_ok=True)
    assert claims_of_frame(FRAME, "frame").score.tolist() == expected  # type: ignore[union-attr]
    pandas = pytest.importorskip("pandas")
    assert claims_of_frame(pandas.DataFrame(FRAME.to_dict(as_series=False)), "frame").score.tolist() == expected  # type: ignore[union-attr]
    out = io.BytesIO()
    FRAME.sort("unit").write_parquet(out)
    assert read("parquet", out.getvalue()).score.tolist() == expected
    whole = FRAME.with_columns(score=pl.Series([1, None, 2, None]))
    assert claims_of_frame(whole, "frame").score.tolist() == pytest.approx([1, 2, NAN], nan_ok=True)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        (["a", "b", "c", None], ["a", "b", ""]),
        ([float("inf"), 1.0, 2.0, None], ["inf", "1", ""]),  # a whole number is one, however it is stored
        ([True, False, True, None], ["true", "false", ""]),
        ([[1.0], [1.0], [2.0], None], ["[1.0]", "[1.0]", ""]),
    ],
)
def test_frames_with_another_column_of_that_name(read: Any, column: list[Any], texts: list[str]) -> None:
    frame = FRAME.with_columns(score=pl.Series(column))
    claims = claims_of_frame(frame, "frame")
    assert claims.score is None
    assert claims.units.attributes["score"] == texts
    out = io.BytesIO()
    frame.sort("unit", maintain_order=True).write_parquet(out)
    assert read("parquet", out.getvalue()).score is None


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_tables_with_an_attribute_of_that_name(suffix: str, tmp_path: Path) -> None:
    """Beside the scores of claims it is left out and counted; without them it is written as before."""
    units = Units(2, ["a", "b"], attributes={"score": ["good", "bad"]})
    rows = [(0, "X", 0, 1, None, None), (1, "X", 0, 1, None, None)]
    place = tmp_path / f"table{suffix}"
    assert karatage.write(Claims.build(units, "char", rows, [0.5, 0.25]), place) == {"attributes": 2}
    assert karatage.read(place).score.tolist() == [0.5, 0.25]  # type: ignore[union-attr]
    assert karatage.write(Claims.build(units, "char", rows), place) == {}
    assert karatage.read(place).units.attributes == units.attributes


def test_scores_that_only_later_units_have(tmp_path: Path) -> None:
    """A CSV file has its columns from the first units; Parquet has them all."""
    first = Claims.build(Units(1, ["a"]), "char", [(0, "X", 0, 1, None, None)])
    then = Claims.build(Units(1, ["b"]), "char", [(0, "X", 0, 1, None, None)], [0.5])
    assert convert([first, then], get_format("csv"), str(tmp_path / "t.csv")) == {"confidence scores": 1}
    assert convert([first, then], get_format("parquet"), str(tmp_path / "t.parquet")) == {}
    assert karatage.read(tmp_path / "t.parquet").score.tolist() == pytest.approx([NAN, 0.5], nan_ok=True)  # type: ignore[union-attr]
