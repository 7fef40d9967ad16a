"""Values that are entities in some places and outside of entities in others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from karatage._arrays import Bools, Ints
from karatage.claims import Keys, combined
from karatage.description.ambiguity import label_uses, unit_name, with_labels
from karatage.description.data_counts import DataCounts
from karatage.description.listed_texts import LISTED, Excerpt, Listed, PartlyLabelled
from karatage.description.word_batches import WordBatch


@dataclass(frozen=True, eq=False)
class _Places:
    """Where values are outside of entities: the words at which they start, and which values they are."""

    word: Ints
    value: Ints


class UnlabelledSearch:
    """Finds values outside of all entities, as sequences of whole words in one unit, batch by batch.

    Args:
        counts: what was counted of the same data.
    """

    def __init__(self, counts: DataCounts) -> None:
        forms = counts.forms.frame().filter(pl.col("key").is_not_null())
        # The words decide which values are the same; texts are the same where the words are, blanks aside.
        groups = forms.group_by("size", "key").agg(pl.col("form").min().alias("text")).sort("size", "key")
        self._groups = groups.with_row_index("value")
        joined = forms.join(self._groups, on=["size", "key"])
        rows = joined.group_by("text", "value", "label").agg(pl.col("count").sum())
        self._values = with_labels(rows.select(pl.col("value").alias("text"), "label", "count"))
        sizes, keys = self._groups["size"].to_numpy(), self._groups["key"].to_numpy()
        edges = {int(size): np.searchsorted(sizes, [size, size + 1]).tolist() for size in np.unique(sizes)}
        self._known: dict[int, tuple[int, Keys]] = {size: (a, keys[a:b]) for size, (a, b) in edges.items()}
        self._times = np.zeros(len(groups), np.int64)
        self._examples: dict[int, Excerpt] = {}

    @property
    def needed(self) -> bool:
        """Whether there is anything to find."""
        return bool(self._known)

    def add(self, batch: WordBatch) -> None:
        """Count the values outside of entities in a batch."""
        if batch.words is None or not self.needed or not len(batch.words.flat):
            return
        found = self._find(batch)
        self._times += np.bincount(found.value, minlength=len(self._times))
        value, at = np.unique(found.value, return_index=True)
        for one, word in zip(value.tolist(), found.word[at].tolist(), strict=True):
            if one not in self._examples:
                unit = int(batch.words.starts.searchsorted(word, "right")) - 1
                place = batch.excerpt(unit, int(batch.low[word]), int(batch.high[word]))
                self._examples[one] = Excerpt(unit_name(batch, unit), place)

    def _find(self, batch: WordBatch) -> _Places:
        hashes, free = batch.hashes, _free(batch)
        at = np.flatnonzero(free > 0)
        keys = np.zeros(len(at), np.uint64)
        words, values = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for size in range(1, max(self._known) + 1):
            longer = free[at] >= size
            at = at[longer]
            if not len(at):
                break
            keys = keys[longer] + combined(hashes[at + size - 1], np.array([size - 1]))
            if size in self._known:
                first, known = self._known[size]
                place = np.minimum(known.searchsorted(keys), len(known) - 1)
                hit = known[place] == keys
                words.append(at[hit])
                values.append(place[hit] + first)
        word, value = np.concatenate(words), np.concatenate(values)
        order = np.argsort(word, kind="stable")
        return _Places(word[order], value[order])

    def result(self) -> tuple[Listed[PartlyLabelled], int]:
        """Return the values, and how often they are unlabelled in all; those that are most often both come first."""
        times = pl.DataFrame({"text": pl.Series(range(len(self._times)), dtype=pl.UInt32), "times": self._times})
        found = self._values.join(times, on="text").filter(pl.col("times") > 0)
        names = self._groups.select(pl.col("value").alias("text"), pl.col("text").alias("form"))
        first = (
            found.join(names, on="text")
            .with_columns(pl.min_horizontal("total", "times").alias("both"))
            .sort("both", "total", "form", descending=[True, True, False])
            .head(LISTED)
        )
        rows = tuple(
            PartlyLabelled(row["form"], row["total"], row["times"], label_uses(row), self._examples[row["text"]])
            for row in first.iter_rows(named=True)
        )
        return Listed(len(found), rows), int(self._times.sum())


def _free(batch: WordBatch) -> Ints:
    """Return how many words from each one on are outside of entities and in the same unit."""
    assert batch.words is not None  # noqa: S101  the caller looked
    count, pieces = len(batch.words.flat), batch.pieces
    opened, closed = (np.bincount(ends, minlength=count + 1) for ends in (pieces.first, pieces.last))
    taken: Bools = np.cumsum(opened - closed)[:count] > 0
    here = np.arange(count)
    next_taken = np.minimum.accumulate(np.where(taken, here, count)[::-1])[::-1]
    ends = np.repeat(batch.words.starts[1:], batch.words.sizes)
    return np.asarray(np.minimum(next_taken, ends) - here, np.int64)
