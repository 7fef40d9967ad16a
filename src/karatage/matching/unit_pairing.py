"""Gold and predictions side by side: the same units, in the same order, batch by batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.claims import OUTSIDE, Batch, Claims, TagDecoder, Tagged, Tags, Units
from karatage.errors import InputError, UnitError
from karatage.matching.id_prints import IdPrints
from karatage.matching.id_spelling import NearIds
from karatage.matching.normal_forms import form_difference
from karatage.matching.text_check import CUT_OFF, TextCheck, other_count
from karatage.matching.unit_joining import UnitJoin, without_claims


@dataclass(frozen=True)
class UnitPolicy:
    """What happens where gold and predictions do not have the same units.

    Attributes:
        missing: a gold unit without predictions is an error, or counts as one with no prediction; for search it may be
            left out.
        extra: a predicted unit that gold lacks is an error, counts as one without gold claims, or is left out and
            counted.
        partial: gold is known to have only a part of the predicted units; the others are left out without a word.
        truncated: predictions that end before their unit does are an error, or the tail counts as missed.
        check_text: whether tokens or texts that differ between gold and predictions are an error.
        empty_results: a query with an empty list of results counts as missing, or as answered, so that it scores 0.
    """

    missing: Literal["error", "empty", "ignore"] = "error"
    extra: Literal["error", "empty", "ignore"] = "error"
    partial: bool = False
    truncated: Literal["error", "missed"] = "error"
    check_text: bool = True
    empty_results: Literal["missing", "answered"] = "missing"


class Pair(NamedTuple):
    """Claims on the same units in the same order."""

    gold: Claims
    pred: Claims


class TaggedPair(NamedTuple):
    """Single layers of tags, not decoded, over the same tokens of the same units."""

    gold: Tagged
    pred: Tagged


@dataclass
class UnitNotes:
    """What was noticed of units while they were paired.

    Attributes:
        missing: how many gold units have no predictions.
        extra: how many predicted units gold lacks.
        extra_claims: how many claims they have.
        truncated: how many predictions end before their unit does.
        unchecked: how many units were paired by order, unchecked, by the side that has ids.
        by_id: whether units were paired by id; None if there were none.
        near: ids that one side alone has, but that differ only in how they are written.
        ids: the ids of gold and of the predictions.
    """

    missing: int = 0
    extra: int = 0
    extra_claims: int = 0
    truncated: int = 0
    unchecked: Counter[str] = field(default_factory=Counter)
    by_id: bool | None = None
    near: NearIds | None = None
    ids: tuple[IdPrints, IdPrints] = field(default_factory=lambda: (IdPrints(), IdPrints()))

    def check_ids(self) -> None:
        """Refuse an id that occurs twice."""
        for side in self.ids:
            side.check()

    def __iadd__(self, other: UnitNotes) -> UnitNotes:
        """Add what was noticed in the part that follows; refuse one that was paired in another way."""
        if None not in (self.by_id, other.by_id) and self.by_id != other.by_id:
            raise UnitError("some files have ids, others have none")
        self.by_id = other.by_id if self.by_id is None else self.by_id
        for own, more in zip(self.ids, other.ids, strict=True):
            own += more
        self.missing += other.missing
        self.extra += other.extra
        self.extra_claims += other.extra_claims
        self.truncated += other.truncated
        self.unchecked.update(other.unchecked)
        self.near = self.near or other.near
        return self


class Pairing:
    """Pairs batches of gold and predictions; afterwards, `notes` tell how many were missing, left out or unchecked.

    Units are paired by id where both sides have ids, else by their order. As long as both sides come in the same order,
    no more than a batch of each is held. Where they do not, the rest is joined by id, on disk if it is large. A unit is
    unchecked if only one side has ids, and there are no texts or tokens to show that both sides have the same order.

    Args:
        gold: batches of gold.
        pred: batches of predictions.
        decoder: how tags become claims.
        policy: what happens where the units differ.
        keep_tags: whether to yield single layers of tags over the same tokens as they are.
        noun: what the data calls a unit, for messages.
    """

    def __init__(
        self,
        gold: Iterable[Batch],
        pred: Iterable[Batch],
        decoder: TagDecoder,
        policy: UnitPolicy | None = None,
        *,
        keep_tags: bool = False,
        noun: str = "unit",
    ) -> None:
        self.policy, self._keep_tags, self._noun = policy or UnitPolicy(), keep_tags, noun
        self.notes = UnitNotes()
        self._paired: Batch | None = None
        ours, theirs = self.notes.ids
        self._gold, self._pred = _Reader(gold, decoder, ours), _Reader(pred, decoder, theirs)

    def __iter__(self) -> Iterator[Pair | TaggedPair]:
        """Yield pairs until both sides end."""
        while self._gold.fill() and self._pred.fill():
            count = min(len(self._gold.units), len(self._pred.units))
            if self.notes.by_id is None:
                self.notes.by_id = self._gold.units.ids is not None and self._pred.units.ids is not None
            if self.notes.by_id and not self._same_ids(count):
                break
            ours = self._gold.next(count)
            self._paired = ours
            yield self._pair(ours, self._pred.next(count))
        if self._gold.fill() or self._pred.fill():
            yield from self._rest()
        self.notes.check_ids()

    def _pair(self, gold: Batch, pred: Batch) -> Pair | TaggedPair:
        one_sided = (gold.units.ids is None) != (pred.units.ids is None)
        if one_sided and not TextCheck(gold, pred).possible:
            self.notes.unchecked["predictions" if gold.units.ids is None else "gold"] += len(gold.units)
        if self._keep_tags and isinstance(gold, Tagged) and isinstance(pred, Tagged) and _same_shape(gold, pred):
            self._check_text(gold, pred)
            return TaggedPair(gold, pred)
        return self._checked(self._gold.decoded(gold), self._pred.decoded(pred))

    def _same_ids(self, count: int) -> bool:
        gold, pred = self._gold.units.ids, self._pred.units.ids
        return gold is not None and pred is not None and list(gold[:count]) == list(pred[:count])

    def _rest(self) -> Iterator[Pair]:
        """Pair what is left after the units stopped to come in the same order."""
        with closing(UnitJoin(keep_extra=self.policy.extra == "empty" and not self.policy.partial)) as join:
            for batch in self._gold.rest():
                join.add_gold(batch)
            for batch in self._pred.rest():
                join.add_pred(batch)
            self.notes.check_ids()
            self._note_units(join)
            for gold, pred, present, files in join:
                try:
                    pair = self._checked(gold, pred, present)
                except UnitError as error:
                    raise error.from_file(files.get(str(error.unit), "")) from None
                yield pair
            yield from self._extra_pairs(join)

    def _extra_pairs(self, join: UnitJoin) -> Iterator[Pair]:
        """Pair units that only the predictions have with units of gold without claims."""
        like = self._paired or join.some_gold()
        for pred in join.extra_units():
            gold = without_claims(pred)
            if like is not None:  # which decides what offsets count, and whether gold has texts
                gold = replace(gold, space=like.space, units=_known_like(gold.units, pred.units, like.units))
            yield self._checked(gold, pred)

    def _note_units(self, join: UnitJoin) -> None:
        """Note units that only gold or only the predictions have, or refuse them."""
        first, other, missing, extra = join.first_gold, join.first_pred, join.missing, join.extra
        error = self.policy.missing == "error"
        apart = self.policy.extra == "empty" and self._paired is None  # nothing was paired before either
        near = join.near_ids() if missing else None
        alike = f"Ids that differ {near.how}: {near.pairs:,}, {near.example}. Write them alike. " if near else ""
        if (error or apart) and first and other and extra and not join.common:
            raise UnitError(
                f"gold and predictions have no ids in common: {first.name!r} in gold, {other.name!r} here"
                f"{form_difference(str(first.name), str(other.name))}",
                source=other.source,
                hint=f"{alike}Use the same ids on both sides, or remove them to pair by order",
            )
        if missing and error:
            units = f"{self._noun}s have" if missing > 1 else f"{self._noun} has"
            hint = f"{alike}Use --missing empty (in Python missing='empty') to count them as empty"
            raise join.first_missing.error(f"{missing} gold {units} no predictions, starting with this one", hint)
        self.notes.missing += missing
        self.notes.near = self.notes.near or near
        if join.first_extra is None or self.policy.partial:
            return
        if self.policy.extra == "error":
            units = f"{self._noun}s are" if extra > 1 else f"{self._noun} is"
            raise join.first_extra.error(
                f"{extra:,} predicted {units} not in gold, starting with this one", alike + _EXTRA.format(self._noun)
            )
        self.notes.extra += extra
        self.notes.extra_claims += join.extra_claims

    def _checked(self, gold: Claims, pred: Claims, compared: Bools | None = None) -> Pair:
        if gold.space != pred.space and "value" not in (gold.space, pred.space):
            raise InputError(
                f"gold has {_SPACES[gold.space]} offsets, the predictions have {_SPACES[pred.space]} offsets",
                source=pred.units.source,
                hint="Convert one of the two with karatage convert",
            )
        cut = self._check_text(gold, pred, compared)
        if gold.tags and pred.tags:
            pred = self._same_sizes(gold, pred)
        else:
            self.notes.truncated += cut
        return Pair(gold, pred)

    def _check_text(self, gold: Batch, pred: Batch, compared: Bools | None = None) -> int:
        """Refuse other tokens or texts; return how many predictions end early."""
        if not self.policy.check_text:
            return 0
        cut_allowed = self.policy.truncated == "missed"
        check = TextCheck(gold, pred, cut_allowed=cut_allowed, by_id=bool(self.notes.by_id), noun=self._noun)
        return len(check(compared))

    def _same_sizes(self, gold: Claims, pred: Claims) -> Claims:
        ours, theirs = gold.tags[0].sizes, pred.tags[0].sizes
        if np.array_equal(ours, theirs):
            return pred
        differ = np.flatnonzero(ours != theirs)
        if self.policy.truncated != "missed" or (theirs > ours).any():
            first = int(differ[0])
            hint = CUT_OFF if theirs[first] < ours[first] else f"Are these the same {self._noun}s?"
            raise _error(pred, first, other_count(int(ours[first]), int(theirs[first])), hint)
        self.notes.truncated += len(differ)
        return replace(pred, tags=tuple(_pad(layer, ours) for layer in pred.tags))


_EXTRA = (
    "If gold has no entity there, as in a table of entities, which has no row for such a {0}, use --extra empty (in "
    "Python extra='empty'): all their predictions are wrong. --extra ignore leaves them out"
)

_SPACES = {"token": "token", "char": "character"}


class _Reader:
    """One side: hands out units from its batches."""

    def __init__(self, batches: Iterable[Batch], decoder: TagDecoder, ids: IdPrints) -> None:
        self._batches, self._decoder, self._ids = iter(batches), decoder, ids
        self._batch: Batch | None = None
        self._at = 0

    def fill(self) -> bool:
        """Make sure that a unit is at hand; False when there is none left."""
        while self._batch is None or self._at >= len(self._batch.units):
            self._batch, self._at = next(self._batches, None), 0
            if self._batch is None:
                return False
            self._remember(self._batch)
        return True

    @property
    def units(self) -> Units:
        """The units at hand."""
        assert self._batch is not None  # noqa: S101  callers fill first
        return self._batch.units.slice(self._at, len(self._batch.units))

    def decoded(self, batch: Batch) -> Claims:
        """Return claims, decoding tags."""
        return batch.decode(self._decoder) if isinstance(batch, Tagged) else batch

    def next(self, count: int) -> Batch:
        """Take the next units."""
        assert self._batch is not None  # noqa: S101  callers fill first
        part = self._batch.slice(self._at, self._at + count)
        self._at += count
        return part

    def rest(self) -> Iterator[Claims]:
        """Take everything that is left, batch by batch."""
        while self.fill():
            assert self._batch is not None  # noqa: S101  just filled
            yield self.decoded(self.next(len(self._batch.units) - self._at))

    def _remember(self, batch: Batch) -> None:
        ids = batch.units.ids
        if ids is None:
            return
        if len(set(ids)) < len(ids):
            raise _twice(batch)
        self._ids.add(batch.units)


def _twice(batch: Batch) -> UnitError:
    seen: set[str | int] = set()
    for i in range(len(batch.units)):
        name = batch.units.name(i)
        if name in seen:
            break
        seen.add(name)
    return _error(batch, i, "duplicate id", "Remove one of the two, or give each its own id")


def _error(batch: Batch, unit: int, message: str, hint: str) -> UnitError:
    units = batch.units
    return UnitError(message, source=units.source, line=units.line(unit), unit=units.name(unit), hint=hint)


def _pad(tags: Tags, sizes: Ints) -> Tags:
    """Put O behind the tags of units that were cut off."""
    missing = sizes - tags.sizes
    return Tags(np.insert(tags.codes, np.repeat(tags.starts[1:] - 1, missing), OUTSIDE), tags.vocabulary, sizes)


def _known_like(units: Units, own: Units, like: Units) -> Units:
    """Leave out texts or tokens that neither the units themselves nor those like them have."""
    texts = None if own.texts is None and like.texts is None else units.texts
    return replace(units, texts=texts, tokens=None if own.tokens is None and like.tokens is None else units.tokens)


def _same_shape(gold: Tagged, pred: Tagged) -> bool:
    single = len(gold.layers) == len(pred.layers) == 1
    return single and np.array_equal(gold.layers[0].sizes, pred.layers[0].sizes)
