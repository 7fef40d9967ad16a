"""What is in a data set of entities or values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from karatage.description.data_counts import DataCounts
from karatage.description.data_description import Description
from karatage.description.data_overlap import DataOverlap
from karatage.description.listed_texts import (
    AmbiguousText,
    Duplicates,
    Listed,
    PartlyLabelled,
    spellings,
)
from karatage.description.row_counts import Distribution
from karatage.description.tag_validity import TagValidity

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.reports import Page

GROUPS = 50
"""An attribute with more values is only counted."""

_FREQUENT = 5
"""How many of the most frequent values of a label are named."""


@dataclass(frozen=True)
class FrequentValue:
    """A value and how often it occurs."""

    value: str
    count: int


@dataclass(frozen=True)
class LabelSummary:
    """The entities of one label.

    Attributes:
        label: the label.
        count: how many there are.
        share: their share of all entities.
        units: in how many units they occur.
        distinct: how many distinct values they have; None if their texts are unknown.
        lengths: their lengths in tokens; empty if unknown.
        frequent: the most frequent values.
    """

    label: str
    count: int
    share: float
    units: int
    distinct: int | None
    lengths: Distribution
    frequent: tuple[FrequentValue, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        out = {name: getattr(self, name) for name in ("count", "share", "units", "distinct")}
        return out | {"lengths": self.lengths.to_dict(), "frequent": [asdict(one) for one in self.frequent]}


@dataclass(frozen=True)
class GroupSummary:
    """The units with one value of an attribute.

    Attributes:
        value: the value of the attribute.
        units: how many units have it.
        entities: how many entities they have.
        labels: how many of each label.
    """

    value: str
    units: int
    entities: int
    labels: Mapping[str, int]


@dataclass(frozen=True)
class AttributeSummary:
    """An attribute of units, such as their category.

    Attributes:
        name: its name.
        distinct: how many values it has.
        groups: the units of each value, most frequent first; none if there are more than 50 values.
    """

    name: str
    distinct: int
    groups: tuple[GroupSummary, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        groups = {one.value: {k: v for k, v in asdict(one).items() if k != "value"} for one in self.groups}
        return {"distinct": self.distinct, "groups": groups}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ExtractionDescription(Description):
    """What is in a data set of entities or values.

    Attributes:
        counts: units, tokens (None if unknown), entities, labels; empty units, units without entities; entities that
            overlap another, are discontinuous, start or end inside a word, or have no known text.
        token: what is counted as a token: `token` if the data has tokens, `word` if words were found in its texts.
        lengths: how many tokens units have; empty if unknown.
        per_unit: how many entities units have.
        labels: each label, most frequent first.
        attributes: each attribute of the units.
        ambiguous_values: values with several labels.
        ambiguous_tokens: tokens with several labels; the innermost label counts.
        partly_labelled: values that are entities in some places and outside of entities in others.
        unlabelled: how often these are outside of entities.
        spellings: labels that differ by case only.
        tags: the tagging scheme, and transitions that it forbids; None if the data has no tags.
        duplicates: units with the same tokens; None if the tokens are unknown.
        overlap: what a second data set shares with this one; None without a second one.
    """

    counts: Mapping[str, int | None]
    token: Literal["token", "word"]
    lengths: Distribution
    per_unit: Distribution
    labels: tuple[LabelSummary, ...]
    attributes: tuple[AttributeSummary, ...]
    ambiguous_values: Listed[AmbiguousText]
    ambiguous_tokens: Listed[AmbiguousText]
    partly_labelled: Listed[PartlyLabelled]
    unlabelled: int
    tags: TagValidity | None
    duplicates: Duplicates | None
    overlap: DataOverlap | None = None
    spellings: tuple[tuple[str, ...], ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "spellings", spellings([one.label for one in self.labels]))

    def _found(self, limit: int) -> dict[str, Any]:
        return {
            "token": self.token,
            "counts": dict(self.counts),
            "lengths": self.lengths.to_dict(),
            "entities_per_unit": self.per_unit.to_dict(),
            "labels": {one.label: one.to_dict() for one in self.labels},
            "attributes": {one.name: one.to_dict() for one in self.attributes},
            "ambiguous_values": self.ambiguous_values.to_dict(limit),
            "ambiguous_tokens": self.ambiguous_tokens.to_dict(limit),
            "partly_labelled": self.partly_labelled.to_dict(limit) | {"unlabelled": self.unlabelled},
            "label_spellings": [list(own) for own in self.spellings],
            "tags": None if self.tags is None else self.tags.to_dict(),
            "duplicates": None if self.duplicates is None else self.duplicates.to_dict(limit),
            "overlap": None if self.overlap is None else self.overlap.to_dict(limit),
        }

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows."""
        from karatage.reports import description_parts

        return description_parts(self)

    def page(self, title: str | None = None) -> Page:
        """Return the page that shows everything."""
        from karatage.reports import description_page

        return description_page(self, title)


def label_summaries(counts: DataCounts) -> tuple[LabelSummary, ...]:
    """Return each label, most frequent first."""
    forms = counts.forms.frame().group_by("label", "form").agg(pl.col("count").sum())
    lengths: dict[str, dict[int, int]] = {}
    totals: dict[str, int] = dict.fromkeys(counts.label_units, 0)
    for label, length, count in counts.lengths.frame().iter_rows():
        totals[label] += count
        if length >= 0:
            lengths.setdefault(label, {})[length] = count
    known = forms.filter(pl.col("form").is_not_null()).sort("count", "form", descending=[True, False])
    distinct = dict(known.group_by("label").agg(pl.len()).iter_rows())
    frequent: dict[str, list[FrequentValue]] = {}
    first = known.group_by("label", maintain_order=True).head(_FREQUENT)
    for label, form, count in first.iter_rows():
        frequent.setdefault(label, []).append(FrequentValue(form, count))
    whole = sum(totals.values())
    rows = [
        LabelSummary(
            label=label,
            count=total,
            share=total / whole,
            units=counts.label_units[label],
            distinct=distinct.get(label),
            lengths=Distribution.of(lengths.get(label, {})),
            frequent=tuple(frequent.get(label, ())),
        )
        for label, total in totals.items()
        if total
    ]
    return tuple(sorted(rows, key=lambda row: (-row.count, row.label)))


def attribute_summaries(counts: DataCounts) -> tuple[AttributeSummary, ...]:
    """Return each attribute of the units, in the order of their names."""
    units = counts.attributes.frame().sort("attribute", "count", "value", descending=[False, True, False])
    groups = counts.groups.frame().sort("count", "label", descending=[True, False])
    out = []
    for (name,), own in units.group_by("attribute", maintain_order=True):
        labels: dict[str, dict[str, int]] = {}
        shown = own if len(own) <= GROUPS else own.clear()
        if len(shown):
            for _, value, label, count in groups.filter(pl.col("attribute") == name).iter_rows():
                labels.setdefault(value, {})[label] = count
        rows = [
            GroupSummary(value, count, sum(labels.get(value, {}).values()), labels.get(value, {}))
            for _, value, count in shown.iter_rows()
        ]
        out.append(AttributeSummary(str(name), len(own), tuple(rows)))
    return tuple(out)
