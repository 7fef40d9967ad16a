"""Texts and tokens of many units as columns that are read as sequences: strings are made only when asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Protocol, overload, runtime_checkable

import numpy as np

from karatage._arrays import Ints

if TYPE_CHECKING:
    import polars as pl

_STEP = 4096
"""How many units become Python lists at once where all are asked for."""

_NEAR = 64
"""How many units become Python lists at once where neighbours are asked for one by one."""


@runtime_checkable
class Flat(Protocol):
    """Tokens that can be had all at once."""

    def flat(self) -> tuple[list[str], Ints]:
        """Return the tokens of all units, concatenated, and how many each unit has."""


class TextColumn(Sequence[str]):
    """One text per unit.

    Args:
        flat: the texts, a Polars Series of strings without nulls.
    """

    def __init__(self, flat: pl.Series) -> None:
        self.flat = flat

    def __len__(self) -> int:
        return len(self.flat)

    def __repr__(self) -> str:
        return f"<TextColumn: {len(self):,} texts>"

    __hash__ = None  # type: ignore[assignment]  # equal to lists, which have none

    def __eq__(self, other: object) -> bool:
        return _same(self, other)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> TextColumn: ...
    def __getitem__(self, index: int | slice) -> str | TextColumn:
        if isinstance(index, slice):
            return TextColumn(self.flat[index])
        text: str = self.flat[index]
        return text

    def __iter__(self) -> Iterator[str]:
        for at in range(0, len(self), _STEP):
            yield from self.flat[at : at + _STEP].to_list()


class TokenColumn(Sequence[Sequence[str]]):
    """The tokens of each unit: those of all units, concatenated, and where each unit starts.

    Args:
        flat: the tokens of all units, a Polars Series of strings without nulls.
        starts: where the tokens of each unit start in it, with one more entry for the end of the last: the first is 0
            and the last the number of tokens.
    """

    def __init__(self, flat: pl.Series, starts: Ints) -> None:
        self.flat, self.starts = flat, starts
        self._asked = -1
        self._near: tuple[int, list[list[str]]] = (-1, [])

    @classmethod
    def of(cls, tokens: Sequence[Sequence[str]]) -> TokenColumn:
        """Make columns of lists; what is columns already stays as it is."""
        if isinstance(tokens, TokenColumn):
            return tokens
        import polars as pl

        if isinstance(tokens, Flat):
            words, sizes = tokens.flat()
            return cls(pl.Series("token", words, pl.String), starts_of(sizes))
        return cls(
            pl.Series("token", list(chain.from_iterable(tokens)), pl.String),
            starts_of(np.fromiter(map(len, tokens), np.int64, len(tokens))),
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Sequence[Sequence[str]]]) -> TokenColumn:
        """Concatenate the tokens of several batches."""
        import polars as pl

        columns = [cls.of(part) for part in parts]
        flat = pl.concat([column.flat for column in columns]) if columns else pl.Series("token", [], pl.String)
        return cls(flat, starts_of(np.concatenate([np.zeros(0, np.int64), *(column.sizes for column in columns)])))

    def take(self, units: Ints) -> TokenColumn:
        """Return the tokens of some units, in the given order."""
        sizes = self.sizes[units]
        starts = starts_of(sizes)
        rows = np.repeat(self.starts[units] - starts[:-1], sizes) + np.arange(int(starts[-1]))
        return TokenColumn(self.flat.gather(rows), starts)

    @property
    def sizes(self) -> Ints:
        """How many tokens each unit has."""
        return np.diff(self.starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __repr__(self) -> str:
        return f"<TokenColumn: {len(self.flat):,} tokens of {len(self):,} units>"

    __hash__ = None  # type: ignore[assignment]  # equal to lists, which have none

    def __eq__(self, other: object) -> bool:
        return _same(self, other)

    @overload
    def __getitem__(self, index: int) -> list[str]: ...
    @overload
    def __getitem__(self, index: slice) -> TokenColumn: ...
    def __getitem__(self, index: int | slice) -> list[str] | TokenColumn:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                return TokenColumn.of([self[i] for i in range(start, stop, step)])
            starts = self.starts[start : max(start, stop) + 1]
            return TokenColumn(self.flat[starts[0] : starts[-1]], starts - starts[0])
        return self._unit(range(len(self))[index])

    def __iter__(self) -> Iterator[list[str]]:
        for at in range(0, len(self), _STEP):
            yield from self._lists(at, _STEP)

    def _unit(self, at: int) -> list[str]:
        """Return one unit's tokens; who asks for a neighbour next will ask for more of them."""
        number, near = self._near
        if number == at // _NEAR:
            return near[at % _NEAR].copy()
        if self._asked == at // _NEAR:
            near = self._lists(at - at % _NEAR, _NEAR)
            self._near = at // _NEAR, near
            return near[at % _NEAR].copy()
        self._asked = at // _NEAR
        return self._lists(at, 1)[0]

    def _lists(self, at: int, count: int) -> list[list[str]]:
        starts = self.starts[at : at + count + 1]
        words = self.flat[starts[0] : starts[-1]].to_list()
        return [words[a:b] for a, b in pairwise((starts - starts[0]).tolist())]


def starts_of(sizes: Ints) -> Ints:
    """Return where each of so many things starts, with one more entry for the end of the last."""
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def _same(column: Sequence[Any], other: object) -> bool:
    if not isinstance(other, Sequence) or isinstance(other, str) or len(other) != len(column):
        return False
    pairs: Iterable[tuple[Any, Any]] = zip(column, other, strict=True)
    return all(mine == theirs for mine, theirs in pairs)
