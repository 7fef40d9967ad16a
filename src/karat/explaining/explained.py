"""What every explanation can do, whether of extraction or of search."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from karat.comparison import Comparison
from karat.errors import unknown
from karat.explaining.exporting import write_frame
from karat.formats.io import writing
from karat.profiles import Profile
from karat.result import Result

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

    from karat.reports.page import Block, Page

SHOWN = 20
"""How many rows of a long list go into JSON where no number is given."""


class HasResult(Protocol):
    """A system with its scores."""

    @property
    def result(self) -> Result:
        """The scores."""


S = TypeVar("S", bound=HasResult)


class Explained(ABC, Generic[S]):
    """Where systems fail on the same gold.

    Attributes:
        systems: each system by its name, in the order given.
        comparison: how they compare; None where there is one system.
    """

    def __init__(self, systems: Mapping[str, S], comparison: Comparison | None = None) -> None:
        self.systems, self.comparison = dict(systems), comparison

    def __getitem__(self, name: str) -> S:
        """Return one of the systems."""
        if name not in self.systems:
            raise unknown("system", name, self.systems)
        return self.systems[name]

    @property
    def first(self) -> S:
        """The first system."""
        return next(iter(self.systems.values()))

    @property
    def profile(self) -> Profile:
        """The profile that made the scores."""
        return self.first.result.profile

    @abstractmethod
    def errors(self, system: str | None = None, *, limit: int | None = None, **filters: Any) -> pl.DataFrame:
        """List what was wrong."""

    def export(self, place: str | Path, **filters: Any) -> int:
        """Write the errors to a file that ends in .csv, .jsonl or .parquet; return how many they are.

        Args:
            place: where to write.
            filters: which errors, as for `errors`.
        """
        return write_frame(self.errors(**filters), place)

    @abstractmethod
    def to_dict(self, *, errors: int = 0, limit: int = SHOWN, **filters: str) -> dict[str, Any]:
        """Return everything as plain data, in the shape that `--json` prints."""

    def to_json(self, **options: Any) -> str:
        """Return everything as JSON text; takes what `to_dict` takes."""
        return json.dumps(self.to_dict(**options), ensure_ascii=False, indent=2, allow_nan=False)

    @abstractmethod
    def page(self, title: str | None = None) -> Page:
        """Return everything as the blocks of a page."""

    @abstractmethod
    def blocks(self) -> list[Block]:
        """Return what a notebook shows."""

    @abstractmethod
    def parts(self, *, errors: int = 10, **filters: str) -> Iterable[RenderableType]:
        """Return what a terminal shows.

        Args:
            errors: how many errors of each system to list.
            filters: which errors, as for `errors`.
        """

    def to_html(self, place: str | Path | None = None, *, title: str | None = None) -> str:
        """Return everything as one HTML page that needs nothing from outside, and write it where a place is given.

        Args:
            place: the file to write.
            title: the page's title.
        """
        from karat.reports.page import render_page

        text = render_page(self.page(title))
        if place is not None:
            with writing(place) as stream:
                stream.write(text.encode())
        return text

    def __str__(self) -> str:
        from karat.reports.terminal import plain

        return plain(self.parts(), 110)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {', '.join(self.systems)} like={self.profile.made_by!r}>"

    def _repr_html_(self) -> str:
        from karat.reports.page import render_fragment

        return render_fragment(self.blocks())

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self.parts()
