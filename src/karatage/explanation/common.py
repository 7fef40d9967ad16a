"""What every explanation can do, whether of extraction or of search."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from karatage._version import __version__
from karatage.comparison import Comparison
from karatage.errors import UsageError, unknown
from karatage.explanation.exporting import write_frame
from karatage.profiles import Profile
from karatage.scoring import Result

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

    from karatage.reports import Block, Page

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

    sought: ClassVar[tuple[tuple[str, ...], ...]]
    """The columns of errors that a text is looked for in; those of one tuple are read as one text."""

    @abstractmethod
    def _errors(self, system: S, kind: str | None, label: str | None) -> pl.DataFrame:
        """Return the errors of a system, of one kind and with one label."""

    def errors(
        self,
        system: str | None = None,
        *,
        limit: int | None = None,
        kind: str | None = None,
        label: str | None = None,
        text: str | None = None,
    ) -> pl.DataFrame:
        """List what was wrong.

        Args:
            system: only this system's errors.
            limit: at most so many rows for each system.
            kind: only this kind of error: for extraction such as missed or too long, as `details` counts them, or
                boundary, for all of too long, too short and shifted and the pairs of what was split and merged; for
                search missed, too low or too high.
            label: only errors with this label, in gold or predicted; search has none.
            text: only errors that hold this, in capitals or not: in the unit's id, the text of the error or what stands
                around it; for search in the query or the document.
        """
        import polars as pl

        if text == "":
            raise UsageError("there is nothing to look for in an empty text")
        frames = []
        for name, one in self.systems.items() if system is None else ((system, self[system]),):
            found = self._errors(one, kind, label)
            if text is not None:
                names = [[column for column in group if column in found.columns] for group in self.sought]
                held = [pl.concat_str([pl.col(column).fill_null("") for column in own]) for own in names if own]
                low = text.lower()
                found = found.filter(
                    pl.any_horizontal(h.str.to_lowercase().str.contains(low, literal=True) for h in held)
                )
            found = found if limit is None else found.head(limit)
            frames.append(found.select(pl.lit(name).alias("system"), pl.all()))
        return pl.concat(frames, how="diagonal")

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
        return out | {"provenance": {"karatage": __version__}}

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
        from karatage.reports import render_page, write_page

        page = self._report().page(self, title)
        return render_page(page) if place is None else write_page(page, place)

    def __str__(self) -> str:
        from karatage.reports import plain

        return plain(self.parts(), 110)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {', '.join(self.systems)} like={self.profile.made_by!r}>"

    def _repr_html_(self) -> str:
        from karatage.reports import render_fragment

        return render_fragment(self._report().blocks(self))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self.parts()
