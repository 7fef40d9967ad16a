"""From any claims to any format: characters to tokens, tokens to characters, spans to values."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate

from karatage._writing import check_file
from karatage.claims import LENIENT, Batch, Claims, Fragments, Space, TagDecoder, Tagged, TokenColumn
from karatage.errors import FormatError, UsageError
from karatage.formats.format import Format, Lost, WriteOptions
from karatage.formats.losses import BORDERS, POSITIONS, drop_unsupported

_SPACES: dict[Space | None, str] = {"token": "tokens", "char": "characters", "value": "nothing"}


def convert(
    batches: Iterable[Batch],
    target: Format,
    path: str,
    options: WriteOptions | None = None,
    *,
    decoder: TagDecoder = LENIENT,
) -> Lost:
    """Write a corpus in a format and return what that format could not represent.

    Args:
        batches: the corpus.
        target: the format to write.
        path: the file to write.
        options: scheme and style, for formats with tags.
        decoder: how to read tags, if the corpus comes as tags.
    """
    if target.write is None:
        raise UsageError(f"the format {target.name!r} can be read but not written")
    if target.search:
        raise UsageError(f"the format {target.name!r} is for search, but the data contains no judgements or results")
    if not target.folder:
        check_file(path)
    lost = Lost()
    decoded = (batch.decode(decoder) if isinstance(batch, Tagged) else batch for batch in batches)
    converted = _of_one_space(_to_space_of(target, claims, lost) for claims in decoded)
    target.write(drop_unsupported(converted, target.holds, lost), path, options or WriteOptions(), lost)
    for kind in [kind for kind, count in lost.items() if not count]:
        del lost[kind]
    return lost


def _of_one_space(batches: Iterable[Claims]) -> Iterator[Claims]:
    """Refuse a corpus with offsets in tokens in one file and in characters in another."""
    space = None
    for claims in batches:
        if space not in (None, claims.space):
            raise FormatError(
                f"offsets count {_SPACES[claims.space]} here, but {_SPACES[space]} in the files before",
                source=claims.units.source,
                hint="Convert the files separately",
            )
        space = claims.space
        yield claims


def _to_space_of(target: Format, claims: Claims, lost: Lost) -> Claims:
    """Convert offsets to what the target counts."""
    holds = target.holds
    if claims.space == "value":
        if "values" not in holds and len(claims.units):
            raise FormatError(
                f"the data has values without positions, but the format {target.name!r} needs spans",
                source=claims.units.source,
                hint="Choose a format for values, such as values or csv",
            )
        return claims
    if ("tokens" if claims.space == "token" else "chars") in holds:
        return claims
    if "tokens" in holds:
        return to_tokens(claims, lost)
    if "chars" in holds:
        return to_chars(claims)
    lost[POSITIONS] += len(claims)
    # Tokens in columns are joined by the writer, all at once; one text per claim would be many times slower.
    return claims if isinstance(claims.units.tokens, TokenColumn) else claims.with_values()


def to_chars(claims: Claims) -> Claims:
    """Convert spans of tokens to characters of the text, or of the joined tokens if they do not occur in the text."""
    if claims.space == "char":
        return claims
    units = claims.units
    if claims.space == "value" or units.tokens is None:
        raise _unknown(claims, "tokens")
    texts: list[str] = []
    positions: list[list[tuple[int, int]]] = []
    for unit, tokens in enumerate(units.tokens):
        text = units.texts[unit] if units.texts is not None else None
        found = align(tokens, text) if text is not None else None
        if text is None or found is None:
            text = " ".join(tokens)
            ends = list(accumulate(len(token) + 1 for token in tokens))
            found = [(end - 1 - len(token), end - 1) for token, end in zip(tokens, ends, strict=True)]
        texts.append(text)
        positions.append(found)
    rows = (
        (
            unit,
            label,
            positions[unit][start][0],
            positions[unit][end - 1][1],
            None if parts is None else tuple((positions[unit][a][0], positions[unit][b - 1][1]) for a, b in parts),
            value,
        )
        for unit, label, start, end, parts, value in claims.rows()
    )
    return Claims.build(replace(units, texts=texts), "char", rows, claims.score)


def to_tokens(claims: Claims, lost: Lost) -> Claims:
    """Convert spans of characters to tokens: the known ones if the text has them in order, else words and marks.

    A span that starts or ends inside a token, or at a space, is dropped and counted.
    """
    if claims.space == "token":
        return claims
    units = claims.units
    if claims.space == "value" or units.texts is None:
        raise _unknown(claims, "texts")
    tokens: list[list[str]] = []
    starts: list[dict[int, int]] = []
    ends: list[dict[int, int]] = []
    for unit, text in enumerate(units.texts):
        known = units.tokens[unit] if units.tokens is not None else None
        found = (align(known, text) if known is not None else None) or find_words(text)
        tokens.append([text[a:b] for a, b in found])
        starts.append({a: at for at, (a, _) in enumerate(found)})
        ends.append({b: at + 1 for at, (_, b) in enumerate(found)})

    kept: list[int] = []

    def rows() -> Iterator[tuple[int, str, int, int, Fragments | None, str | None]]:
        for row, (unit, label, start, end, fragments, value) in enumerate(claims.rows()):
            parts = [(starts[unit].get(a), ends[unit].get(b)) for a, b in fragments or ((start, end),)]
            fitting = tuple((a, b) for a, b in parts if a is not None and b is not None)
            if len(fitting) < len(parts):
                lost[BORDERS] += 1
            else:
                kept.append(row)
                yield unit, label, fitting[0][0], fitting[-1][1], fitting if fragments else None, value

    fitted = list(rows())
    score = None if claims.score is None else claims.score[kept]
    return Claims.build(replace(units, tokens=tokens), "token", fitted, score)


def find_words(text: str) -> list[tuple[int, int]]:
    """Return where the words of a text start and end; any other character but a space is a word by itself."""
    return [match.span() for match in _word().finditer(text)]


@cache
def _word() -> re.Pattern[str]:
    # Marks such as the vowel signs of Devanagari belong to the letter before them, but `\w` does not match them.
    marks = "".join(
        re.escape(chr(code))
        for code in range(min(sys.maxunicode, 0x20000))
        if unicodedata.category(chr(code)).startswith("M")
    )
    return re.compile(rf"\w(?:\w|[{marks}])*|\S")


def align(tokens: Sequence[str], text: str) -> list[tuple[int, int]] | None:
    """Return where the tokens are in the text, in order; None if one of them is missing."""
    found: list[tuple[int, int]] = []
    at = 0
    for token in tokens:
        start = text.find(token, at)
        if start < 0 or not token:
            return None
        at = start + len(token)
        found.append((start, at))
    return found


def _unknown(claims: Claims, what: str) -> FormatError:
    return FormatError(
        f"cannot convert offsets between tokens and characters without the {what}",
        source=claims.units.source,
        hint="Start from a file that contains the texts",
    )
