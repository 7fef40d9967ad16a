"""eBay's aspect challenge: tagged titles, one row per token, and submissions, one row per value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import numpy as np

from karat.claims import SCHEMES, Batch, Claims, Tagged, encode
from karat.claims.decoding import continue_empty
from karat.errors import FormatError, TagError
from karat.formats.base import Format, Head, Lost, ReadOptions, WriteOptions
from karat.formats.batching import NO_PLACE, Record, claims_batches, records_of, tagged_batches
from karat.formats.delimited import check_width, read_rows, to_rows
from karat.formats.io import Source, writing
from karat.formats.losses import NO_TOKENS, check_space, held
from karat.formats.records import to_bytes

HEADER = ("Record Number", "Category", "Title", "Token", "Tag")
_HEADERS = (HEADER, ("Record Number", "Category Id", "Title", "Token", "Tag"))
CATEGORY = "category"
OBSCURE = "O"
_SUBMISSION_WIDTH = 4


def read_tagged(source: Source, options: ReadOptions) -> Iterator[Batch]:  # noqa: ARG001  there is nothing to choose
    """Yield the titles with their tags; an empty tag is already made to continue the one before it."""
    for batch in tagged_batches(source, _titles(source)):
        yield Tagged(batch.units, tuple(continue_empty(layer) for layer in batch.layers))


def _titles(source: Source) -> Iterator[Record]:
    rows = read_rows(source, "\t")
    line, header = next(rows, (1, []))
    if tuple(header) not in _HEADERS:
        raise FormatError(
            "the first line must name the columns",
            source=source.name,
            line=line,
            hint=f"Expected, parted by tabs: {', '.join(HEADER)}",
        )
    for number, group in groupby(_checked(rows, source), key=lambda row: row[1][0]):
        yield _title(number, list(group), source)


def _checked(rows: Iterable[tuple[int, list[str]]], source: Source) -> Iterator[tuple[int, list[str]]]:
    for line, row in rows:
        check_width(row, len(HEADER), source, line)
        if not row[0]:
            raise FormatError("the record number is empty", source=source.name, line=line)
        yield line, row


def _title(number: str, rows: list[tuple[int, list[str]]], source: Source) -> Record:
    first, (_, category, title, _, _) = rows[0]
    for line, row in rows:
        if row[1] != category or row[2] != title:
            raise FormatError(
                "category or title differ from the row before it of the same record",
                source=source.name,
                line=line,
                unit=number,
                hint="All rows of a record repeat its category and title",
            )
    tokens, tags = [row[3] for _, row in rows], [row[4] for _, row in rows]
    if not tags[0]:
        raise TagError(
            "the first tag is empty, so there is nothing that it could continue",
            source=source.name,
            line=first,
            unit=number,
            hint=f"Give the title's first token a tag, or {OBSCURE}",
        )
    return Record(first, [], number, title, tokens, {CATEGORY: category}, (tags,))


def write_tagged(batches: Iterable[Claims], place: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write one row per token; a unit without tokens has no row and is lost."""
    target = FORMATS["ebay-tagged"]
    with writing(place) as out:
        out.write(to_rows([HEADER], "\t", "\r\n", place))
        for claims in held(batches, target.holds, lost, attributes=(CATEGORY,)):
            check_space(claims, "token", target.name)
            out.write(to_rows(_token_rows(claims, lost), "\t", "\r\n", place))


def _token_rows(claims: Claims, lost: Lost) -> Iterator[tuple[str, ...]]:
    sizes = np.array([len(tokens) for tokens in claims.units.tokens or ()], np.int64)
    tags = encode(claims, sizes, SCHEMES["EMPTY"]).lists()
    for unit, record in enumerate(records_of(claims)):
        tokens = record.tokens or []
        if not tokens:
            lost[NO_TOKENS] += 1
        start = (*_named(claims, unit), " ".join(tokens) if record.text is None else record.text)
        yield from ((*start, token, tag) for token, tag in zip(tokens, tags[unit], strict=True))


