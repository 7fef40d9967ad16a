"""Units that are copies of others: the same words and the same gold entities. They are not independent."""

from __future__ import annotations

import numpy as np

from karatage.claims import Keys, Units, combined, keys_of_units
from karatage.metrics import Rows
from karatage.scoring.nouns import Nouns

LEAST_TOKENS, LEAST_CHARACTERS = 4, 20
"""Shorter units recur by nature, such as a dateline or a one-word title."""

SHARE = 0.01
"""The share of copies among units with entities from which a reader should know."""


_PENDING = 1 << 16
"""Keys that may wait before they are merged with those of units that were seen before."""


class CopySearch:
    """Looks for copies among the units that have gold entities and are not very short; eight bytes for each other."""

    def __init__(self) -> None:
        self._count = 0
        self._distinct: Keys = np.zeros(0, np.uint64)
        self._pending: list[Keys] = []
        self._waiting = 0

    def add(self, units: Units, rows: Rows | None) -> None:
        """Look at a batch of units, with their counts in the same order."""
        if rows is None or rows.columns[0] != "gold" or units.texts is None is units.tokens:
            return
        gold, per_unit = _gold_keys(rows)
        chosen = np.flatnonzero((per_unit > 0) & _long(units))
        keys = keys_of_units(units, chosen) if len(chosen) else None
        if keys is not None:
            self._count += len(keys)
            self._take(combined(keys, gold[chosen]))

    def __iadd__(self, other: CopySearch) -> CopySearch:
        """Look among the units of another part too."""
        self._count += other._count
        for keys in (other._distinct, *other._pending):
            self._take(keys)
        return self

    def _take(self, keys: Keys) -> None:
        self._pending.append(keys)
        self._waiting += len(keys)
        if self._waiting > max(_PENDING, len(self._distinct)):
            self._merge()

    def _merge(self) -> None:
        """Keep equal keys once."""
        every = np.concatenate([self._distinct, *self._pending])
        every.sort()
        new = np.ones(len(every), bool)
        np.not_equal(every[1:], every[:-1], out=new[1:])
        self._distinct, self._pending, self._waiting = every[new], [], 0

    def __getstate__(self) -> dict[str, object]:
        """Send to another process what is merged, which takes less time there."""
        self._merge()
        return self.__dict__

    def warnings(self, nouns: Nouns) -> list[str]:
        """Say how many units are copies, if there are many."""
        self._merge()
        copies = self._count - len(self._distinct)
        if copies < 1 or copies < SHARE * self._count:
            return []
        return [
            f"{nouns.units} with {nouns.claims} that are copies of another one with the same gold, so intervals are "
            f"too narrow: {copies:,} of {self._count:,}"
        ]


def _long(units: Units) -> np.ndarray:
    """Return which units are not very short."""
    if units.tokens is not None:
        sizes = getattr(units.tokens, "sizes", None)
        found = sizes if sizes is not None else np.fromiter(map(len, units.tokens), np.int64, len(units))
        return np.asarray(found >= LEAST_TOKENS)
    texts = units.texts or ()
    return np.fromiter(map(len, texts), np.int64, len(units)) >= LEAST_CHARACTERS


def _gold_keys(rows: Rows) -> tuple[Keys, np.ndarray]:
    """Return for each unit a key of how many gold entities of each label it has, and their number."""
    gold = rows.of_columns(["gold"])
    kept = gold.counts[:, 0] > 0
    before = np.concatenate([[0], np.cumsum(kept)])
    some = Rows(
        gold.columns, gold.cells, before[gold.starts], gold.cell[kept], gold.counts[kept], gold.times, gold.stratum
    )
    return some.prints(halves=1)[:, 0], some.per_row()[:, 0]
