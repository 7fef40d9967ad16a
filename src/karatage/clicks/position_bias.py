"""How much less often a document is examined at a lower position.

The position-based model: a click needs a document that is examined and attractive, so P(click) = θ(rank) · α(query,
document). Both are estimated up to a factor; θ is 1 at the first rank. With n impressions of a pair at each rank, its C
clicks are spread over the ranks in proportion to n·θ, whatever α is. So θ solves

    Σ over pairs of (clicks at the rank - C · n θ(rank) / Σ n θ) = 0   for every rank,

the score of a multinomial likelihood, which is concave in log θ. Attractiveness has dropped out: pairs may have few
impressions each (no incidental parameters, which bias maximum likelihood), clicks may depend on each other within a
session, and better documents may be ranked higher. What it takes is that pairs are shown at several ranks for reasons
that have nothing to do with their clicks, and that ranks are linked: there is a finite, unique solution if, and only
if, clicks lead from every rank to every other through pairs that were shown at both (Ford 1957).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from karatage._arrays import Bools, Floats, Ints
from karatage.clicks.click_table import Cells, ClickTable

BiasMethod = Literal["pbm", "ctr"]

FEWEST_CLICKS = 10
"""Ranks with fewer clicks on pairs that were shown elsewhere too are not estimated."""

_ROUNDS = 100
_DONE = 1e-10


@dataclass(frozen=True)
class PositionBias:
    """The propensity of each rank to be examined, relative to the first.

    Attributes:
        method: `pbm`, or `ctr` for click rates by rank, which take documents at all ranks to be equally attractive.
        ranks: the ranks that are estimated, in order.
        propensity: the propensity of each, 1 for the first.
        covariance: covariance of the logarithms, clustered by session.
    """

    method: BiasMethod
    ranks: Ints
    propensity: Floats
    covariance: Floats

    def where(self, ranks: Ints) -> tuple[Bools, Ints]:
        """Return which of these ranks are estimated, and their indices."""
        at = np.minimum(np.searchsorted(self.ranks, ranks), len(self.ranks) - 1)
        return np.asarray(self.ranks[at] == ranks), at

    def ends(self, z: float) -> tuple[Floats, Floats]:
        """Return intervals of the propensities, z standard errors of the logarithm to each side."""
        reach = z * np.sqrt(np.maximum(np.diag(self.covariance), 0.0))  # rounding may put a 0 below
        return self.propensity * np.exp(-reach), self.propensity * np.exp(reach)


def linked_ranks(table: ClickTable) -> Ints:
    """Return the ranks between which position bias can be identified: of several groups, that with most clicks."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    cells = table.cells
    kept = np.ones(len(cells.ranks), bool)
    while True:
        use = _linking(cells, kept)
        shape = (len(cells.pairs), len(cells.ranks))
        shown = csr_array((np.ones(use.sum()), (cells.pair[use], cells.rank[use])), shape)
        clicked = csr_array(((cells.clicks[use] > 0).astype(float), (cells.pair[use], cells.rank[use])), shape)
        _, group = connected_components(clicked.T @ shown, directed=True, connection="strong")
        clicks = np.bincount(cells.rank[use], cells.clicks[use], len(cells.ranks))
        weight = np.bincount(group[kept], clicks[kept])
        inside = kept & (group == int(np.argmax(weight)))
        thin = inside & (clicks < FEWEST_CLICKS)
        if not thin.any():
            return np.asarray(cells.ranks[inside], np.int64)
        kept = inside & ~thin  # without them, pairs and links may go, so look again
        if not kept.any():
            return np.asarray(cells.ranks[kept], np.int64)


def _linking(cells: Cells, kept: Bools) -> Bools:
    """Return the cells of pairs that were clicked, and shown at two or more of the ranks."""
    use = kept[cells.rank]
    ranks = np.bincount(cells.pair[use], minlength=len(cells.pairs))
    clicks = np.bincount(cells.pair[use], cells.clicks[use], len(cells.pairs))
    return np.asarray(use & (ranks > 1)[cells.pair] & (clicks > 0)[cells.pair])


