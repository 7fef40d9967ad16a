"""Judgements that are read as far as they are needed, and forgotten once they are used."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

import numpy as np

from karatage._arrays import Ints
from karatage.claims import Relevance, Units
from karatage.errors import KaratageError


class QueriesApart(KaratageError):  # noqa: N818  not an error of the user's: files are read as a whole instead
    """The lines of a query are in two places."""


class JudgementBuffer:
    """Hands out the judgements of some queries after the other, in whichever order they are asked for.

    If they are asked for in the order of the file, no more than a few batches are in memory. In another order, those
    that were passed over are kept.

    Args:
        batches: the judgements, in batches of whole queries.

    Attributes:
        names: the queries read so far, in order.
    """

    def __init__(self, batches: Iterable[Relevance]) -> None:
        self._batches = iter(batches)
        self._places: dict[str, tuple[_Held, int]] = {}
        self._known: set[str] = set()
        self.names: list[str] = []

    def take(self, queries: Sequence[str]) -> Relevance | None:
        """Return the judgements of these queries, and forget them; None where there are none at all."""
        lacking = [query for query in queries if query not in self._places]
        while lacking and self._more():
            lacking = [query for query in lacking if query not in self._places]
        wanted: dict[_Held, tuple[list[str], list[int]]] = {}
        for query in queries:
            if (place := self._places.pop(query, None)) is not None:
                names, numbers = wanted.setdefault(place[0], ([], []))
                names.append(query)
                numbers.append(place[1])
        return _joined([held.some(*own) for held, own in wanted.items()]) if wanted else None

    def rest(self, besides: Container[str]) -> Iterator[Relevance]:
        """Yield the judgements of all other queries, which reads them to their end.

        Args:
            besides: queries that are not wanted.
        """
        while True:
            left = [query for query in self._places if query not in besides]
            found = self.take(left) if left else None
            self._places.clear()
            if found is not None:
                yield found
            if not self._more():
                return

    def _more(self) -> bool:
        """Read the next batch; return whether there is one."""
        batch = next(self._batches, None)
        if batch is None:
            return False
        held, names = _Held(batch), list(batch.units.ids or ())
        if not self._known.isdisjoint(names):
            raise QueriesApart
        self._known.update(names)
        self.names += names
        self._places |= {query: (held, number) for number, query in enumerate(names)}
        return True


class _Held:
    """A batch, of which the rows of any query are found at once."""

    def __init__(self, batch: Relevance) -> None:
        self._batch = batch
        grouped = not (np.diff(batch.unit) < 0).any()
        self._order: Ints | None = None if grouped else np.argsort(batch.unit, kind="stable")
        self._size = np.bincount(batch.unit, minlength=len(batch.units))
        self._start = np.cumsum(self._size) - self._size

    def some(self, names: list[str], numbers: list[int]) -> Relevance:
        """Return the judgements of some queries, by their names and their numbers."""
        own = np.array(numbers, np.int64)
        size = self._size[own]
        unit = np.repeat(np.arange(len(own)), size)
        rows = np.arange(len(unit)) + np.repeat(self._start[own] - (np.cumsum(size) - size), size)
        rows = rows if self._order is None else self._order[rows]
        units = Units(len(names), names, source=self._batch.units.source)
        return Relevance(units, unit, self._batch.document.gather(rows), self._batch.value[rows], self._batch.what)


def _joined(parts: Sequence[Relevance]) -> Relevance:
    """Put judgements of different queries behind each other."""
    import polars as pl

    if len(parts) == 1:
        return parts[0]
    first = np.cumsum([0, *(len(part.units) for part in parts)])
    return Relevance(
        Units.concatenate([part.units for part in parts]),
        np.concatenate([part.unit + start for part, start in zip(parts, first.tolist(), strict=False)]),
        pl.concat([part.document for part in parts]),
        np.concatenate([part.value for part in parts]),
        parts[0].what,
    )
