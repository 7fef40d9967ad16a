"""Values that look the same on both sides and do not match, because their Unicode normal forms differ."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from karatage._arrays import Ints
from karatage.claims import Claims
from karatage.matching import Alignment, ClaimPair, composed, form_of
from karatage.scoring.nouns import Nouns
from karatage.scoring.unit_examples import UnitExample


class FormCheck:
    """Counts predicted values that would match a gold value in the same normal form; only non-ASCII ones are read."""

    def __init__(self) -> None:
        self._count = 0
        self._example: UnitExample | None = None

    def add(self, pair: ClaimPair, alignment: Alignment) -> None:
        """Look at what is not matched in a batch."""
        gold, pred = pair.gold, pair.pred
        if all(value == composed(value) for side in (gold, pred) for value in side.values):
            return  # two of them that differ are different words
        g, p = (
            _unmatched(gold, alignment.gold[alignment.credited]),
            _unmatched(pred, alignment.pred[alignment.credited]),
        )
        if not len(g) or not len(p) or gold.value is None or pred.value is None:
            return
        wanted: dict[tuple[int, int, str], list[str]] = {}
        for unit, label, value in _rows(gold.unit[g], pair.gold_label[g], gold.value[g]):
            wanted.setdefault((unit, label, composed(gold.values[value])), []).append(gold.values[value])
        for unit, label, value in _rows(pred.unit[p], pair.pred_label[p], pred.value[p]):
            theirs = pred.values[value]
            if not (found := wanted.get((unit, label, composed(theirs)))):
                continue
            ours = found.pop()
            self._count += 1
            self._example = self._example or UnitExample(
                gold.units.name(unit), f"{ours!r} is {form_of(ours)} in gold, {form_of(theirs)} in the predictions"
            )

    def __iadd__(self, other: FormCheck) -> FormCheck:
        """Add what was found in the part that follows."""
        self._count += other._count
        self._example = self._example or other._example
        return self

    def shift(self, before: int) -> None:
        """Count the number of a unit from behind so many others."""
        self._example = None if self._example is None else self._example.moved(before)

    def warnings(self, nouns: Nouns) -> list[str]:
        """Say how many there are, with an example."""
        if not self._count:
            return []
        return [
            "predicted values that differ from gold's only in their Unicode normal form "
            f"(e.g. {nouns.unit} {self._example}): {self._count:,}"
        ]


def _rows(*columns: Ints) -> Iterator[tuple[int, ...]]:
    return zip(*(column.tolist() for column in columns), strict=True)


def _unmatched(claims: Claims, matched: Ints) -> Ints:
    """Return the claims without a match whose values have letters beyond ASCII."""
    if claims.value is None:
        return matched[:0]
    beyond = np.array([*(not value.isascii() for value in claims.values), False], bool)
    if not beyond.any():
        return matched[:0]
    free = beyond[claims.value]
    free[matched] = False
    return np.flatnonzero(free)
