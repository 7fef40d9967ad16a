"""eBay's submissions: one row per value."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from karatage._arrays import Ints
from karatage.challenges.ebay_2025.aspects import ASPECTS, OBSCURE
from karatage.challenges.ebay_2025.listings import CATEGORY, categories, names
from karatage.claims import NO_CODE, Batch, Claims, TextColumn, TokenColumn
from karatage.errors import FormatError
from karatage.formats import (
    NO_OFFSET,
    FileStart,
    Format,
    Lost,
    ReadOptions,
    Source,
    UnitRecord,
    WriteOptions,
    bounded_lines,
    check_width,
    claims_batches,
    drop_unsupported,
    records_of,
    to_bytes,
    writing,
)

if TYPE_CHECKING:
    import polars as pl

_WIDTH = 4
OTHER_ASPECTS = "aspects of another category"
_LONG = 16
"""Entities of more tokens than this are joined one by one."""


def read_submission(source: Source, options: ReadOptions) -> Iterator[Batch]:  # noqa: ARG001
    """Yield the records with their values. If the rows of a record lie apart, the whole file is read first."""
    return claims_batches(source, "value", _submitted(source))


def _submitted(source: Source) -> Iterator[UnitRecord]:
    together = not source.once and _are_together(source)
    found: dict[str, UnitRecord] = {}
    for line, text in source.lines():
        row = text.split("\t")
        check_width(row, _WIDTH, source, line)
        number, category, aspect, value = row
        if not number or not aspect:
            name = "aspect" if number else "record number"
            raise FormatError(f"the {name} is empty", source=source.name, line=line, unit=number or None)
        if together and number not in found:
            yield from found.values()
            found.clear()
        record = found.setdefault(number, UnitRecord(line, [], number, attributes={CATEGORY: category}))
        if record.attributes[CATEGORY] != category:
            before = record.attributes[CATEGORY]
            raise FormatError(
                f"the record has category {category} here, but {before} in line {record.line}",
                source=source.name,
                line=line,
                unit=number,
            )
        if aspect != OBSCURE:
            record.rows.append((aspect, NO_OFFSET, NO_OFFSET, None, value))
    yield from found.values()


def _are_together(source: Source) -> bool:
    """Whether the rows of each record follow each other: reads the file once, and keeps eight bytes for each record."""
    records, before = array("q"), b""
    with source.open() as stream:
        for line in bounded_lines(stream, source.name):
            number = line.partition(b"\t")[0]
            if number != before:
                records.append(hash(number))
                before = number
    return len(np.unique(np.array(records, np.int64))) == len(records)


def write_submission(batches: Iterable[Claims], place: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write one row per value; a unit without any is kept by a row tagged O, which changes no score.

    A value whose aspect only another category has would make the submission invalid: it is dropped and counted.
    """
    # Texts are not held, so values are read off them before.
    ready = (claims.with_values() if claims.space == "char" else claims for claims in batches)
    with writing(place) as out:
        for claims in drop_unsupported(ready, SUBMISSION.holds, lost, attributes=(CATEGORY,)):
            fitting = _of_category(claims, lost)
            out.write(_quickly(fitting) or _carefully(fitting, place))


def _of_category(claims: Claims, lost: Lost) -> Claims:
    """Drop values whose aspect their category does not have, though another one has it."""
    known = frozenset[str]().union(*ASPECTS.values())
    number = {category: at for at, category in enumerate(ASPECTS, 1)}
    foreign = [[label in known - own for label in claims.labels] for own in (known, *ASPECTS.values())]
    category = np.array([number.get(name, 0) for name in categories(claims.units)], np.int64)
    wrong = np.array(foreign, bool)[category[claims.unit], claims.label]
    if not wrong.any():
        return claims
    lost[OTHER_ASPECTS] += int(wrong.sum())
    return claims.keep(~wrong)


def _quickly(claims: Claims) -> bytes | None:
    """Encode the rows as columns; None if there are none, or if a field cannot be written."""
    try:
        frame = _frame(claims)
    except UnicodeEncodeError:  # half of a surrogate pair
        return None
    out = BytesIO()
    frame.write_csv(out, include_header=False, separator="\t", quote_style="never")
    data = out.getvalue()
    signs = np.frombuffer(data, np.uint8)
    sound = (
        b"\r" not in data
        and np.count_nonzero(signs == ord("\n")) == frame.height
        and np.count_nonzero(signs == ord("\t")) == frame.height * (_WIDTH - 1)
    )
    return data if sound else None


