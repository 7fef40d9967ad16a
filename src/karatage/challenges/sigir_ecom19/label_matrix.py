"""The matrix of the SIGIR eCom'19 challenge: documents in rows, queries in columns, a label in each cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Ints
from karatage.claims import ABSENT, IRRELEVANT, ODD, RELEVANT, UNJUDGED, Matrix
from karatage.formats import FileStart, Format, ReadOptions, Source, read_text


def read(source: Source, options: ReadOptions) -> Iterator[Matrix]:  # noqa: ARG001  no options apply
    """Yield the whole matrix."""
    header, _, body = read_text(source).partition(b"\n")
    queries = header.decode().split("\t")[1:]
    names: list[str] = []
    labels = [np.zeros((0, len(queries)), np.int8)]
    odd: dict[tuple[int, int], str] = {}
    for block in _blocks(body):
        found = _regular(block, len(queries))
        if found is None:
            yield _ragged(source.name, queries, body)
            return
        own, cells, texts = found
        odd |= {(len(names) + row, column): text for (row, column), text in texts.items()}
        names += own
        labels.append(cells)
    yield Matrix(source.name, queries, names, np.concatenate(labels), odd)


_BLOCK = 1 << 19
"""Bytes to read at a time: what is made of them stays in the processor's cache."""


def _blocks(body: bytes) -> Iterator[bytes]:
    """Yield whole lines."""
    start = 0
    while start < len(body):
        stop = body.find(b"\n", start + _BLOCK) + 1 or len(body)
        yield body[start:stop]
        start = stop


def _regular(block: bytes, count: int) -> tuple[list[str], NDArray[np.int8], dict[tuple[int, int], str]] | None:
    """Return the documents, the labels and the texts that are none of a block; None if a row is too short or long."""
    kinds = np.frombuffer(block.translate(_KIND), np.uint8)
    ends = np.flatnonzero(kinds == _SEPARATOR)
    lines = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
    if len(ends) != len(lines) * (count + 1) or (ends[count :: count + 1] != lines).any():
        return None
    edges = ends.reshape(len(lines), count + 1)
    labels = _labels(kinds, edges)
    odd = {}
    if (labels == ODD).any():
        pairs = zip(*(axis.tolist() for axis in np.nonzero(labels == ODD)), strict=True)
        odd = {(r, c): _text(block, edges[r, c] + 1, edges[r, c + 1]) for r, c in pairs}
    return _names(block, edges[:, 0], lines), labels, odd


def _text(body: bytes, start: int, end: int) -> str:
    return body[int(start) : int(end)].decode()


def _names(body: bytes, ends: NDArray[Any], lines: NDArray[Any]) -> list[str]:
    """Return the first cell of each row."""
    starts = [0, *(lines + 1).tolist()][: len(lines)]
    return [body[start:end].decode() for start, end in zip(starts, ends.tolist(), strict=True)]


_SEPARATOR, _MINUS, _ZERO, _ONE, _OTHER = range(5)
_KIND = bytes(
    {ord("\t"): _SEPARATOR, ord("\n"): _SEPARATOR, ord("-"): _MINUS, ord("0"): _ZERO, ord("1"): _ONE}.get(byte, _OTHER)
    for byte in range(256)
)
# What the last byte of a cell and the two before it say: a separator and a digit, or a separator and -1.
_LABEL = np.full(256, ODD, np.int8)
_LABEL[_SEPARATOR * 5 + _ONE : 125 : 25] = RELEVANT
_LABEL[_SEPARATOR * 5 + _ZERO : 125 : 25] = UNJUDGED
_LABEL[_SEPARATOR * 25 + _MINUS * 5 + _ONE] = IRRELEVANT


def _labels(kinds: NDArray[np.uint8], edges: Ints) -> NDArray[np.int8]:
    """Read the labels of cells, given where the cell before the first and each of them ends; in rows, if they are."""
    three = kinds.copy()
    three[1:] += kinds[:-1] * np.uint8(5)
    three[2:] += kinds[:-2] * np.uint8(25)
    # Bytes translate several times as fast as an array looks up.
    labels = np.frombuffer(three.tobytes().translate(_LABEL.tobytes()), np.int8)
    return labels.take(edges[..., 1:] - 1)


def _ragged(name: str, queries: Sequence[str], body: bytes) -> Matrix:
    """Read a matrix whose rows have different numbers of cells."""
    kinds = np.frombuffer(body.translate(_KIND), np.uint8)
    ends = np.flatnonzero(kinds == _SEPARATOR)
    lines = np.flatnonzero(np.frombuffer(body, np.uint8) == ord("\n"))
    last = np.searchsorted(ends, lines)
    first = np.concatenate([[0], last[:-1] + 1])  # the end of each row's first cell
    labels = np.full((len(lines), len(queries)), ABSENT, np.int8)
    beyond: dict[int, list[str]] = {}
    odd: dict[tuple[int, int], str] = {}
    read = np.append(_labels(kinds, ends), np.int8(ODD))  # of the cells from the second one on
    for row, (start, stop) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        edges, found = ends[start : stop + 1], read[start:stop]
        labels[row, : len(found)] = found[: len(queries)]
        for column in np.flatnonzero(found[: len(queries)] == ODD).tolist():
            odd[row, column] = _text(body, edges[column] + 1, edges[column + 1])
        if len(found) > len(queries):
            beyond[row] = [_text(body, edges[k] + 1, edges[k + 1]) for k in range(len(queries), len(found))]
    documents = _names(body, ends[first] if len(ends) else ends, lines)
    return Matrix(name, queries, documents, labels, odd=odd, beyond=beyond)


def _sniff(start: FileStart) -> bool:
    rows = [line.split("\t") for line in start.lines[:20]]
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    width = len(rows[0])
    columns = [[row[k] in ("1", "-1", "0") for row in rows[1:] if k < len(row)] for k in range(1, width)]
    cells = [legal for column in columns for legal in column]
    if not all(map(any, columns)):  # as the documents of qrels with tabs
        return False
    legal = sum(cells)
    return len(rows[1]) == len(rows[0]) and legal >= 0.6 * len(cells) and not _numbers(rows[0][1:])


def _numbers(cells: Sequence[str]) -> bool:
    """Whether a row holds labels and nothing else: then it is no header."""
    return set(cells) <= {"0", "-1"}


LABEL_MATRIX = Format(
    name="sigir19",
    about="Label matrix of the SIGIR eCom'19 challenge: a row per document, a column per query, labels 1, -1 and 0.",
    suffixes=(".tsv",),
    holds=frozenset({"labels"}),
    sniff=_sniff,
    read=read,
    example="doc/query\tq1\tq2\nd1\t1\t0\nd2\t-1\t1\n",
    profile="sigir-ecom19",
    search=True,
    precedence=20,
    unit="query",
)
