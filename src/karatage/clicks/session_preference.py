"""Which of two systems users prefer, from sessions that each prefer one several times or never.

Each impression with a winner is a vote. Votes of one session are alike, so a share p of N votes is worth N/d
independent ones: the design effect d compares the variance between sessions with p(1-p)/N. That variance is the
jackknife's, which leaves out one session at a time and so is not fooled by a session that makes up most of the votes.
Student's t has as many degrees of freedom as sessions would have that share the votes equally.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from statistics import NormalDist

import numpy as np

from karatage._arrays import Floats
from karatage.stats import LEVEL, student, wilson


@dataclass(frozen=True)
class SessionPreference:
    """The share of votes for the first system.

    Attributes:
        share: the share; None without votes.
        low: lower end of its interval; None with fewer than two sessions.
        high: upper end of its interval.
        p: p-value of the t-type test, clustered by session, that both systems get half of the votes.
        sign_p: p-value of the sign test on sessions.
        votes: number of votes.
        sessions: number of sessions with votes.
        wins: sessions with more votes for the first system.
        losses: sessions with more votes for the second one.
        design: design effect.
        freedom: degrees of freedom.
    """

    share: float | None
    low: float | None
    high: float | None
    p: float | None
    sign_p: float | None
    votes: int
    sessions: int
    wins: int
    losses: int
    design: float
    freedom: float


def session_preference(first: Floats, second: Floats, level: float = LEVEL) -> SessionPreference:
    """Compare two systems by the votes for each in each session.

    Ten sessions with one vote each, eight for the first system: d = 1/(1 - 1/10) = 1.11 by the jackknife, t = (0.8 -
    0.5)/√(0.25 · 1.11/10) = 1.80 with 9 degrees of freedom, p = 0.105. The sign test gives p = 0.109.
    """
    size = first + second
    first, size = first[size > 0], size[size > 0]
    votes, sessions = float(size.sum()), len(size)
    net = 2 * first - size
    wins, losses = int((net > 0).sum()), int((net < 0).sum())
    share = float(first.sum()) / votes if votes else None
    if share is None or sessions < 2:
        return SessionPreference(
            share, None, None, None, None, round(votes), sessions, wins, losses, 1.0, max(sessions - 1.0, 0.0)
        )
    design = design_effect(first, size)
    freedom = max(equal_sessions(size) - 1, 1.0)
    worth = votes / design
    low, high = _ends(share, worth, freedom, level)
    return SessionPreference(
        share=share,
        low=low,
        high=high,
        p=_t_test(share, worth, freedom),
        sign_p=sign_test(wins, losses),
        votes=round(votes),
        sessions=sessions,
        wins=wins,
        losses=losses,
        design=design,
        freedom=freedom,
    )


def design_effect(first: Floats, size: Floats) -> float:
    """Return how much larger the variance of the share is than with independent votes; at least 1.

    Where all votes are for one system, sessions are taken to be of one mind.
    """
    votes, count = float(size.sum()), len(size)
    share = float(first.sum()) / votes
    alone = share * (1 - share) / votes
    if alone == 0:
        return float((size**2).sum()) / votes
    residual = (first - share * size) / (1 - size / votes) / votes
    return max(float((residual**2).sum()) * (count - 1) / count / alone, 1.0)


def equal_sessions(size: Floats) -> float:
    """Return how many sessions of equal size have as much weight."""
    squares = (size / size.max()) ** 2
    return float(squares.sum() ** 2 / (squares**2).sum())


def sign_test(wins: int, losses: int) -> float:
    """Return the exact two-sided p-value of so many wins and losses of a fair coin."""
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5))) if wins + losses else 1.0


def _t_test(share: float, worth: float, freedom: float) -> float:
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(share - 0.5) / sqrt(0.25 / worth)))


def _ends(share: float, worth: float, freedom: float, level: float) -> tuple[float, float]:
    """Return Wilson's interval, which holds a half just if the t-type test does not reject it."""
    quantile = 0.5 + level / 2
    worth *= (NormalDist().inv_cdf(quantile) / student(quantile, freedom)) ** 2
    low, high = wilson(share * worth, worth, level)
    return float(low), float(high)


def votes_for_power(
    preference: float, power: float, *, design: float = 1.0, per_session: float = inf, level: float = LEVEL
) -> int:
    """Return how many votes find a true preference with that power.

    The test rejects if the share is more than t·√(d/4N) from a half, and the share has a standard error of
    √(d·p(1-p)/N): N = d (t/2 + z √(p(1-p)))² / (p - ½)². For p = 0.55, a power of 80 % and d = 1, N = 783.

    Args:
        preference: true share of the votes for the better system.
        power: probability of detecting it.
        design: design effect.
        per_session: votes for each session of equal weight, for the degrees of freedom; infinity takes d for known.
        level: confidence level.
    """
    quantile, beta = 0.5 + level / 2, NormalDist().inv_cdf(power)
    t = NormalDist().inv_cdf(quantile)
    votes = 0.0
    for _ in range(50):  # more votes have more degrees of freedom: a few rounds settle it
        votes = design * (t / 2 + beta * sqrt(preference * (1 - preference))) ** 2 / (preference - 0.5) ** 2
        if per_session == inf:
            break
        t = student(quantile, max(votes / per_session - 1, 1.0))
    return int(np.ceil(votes))
