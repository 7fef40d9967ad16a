"""What every explanation can do, whether of extraction or of search: list errors, write files, make a page."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypedDict, TypeVar, Unpack

import polars as pl

from karatage._printing import json_text
from karatage._shown import Paged, ShownMapping
from karatage._version import __version__
from karatage.comparison import Comparison
from karatage.errors import UsageError, unknown
from karatage.explanation.exporting import write_frame
from karatage.explanation.gold_check import Suspects
from karatage.profiles import Profile
from karatage.scoring import Nouns, Result

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.reports import AnswerText, Block

SHOWN = 20
"""How many rows of a long list go into JSON by default."""


class ErrorFilters(TypedDict, total=False):
    """Which errors to list, as for `Explanation.errors`."""

    kind: str | None
    label: str | None
    text: str | None


class ExplainedSystem(Protocol):
    """One system: its scores, and where it fails."""

    @property
    def result(self) -> Result:
        """The scores."""

    @property
    def sampled(self) -> bool:
        """Whether only a sample of the errors is held."""

    def to_dict(self, limit: int) -> dict[str, Any]:
        """Return plain data."""


S = TypeVar("S", bound=ExplainedSystem)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Explanation(Paged, ShownMapping[S], Generic[S]):
    """Where systems fail on the same gold. Every number is computed before it is made.

    It is a mapping from the names of systems.

    Attributes:
        systems: each system by its name, in the order given.
        comparison: how they compare; None for a single system.
        suspects: gold entities that look wrong, most likely first; None for search, and unless gold was checked.
    """

    systems: dict[str, S]
    comparison: Comparison | None = None
    suspects: Suspects | None = None

    searched: ClassVar[tuple[tuple[str, ...], ...]]
    """The columns that `errors(text=…)` searches; the columns of one tuple are joined to one text."""

    def __getitem__(self, name: str) -> S:
        """Return one of the systems."""
        if name not in self.systems:
            raise unknown("system", name, self.systems)
        return self.systems[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.systems)

    def __len__(self) -> int:
        return len(self.systems)

    @property
    def first(self) -> S:
        """The first system."""
        return next(iter(self.systems.values()))

    @property
    def profile(self) -> Profile:
        """The profile that made the scores."""
        return self.first.result.profile

    @property
    def nouns(self) -> Nouns:
        """What users call the things that are scored."""
        return self.first.result.nouns

    @property
    @abstractmethod
    def answer(self) -> AnswerText:
        """How the systems compare, or where a single one fails, in one sentence."""

    @abstractmethod
    def _errors(self, system: S, kind: str | None, label: str | None) -> pl.DataFrame:
        """Return the errors of a system, of one kind and with one label; of a large test set, those in a sample."""

    def _every(self, system: S, kind: str | None, label: str | None) -> Iterator[pl.DataFrame]:
        """Yield all errors of a system, of one kind and with one label, batch by batch."""
        yield self._errors(system, kind, label)

    def errors(
        self,
        system: str | None = None,
        *,
        limit: int | None = None,
        kind: str | None = None,
        label: str | None = None,
        text: str | None = None,
    ) -> pl.DataFrame:
        """List the errors.

        Of a large test set a random sample of the errors is held. Without a limit, or with one that the sample does not
        fill, the files are read again, and all errors are listed.

        Args:
            system: only this system's errors.
            limit: maximum number of errors of each system.
            kind: only this kind of error. For extraction a kind that `details` counts, such as missed or too long, or
                boundary for too long, too short, shifted, split and merged; for search missed, too low or too high.
            label: only errors with this label, in gold or predicted; extraction only.
            text: only errors that contain this text, ignoring case: in the id of the sentence, the text of the error
                or its context; for search in the query or the document.
        """
        if text == "":
            raise UsageError("the text to search for is empty")
        frames = []
        for name, one in self.systems.items() if system is None else ((system, self[system]),):
            found = self._with_text(self._errors(one, kind, label), text)
            if one.sampled and (limit is None or found.height < limit):
                every = (self._with_text(part, text) for part in self._every(one, kind, label))
                found = pl.concat([found.clear(), *every], how="diagonal")
            found = found if limit is None else found.head(limit)
            frames.append(found.select(pl.lit(name).alias("system"), pl.all()))
        return pl.concat(frames, how="diagonal")

    def _with_text(self, errors: pl.DataFrame, text: str | None) -> pl.DataFrame:
        """Return the errors that contain a text."""
        if text is None:
            return errors
        groups = [[column for column in group if column in errors.columns] for group in self.searched]
        texts = [pl.concat_str([pl.col(column).fill_null("") for column in own]) for own in groups if own]
        low = text.lower()
        return errors.filter(pl.any_horizontal(one.str.to_lowercase().str.contains(low, literal=True) for one in texts))

    def export(self, path: str | Path, **filters: Unpack[ErrorFilters]) -> int:
        """Write all errors to a .csv, .jsonl or .parquet file and return their number.

        Args:
            path: the file to write.
            filters: which errors, as for `errors`.
        """
        return write_frame(self.errors(**filters), path)

    @abstractmethod
    def _more(self, limit: int) -> dict[str, Any]:
        """Return what else there is as plain data."""

    @abstractmethod
    def _blocks(self) -> list[Block]:
        """Return what a notebook shows."""

    @abstractmethod
    def _parts(self, errors: int, filters: ErrorFilters) -> Iterator[RenderableType]:
        """Return what a terminal shows."""

    def parts(self, *, errors: int = 10, **filters: Unpack[ErrorFilters]) -> Iterator[RenderableType]:
        """Return what a terminal shows.

        Args:
            errors: how many errors of each system to list.
            filters: which errors, as for `errors`.
        """
        return self._parts(errors, filters)

    def to_dict(self, *, errors: int = 0, limit: int = SHOWN, **filters: Unpack[ErrorFilters]) -> dict[str, Any]:
        """Return everything as plain data, in the shape that `--json` prints.

        Args:
            errors: how many errors of each system to list.
            limit: maximum number of rows of every other list.
            filters: which errors, as for `errors`.
        """
        out: dict[str, Any] = {
            "answer": str(self.answer),
            "profile": self.profile.name,
            "headline": self.profile.headline,
            "systems": {name: system.to_dict(limit) for name, system in self.systems.items()},
        }
        if self.comparison is not None:
            out["comparison"] = replace(self.comparison, changes={}).to_dict()  # changes stand beside it
        out |= self._more(limit)
        if errors:
            out["errors"] = self.errors(limit=errors, **filters).to_dicts()
        return out | {"provenance": {"karatage": __version__}}

    def to_json(self, *, errors: int = 0, limit: int = SHOWN, **filters: Unpack[ErrorFilters]) -> str:
        """Return everything as JSON text; takes what `to_dict` takes."""
        told = self.to_dict(errors=errors, limit=limit, **filters)
        return json_text(told)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {', '.join(self.systems)} like={self.profile.full_name!r}>"

    def _repr_html_(self) -> str:
        from karatage.reports import render_fragment

        return render_fragment(self._blocks())
