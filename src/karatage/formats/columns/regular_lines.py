"""The lines of a block in which every line is either blank or has all columns: what nearly all blocks are.

There, the separators and line ends follow one pattern. Without the blank lines, they are a table with one row a line
and one column a cell, so that nothing has to be looked up line by line.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Ints
from karatage.formats.columns.column_layout import DOCUMENT_START, ColumnLayout, is_fact

_END = 10


@dataclass(frozen=True, slots=True)
class DataLines:
    """The lines with tokens, cut into cells.

    Attributes:
        starts: where each line starts.
        ends: where each cell ends, one row a line and one column a cell; the next cell starts one byte later.
        first: the index of each sentence's first line, with one more entry for the end of the last sentence.
        numbers: the number of each sentence's first line among all lines of the block, from 0.
        total: how many lines the block has.
    """

    starts: Ints
    ends: Ints
    first: Ints
    numbers: Ints
    total: int

    def cells(self, column: int) -> tuple[Ints, Ints]:
        """Return start and end of the cells of a column."""
        return self.starts if column == 0 else self.ends[:, column - 1] + 1, self.ends[:, column]

    @property
    def sizes(self) -> Ints:
        """How many lines each sentence has."""
        return np.diff(self.first)


def regular_lines(buffer: NDArray[np.uint8], marks: Ints, layout: ColumnLayout) -> DataLines | None:
    """Cut a block into lines and cells; None if it has comments, empty cells, or lines with more or fewer columns.

    Args:
        buffer: the text, whose last line is complete, and bytes after its end.
        marks: where its separators and line ends are.
        layout: the columns.
    """
    line_end = buffer == _END
    # A mark right behind another one is a blank line, or else an empty cell.
    touching = np.flatnonzero(marks[1:] - marks[:-1] == 1)
    if len(marks) and marks[0] == 0:
        touching = np.concatenate([np.full(1, -1), touching])
    blank = touching + 1
    if not (line_end[marks[blank]] & (line_end[marks[touching]] | (touching < 0))).all():
        return None
    kept = np.ones(len(marks), bool)
    kept[blank] = False
    cells = marks.compress(kept)
    count, rest = divmod(len(cells), layout.width)
    if rest or np.count_nonzero(line_end) != count + len(blank):
        return None
    ends = cells.reshape(count, layout.width)
    if not line_end.take(ends[:, -1]).all():  # then all others are separators, as there are as many line ends as lines
        return None
    before = (blank - np.arange(len(blank))) // layout.width  # how many lines with tokens come before each blank one
    starts = np.empty(count + 1, np.int64)
    starts[0] = 0
    np.add(ends[:, -1], 1, out=starts[1:])
    starts[before] = marks[blank] + 1  # of several blank lines, the last one counts
    starts = starts[:-1]
    bounds = np.concatenate([np.zeros(1, np.int64), before, np.full(1, count)])
    first = np.append(0, bounds[1:][bounds[1:] > bounds[:-1]])
    numbers = first[:-1] + np.searchsorted(before, first[:-1], "right")
    lines = DataLines(starts, ends, first, numbers, count + len(blank))
    return None if _has_comments(buffer, lines) else lines


def _has_comments(buffer: NDArray[np.uint8], lines: DataLines) -> bool:
    """Tell whether a line is a comment or the start of a document, though it has as many columns as the others."""
    letters = buffer.take(lines.starts)
    dashes = lines.starts[letters == ord(DOCUMENT_START[0])]
    if (buffer.take(dashes + 1) == ord(DOCUMENT_START[1])).any():
        return True
    # Within a sentence, a line that starts with a hash is a token.
    hashes = lines.first[:-1][letters[lines.first[:-1]] == ord("#")]
    spans = zip(lines.starts[hashes].tolist(), lines.ends[hashes, -1].tolist(), strict=True)
    return any(is_fact(buffer[start:end].tobytes().decode()) for start, end in spans)
