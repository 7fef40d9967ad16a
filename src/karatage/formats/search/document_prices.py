"""The prices of documents, from a table with a header."""

from __future__ import annotations

from typing import Literal

import numpy as np

from karatage.errors import FormatError
from karatage.formats.io import Source, decode, guard


def read_text(source: Source) -> bytes:
    """Return a UTF-8 file with every line ended by a line feed, as Python reads it; an empty file is an error."""
    with guard(source), source.open() as stream:
        data = stream.read()
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not data or data.isspace():
        raise FormatError("the file is empty", source=source.name)
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start)
            decode(data.split(b"\n")[line], source.name, line + 1)
    return data if data.endswith(b"\n") else data + b"\n"


def read_prices(source: Source, wanted: set[str], *, repeated: Literal["error", "last"] = "error") -> dict[str, float]:
    """Return the prices of some documents, from a table with the columns `doc_id` and `price`.

    Args:
        source: the table.
        wanted: the documents.
        repeated: whether a document with two different prices is an error, or the last price counts.
    """
    import polars as pl

    line, _, body = read_text(source).partition(b"\n")
    header = line.decode().split("\t")
    for name in ("doc_id", "price"):
        if name not in header:
            raise FormatError(
                f"the header has no column {name!r}", source=source.name, line=1, hint="Columns are separated by tabs"
            )
        if repeated == "error" and header.count(name) > 1:
            raise FormatError(f"the header has the column {name!r} twice", source=source.name, line=1)
    document, price = header.index("doc_id"), header.index("price")
    names = [str(k) for k in range(len(header))]
    chosen = sorted({document, price})
    try:
        frame = pl.read_csv(
            body,
            has_header=False,
            separator="\t",
            quote_char=None,
            schema=dict.fromkeys(names, pl.String),
            columns=chosen,
            truncate_ragged_lines=True,
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):  # as on an empty line behind the header
        rows = [row.split("\t") for row in body.decode().split("\n")[:-1]]
        taken = {k: [row[k] if k < len(row) else "" for row in rows] for k in chosen}
        frame = pl.DataFrame(
            {names[k]: own for k, own in taken.items()}, schema=dict.fromkeys(map(str, chosen), pl.String)
        )
    found = frame.fill_null("").filter(pl.col(names[document]).is_in(list(wanted)))
    ids, texts = found[names[document]].to_list(), found[names[price]].to_list()
    try:
        prices = list(map(float, texts))
    except ValueError:
        prices = [float("nan")]
    if np.isnan(prices).any():
        raise _no_price(ids, texts, source, body, document)
    if repeated == "error":
        first = dict(zip(reversed(ids), reversed(prices), strict=True))
        for own, number in zip(ids, prices, strict=True):
            if first[own] != number:
                raise FormatError(
                    f"the document {own!r} has two prices, {first[own]:g} and {number:g}", source=source.name
                )
    return dict(zip(ids, prices, strict=True))


def _no_price(ids: list[str], texts: list[str], source: Source, body: bytes, column: int) -> FormatError:
    """Return the error for the first price that is not a number."""
    document, text = next((own, text) for own, text in zip(ids, texts, strict=True) if not _is_number(text))
    rows = (row.split("\t") for row in body.decode().split("\n"))
    line = next((number for number, row in enumerate(rows, 2) if row[column : column + 1] == [document]), None)
    return FormatError(f"the price {text!r} of document {document!r} is not a number", source=source.name, line=line)


def _is_number(text: str) -> bool:
    try:
        return not np.isnan(float(text))
    except ValueError:
        return False
