"""Decoding many units at once: the best tags, and the probability of each tag, among all valid tags of a unit.

Units are taken in batches, longest first, and all units of a batch go one token further at a time. An I stands only
behind B or I of its own label, so the tags are ordered into heads (O and every B), which may follow every tag, and
insides, each of which follows two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Rows = list["NDArray[np.int64]"]
"""Of each place in the units of a batch, the tokens there."""

_CELLS = 1 << 16
"""Scores of steps that are compared at once: they should stay in the processor's cache."""

_TINY = 1e-130
"""Nothing is taken for less probable than this at one token, so that no product becomes 0."""


@dataclass(frozen=True)
class Chain:
    """The tags that units may have, and the scores of steps between them.

    Attributes:
        codes: their codes in the tag set, heads first.
        heads: how many of them are heads.
        begins: for each inside, where in `codes` the B of its label stands.
        steps: the score of each tag (column) behind each tag (row); minus infinity where it may not stand there.
    """

    codes: NDArray[np.int64]
    heads: int
    begins: NDArray[np.int64]
    steps: NDArray[np.float64]

    @classmethod
    def of(cls, permitted: NDArray[np.bool_], follows: NDArray[np.bool_], steps: NDArray[np.float64]) -> Chain:
        """Make the chain of some tags of a tag set, where O is code 0 and B and I of each label follow each other.

        Args:
            permitted: which tags there are; O is always one, and I of a label is none without its B.
            follows: which tag (column) may stand behind which (row).
            steps: the scores of steps.
        """
        begins = np.flatnonzero(permitted[1::2]) * 2 + 1
        inside = begins[permitted[begins + 1]] + 1
        codes = np.concatenate([[0], begins, inside])
        part = np.ix_(codes, codes)
        own = np.where(follows[part], steps[part], -np.inf)
        return cls(codes, 1 + len(begins), 1 + np.searchsorted(begins, inside - 1), own)

    def best(self, scores: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the codes of the best tags of all tokens, by the Viterbi algorithm.

        Args:
            scores: the score of each of the chain's tags at each token.
            sizes: how many tokens each unit has.
        """
        out = np.zeros(len(scores), np.int64)
        before = np.ascontiguousarray(self.steps.T)
        for rows in _batches(sizes, _CELLS // (len(self.codes) * self.heads)):
            reached = self._reached(scores, rows)
            follower = np.zeros(0, np.int64)
            for own, total in zip(reversed(rows), reversed(reached), strict=True):
                total[: len(follower)] += before[follower]
                follower = total.argmax(1)
                out[own] = follower
        return self.codes[out]

    def _reached(self, scores: NDArray[np.float64], rows: Rows) -> list[NDArray[np.float64]]:
        """Return the score of the best tags up to each token, for each tag of that token."""
        heads, inside = self.heads, np.arange(self.heads, len(self.codes))
        to_heads = np.ascontiguousarray(self.steps[:, None, :heads])
        from_begin, from_inside = self.steps[self.begins, inside], self.steps[inside, inside]
        room = np.empty((len(self.codes), len(rows[0]), heads))
        here = scores[rows[0]]
        here[:, heads:] = -np.inf
        out = [here]
        for own in rows[1:]:
            last, here = here[: len(own)], scores[own]
            here[:, :heads] += np.add(last.T[:, :, None], to_heads, out=room[:, : len(own)]).max(0)
            here[:, heads:] += np.maximum(last[:, self.begins] + from_begin, last[:, heads:] + from_inside)
            out.append(here)
        return out

    def marginals(self, scores: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the probability of each of the chain's tags at each token, by the forward-backward algorithm."""
        out = np.zeros(scores.shape)
        possible = np.isfinite(self.steps)
        odds = np.where(possible, np.maximum(np.exp(self.steps - self.steps.max()), _TINY), 0.0)
        for rows in _batches(sizes, _CELLS // len(self.codes)):
            ahead = scores[rows[0]]
            ahead[:, self.heads :] = -np.inf
            out[rows[0]] = ahead
            for own in rows[1:]:
                ahead = np.log(_relative(ahead[: len(own)]) @ odds) + scores[own]
                out[own] = ahead
            behind = np.zeros((0, len(self.codes)))
            for own in reversed(rows):
                behind = np.concatenate([behind, np.zeros((len(own) - len(behind), len(self.codes)))])
                total = np.exp(out[own] + behind - (out[own] + behind).max(1, keepdims=True))
                out[own] = total / total.sum(1, keepdims=True)
                behind = np.log(_relative(scores[own] + behind) @ odds.T)
        return out


def _relative(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores as numbers of which the largest of a row is 1; what is impossible stays 0."""
    odds = np.exp(scores - scores.max(1, keepdims=True))
    return np.where(np.isneginf(scores), 0.0, np.maximum(odds, _TINY))


def _batches(sizes: NDArray[np.int64], most: int) -> Iterator[Rows]:
    """Yield batches of units: for each place in them the tokens there, those of longer units first."""
    starts = np.cumsum(sizes) - sizes
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] > 0]
    for at in range(0, len(order), max(most, 1)):
        units = order[at : at + max(most, 1)]
        ends = np.searchsorted(-sizes[units], -np.arange(sizes[units[0]]), "left")
        yield [starts[units[:end]] + place for place, end in enumerate(ends.tolist())]
