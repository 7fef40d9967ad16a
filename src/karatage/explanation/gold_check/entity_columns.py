"""What all evidence starts from: one gold, several systems, on one set of labels and one line of places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Floats, Ints
from karatage.claims import NO_CODE, Claims, Fragments, Units, recode
from karatage.errors import UsageError
from karatage.explanation.gold_check.row_hashes import Keys, mix
from karatage.scoring import Outcomes, Texts

_PLACE = ("unit", "label", "start", "end", "shape")


@dataclass(frozen=True, eq=False)
class EntityColumns:
    """The claims of one side as plain columns.

    Attributes:
        unit: the unit of each.
        label: its label, as a number in the data's labels.
        start, end: its place; a value has its number as its place.
        shape: the number of its pieces in the data's shapes, -1 for a claim in one piece.
        score: how sure the system is of it, NaN where unknown; None if it never says.
    """

    unit: Ints
    label: Ints
    start: Ints
    end: Ints
    shape: Ints
    score: Floats | None = None

    def __len__(self) -> int:
        return len(self.unit)

    @classmethod
    def nothing(cls, unit: Ints) -> EntityColumns:
        """Return rows without a claim, one for each unit given."""
        none = np.full(len(unit), -1, np.int64)
        return cls(unit, none, none, none, none)

    @classmethod
    def join(cls, parts: Sequence[EntityColumns]) -> EntityColumns:
        """Put claims one after the other; their scores are left out."""
        return cls(*(np.concatenate([getattr(one, name) for one in parts]) for name in _PLACE))

    def take(self, rows: NDArray[Any]) -> EntityColumns:
        """Return some of them, without their scores."""
        return EntityColumns(*(getattr(self, name)[rows] for name in _PLACE))

    def shared(self, rows: Ints, other: EntityColumns, others: Ints) -> Ints:
        """Return how much each of some rows shares with one of another side's, in the same unit."""
        return np.minimum(self.end[rows], other.end[others]) - np.maximum(self.start[rows], other.start[others])

    @property
    def place(self) -> Keys:
        """One key for each place."""
        return mix(self.unit, self.start, self.end, self.shape)

    @property
    def claim(self) -> Keys:
        """One key for each place with its label."""
        return mix(self.place, self.label)


@dataclass(frozen=True, eq=False, kw_only=True)
class GoldData:
    """Gold and the systems, ready to be compared.

    Attributes:
        claims: gold as it was read.
        gold: gold's claims.
        systems: those of each system.
        labels: all labels.
        shapes: the pieces of the discontinuous claims.
        values: all values, in the space of values.
        texts: the texts of the units, where known.
        places: all places where a claim starts or ends, sorted.
    """

    claims: Claims
    gold: EntityColumns
    systems: tuple[EntityColumns, ...]
    labels: tuple[str, ...]
    shapes: tuple[Fragments, ...]
    values: tuple[str, ...]
    texts: Texts | None
    places: Ints

    @property
    def units(self) -> Units:
        """The units."""
        return self.claims.units

    @property
    def valued(self) -> bool:
        """Whether claims are values without a place."""
        return self.claims.space == "value"

    def line(self, entities: EntityColumns) -> tuple[Ints, Ints]:
        """Return where claims start and end in the one line of all units; which overlap which stays the same."""
        return in_line(self.places, entities.unit, entities.start, entities.end)

    @classmethod
    def of(cls, systems: Mapping[str, Outcomes]) -> GoldData:
        """Put the systems on one gold; that they have another one is an error."""
        if not systems:
            raise UsageError("checking gold needs at least one system")
        first, *_ = systems.values()
        gold = first.claims.gold
        for name, one in systems.items():
            _check(gold, one.claims.gold, name)
        everyone = [gold, *(one.claims.pred for one in systems.values())]
        # Only labels that occur: claims of a sample may know others, depending on where its files were cut.
        labels = _numbers([[one.labels[k] for k in np.unique(one.label).tolist()] for one in everyone])
        shapes = _numbers([one.shapes for one in everyone])
        values = _numbers([one.values for one in everyone])
        entities = [_entities(one, labels, shapes, values) for one in everyone]
        places = np.unique(np.concatenate([column for one in entities for column in (one.start, one.end)]))
        texts = next((found for one in systems.values() if (found := one.texts) is not None), None)
        return cls(
            claims=gold,
            gold=entities[0],
            systems=tuple(entities[1:]),
            labels=tuple(labels),
            shapes=tuple(shapes),
            values=tuple(values),
            texts=texts if gold.space != "value" else None,
            places=places,
        )


def in_line(places: Ints, unit: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Return starts and ends in one line of all units, as numbers of known places: the true ones may lie too far.

    Args:
        places: all known places, sorted.
        unit: the unit of each stretch.
        start, end: where it starts and ends; of places that are not known, only between which they lie is told.
    """
    low, high = (np.searchsorted(places, at, "left") + np.searchsorted(places, at, "right") for at in (start, end))
    base = unit * (2 * len(places) + 2)
    return base + low, base + high


def _check(gold: Claims, other: Claims, name: str) -> None:
    same = len(gold.units) == len(other.units) and len(gold) == len(other) and gold.space == other.space
    if not same or any((getattr(gold, one) != getattr(other, one)).any() for one in ("unit", "start", "end")):
        raise UsageError(f"{name}: scored against a different gold than the first system")


def _numbers(parts: Sequence[Sequence[Any]]) -> dict[Any, int]:
    # Sorted, so that the order of the systems changes nothing.
    return {one: k for k, one in enumerate(sorted({one for part in parts for one in part}))}


def _entities(claims: Claims, labels: dict[Any, int], shapes: dict[Any, int], values: dict[Any, int]) -> EntityColumns:
    none = np.full(len(claims), NO_CODE, np.int64)
    start, end = claims.start, claims.end
    if claims.space == "value":
        value = none if claims.value is None else recode(claims.value, [values[x] for x in claims.values])
        start, end = value, value + 1
    label = recode(claims.label, [labels.get(x, NO_CODE) for x in claims.labels])
    shape = none if claims.shape is None else recode(claims.shape, [shapes[x] for x in claims.shapes])
    return EntityColumns(claims.unit, label, start, end, shape, score=claims.score)
