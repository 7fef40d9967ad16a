"""Label Studio's JSON: exports of tasks with annotations, and tasks with the predictions of a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from karatage.claims import Batch, Claims
from karatage.errors import FormatError
from karatage.formats.batching import UnitRecord, claims_batches, json_records, known_scores
from karatage.formats.format import FileStart, Format, Holds, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source
from karatage.formats.json.json_members import JsonObject
from karatage.formats.json.json_records import write_array
from karatage.formats.json.label_studio_exports import refuse_other_exports
from karatage.formats.json.label_studio_results import all_choices, count_others, spans_of, text_key
from karatage.formats.json.label_studio_tasks import CHOICE, UNIT_ID, choice_result, span_result
from karatage.formats.losses import supported_records

ANNOTATIONS = ("annotations", "completions")
"""Where exports of newer and older versions have the annotations of a task."""

MODEL = "karatage"
"""The name that Label Studio shows for predictions from here."""


def read(source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield the tasks with the spans of the annotation that counts.

    That is the one marked as ground truth, else the first that was not skipped. A task that nobody annotated, or that
    every annotator skipped, is left out: what a model predicted for it is not an annotation.
    """
    hint = "Annotate them first. To read what a model predicted, set --format or --pred-format label-studio-predictions"
    error = FormatError("the tasks have no annotations", source=source.name, hint=hint)
    return claims_batches(source, "char", _records(source, lambda task: _annotated(task, options), error))


