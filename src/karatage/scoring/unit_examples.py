"""Examples in warnings: a unit, by its id or its number, and what is odd about it."""

from __future__ import annotations

from typing import NamedTuple


class UnitExample(NamedTuple):
    """An example of what a warning counts.

    Attributes:
        unit: the id of the unit, or its number.
        text: what is odd about it.
    """

    unit: str | int
    text: str

    def __str__(self) -> str:
        return f"{self.unit}: {self.text}"

    def moved(self, before: int) -> UnitExample:
        """Return it with a number that counts from behind so many other units; an id stays as it is."""
        return self if isinstance(self.unit, str) else self._replace(unit=self.unit + before)
