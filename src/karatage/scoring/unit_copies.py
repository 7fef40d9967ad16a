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


class CopySearch:
    """Looks for copies among the units that have gold entities and are not very short; eight bytes for each."""

    def __init__(self) -> None:
        self._keys: list[Keys] = []

    def add(self, units: Units, rows: Rows | None) -> None:
        """Look at a batch of units, with their counts in the same order."""
        if rows is None or rows.columns[0] != "gold" or units.texts is None is units.tokens:
            return
        gold, per_unit = _gold_keys(rows)
        chosen = np.flatnonzero((per_unit > 0) & _long(units))
        keys = keys_of_units(units, chosen) if len(chosen) else None
        if keys is not None:
            self._keys.append(combined(keys, gold[chosen]))

    def __iadd__(self, other: CopySearch) -> CopySearch:
        """Look among the units of another part too."""
        self._keys += other._keys
        return self

    def warnings(self, nouns: Nouns) -> list[str]:
        """Say how many units are copies, if there are many."""
        every = np.concatenate([np.zeros(0, np.uint64), *self._keys])
        copies = len(every) - len(np.unique(every))
        if copies < 1 or copies < SHARE * len(every):
            return []
        return [
            f"{nouns.units} with {nouns.claims} that are copies of another one with the same gold, so intervals are "
            f"too narrow: {copies:,} of {len(every):,}"
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
    return some.prints()[:, 0], some.per_row()[:, 0]
