"""A batch of a data set as columns of words, and where its entities are among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from karatage._arrays import Bools, Ints, first_indices, ranges
from karatage.claims import NO_CODE, Claims, Keys, TokenColumn, sequence_keys, starts_of
from karatage.formats import align, find_words
from karatage.matching import ClaimPair
from karatage.scoring import Texts

AROUND_EXCERPT = 50
"""How many characters of context an excerpt has on each side."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """The contiguous parts of entities as half-open ranges of words; most entities have one.

    Attributes:
        row: the entity that each part belongs to.
        first, last: the first word, and the one after the last, among the words of all units.
        inside: whether the part starts or ends inside a word.
    """

    row: Ints
    first: Ints
    last: Ints
    inside: Bools


@dataclass(frozen=True, eq=False)
class WordBatch:
    """A batch of units with their words.

    Attributes:
        claims: the entities or values.
        texts: the text of each unit; None if unknown.
        words: the tokens of each unit, or else the words of its text; None if neither is known.
        low, high: where each word starts and ends in the text of its unit.
    """

    claims: Claims
    texts: Texts | None
    words: TokenColumn | None
    low: Ints
    high: Ints

    @classmethod
    def of(cls, claims: Claims) -> WordBatch:
        """Take the tokens where the data has some, and find the words of the texts where it has not."""
        texts = Texts.of(ClaimPair.of(claims, claims))
        if texts is None:
            return cls(claims, None, None, np.zeros(0, np.int64), np.zeros(0, np.int64))
        if texts.low is not None and texts.high is not None and claims.units.tokens is not None:
            return cls(claims, texts, TokenColumn.of(claims.units.tokens), texts.low, texts.high)
        return cls(claims, texts, *_words_of(texts.texts.to_list(), claims.units.tokens))

    @cached_property
    def forms(self) -> pl.Series:
        """The text of each entity, with one blank for several; null if unknown."""
        found = Texts.surfaces(self.texts, self.claims)
        return found.str.replace_all(r"\s+", " ").str.strip_chars().alias("form")

    @cached_property
    def labels(self) -> pl.Series:
        """The label of each entity."""
        return pl.Series("label", list(self.claims.labels), pl.String).gather(self.claims.label)

    @cached_property
    def sizes(self) -> Ints | None:
        """The number of words of each unit; of tags, where the words are unknown; None if nothing is known."""
        if self.words is not None:
            return self.words.sizes
        return self.claims.tags[0].sizes if self.claims.tags else None

    @cached_property
    def lengths(self) -> Ints:
        """The number of words of each entity, -1 if unknown."""
        claims = self.claims
        if claims.space == "token":
            row, start, end = pieces_of(claims)
            return np.bincount(row, end - start, minlength=len(claims)).astype(np.int64)
        if claims.space == "char" and self.words is not None:
            sizes = self.pieces.last - self.pieces.first
            return np.bincount(self.pieces.row, sizes, minlength=len(claims)).astype(np.int64)
        found = self.forms.str.count_matches(r"\w+|[^\w\s]").cast(pl.Int64).fill_null(-1)
        return np.asarray(found.to_numpy(), np.int64)

    @cached_property
    def pieces(self) -> Pieces:
        """Where the entities are among the words; none where positions or words are unknown."""
        claims, words = self.claims, self.words
        none = np.zeros(0, np.int64)
        if words is None or claims.space == "value" or not len(words.flat):
            return Pieces(none, none, none, none.astype(bool))
        row, start, end = pieces_of(claims)
        unit = claims.unit[row]
        if claims.space == "token":
            limit = words.starts[unit + 1]
            first, last = np.minimum(words.starts[unit] + start, limit), np.minimum(words.starts[unit] + end, limit)
            return Pieces(row, first, last, np.zeros(len(row), bool))
        # All texts one after another, so that offsets of all units are in order.
        sizes = np.full(len(claims.units), 1 + max(self.high.max(initial=0), end.max(initial=0)), np.int64)
        base = first_indices(sizes)
        owner = np.repeat(base, words.sizes)
        low, high, start, end = self.low + owner, self.high + owner, start + base[unit], end + base[unit]
        first, last = np.searchsorted(high, start, "right"), np.searchsorted(low, end, "left")
        last = np.maximum(first, last)
        at, before = np.minimum(first, len(low) - 1), np.maximum(last - 1, 0)
        return Pieces(row, first, last, (last > first) & ((low[at] < start) | (high[before] > end)))

    @cached_property
    def innermost(self) -> Ints:
        """The label of each word, as an index into the labels: that of the shortest entity around it; -1 outside."""
        assert self.words is not None  # noqa: S101  callers look
        pieces, sizes = self.pieces, self.pieces.last - self.pieces.first
        order = np.argsort(-sizes, kind="stable")
        out = np.full(len(self.words.flat), -1, np.int64)
        out[ranges(pieces.first[order], sizes[order])] = np.repeat(self.claims.label[pieces.row[order]], sizes[order])
        return out

    @cached_property
    def hashes(self) -> Keys:
        """A hash of each word."""
        assert self.words is not None  # noqa: S101  callers look
        return self.words.flat.hash(0).to_numpy()

    @cached_property
    def placed(self) -> tuple[Ints, Ints, Keys]:
        """Entities that are whole words in one piece: their rows, number of words, and a key of these words."""
        pieces = self.pieces
        whole = ~pieces.inside & (pieces.last > pieces.first)
        whole &= np.bincount(pieces.row, minlength=len(self.claims))[pieces.row] == 1
        sizes = (pieces.last - pieces.first)[whole]
        if self.words is None or not len(sizes):
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.uint64)
        return pieces.row[whole], sizes, sequence_keys(self.hashes, pieces.first[whole], sizes)

    def excerpt(self, unit: int, low: int = 0, high: int = 0) -> str:
        """Return the text of a unit around a place in it; nothing if it is unknown."""
        if self.texts is None:
            return ""
        text: str = self.texts.texts[unit]
        start, end = max(low - AROUND_EXCERPT, 0), max(high, low) + AROUND_EXCERPT
        return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"

    def first_word(self, row: int) -> tuple[int, int]:
        """Return where the first word of an entity starts and ends in the text of its unit."""
        at = np.flatnonzero(self.pieces.row == row)[:1]
        if not len(at) or not len(self.low):
            return 0, 0
        word = min(int(self.pieces.first[at[0]]), len(self.low) - 1)
        return int(self.low[word]), int(self.high[word])


def pieces_of(claims: Claims) -> tuple[Ints, Ints, Ints]:
    """Return row, start and end of the contiguous parts of claims, in the order of the claims."""
    if claims.shape is None:
        return np.arange(len(claims)), claims.start, claims.end
    parts = [
        ((start, end),) if shape == NO_CODE else claims.shapes[shape]
        for start, end, shape in zip(*(c.tolist() for c in (claims.start, claims.end, claims.shape)), strict=True)
    ]
    row = np.repeat(np.arange(len(parts)), [len(own) for own in parts])
    start, end = np.array([part for own in parts for part in own], np.int64).reshape(-1, 2).T
    return row, start, end


def _words_of(texts: list[str], tokens: Sequence[Sequence[str]] | None) -> tuple[TokenColumn, Ints, Ints]:
    """Return the words of texts, and where they start and end: the known tokens if the text has them in order."""
    found = []
    for unit, text in enumerate(texts):
        known = None if tokens is None else align(tokens[unit], text)
        found.append(find_words(text) if known is None else known)
    sizes = np.fromiter(map(len, found), np.int64, len(found))
    words = [text[a:b] for text, own in zip(texts, found, strict=True) for a, b in own]
    places = np.array([place for own in found for place in own], np.int64).reshape(-1, 2)
    return TokenColumn(pl.Series("token", words, pl.String), starts_of(sizes)), places[:, 0], places[:, 1]
