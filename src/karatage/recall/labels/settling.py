"""Conflicts as tasks for Label Studio: each with what the annotators said, to be settled by one more answer."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from karatage.formats import writing
from karatage.recall.drawing.tasks import CANDIDATE, utf16
from karatage.recall.labels.agreement import Conflict
from karatage.recall.labels.answers import Answer, Mark


def write_conflicts(conflicts: Iterable[Conflict], place: str) -> None:
    """Write tasks that settle conflicts: import the export of them as any other, and what it says holds."""
    lines = ",\n".join(json.dumps(_task(one), ensure_ascii=False) for one in conflicts)
    with writing(place) as stream:
        stream.write(f"[\n{lines}\n]\n".encode("utf-8", "surrogatepass"))


def _task(conflict: Conflict) -> dict[str, Any]:
    first = conflict.answers[0]
    said = "; ".join(f"{one.annotator}: {one.choice or 'no choice'}" for one in conflict.answers)
    data = {"text": first.text, "item": conflict.item, "stratum": first.stratum, "adjudication": "yes", "said": said}
    return {"data": data, "predictions": [_said(one, f"annotator {one.annotator}") for one in conflict.answers]}


def _said(answer: Answer, name: str) -> dict[str, Any]:
    marks = list(answer.marks)
    if answer.candidate is not None:
        marks.insert(0, Mark(*answer.candidate, CANDIDATE))
    result: list[dict[str, Any]] = [
        {
            "id": f"s{at}",
            "from_name": "label",
            "to_name": "text",
            "type": "labels",
            "value": {**utf16(answer.text, mark.start, mark.end), "labels": [mark.label]},
        }
        for at, mark in enumerate(marks)
    ]
    if answer.choice is not None:
        value = {"choices": [answer.choice]}
        result.append({"id": "c0", "from_name": "review", "to_name": "text", "type": "choices", "value": value})
    return {"model_version": name, "result": result}
