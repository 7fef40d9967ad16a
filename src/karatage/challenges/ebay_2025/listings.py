"""eBay's listings: record number, category and title, without any claims yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from karatage.challenges.ebay_2025.title_tokens import split_titles
from karatage.challenges.ebay_2025.tsv_blocks import read_blocks
from karatage.claims import Claims, TextColumn, Units
from karatage.errors import FormatError
from karatage.formats import (
    CLAIMS,
    FileStart,
    Format,
    Lost,
    ReadOptions,
    Source,
    WriteOptions,
    drop_unsupported,
    guard,
    to_rows,
    writing,
)

CATEGORY = "category"
HEADER = ("Record Number", "Category", "Title")
HEADERS = (HEADER, ("Record Number", "Category Id", "Title"))


def read_listings(source: Source, options: ReadOptions) -> Iterator[Claims]:
    """Yield the titles with their tokens, as columns; nothing is claimed of them."""
    none = np.zeros(0, np.int64)
    first = 0
    with guard(source):
        for frame, lines, blanks in read_blocks(source, HEADERS):
            number, category, title = frame.get_columns()
            units = Units(
                count=frame.height,
                ids=TextColumn(number),
                first=first,
                texts=TextColumn(title) if options.texts else None,
                tokens=split_titles(title, blanks),
                attributes={CATEGORY: TextColumn(category)},
                source=source.name,
                lines=lines,
            )
            first += frame.height
            yield Claims(units, "token", unit=none, label=none, start=none, end=none, labels=())


def write_listings(batches: Iterable[Claims], place: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write the titles, or the tokens where no title is known; what is claimed of them is lost."""
    with writing(place) as out:
        out.write(to_rows([HEADER], "\t", "\r\n", place))
        for claims in drop_unsupported(batches, LISTINGS.holds, lost, attributes=(CATEGORY,)):
            lost[CLAIMS] += len(claims)
            rows = zip(names(claims.units), categories(claims.units), _titles(claims.units), strict=True)
            out.write(to_rows(rows, "\t", "\r\n", place))


def _titles(units: Units) -> Iterable[str]:
    if units.texts is not None:
        return units.texts
    if units.tokens is not None:
        return (" ".join(tokens) for tokens in units.tokens)
    raise FormatError(
        f"the format {LISTINGS.name!r} needs the texts or the tokens",
        source=units.source,
        hint="Start from a file that contains the texts",
    )


def names(units: Units) -> Sequence[str]:
    """Return the record numbers: the ids, or the numbers of the units where they have none."""
    return units.ids if units.ids is not None else [str(units.name(i)) for i in range(len(units))]


def categories(units: Units) -> Sequence[str]:
    """Return the categories; without them nobody can write eBay's files."""
    if not len(units):
        return ()
    if CATEGORY not in units.attributes:
        raise FormatError(
            "eBay's formats need a category for every record",
            source=units.source,
            hint="Start from a file with categories",
        )
    return units.attributes[CATEGORY]


def _sniff(start: FileStart) -> bool:
    return bool(start.lines) and tuple(start.lines[0].split("\t")) in HEADERS


LISTINGS = Format(
    name="ebay-listings",
    about="eBay listings to tag: record number, category and title, tab-separated and quoted.",
    suffixes=(".tsv",),
    holds=frozenset({"text", "ids", "attributes"}),
    sniff=_sniff,
    read=read_listings,
    write=write_listings,
    example="\t".join(HEADER) + "\n1\t2\tSKF Zahnriemensatz VKMA 06103 für RENAULT VOLVO\n",
    unit="listing",
)
