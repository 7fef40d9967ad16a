"""eBay's tagged titles: one row per token; an empty tag continues the previous entity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from karatage._arrays import Ints
from karatage.challenges.ebay_2025.aspects import OBSCURE
from karatage.challenges.ebay_2025.listings import CATEGORY, categories, names
from karatage.challenges.ebay_2025.tsv_blocks import TsvBlock, read_blocks
from karatage.claims import (
    BREAK,
    OUTSIDE,
    SCHEMES,
    Batch,
    Claims,
    Tagged,
    Tags,
    TokenColumn,
    Units,
    continue_empty,
    encode,
)
from karatage.errors import FormatError, TagError
from karatage.formats import (
    NO_TOKENS,
    FileStart,
    Format,
    Lost,
    ReadOptions,
    Source,
    WriteOptions,
    check_space,
    drop_unsupported,
    guard,
    to_rows,
    writing,
)

if TYPE_CHECKING:
    import polars as pl

HEADER = ("Record Number", "Category", "Title", "Token", "Tag")
HEADERS = (HEADER, ("Record Number", "Category Id", "Title", "Token", "Tag"))


def read_tagged(source: Source, options: ReadOptions) -> Iterator[Batch]:  # noqa: ARG001  no options apply
    """Yield the titles with their tags; an empty tag is already made to continue the one before it."""
    first = 0
    with guard(source):
        for block in _whole_records(read_blocks(source, HEADERS)):
            batch = _batch(block, first, source)
            first += len(batch)
            yield batch


def _whole_records(blocks: Iterable[TsvBlock]) -> Iterator[TsvBlock]:
    """Move the rows of a block's last record, which may go on, to the next block."""
    import polars as pl

    rest: TsvBlock | None = None
    for block in blocks:
        if rest is not None:
            block = TsvBlock(pl.concat([rest.frame, block.frame]), np.concatenate([rest.lines, block.lines]))
        last = int(_changes(block.frame["Record Number"])[-1])
        rest = TsvBlock(block.frame[last:], block.lines[last:])
        if last:
            yield TsvBlock(block.frame[:last], block.lines[:last])
    if rest is not None:
        yield rest


def _changes(column: pl.Series) -> Ints:
    """Return the rows that differ from the one before them, the first included."""
    return np.flatnonzero(column.ne_missing(column.shift(1)).to_numpy())


def _batch(block: TsvBlock, first: int, source: Source) -> Tagged:
    number, category, title, token, tag = block.frame.get_columns()
    starts = _changes(number)
    _check(block, starts, source)
    ends = np.append(starts, len(number))
    units = Units(
        count=len(starts),
        ids=number.gather(starts).to_list(),
        first=first,
        texts=title.gather(starts).to_list(),
        tokens=list(TokenColumn(token, ends)),
        attributes={CATEGORY: category.gather(starts).to_list()},
        source=source.name,
        lines=block.lines[starts],
    )
    return Tagged(units, (continue_empty(_tags(tag, np.diff(ends))),))


def _check(block: TsvBlock, starts: Ints, source: Source) -> None:
    """Refuse records whose rows differ in category or title, or whose first tag is empty."""
    number, category, title, _, tag = block.frame.get_columns()
    differs = [np.setdiff1d(_changes(column), starts)[:1] for column in (category, title)]
    differing = min(chain.from_iterable(differs), default=None)
    orphans = starts[(tag.gather(starts) == "").to_numpy()]
    if differing is not None and not (len(orphans) and orphans[0] < starts[starts < differing][-1]):
        raise FormatError(
            "the category or title differs from that of the previous row of the same record",
            source=source.name,
            line=int(block.lines[differing]),
            unit=number[int(differing)],
            hint="All rows of a record must have the same category and title",
        )
    if len(orphans):
        raise TagError(
            "the first tag is empty, so there is no entity to continue",
            source=source.name,
            line=int(block.lines[orphans[0]]),
            unit=number[int(orphans[0])],
            hint=f"Tag the first token, or use {OBSCURE}",
        )


def _tags(tag: pl.Series, sizes: Ints) -> Tags:
    import polars as pl

    distinct = tag.unique(maintain_order=True).to_list()
    vocabulary = ["", OBSCURE, *(name for name in distinct if name != OBSCURE)]
    codes = [OUTSIDE if name == OBSCURE else vocabulary.index(name, 2) for name in distinct]
    stream = np.full(len(tag) + len(sizes), BREAK, np.int64)
    places = np.arange(len(tag)) + np.repeat(np.arange(len(sizes)), sizes)
    stream[places] = tag.replace_strict(distinct, codes, return_dtype=pl.Int64).to_numpy()
    return Tags(stream, tuple(vocabulary), sizes)


def write_tagged(batches: Iterable[Claims], place: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write one row per token; a unit without tokens has no row and is lost."""
    with writing(place) as out:
        out.write(to_rows([HEADER], "\t", "\r\n", place))
        for claims in drop_unsupported(batches, TAGGED.holds, lost, attributes=(CATEGORY,)):
            check_space(claims, "token", TAGGED.name)
            out.write(to_rows(_token_rows(claims, lost), "\t", "\r\n", place))


def _token_rows(claims: Claims, lost: Lost) -> Iterator[tuple[str, ...]]:
    units = claims.units
    tokens = [list(own) for own in units.tokens or ()]
    lost[NO_TOKENS] += sum(not own for own in tokens)
    sizes = np.array([len(own) for own in tokens], np.int64)
    tags = encode(claims, sizes, SCHEMES["EMPTY"]).lists()
    titles = units.texts if units.texts is not None else [" ".join(own) for own in tokens]
    for *start, own, own_tags in zip(names(units), categories(units), titles, tokens, tags, strict=True):
        yield from ((*start, token, tag) for token, tag in zip(own, own_tags, strict=True))


def _sniff(start: FileStart) -> bool:
    return bool(start.lines) and tuple(start.lines[0].split("\t")) in HEADERS


_ROW = "1\t2\tSKF Zahnriemensatz VKMA 06103\t"

TAGGED = Format(
    name="ebay-tagged",
    about="eBay tagged titles: one row per token, tab-separated; an empty tag continues the previous entity.",
    suffixes=(".tsv",),
    profile="ebay-2025",
    holds=frozenset({"tokens", "text", "ids", "attributes"}),
    sniff=_sniff,
    read=read_tagged,
    write=write_tagged,
    example="\t".join(HEADER)
    + f"\n{_ROW}SKF\tHersteller\n{_ROW}Zahnriemensatz\tProduktart\n"
    + f"{_ROW}VKMA\tHerstellernummer\n{_ROW}06103\t\n",
    unit="listing",
)
