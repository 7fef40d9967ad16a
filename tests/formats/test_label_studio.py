"""Label Studio's JSON."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import karatage
from karatage.claims import join_batches
from karatage.errors import FormatError, InputError, UsageError
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
    """Ground truth first, then the first that was not skipped."""
    first, second = {"result": [_span(0, 3, "A")]}, {"result": [_span(0, 3, "B")]}
    assert _spans(read("label-studio", _task(first, second))) == [("A", 0, 3)]
    assert _spans(read("label-studio", _task(first, {**second, "ground_truth": True}))) == [("B", 0, 3)]
    assert _spans(read("label-studio", _task({**first, "was_cancelled": True}, second))) == [("B", 0, 3)]


def test_predictions_are_not_annotations(read: Any, tmp_path: Path) -> None:
    """A task that nobody annotated is left out and counted, whatever a model predicted for it."""
    predicted = {"model_version": "m", "result": [_span(0, 3, "P")]}
    done = {"id": 1, "data": {"text": "Rio"}, "annotations": [{"result": []}], "predictions": [predicted]}
    open_task = {"id": 2, "data": {"text": "Ulm"}, "annotations": [], "predictions": [predicted], "drafts": [9]}
    path = tmp_path / "snapshot.json"
    path.write_text(json.dumps([done, open_task]), "utf-8")
    notes: Counter[str] = Counter()
    claims = karatage.read(path, notes=notes)
    assert (claims.units.ids, _spans(claims)) == (["1"], [])
    assert notes == {"tasks that nobody annotated, left out": 1, "drafts that were not submitted, left out": 1}
    result = karatage.score(path, path)
    assert result.counts["units"] == 1
    assert "gold: tasks that nobody annotated, left out: 1" in result.warnings
    with pytest.raises(FormatError, match="the tasks have no annotations.*--pred-format label-studio-predictions"):
        read("label-studio", _task(predictions=[predicted]))
    with pytest.raises(FormatError, match="the tasks have no annotations"):
        read("label-studio", _task({**predicted, "was_cancelled": True}))


def test_predictions_are_read_where_they_are_asked_for(read: Any) -> None:
    """The first one counts, others are counted; bare numbers are references to what is not in the file."""
    predicted, other = {"result": [_span(8, 11, "P")]}, {"result": [_span(0, 3, "Q")]}
    assert _spans(read("label-studio-predictions", _task(predictions=[12, predicted, other]))) == [("P", 8, 11)]
    assert _spans(read("label-studio-predictions", _task(other, predictions=[predicted]))) == [("P", 8, 11)]
    assert _spans(read("label-studio-predictions", _task(predictions=[{"result": []}]))) == []
    with pytest.raises(FormatError, match="no predictions. Export a snapshot that includes predictions"):
        read("label-studio-predictions", _task(predictions=[12]))


def test_predictions_are_gold_only_if_the_user_says_so(tmp_path: Path) -> None:
    """A file of predictions is recognised, and refused as gold."""
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps([{"data": {"text": "Rio"}, "predictions": [{"result": [_span(0, 3, "A")]}]}]), "utf-8")
    with pytest.raises(InputError, match="gold has predictions only.*--format label-studio-predictions"):
        karatage.score(path, path)
    assert karatage.score(path, path, format="label-studio-predictions")["f1"].value == 1.0
    gold = tmp_path / "gold.json"
    gold.write_text(_task({"result": [_span(0, 3, "A")]}, text="Rio"), "utf-8")
    assert "5" in karatage.read(gold).units.ids
    path.write_text(path.read_text("utf-8").replace('"data": {', '"data": {"karatage_id": "5", '), "utf-8")
    assert karatage.score(gold, path)["f1"].value == 1.0


def test_ids_survive_label_studio(tmp_path: Path) -> None:
    """Label Studio replaces the id of a task by a number; ours is in its data, and gold and predictions pair by it."""
    for name, order in (("gold", ("a-1", "b-2")), ("pred", ("b-2", "a-1"))):
        lines = [json.dumps({"id": one, "text": f"Rio {one}", "label": [[0, 3, "LOC"]]}) for one in order]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines), "utf-8")
    karatage.convert(tmp_path / "gold.jsonl", tmp_path / "gold.json", to="label-studio")
    tasks = json.loads((tmp_path / "gold.json").read_text("utf-8"))
    exported = [{**task, "id": 900 + at, "inner_id": at} for at, task in enumerate(tasks)]
    (tmp_path / "export.json").write_text(json.dumps(exported), "utf-8")
    claims = karatage.read(tmp_path / "export.json")
    assert claims.units.ids == ["a-1", "b-2"]
    assert claims.units.attributes == {}
    assert karatage.score(tmp_path / "export.json", tmp_path / "pred.jsonl")["f1"].value == 1.0


def test_results_of_all_types_are_read_or_counted(tmp_path: Path) -> None:
    """Spans of hypertext are read by their global offsets; other types are counted, and so are several choices."""
    shown = {"start": "/text()[1]", "startOffset": 3, "end": "/text()[1]", "endOffset": 6, "text": "Ulm"}
    spot = shown | {"globalOffsets": {"start": 4, "end": 7}, "hypertextlabels": ["LOC"]}
    hyper = {"type": "hypertextlabels", "to_name": "text", "value": spot}
    choices = {"type": "choices", "value": {"choices": ["a", "b"]}}
    others: list[Any] = [
        {"type": "relation", "from_id": "x"},
        {"type": "textarea", "value": {"text": ["x"]}},
        {"type": 7},
    ]
    # A browser shows one line break for CR LF: Ulm is 4–7 there, and 5–8 in the text.
    task = _task({"result": [hyper, choices, *others, _span(0, 3, text="Rio")]}, text="Rio\r\nUlm")
    path = tmp_path / "export.json"
    path.write_text(task, "utf-8")
    notes: Counter[str] = Counter()
    assert _spans(karatage.read(path, notes=notes)) == [("LOC", 5, 8)]
    assert notes == {
        "results of type 'relation', left out": 1,
        "results of type 'textarea', left out": 1,
        "results of type 'unknown', left out": 1,
        "tasks with several choices, which were left out": 1,
        "spans without a label, left out": 1,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<b>Rio</b>\r\nUlm", "counts the displayed text, not its markup"),
        ("Rio &amp; Ulm", "counts the displayed text, not its markup"),
        ("Rio Ul", "is outside its text of 6 characters"),
        ("Rio und", "but the annotation says 'Ulm'"),
    ],
)
def test_hypertext_that_cannot_be_read_is_refused(read: Any, text: str, message: str) -> None:
    """The offsets of hypertext count what a browser shows, which markup is no part of."""
    value = {"globalOffsets": {"start": 4, "end": 7}, "text": "Ulm", "hypertextlabels": ["LOC"]}
    with pytest.raises(FormatError, match=message):
        read("label-studio", _task({"result": [{"type": "hypertextlabels", "value": value}]}, text=text))


def test_spans_in_several_texts_are_refused(read: Any) -> None:
    """One unit has one text."""
    with pytest.raises(FormatError, match="the spans lie in several texts: text, title"):
        read("label-studio", _task({"result": [_span(0, 3, "A"), {**_span(0, 3, "A"), "to_name": "title"}]}))


MIN = [
    {"text": "Rio", "id": 2, "label": [{"start": 0, "end": 3, "text": "Rio", "labels": ["LOC"]}], "annotation_id": 1}
]
HEADER = ["annotation_id", "annotator", "created_at", "id", "label", "lead_time", "text", "updated_at"]


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("min.json", json.dumps(MIN), "JSON-MIN"),
        ("export.csv", ",".join(f'"{one}"' for one in HEADER) + '\r\n1,"1","x",2,"[]","","Rio","y"\r\n', "CSV"),
        ("export.tsv", "\t".join(f'"{one}"' for one in HEADER) + '\r\n1\t"1"\t"x"\t2\t"[]"\t""\t"Rio"\t"y"\r\n', "TSV"),
    ],
)
@pytest.mark.parametrize("form", [None, "label-studio", "label-studio-predictions"])
def test_other_exports_are_called_by_their_names(
    name: str, content: str, kind: str, form: str | None, tmp_path: Path
) -> None:
    """The message says what the file is and which export to choose."""
    (tmp_path / name).write_text(content, "utf-8", newline="")
    message = f"this is a {kind} export of Label Studio. In Label Studio, export as JSON"
    with pytest.raises(FormatError, match=message):
        karatage.read(tmp_path / name, format=form)


def test_a_configuration_for_the_tasks(tmp_path: Path) -> None:
    """It has the labels and the choices of the tasks, and the names that their results refer to."""
    result = [_span(0, 3, "A<&"), {"type": "choices", "value": {"choices": ["yes"]}}]
    (tmp_path / "in.json").write_text(_task({"result": result}), "utf-8")
    for to in ("label-studio", "label-studio-predictions"):
        karatage.convert(tmp_path / "in.json", tmp_path / "out.json", to=to, labelling=tmp_path / "labelling.xml")
        view = ET.parse(tmp_path / "labelling.xml").getroot()  # noqa: S314  our own file
        assert [one.get("value") for one in view.iter("Label")] == ["A<&"]
        assert [one.get("value") for one in view.iter("Choice")] == ["yes"]
        (task,) = json.loads((tmp_path / "out.json").read_text("utf-8"))
        (given,) = task["annotations" if to == "label-studio" else "predictions"]
        names = {one.get("name"): one.get("toName") for one in view if one.tag in ("Labels", "Choices")}
        assert {one["from_name"]: one["to_name"] for one in given["result"]} == names
    with pytest.raises(UsageError, match="--labelling works with --to label-studio and label-studio-predictions only"):
        karatage.convert(tmp_path / "in.json", tmp_path / "out.jsonl", to="doccano", labelling=tmp_path / "l.xml")
    with pytest.raises(UsageError, match="a labelling configuration is an .xml file"):
        karatage.convert(tmp_path / "in.json", tmp_path / "out.json", to="label-studio", labelling=tmp_path / "l.txt")


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


def test_offsets_in_utf_16(read: Any, tmp_path: Path) -> None:
    """Label Studio counts 😀 as one, as Karatage does; where a tool counts two, the quoted text shows it."""
    text = "😀 Rio"  # in characters, Rio is 2–5; in units of UTF-16 it is 3–6
    assert _spans(read("label-studio", _task({"result": [_span(3, 6, "LOC", text="Rio")]}, text=text))) == [
        ("LOC", 2, 5)
    ]
    assert _spans(read("label-studio", _task({"result": [_span(2, 5, "LOC", text="Rio")]}, text=text))) == [
        ("LOC", 2, 5)
    ]
    with pytest.raises(FormatError, match="but the annotation says 'Rio'"):
        read("label-studio", _task({"result": [_span(0, 3, "LOC", text="Rio")]}, text=text))
    # In characters, aa at 3–5 is the first; in UTF-16, it is 2–4: which one was meant cannot be known.
    (tmp_path / "two.json").write_text(_task({"result": [_span(3, 5, "LOC", text="aa")]}, text="😀 aaaa"), "utf-8")
    notes: Counter[str] = Counter()
    assert _spans(karatage.read(tmp_path / "two.json", notes=notes)) == [("LOC", 3, 5)]
    assert notes == {"spans that fit the text in code points and in UTF-16, read as code points": 1}


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ({"annotations": []}, "data is missing"),
        ({"data": {}, "annotations": [{"result": []}]}, "data.text is missing"),
        ({"data": {"text": None}, "annotations": [{"result": []}]}, "data.text must be a string, got null"),
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