def read_predictions(source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield the tasks with the spans of the first prediction; a task without one is left out."""
    hint = "Export a snapshot that includes predictions: other exports have only their numbers"
    error = FormatError("the tasks have no predictions", source=source.name, hint=hint)
    return claims_batches(source, "char", _records(source, lambda task: _predicted(task, options), error))


def _records(
    source: Source, parse: Callable[[JsonObject], UnitRecord | None], error: FormatError
) -> Iterator[UnitRecord]:
    """Yield the records of a file; if all of its tasks are left out, that is an error."""
    refuse_other_exports(FileStart(source), source.name)
    tasks: Counter[bool] = Counter()

    def counted(task: JsonObject) -> UnitRecord | None:
        record = parse(task)
        tasks[record is not None] += 1
        return record

    yield from json_records(source, counted)
    if tasks[False] and not tasks[True]:
        raise error


def _annotated(task: JsonObject, options: ReadOptions) -> UnitRecord | None:
    unit, notes = unit_id(task), options.notes
    given = [one for key in ANNOTATIONS for one in task.objects(key)]
    standing = [one for one in given if one.members.get("was_cancelled") is not True]
    if drafts := len(task.array("drafts")):
        notes["drafts that were not submitted, left out"] += drafts
    if not standing and options.unlabelled:
        return _record(task, unit, [], notes)
    if not standing:
        notes[f"tasks that {'every annotator skipped' if given else 'nobody annotated'}, left out"] += 1
        return None
    if len(standing) < len(given):
        notes["skipped annotations of tasks that have others, left out"] += len(given) - len(standing)
    if len(standing) > 1:
        notes["tasks with several annotations, of which one was read"] += 1
    chosen = next((one for one in standing if one.members.get("ground_truth") is True), standing[0])
    return _record(task, unit, list(chosen.objects("result")), notes)


def _predicted(task: JsonObject, options: ReadOptions) -> UnitRecord | None:
    unit, notes = unit_id(task), options.notes
    written = [(at, one) for at, one in enumerate(task.array("predictions")) if isinstance(one, dict)]
    if not written and options.unlabelled:
        return _record(task, unit, [], notes)
    if not written:  # or only the numbers of some, which are not in the file
        notes["tasks without predictions, left out"] += 1
        return None
    if len(written) > 1:
        notes["tasks with several predictions, of which the first was read"] += 1
    at, first = written[0]
    chosen = JsonObject(first, task.source, task.line, f"predictions[{at}]", task.unit)
    return _record(task, unit, list(chosen.objects("result")), notes)


def unit_id(task: JsonObject) -> str | None:
    """Return the id that the unit had before Label Studio gave the task a number; else that number."""
    number = task.id()
    own = task.object("data").id(UNIT_ID)
    task.unit = own or number
    return task.unit


def _record(task: JsonObject, unit: str | None, results: list[JsonObject], notes: Counter[str]) -> UnitRecord:
    data = task.object("data")
    key = text_key(data, results)
    text = data.text(key)
    facts = data.scalars({key, UNIT_ID})
    choices = all_choices(results)
    if len(choices) == 1:
        facts[CHOICE] = choices[0]
    elif choices:
        notes["tasks with several choices, which were left out"] += 1
    count_others(results, notes)
    found = list(spans_of(results, text, notes))
    return UnitRecord(
        task.line,
        [(label, start, end, None, None) for _, label, (start, end) in found],
        unit,
        text,
        attributes=facts,
        scores=known_scores([item.score() for item, _, _ in found]),
    )


def write(batches: Iterable[Claims], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write an array of tasks with one annotation each, which Label Studio counts as finished work."""
    found = supported_records(batches, "char", LABEL_STUDIO, lost)
    kept = {"was_cancelled": False, "ground_truth": False}
    write_array(path, (_task(record) | {"annotations": [kept | {"result": _results(record)}]} for record in found))


def write_predictions(batches: Iterable[Claims], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write an array of tasks with one prediction each, for annotators to correct."""
    found = supported_records(batches, "char", LABEL_STUDIO_PREDICTIONS, lost)
    model = {"model_version": MODEL}
    write_array(path, (_task(record) | {"predictions": [model | {"result": _results(record)}]} for record in found))


def _task(record: UnitRecord) -> dict[str, Any]:
    facts = {name: value for name, value in record.attributes.items() if name != CHOICE}
    unit = {} if record.id is None else {UNIT_ID: record.id}
    return {"data": {**facts, **unit, "text": record.text or ""}}


def _results(record: UnitRecord) -> list[dict[str, Any]]:
    text = record.text or ""
    spans = [
        span_result(f"s{at}", text, start, end, label) | score
        for at, (label, start, end, score) in enumerate(record.scored_rows())
    ]
    choice = record.attributes.get(CHOICE)
    return [*spans, choice_result(choice)] if choice else spans


def _has(record: dict[str, Any], *keys: str) -> bool:
    return isinstance(record.get("data"), dict) and any(isinstance(record.get(key), list) for key in keys)


def _only_predictions(record: dict[str, Any]) -> bool:
    return _has(record, "predictions") and not any(key in record for key in ANNOTATIONS)


_HOLDS: frozenset[Holds] = frozenset({"chars", "text", "nested", "ids", "attributes", "confidence"})

LABEL_STUDIO = Format(
    name="label-studio",
    about="Label Studio JSON export: tasks with annotations; a single choice becomes an attribute.",
    suffixes=(".json",),
    holds=_HOLDS,
    sniff=lambda start: start.objects_are(lambda record: _has(record, *ANNOTATIONS)),
    read=read,
    write=write,
    example="""[{"id": 1, "data": {"text": "Tallinn on Eesti pealinn"}, "annotations": [
  {"was_cancelled": false, "ground_truth": false, "result": [
  {"from_name": "label", "to_name": "text", "type": "labels",
  "value": {"start": 0, "end": 7, "text": "Tallinn", "labels": ["LOC"]}}]}], "predictions": []}]
""",
)

LABEL_STUDIO_PREDICTIONS = Format(
    name="label-studio-predictions",
    about="Label Studio JSON tasks with the predictions of a model, for annotators to correct.",
    suffixes=(".json",),
    holds=_HOLDS,
    sniff=lambda start: start.objects_are(_only_predictions),
    read=read_predictions,
    write=write_predictions,
    predicted=True,
    example="""[{"data": {"karatage_id": "s1", "text": "Tallinn on Eesti pealinn"}, "predictions": [
  {"model_version": "karatage", "result": [
  {"from_name": "label", "to_name": "text", "type": "labels",
  "value": {"start": 0, "end": 7, "text": "Tallinn", "labels": ["LOC"]}, "score": 0.9}]}]}]
""",
)
