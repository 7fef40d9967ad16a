"""Counts as measures read them: by name, summed over the cells of a selection, with the credit of a scenario."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Floats
from karatage.errors import UsageError

Cell = tuple[str, str]
"""A group of units (empty where there are no groups) and a label."""


@dataclass(frozen=True)
class Layout:
    """The columns and cells of an array of counts.

    Attributes:
        columns: what is counted.
        cells: the groups and labels that it is counted in, sorted.
    """

    columns: tuple[str, ...]
    cells: tuple[Cell, ...]

    @property
    def groups(self) -> list[str]:
        """The groups of units, sorted."""
        return sorted({group for group, _ in self.cells})

    @cached_property
    def _of_label(self) -> dict[str, list[int]]:
        out: dict[str, list[int]] = {}
        for k, (_, label) in enumerate(self.cells):
            out.setdefault(label, []).append(k)
        return out

    def rows(self, group: str | None, label: str | None) -> list[int]:
        """Return which cells belong to a group and a label; None stands for any."""
        some = range(len(self.cells)) if label is None else self._of_label.get(label, [])
        return [k for k in some if group in (None, self.cells[k][0])]


Values = Floats

SCENARIOS: dict[str, str] = {
    "": "credit as given by the matching rule",
    "strict": "same span and same label (SemEval-2013)",
    "exact": "same span, any label (SemEval-2013)",
    "partial": "full credit for the same span, half for an overlap, any label (SemEval-2013)",
    "type": "overlap and same label (SemEval-2013)",
}
# Credit in each scenario as a weighted sum of kinds: correct, wrong type, wrong boundary, both wrong.
CREDIT: dict[str, tuple[float, float, float, float]] = {
    "strict": (1, 0, 0, 0),
    "exact": (1, 1, 0, 0),
    "partial": (1, 1, 0.5, 0.5),
    "type": (1, 0, 1, 0),
}
_KINDS = ("correct", "type", "boundary", "both")
_CREDITED = {"correct": "gold", "hits": "pred"}


class Counts:
    """Counts by name, each an array over stacked tallies, and over labels where they are counted by label.

    Args:
        layout: the columns and cells of the totals.
        totals: counts of shape (…, cells, columns).
        rows: the cells to read.
        scenario: the scenario that gives credit; empty for the matching rule.
        add: how to add up the cells, which are the last axis; by default, all of them.
    """

    def __init__(
        self,
        layout: Layout,
        totals: NDArray[Any],
        rows: Sequence[int],
        *,
        scenario: str = "",
        add: Callable[[Values], Values] = lambda part: np.asarray(np.sum(part, axis=-1)),
    ) -> None:
        if scenario and "missed" not in layout.columns:
            raise UsageError(
                f"the scenario {scenario!r} needs the kinds of error. Use a profile that counts them, "
                "such as semeval2013"
            )
        self._layout, self._scenario, self._add = layout, scenario, add
        self._totals = totals if len(rows) == len(layout.cells) else totals[..., rows, :]
        self._made: dict[str, Values] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._layout.columns

    def __getitem__(self, name: str) -> Values:
        """Return a count, such as `gold`."""
        if name not in self._made:
            self._made[name] = self._add(self._by_cell(name))
        return self._made[name]

    def _by_cell(self, name: str) -> Values:
        at = self._layout.columns.index
        if not self._scenario or name not in _CREDITED:
            out: Values = self._totals[..., at(name)].astype(float)
            return out
        credit = zip(CREDIT[self._scenario], _KINDS, strict=True)
        parts = (weight * self._totals[..., at(f"{_CREDITED[name]}_{kind}")] for weight, kind in credit)
        return np.asarray(sum(parts), float)
