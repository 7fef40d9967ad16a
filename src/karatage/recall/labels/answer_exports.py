"""Read answers from exports of Label Studio and from CSV files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from karatage.errors import InputError
from karatage.formats import (
    ANNOTATIONS,
    FileStart,
    JsonObject,
    Source,
    all_choices,
    count_others,
    guard,
    records,
    refuse_other_exports,
    spans_of,
    text_key,
)
from karatage.recall.csv_tables import read_table
from karatage.recall.drawing.annotation_tasks import CANDIDATE
from karatage.recall.labels.answers import Answer, MarkedSpan
from karatage.recall.labels.decisions import AnswerRules, overlapping

Offsets = tuple[int, int]


@dataclass(frozen=True)
class Export:
    """A file with answers."""

    path: str
    stratum: str | None = None  # of its tasks, if they do not say so themselves
    spans_only: bool = False  # from a second pass, which asked for spans
    adjudication: bool = False  # its answers resolve conflicts
    annotator: str | None = None  # if the file does not say so


def read_answers(
    export: Export,
    rules: AnswerRules | None,
    notes: Counter[str],
    candidates: Mapping[str, Offsets] | None = None,
    skipped: list[Answer] | None = None,
) -> list[Answer]:
    """Read an export of Label Studio, or a CSV file with the columns item, text and answer.

    An item without an id is named after its task. Cancelled annotations and tasks without answers are skipped.

    Args:
        rules: How answers are interpreted. The candidate of a task is the span with the label `candidate`, or with none
            of the labels of the rules.
        notes: Receives counts of what was skipped.
        candidates: Candidates by item, for CSV files without start and end.
        skipped: Receives the annotations that were skipped, which withdraw earlier answers.
    """
    source = Source(export.path)
    if not source.is_folder:
        refuse_other_exports(FileStart(source), source.name, columns=True)
    if source.suffixes.endswith(".csv"):
        return list(_from_table(source, export, rules or AnswerRules(labels=(CANDIDATE,)), candidates or {}))
    with guard(source):
        tasks = ((JsonObject(value, source.name, line), line) for line, value in records(source))
        passed = [] if skipped is None else skipped
        return [one for task, line in tasks for one in _from_task(task, line, source, export, rules, notes, passed)]


def no_answers(paths: Iterable[str]) -> InputError:
    """Return the error for files without answers."""
    hint = "Pass the export of a labelled project"
    return InputError("no answers found", source=", ".join(paths), hint=hint)


class _AskedItem(NamedTuple):
    """What a task asked about."""

    item: str
    stratum: str
    adjudication: bool
    spans_only: bool

    def answer(self, annotation: JsonObject, **facts: Any) -> Answer:
        """Return an answer; one that is marked as ground truth resolves conflicts."""
        resolves = self.adjudication or annotation.members.get("ground_truth") is True
        return Answer(**(self._asdict() | {"adjudication": resolves} | facts))


def _from_task(
    task: JsonObject,
    line: int,
    source: Source,
    export: Export,
    rules: AnswerRules | None,
    notes: Counter[str],
    skipped: list[Answer],
) -> Iterator[Answer]:
    number = task.id() or f"line {line}"  # errors name the task from here on
    data = task.object("data")
    facts = data.scalars(())
    stratum = facts.get("stratum") or export.stratum or source.path.stem
    resolves = export.adjudication or facts.get("adjudication") == "yes"
    asked = _AskedItem(facts.get("item") or f"{stratum}-{number}", stratum, resolves, export.spans_only)
    given = [one for key in ANNOTATIONS for one in task.objects(key)]
    annotations = [one for one in given if one.members.get("was_cancelled") is not True]
    notes["cancelled annotations skipped"] += len(given) - len(annotations)
    for one in given:
        who = _annotator(one) or export.annotator
        if one.members.get("was_cancelled") is True and who is not None:
            text = data.text(text_key(data, ()))
            skipped.append(asked.answer(one, text=text, candidate=None, annotator=who, time=_time(one)))
    notes["tasks without answers skipped"] += not annotations
    notes["drafts that were not submitted, left out"] += len(task.array("drafts"))
    unnamed = sum(_annotator(one) is None for one in annotations)
    for index, one in enumerate(annotations, 1):
        who = _annotator(one) or export.annotator or (f"unknown {index}" if unnamed > 1 else "unknown")
        yield asked.answer(one, annotator=who, **_content(one, data, export, rules, notes))


def _content(
    annotation: JsonObject, data: JsonObject, export: Export, rules: AnswerRules | None, notes: Counter[str]
) -> dict[str, Any]:
    """Return what an annotation says: the candidate, the choice and the spans, and the text that they are about."""
    results = list(annotation.objects("result"))
    text = data.text(text_key(data, results))
    spans = tuple(_spans(results, text, notes))
    choices = all_choices(results)
    if len(set(choices)) > 1:
        problem = f"one annotation has the choices {', '.join(sorted(set(choices)))}"
        annotation.fail(problem, "Ask for one choice per task")
    markers = [span for span in spans if span.label == CANDIDATE]
    if not markers and rules is not None and not export.spans_only:
        others = [span for span in spans if span.label not in rules.labels and not span.manual]
        markers = others if len(others) == 1 else []
    count_others(results, notes)
    notes["answers without a choice or a span, counted as no entity"] += not spans and not choices
    return {
        "text": text,
        "candidate": (markers[0].start, markers[0].end) if len(markers) == 1 else None,
        "choice": choices[0] if choices else None,
        "spans": _entities(spans, markers, choices, rules),
        "seconds": _seconds(annotation),
        "time": _time(annotation),
    }


def _entities(
    spans: Sequence[MarkedSpan], markers: Sequence[MarkedSpan], choices: Sequence[str], rules: AnswerRules | None
) -> tuple[MarkedSpan, ...]:
    """Return the spans other than the candidate, with the labels that theirs stand for.

    If the label of the candidate stands for an entity, the candidate of a positive answer without a span is the entity.
    """
    label_map = rules.label_map if rules is not None else {}
    own = tuple(replace(one, label=label_map.get(one.label, one.label)) for one in spans if one not in markers)
    if rules is None or len(markers) != 1 or markers[0].label not in label_map or not choices:
        return own
    (candidate,) = markers
    whole = not any(one.label in rules.labels for one in overlapping(own, (candidate.start, candidate.end)))
    if whole and rules.meaning(choices[0]):
        own = (*own, replace(candidate, label=label_map[candidate.label]))
    return own


def _spans(results: Iterable[JsonObject], text: str, notes: Counter[str]) -> Iterator[MarkedSpan]:
    for item, label, (start, end) in spans_of(results, text, notes):
        if not 0 <= start < end <= len(text):
            item.fail(f"{item.path}: the span {start}–{end} is outside its text of {len(text)} characters")
        yield MarkedSpan(start, end, label, item.members.get("origin") != "prediction")


def _annotator(annotation: JsonObject) -> str | None:
    """Return the annotator: a number, a name, or an object with either; None if unknown."""
    who = annotation.members.get("completed_by")
    if isinstance(who, dict):
        who = next((who[key] for key in ("email", "username", "id") if who.get(key) not in (None, "")), None)
    return str(who)[:200] if isinstance(who, str | int) and who != "" else None


def _seconds(annotation: JsonObject) -> float | None:
    value = annotation.members.get("lead_time")
    valid = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9
    return float(value) if valid and value is not None else None


def _time(annotation: JsonObject) -> str | None:
    """Return when an annotation was last changed, or else created, in UTC; times without an offset are in UTC."""
    for name in ("updated_at", "created_at"):
        try:
            found = datetime.fromisoformat(str(annotation.members.get(name)))
            with_offset = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
            return with_offset.astimezone(UTC).isoformat(timespec="microseconds")
        except (ValueError, OverflowError):
            continue
    return None


def _from_table(
    source: Source, export: Export, rules: AnswerRules, candidates: Mapping[str, Offsets]
) -> Iterator[Answer]:
    """Read a filled-in `tasks.csv`; the entity is searched in the text, where it overlaps the candidate."""
    hint = "Required: item, text and answer. Optional: entity (the whole entity) and annotator"
    _, rows = read_table(source, ("item", "text", "answer"), hint=hint, any_separator=True, for_people=True)
    for line, row in rows:
        choice = row["answer"].strip()
        if not choice:
            continue
        candidate = _candidate(row, source, line) or candidates.get(row["item"])
        entity = row.get("entity", "").strip()
        spans: tuple[MarkedSpan, ...] = ()
        if entity:
            spans = (MarkedSpan(*_find(entity, row["text"], candidate, source, line), rules.labels[0]),)
        elif candidate and rules.meaning(choice):
            spans = (MarkedSpan(*candidate, rules.labels[0]),)  # the candidate is the whole entity
        yield Answer(
            item=row["item"],
            stratum=row.get("stratum") or export.stratum or source.path.stem,
            text=row["text"],
            candidate=candidate,
            annotator=row.get("annotator") or export.annotator or source.path.stem,
            choice=choice,
            spans=spans,
            adjudication=export.adjudication,
            spans_only=export.spans_only,
        )


def _candidate(row: dict[str, str], source: Source, line: int) -> Offsets | None:
    if not row.get("start") and not row.get("end"):
        return None
    try:
        start, end = int(row["start"]), int(row["end"])
    except (ValueError, KeyError):
        raise InputError("start and end must be whole numbers", source=source.name, line=line) from None
    if not 0 <= start < end <= len(row["text"]):
        raise InputError(f"the span {start}–{end} is outside the text", source=source.name, line=line)
    return start, end


def _find(entity: str, text: str, candidate: Offsets | None, source: Source, line: int) -> Offsets:
    """Return the offsets of an entity where it overlaps the candidate."""
    start = text.find(entity)
    while start >= 0:
        end = start + len(entity)
        if candidate is None or (start < candidate[1] and candidate[0] < end):
            return start, end
        start = text.find(entity, start + 1)
    hint = "Copy the entity exactly as it appears in the text, including the marked occurrence"
    raise InputError(f"the entity {entity!r:.50} was not found in the text", source=source.name, line=line, hint=hint)
