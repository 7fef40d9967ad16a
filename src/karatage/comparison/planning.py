"""Planning a test set: how many sentences or queries a margin of error, or a detectable difference, needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, Unpack

from karatage._options import takes
from karatage._shown import Shown
from karatage.comparison.comparing import compare
from karatage.comparison.comparison import Comparison
from karatage.errors import UsageError
from karatage.metrics import Score
from karatage.scoring import RECORDS, Result, ScoringKeywords, ScoringOptions, log_of, resolve_inputs, score
from karatage.stats import (
    ASSURANCE,
    POWER,
    DifferenceError,
    PilotError,
    check_assurance,
    check_power,
    implied_error,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.reports import Citation

STEPS = (0.05, 0.02, 0.01, 0.005)


@dataclass(frozen=True, kw_only=True)
class Need:
    """How many units something takes.

    Attributes:
        kind: `margin`, half the width of an interval, or `difference`, to be detected with the wanted power.
        value: the margin or the difference.
        units: how many units it needs.
        more: how many more than the pilot has.
    """

    kind: Literal["margin", "difference"]
    value: float
    units: int
    more: int

    @classmethod
    def of(cls, kind: Literal["margin", "difference"], value: float, units: int, known: int) -> Need:
        """Say how many more are needed than are known."""
        return cls(kind=kind, value=value, units=units, more=max(0, units - known))


@dataclass(frozen=True, kw_only=True)
class Plan(Shown):
    """How large a test set has to be.

    Attributes:
        result: the score of the pilot.
        comparison: the comparison with another system, where one was given.
        level: the confidence level.
        power: the power of the test.
        assurance: the chance that the plan reaches its goal.
        detectable: the minimum detectable difference with that power, on the pilot; None if there is none.
        needs: what each margin and each difference needs.
    """

    result: Result
    comparison: Comparison | None
    level: float
    power: float
    assurance: float
    detectable: float | None
    needs: tuple[Need, ...]

    @property
    def units(self) -> int:
        """How many units, or clusters of them, the pilot has."""
        return self.result.drawn

    @property
    def score(self) -> Score:
        """The score of the pilot."""
        return self.result.headline

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        out: dict[str, Any] = {
            "profile": self.result.profile.name,
            "options": dict(self.result.profile.options),
            "metric": self.result.profile.headline,
            "score": self.score.to_dict(),
            "units": self.units,
            "level": self.level,
            "power": self.power,
            "assurance": self.assurance,
            "paired": self.comparison is not None,
            "resolvable": self.detectable,
            "needs": [asdict(need) for need in self.needs],
        }
        found = self.result.to_dict()
        return out | {name: found[name] for name in ("intervals", "warnings", "provenance")}

    def cite(self) -> Citation:
        """Return a paragraph on the methods that were used, and BibTeX for their sources."""
        from karatage.reports import cite_plan

        return cite_plan(self)

    def __repr__(self) -> str:
        profile = self.result.profile
        return f"<Plan {profile.headline}: {len(self.needs)} needs from {self.units:,} like={profile.full_name!r}>"

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows."""
        from karatage.reports import plan_parts

        return plan_parts(self)


@takes(*RECORDS)
def plan(
    gold: Any,
    pred: Any = None,
    other: Any = None,
    *,
    margins: Sequence[float] | float = (),
    differences: Sequence[float] | float = (),
    power: float = POWER,
    assurance: float = ASSURANCE,
    resamples: int = 10_000,
    **options: Unpack[ScoringKeywords],
) -> Plan:
    """Plan the size of a test set from a pilot.

    Args:
        gold: Gold of the pilot: anything that `karatage.score` takes.
        pred: Predictions of a system. Where gold is a log with scores: another log, or nothing.
        other: Predictions of another system, to plan for a paired comparison of the two. By default, the plan is for
            two systems with unrelated errors, which need a larger test set than most pairs do.
        margins: Margins of error, e.g. 0.01 for the score ± 0.01.
        differences: Differences to detect. Default: some common margins and differences.
        power: Power of the test.
        assurance: Chance that the margin, or the power, is reached: the variance of the pilot is only an estimate, and
            so will be that of the test set.
        resamples: Number of resamples, for intervals that need them.
        options: Scoring options.
    """
    check_power(power)
    check_assurance(assurance)
    margins, differences = (x if isinstance(x, Sequence) else (x,) for x in (margins, differences))
    for value in (*margins, *differences):
        if not isinstance(value, int | float) or not 0.00001 <= value < 1:
            raise UsageError(f"a margin or a difference must be between 0.00001 and 1, not {value!r}")
    if not margins and not differences:
        margins = differences = STEPS
    if resamples == 0:
        raise UsageError("a plan needs intervals: leave out --resamples 0")
    given = ScoringOptions.of(options, resamples)
    ours: Any = log_of(gold, given.reading)
    theirs: Any = None
    if ours is not None:
        theirs, other = None, _only_other(pred, other)
    elif pred is None:
        raise UsageError("a plan needs the predictions of a system, unless gold is a log with scores")
    else:
        ours, theirs = resolve_inputs(gold, pred, given.reading)
        if other is not None:  # both are scored, and then compared
            ours, theirs = ours.remembered(), theirs.remembered()
    result = score(ours, theirs, resamples=resamples, **options)
    low, high = result.headline.low, result.headline.high
    if low is None or high is None:
        why = result.headline.undefined or result.headline.withheld
        raise UsageError(f"cannot plan: {result.profile.headline} of the pilot has no interval ({why})")
    level, units, comparison = given.resampling.level, result.drawn, None
    shown = result.evidence[result.profile.metrics[result.profile.headline]]
    error = result.headline.error or implied_error(low, high, level)  # without errors, nothing varies
    whole = PilotError(units, error, min(shown.freedom(), max(units - 1.0, 1.0)))
    apart, freedom = DifferenceError.unrelated(result.headline, level), None
    if other is not None:
        if options.get("metrics") is None:
            options["metrics"] = [result.profile.headline]
        systems = {"first": theirs if theirs is not None else ours, "second": other}
        comparison = compare(None if theirs is None else ours, systems, resamples=resamples, **options)
        (found,) = comparison.headline.differences
        if not found.error or found.value is None or not found.units:
            raise UsageError("cannot plan: both systems have the same counts everywhere")
        better, freedom = comparison.headline.scores[found.one], found.freedom
        apart = DifferenceError.between(better, found.value, found.error, level)
    needs = [Need.of("margin", m, whole.units_for_margin(m, level, assurance), units) for m in margins]
    for d in differences:
        pilot = PilotError(units, apart.error(d), freedom or whole.freedom)
        needs.append(Need.of("difference", d, pilot.units_for_difference(d, level, power, assurance), units))
    return Plan(
        result=result,
        comparison=comparison,
        level=level,
        power=power,
        assurance=assurance,
        detectable=apart.detectable(level, power, freedom=freedom),
        needs=tuple(needs),
    )


def _only_other(pred: Any, other: Any) -> Any:
    """Return the log to compare with, where the first one stands in the place of gold."""
    if pred is not None and other is not None:
        raise UsageError("a plan takes one or two logs with scores, not three")
    return pred if other is None else other
