"""Where systems fail whose scores come from logs: on which samples, and on which parts of the test set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from karatage.errors import UsageError
from karatage.explanation.explanation import SHOWN, ErrorFilters, Explanation
from karatage.explanation.slices import Slice, slice_queries
from karatage.metrics import Score
from karatage.scoring import MeasuredResult
from karatage.stats import Resampling

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.reports import AnswerText, Block, Page


@dataclass(frozen=True, eq=False, kw_only=True)
class SampleSystem:
    """Where one system fails.

    Attributes:
        name: what it is called.
        result: its scores.
        samples: a row for each sample: its attributes and scores.
        slices: the scores of groups of samples, marked where a group is significantly worse or better.
    """

    name: str
    result: MeasuredResult
    samples: pl.DataFrame = field(repr=False)
    slices: list[Slice] = field(repr=False)

    @classmethod
    def of(cls, name: str, result: MeasuredResult, by: tuple[str, ...]) -> SampleSystem:
        """Find where a system fails; `by` says what to slice by, nothing stands for all attributes."""
        samples, measure = result.by_unit, result.profile.headline
        better = result.profile.metrics[measure].higher_is_better
        resampling = result.resampling or Resampling(0)
        slices = slice_queries(samples, measure, resampling, by=by, higher_is_better=better)
        return cls(name=name, result=result, samples=samples, slices=slices)

    @property
    def measure(self) -> str:
        """The metric that says how well a sample went."""
        return self.result.profile.headline

    @property
    def overall(self) -> Score:
        """That metric over all samples."""
        return self.result.headline

    @property
    def sampled(self) -> bool:
        """Never: all samples are held."""
        return False

    def hardest(self, limit: int | None = None) -> pl.DataFrame:
        """Return the samples that are not perfect, worst first."""
        rising = self.result.profile.metrics[self.measure].higher_is_better
        known = self.samples.drop_nulls(self.measure)
        wrong = known.filter(pl.col(self.measure) < 1 if rising else pl.col(self.measure) > 0)
        found = wrong.sort(self.measure, descending=not rising, maintain_order=True)
        return found if limit is None else found.head(limit)

    def to_dict(self, limit: int = SHOWN) -> dict[str, Any]:
        """Return plain data, with at most so many of the hardest samples."""
        return {
            "scores": self.result.to_dict(),
            "slices": [one.to_dict() for one in self.slices],
            "hardest": self.hardest(limit).to_dicts(),
        }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SampleExplanation(Explanation[SampleSystem]):
    """Where systems fail on the same samples, by the scores that logs have."""

    searched = (("unit",),)

    def _errors(self, system: SampleSystem, kind: str | None, label: str | None) -> pl.DataFrame:
        if kind is not None or label is not None:
            raise UsageError("a log has scores only: leave out --kind and --label")
        return system.hardest()

    def _more(self, limit: int) -> dict[str, Any]:  # noqa: ARG002  there is no more
        return {}

    @property
    def answer(self) -> AnswerText:
        """How the systems compare, or where a single one fails, in one sentence."""
        from karatage.reports import samples_answer

        return samples_answer(self)

    def page(self, title: str | None = None) -> Page:
        """Return the blocks of the page."""
        from karatage.reports import samples_page

        return samples_page(self, title)

    def _blocks(self) -> list[Block]:
        from karatage.reports import samples_blocks

        return samples_blocks(self)

    def _parts(self, errors: int, filters: ErrorFilters) -> Iterator[RenderableType]:
        from karatage.reports import samples_parts

        return samples_parts(self, errors, filters)
