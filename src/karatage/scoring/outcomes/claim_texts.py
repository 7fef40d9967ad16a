"""The texts that claims point into, as columns: surface forms, and what stands around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from karatage._arrays import Ints
from karatage.claims import Claims, TextColumn, TokenColumn
from karatage.matching import NOWHERE, ClaimPair

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Texts:
    """One text per unit, and where its tokens are in it.

    Attributes:
        texts: the text of each unit; tokens are joined by one blank.
        starts: where the tokens of each unit start among all tokens, with one more entry; None for characters.
        low, high: where each token starts and ends in its unit's text.
    """

    texts: pl.Series
    starts: Ints | None = None
    low: Ints | None = None
    high: Ints | None = None

    @classmethod
    def of(cls, pair: ClaimPair) -> Texts | None:
        """Take the texts of gold's units, or of the predictions' where gold has none."""
        both = (pair.gold.units, pair.pred.units)
        space = pair.gold.space if pair.gold.space != "value" else pair.pred.space
        for units in both:
            if space == "token" and units.tokens is not None:
                return cls.of_tokens(TokenColumn.of(units.tokens))
            if space != "token" and units.texts is not None:
                return cls(_series(units.texts))
        tokens = [units.tokens for units in both if units.tokens is not None]
        return cls.of_tokens(TokenColumn.of(tokens[0])) if space == "value" and tokens else None

    @classmethod
    def of_tokens(cls, tokens: TokenColumn) -> Texts:
        """Join tokens by blanks."""
        import polars as pl

        starts = tokens.starts
        length = tokens.flat.str.len_chars().to_numpy().astype(np.int64)
        behind = np.cumsum(length + 1)
        sizes = np.diff(starts)
        base = np.concatenate([[0], behind])[starts[:-1]]
        low = behind - length - 1 - np.repeat(base, sizes)
        unit = np.repeat(np.arange(len(sizes)), sizes)
        frame = pl.DataFrame({"unit": unit, "token": tokens.flat})
        joined = frame.group_by("unit", maintain_order=True).agg(pl.col("token").str.join(" "))
        texts = np.full(len(sizes), len(joined), np.int64)
        texts[joined["unit"].to_numpy()] = np.arange(len(joined))
        whole = pl.concat([joined["token"], pl.Series([""], dtype=pl.String)])[texts]
        return cls(whole.alias("text"), starts, low, low + length)

    def offsets(self, claims: Claims) -> tuple[Ints, Ints]:
        """Return where claims start and end in their texts, in characters; -1 where they have no offsets."""
        if claims.space == "value" or not len(claims):
            return np.full(len(claims), -1, np.int64), np.full(len(claims), -1, np.int64)
        low, high = self.characters(claims.unit, claims.start, claims.end, tokens=claims.space == "token")
        nowhere = claims.start <= NOWHERE  # or within tokens
        return np.where(nowhere, -1, low), np.where(nowhere, -1, high)

    def characters(self, unit: Ints, start: Ints, end: Ints, *, tokens: bool = True) -> tuple[Ints, Ints]:
        """Return where half-open spans start and end in characters; what lies beyond the text ends with it."""
        if not tokens or self.starts is None or self.low is None or self.high is None:
            return start, end
        if not len(self.low):
            return np.zeros(len(unit), np.int64), np.zeros(len(unit), np.int64)
        first, last = self.starts[unit], self.starts[unit + 1]
        empty = first == last
        low = self.low[np.clip(first + start, 0, len(self.low) - 1)]
        high = self.high[np.clip(np.minimum(first + end, last) - 1, 0, len(self.high) - 1)]
        return np.where(empty, 0, low), np.where(empty, 0, np.maximum(low, high))

    def cut(self, unit: Ints, low: Ints, high: Ints) -> pl.Series:
        """Return parts of texts."""
        import polars as pl

        low = np.maximum(low, 0)
        frame = pl.DataFrame({"text": self.texts.gather(unit), "low": low, "size": np.maximum(high - low, 0)})
        return frame.select(pl.col("text").str.slice("low", "size")).to_series()

    def find(self, unit: Ints, values: pl.Series) -> tuple[Ints, Ints]:
        """Return where values first occur in their texts, and where they end there; -1 where they do not."""

        texts, sought = self.texts.gather(unit).to_list(), values.to_list()
        low = np.array(
            [-1 if value is None else text.find(value) for text, value in zip(texts, sought, strict=True)], np.int64
        )
        sizes = values.str.len_chars().fill_null(0).to_numpy().astype(np.int64)
        return low, np.where(low >= 0, low + sizes, -1)

    @staticmethod
    def surfaces(texts: Texts | None, claims: Claims) -> pl.Series:
        """Return the text of each claim: its value where that is known, else what stands in its place."""
        import polars as pl

        known = np.zeros(len(claims), bool) if claims.value is None else claims.value >= 0
        out = pl.Series("surface", [None] * len(claims), pl.String)
        if texts is not None and claims.space != "value":
            out = texts.cut(claims.unit, *texts.offsets(claims)).alias("surface")
            if claims.shape is not None:
                out = _in_pieces(texts, claims, out)
        if known.any() and claims.value is not None:
            rows = np.flatnonzero(known)
            values = pl.Series("surface", list(claims.values), pl.String).gather(claims.value[rows])
            out = out.scatter(rows, values)
        return out


def _in_pieces(texts: Texts, claims: Claims, surfaces: pl.Series) -> pl.Series:
    """Join the pieces of discontinuous claims by a blank."""
    import polars as pl

    assert claims.shape is not None  # noqa: S101  the caller looked
    rows = np.flatnonzero(claims.shape >= 0)
    pieces = [claims.shapes[k] for k in claims.shape[rows].tolist()]
    sizes = np.array([len(own) for own in pieces], np.int64)
    unit = np.repeat(claims.unit[rows], sizes)
    ends = np.array([end for own in pieces for end in own], np.int64).reshape(-1, 2)
    low, high = texts.characters(unit, ends[:, 0], ends[:, 1], tokens=claims.space == "token")
    parts = pl.DataFrame({"row": np.repeat(rows, sizes), "part": texts.cut(unit, low, high)})
    joined = parts.group_by("row", maintain_order=True).agg(pl.col("part").str.join(" "))
    return surfaces.scatter(joined["row"].to_numpy(), joined["part"])


def _series(texts: object) -> pl.Series:
    import polars as pl

    return texts.flat if isinstance(texts, TextColumn) else pl.Series("text", list(texts), pl.String)  # type: ignore[call-overload]
