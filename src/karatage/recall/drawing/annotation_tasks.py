"""Tasks for annotators: tasks and a labelling configuration for Label Studio, and a table for a spreadsheet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from xml.sax.saxutils import quoteattr

from karatage.formats import quoted_formula, to_rows
from karatage.recall.drawing.draw_record import DrawnItem

CANDIDATE = "candidate"
"""The label of the candidate in tasks."""

_TABLE_COLUMNS = ("item", "stratum", "text", "start", "end", "candidate", "answer", "entity")

_QUESTION = "Is the marked occurrence an entity ({label}), or part of one? If so, choose yes and mark the whole entity."

_CONFIGURATION = """<View>
  <Header value={question}/>
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
    """Return the configuration of a project in Label Studio: the entity's label, the candidate's, and yes or no."""
    return _CONFIGURATION.format(question=quoteattr(_QUESTION.format(label=label)), label=quoteattr(label))


def tasks_json(items: Iterable[DrawnItem]) -> bytes:
    """Return tasks to import into Label Studio; the candidate is marked as a prediction."""
    return label_studio_json(map(_task, items))


def label_studio_json(tasks: Iterable[Mapping[str, object]]) -> bytes:
    """Return tasks as JSON, one per line."""
    lines = ",\n".join(json.dumps(task, ensure_ascii=False) for task in tasks)
    return f"[\n{lines}\n]\n".encode("utf-8", "surrogatepass")


def _task(item: DrawnItem) -> dict[str, object]:
    return {
        "data": {"text": item.text, "item": item.item, "stratum": item.stratum, "unit": item.unit},
        "predictions": [
            {
                "model_version": "karatage",
                "result": [span_result("candidate", item.text, item.start, item.end, CANDIDATE)],
            }
        ],
    }


def span_result(name: str, text: str, start: int, end: int, label: str) -> dict[str, object]:
    """Return a span as Label Studio stores it. Browsers count in UTF-16; the quoted text shows which count it is."""
    first, last = (len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2 for offset in (start, end))
    value = {"start": first, "end": last, "text": text[start:end], "labels": [label]}
    return {"id": name, "from_name": "label", "to_name": "text", "type": "labels", "value": value}


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
