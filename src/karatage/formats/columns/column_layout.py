"""How a file of columns is laid out: its separator, its columns, which of them hold tokens and tags."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from karatage.errors import FormatError

_TAG = re.compile(r"O|[BIESUL]([-_/:|.].+)?|.+[-_/:|.][BIESUL]")
_FACT = re.compile(r"# +([\w.:-]+ *=|(newdoc|newpar)\b)|#(sent_id|text|document_id|global\.columns) *=")
"""What a comment of CoNLL-U and its relatives says: `# text = …`, `# newdoc`."""
_CELL = re.compile(r"[^ \t\r\f\v\n]+")
DOCUMENT_START = "-DOCSTART-"


@dataclass(frozen=True)
class ColumnLayout:
    """The columns of a file.

    Attributes:
        tabs: whether columns are separated by tabs (or by any whitespace).
        width: how many columns a line of data has.
        token: the token's column, from 0.
        tags: the tags' columns, from 0; several where annotation is nested.
        header: whether the first line of data names the columns.
    """

    tabs: bool
    width: int
    token: int
    tags: tuple[int, ...]
    header: bool = False


def is_comment(line: str, layout: ColumnLayout, *, inside: bool) -> bool:
    """Tell a comment from a token that starts with a hash, such as `#NLProc O`.

    A line with as many columns as the others is a token, unless it reads like `# text = …` before the first token of a
    sentence. A line with more or fewer is a comment.
    """
    if not line.startswith("#"):
        return False
    return len(split_columns(line, layout.tabs)) != layout.width or (not inside and is_fact(line))


def is_fact(line: str) -> bool:
    """Tell whether a line that starts with a hash states something of a sentence or document, as in CoNLL-U."""
    return bool(_FACT.match(line))


def split_columns(line: str, tabs: bool) -> list[str]:
    """Cut a line at tabs, or at runs of ASCII blanks; other blanks, such as the no-break one, belong to tokens."""
    return line.split("\t") if tabs else _CELL.findall(line)


def find_layout(lines: Sequence[str], wanted: Sequence[str], name: str, least: int = 2) -> ColumnLayout:
    """Find the layout from the first lines of a file.

    Args:
        lines: the first lines.
        wanted: the columns that the user names, by number from 1, from the end if negative, or by header.
        name: what a message calls the file.
        least: the least number of columns; three where one file holds gold and predictions.
    """
    named: list[str] = []
    data: list[str] = []
    wanted = [column for column in wanted if "=" not in column]  # which names a column of a table, on the other side
    for line in lines:
        hashed = line.startswith("#")
        if hashed and (declared := re.match(r"#\s*global\.columns\s*=\s*(.+)", line)):
            named = declared.group(1).split()
        elif line.strip() and not line.startswith(DOCUMENT_START) and not (hashed and re.match(r"#(\s|$)", line)):
            data.append(line)
    data = data or [line for line in lines if line.strip() and not is_fact(line)]
    if not data:
        raise FormatError("no data in the first part of the file", source=name)
    tabs = "\t" in data[0]
    first = split_columns(data[0], tabs)
    header = first[0] == "TOKEN" and len(first) > 1 and first[1].startswith("NE-")
    if header:
        named = first
        first = split_columns(data[1], tabs) if len(data) > 1 else first
    width = len(first)
    if width < least:
        expected = "two columns, a token and a tag" if least == 2 else "three columns, a token, gold and predictions"
        raise FormatError(
            f"expected at least {expected}",
            source=name,
            line=lines.index(data[0]) + 1,
            hint="If this is not a column file, set its format with --format"
            if least == 2
            else "Pass a file of predictions too",
        )
    indexed = width > 2 and first[0] in ("0", "1")
    rows: list[list[str]] = []
    if indexed:  # as in CoNLL-U, if all rows are
        rows = [row for line in data[header and len(data) > 1 :] if len(row := split_columns(line, tabs)) == width]
        indexed = all(re.fullmatch(r"\d+(-\d+)?", row[0]) for row in rows)
    token = named.index("FORM") if "FORM" in named else 1 if indexed else 0
    if wanted:
        return ColumnLayout(tabs, width, token, tuple(_number(w, width, named, name) for w in wanted), header)
    if header:
        return ColumnLayout(tabs, width, token, (1,), header)
    if indexed:
        looks = [c for c in range(token + 1, width) if all(_TAG.fullmatch(row[c]) for row in rows)]
        return ColumnLayout(tabs, width, token, tuple(looks) or (width - 1,))
    return ColumnLayout(tabs, width, token, (width - 1,))


def looks_like_columns(lines: Sequence[str]) -> bool:
    """Tell whether the first lines look like tokens with tags."""
    data = [line for line in lines[:200] if line.strip() and not line.startswith(("#", DOCUMENT_START))]
    rows = [split_columns(line, "\t" in line) for line in data]
    tagged = sum(any(_TAG.fullmatch(field) for field in row[1:]) for row in rows)
    return bool(rows) and all(len(row) > 1 for row in rows[:5]) and 2 * tagged >= len(rows)


def _number(wanted: str, width: int, named: Sequence[str], name: str) -> int:
    if wanted in named:
        return named.index(wanted)
    try:
        number = int(wanted)
    except ValueError:
        known = f"The columns are {', '.join(named)}" if named else "The file has no column names: use numbers, from 1"
        raise FormatError(f"no column {wanted!r}", source=name, hint=known) from None
    index = number - 1 if number > 0 else width + number
    if number == 0 or not 0 <= index < width:
        raise FormatError(
            f"no column {number}: the file has {width}",
            source=name,
            hint="Columns are numbered from 1; -1 is the last one",
        )
    return index
