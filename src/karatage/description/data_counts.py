"""What is counted of a data set in one pass over its batches."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl

from karatage._arrays import Ints
from karatage.claims import Claims, Keys, combined, sequence_keys, sums
from karatage.description.row_counts import RowCounts, count_numbers
from karatage.description.word_batches import WordBatch, pieces_of


class DataCounts:
    """Counts of a data set, in memory that grows with its distinct words, values and 16 bytes per unit.

    Attributes:
        facts: units, words, entities; empty units, units without entities; entities that overlap another, are
            discontinuous, start or end inside a word.
        sizes: how many units have so many words.
        per_unit: how many units have so many entities.
        label_units: in how many units each label occurs.
        forms: entities by text, label, and key and number of words, which are null unless an entity is whole words.
        lengths: entities by label and number of words.
        words: words by text and label, null outside entities.
        attributes: units by attribute and value.
        groups: entities by attribute, value and label.
    """

    def __init__(self) -> None:
        self.facts: Counter[str] = Counter()
        self.sizes: Counter[int] = Counter()
        self.per_unit: Counter[int] = Counter()
        self.label_units: Counter[str] = Counter()
        text = pl.String
        self.forms = RowCounts(form=text, label=text, key=pl.UInt64, size=pl.Int64)
        self.lengths = RowCounts(label=text, length=pl.Int64)
        self.words = RowCounts(word=text, label=text)
        self.attributes = RowCounts(attribute=text, value=text)
        self.groups = RowCounts(attribute=text, value=text, label=text)
        self.spaces: set[str] = set()
        self._keys: list[Keys] = []
        self._annotations: list[Keys] = []

    def add(self, batch: WordBatch) -> None:
        """Count a batch."""
        claims = batch.claims
        per_unit = np.bincount(claims.unit, minlength=len(claims.units))
        self.spaces.add(claims.space)
        self.facts["units"] += len(claims.units)
        self.facts["entities"] += len(claims)
        self.facts["overlapping"] += _overlapping(claims)
        self.facts["discontinuous"] += 0 if claims.shape is None else int((claims.shape >= 0).sum())
        self.per_unit += count_numbers(per_unit)
        if batch.sizes is not None:
            self.facts["words"] += int(batch.sizes.sum())
            self.sizes += count_numbers(batch.sizes)
        for label, count in zip(claims.labels, _units_with(claims).tolist(), strict=True):
            self.label_units[label] += count
        self.lengths.add(batch.labels, pl.Series(batch.lengths))
        self._add_forms(batch)
        self._add_attributes(batch)
        if batch.words is not None:
            self.facts["found words"] += claims.units.tokens is None
            names = pl.Series([*claims.labels, None], dtype=pl.String)
            self.words.add(batch.words.flat, names.gather(batch.innermost))
            self._add_keys(batch)
        inside = np.unique(batch.pieces.row[batch.pieces.inside])
        self.facts["inside words"] += len(inside)

    def _add_forms(self, batch: WordBatch) -> None:
        row, sizes, keys = batch.placed
        key = np.zeros(len(batch.claims), np.uint64)
        size = np.zeros(len(batch.claims), np.int64)
        key[row], size[row] = keys, sizes
        known = pl.Series(size > 0)
        columns = pl.DataFrame({"key": key, "size": size, "known": known}).select(
            pl.when("known").then(pl.col("key", "size"))
        )
        self.forms.add(batch.forms, batch.labels, *columns.get_columns())

    def _add_attributes(self, batch: WordBatch) -> None:
        for name, column in batch.claims.units.attributes.items():
            values = pl.Series(list(column), dtype=pl.String)
            self.attributes.add(_repeated(name, len(values)), values)
            self.groups.add(_repeated(name, len(batch.claims)), values.gather(batch.claims.unit), batch.labels)

    def _add_keys(self, batch: WordBatch) -> None:
        assert batch.words is not None  # noqa: S101  the caller looked
        claims, sizes = batch.claims, batch.words.sizes
        keys = sequence_keys(batch.hashes, batch.words.starts[:-1], sizes)
        keys[sizes == 0] = 0
        self._keys.append(keys)
        self._annotations.append(_annotation_keys(batch))
        self.facts["empty"] += int((sizes == 0).sum())
        self.facts["keyed"] += len(claims.units)

    @property
    def keys(self) -> Keys:
        """A key of the words of each unit, 0 if it is empty; none at all where the words are unknown."""
        if self.facts["keyed"] < self.facts["units"]:
            return np.zeros(0, np.uint64)
        return np.concatenate([np.zeros(0, np.uint64), *self._keys])

    @property
    def annotations(self) -> Keys:
        """A key of the entities of each unit."""
        return np.concatenate([np.zeros(0, np.uint64), *self._annotations])


def _repeated(text: str, count: int) -> pl.Series:
    return pl.Series([text], dtype=pl.String).new_from_index(0, count)


def _units_with(claims: Claims) -> Ints:
    """Return in how many units each label occurs."""
    pairs = np.unique(claims.unit * max(len(claims.labels), 1) + claims.label)
    return np.bincount(pairs % max(len(claims.labels), 1), minlength=len(claims.labels))


def _overlapping(claims: Claims) -> int:
    """Count the spans that overlap an earlier or larger one of their unit."""
    if claims.space == "value" or len(claims) < 2:
        return 0
    reach = int(claims.end.max()) + 1
    start, end = claims.unit * reach + claims.start, claims.unit * reach + claims.end
    order = np.lexsort((-end, start))
    return int((np.maximum.accumulate(end[order])[:-1] > start[order][1:]).sum())


def _annotation_keys(batch: WordBatch) -> Keys:
    """Return a key of the labels, places and values of each unit's entities, whatever their order."""
    claims = batch.claims
    label = pl.Series(list(claims.labels), dtype=pl.String).hash(1).to_numpy()
    row, start, end = pieces_of(claims)
    keys = combined(combined(label[claims.label[row]], start), end)
    if claims.space == "value":
        keys = combined(keys ^ batch.forms.fill_null("").hash(2).to_numpy(), start)
    return sums(keys, np.bincount(claims.unit[row], minlength=len(claims.units)).astype(np.int64))
