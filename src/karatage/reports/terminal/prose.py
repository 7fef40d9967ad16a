"""Text that wraps as people would break it: no last line of one word, and no number without what it counts."""

from __future__ import annotations

import re
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.containers import Lines
from rich.text import Text

_ITEM = 30
"""A longer item of a list may be broken."""

_GLUE = "\ufdd0"
"""A code point that no text may have, for a space at which a line does not end."""


class Prose(Text):
    """A text that keeps `80 %` and the items of `12 texts · 24 gold` together, and ends in no line of one word."""

    @classmethod
    def of(cls, text: Text) -> Prose:
        """Return a text that is the same but for its line breaks."""
        given = {name: getattr(text, name) for name in ("style", "justify", "overflow", "no_wrap", "end", "spans")}
        return cls(text.plain, **given)

    def wrap(self, console: Console, width: int, **options: Any) -> Lines:
        """Return the lines of the text."""
        lines = Lines()
        for paragraph in self.split(allow_blank=True):
            paragraph.plain = _glued(paragraph.plain)
            own = list(paragraph.wrap(console, width, **options))
            if len(own) > 1:
                own[-2:] = _without_a_lone_word(own[-2], own[-1], width)
            for line in own:
                line.plain = line.plain.replace(_GLUE, " ")
            lines.extend(own)
        return lines


def _glued(text: str) -> str:
    """Mark the spaces at which no line should end."""
    text = text.replace(_GLUE, "\ufffd").replace(" %", f"{_GLUE}%")
    items = text.split(" · ")
    if len(items) == 1:
        return text
    return " · ".join(item.replace(" ", _GLUE) if len(item) <= _ITEM else item for item in items)


def _without_a_lone_word(before: Text, last: Text, width: int) -> list[Text]:
    """Give the last line the last word of the line before it, if it has only one and there is room for both."""
    cut = re.fullmatch(r"\s*\S+\s.*?(\s+)\S+\s*", before.plain)
    if cut is None or re.search(rf"[\s{_GLUE}]", last.plain.strip()):
        return [before, last]
    head, _, moved = before.divide([cut.start(1), cut.end(1)])
    for part in (moved, last):
        part.rstrip()  # a cell is filled with spaces
    joined = Text(" ").join([moved, last])
    return [before, last] if cell_len(joined.plain) > width else [head, joined]
