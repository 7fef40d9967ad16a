"""Tasks for annotators: tasks and a labelling configuration for Label Studio, and a table for a spreadsheet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from xml.sax.saxutils import quoteattr

from karatage.formats import quoted_formula, span_result, to_rows
from karatage.recall.drawing.draw_record import DrawnItem

CANDIDATE = "candidate"
"""The label of the candidate in tasks."""

_TABLE_COLUMNS = ("item", "stratum", "text", "start", "end", "candidate", "answer", "entity")

_QUESTION = "Is the marked occurrence an entity ({label}), or part of one? If so, choose yes and mark the whole entity."

_CONFIGURATION = """<View>
  <Header value={question}/>
  <Header value="$said" size="5"/>
  <Labels name="label" toName="text">
    <Label value={label} background="#1f77b4"/>
    <Label value="candidate" background="#bbbbbb"/>
  </Labels>
  <Text name="text" value="$text"/>
  <Choices name="review" toName="text" choice="single-radio" required="true" showInline="true">
    <Choice value="yes" hotkey="y"/>
    <Choice value="no" hotkey="n"/>
  </Choices>
</View>
"""


def labelling_configuration(label: str) -> str:
    """Return the configuration of a project in Label Studio: the entity's label, the candidate's, and yes or no.

    Tasks that resolve conflicts show what the annotators said.
    """
    return _CONFIGURATION.format(question=quoteattr(_QUESTION.format(label=label)), label=quoteattr(label))


def tasks_json(items: Iterable[DrawnItem]) -> bytes:
    """Return tasks to import into Label Studio."""
    return label_studio_json(
        candidate_task(item.text, (item.start, item.end), item=item.item, stratum=item.stratum, unit=item.unit, said="")
        for item in items
    )


def label_studio_json(tasks: Iterable[Mapping[str, object]]) -> bytes:
    """Return tasks as JSON, one per line."""
    lines = ",\n".join(json.dumps(task, ensure_ascii=False) for task in tasks)
    return f"[\n{lines}\n]\n".encode("utf-8", "surrogatepass")


def candidate_task(text: str, candidate: tuple[int, int] | None, **facts: str) -> dict[str, object]:
    """Return a task that asks about a candidate, which is marked as a prediction; nothing is answered in advance."""
    task: dict[str, object] = {"data": {"text": text, **facts}}
    if candidate is not None:
        marked = span_result(CANDIDATE, text, *candidate, CANDIDATE)
        task["predictions"] = [{"model_version": "karatage", "result": [marked]}]
    return task


def tasks_table(items: Iterable[DrawnItem]) -> bytes:
    """Return a CSV table to fill in: `answer` is yes or no, `entity` the whole entity as it appears in the text.

    It starts with a byte order mark, without which some spreadsheets do not recognise UTF-8. A text that starts with =
    like a formula gets a leading ', which the import takes away: another text would be another item.
    """
    rows = (
        (item.item, item.stratum, item.text, str(item.start), str(item.end), item.candidate, "", "") for item in items
    )
    cells = [list(map(quoted_formula, row)) for row in rows]
    return b"\xef\xbb\xbf" + to_rows([_TABLE_COLUMNS, *cells], ",", "\n", "tasks.csv")