def _named(claims: Claims, unit: int) -> tuple[str, str]:
    """Return a unit's record number and category."""
    if CATEGORY not in claims.units.attributes:
        raise FormatError(
            f"eBay's files need the attribute {CATEGORY!r} of each unit",
            source=claims.units.source or None,
            hint="Start from a file that has it",
        )
    return str(claims.units.name(unit)), claims.units.attributes[CATEGORY][unit]


def read_submission(source: Source, options: ReadOptions) -> Iterator[Batch]:  # noqa: ARG001
    """Yield the records with their values. Rows may come in any order, so the whole file is read first."""
    return claims_batches(source, "value", _submitted(source))


def _submitted(source: Source) -> Iterator[Record]:
    found: dict[str, Record] = {}
    for line, text in source.lines():
        row = text.split("\t")
        check_width(row, _SUBMISSION_WIDTH, source, line)
        number, category, aspect, value = row
        if not number or not aspect:
            name = "aspect" if number else "record number"
            raise FormatError(f"the {name} is empty", source=source.name, line=line, unit=number or None)
        record = found.setdefault(number, Record(line, [], number, attributes={CATEGORY: category}))
        if record.attributes[CATEGORY] != category:
            before = record.attributes[CATEGORY]
            raise FormatError(
                f"the record is in category {category} here and in {before} in line {record.line}",
                source=source.name,
                line=line,
                unit=number,
            )
        if aspect != OBSCURE:
            record.rows.append((aspect, NO_PLACE, NO_PLACE, None, value))
    yield from found.values()


def write_submission(batches: Iterable[Claims], place: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write one row per value; a unit without any is kept by a row tagged O, which changes no score."""
    with writing(place) as out:
        for claims in held(batches, FORMATS["ebay-submission"].holds, lost, attributes=(CATEGORY,)):
            rows = _value_rows(claims.with_values())
            out.write(to_bytes("".join("\t".join(row) + "\n" for row in rows), place))


def _value_rows(claims: Claims) -> Iterator[tuple[str, ...]]:
    for unit, record in enumerate(records_of(claims)):
        start = _named(claims, unit)
        rows: list[tuple[str, ...]] = [(*start, label, value or "") for label, _, _, _, value in record.rows]
        for row in rows or [(*start, OBSCURE, "")]:
            if any(mark in field for field in row for mark in "\t\r\n"):
                raise FormatError(
                    f"a submission cannot hold tabs or line breaks, but {row[2]} has {row[3]!r:.60}",
                    source=claims.units.source or None,
                    unit=start[0],
                    hint="Clean the values first",
                )
            yield row


def _sniff_tagged(head: Head) -> bool:
    return bool(head.lines) and tuple(head.lines[0].split("\t")) in _HEADERS


def _sniff_submission(head: Head) -> bool:
    rows = [line.split("\t") for line in head.lines]
    return bool(rows) and all(_looks_submitted(row) for row in rows)


def _looks_submitted(row: list[Any]) -> bool:
    return len(row) == _SUBMISSION_WIDTH and row[0].isdecimal() and row[1].isdecimal() and bool(row[2])


_ROW = "1\t2\tSKF Zahnriemensatz VKMA 06103\t"

FORMATS = {
    "ebay-tagged": Format(
        name="ebay-tagged",
        about="eBay's tagged titles, tab-separated and quoted: one row per token, an empty tag goes on.",
        suffixes=(".tsv",),
        holds=frozenset({"tokens", "text", "ids", "attributes"}),
        sniff=_sniff_tagged,
        read=read_tagged,
        write=write_tagged,
        example="\t".join(HEADER)
        + f"\n{_ROW}SKF\tHersteller\n{_ROW}Zahnriemensatz\tProduktart\n"
        + f"{_ROW}VKMA\tHerstellernummer\n{_ROW}06103\t\n",
    ),
    "ebay-submission": Format(
        name="ebay-submission",
        about="eBay's submissions: record, category, aspect and value, tab-separated, no header, no quoting.",
        suffixes=(".tsv",),
        holds=frozenset({"values", "ids", "attributes"}),
        sniff=_sniff_submission,
        read=read_submission,
        write=write_submission,
        example="1\t2\tHersteller\tSKF\n1\t2\tHerstellernummer\tVKMA 06103\n",
    ),
}
