"""What everything has that is found and shown: JSON, plain text, and tables in the terminal."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from karatage._printing import json_text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

    from karatage.reports import Page


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
        return json_text(self.to_dict())

    def __str__(self) -> str:
        from karatage.reports import plain

        return plain(self.parts(), self._width)

    def _repr_html_(self) -> str:
        """Return what a notebook shows; here, the tables of a terminal."""
        from karatage.reports import plain_html

        return plain_html(str(self))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self.parts()


V = TypeVar("V")


class ShownMapping(Shown, Mapping[str, V]):
    """Something that was found, as a mapping from names, such as those of metrics or systems."""

    # Two of them are the same if they are one object: what they map to does not say what it was made from.
    __eq__, __hash__ = object.__eq__, object.__hash__

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)


class WithPage(ABC):
    """Something that makes an HTML page."""

    @abstractmethod
    def page(self, title: str | None = None) -> Page:
        """Return the page that shows everything."""

    def to_html(self, path: str | Path | None = None, *, title: str | None = None) -> str:
        """Return everything as one self-contained HTML page, and write it to a file if a path is given.

        Args:
            path: the file to write.
            title: the page's title.
        """
        from karatage.reports import render_page, write_page

        page = self.page(title)
        return render_page(page) if path is None else write_page(page, path)

    def _repr_html_(self) -> str:
        from karatage.reports import page_html

        return page_html(self.page())


class Paged(WithPage, Shown):
    """Something that was found and also makes an HTML page."""
