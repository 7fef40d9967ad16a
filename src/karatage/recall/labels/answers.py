"""Answers of annotators, and the file that stores them in the folder of a draw."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from karatage.errors import InputError
from karatage.formats import Source
from karatage.recall.drawing.draw_folder import LABELS


@dataclass(frozen=True)
class MarkedSpan:
    """A span that an annotator left in a text."""

    start: int
    end: int
    label: str
    manual: bool = True  # whether the annotator set it; otherwise it was shown as a prediction

    @property
    def key(self) -> tuple[int, int, str]:
        """Two spans are the same if their keys are."""
        return self.start, self.end, self.label


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What one annotator answered about one item."""

    item: str
    stratum: str
    text: str
    candidate: tuple[int, int] | None  # start and end in the text
    annotator: str
    choice: str | None = None
    spans: tuple[MarkedSpan, ...] = ()  # left in the text
    seconds: float | None = None  # how long the answer took
    adjudication: bool = False  # resolves a conflict of others
    spans_only: bool = False  # from a second pass, which asked for spans; its choice is ignored
    time: str | None = None  # when it was given or last changed: ISO 8601 in UTC

    @property
    def key(self) -> tuple[str, str, bool, bool]:
        """A later answer with the same key replaces this one."""
        return self.item, self.annotator, self.adjudication, self.spans_only

    @property
    def said(self) -> tuple[str | None, frozenset[tuple[int, int, str]]]:
        """What the annotator answered: the choice, and the spans in any order."""
        return self.choice, frozenset(one.key for one in self.spans)

    def to_dict(self) -> dict[str, object]:
        """Return the entry in the file of labels, in which spans are called marks."""
        facts = vars(self) | {"spans": [astuple(one) for one in self.spans]}
        return {"marks" if name == "spans" else name: value for name, value in facts.items()}


def read_labels(folder: str | Path) -> list[Answer]:
    """Read the answers that were imported into a folder."""
    path = Path(folder) / LABELS
    if not path.exists():
        return []
    out = []
    for number, line in Source(path).lines():
        try:
            out.append(_answer(json.loads(line)))
        except (ValueError, TypeError, KeyError, RecursionError):
            hint = "Import the exports again"
            raise InputError("is not an imported label", source=str(path), line=number, hint=hint) from None
    return out


def _answer(value: Mapping[str, Any]) -> Answer:
    """Return the answer on a line of the file; anything else raises an error."""
    spans = tuple(MarkedSpan(*span) for span in value["marks"])
    candidate = tuple(value["candidate"]) if value["candidate"] else None
    facts = {name: given for name, given in value.items() if name != "marks"}
    answer = Answer(**(facts | {"spans": spans, "candidate": candidate}))
    texts = (answer.item, answer.stratum, answer.text, answer.annotator, answer.choice or "", *(m.label for m in spans))
    offsets = [offset for one in spans for offset in (one.start, one.end)] + list(candidate or (0, 0))
    if not all(isinstance(one, str) for one in texts) or not all(type(one) is int for one in offsets):
        raise TypeError
    if len(candidate or (0, 0)) != 2 or not isinstance(answer.seconds, float | int | None):
        raise TypeError
    if not isinstance(answer.time, str | None):
        raise TypeError
    return answer


def labels_bytes(answers: Iterable[Answer]) -> bytes:
    """Return the content of the file of answers."""
    lines = (json.dumps(one.to_dict(), ensure_ascii=False) + "\n" for one in answers)
    return "".join(lines).encode("utf-8", "surrogatepass")
