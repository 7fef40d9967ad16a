"""Batches of whole queries from TREC's files, which may be larger than memory, compressed or not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from karatage.claims import Relevance
from karatage.errors import InputError
from karatage.formats.format import ReadOptions
from karatage.formats.io import Source
from karatage.formats.search.relevance_columns import What
from karatage.formats.search.relevance_tables import odd_values, of_columns
from karatage.formats.search.run_doubts import note_run
from karatage.formats.search.trec_lines import COMMENTS, count_byte, line_by_line, parsed, without_comments

if TYPE_CHECKING:
    import polars as pl

_BLOCK = 1 << 22
"""How many bytes are parsed at a time: few enough to stay in the processor's cache."""

_HEAD = 1 << 12
"""How much of a block shows what separates its fields."""


def query_batches(source: Source, what: What, options: ReadOptions) -> Iterator[Relevance]:
    """Read a file in batches of whole queries; one whose lines are apart is in several batches.

    A line that is wrong is an error that names it. Other errors name no line: the file has to be read as a whole for
    that.

    Args:
        source: the file, or a part of it that starts and ends between two queries.
        what: whether it has grades or scores.
        options: how to read it; comments are counted in its notes.
    """
    import polars as pl

    held: list[pl.DataFrame] = []  # the lines of the last query so far, which may have more of them
    for frame in _frames(source, what, options):
        query = frame["query"]
        last = query[-1]
        start = int(np.flatnonzero((query != last).to_numpy())[-1:].sum() + 1) if query[0] != last else 0
        if start == 0 and held and held[0]["query"][0] == last:
            held.append(frame)
            continue
        whole = [*held, frame[:start]] if start else held
        held = [frame[start:]]
        if whole:
            yield _checked(pl.concat(whole, how="vertical_relaxed"), source, what, options)
    if held:
        yield _checked(pl.concat(held, how="vertical_relaxed"), source, what, options)


def _checked(frame: pl.DataFrame, source: Source, what: What, options: ReadOptions) -> Relevance:
    found = of_columns(frame, source.name, what)
    if not options.repeats and found.repeats():
        raise InputError("a document occurs twice for a query", source=source.name)
    note_run(found, frame, options.notes)
    return found


def _frames(source: Source, what: What, options: ReadOptions) -> Iterator[pl.DataFrame]:
    """Yield the columns query, document and value of one block of lines after the other."""
    line = 1
    with source.open() as stream:
        for block in _blocks(stream):
            bare, comments = without_comments(block)
            options.notes[COMMENTS] += comments
            frame = parsed(bare, bare[:_HEAD], what)
            if frame is None or odd_values(frame["value"].to_numpy(), what):
                frame = line_by_line(block, source.name, what, line).frame
            line += count_byte(block, "\n")
            if frame.height:
                yield frame


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Yield whole lines, many at a time."""
    while block := stream.read(_BLOCK):
        yield block + stream.readline()
