"""What a description lists: texts with several labels, texts that are labelled only sometimes, repeated units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeVar

LISTED = 200
"""Maximum number of rows of each list; all are counted."""

T = TypeVar("T")


@dataclass(frozen=True)
class Listed(Generic[T]):
    """The first rows of a list.

    Attributes:
        total: how many rows there are in all.
        rows: the first of them.
    """

    total: int
    rows: tuple[T, ...]

    def to_dict(self, limit: int) -> dict[str, Any]:
        """Return the total and the first rows as plain data."""
        return {"total": self.total, "first": [asdict(row) for row in self.rows[:limit]]}  # type: ignore[call-overload]


@dataclass(frozen=True)
class Excerpt:
    """A place in the data.

    Attributes:
        unit: the id of the unit, or its number from 1.
        text: the text around the place; empty if unknown.
    """

    unit: str
    text: str


@dataclass(frozen=True)
class LabelUse:
    """How often a text has a label, with an example."""

    label: str
    count: int
    example: Excerpt | None = None


@dataclass(frozen=True)
class AmbiguousText:
    """A value or a token with several labels.

    Attributes:
        text: the value or the token.
        count: how often it is labelled.
        unlabelled: how often the token is outside entities; None for a value.
        labels: its labels, most frequent first.
    """

    text: str
    count: int
    unlabelled: int | None
    labels: tuple[LabelUse, ...]


@dataclass(frozen=True)
class PartlyLabelled:
    """A value that is an entity in some places and outside of entities in others.

    Attributes:
        text: the value.
        labelled: how often it is an entity.
        unlabelled: how often the same words are outside of all entities.
        labels: its labels, most frequent first.
        example: the first place where it is not labelled.
    """

    text: str
    labelled: int
    unlabelled: int
    labels: tuple[LabelUse, ...]
    example: Excerpt


@dataclass(frozen=True)
class RepeatedUnit:
    """A unit that occurs several times.

    Attributes:
        text: its text.
        count: how often it occurs.
        annotations: in how many different ways it is labelled.
        units: the ids or numbers of the first copies.
    """

    text: str
    count: int
    annotations: int
    units: tuple[str, ...]


@dataclass(frozen=True)
class Duplicates:
    """Units with the same words.

    Attributes:
        extra: how many units are copies of an earlier one.
        differing: how many of the repeated units are labelled in different ways.
        repeated: the repeated units, those labelled in different ways first, then the most frequent.
    """

    extra: int
    differing: int
    repeated: Listed[RepeatedUnit]

    def to_dict(self, limit: int) -> dict[str, Any]:
        """Return plain data."""
        return {"extra": self.extra, "differing": self.differing, "repeated": self.repeated.to_dict(limit)}


def spellings(labels: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the labels that differ by case only, in groups."""
    groups: dict[str, list[str]] = {}
    for label in sorted(labels):
        groups.setdefault(label.casefold(), []).append(label)
    return tuple(tuple(own) for own in groups.values() if len(own) > 1)
