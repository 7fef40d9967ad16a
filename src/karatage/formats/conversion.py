"""From any claims to any format: characters to tokens, tokens to characters, spans to values."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate

from karatage.claims import LENIENT, Batch, Claims, Fragments, TagDecoder, Tagged, TokenColumn
from karatage.errors import FormatError, UsageError
from karatage.formats.format import Format, Lost, WriteOptions
from karatage.formats.losses import BORDERS, POSITIONS, drop_unsupported

Places = list[tuple[int, int]]
"""Where each token of a text starts and ends."""


def convert(
    batches: Iterable[Batch],
    target: Format,
    place: str,
    options: WriteOptions | None = None,
    *,
    decoder: TagDecoder = LENIENT,
) -> Lost:
    """Write a corpus in a format and return what that format could not hold.

    Args:
        batches: the corpus.
        target: the format to write.
        place: where to.
        options: scheme and style, for formats with tags.
        decoder: how tags are read, where the corpus comes as tags.
    """
    if target.write is None:
        raise UsageError(f"the format {target.name!r} can be read but not written")
    lost = Lost()
    decoded = (batch.decode(decoder) if isinstance(batch, Tagged) else batch for batch in batches)
    fitting = _of_one_space(_fit(claims, target, lost) for claims in decoded)
    target.write(drop_unsupported(fitting, target.holds, lost), place, options or WriteOptions(), lost)
    for kind in [kind for kind, count in lost.items() if not count]:
        del lost[kind]
    return lost


def _of_one_space(batches: Iterable[Claims]) -> Iterator[Claims]:
    """Refuse a corpus whose files count their spans in different ways."""
    space = None
    for claims in batches:
        if space not in (None, claims.space):
            raise FormatError(
                f"counts its spans in the space {claims.space!r}, the files before it in {space!r}",
                source=claims.units.source or None,
                hint="Convert them apart",
            )
        space = claims.space
        yield claims


def _fit(claims: Claims, target: Format, lost: Lost) -> Claims:
    """Bring claims into a space that the target holds."""
    holds = target.holds
    if claims.space == "value":
        if "values" not in holds and len(claims.units):
            raise FormatError(
                f"the claims are values without places, and the format {target.name!r} holds spans only",
                source=claims.units.source or None,
                hint="Choose a format that holds values, such as values or csv",
            )
        return claims
    if ("tokens" if claims.space == "token" else "chars") in holds:
        return claims
    if "tokens" in holds:
        return to_tokens(claims, lost)
    if "chars" in holds:
        return to_chars(claims)
    lost[POSITIONS] += len(claims)
    # Where tokens are columns, the writer joins them as columns; one text per claim would be many times slower.
    return claims if isinstance(claims.units.tokens, TokenColumn) else to_values(claims)


def to_values(claims: Claims) -> Claims:
    """Give each claim the text that it covers as its value."""
    return claims.with_values()


def to_chars(claims: Claims) -> Claims:
    """Count the spans in characters of the text, or of the joined tokens where it does not hold them."""
    if claims.space == "char":
        return claims
    units = claims.units
    if claims.space == "value" or units.tokens is None:
        raise _unknown(claims, "tokens")
    texts: list[str] = []
    places: list[Places] = []
    for unit, tokens in enumerate(units.tokens):
        text = units.texts[unit] if units.texts is not None else None
        found = align(tokens, text) if text is not None else None
        if text is None or found is None:
            text = " ".join(tokens)
            ends = list(accumulate(len(token) + 1 for token in tokens))
            found = [(end - 1 - len(token), end - 1) for token, end in zip(tokens, ends, strict=True)]
        texts.append(text)
        places.append(found)
    rows = (
        (
            unit,
            label,
            places[unit][start][0],
            places[unit][end - 1][1],
            None if pieces is None else tuple((places[unit][a][0], places[unit][b - 1][1]) for a, b in pieces),
            value,
        )
        for unit, label, start, end, pieces, value in claims.rows()
    )
    return Claims.build(replace(units, texts=texts), "char", rows, claims.score)


def to_tokens(claims: Claims, lost: Lost) -> Claims:
    """Count the spans in tokens: the known ones where the text holds them in order, else words and marks.

    A span that starts or ends inside of a token, or at a blank, is left out and counted.
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
        for row, (unit, label, start, end, pieces, value) in enumerate(claims.rows()):
            parts = [(starts[unit].get(a), ends[unit].get(b)) for a, b in pieces or ((start, end),)]
            fitting = tuple((a, b) for a, b in parts if a is not None and b is not None)
            if len(fitting) < len(parts):
                lost[BORDERS] += 1
            else:
                kept.append(row)
                yield unit, label, fitting[0][0], fitting[-1][1], fitting if pieces else None, value

    fitted = list(rows())
    score = None if claims.score is None else claims.score[kept]
    return Claims.build(replace(units, tokens=tokens), "token", fitted, score)


def find_words(text: str) -> Places:
    """Find the words of a text, and each other character that is no blank by itself."""
    return [match.span() for match in _word().finditer(text)]


@cache
def _word() -> re.Pattern[str]:
    # Marks such as the vowel signs of Devanagari belong to the letter before them; `\w` leaves them out.
    marks = "".join(
        re.escape(chr(code))
        for code in range(min(sys.maxunicode, 0x20000))
        if unicodedata.category(chr(code)).startswith("M")
    )
    return re.compile(rf"\w(?:\w|[{marks}])*|\S")


def align(tokens: Sequence[str], text: str) -> Places | None:
    """Find the tokens in the text, one behind the other; None if one of them is not there."""
    places: Places = []
    at = 0
    for token in tokens:
        start = text.find(token, at)
        if start < 0 or not token:
            return None
        at = start + len(token)
        places.append((start, at))
    return places


def _unknown(claims: Claims, what: str) -> FormatError:
    return FormatError(
        f"the spans cannot be placed: the {what} of the units are unknown",
        source=claims.units.source or None,
        hint="Start from a file that holds the texts",
    )
