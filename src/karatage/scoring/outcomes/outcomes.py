"""What became of every claim of one system, as columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.claims import Claims, TokenColumn, Units
from karatage.matching import Alignment, ClaimPair, Kind
from karatage.scoring.outcomes.claim_texts import Texts
from karatage.scoring.outcomes.error_kinds import details

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

Which = Literal["gold", "pred"]


@dataclass(frozen=True, eq=False, repr=False)
class Outcomes:
    """What became of every claim: one row for each pair, right or wrong, and for each claim without a partner.

    Attributes:
        claims: the claims of all units.
        unit: the unit of each outcome, never decreasing.
        gold: the gold claim; -1 where there is none.
        pred: the predicted claim; -1 where there is none.
        kind: what matching calls it, a `Kind`.
        detail: what it is in detail, a `Detail`.
        credited: whether the matching rule gives credit for it.
    """

    claims: ClaimPair
    unit: Ints
    gold: Ints
    pred: Ints
    kind: Ints
    detail: Ints
    credited: Bools

    def __len__(self) -> int:
        return len(self.unit)

    def __repr__(self) -> str:
        wrong = int((self.kind != Kind.CORRECT).sum())
        return f"<Outcomes: {len(self):,} in {len(self.units):,} units, {wrong:,} wrong>"

    @property
    def units(self) -> Units:
        """The units."""
        return self.claims.gold.units

    @cached_property
    def texts(self) -> Texts | None:
        """The texts that the claims point into; None where they are unknown."""
        return Texts.of(self.claims)

    def surface(self, side: Which) -> pl.Series:
        """Return the text of every claim of a side; null where it is unknown."""
        return self._gold_surface if side == "gold" else self._pred_surface

    @cached_property
    def _gold_surface(self) -> pl.Series:
        return Texts.surfaces(self.texts, self.claims.gold)

    @cached_property
    def _pred_surface(self) -> pl.Series:
        return Texts.surfaces(self.texts, self.claims.pred)

    @property
    def wrong(self) -> Bools:
        """Which outcomes are errors."""
        out: Bools = self.kind != Kind.CORRECT
        return out

    def keep(self, chosen: Bools) -> Outcomes:
        """Return some of the outcomes; the claims stay."""
        columns = (self.unit, self.gold, self.pred, self.kind, self.detail, self.credited)
        kept = replace(
            self,
            **dict(zip(_COLUMNS, (column[chosen] for column in columns), strict=True)),  # type: ignore[arg-type]
        )
        for name in ("texts", "_gold_surface", "_pred_surface"):
            if name in self.__dict__:
                kept.__dict__[name] = self.__dict__[name]
        return kept

    @classmethod
    def of(cls, batches: Iterable[tuple[ClaimPair, Alignment]]) -> Outcomes:
        """Put the aligned batches of a scoring behind each other."""
        return cls.join([cls._of_pair(pair, alignment) for pair, alignment in batches])

    @classmethod
    def _of_pair(cls, pair: ClaimPair, alignment: Alignment) -> Outcomes:
        unit, gold, pred, kind, credited = _rows(pair, alignment)
        return cls(pair, unit, gold, pred, kind, details(pair, gold, pred, kind, credited), credited)

    @classmethod
    def join(cls, parts: Sequence[Outcomes]) -> Outcomes:
        """Put the outcomes of several parts behind each other; without any, there are none."""
        if not parts:
            nothing = Claims.build(Units(0), "value", ())
            none = np.zeros(0, np.int64)
            return cls(ClaimPair.of(nothing, nothing), none, none, none, none, none, none.astype(bool))
        before = [0, 0, 0]
        rows: list[list[NDArray[Any]]] = []
        for part in parts:
            sides = zip((part.gold, part.pred), before[1:], strict=True)
            shifted = (np.where(side >= 0, side + at, -1) for side, at in sides)
            rows.append([part.unit + before[0], *shifted, part.kind, part.detail, part.credited])
            more = len(part.units), len(part.claims.gold), len(part.claims.pred)
            before = [a + b for a, b in zip(before, more, strict=True)]
        columns = (np.concatenate(column) for column in zip(*rows, strict=True))
        ours, theirs = (
            Claims.concatenate([_plain(getattr(part.claims, side)) for part in parts]) for side in ("gold", "pred")
        )
        texts = _with_texts(ours.units, [part.claims for part in parts])
        return cls(ClaimPair.of(replace(ours, units=texts), theirs), *columns)

    def slice(self, start: int, stop: int) -> Outcomes:
        """Return the outcomes of the units from `start` to before `stop`."""
        if start == 0 and stop == len(self.units):
            return self
        gold, pred = (side.slice(start, stop) for side in (self.claims.gold, self.claims.pred))
        low, high = np.searchsorted(self.unit, [start, stop])
        sides = (
            np.where(own[low:high] >= 0, own[low:high] - int(claims.unit.searchsorted(start)), -1)
            for own, claims in ((self.gold, self.claims.gold), (self.pred, self.claims.pred))
        )
        rest = (column[low:high] for column in (self.kind, self.detail, self.credited))
        return Outcomes(ClaimPair.of(gold, pred), self.unit[low:high] - start, *sides, *rest)

    def take(self, units: Ints) -> Outcomes:
        """Return the outcomes of some units, which are named in their order. Without ids, their numbers become ids."""
        new = np.full(len(self.units), -1, np.int64)
        new[units] = np.arange(len(units))
        rows = np.flatnonzero(new[self.unit] >= 0)
        sides, claims = [], []
        for own, side in ((self.gold, self.claims.gold), (self.pred, self.claims.pred)):
            number = np.cumsum(new[side.unit] >= 0) - 1  # of each claim among those that stay
            sides.append(np.append(number, -1)[own[rows]])
            claims.append(_plain(side).take(units))
        gold = replace(claims[0], units=_taken_texts(claims[0].units, self.units, units))
        rest = (column[rows] for column in (self.kind, self.detail, self.credited))
        return Outcomes(ClaimPair.of(gold, claims[1]), new[self.unit[rows]], *sides, *rest)


def _plain(claims: Claims) -> Claims:
    """Leave out tags and texts."""
    return replace(claims, tags=(), units=replace(claims.units, texts=None, tokens=None))


def _with_texts(units: Units, batches: list[ClaimPair]) -> Units:
    """Give gold's units their texts and tokens, or those of the predictions where gold has none."""
    found: dict[str, Any] = {}
    for name in ("texts", "tokens"):
        gold_and_pred = ([batch.gold for batch in batches], [batch.pred for batch in batches])
        for own in ([getattr(side.units, name) for side in one] for one in gold_and_pred):
            if own and all(part is not None for part in own):
                found[name] = TokenColumn.concatenate(own) if name == "tokens" else list(chain.from_iterable(own))
                break
    return replace(units, **found)


