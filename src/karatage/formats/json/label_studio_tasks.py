"""What goes to Label Studio: results as it stores them, and the labelling configuration of a project for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from karatage._writing import writing
from karatage.errors import UsageError
from karatage.formats.io import to_bytes

CHOICE = "choice"
"""The name of the choice of a task, and of the attribute that it becomes."""

UNIT_ID = "karatage_id"
"""Where a task's data has the id of its unit. Label Studio replaces the id of the task itself by a number."""


def span_result(name: str, text: str, start: int, end: int, label: str) -> dict[str, Any]:
    """Return a span as Label Studio stores it. It counts code points as Python does: an emoji is one."""
    value = {"start": start, "end": end, "text": text[start:end], "labels": [label]}
    return {"id": name, "from_name": "label", "to_name": "text", "type": "labels", "value": value}


def choice_result(choice: str) -> dict[str, Any]:
    """Return a choice as Label Studio stores it."""
    return {"id": "c0", "from_name": CHOICE, "to_name": "text", "type": "choices", "value": {"choices": [choice]}}


def check_configuration(path: str) -> None:
    """Refuse a file for a labelling configuration by its name."""
    if not path.lower().endswith(".xml"):
        raise UsageError(f"--labelling {path}: a labelling configuration is an .xml file")


def write_configuration(
    path: str, labels: Iterable[str], choices: Iterable[str] = (), *, header: str | None = None
) -> None:
    """Write the labelling configuration of a project for tasks with these labels and choices.

    Args:
        header: what stands above each task; `$name` is replaced by a member of the task's data.
    """
    from xml.sax.saxutils import quoteattr  # imports urllib

    check_configuration(path)
    lines = ["<View>"]
    if header is not None:
        lines.append(f'  <Header value={quoteattr(header)} size="5"/>')
    lines.append('  <Labels name="label" toName="text">')
    lines += [f"    <Label value={quoteattr(label)}/>" for label in sorted(set(labels))]
    lines += ["  </Labels>", '  <Text name="text" value="$text"/>']
    if known := sorted(set(choices)):
        lines.append(f'  <Choices name="{CHOICE}" toName="text" choice="single-radio" showInline="true">')
        lines += [f"    <Choice value={quoteattr(choice)}/>" for choice in known]
        lines.append("  </Choices>")
    lines.append("</View>")
    with writing(path) as out:
        out.write(to_bytes("\n".join(lines) + "\n", path))
