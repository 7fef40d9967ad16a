"""Attributes of units that the scores depend on: gold's are used, so those of the predictions should be the same."""

from __future__ import annotations

from collections.abc import Iterable
from operator import ne

import numpy as np

from karatage.claims import Units
from karatage.scoring.nouns import Nouns
from karatage.scoring.unit_examples import UnitExample


class AttributeCheck:
    """Counts the units whose attributes differ between gold and predictions, where both sides have them.

    Args:
        names: the attributes that the scores depend on.
    """

    def __init__(self, names: Iterable[str]) -> None:
        # Files number their documents, each from 1: gold in one file and predictions in several have other numbers.
        self._differ = {name: 0 for name in names if name != "document"}
        self._example: dict[str, UnitExample] = {}

    def add(self, gold: Units, pred: Units) -> None:
        """Compare a batch of paired units; a value that the predictions leave empty is not compared."""
        for name in self._differ:
            ours, theirs = gold.attributes.get(name), pred.attributes.get(name)
            if ours is None or theirs is None or ours is theirs:
                continue
            unequal = np.flatnonzero(np.fromiter(map(ne, ours, theirs), bool, len(gold)))
            differ = [k for k in unequal.tolist() if theirs[k]]
            if differ and name not in self._example:
                first = differ[0]
                self._example[name] = UnitExample(
                    gold.name(first), f"{ours[first]!r} in gold, {theirs[first]!r} in the predictions"
                )
            self._differ[name] += len(differ)

    def __iadd__(self, other: AttributeCheck) -> AttributeCheck:
        """Add what was found in the part that follows."""
        for name, count in other._differ.items():
            self._differ[name] += count
        self._example = other._example | self._example
        return self

    def shift(self, before: int) -> None:
        """Count the numbers of units from behind so many others."""
        self._example = {name: example.moved(before) for name, example in self._example.items()}

    def warnings(self, nouns: Nouns) -> list[str]:
        """Say which attributes differ, with an example."""
        return [
            f"{nouns.units} whose {name} differs, gold's is used (e.g. {nouns.unit} {self._example[name]}): {count:,}"
            for name, count in self._differ.items()
            if count
        ]
