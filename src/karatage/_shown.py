"""What everything has that is found and shown: JSON, plain text, and tables in the terminal."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult


class Shown(ABC):
    """Something that was found: prints as tables, and becomes JSON."""

    _width: ClassVar[int] = 110

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, in the shape that `--json` prints."""

    @abstractmethod
    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows."""

    def to_json(self) -> str:
        """Return everything as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)

    def __str__(self) -> str:
        from karatage.reports import plain

        return plain(self.parts(), self._width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self.parts()
