"""What two data sets share, such as training and test data: units, values, labels, words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from karatage.description.data_counts import DataCounts
from karatage.description.duplicate_units import UnitTextFinder
from karatage.description.listed_texts import LISTED, Excerpt, Listed
from karatage.description.word_batches import WordBatch


@dataclass(frozen=True)
class SeenLabel:
    """How many entities of a label have a value that the other data set has too.

    Attributes:
        label: the label.
        count: entities with this label.
        same: those whose value has this label in the other data set, too.
        other: those whose value has only other labels there.
        unseen: those whose value is not an entity there.
    """

    label: str
    count: int
    same: int
    other: int
    unseen: int


@dataclass(frozen=True)
class DataOverlap:
    """What a second data set shares with the first, e.g. test with training data.

    Attributes:
        data: the name of the second data set.
        units, tokens, entities: its size; tokens are None if unknown.
        shared: units of the second that are in the first, too; None if the tokens of one are unknown.
        relabelled: those of them that are labelled in no way in which the first labels them.
        examples: the first shared units.
        seen_tokens: tokens of the second that occur in the first; None if the tokens of one are unknown.
        labels: how many values were seen, by label.
        only_first, only_second: labels that occur in one of the two only.
    """

    data: str
    units: int
    tokens: int | None
    entities: int
    shared: int | None
    relabelled: int | None
    examples: Listed[Excerpt]
    seen_tokens: int | None
    labels: tuple[SeenLabel, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]

    @property
    def seen(self) -> SeenLabel:
        """The sum over all labels."""
        sums = (sum(getattr(one, name) for one in self.labels) for name in ("count", "same", "other", "unseen"))
        return SeenLabel("", *sums)

    def to_dict(self, limit: int) -> dict[str, Any]:
        """Return plain data."""
        out = {name: getattr(self, name) for name in ("data", "units", "tokens", "entities", "shared", "relabelled")}
        return out | {
            "examples": self.examples.to_dict(limit),
            "seen_tokens": self.seen_tokens,
            "values": {one.label: {k: v for k, v in asdict(one).items() if k != "label"} for one in self.labels},
            "labels_only_in_first": list(self.only_first),
            "labels_only_in_second": list(self.only_second),
        }


def overlap(name: str, first: DataCounts, second: DataCounts, again: Iterator[WordBatch]) -> DataOverlap:
    """Compare two data sets.

    Args:
        name: the name of the second.
        first, second: what was counted of them.
        again: the batches of the second, read once more to name the units that both have.
    """
    both = len(first.keys) == first.facts["units"] > 0 and len(second.keys) == second.facts["units"] > 0
    known = "words" in first.facts and "words" in second.facts and both
    shared = np.isin(second.keys, first.keys) & (second.keys != 0) if both else np.zeros(0, bool)
    numbers = np.flatnonzero(shared)
    finder = UnitTextFinder(set(numbers[:LISTED].tolist()))
    if finder.needed:
        for batch in again:
            finder.add(batch)
    examples = tuple(Excerpt(finder.names[n], finder.texts[n]) for n in numbers[:LISTED].tolist())
    labels = [set(counts.label_units) for counts in (first, second)]
    return DataOverlap(
        data=name,
        units=second.facts["units"],
        tokens=second.facts.get("words"),
        entities=second.facts["entities"],
        shared=len(numbers) if both else None,
        relabelled=_relabelled(first, second, numbers) if both else None,
        examples=Listed(len(numbers), examples),
        seen_tokens=_seen_words(first, second) if known else None,
        labels=_seen_labels(first, second),
        only_first=tuple(sorted(labels[0] - labels[1])),
        only_second=tuple(sorted(labels[1] - labels[0])),
    )


def _relabelled(first: DataCounts, second: DataCounts, shared: np.ndarray[Any, Any]) -> int:
    pairs = [pl.DataFrame({"key": counts.keys, "annotation": counts.annotations}) for counts in (first, second)]
    return pairs[1][shared].join(pairs[0], on=["key", "annotation"], how="anti").height


def _seen_words(first: DataCounts, second: DataCounts) -> int:
    known = first.words.frame().select("word").unique()
    return int(second.words.frame().join(known, on="word", how="semi")["count"].sum())


def _seen_labels(first: DataCounts, second: DataCounts) -> tuple[SeenLabel, ...]:
    """Return how many values of the second data set the first has, by label; values without a text are left out."""
    train, test = (
        counts.forms.frame().filter(pl.col("form").is_not_null()).group_by("form", "label").agg(pl.col("count").sum())
        for counts in (first, second)
    )
    forms = train.select("form").unique().with_columns(pl.lit(True).alias("any"))
    pairs = train.select("form", "label").with_columns(pl.lit(True).alias("same"))
    found = test.join(forms, on="form", how="left").join(pairs, on=["form", "label"], how="left")
    kind = pl.when("same").then(0).when("any").then(1).otherwise(2)
    counted = found.with_columns(kind.alias("kind")).group_by("label", "kind").agg(pl.col("count").sum())
    counts: dict[str, list[int]] = {}
    for label, at, count in counted.iter_rows():
        counts.setdefault(label, [0, 0, 0])[at] = count
    rows = [SeenLabel(label, sum(own), *own) for label, own in counts.items()]
    return tuple(sorted(rows, key=lambda row: (-row.count, row.label)))
