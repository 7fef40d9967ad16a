"""The result of samples that had scores already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from karatage.metrics import LabelScores, Metric, Score
from karatage.scoring.result import Result
from karatage.stats import Evidence, Sampler, evidence_interval, mean_of

if TYPE_CHECKING:
    import polars as pl
    from rich.console import RenderableType

    from karatage.scoring.samples.measured import Measured


class MeasuredResult(Result):
    """Means of the scores that a log has for samples."""

    _task: Measured | None
    epochs: int = 1
    """How many epochs or runs each score is a mean over."""
    runs: Sampler | None = None
    """What intervals are made with where there are several runs."""

    @property
    def _overall(self) -> Mapping[str, Metric]:
        return self.profile.metrics

    @property
    def by_label(self) -> dict[str, LabelScores]:
        """Nothing: scores of samples have no labels."""
        return {}

    @property
    def counts(self) -> dict[str, int]:
        """How many samples there are; nothing is gold, and nothing predicted."""
        return {"units": self.tally.facts["units"]}

    def to_frame(self, *, intervals: bool = False) -> pl.DataFrame:
        """Return the scores as a Polars frame with a row for each metric.

        Args:
            intervals: whether there are two further columns, `low` and `high`.
        """
        import polars as pl

        columns = ["metric", "value", *(("low", "high") if intervals else ())]
        rows = [(name, score.value, score.low, score.high)[: len(columns)] for name, score in self.metrics.items()]
        kinds = dict.fromkeys(columns[1:], pl.Float64)
        return pl.DataFrame(rows, schema={"metric": pl.String, **kinds}, orient="row")

    def _of(self, metrics: Sequence[Metric]) -> list[Score]:
        """Return scores with their intervals; with several runs, from what the samples tell of each of them.

        So a score has the same interval as in a comparison.
        """
        new = [metric for metric in metrics if metric not in self._scores]
        super()._of(metrics)
        if self.runs is not None and self.resampling is not None and not self.resampling.draws:
            for metric in new:
                score = self._scores[metric]
                if score.low is not None:
                    plain = Score(score.value)
                    self._scores[metric] = evidence_interval(metric, plain, self.resampling, self._told(metric))
        return [self._scores[metric] for metric in metrics]

    @property
    def evidence(self) -> dict[Metric, Evidence]:
        """What the samples tell about the scores that are defined, the headline first."""
        found = super().evidence
        return found if self.runs is None else {metric: self._told(metric) for metric in found}

    def _told(self, metric: Metric) -> Evidence:
        assert self.runs is not None  # noqa: S101  callers checked
        return mean_of([self.runs.evidence(metric, run) for run in range(self.epochs)])

    @property
    def by_unit(self) -> pl.DataFrame:
        """A row for each sample: its attributes and its scores, null where it has none."""
        if self._task is None:
            raise self._no_input("samples")
        return self._task.by_unit()

    def more_data(self) -> dict[str, Any]:
        """Return what only this kind of result has: how many epochs its scores are means over."""
        return {"epochs": self.epochs}

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows: the scores, and warnings."""
        from karatage.reports import measured_parts

        return measured_parts(self)
