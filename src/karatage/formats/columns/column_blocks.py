"""A block of column text, cut into lines and columns without looking at a line in Python.

All separators of the block are found at once, the columns are cut out of their positions, and the distinct tags are
numbered. Only comments and lines that break the pattern are looked at one by one.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Ints
from karatage.claims import PADDING, ByteTokens, Tagged, Tags, TagVocabulary, Units, starts_of
from karatage.errors import FormatError, TagError
from karatage.formats.columns.column_layout import DOCUMENT_START, ColumnLayout, is_comment, split_columns
from karatage.formats.columns.regular_lines import DataLines, regular_lines
from karatage.formats.format import ReadOptions

_BLANK, _DATA, _COMMENT, _DOCUMENT = range(4)
_LINE_END = 10
_READ = re.compile(r"# *(sent_id|text|newdoc|global\.columns)\b|#.*document_id")
"""The comments that are read."""

_NEW_DOCUMENT = re.compile(r"#\s*(?:newdoc\b(?:\s+id\b)?|(?:[\w.-]+:+)?document_id\b)\s*(?:=\s*(.*))?")
"""`# newdoc`, `# newdoc id = …`, `# document_id = …` and `# hipe2022:document_id = …`."""


class ColumnBlock:
    """A block of whole sentences, cut into lines and columns."""

    def __init__(self, text: bytes, layout: ColumnLayout, name: str, line: int, *, header: bool) -> None:
        self.layout, self.name, self.line = layout, name, line
        self.skipped = (
            0  # comments that might be tokens: as wide as one, within a sentence, or without a blank after the #
        )
        if not layout.tabs and any(blank in text for blank in (b"\t", b"\r", b"\f", b"\v")):
            text = _single_blanks(text)
        self._find_marks(text)
        self._special, self._breaks = np.zeros(0, np.int64), np.zeros(0, np.int64)
        regular = None if header else regular_lines(self.buffer, self.marks, layout)
        self._lines = regular or self._cut(text, header)
        self.line_count = self._lines.total

    def _cut(self, text: bytes, header: bool) -> DataLines:
        """Cut a block with comments or odd lines."""
        if not self.layout.tabs and self._has_runs():
            self._find_marks(_single_blanks(text))
        breaks = np.flatnonzero(self.buffer[self.marks] == _LINE_END)
        self.ends = self.marks[breaks]
        self.starts = np.empty_like(self.ends)
        self.starts[:1] = 0
        self.starts[1:] = self.ends[:-1] + 1
        self.first_mark = np.empty_like(breaks)
        self.first_mark[:1] = 0
        self.first_mark[1:] = breaks[:-1] + 1
        self.kinds = self._kinds(breaks - self.first_mark + 1, header)
        return self._data_lines()

    def _data_lines(self) -> DataLines:
        """Return the lines with tokens; note which others say something, and after which ones sentences end."""
        kinds = self.kinds
        self._special = np.flatnonzero(kinds >= _COMMENT)
        lines = np.arange(len(kinds)) if len(self._special) == 0 else np.flatnonzero(kinds != _COMMENT)
        data = kinds[lines] == _DATA
        if len(data) and data[-1]:  # the last sentence of the file has no blank line after it
            lines, data = np.append(lines, len(kinds)), np.append(data, False)
        keep = data.copy()
        keep[1:] |= data[:-1]
        lines, data = lines[keep], data[keep]
        ends = np.flatnonzero(~data)
        rows = lines[data]
        first = starts_of(np.diff(ends, prepend=-1) - 1)
        self._breaks = lines[ends]
        cells = self.marks[self.first_mark[rows][:, None] + np.arange(self.layout.width)]
        return DataLines(self.starts[rows], cells, first, rows[first[:-1]], len(kinds))

    def _find_marks(self, text: bytes) -> None:
        """Find all separators and line ends."""
        self.buffer = np.frombuffer(text + bytes(PADDING), np.uint8)
        body = self.buffer[: len(text)]
        self.marks = np.flatnonzero((body == (9 if self.layout.tabs else 32)) | (body == _LINE_END))

    def _has_runs(self) -> bool:
        """Tell whether blanks touch each other or a line's end."""
        marks = np.concatenate([np.full(1, -1), self.marks])
        touching = np.flatnonzero(marks[1:] - marks[:-1] == 1)
        after, before = self.buffer[marks[touching + 1]], self.buffer[np.maximum(marks[touching], 0)]
        before[marks[touching] < 0] = _LINE_END
        return bool(((after != _LINE_END) | (before != _LINE_END)).any())

    def _kinds(self, widths: Ints, header: bool) -> NDArray[np.uint8]:
        """Tell blank lines, data, comments and document starts apart; refuse anything else."""
        regular = widths == self.layout.width
        # A line of nothing but separators, as WNUT-17 has them between sentences, is blank too.
        blank = (self.starts == self.ends) | (regular & (self.ends - self.starts == self.layout.width - 1))
        first = self.buffer[self.starts]
        kinds = np.where(blank, np.uint8(_BLANK), np.uint8(_DATA))
        doubtful = ~(blank | regular) | (regular & ~blank & ((first == ord("#")) | (first == ord("-"))))
        for row in np.flatnonzero(doubtful).tolist():
            kinds[row] = self._kind(row, bool(regular[row]), inside=row > 0 and kinds[row - 1] == _DATA)
        if header:
            kinds[np.flatnonzero(kinds == _DATA)[:1]] = _COMMENT
        return kinds

    def _kind(self, row: int, regular: bool, *, inside: bool) -> int:
        text = self.text(row)
        if not text.strip():
            return _BLANK
        if text.startswith(DOCUMENT_START):
            return _DOCUMENT
        if is_comment(text, self.layout, inside=inside):
            self.skipped += regular or inside or not text.startswith(("# ", "#\t"))
            return _COMMENT
        if regular:
            return _DATA
        width = len(split_columns(text, self.layout.tabs))
        raise FormatError(
            f"expected {self.layout.width} columns, as in the lines before, found {width}",
            source=self.name,
            line=self.line + row,
            hint="Is the line truncated, or the separator different?",
        )

    def text(self, row: int) -> str:
        """Return one line."""
        return self.buffer[self.starts[row] : self.ends[row]].tobytes().decode()

    def others(self) -> Counter[str]:
        """Count what is neither a token nor a tag: cells of other columns, and comments that say something else."""
        read = {self.layout.token, *self.layout.tags, *range(self.layout.token)}  # the first may be a running number
        out: Counter[str] = Counter()
        for column in set(range(self.layout.width)) - read:
            starts, ends = self._lines.cells(column)
            empty = (ends == starts) | ((ends == starts + 1) & np.isin(self.buffer[starts], list(b"_-")))
            out[f"column {column + 1}"] += int((~empty).sum())
        comments = (self.text(row) for row in self._special.tolist() if self.kinds[row] == _COMMENT)
        out["comments"] = sum(line.startswith("# ") and not _READ.match(line) for line in comments)
        return +out

    def tagged(
        self, vocabularies: list[TagVocabulary], options: ReadOptions, units: int, document: tuple[int, str]
    ) -> tuple[Tagged, tuple[int, str]]:
        """Make units out of the lines; return them, and the number and name of the last document begun."""
        lines = self._lines
        sizes = lines.sizes
        layers = tuple(
            self._layer(column, sizes, vocabulary=vocabulary, options=options)
            for column, vocabulary in zip(self.layout.tags, vocabularies, strict=True)
        )
        facts, document = self._comments(len(sizes), document)
        found = Units(
            count=len(sizes),
            ids=facts.pop("sent_id", None),
            first=units,
            texts=facts.pop("text", None) if options.texts else None,
            tokens=ByteTokens(self.buffer, *lines.cells(self.layout.token), lines.first),
            attributes=facts,
            source=self.name,
            lines=lines.numbers + self.line,
        )
        return Tagged(found, layers), document

    def _layer(self, column: int, sizes: Ints, vocabulary: TagVocabulary, options: ReadOptions) -> Tags:
        starts, ends = self._lines.cells(column)
        lengths = ends - starts
        codes = vocabulary.encode(self.buffer, ends, lengths)
        empty = np.flatnonzero(lengths == 0)
        if len(empty):
            if not options.empty_tags:
                raise TagError(
                    "empty tag",
                    source=self.name,
                    line=self.line + self._line_of(int(empty[0])),
                    hint="Use O outside entities, or set --scheme EMPTY if an empty tag continues the previous entity",
                )
            codes = codes.astype(np.int64)
            codes[empty] = vocabulary.code(b"")
        stream = np.zeros(len(codes) + len(sizes), codes.dtype)
        within = np.ones(len(stream), bool)
        within[np.cumsum(sizes + 1) - 1] = False
        stream[within] = codes
        return Tags(stream, tuple(vocabulary.names), sizes)

    def _line_of(self, row: int) -> int:
        """Return the number of a line with a token among all lines."""
        return int(np.count_nonzero(self.buffer[: self._lines.starts[row]] == _LINE_END))

    def _comments(self, count: int, document: tuple[int, str]) -> tuple[dict[str, list[str]], tuple[int, str]]:
        """Collect what comments say of units: their ids, their texts and their documents."""
        (number, name), special, ends = document, self._special, self._breaks
        if len(special) == 0:
            return ({"document": [name] * count} if number else {}), document
        found: dict[str, dict[int, str]] = {"sent_id": {}, "text": {}}
        documents: dict[int, str] = {}
        for row, unit in zip(special.tolist(), np.searchsorted(ends, special).tolist(), strict=True):
            text = self.text(row)
            given = _NEW_DOCUMENT.match(text)
            if self.kinds[row] == _DOCUMENT or given:
                number += 1
                documents[unit] = ((given and given.group(1)) or "").strip() or str(number)
            fact = re.match(r"#\s*(sent_id|text)\s*=\s?(.*)", text)
            if fact and unit < count:
                found[fact.group(1)][unit] = fact.group(2)
        named = found["sent_id"]
        if named and len(named) < count:
            unit = next(unit for unit in range(count) if unit not in named)
            raise FormatError(
                "the sentence has no id, but others have",
                source=self.name,
                line=self.line + (int(ends[unit - 1]) + 1 if unit else 0),
                hint="Give every sentence a comment '# sent_id = …', or none of them",
            )
        facts = {
            name: [values[u] for u in range(count)] for name, values in found.items() if count and len(values) == count
        }
        if number:
            facts["document"] = []
            for unit in range(count):
                name = documents.get(unit, name)
                facts["document"].append(name)
        return facts, (number, documents.get(count, name))


def _single_blanks(text: bytes) -> bytes:
    """Make one blank of each run of them and none at the ends of lines; the number of lines stays the same."""
    return re.sub(rb" *\n *", b"\n", re.sub(rb"[ \t\r\f\v]+", b" ", text)).lstrip(b" ")
