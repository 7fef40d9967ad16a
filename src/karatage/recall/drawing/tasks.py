"""What annotators get: tasks and a labelling configuration for Label Studio, or a table for a spreadsheet."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

from karatage.formats import to_rows

if TYPE_CHECKING:
    from karatage.recall.drawing.drawn import Item

CANDIDATE = "candidate"
"""The label that tasks mark the candidate with."""

COLUMNS = ("item", "stratum", "text", "start", "end", "candidate", "answer", "entity")

_QUESTION = "Is the marked occurrence an entity ({label}), or part of one? Then say yes, and mark its full span."

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
    """Return the configuration for a project in Label Studio: the entity's label, the candidate's, and yes or no."""
    return _CONFIGURATION.format(question=quoteattr(_QUESTION.format(label=label)), label=quoteattr(label))


def tasks_json(items: Iterable[Item]) -> bytes:
    """Return tasks to import into Label Studio, in the order given; the candidate is marked as a prediction."""
    lines = ",\n".join(json.dumps(_task(item), ensure_ascii=False) for item in items)
    return f"[\n{lines}\n]\n".encode()


def _task(item: Item) -> dict[str, Any]:
    value = {**utf16(item.text, item.start, item.end), "labels": [CANDIDATE]}
    mark = {"id": "candidate", "from_name": "label", "to_name": "text", "type": "labels", "value": value}
    return {
        "data": {"text": item.text, "item": item.item, "stratum": item.stratum, "unit": item.unit},
        "predictions": [{"model_version": "karatage", "result": [mark]}],
    }


def utf16(text: str, start: int, end: int) -> dict[str, Any]:
    """Return a span as Label Studio has it: browsers count in UTF-16, and the quoted text tells which count it is."""
    first, last = (len(text[:at].encode("utf-16-le", "surrogatepass")) // 2 for at in (start, end))
    return {"start": first, "end": last, "text": text[start:end]}


def tasks_table(items: Iterable[Item]) -> bytes:
    """Return a CSV table to fill in: `answer` yes or no, `entity` the whole entity as it stands in the text.

    It starts with a byte order mark, without which some spreadsheets take UTF-8 for something else. Texts stay as they
    are, also one that starts with = as a formula does: another text would be another item.
    """
    rows = (
        (item.item, item.stratum, item.text, str(item.start), str(item.end), item.candidate, "", "") for item in items
    )
    return b"\xef\xbb\xbf" + to_rows([COLUMNS, *rows], ",", "\n", "tasks.csv")
