"""Gold and predictions side by side: the same units, in the same order, batch by batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.claims import OUTSIDE, Batch, Claims, TagDecoder, Tagged, Tags, Units
from karatage.errors import InputError, UnitError
from karatage.matching.normal_forms import form_difference
from karatage.matching.text_check import CUT_OFF, TextCheck, other_count


@dataclass(frozen=True)
class UnitPolicy:
    """What happens where gold and predictions do not have the same units.

    Attributes:
        missing: a gold unit without predictions is an error, or counts as one with no prediction; for search it may be
            left out.
        extra: a predicted unit that gold lacks is an error, or is left out and counted.
        partial: gold is known to have only a part of the predicted units; the others are left out without a word.
        truncated: predictions that end before their unit does are an error, or the tail counts as missed.
        check_text: whether tokens or texts that differ between gold and predictions are an error.
        empty_results: a query with an empty list of results counts as missing, or as answered, so that it scores 0.
    """

    missing: Literal["error", "empty", "ignore"] = "error"
    extra: Literal["error", "ignore"] = "error"
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
        truncated: how many predictions end before their unit does.
        unchecked: how many units were paired by order, unchecked, by the side that has ids.
    """

    missing: int = 0
    extra: int = 0
    truncated: int = 0
    unchecked: Counter[str] = field(default_factory=Counter)

    def __iadd__(self, other: UnitNotes) -> UnitNotes:
        """Add what was noticed in another part."""
        self.missing += other.missing
        self.extra += other.extra
        self.truncated += other.truncated
        self.unchecked.update(other.unchecked)
        return self


