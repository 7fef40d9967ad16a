"""A proposed change, checked: its gate, and how its scores differ from those before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from karatage._options import takes
from karatage._shown import Shown
from karatage.comparison.comparing import compare
from karatage.comparison.comparison import Comparison
from karatage.comparison.gate_result import Gate
from karatage.comparison.gating import NEW, OLD, gate
from karatage.engine import Running
from karatage.errors import UsageError
from karatage.scoring import RECORDS, ScoreKeywords

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, kw_only=True)
class PullCheck(Shown):
    """What a pull request does to the scores.

    Attributes:
        gate: the checks of its thresholds; None if it has none.
        comparison: its predictions (`new`) and those before it (`baseline`); None without a baseline.
    """

    gate: Gate | None
    comparison: Comparison | None

    @property
    def holds(self) -> bool:
        """Whether no check of the gate fails."""
        return self.gate is None or self.gate.holds

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, in the shape that `--json` prints."""
        gate, comparison = self.gate, self.comparison
        return {
            "answer": None if comparison is None else str(comparison.answer),
            "holds": self.holds,
            "gate": None if gate is None else gate.to_dict(),
            "comparison": None if comparison is None else comparison.to_dict(),
        }

    def to_markdown(self) -> str:
        """Return the checks, and the significant differences to the baseline, as tables."""
        from karatage.reports import pull_markdown

        return pull_markdown(self)

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows: the verdict of the gate, then the comparison."""
        for found in (self.gate, self.comparison):
            if found is not None:
                yield from found.parts()


@takes(*RECORDS, Running)
def check_pull(
    gold: Any,
    pred: Any,
    *,
    baseline: Any = None,
    minimum: Mapping[str, float] | float | None = None,
    maximum: Mapping[str, float] | float | None = None,
    max_drop: Mapping[str, float] | float | None = None,
    judge: Any = None,
    resamples: int = 10_000,
    **options: Unpack[ScoreKeywords],
) -> PullCheck:
    """Check the predictions of a pull request: against thresholds, against those before it, or both.

    Args:
        gold: Anything that `karatage.score` takes.
        pred: The predictions of the pull request.
        baseline: The predictions before it, e.g. those of the base branch.
        minimum: What the lower end of each metric's interval must reach; a single number is for the headline.
        maximum: What the upper end of each metric's interval must not exceed, for metrics where lower is better.
        max_drop: How much worse than the baseline each metric may be, at the worse end of the difference's interval.
        judge: Labels of another model for all sentences or queries, where gold has only a random part of them.
        resamples: Number of resamples, for intervals that need them.
        options: Scoring options.
    """
    limits: dict[str, Any] = {"minimum": minimum, "maximum": maximum, "max_drop": max_drop}
    gated = any(limit is not None for limit in limits.values())
    if not gated and baseline is None:
        raise UsageError("set a threshold, e.g. `--min f1=0.8`, or a baseline to compare with")
    if max_drop is not None and baseline is None:
        raise UsageError("max_drop needs a baseline, e.g. `--base origin/main`")
    verdict = None
    if gated:
        before = None if max_drop is None else baseline
        verdict = gate(gold, pred, baseline=before, **limits, judge=judge, resamples=resamples, **options)
    compared = None
    if baseline is not None:
        compared = compare(gold, {NEW: pred, OLD: baseline}, judge=judge, resamples=resamples, **options)
    return PullCheck(gate=verdict, comparison=compared)