def position_based(table: ClickTable, ranks: Ints) -> PositionBias:
    """Estimate the propensities of ranks that are linked, with a covariance clustered by session."""
    rows = np.isin(table.rank, ranks)
    used = ClickTable(table.pair[rows], table.rank[rows], table.session[rows], table.clicked[rows])
    cells = used.cells
    log, shares, information = _solved(cells)
    propensity = np.exp(log)
    expected = cells.by_pair(cells.shown * propensity[cells.rank])
    rate = np.minimum(cells.by_pair(cells.clicks) / expected, 1 / propensity.max())
    cell, at = cells.of_row, cells.rank[cells.of_row]
    pair = cells.pair[cell]
    residual = used.clicked - propensity[at] * rate[pair]
    # The rate of a pair is made of its own rows, which draws residuals to 0: this undoes it for independent rows.
    residual /= np.sqrt(np.maximum(1 - propensity[at] / expected[pair], 1e-6))
    residual[(propensity[at] / expected[pair]) > 1 - 1e-9] = 0.0
    meat = _clustered(used.session, at, pair, residual, shares)
    bread = np.zeros_like(meat)
    bread[1:, 1:] = np.linalg.pinv(information[1:, 1:], hermitian=True)
    return PositionBias("pbm", cells.ranks, propensity, bread @ meat @ bread)


def _solved(cells: Cells) -> tuple[Floats, object, Floats]:
    """Return log θ by Newton's method, the shares of each pair's expected clicks by rank, and the information."""
    from scipy.sparse import csr_array

    total, clicks = cells.by_pair(cells.clicks), cells.by_rank(cells.clicks)
    shape = (len(cells.pairs), len(cells.ranks))

    def likelihood(log: Floats) -> float:
        expected = cells.by_pair(cells.shown * np.exp(log)[cells.rank])
        return float(clicks @ log - total @ np.log(expected))

    log = np.zeros(len(cells.ranks))
    best = likelihood(log)
    for _ in range(_ROUNDS):
        weight = cells.shown * np.exp(log)[cells.rank]
        share = weight / cells.by_pair(weight)[cells.pair]
        shares = csr_array((share, (cells.pair, cells.rank)), shape)
        told = cells.by_rank(total[cells.pair] * share)
        information = np.diag(told) - (shares.multiply(total[:, None]).T @ shares).toarray()
        step = np.zeros(len(log))
        step[1:] = np.linalg.lstsq(information[1:, 1:], (clicks - told)[1:], rcond=None)[0]
        while (value := likelihood(log + step)) < best - 1e-12 * abs(best):
            step /= 2
        log, best = log + step, value
        if np.abs(step).max(initial=0) < _DONE:
            break
    return log, shares, information


def _clustered(session: Ints, rank: Ints, pair: Ints, residual: Floats, shares: object) -> Floats:
    """Return the sum over sessions of the squared score: residual · (its rank - the shares of its pair)."""
    from scipy.sparse import csr_array

    sessions, own = np.unique(session, return_inverse=True)
    pairs, ranks = shares.shape  # type: ignore[attr-defined]  # a sparse matrix
    score = csr_array((residual, (own, rank)), (len(sessions), ranks))
    score = score - csr_array((residual, (own, pair)), (len(sessions), pairs)) @ shares
    meat = (score.T @ score).toarray()
    return np.asarray(meat * len(sessions) / max(len(sessions) - 1, 1), float)


def rank_rates(table: ClickTable) -> PositionBias:
    """Return click rates by rank, relative to the first rank with clicks: no correction for better documents on top."""
    from scipy.sparse import csr_array

    cells = table.cells
    shown, clicks = cells.by_rank(cells.shown), cells.by_rank(cells.clicks)
    known = clicks > 0
    at = np.cumsum(known) - 1
    own = at[np.searchsorted(cells.ranks, table.rank)]
    rate = clicks[known] / shown[known]
    rows = known[np.searchsorted(cells.ranks, table.rank)]
    sessions, session = np.unique(table.session, return_inverse=True)
    part = (table.clicked[rows] - rate[own[rows]]) / clicks[known][own[rows]]
    score = csr_array((part, (session[rows], own[rows])), (len(sessions), len(rate)))
    covariance = (score.T @ score).toarray() * len(sessions) / max(len(sessions) - 1, 1)
    turned = np.eye(len(rate))
    turned[:, 0] -= 1  # logarithms relative to that of the first rank
    return PositionBias("ctr", cells.ranks[known], rate / rate[0], turned @ covariance @ turned.T)