class Pairing:
    """Pairs batches of gold and predictions; afterwards, `notes` tell how many were missing, left out or unchecked.

    Units are paired by id where both sides have ids, else by their order. As long as both sides come in the same order,
    no more than a batch of each is held. Where they do not, the rest is read and joined by id. A unit is unchecked if
    only one side has ids, and there are no texts or tokens to show that both sides have the same order.

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
        self.by_id: bool | None = None
        self._gold, self._pred = _Reader(gold, decoder), _Reader(pred, decoder)

    def __iter__(self) -> Iterator[Pair | TaggedPair]:
        """Yield pairs until both sides end."""
        while self._gold.fill() and self._pred.fill():
            count = min(len(self._gold.units), len(self._pred.units))
            if self.by_id is None:
                self.by_id = self._gold.units.ids is not None and self._pred.units.ids is not None
            if self.by_id and not self._same_ids(count):
                break
            yield self._pair(self._gold.next(count), self._pred.next(count))
        if self._gold.fill() or self._pred.fill():
            yield from self._rest()
        for reader in (self._gold, self._pred):
            reader.check_ids()

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
        gold, pred = self._gold.rest(), self._pred.rest()
        if gold is None:
            if pred is not None:
                self._note_extra(pred, range(len(pred.units)))
            return
        names = [gold.units.name(i) for i in range(len(gold.units))]
        found = {} if pred is None else {pred.units.name(i): i for i in range(len(pred.units))}
        if pred is not None and len(found) < len(pred.units):
            raise _twice(pred)
        known = set(names)
        if len(known) < len(names):
            raise _twice(gold)
        lacking = [i for i, name in enumerate(names) if name not in found]
        if pred is not None and len(lacking) == len(names) and self.policy.missing == "error":
            ids = str(names[0]), str(pred.units.name(0))
            raise UnitError(
                f"gold and predictions have no ids in common: {names[0]!r} in gold, {pred.units.name(0)!r} here"
                f"{form_difference(*ids)}",
                source=pred.units.source,
                hint="Use the same ids on both sides, or remove them to pair by order",
            )
        if lacking:
            self._note_missing(gold, lacking)
        blank = _without_claims(gold.take(np.array(lacking, np.int64)))
        everything = blank if pred is None else pred
        if pred is not None and lacking:
            everything = Claims.concatenate([pred, replace(blank, space=pred.space)])
        position = found | {names[i]: len(found) + k for k, i in enumerate(lacking)}
        extra = [i for name, i in found.items() if name not in known]
        if pred is not None and extra:
            self._note_extra(pred, extra)
        present = np.ones(len(names), bool)
        present[lacking] = False
        yield self._checked(gold, everything.take(np.array([position[name] for name in names], np.int64)), present)

    def _note_missing(self, gold: Claims, rows: list[int]) -> None:
        if self.policy.missing == "error":
            units = f"{self._noun}s have" if len(rows) > 1 else f"{self._noun} has"
            hint = "Use --missing empty (in Python missing='empty') to count them as empty"
            raise _error(gold, rows[0], f"{len(rows)} gold {units} no predictions, starting with this one", hint)
        self.notes.missing += len(rows)

    def _note_extra(self, pred: Claims, rows: Iterable[int]) -> None:
        rows = list(rows)
        if self.policy.partial:
            return
        if self.policy.extra == "error":
            units = f"{self._noun}s are" if len(rows) > 1 else f"{self._noun} is"
            hint = "Use --extra ignore (in Python extra='ignore') to leave them out"
            raise _error(pred, rows[0], f"{len(rows)} predicted {units} not in gold, starting with this one", hint)
        self.notes.extra += len(rows)

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
        check = TextCheck(gold, pred, cut_allowed=cut_allowed, by_id=bool(self.by_id), noun=self._noun)
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


_SPACES = {"token": "token", "char": "character"}


class _Reader:
    """One side: hands out units from its batches."""

    def __init__(self, batches: Iterable[Batch], decoder: TagDecoder) -> None:
        self._batches, self._decoder = iter(batches), decoder
        self._batch: Batch | None = None
        self._at = 0
        self._hashes: list[Ints] = []
        self._source = ""

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

    def rest(self) -> Claims | None:
        """Take everything that is left."""
        parts = []
        while self.fill():
            assert self._batch is not None  # noqa: S101  just filled
            parts.append(self.decoded(self.next(len(self._batch.units) - self._at)))
        return Claims.concatenate(parts) if parts else None

    def _remember(self, batch: Batch) -> None:
        ids = batch.units.ids
        if ids is None:
            return
        if len(set(ids)) < len(ids):
            raise _twice(batch)
        self._source = batch.units.source
        self._hashes.append(np.fromiter(map(hash, ids), np.int64, len(ids)))

    def check_ids(self) -> None:
        """Refuse an id that occurs twice in different batches; ids are remembered as eight bytes each."""
        if len(self._hashes) < 2:
            return
        everything = np.concatenate(self._hashes)
        order = np.argsort(everything, kind="stable")
        again = np.flatnonzero(np.diff(everything[order]) == 0)
        if len(again):
            raise UnitError(
                "duplicate id",
                source=self._source,
                unit=int(order[again + 1].min()) + 1,
                hint="Give each its own id",
            )


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


def _without_claims(claims: Claims) -> Claims:
    """Return the same units with no claim, all tags O."""
    tags = tuple(Tags(np.where(x.codes == 0, 0, OUTSIDE), x.vocabulary, x.sizes) for x in claims.tags)
    units = claims.units
    known = replace(
        units, texts=units.texts or [""] * len(units), tokens=units.tokens or [[] for _ in range(len(units))]
    )
    return replace(claims.keep(np.zeros(0, np.int64)), units=known, tags=tags)


def _pad(tags: Tags, sizes: Ints) -> Tags:
    """Put O behind the tags of units that were cut off."""
    missing = sizes - tags.sizes
    return Tags(np.insert(tags.codes, np.repeat(tags.starts[1:] - 1, missing), OUTSIDE), tags.vocabulary, sizes)


def _same_shape(gold: Tagged, pred: Tagged) -> bool:
    single = len(gold.layers) == len(pred.layers) == 1
    return single and np.array_equal(gold.layers[0].sizes, pred.layers[0].sizes)
