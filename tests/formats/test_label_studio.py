"""Label Studio's JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import karatage
from karatage.claims import join_batches
from karatage.errors import FormatError
from karatage.formats import ReadOptions, Source, sniff


def _span(start: Any, end: Any, *labels: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": "labels",
        "from_name": "l",
        "to_name": "text",
        "value": {"start": start, "end": end, "labels": list(labels), **more},
    }


def _task(*annotations: Any, text: str = "Rio und Ulm", **more: Any) -> str:
    return json.dumps([{"id": 5, "data": {"text": text}, "annotations": list(annotations), **more}])


def _spans(claims: Any) -> list[Any]:
    return [row[1:4] for row in claims.rows()]


def test_labels_and_choices(read: Any) -> None:
    """Each label of a span is a claim; one choice is an attribute of the unit, two are none."""
    choice = {"type": "choices", "to_name": "text", "value": {"choices": ["yes"]}}
    claims = read("label-studio", _task({"result": [choice, _span(8, 11, "LOC", "ORG"), _span(0, 3, "LOC")]}))
    assert _spans(claims) == [("LOC", 0, 3), ("LOC", 8, 11), ("ORG", 8, 11)]
    assert claims.units.attributes == {"choice": ["yes"]}
    assert claims.units.ids == ["5"]
    assert read("label-studio", _task({"result": [choice, choice]})).units.attributes == {}


def test_which_annotation_counts(read: Any) -> None:
    """Ground truth first, then the first that was not cancelled; a task that all skipped is left out."""
    first, second = {"result": [_span(0, 3, "A")]}, {"result": [_span(0, 3, "B")]}
    assert _spans(read("label-studio", _task(first, second))) == [("A", 0, 3)]
    assert _spans(read("label-studio", _task(first, {**second, "ground_truth": True}))) == [("B", 0, 3)]
    assert _spans(read("label-studio", _task({**first, "was_cancelled": True}, second))) == [("B", 0, 3)]
    assert len(read("label-studio", _task({**first, "was_cancelled": True})).units) == 0


def test_predictions(read: Any) -> None:
    """They count only where nobody annotated; bare numbers are references to what is not in the file."""
    predicted = {"result": [_span(8, 11, "P")]}
    assert _spans(read("label-studio", _task(predictions=[12, {"result": []}, predicted]))) == [("P", 8, 11)]
    assert _spans(read("label-studio", _task({"result": []}, predictions=[predicted]))) == []
    bare = read("label-studio", _task(predictions=[12]))
    assert (len(bare.units), len(bare)) == (1, 0)


def test_the_text_has_another_name(read: Any) -> None:
    """The spans say which member of the data they lie in."""
    task = {
        "id": 1,
        "data": {"title": "x", "body": "Rio"},
        "annotations": [{"result": [{**_span(0, 3, "LOC"), "to_name": "body"}]}],
    }
    claims = read("label-studio", json.dumps([task]))
    assert claims.units.texts == ["Rio"]
    assert claims.units.attributes == {"title": ["x"]}


def test_offsets_of_a_browser(read: Any) -> None:
    """A browser counts 😀 as two; the quoted text shows it, and Karatage counts characters."""
    text = "😀 Rio"  # in characters, Rio is 2–5; in units of UTF-16 it is 3–6
    assert _spans(read("label-studio", _task({"result": [_span(3, 6, "LOC", text="Rio")]}, text=text))) == [
        ("LOC", 2, 5)
    ]
    assert _spans(read("label-studio", _task({"result": [_span(2, 5, "LOC", text="Rio")]}, text=text))) == [
        ("LOC", 2, 5)
    ]
    with pytest.raises(FormatError, match="but the annotation says 'Rio'"):
        read("label-studio", _task({"result": [_span(0, 3, "LOC", text="Rio")]}, text=text))


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ({"annotations": []}, "data is missing"),
        ({"data": {}, "annotations": []}, "data.text is missing"),
        ({"data": {"text": None}, "annotations": []}, "data.text must be a string, got null"),
        ({"data": {"text": "Rio"}, "annotations": {}}, "annotations must be an array"),
        (
            {"data": {"text": "Rio"}, "annotations": [{"result": [_span("0", 3, "A")]}]},
            r"annotations\[0\].result\[0\].value.start must be",
        ),
        ({"data": {"text": "Rio"}, "annotations": [{"result": [_span(0, 9, "A")]}]}, "is outside the text"),
        (
            {"data": {"text": "Rio"}, "annotations": [{"result": [_span(0, 3, 5)]}]},
            r"labels\[0\] must be a string",
        ),
        ({"data": {"text": "Rio"}, "annotations": [{"result": [_span(0, 3, "")]}]}, "empty label"),
        ({"data": {"text": "Rio"}, "annotations": [{"result": [{"type": "labels"}]}]}, "value is missing"),
    ],
)
def test_errors(read: Any, task: dict[str, Any], message: str) -> None:
    """The message says which part of the task is wrong."""
    with pytest.raises(Exception, match=message) as caught:
        read("label-studio", json.dumps([{"id": 8, **task}]))
    assert "unit 8" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "units", "claims"),
    [
        ("koond_1000_levinumad_labelled", 997, 997),
        ("koond_1000_levinumad_truelabelled", 353, 1227),
        ("koond_1000_ulejaanud_truelabelled", 177, 601),
        ("multiple_annotators", 13, 78),
    ],
)
def test_real_exports(real_data: Path, name: str, units: int, claims: int) -> None:
    """Counted from the files; where two people annotated, 78 of the 79 spans are the first one's."""
    source = Source(real_data / "amundsen_01" / "labelled" / f"{name}.json")
    form = sniff(source)
    assert form.name == "label-studio"
    found = join_batches(form.read(source, ReadOptions()))
    assert (len(found.units), len(found)) == (units, claims)
    assert set(found.units.attributes["choice"]) <= {"yes", "partially", "no", ""}


def test_what_is_passed_over_is_said(tmp_path: Path) -> None:
    """A second annotation and a skipped task are counted in the warnings and when converting."""
    two = {"id": 1, "data": {"text": "Rio"}, "annotations": [{"result": [_span(0, 3, "LOC")]}, {"result": []}]}
    skipped = {"id": 2, "data": {"text": "Ulm"}, "annotations": [{"result": [], "was_cancelled": True}]}
    path = tmp_path / "export.json"
    path.write_text(json.dumps([two, skipped]))
    several, left_out = (
        "tasks with several annotations, of which one was read",
        "tasks that every annotator skipped, left out",
    )
    warnings = karatage.score(path, path).warnings
    assert set(warnings) == {f"{side}: {what}: 1" for side in ("gold", "predictions") for what in (several, left_out)}
    assert karatage.convert(path, tmp_path / "out.jsonl", to="doccano") == {several: 1, left_out: 1}
