"""What descriptions of all kinds of data have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karatage._printing import json_text
from karatage._shown import Paged
from karatage._version import __version__
from karatage.scoring import Nouns

if TYPE_CHECKING:
    from rich.console import RenderableType


SHOWN_ROWS = 20
"""How many rows of a long list go into JSON by default."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Description(Paged):
    """What is in a data set. Every number is counted before it is made.

    Attributes:
        data: the name of the data set.
        format: the name of its format; None for data in memory.
        nouns: what users call what is in it.
        warnings: what the reader passed over.
    """

    data: str
    format: str | None
    nouns: Nouns
    warnings: tuple[str, ...] = ()

    @abstractmethod
    def _found(self, limit: int) -> dict[str, Any]:
        """Return what was found as plain data."""

    @abstractmethod
    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows."""

    def to_dict(self, *, limit: int = SHOWN_ROWS) -> dict[str, Any]:
        """Return everything as plain data, in the shape that `--json` prints.

        Args:
            limit: maximum number of rows of every long list.
        """
        out = {"data": self.data, "format": self.format, "unit": self.nouns.unit, "entity": self.nouns.claim}
        out |= self._found(limit)
        return out | {"warnings": list(self.warnings), "provenance": {"karatage": __version__}}

    def to_json(self, *, limit: int = SHOWN_ROWS) -> str:
        """Return everything as JSON text; takes what `to_dict` takes."""
        return json_text(self.to_dict(limit=limit))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.data}>"