def _taken_texts(units: Units, every: Units, index: Ints) -> Units:
    """Give some units the texts and tokens that they have among all."""
    texts = None if every.texts is None else [every.texts[k] for k in index.tolist()]
    tokens = None if every.tokens is None else TokenColumn.of(every.tokens).take(index)
    return replace(units, texts=texts, tokens=tokens)


_COLUMNS = ("unit", "gold", "pred", "kind", "detail", "credited")


def _rows(pair: ClaimPair, alignment: Alignment) -> tuple[Ints, Ints, Ints, Ints, Bools]:
    """Return the pairs and what has no partner, in the order of their offsets."""
    lonely = []
    for claims, used in ((pair.gold, alignment.gold), (pair.pred, alignment.pred)):
        free = np.ones(len(claims), bool)
        free[used] = False
        lonely.append(np.flatnonzero(free))
    missed, spurious = lonely
    nothing = (np.full(len(spurious), -1), np.full(len(missed), -1))
    gold = np.concatenate([alignment.gold, missed, nothing[0]])
    pred = np.concatenate([alignment.pred, nothing[1], spurious])
    rest = np.repeat([int(Kind.MISSED), int(Kind.SPURIOUS)], [len(missed), len(spurious)])
    kind = np.concatenate([alignment.kind, rest])
    credited = np.concatenate([alignment.credited, np.zeros(len(rest), bool)])
    unit, start = (
        np.where(gold >= 0, np.append(getattr(pair.gold, name), 0)[gold], np.append(getattr(pair.pred, name), 0)[pred])
        for name in ("unit", "start")
    )
    order = np.lexsort((pred, gold, kind, start, unit))
    return unit[order], gold[order], pred[order], kind[order], credited[order]
