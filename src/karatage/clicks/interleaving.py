"""The result of an interleaving experiment: which system users prefer, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karatage._shown import Shown
from karatage._version import __version__
from karatage.clicks.click_table import codes, sums
from karatage.clicks.interleaving_log import InterleavingLog, read_interleaving
from karatage.clicks.session_preference import SessionPreference, equal_sessions, session_preference
from karatage.stats import LEVEL, check_level

if TYPE_CHECKING:
    from rich.console import RenderableType

FEW_SESSIONS = 20
"""Fewer equal sessions than this are reported: the tests lean on them."""

MOST_OUTSIDE = 0.03
"""A larger share of clicks outside of their lists is a warning: positions may be counted in another way."""


@dataclass(frozen=True)
class Interleaving(Shown):
    """An interleaving experiment.

    Attributes:
        systems: the names of the two systems.
        method: `counts`, `team-draft` or `balanced`.
        preference: votes for the first system, with interval and tests.
        counts: impressions and sessions, sessions with a winner and without a click, impressions won by either system,
            tied and without a click.
        level: confidence level.
        dropped: what was left out or repaired.
        warnings: what a reader should know.
    """

    systems: tuple[str, str]
    method: str
    preference: SessionPreference
    counts: dict[str, int]
    level: float
    dropped: dict[str, int]
    warnings: tuple[str, ...]

    @property
    def winner(self) -> str | None:
        """The system that is significantly preferred, if one is."""
        found = self.preference
        if found.p is None or found.share is None or found.p >= 1 - self.level:
            return None
        return self.systems[0] if found.share > 0.5 else self.systems[1]

    @property
    def decided(self) -> float:
        """Share of the impressions that one system won."""
        return self.preference.votes / self.counts["impressions"]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        found = self.preference
        why = "no impression has a winner" if found.share is None else "needs two sessions with a winner"
        share: dict[str, float | str | None] = {"value": found.share, "low": found.low, "high": found.high}
        if found.low is None:
            share = {"value": found.share, ("undefined" if found.share is None else "withheld"): why}
        return {
            "systems": list(self.systems),
            "method": self.method,
            "winner": self.winner,
            "preference": share,
            "tests": {
                "t": {"p": found.p, "design_effect": found.design, "freedom": found.freedom},
                "sign": {"p": found.sign_p, "wins": found.wins, "losses": found.losses},
            },
            "counts": self.counts,
            "level": self.level,
            "dropped": self.dropped,
            "warnings": list(self.warnings),
            "provenance": {"karatage": __version__},
        }

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows: the preference, the tests, what was left out."""
        from karatage.reports import interleaving_parts

        return interleaving_parts(self)


def interleave(log: str | InterleavingLog, *, level: float = LEVEL, max_session: int | None = None) -> Interleaving:
    """Analyse an interleaving experiment by session.

    Args:
        log: File with one row per impression, or what was read from it.
        level: Confidence level.
        max_session: Leave out sessions with more impressions than this, when reading.
    """
    check_level(level)
    read = read_interleaving(log, max_session=max_session) if isinstance(log, str) else log
    first, second = (read.frame[name].to_numpy() for name in ("first", "second"))
    session = codes(read.frame["session"])
    count = int(session.max(initial=-1)) + 1
    won, lost = first > second, second > first
    votes = [sums(session, own, count) for own in (won, lost)]
    found = session_preference(votes[0], votes[1], level)
    counts = {
        "impressions": len(first),
        "sessions": count,
        "decided_sessions": found.sessions,
        "silent_sessions": int((sums(session, first + second, count) == 0).sum()),
        "first": int(won.sum()),
        "second": int(lost.sum()),
        "tied": int(((first == second) & (first > 0)).sum()),
        "no_clicks": int(((first == 0) & (second == 0)).sum()),
    }
    size = votes[0] + votes[1]
    return Interleaving(
        read.systems, read.method, found, counts, level, read.dropped, tuple(_warnings(read, found, size))
    )


def _warnings(read: InterleavingLog, found: SessionPreference, size: Any) -> Iterator[str]:
    if read.outside > MOST_OUTSIDE:
        wrong = "documents of neither ranking" if read.method == "balanced" else "positions outside of the result list"
        check = "document ids" if read.method == "balanced" else "how positions are counted"
        yield f"{read.outside:.1%} of the clicks are on {wrong}, so the result may be wrong: check {check}"
    yield from read.doubts
    if found.share is None:
        yield "no impression has a winner"
        return
    equal = equal_sessions(size[size > 0])
    if equal < FEW_SESSIONS:
        largest = size.max() / size.sum()
        yield (
            f"few sessions decide: {found.sessions:,} have a winner, with the weight of {equal:.0f} equal ones; the "
            f"largest has {largest:.0%} of the votes"
        )
    if read.method == "balanced":
        yield "balanced interleaving can favour one of two similar rankings; team-draft does not"


def votes_per_equal_session(found: SessionPreference) -> float:
    """Return how many votes an experiment has for each session of equal weight."""
    return found.votes / max(found.freedom + 1, 1.0)
