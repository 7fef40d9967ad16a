"""Joining gold and predictions that are in different orders, by id, in the order of gold.

What stays in memory for each unit is its id, as eight bytes. Gold is put aside first, in chunks of consecutive units;
then each predicted unit is put aside for the chunk where gold has its id. Chunk by chunk, both are brought together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.claims import OUTSIDE, Claims, Keys, Tags
from karatage.errors import UnitError
from karatage.matching.id_prints import keys_of_ids
from karatage.matching.id_spelling import NearIds, near_ids
from karatage.matching.piece_store import Piece, PieceStore, weight

_CHUNK = 32 << 20
"""About how many bytes of gold make a chunk."""


_LISTED = 10_000
"""How many ids of one side alone are compared with those of the other."""


class NamedUnit(NamedTuple):
    """A unit in a message."""

    name: str | int
    line: int | None
    source: str

    def error(self, message: str, hint: str) -> UnitError:
        """Return an error of this unit."""
        return UnitError(message, source=self.source, line=self.line, unit=self.name, hint=hint)


class JoinedUnits(NamedTuple):
    """A batch of gold with its predictions.

    Attributes:
        gold: gold.
        pred: the predictions of the same units, in the same order; units without any have no claim.
        present: which units have predictions.
        files: the file of each predicted unit, by its id.
    """

    gold: Claims
    pred: Claims
    present: Bools
    files: dict[str, str]


class UnitJoin:
    """Joins units by their names: their ids, or their numbers where they have none. No name may occur twice.

    `add_gold` takes all of gold, then `add_pred` all predictions, and then the join can be iterated over.

    Attributes:
        first_gold: the first unit of gold; None if there is none.
        first_pred: the first predicted unit; None if there is none.
        extra: how many predicted units gold lacks.
        extra_claims: how many claims they have.
        first_extra: the first of them.

    Args:
        keep_extra: whether to put units that gold lacks aside as well, for `extra_units`.
    """

    def __init__(self, *, keep_extra: bool = False) -> None:
        self._keep_extra, self._extra = keep_extra, PieceStore()
        self._gold, self._pred = PieceStore(), PieceStore()
        self._keys: list[Keys] = []
        self._count = self._filled = 0
        self._starts = [0]
        self._index: _KeyIndex | None = None
        self._model: Claims | None = None
        self.first_gold: NamedUnit | None = None
        self.first_pred: NamedUnit | None = None
        self.extra = self.extra_claims = 0
        self.first_extra: NamedUnit | None = None
        self._extra_names: list[str] = []

    def close(self) -> None:
        """Remove what was put aside."""
        self._gold.close()
        self._pred.close()
        self._extra.close()

    def add_gold(self, claims: Claims) -> None:
        """Put a batch of gold aside."""
        if self._filled > _CHUNK:
            self._starts.append(self._count)
            self._filled = 0
        self.first_gold = self.first_gold or _named(claims, 0)
        self._keys.append(_keys(claims))
        places = np.arange(self._count, self._count + len(claims.units))
        self._gold.add(len(self._starts) - 1, Piece(claims, places))
        self._count += len(claims.units)
        self._filled += weight(claims)

    def add_pred(self, claims: Claims) -> None:
        """Put a batch of predictions aside; units that gold lacks are counted."""
        self.first_pred = self.first_pred or _named(claims, 0)
        places = self._places.find(_keys(claims))
        strange = np.flatnonzero(places < 0)
        if len(strange):
            self.extra += len(strange)
            self.extra_claims += int(np.isin(claims.unit, strange).sum())
            self.first_extra = self.first_extra or _named(claims, int(strange[0]))
            self._extra_names += [
                str(claims.units.name(k)) for k in strange[: _LISTED - len(self._extra_names)].tolist()
            ]
        claims = _with_ids(claims)
        if len(strange) and self._keep_extra:
            self._extra.add(0, Piece(claims.take(strange), strange))
        self._model = _common(self._model, claims)
        chunks = np.where(places < 0, -1, np.searchsorted(self._starts, places, side="right") - 1)
        for chunk in np.unique(chunks[chunks >= 0]).tolist():
            own = np.flatnonzero(chunks == chunk)
            piece = claims if len(own) == len(claims.units) else claims.take(own)
            self._pred.add(chunk, Piece(piece, places[own]))

    @property
    def _places(self) -> _KeyIndex:
        """Where gold has which id, now that all of gold is known."""
        if self._index is None:
            self._index = _KeyIndex(self._keys)
            self._keys = []
        return self._index

    @property
    def missing(self) -> int:
        """How many units of gold have no predictions."""
        return self._count - self.common

    @property
    def common(self) -> int:
        """How many units both sides have."""
        return int(self._places.found.sum())

    @property
    def first_missing(self) -> NamedUnit:
        """The first of them."""
        place = int(np.argmin(self._places.found))
        chunk = int(np.searchsorted(self._starts, place, side="right")) - 1
        piece = next(piece for piece in self._gold.pieces(chunk) if place <= piece.places[-1])
        return _named(piece.claims, place - int(piece.places[0]))

    def near_ids(self) -> NearIds | None:
        """Find ids that one side alone has but that look like ids of the other side, among the first ones."""
        if not self._extra_names:
            return None
        found, names = self._places.found, list[str]()
        for chunk in range(len(self._starts)):
            for claims, places in self._gold.pieces(chunk):
                left = np.flatnonzero(~found[places])[: _LISTED - len(names)].tolist()
                names += [str(claims.units.name(k)) for k in left]
            if len(names) >= _LISTED:
                break
        return near_ids(names, self._extra_names)

    def __iter__(self) -> Iterator[JoinedUnits]:
        """Yield the batches of gold, in their order, each with its predictions."""
        for chunk, start in enumerate(self._starts):
            end = self._starts[chunk + 1] if chunk + 1 < len(self._starts) else self._count
            pieces = list(self._pred.pieces(chunk))
            files = {name: one.claims.units.source for one in pieces for name in one.claims.units.ids or ()}
            every = None if self._model is None else Claims.concatenate([self._model, *(one.claims for one in pieces)])
            row = np.full(end - start, -1, np.int64)
            if pieces:
                places = np.concatenate([one.places for one in pieces])
                row[places - start] = np.arange(len(places))
            for gold, own in self._gold.pieces(chunk):
                yield _joined(gold, every, row[own - start], files)

    def extra_units(self) -> Iterator[Claims]:
        """Yield the predicted units that gold lacks, batch by batch, if they were kept."""
        for piece in self._extra.pieces(0):
            yield piece.claims

    def some_gold(self) -> Claims | None:
        """Return a batch of gold, if any was put aside."""
        return next((piece.claims for piece in self._gold.pieces(0)), None)


class _KeyIndex:
    """Finds where gold has an id.

    Attributes:
        found: which units of gold were found.
    """

    def __init__(self, keys: list[Keys]) -> None:
        every = np.concatenate([np.zeros(0, np.uint64), *keys])
        self._order = np.argsort(every, kind="stable")
        self._sorted = every[self._order]
        self.found = np.zeros(len(every), bool)

    def find(self, keys: Keys) -> Ints:
        """Return the place of each id, -1 for one that gold lacks."""
        if not len(self._sorted):
            return np.full(len(keys), -1, np.int64)
        at = np.minimum(np.searchsorted(self._sorted, keys), len(self._sorted) - 1)
        places = np.where(self._sorted[at] == keys, self._order[at], -1)
        self.found[places[places >= 0]] = True
        return places


def _joined(gold: Claims, every: Claims | None, rows: Ints, files: dict[str, str]) -> JoinedUnits:
    """Bring a batch of gold together with its predictions, which are in these rows; -1 where there are none."""
    present = rows >= 0
    blank = without_claims(gold.take(np.flatnonzero(~present)))
    if every is None:
        return JoinedUnits(gold, blank, present, files)
    pred = every.take(rows[present])
    ours = [str(gold.units.name(place)) for place in np.flatnonzero(present).tolist()]
    for one, other in zip(ours, pred.units.ids or (), strict=True):
        if one != other:
            raise UnitError(f"the ids {one!r} and {other!r} have the same hash", hint="Change one of the two")
    if len(blank.units):
        order = np.empty(len(rows), np.int64)
        order[np.flatnonzero(present)] = np.arange(len(ours))
        order[np.flatnonzero(~present)] = np.arange(len(ours), len(rows))
        pred = Claims.concatenate([pred, replace(blank, space=pred.space)]).take(order)
    return JoinedUnits(gold, pred, present, files)


def _named(claims: Claims, unit: int) -> NamedUnit:
    return NamedUnit(claims.units.name(unit), claims.units.line(unit), claims.units.source)


def _keys(claims: Claims) -> Keys:
    """Return the ids of units as eight bytes each; the number of a unit without an id is not the id of another."""
    units = claims.units
    return keys_of_ids(units.ids if units.ids is not None else [f"\0{units.name(k)}" for k in range(len(units))])


def _with_ids(claims: Claims) -> Claims:
    units = claims.units
    if units.ids is not None:
        return claims
    return replace(claims, units=replace(units, ids=[str(units.name(k)) for k in range(len(units))]))


def _common(model: Claims | None, claims: Claims) -> Claims:
    """Return no unit, with the columns that all batches have: joined with others, it drops what some of them lack."""
    own = claims.take(np.zeros(0, np.int64))
    if model is None:
        return own
    return replace(Claims.concatenate([model, own]), space=model.space)


def without_claims(claims: Claims) -> Claims:
    """Return the same units with no claim, all tags O."""
    tags = tuple(Tags(np.where(x.codes == 0, 0, OUTSIDE), x.vocabulary, x.sizes) for x in claims.tags)
    units = claims.units
    known = replace(
        units, texts=units.texts or [""] * len(units), tokens=units.tokens or [[] for _ in range(len(units))]
    )
    return replace(claims.keep(np.zeros(0, np.int64)), units=known, tags=tags)