def _frame(claims: Claims) -> pl.DataFrame:
    """Return one row per claim, and one tagged O for each unit without any."""
    import polars as pl

    texts, value = _values(claims)
    unit, label = claims.unit, claims.label
    first = claims.first_of()
    bare = np.flatnonzero(first[1:] == first[:-1])
    if len(bare):
        places = first[bare]
        unit = np.insert(unit, places, bare)
        label = np.insert(label, places, len(claims.labels))
        value = np.insert(value, places, 0)
    # Both columns in one, as they are the same for all rows of a unit.
    starts = pl.select(pl.concat_str(_strings(names(claims.units)), _strings(categories(claims.units)), separator="\t"))
    labels = _strings([*claims.labels, OBSCURE])
    return pl.DataFrame(
        [starts.to_series().gather(unit), labels.gather(label).alias("2"), texts.gather(value).alias("3")]
    )


def _strings(texts: Sequence[str]) -> pl.Series:
    import polars as pl

    return texts.flat if isinstance(texts, TextColumn) else pl.Series(list(texts), dtype=pl.String)


def _values(claims: Claims) -> tuple[pl.Series, Ints]:
    """Return texts, of which the first is empty, and which of them is the value of each claim."""
    import polars as pl

    if claims.units.tokens is None:
        claims = claims.with_values()  # all are known, or nobody knows them
    texts = _strings(["", *claims.values])
    value = np.zeros(len(claims), np.int64) if claims.value is None else claims.value + 1
    lacking = np.flatnonzero(value == NO_CODE + 1)
    if claims.space != "token" or len(lacking) == 0:
        return texts, value
    value[lacking] = np.arange(len(lacking)) + len(texts)
    joined = _joined(claims if len(lacking) == len(claims) else claims.keep(lacking))
    return pl.concat([texts, joined], rechunk=True), value


def _joined(claims: Claims) -> pl.Series:
    """Return the tokens of each claim, joined by spaces, for all claims of one length at once."""
    import polars as pl

    tokens = TokenColumn.of(claims.units.tokens or ())
    ends = tokens.starts[claims.unit + 1]
    low = np.minimum(tokens.starts[claims.unit] + claims.start, ends)
    sizes = np.minimum(tokens.starts[claims.unit] + claims.end, ends) - low
    odd = (sizes < 1) | (sizes > _LONG)
    if claims.shape is not None:
        odd |= claims.shape != NO_CODE
    sizes = np.where(odd, 0, sizes).astype(np.uint8)  # numbers so small are sorted quickly
    order = np.argsort(sizes, kind="stable")
    first = np.searchsorted(sizes[order], np.arange(_LONG + 2))
    one_by_one = claims.keep(order[: first[1]]).with_values()
    parts = [_strings([value or "" for *_, value in one_by_one.rows()])]
    for size in range(1, _LONG + 1):
        at = low[order[first[size] : first[size + 1]]]
        if len(at):
            words = [tokens.flat.gather(at + k) for k in range(size)]
            parts.append(pl.select(pl.concat_str(words, separator=" ")).to_series() if size > 1 else words[0])
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return pl.concat(parts, rechunk=True).gather(place)


def _carefully(claims: Claims, place: str) -> bytes:
    """Encode row by row; a field that cannot be written is an error that names its unit."""
    rows = _rows(claims.with_values())
    return to_bytes("".join("\t".join(row) + "\n" for row in rows), place)


def _rows(claims: Claims) -> Iterator[tuple[str, ...]]:
    numbers, kinds = names(claims.units), categories(claims.units)
    for unit, record in enumerate(records_of(claims)):
        start = numbers[unit], kinds[unit]
        rows: list[tuple[str, ...]] = [(*start, label, value or "") for label, _, _, _, value in record.rows]
        for row in rows or [(*start, OBSCURE, "")]:
            if any(mark in field for field in row for mark in "\t\r\n"):
                raise FormatError(
                    f"a submission must not contain tabs or line breaks, but {row[2]} has {row[3]!r:.60}",
                    source=claims.units.source,
                    unit=start[0],
                    hint="Clean the values",
                )
            yield row


def _sniff(start: FileStart) -> bool:
    return bool(start.lines) and all(_looks_submitted(line.split("\t")) for line in start.lines)


def _looks_submitted(row: list[str]) -> bool:
    return len(row) == _WIDTH and row[0].isdecimal() and row[1].isdecimal() and bool(row[2])


SUBMISSION = Format(
    name="ebay-submission",
    about="eBay submissions: record, category, aspect and value, tab-separated, without header and quoting.",
    suffixes=(".tsv",),
    profile="ebay-2025",
    holds=frozenset({"values", "ids", "attributes"}),
    sniff=_sniff,
    read=read_submission,
    write=write_submission,
    example="1\t2\tHersteller\tSKF\n1\t2\tHerstellernummer\tVKMA 06103\n",
    unit="listing",
)
