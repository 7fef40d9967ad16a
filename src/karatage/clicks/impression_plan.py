"""How many impressions an interleaving experiment needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import ceil, inf
from typing import TYPE_CHECKING, Any

from karatage._shown import Shown
from karatage._version import __version__
from karatage.clicks.interleaving import Interleaving, interleave, votes_per_equal_session
from karatage.clicks.session_preference import votes_for_power
from karatage.errors import InputError, UsageError
from karatage.stats import ASSURANCE, LEVEL, POWER, check_assurance, check_level, check_power

if TYPE_CHECKING:
    from rich.console import RenderableType

PREFERENCES = (0.6, 0.55, 0.52, 0.51)


@dataclass(frozen=True)
class ImpressionNeed:
    """What a true preference takes to be detected."""

    preference: float  # share of the votes for the better system
    votes: int  # impressions with a winner
    impressions: int
    sessions: int | None  # if their length is known


@dataclass(frozen=True)
class ImpressionPlan(Shown):
    """A plan for an interleaving experiment.

    Attributes:
        needs: one for each preference.
        decided: share of the impressions that one system wins.
        design: design effect that the plan allows for.
        power: probability of detecting the preference.
        assurance: probability that the power is reached, given what the pilot leaves open; None without a pilot.
        level: confidence level.
        pilot: the pilot, if there is one.
        warnings: what a reader should know.
    """

    needs: tuple[ImpressionNeed, ...]
    decided: float
    design: float
    power: float
    assurance: float | None
    level: float
    pilot: Interleaving | None
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "needs": [asdict(one) for one in self.needs],
            "decided": self.decided,
            "design_effect": self.design,
            "power": self.power,
            "assurance": self.assurance,
            "level": self.level,
            "pilot": None if self.pilot is None else self.pilot.counts,
            "warnings": list(self.warnings),
            "provenance": {"karatage": __version__},
        }

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows: a row for each preference."""
        from karatage.reports import impression_plan_parts

        return impression_plan_parts(self)


def plan_impressions(
    pilot: str | Interleaving | None = None,
    *,
    preferences: Sequence[float] = (),
    decided: float | None = None,
    design: float | None = None,
    power: float = POWER,
    assurance: float = ASSURANCE,
    level: float = LEVEL,
) -> ImpressionPlan:
    """Plan an interleaving experiment, from a pilot or from assumptions.

    Args:
        pilot: Log of an earlier experiment, or its result.
        preferences: Shares of the votes that the better system truly gets, e.g. 0.55.
        decided: Share of the impressions that one system wins. From the pilot by default.
        design: Design effect of sessions. From the pilot by default, or else 1.
        power: Probability of detecting the preference.
        assurance: Probability that the power is reached, given what the pilot leaves open.
        level: Confidence level.
    """
    check_level(level), check_power(power), check_assurance(assurance)
    for one in preferences:
        if not 0.5 < one < 1:
            raise UsageError(f"a preference must be above 0.5 and below 1, e.g. 0.55, not {one!r}")
    if decided is not None and not 0 < decided <= 1:
        raise UsageError(f"the share of decided impressions must be above 0 and at most 1, not {decided!r}")
    if design is not None and not 1 <= design < inf:
        raise UsageError(f"a design effect must be at least 1, not {design!r}")
    found = interleave(pilot, level=level) if isinstance(pilot, str) else pilot
    per_session = length = inf
    if found is None:
        if decided is None:
            raise UsageError("pass the log of a pilot, or the share of impressions that one system wins with --decided")
        design = 1.0 if design is None else design
    else:
        if not found.preference.votes or found.preference.p is None:
            name = pilot if isinstance(pilot, str) else None
            raise InputError("the pilot has fewer than two sessions with a winner", source=name, hint="Use --decided")
        decided = found.decided if decided is None else decided
        length = found.counts["impressions"] / found.counts["sessions"]
        if design is None:
            design = found.preference.design * _allowance(found, assurance)
            per_session = votes_per_equal_session(found.preference)
    needs = []
    for preference in preferences or PREFERENCES:
        votes = votes_for_power(preference, power, design=design, per_session=per_session, level=level)
        shown = ceil(votes / decided)
        needs.append(ImpressionNeed(preference, votes, shown, None if length == inf else ceil(shown / length)))
    return ImpressionPlan(
        tuple(needs),
        decided,
        design,
        power,
        None if found is None else assurance,
        level,
        found,
        () if found is None else found.warnings,
    )


def _allowance(found: Interleaving, assurance: float) -> float:
    """Return how much larger the design effect may be than in the pilot, with that assurance (Browne 1995).

    Sessions of one vote each have a design effect of 1, and nothing is left open.
    """
    from scipy.special import chdtri

    if found.preference.votes == found.preference.sessions:
        return 1.0
    return max(found.preference.freedom / float(chdtri(found.preference.freedom, assurance)), 1.0)
