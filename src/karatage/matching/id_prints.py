"""Ids of units as eight bytes each, to find one that occurs twice, in whatever batches, files or processes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from karatage.claims import Keys, Units
from karatage.errors import UnitError


class IdPrints:
    """Remembers the ids of one side. What two processes remember can be added."""

    def __init__(self) -> None:
        self._ids: Sequence[str] = ()  # of the first batch, which may be the only one
        self._keys: list[Keys] = []
        self._runs: list[tuple[str, int]] = []

    def add(self, units: Units) -> None:
        """Remember the ids of a batch, each of which occurs once in it; one without ids is left out."""
        if units.ids is None:
            return
        if self._runs and self._runs[-1][0] == units.source:
            self._runs[-1] = units.source, self._runs[-1][1] + len(units)
        else:
            self._runs.append((units.source, len(units)))
        if not self._keys and not self._ids:
            self._ids = units.ids
            return
        self._settle()
        self._keys.append(keys_of_ids(units.ids))

    def __iadd__(self, other: IdPrints) -> IdPrints:
        """Add the ids of what follows."""
        if other._runs:
            self._settle()
            other._settle()
            self._keys += other._keys
            self._runs += other._runs
        return self

    def __getstate__(self) -> dict[str, object]:
        self._settle()
        return self.__dict__

    def check(self) -> None:
        """Refuse an id that occurs twice, naming the files of both."""
        if len(self._keys) < 2:
            return
        every = np.concatenate(self._keys)
        order = np.argsort(every, kind="stable")
        again = np.flatnonzero(np.diff(every[order].astype(np.int64)) == 0)
        if not len(again):
            return
        at = again[np.argmin(order[again + 1])]
        before, here = int(order[at]), int(order[at + 1])
        (other, number), (source, unit) = self._place(before), self._place(here)
        also = f"number {number:,} of {other}" if other != source else f"number {number:,}"
        raise UnitError(
            f"duplicate id: number {unit:,} has the same as {also}", source=source, hint="Give each its own id"
        )

    def _settle(self) -> None:
        if self._ids:
            self._keys.append(keys_of_ids(self._ids))
            self._ids = ()

    def _place(self, place: int) -> tuple[str, int]:
        """Return the file of a unit, and its number there."""
        ends = np.cumsum([count for _, count in self._runs])
        run = int(np.searchsorted(ends, place, side="right"))
        return self._runs[run][0], place - int(ends[run]) + self._runs[run][1] + 1


def keys_of_ids(ids: Sequence[str]) -> Keys:
    """Return ids as eight bytes each, the same in every process."""
    import polars as pl  # slow to load, so only where ids come in several batches

    try:
        texts = pl.Series(list(ids), dtype=pl.String)
    except UnicodeEncodeError:  # half of a surrogate pair
        texts = pl.Series([name.encode(errors="backslashreplace").decode() for name in ids], dtype=pl.String)
    return texts.hash().to_numpy()
