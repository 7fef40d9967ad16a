"""What the numbers of a tally belong to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

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
