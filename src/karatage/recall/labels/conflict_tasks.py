"""Conflicts as tasks for Label Studio: each shows what the annotators answered, and one more answer resolves it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from karatage.formats import writing
from karatage.recall.drawing.annotation_tasks import CANDIDATE, label_studio_json, span_result
from karatage.recall.labels.agreement import Conflict
from karatage.recall.labels.answers import Answer, MarkedSpan


def write_conflicts(conflicts: Iterable[Conflict], path: str | Path) -> None:
    """Write tasks that resolve conflicts. Import their export like any other; its answers override all others."""
    with writing(path) as stream:
        stream.write(label_studio_json(map(_task, conflicts)))


def _task(conflict: Conflict) -> dict[str, object]:
    first = conflict.answers[0]
    said = "; ".join(f"{one.annotator}: {one.choice or 'no choice'}" for one in conflict.answers)
    data = {"text": first.text, "item": conflict.item, "stratum": first.stratum, "adjudication": "yes", "said": said}
    return {"data": data, "predictions": [_prediction(one) for one in conflict.answers]}


def _prediction(answer: Answer) -> dict[str, object]:
    spans = list(answer.spans)
    if answer.candidate is not None:
        spans.insert(0, MarkedSpan(*answer.candidate, CANDIDATE))
    result = [span_result(f"s{number}", answer.text, one.start, one.end, one.label) for number, one in enumerate(spans)]
    if answer.choice is not None:
        value = {"choices": [answer.choice]}
        result.append({"id": "c0", "from_name": "review", "to_name": "text", "type": "choices", "value": value})
    return {"model_version": f"annotator {answer.annotator}", "result": result}
