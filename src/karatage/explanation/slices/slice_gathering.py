"""Gathering what slices rest on, batch by batch: the counts of each group in each unit, as distinct rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.explanation.drawn_rows import DrawnRows, Places
from karatage.explanation.slices.bands import OTHER, SHOWN, group_values
from karatage.explanation.slices.facts import Attributes, UnknownError
from karatage.explanation.slices.slicings import LABELS, VALUES, Grouping, Known, Slicing, automatic, chosen
from karatage.explanation.slices.training_forms import TrainingForms
from karatage.matching import Kind
from karatage.metrics import COUNTS, KINDS, Cell, Metric, Rows
from karatage.scoring import Outcomes

UNITS = "units"
"""The column that says how many units are in a group: those with a claim in it, or those that belong to it."""

_NO_GROUP: Cell = ("", "")
_WITHOUT, _ATTRIBUTE = "\0", "\1"
"""How groupings start whose units have certain attributes only, and those by an attribute."""


@dataclass(frozen=True, eq=False)
class Sliced:
    """A slicing of the whole test set.

    Attributes:
        by: the slicing, as users call it.
        key: what its groupings of batches are called.
        groups: the group that each value is shown in, in the order of the groups.
        rows: the counts of each value in each unit, or cluster.
        of_units: whether whole units are put into groups.
        attribute: the attribute whose values are the groups, where nobody asked for it.
    """

    by: str
    key: str
    groups: Mapping[str, str]
    rows: Rows
    of_units: bool
    attribute: str | None = None

    @property
    def names(self) -> list[str]:
        """The groups, in their order."""
        return list(dict.fromkeys(self.groups.values()))

    def cells(self, name: str) -> list[int]:
        """Return which cells of the rows belong to a group."""
        own = {value for value, group in self.groups.items() if group == name}
        return [k for k, cell in enumerate(self.rows.cells) if cell != _NO_GROUP and cell[1] in own]


class _Gathered:
    """What was gathered of a slicing."""

    def __init__(self) -> None:
        self.values = self.of_units = False
        self.names: dict[str, None] = {}
        self.rows = DrawnRows()

    def take(self, grouping: Grouping) -> None:
        self.values |= grouping.values
        self.of_units |= grouping.unit is not None
        self.names |= dict.fromkeys(grouping.names)

    def __iadd__(self, other: _Gathered) -> _Gathered:
        self.values |= other.values
        self.of_units |= other.of_units
        self.names |= other.names
        self.rows += other.rows
        return self


class SliceGathering:
    """Gathers the counts of each group of each slicing.

    Args:
        main: the main measure.
        by: slicings, attributes of the units or expressions; without any, all slicings that apply.
        training: what the system was trained on.
        attributes: the attributes of all units, where a slicing that was asked for may read them.
        labels: the labels that are groups of their own; None for all.
    """

    def __init__(
        self,
        main: Metric,
        by: Sequence[str],
        training: TrainingForms | None,
        attributes: Attributes | None,
        labels: frozenset[str] | None,
    ) -> None:
        self.main, self.by, self.training = main, tuple(dict.fromkeys(by)), training
        self.attributes, self.labels = attributes, labels
        self.columns = COUNTS + (KINDS if main.scenario else ())
        self._found: dict[str, _Gathered] = {}
        self._unknown: dict[str, UnknownError] = {}
        self._attributes: dict[str, None] = {}

    def fresh(self) -> SliceGathering:
        """Return one that has gathered nothing."""
        return SliceGathering(self.main, self.by, self.training, self.attributes, self.labels)

    def add(self, outcomes: Outcomes, places: Places) -> list[Grouping]:
        """Take a batch; return the groups of its claims."""
        known = Known(outcomes, self.training, self.attributes, self.labels)
        counter = _Counter(outcomes, self.columns)
        groupings = list(self._groupings(known))
        for grouping in groupings:
            own = self._found.setdefault(grouping.by, _Gathered())
            own.take(grouping)
            if not self._has_many(own):
                own.rows.add(counter.rows(grouping), places)
        return groupings

    def _groupings(self, known: Known) -> Iterator[Grouping]:
        for slicing in self._slicings(known.outcomes):
            try:
                yield replace(slicing.groups(known), by=self._key(slicing))
            except UnknownError as error:  # these claims do not tell, but others may
                self._unknown.setdefault(slicing.name, error)
                sizes = len(known.gold.claims), len(known.pred.claims), len(known.outcomes.units)
                gold, pred, unit = (np.full(size, -1, np.int64) for size in sizes)
                yield Grouping(self._key(slicing), (), gold, pred, unit if slicing.level == "unit" else None)
        if not self.by:
            units = known.outcomes.units
            self._attributes |= dict.fromkeys(units.attributes)
            sizes = len(known.gold.claims), len(known.pred.claims), len(units)
            gold, pred, unit = (np.zeros(size, np.int64) for size in sizes)
            yield Grouping(_without(units.attributes), ("",), gold, pred, unit, values=True)

    def _key(self, slicing: Slicing) -> str:
        """Return what a slicing is called in all batches: what users call an attribute may depend on the others."""
        return slicing.name if self.by or slicing.attribute is None else _ATTRIBUTE + slicing.attribute

    def _slicings(self, outcomes: Outcomes) -> list[Slicing]:
        if not self.by:
            return automatic(outcomes.units.attributes, trained=self.training is not None)
        attributes = self.attributes or Attributes({})
        return [chosen(text, attributes) for text in self.by]

    def _has_many(self, own: _Gathered) -> bool:
        """Whether a slicing by an attribute that nobody asked for has too many groups, as ids have."""
        if not self.by and own.of_units and own.values and len(own.names) > VALUES:
            own.names, own.rows = dict.fromkeys(islice(own.names, VALUES + 1)), DrawnRows()
            return True
        return False

    def __iadd__(self, other: SliceGathering) -> SliceGathering:
        """Add what was gathered of the part that follows."""
        self._attributes |= other._attributes
        for name, error in other._unknown.items():
            self._unknown.setdefault(name, error)
        for by, more in other._found.items():
            if by in self._found:
                self._found[by] += more
            else:
                self._found[by] = more
            self._has_many(self._found[by])
        return self

    @cached_property
    def sliced(self) -> list[Sliced]:
        """The slicings: all that were asked for, or those that apply and have at least two groups."""
        if self.by:
            return [self._sliced(by, by, self._asked(by)) for by in self.by if by in self._found]
        slicings = automatic(self._attributes, trained=self.training is not None)
        out = []
        for one in slicings:
            key = self._key(one)
            own = self._completed(one.attribute, self._found[key]) if key in self._found else None
            if own is not None and not (one.attribute is not None and len(own.names) > VALUES):
                out.append(replace(self._sliced(one.name, key, own), attribute=one.attribute))
        return [one for one in out if _used(one) > 1]

    def _asked(self, by: str) -> _Gathered:
        """Return a slicing that was asked for; that no claim tells is an error."""
        own = self._found[by]
        if not own.names and by in self._unknown:
            raise self._unknown[by]
        return own

    def _completed(self, attribute: str | None, own: _Gathered) -> _Gathered:
        """Add the units that lack an attribute, which is empty there."""
        for key, more in self._found.items():
            if attribute is not None and key.startswith(_WITHOUT) and attribute not in (attributes_in(key) or ()):
                own += more
        return own

    def _sliced(self, by: str, key: str, own: _Gathered) -> Sliced:
        rows = own.rows.rows((UNITS, *self.columns))
        groups = {name: name for name in own.names}
        if own.values:
            every = zip(rows.cells, rows.totals[:, rows.columns.index(UNITS)].tolist(), strict=True)
            groups = group_values(
                {cell[1]: count for cell, count in every if cell != _NO_GROUP}, SHOWN if own.of_units else LABELS
            )
            if not own.of_units and self.labels is not None and OTHER in groups:
                groups[OTHER] = groups.pop(OTHER)  # which comes last
        return Sliced(by, key, groups, rows, own.of_units)


def _used(one: Sliced) -> int:
    """Return how many groups have a claim."""
    gold, pred = (one.rows.totals[:, one.rows.columns.index(name)] for name in ("gold", "predicted"))
    return sum(bool((gold[cells] + pred[cells]).sum()) for cells in map(one.cells, one.names))


def _without(attributes: Mapping[str, object]) -> str:
    return _WITHOUT + json.dumps(sorted(attributes))


def attributes_in(key: str) -> list[str] | None:
    """Return the attributes that the units of a grouping have; None for groupings of slicings."""
    found: list[str] | None = json.loads(key[1:]) if key.startswith(_WITHOUT) else None
    return found


class _Counter:
    """Counts the claims of groups in each unit of a batch."""

    def __init__(self, outcomes: Outcomes, columns: tuple[str, ...]) -> None:
        self._columns, self._count = (UNITS, *columns), len(outcomes.units)
        self._counted = [_Column.of(outcomes, name) for name in columns]

    def rows(self, grouping: Grouping) -> Rows:
        """Return the counts of each unit."""
        names = list(dict.fromkeys(grouping.names))
        number = {name: k for k, name in enumerate(names)}
        none = len(names)
        code = np.array([*(number[name] for name in grouping.names), none], np.int64)
        sides = {True: grouping.gold, False: grouping.pred}
        claims = [(column.unit, code[sides[column.gold][column.claims]]) for column in self._counted]
        if grouping.unit is not None:
            members = np.arange(self._count), code[grouping.unit]
        else:
            both = [np.concatenate(own) for own in zip(*claims[:2], strict=True)]  # gold and predicted
            members = np.divmod(np.unique(both[0] * (none + 1) + both[1]), none + 1)
        cells: list[Cell] = [*(("group", name) for name in names), _NO_GROUP]
        return Rows.of_units(self._columns, cells, self._count, [members, *claims])


_KINDS = {"correct": Kind.CORRECT, "type": Kind.TYPE, "boundary": Kind.BOUNDARY, "both": Kind.BOTH}


@dataclass(frozen=True, eq=False)
class _Column:
    """The claims that count in a column of a tally.

    Attributes:
        gold: whether they are gold claims.
        claims: which ones.
        unit: the unit of each.
    """

    gold: bool
    claims: Ints
    unit: Ints

    @classmethod
    def of(cls, outcomes: Outcomes, name: str) -> _Column:
        """Find the claims that count in a column."""
        gold = name in ("gold", "correct", "missed") or name.startswith("gold_")
        claims = outcomes.gold if gold else outcomes.pred
        chosen: Bools = claims >= 0
        kind = name.partition("_")[2]
        if name in ("correct", "hits"):
            chosen = chosen & outcomes.credited
        elif name in ("missed", "spurious"):
            chosen = chosen & (outcomes.kind == (Kind.MISSED if gold else Kind.SPURIOUS))
        elif kind:
            chosen = chosen & (outcomes.kind == _KINDS[kind])
        return cls(gold, claims[chosen], outcomes.unit[chosen])
