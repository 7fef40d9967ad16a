"""Planning: how many units a wanted precision, or a wanted difference, needs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Unpack

from karatage._options import takes
from karatage.comparison.comparing import compare
from karatage.comparison.comparison import Comparison
from karatage.errors import UsageError
from karatage.metrics import Score
from karatage.scoring import RECORDS, Result, ScoringKeywords, check_repeatable, repeatable, score
from karatage.stats import (
    POWER,
    check_power,
    implied_error,
    minimum_detectable_difference,
    units_for_difference,
    units_for_margin,
    unpaired_error,
)

STEPS = (0.05, 0.02, 0.01, 0.005)


@dataclass(frozen=True)
class Need:
    """How many units something takes.

    Attributes:
        kind: `margin`, half the width of an interval, or `difference`, to be found with the wanted power.
        value: the wanted margin or difference.
        units: how many units it takes.
        more: how many of them are still to be had.
    """

    kind: str
    value: float
    units: int
    more: int


@dataclass(frozen=True)
class Plan:
    """How large a test set has to be.

    Attributes:
        result: the score of the pilot.
        comparison: the comparison with another system, where one was given.
        power: the chance to find a difference.
        needs: what the wanted margins and differences need.
    """

    result: Result
    comparison: Comparison | None
    power: float
    needs: tuple[Need, ...]

    @property
    def units(self) -> int:
        """How many units there are, or clusters of them."""
        return self.result.drawn

    @property
    def score(self) -> Score:
        """The score of the pilot."""
        return self.result.headline

    @property
    def resolvable(self) -> float:
        """The smallest difference that the units at hand show with that power."""
        return minimum_detectable_difference(
            _difference_error(self.result, self.comparison), _level(self.result), self.power
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        out: dict[str, Any] = {
            "profile": self.result.profile.name,
            "options": dict(self.result.profile.options),
            "metric": self.result.profile.headline,
            "score": self.score.to_dict(),
            "units": self.units,
            "level": _level(self.result),
            "power": self.power,
            "paired": self.comparison is not None,
            "resolvable": self.resolvable,
        }
        out["needs"] = [asdict(need) for need in self.needs]
        found = self.result.to_dict()
        return out | {name: found[name] for name in ("intervals", "warnings", "provenance")}

    def to_json(self) -> str:
        """Return everything as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)

    @property
    def profile_name(self) -> str:
        """The profile's name, and what the call changed in it."""
        return self.result.profile.full_name

    def __repr__(self) -> str:
        needs = f"{len(self.needs)} needs from {self.units:,}"
        return f"<Plan {self.result.profile.headline}: {needs} like={self.profile_name!r}>"

    def __str__(self) -> str:
        from karatage.reports import plan_text

        return plan_text(self)


@takes(*RECORDS)
def plan(
    gold: Any,
    pred: Any,
    other: Any = None,
    *,
    margins: Sequence[float] | float = (),
    differences: Sequence[float] | float = (),
    power: float = POWER,
    resamples: int = 10_000,
    **options: Unpack[ScoringKeywords],
) -> Plan:
    """Say how many units a wanted margin or difference needs, from a pilot that is scored already.

    Args:
        gold: the gold of the pilot: anything that `karatage.score` takes.
        pred: a system's predictions.
        other: another system's predictions. The difference between the two is then planned for as it is, paired;
            without it, for two systems whose errors are unrelated, which needs more units than most pairs do.
        margins: wanted margins: the score ± 0.01, for example.
        differences: differences to be found; without any and without margins some common ones are taken.
        power: the chance to find a difference.
        resamples: Number of bootstrap resamples.
        options: Scoring options.
    """
    check_power(power)
    gold, pred, other = repeatable(gold), repeatable(pred), repeatable(other)
    margins, differences = (x if isinstance(x, Sequence) else (x,) for x in (margins, differences))
    for value in (*margins, *differences):
        if not isinstance(value, int | float) or not 0.00001 <= value < 1:
            raise UsageError(f"a margin or a difference lies between 0.00001 and 1, not at {value!r}")
    if not margins and not differences:
        margins = differences = STEPS
    if resamples == 0:
        raise UsageError("a plan needs resamples: leave them at their default")
    if other is not None:
        sides = {"gold": gold, "predictions": pred}
        check_repeatable(sides, options.get("format"), "it is scored, and then compared with the other system")
    result = score(gold, pred, resamples=resamples, **options)
    if result.headline.low is None:
        why = result.headline.undefined or result.headline.withheld
        raise UsageError(f"nothing can be planned: {result.profile.headline} of the pilot has no interval ({why})")
    comparison = None
    if other is not None:
        if options.get("metrics") is None:
            options["metrics"] = [result.profile.headline]
        comparison = compare(gold, {"first": pred, "second": other}, resamples=resamples, **options)
        if not comparison.headline.differences[0].error:
            raise UsageError("nothing can be planned: the two systems have the same counts on every unit")
    level, units = _level(result), result.drawn
    error, apart = _error(result), _difference_error(result, comparison)
    needs = [("margin", value, units_for_margin(units, error, value, level)) for value in margins]
    needs += [("difference", v, units_for_difference(units, apart, v, level, power)) for v in differences]
    return Plan(result, comparison, power, tuple(Need(*need, max(0, need[2] - units)) for need in needs))


def _level(result: Result) -> float:
    assert result.resampling is not None  # noqa: S101  a plan is made with resamples
    return result.resampling.level


def _error(result: Result) -> float:
    score = result.headline
    assert score.low is not None  # noqa: S101  checked before
    assert score.high is not None  # noqa: S101
    return implied_error(score.low, score.high, _level(result))


def _difference_error(result: Result, comparison: Comparison | None) -> float:
    if comparison is None:
        return unpaired_error(_error(result))
    return comparison.headline.differences[0].error or 0.0
