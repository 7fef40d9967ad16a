"""What every explanation can do, whether of extraction or of search."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from karat._version import __version__
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


class Report(NamedTuple):
    """How an explanation is shown: as a page, in a notebook, in a terminal."""

    page: Callable[[Any, str | None], Page]
    blocks: Callable[[Any], list[Block]]
    parts: Callable[..., Iterable[RenderableType]]


class OfSystem(Protocol):
    """What is told of a system: its scores, and more."""

    @property
    def result(self) -> Result:
        """The scores."""

    def to_dict(self, limit: int) -> dict[str, Any]:
        """Return plain data."""


S = TypeVar("S", bound=OfSystem)


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
    def _more(self, limit: int) -> dict[str, Any]:
        """Return what else there is as plain data."""

    @abstractmethod
    def _report(self) -> Report:
        """Return how it is shown."""

    def to_dict(self, *, errors: int = 0, limit: int = SHOWN, **filters: str) -> dict[str, Any]:
        """Return everything as plain data, in the shape that `--json` prints.

        Args:
            errors: how many errors of each system to list.
            limit: at most so many rows of every other list.
            filters: which errors, as for `errors`.
        """
        out: dict[str, Any] = {
            "profile": self.profile.name,
            "headline": self.profile.headline,
            "systems": {name: system.to_dict(limit) for name, system in self.systems.items()},
        }
        if self.comparison is not None:
            out["comparison"] = self.comparison.to_dict()
        out |= self._more(limit)
        if errors:
            out["errors"] = self.errors(limit=errors, **filters).to_dicts()
        return out | {"provenance": {"karat": __version__}}

    def to_json(self, **options: Any) -> str:
        """Return everything as JSON text; takes what `to_dict` takes."""
        return json.dumps(self.to_dict(**options), ensure_ascii=False, indent=2, allow_nan=False)

    def parts(self, *, errors: int = 10, **filters: str) -> Iterable[RenderableType]:
        """Return what a terminal shows.

        Args:
            errors: how many errors of each system to list.
            filters: which errors, as for `errors`.
        """
        return self._report().parts(self, errors=errors, filters=filters)

    def to_html(self, place: str | Path | None = None, *, title: str | None = None) -> str:
        """Return everything as one HTML page that needs nothing from outside, and write it where a place is given.

        Args:
            place: the file to write.
            title: the page's title.
        """
        from karat.reports.page import render_page

        text = render_page(self._report().page(self, title))
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

        return render_fragment(self._report().blocks(self))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self.parts()
