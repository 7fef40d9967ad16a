"""Label Studio's JSON export: tasks with annotations, which hold spans and choices."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from karatage.claims import Batch, Claims
from karatage.formats.batching import Row, UnitRecord, claims_batches, json_records, known_scores
from karatage.formats.format import Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source
from karatage.formats.json.json_members import JsonObject
from karatage.formats.json.json_records import id_member, write_array
from karatage.formats.losses import supported_records

ANNOTATIONS = ("annotations", "completions")
"""Where exports of newer and older versions have the annotations of a task."""

CHOICE = "choice"


def read(source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield the tasks with the spans of the annotation that counts.

    That is the one marked as ground truth, else the first that was not cancelled. Of a task that nobody
    annotated, the first prediction with results counts; a task that every annotator skipped is left out.
    """
    return claims_batches(source, "char", json_records(source, lambda task: _record(task, options)))


def _record(task: JsonObject, options: ReadOptions) -> UnitRecord | None:
    unit = task.id()
    given = [one for key in ANNOTATIONS for one in task.objects(key)]
    standing = [one for one in given if one.members.get("was_cancelled") is not True]
    if given and not standing:
        options.notes["tasks that every annotator skipped, left out"] += 1
        return None
    if len(standing) > 1:
        options.notes["tasks with several annotations, of which one was read"] += 1
    chosen = next((one for one in standing if one.members.get("ground_truth") is True), next(iter(standing), None))
    results = list(chosen.objects("result")) if chosen is not None else _predicted(task)
    data = task.object("data")
    key = text_key(data, results)
    text = data.text(key)
    facts = data.scalars({key})
    choices = [one for item in results if item.members.get("type") == "choices" for one in choices_of(item, "choices")]
    if len(choices) == 1:
        facts[CHOICE] = choices[0]
    spans = [item for item in results if item.members.get("type") == "labels"]
    found = [(row, item.score()) for item in spans for row in _rows(item, text)]
    scores = known_scores([score for _, score in found])
    return UnitRecord(task.line, [row for row, _ in found], unit, text, attributes=facts, scores=scores)


def _predicted(task: JsonObject) -> list[JsonObject]:
    """Return the results of the first prediction that has any; predictions may be bare numbers."""
    for at, one in enumerate(task.array("predictions")):
        if isinstance(one, dict) and one.get("result"):
            path = f"{task.name('predictions')}[{at}]"
            return list(JsonObject(one, task.source, task.line, path, task.unit).objects("result"))
    return []


def text_key(data: JsonObject, results: list[JsonObject]) -> str:
    """Find the member of a task's data that the spans lie in."""
    named = [item.members.get("to_name") for item in results if item.members.get("type") == "labels"]
    for key in (*named, "text"):
        if isinstance(key, str) and isinstance(data.members.get(key), str):
            return key
    texts = [key for key, value in data.members.items() if isinstance(value, str)]
    if "text" not in data.members and len(texts) == 1:
        return texts[0]
    return "text"


def choices_of(item: JsonObject, key: str) -> list[str]:
    """Return the labels or the choices of a result."""
    value = item.object("value")
    return value.texts(key) if value.members.get(key) is not None else []


def _rows(item: JsonObject, text: str) -> Iterator[Row]:
    value = item.object("value")
    start, end = character_span(value, text)
    labels = choices_of(item, "labels")
    if "" in labels:
        value.fail(f"{value.path}.labels contains an empty label")
    for label in labels:
        yield label, start, end, None, None


def character_span(value: JsonObject, text: str) -> tuple[int, int]:
    """Return a span in characters. Browsers count in UTF-16: the quoted text tells which count it is."""
    start, end = value.offset("start"), value.offset("end")
    quoted = value.optional_text("text")
    if quoted is None or _plain(text[start:end]) == _plain(quoted) or end > 2 * len(text):
        return start, end
    wide = text.encode("utf-16-le", "surrogatepass")
    before, inside = (wide[2 * a : 2 * b].decode("utf-16-le", "replace") for a, b in ((0, start), (start, end)))
    if _plain(inside) != _plain(quoted):
        value.fail(
            f"the text at {start}–{end} is {text[start:end]!r:.50}, but the annotation says {quoted!r:.50}",
            "Was the text changed after annotation? Offsets must count characters",
        )
    return len(before), len(before) + len(inside)


def _plain(text: str) -> str:
    """Drop blanks and line breaks, which Label Studio quotes in several ways."""
    return re.sub(r"\s|\\n", "", text)


def write(batches: Iterable[Claims], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write an array of tasks with one annotation each."""
    found = supported_records(batches, "char", LABEL_STUDIO, lost)
    write_array(path, (_task(record) for record in found))


def _task(record: UnitRecord) -> dict[str, Any]:
    text = record.text or ""
    result: list[dict[str, Any]] = [
        {
            "id": f"s{at}",
            "from_name": "label",
            "to_name": "text",
            "type": "labels",
            "value": {"start": start, "end": end, "text": text[start:end], "labels": [label]},
            **score,
        }
        for at, (label, start, end, score) in enumerate(record.scored_rows())
    ]
    facts = dict(record.attributes)
    choice = facts.pop(CHOICE, "")
    if choice:
        result.append(
            {"id": "c0", "from_name": CHOICE, "to_name": "text", "type": "choices", "value": {"choices": [choice]}}
        )
    annotation = {"was_cancelled": False, "ground_truth": False, "result": result}
    return {**id_member(record.id), "data": {**facts, "text": text}, "annotations": [annotation]}


def _is_record(record: dict[str, Any]) -> bool:
    listed = any(isinstance(record.get(key), list) for key in (*ANNOTATIONS, "predictions"))
    return listed and isinstance(record.get("data"), dict)


LABEL_STUDIO = Format(
    name="label-studio",
    about="Label Studio JSON export: tasks with annotations; a single choice becomes an attribute.",
    suffixes=(".json",),
    holds=frozenset({"chars", "text", "nested", "ids", "attributes", "confidence"}),
    sniff=lambda start: start.objects_are(_is_record),
    read=read,
    write=write,
    example="""[{"id": 1, "data": {"text": "Tallinn on Eesti pealinn"}, "annotations": [
  {"was_cancelled": false, "ground_truth": false, "result": [
  {"from_name": "label", "to_name": "text", "type": "labels",
  "value": {"start": 0, "end": 7, "text": "Tallinn", "labels": ["LOC"]}}]}], "predictions": []}]
""",
)
