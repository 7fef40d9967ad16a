"""Whether gold and predictions are about the same tokens or texts: one check for whatever both sides know.

Where both count offsets in tokens and know them, tokens must be equal; where both count characters and know the texts,
texts must be. Otherwise no offset depends on blanks, and what each side knows, tokens or a text, is compared without
them. A side that knows neither cannot be checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from operator import eq, ne
from typing import Any

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.claims import Batch, ByteTokens, Units
from karatage.errors import UnitError
from karatage.matching.normal_forms import form_difference

Column = Sequence[Any]
"""The tokens or the text of each unit."""

_EXACT = {"token": "tokens", "char": "texts"}
"""What must be equal where both sides count these offsets."""
CUT_OFF = "If they were cut off, use --truncated missed (in Python truncated='missed')"
_SHOWN = 30
"""How many characters of a text are shown where it differs."""


@dataclass(frozen=True)
class TextCheck:
    """Compares the tokens or texts of paired units.

    Attributes:
        gold: gold.
        pred: the predictions, of the same units in the same order.
        cut_allowed: whether predictions may end before their unit does.
        by_id: whether units were paired by id; for messages.
        noun: what the data calls a unit; for messages.
    """

    gold: Batch
    pred: Batch
    cut_allowed: bool = False
    by_id: bool = False
    noun: str = "unit"

    def __call__(self, compared: Bools | None = None) -> Ints:
        """Refuse units whose tokens or texts differ; return those whose predictions end early, where they may.

        Args:
            compared: which units to compare; all by default.
        """
        if self._columns is None:
            return np.zeros(0, np.int64)
        ours, theirs, same = self._columns
        cut = []
        for unit in _unequal(ours, theirs).tolist():
            if (compared is not None and not compared[unit]) or same(ours[unit], theirs[unit]):
                continue
            if not (self.cut_allowed and same is _same_tokens and _starts_with(ours[unit], theirs[unit])):
                raise self._error(unit)
            cut.append(unit)
        return np.array(cut, np.int64)

    @property
    def possible(self) -> bool:
        """Whether there is a unit whose tokens or text both sides know."""
        if self._columns is None:
            return False
        ours, theirs, _ = self._columns
        return any(not (_unknown(a) or _unknown(b)) for a, b in zip(ours, theirs, strict=False))

    @cached_property
    def _columns(self) -> tuple[Column, Column, Callable[[Any, Any], bool]] | None:
        """What is compared of gold and of the predictions, and what makes two of them equal; None for nothing."""
        ours, theirs = self.gold.units, self.pred.units
        exact = _EXACT.get(self.gold.space) if self.gold.space == self.pred.space else None
        for name in (exact, "texts", "tokens"):
            columns = (getattr(ours, name), getattr(theirs, name)) if name else (None, None)
            if columns[0] is not None and columns[1] is not None:
                strictly = _same_tokens if name == "tokens" else eq
                return *columns, strictly if name == exact else _same_without_blanks
        left, right = _known(ours), _known(theirs)
        return None if left is None or right is None else (left, right, _same_without_blanks)

    def _error(self, unit: int) -> UnitError:
        assert self._columns is not None  # noqa: S101  something differed
        ours, theirs, same = self._columns
        a, b = ours[unit], theirs[unit]
        if same is _same_tokens:
            what = self._of_tokens(list(a), list(b), unit)
        elif same is eq:
            what = f"gold and predictions have different texts here: {self._of_texts(a, b, unit)}"
        else:
            what = f"gold and predictions have different texts here: {self._of_texts(_bare(a), _bare(b), unit)}"
            what += ", blanks not counted"
        units = self.pred.units
        place = {"source": units.source, "line": units.line(unit), "unit": units.name(unit)}
        return UnitError(what, **place, hint=self._hint(unit))  # type: ignore[arg-type]

    def _of_tokens(self, ours: list[str], theirs: list[str], unit: int) -> str:
        at = _first_difference(ours, theirs)
        if at == min(len(ours), len(theirs)):
            return other_count(len(ours), len(theirs))
        tokens = f"token {at + 1} is {_short(theirs[at])}, but {_short(ours[at])} in gold{self._in_gold(unit)}"
        return f"gold and predictions have different tokens here: {tokens}{form_difference(ours[at], theirs[at])}"

    def _of_texts(self, ours: str, theirs: str, unit: int) -> str:
        at = _first_difference(ours, theirs)
        here, there = (_short(text[at:]) if text[at:] else "the end" for text in (theirs, ours))
        return (
            f"from character {at + 1}, {here}, but {there} in gold{self._in_gold(unit)}{form_difference(ours, theirs)}"
        )

    def _in_gold(self, unit: int) -> str:
        """Say where a unit is in gold, where that is known."""
        units = self.gold.units
        line = units.line(unit)
        return f" ({units.source}:{line})" if units.source and line is not None else ""

    def _hint(self, unit: int) -> str:
        skip = "Use --ignore-text (in Python check_text=False) to skip this check"
        assert self._columns is not None  # noqa: S101  something differed
        ours, theirs, same = self._columns
        if same is _same_tokens and _starts_with(ours[unit], theirs[unit]):
            return CUT_OFF
        if form_difference(_bare(ours[unit]), _bare(theirs[unit])):
            return f"Normalise both sides, e.g. with unicodedata.normalize. {skip}"
        if self.by_id:
            return f"Are both from the same version of the corpus? {skip}"
        other = next((k for k, own in enumerate(ours) if same(own, theirs[unit])), None)
        if other is None:
            return f"Are both in the same order? {skip}"
        what = "these tokens" if same is _same_tokens else "this text"
        where = f"{self.noun} {self.gold.units.name(other)} of gold has {what}"
        return f"The order differs: {where}. Bring both into the same order, or give both sides ids. {skip}"


def _known(units: Units) -> Column | None:
    return units.texts if units.texts is not None else units.tokens


def _unequal(ours: Column, theirs: Column) -> Ints:
    """Return the units that may differ; all others are equal."""
    if ours is theirs:
        return np.zeros(0, np.int64)
    if isinstance(ours, ByteTokens) and isinstance(theirs, ByteTokens) and np.array_equal(ours.sizes, theirs.sizes):
        return ours.differing(theirs)
    return np.flatnonzero(np.fromiter(map(ne, ours, theirs), bool, len(ours)))


def _same_tokens(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    return list(ours) == list(theirs) or _unknown(ours) or _unknown(theirs)


def _same_without_blanks(ours: Any, theirs: Any) -> bool:
    return _bare(ours) == _bare(theirs) or _unknown(ours) or _unknown(theirs)


def _unknown(words: Any) -> bool:
    """Whether tokens are there to be counted only: rows of tags without tokens are stored with empty ones."""
    return not isinstance(words, str) and len(words) > 0 and not any(words)


def _bare(words: Any) -> str:
    """Return a text, or the tokens of one, without blanks."""
    return "".join((words if isinstance(words, str) else " ".join(words)).split())


def _starts_with(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    return list(ours[: len(theirs)]) == list(theirs)


def _first_difference(ours: Sequence[Any], theirs: Sequence[Any]) -> int:
    return sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(ours, theirs, strict=False)))


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def other_count(ours: int, theirs: int) -> str:
    """Say that gold and predictions have other numbers of tokens."""
    counts = ("1 token" if count == 1 else f"{count} tokens" for count in (ours, theirs))
    return "gold has {} here, the predictions have {}".format(*counts)
