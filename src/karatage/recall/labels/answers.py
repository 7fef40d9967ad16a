"""What annotators said of items: read from exports of Label Studio and from CSV, and kept in one file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from karatage.errors import InputError
from karatage.formats import (
    ANNOTATIONS,
    JsonObject,
    Source,
    character_span,
    choices_of,
    guard,
    records,
    text_key,
    writing,
)
from karatage.recall.csv_tables import read_table
from karatage.recall.drawing.draw_folder import LABELS
from karatage.recall.drawing.tasks import CANDIDATE
from karatage.recall.labels.answer_rules import Rules


@dataclass(frozen=True)
class Mark:
    """A span that an annotator left in a text.

    Attributes:
        start: its first character.
        end: one behind its last.
        label: what it is called.
        manual: whether the annotator set it; else it was there before as a prediction.
    """

    start: int
    end: int
    label: str
    manual: bool = True

    @property
    def place(self) -> tuple[int, int, str]:
        """What makes two marks the same."""
        return self.start, self.end, self.label


@dataclass(frozen=True)
class Answer:
    """What one annotator said of one item.

    Attributes:
        item: the item.
        stratum: the item's stratum.
        text: its text.
        candidate: where the candidate stands in the text, where that is known.
        annotator: who said it.
        choice: what was chosen, if anything.
        marks: the spans that were left in the text.
        seconds: how long it took.
        adjudication: whether it settles a conflict of others.
        spans_only: whether it is of a second pass, which asked for spans; what was chosen there means something else.
    """

    item: str
    stratum: str
    text: str
    candidate: tuple[int, int] | None
    annotator: str
    choice: str | None = None
    marks: tuple[Mark, ...] = ()
    seconds: float | None = None
    adjudication: bool = False
    spans_only: bool = False

    @property
    def key(self) -> tuple[str, str, bool, bool]:
        """What a later answer of the same annotator replaces."""
        return self.item, self.annotator, self.adjudication, self.spans_only

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        marks = [[mark.start, mark.end, mark.label, mark.manual] for mark in self.marks]
        return dict(vars(self)) | {"marks": marks, "candidate": self.candidate and list(self.candidate)}


@dataclass(frozen=True)
class Export:
    """A file with answers.

    Attributes:
        path: the file.
        stratum: the stratum that its tasks belong to, where they do not say so themselves.
        spans_only: whether it is of a second pass, which asked for spans.
        adjudication: whether it settles conflicts.
        annotator: who answered, where the file does not say so.
    """

    path: str
    stratum: str | None = None
    spans_only: bool = False
    adjudication: bool = False
    annotator: str | None = None


def read_answers(
    export: Export,
    rules: Rules | None,
    notes: Counter[str],
    places: Mapping[str, tuple[int, int]] | None = None,
) -> list[Answer]:
    """Read an export of Label Studio, or a CSV file with the columns item and answer.

    The candidate of a task is the one span with the label `candidate`, or with none of the labels of the `rules`, where
    those are given; of a row of a table, start and end, or where `places` has it. An item without a name of its own is
    called by its task. Annotations that were cancelled, and tasks that nobody answered, are left out and counted in
    `notes`.
    """
    source = Source(export.path)
    if source.suffixes.endswith(".csv"):
        return list(_from_table(source, export, rules or Rules((CANDIDATE,)), places or {}))
    labels = rules.labels if rules is not None else None
    with guard(source):
        return [one for line, task in records(source) for one in _from_task(task, line, source, export, labels, notes)]


def no_answers(paths: Iterable[str]) -> InputError:
    """Make the error for files that nobody has answered in."""
    hint = "Is it the export of a labelled project?"
    return InputError("no answer is in there", source=", ".join(paths), hint=hint)


def _from_task(
    value: Any, line: int, source: Source, export: Export, labels: Sequence[str] | None, notes: Counter[str]
) -> Iterator[Answer]:
    task = JsonObject(value, source.name, line)
    number = task.id() or f"line {line}"
    if "data" not in task and "annotation_id" in task:
        task.fail("is not a task with its annotations", "Export from Label Studio as JSON, not as JSON-MIN or CSV")
    data = task.object("data")
    facts = data.scalars(())
    given = [one for key in ANNOTATIONS for one in task.objects(key)]
    standing = [one for one in given if one.members.get("was_cancelled") is not True]
    notes["cancelled annotations, left out"] += len(given) - len(standing)
    notes["tasks that nobody answered, left out"] += not standing
    stratum = facts.get("stratum") or export.stratum or source.path.stem
    settles = export.adjudication or facts.get("adjudication") == "yes"
    nameless = sum(_annotator(one) is None for one in standing)
    for at, one in enumerate(standing, 1):
        results = list(one.objects("result"))
        text = data.text(text_key(data, results))
        marks = tuple(mark for item in results if item.members.get("type") == "labels" for mark in _marks(item, text))
        choices = [
            name for item in results if item.members.get("type") == "choices" for name in choices_of(item, "choices")
        ]
        if len(set(choices)) > 1:
            task.fail(f"one annotation chooses {', '.join(sorted(set(choices)))}", "Ask for one choice per task")
        marker = [mark for mark in marks if mark.label == CANDIDATE]
        if not marker and labels and not export.spans_only:
            others = [mark for mark in marks if mark.label not in labels and not mark.manual]
            marker = others if len(others) == 1 else []
        for item in results:
            if item.members.get("type") not in ("labels", "choices"):
                notes[f"results of the type {item.members.get('type')!r:.40}, passed over"] += 1
        notes["answers without a choice or a span, taken as: no entity"] += not marks and not choices
        yield Answer(
            facts.get("item") or f"{stratum}-{number}",
            stratum,
            text,
            marker[0].place[:2] if len(marker) == 1 else None,
            _annotator(one) or export.annotator or (f"unknown {at}" if nameless > 1 else "unknown"),
            choices[0] if choices else None,
            tuple(mark for mark in marks if mark not in marker),
            _seconds(one),
            settles or one.members.get("ground_truth") is True,
            export.spans_only,
        )


def _marks(item: JsonObject, text: str) -> Iterator[Mark]:
    start, end = character_span(item.object("value"), text)
    if not 0 <= start < end <= len(text):
        item.fail(f"{item.path}: the span {start}–{end} does not lie in its text of {len(text)} characters")
    for label in choices_of(item, "labels"):
        yield Mark(start, end, label, item.members.get("origin") != "prediction")


def _annotator(annotation: JsonObject) -> str | None:
    """Return who answered: a number, a name, or an object with either; None if that is not said."""
    who = annotation.members.get("completed_by")
    if isinstance(who, dict):
        who = next((who[key] for key in ("email", "username", "id") if who.get(key) not in (None, "")), None)
    return str(who)[:200] if isinstance(who, str | int) and who != "" else None


def _seconds(annotation: JsonObject) -> float | None:
    value = annotation.members.get("lead_time")
    fine = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9
    return float(value) if fine and value is not None else None


def _from_table(
    source: Source, export: Export, rules: Rules, places: Mapping[str, tuple[int, int]]
) -> Iterator[Answer]:
    """Read a filled-in `tasks.csv`; the entity is looked for in the text, where it touches the candidate."""
    header, rows = read_table(source, any_separator=True)
    missing = [name for name in ("item", "text", "answer") if name not in header]
    if missing:
        hint = "There must be item, text and answer; entity holds the whole entity, annotator who answered"
        raise InputError(f"has no column {', '.join(missing)}", source=source.name, line=1, hint=hint)
    for line, row in rows:
        choice = row["answer"].strip()
        if not choice:
            continue
        candidate = _candidate(row, source, line) or places.get(row["item"])
        entity = row.get("entity", "").strip()
        marks: tuple[Mark, ...] = ()
        if entity:
            marks = (Mark(*_find(entity, row["text"], candidate, source, line), rules.labels[0]),)
        elif candidate and rules.meaning(choice):
            marks = (Mark(*candidate, rules.labels[0]),)  # the candidate is the whole entity
        yield Answer(
            row["item"],
            row.get("stratum") or export.stratum or source.path.stem,
            row["text"],
            candidate,
            row.get("annotator") or export.annotator or source.path.stem,
            choice,
            marks,
            adjudication=export.adjudication,
            spans_only=export.spans_only,
        )


def _candidate(row: dict[str, str], source: Source, line: int) -> tuple[int, int] | None:
    if not row.get("start") and not row.get("end"):
        return None
    try:
        start, end = int(row["start"]), int(row["end"])
    except (ValueError, KeyError):
        raise InputError("start and end must be whole numbers", source=source.name, line=line) from None
    if not 0 <= start < end <= len(row["text"]):
        raise InputError(f"the span {start}–{end} does not lie in the text", source=source.name, line=line)
    return start, end


def _find(entity: str, text: str, candidate: tuple[int, int] | None, source: Source, line: int) -> tuple[int, int]:
    """Find where an entity stands: where it touches the candidate."""
    at = text.find(entity)
    while at >= 0:
        end = at + len(entity)
        if candidate is None or (at < candidate[1] and candidate[0] < end):
            return at, end
        at = text.find(entity, at + 1)
    hint = "Copy the entity as it stands in the text, with the marked occurrence in it"
    raise InputError(f"the entity {entity!r:.50} is not in the text", source=source.name, line=line, hint=hint)


def read_kept(folder: str | Path) -> list[Answer]:
    """Read the answers that a folder keeps."""
    path = Path(folder) / LABELS
    if not path.exists():
        return []
    out = []
    for number, line in Source(path).lines():
        try:
            out.append(_kept(json.loads(line)))
        except (ValueError, TypeError, KeyError, RecursionError):
            raise InputError("is no answer", source=str(path), line=number, hint="Import the exports again") from None
    return out


def _kept(value: dict[str, Any]) -> Answer:
    """Make an answer of a line of the file; anything else raises."""
    marks = tuple(Mark(*mark) for mark in value["marks"])
    candidate = tuple(value["candidate"]) if value["candidate"] else None
    answer = Answer(**(value | {"marks": marks, "candidate": candidate}))
    texts = (answer.item, answer.stratum, answer.text, answer.annotator, answer.choice or "", *(m.label for m in marks))
    places = [place for mark in marks for place in (mark.start, mark.end)] + list(candidate or (0, 0))
    if not all(isinstance(one, str) for one in texts) or not all(type(one) is int for one in places):
        raise TypeError
    if len(candidate or (0, 0)) != 2 or not isinstance(answer.seconds, float | int | None):
        raise TypeError
    return answer


def write_kept(folder: str | Path, answers: Iterable[Answer]) -> None:
    """Write the answers that a folder keeps, whole or not at all."""
    with writing(Path(folder) / LABELS) as stream:
        for one in answers:
            stream.write(json.dumps(one.to_dict(), ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")


def merged(old: Iterable[Answer], new: Iterable[Answer]) -> list[Answer]:
    """Put answers together; a later one of the same annotator on the same item replaces the earlier one."""
    return list({one.key: one for one in (*old, *new)}.values())
