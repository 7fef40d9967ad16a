"""The matrix of the SIGIR eCom'19 challenge: documents in rows, queries in columns, a label in each cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.claims.relevance import ABSENT, IRRELEVANT, ODD, RELEVANT, UNJUDGED, Matrix
from karat.errors import FormatError
from karat.formats.base import Format, Head, ReadOptions
from karat.formats.io import Source, decode, guard

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TAB, _END = ord("\t"), ord("\n")


def read(source: Source, options: ReadOptions) -> Iterator[Matrix]:  # noqa: ARG001  there is nothing to choose
    """Yield the whole matrix."""
    data = whole(source)
    _check_text(data, source)
    header, _, body = data.partition(b"\n")
    queries = header.decode().split("\t")[1:]
    cells = np.frombuffer(body, np.uint8)
    ends: NDArray[Any] = np.flatnonzero((cells == _TAB) | (cells == _END))
    if len(body) < 1 << 31:
        ends = ends.astype(np.int32)
    last = np.flatnonzero(cells[ends] == _END)  # the last cell of each row
    width = np.diff(last, prepend=-1) - 1
    if (width == len(queries)).all():
        edges = ends.reshape(len(width), len(queries) + 1)
        labels = _labels(cells, edges[:, :-1] + 1, edges[:, 1:])
        place = np.nonzero(labels == ODD)
        pairs = zip(*(axis.tolist() for axis in place), strict=True)
        odd = {(r, c): _text(body, edges[r, c] + 1, edges[r, c + 1]) for r, c in pairs}
        yield Matrix(source.name, queries, _names(body, edges[:, 0], edges[:, -1]), labels, odd)
    else:
        yield _ragged(source.name, queries, body, cells, ends, last, width)


def whole(source: Source) -> bytes:
    """Return the text of a file with every line ended by a line feed, as Python reads it."""
    with guard(source), source.open() as stream:
        data = stream.read()
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not data.strip():
        raise FormatError("the file is empty", source=source.name)
    return data if data.endswith(b"\n") else data + b"\n"


def _check_text(data: bytes, source: Source) -> None:
    """Make sure that the file is UTF-8, or say which line is not."""
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start)
            decode(data.split(b"\n")[line], source.name, line + 1)


def _text(body: bytes, start: int, end: int) -> str:
    return body[int(start) : int(end)].decode()


def _names(body: bytes, ends: NDArray[Any], lines: NDArray[Any]) -> list[str]:
    """Return the first cell of each row."""
    starts = [0, *(lines + 1).tolist()][: len(lines)]
    return [body[start:end].decode() for start, end in zip(starts, ends.tolist(), strict=True)]


def _labels(cells: NDArray[np.uint8], starts: NDArray[Any], ends: NDArray[Any]) -> NDArray[np.int8]:
    """Read the label of each cell."""
    size = ends - starts
    first = cells[starts]  # of an empty cell: what ends it
    out = np.full(starts.shape, ODD, np.int8)
    short = size == 1
    out[short & (first == ord("1"))] = RELEVANT
    out[short & (first == ord("0"))] = UNJUDGED
    minus = (size == 2) & (first == ord("-"))
    minus[minus] = cells[starts[minus] + 1] == ord("1")
    out[minus] = IRRELEVANT
    return out


def _ragged(
    name: str,
    queries: Sequence[str],
    body: bytes,
    cells: NDArray[np.uint8],
    ends: NDArray[Any],
    last: NDArray[np.int64],
    width: NDArray[np.int64],
) -> Matrix:
    """Read a matrix whose rows have different numbers of cells."""
    first = last - width  # the end of each row's first cell
    labels = np.full((len(width), len(queries)), ABSENT, np.int8)
    beyond: dict[int, list[str]] = {}
    odd: dict[tuple[int, int], str] = {}
    for row, (start, count) in enumerate(zip(first.tolist(), width.tolist(), strict=True)):
        edges = ends[start : start + count + 1]
        found = _labels(cells, edges[:-1] + 1, edges[1:])
        labels[row, : min(count, len(queries))] = found[: len(queries)]
        for column in np.flatnonzero(found[: len(queries)] == ODD).tolist():
            odd[row, column] = _text(body, edges[column] + 1, edges[column + 1])
        if count > len(queries):
            beyond[row] = [_text(body, edges[k] + 1, edges[k + 1]) for k in range(len(queries), count)]
    return Matrix(name, queries, _names(body, ends[first], ends[last]), labels, odd, beyond)


def _sniff(head: Head) -> bool:
    rows = [line.split("\t") for line in head.lines[:20]]
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    cells = [cell for row in rows[1:] for cell in row[1:]]
    legal = sum(cell in ("1", "-1", "0") for cell in cells)
    return len(rows[1]) == len(rows[0]) and legal >= 0.9 * len(cells) and not _numbers(rows[0][1:])


def _numbers(cells: Sequence[str]) -> bool:
    """Whether a row holds labels and nothing else: then it is no header."""
    return set(cells) <= {"0", "-1"}


FORMATS = {
    "sigir19": Format(
        name="sigir19",
        about="The matrix of the SIGIR eCom'19 challenge: a row a document, a column a query, labels 1, -1 and 0.",
        suffixes=(".tsv",),
        holds=frozenset(),
        sniff=_sniff,
        read=read,
        example="doc/query\tq1\tq2\nd1\t1\t0\nd2\t-1\t1\n",
        profile="sigir-ecom19",
        search=True,
    )
}


def read_prices(source: Source, wanted: set[str]) -> dict[str, float]:
    """Return the prices of some documents, from a table whose first row names `doc_id` and `price`.

    A document that occurs twice has its last price.
    """
    data = whole(source)
    _check_text(data, source)
    line, _, body = data.partition(b"\n")
    header = line.decode().split("\t")
    for name in ("doc_id", "price"):
        if name not in header:
            raise FormatError(
                f"the first row names no column {name!r}",
                source=source.name,
                line=1,
                hint="Columns are separated by tabs",
            )
    document, price = header.index("doc_id"), header.index("price")
    out: dict[str, float] = {}
    lines = body.decode().split("\n")[:-1]
    for number, text in enumerate(lines, 2):
        fields = text.split("\t")
        if len(fields) > document and fields[document] in wanted:
            out[fields[document]] = _price(
                fields[price] if len(fields) > price else "", fields[document], source, number
            )
    return out


def _price(text: str, document: str, source: Source, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if np.isnan(value):
        raise FormatError(f"the price {text!r} of document {document!r} is not a number", source=source.name, line=line)
    return value
