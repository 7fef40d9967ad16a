"""Units with the same words, and whether they are labelled alike."""

from __future__ import annotations

import numpy as np
import polars as pl

from karatage.claims import Keys
from karatage.description.ambiguity import unit_name
from karatage.description.listed_texts import LISTED, Duplicates, Listed, RepeatedUnit
from karatage.description.word_batches import WordBatch

_COPIES = 5
"""How many copies of a unit are named."""


_CHARACTERS = 100
"""About how many characters of a unit are shown."""


class UnitTextFinder:
    """Finds the names and texts of units by their number in the data set, batch by batch.

    Args:
        wanted: the numbers, from 0.
    """

    def __init__(self, wanted: set[int]) -> None:
        self._wanted = np.array(sorted(wanted), np.int64)
        self._first = 0
        self.names: dict[int, str] = {}
        self.texts: dict[int, str] = {}

    @property
    def needed(self) -> bool:
        """Whether there is anything to find."""
        return len(self._wanted) > 0

    def add(self, batch: WordBatch) -> None:
        """Look for the units in a batch."""
        count = len(batch.claims.units)
        low, high = np.searchsorted(self._wanted, [self._first, self._first + count])
        for number in self._wanted[low:high].tolist():
            unit = number - self._first
            self.names[number], self.texts[number] = unit_name(batch, unit), batch.excerpt(unit, 0, _CHARACTERS)
        self._first += count


class DuplicateSearch:
    """Finds repeated units.

    Args:
        keys: a key of the words of each unit, 0 if it is empty.
        annotations: a key of the entities of each unit.
    """

    def __init__(self, keys: Keys, annotations: Keys) -> None:
        frame = pl.DataFrame({"key": keys, "annotation": annotations[: len(keys)]}).with_row_index("unit")
        groups = (
            frame.filter(pl.col("key") != 0)
            .group_by("key")
            .agg(
                pl.len().cast(pl.Int64).alias("count"),
                pl.col("annotation").n_unique().cast(pl.Int64).alias("annotations"),
                pl.col("unit").sort().head(_COPIES).alias("units"),
            )
            .filter(pl.col("count") > 1)
        )
        self._groups = groups
        order = (pl.col("annotations") > 1, pl.col("count"), pl.col("units").list.first())
        self._listed = groups.sort(*order, descending=[True, True, False]).head(LISTED)

    @property
    def wanted(self) -> set[int]:
        """The units to name."""
        return {unit for units in self._listed["units"].to_list() for unit in units}

    def result(self, found: UnitTextFinder) -> Duplicates:
        """Return the duplicates, given the names and texts of those to list."""
        rows = tuple(
            RepeatedUnit(found.texts[units[0]], count, kinds, tuple(found.names[unit] for unit in units))
            for _, count, kinds, units in self._listed.iter_rows()
        )
        extra = int(self._groups["count"].sum()) - len(self._groups)
        differing = int((self._groups["annotations"] > 1).sum())
        return Duplicates(extra, differing, Listed(len(self._groups), rows))
