"""Decoding many units at once: the best valid tags (Viterbi) and tag probabilities (forward-backward).

Units are processed in batches, longest first, one token of every unit at a time. I only follows B or I of its label, so
tags are ordered into heads (O and every B), which may follow any tag, and insides, each of which follows two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import first_indices

Rows = list["NDArray[np.int64]"]
"""The tokens at each position of the units of a batch."""

_CELLS = 1 << 16
"""How many transition scores are compared at once; they should fit into the processor's cache."""

_TINY = 1e-130
"""The minimum probability at a token, so that no product becomes 0."""


@dataclass(frozen=True)
class Trellis:
    """The tags that units may have, and the scores of transitions between them.

    Attributes:
        codes: their codes in the tag set, heads first.
        heads: how many of them are heads.
        begins: for each inside, the index in `codes` of the B of its label.
        steps: the score of each tag (column) after each tag (row); minus infinity if it may not follow.
    """

    codes: NDArray[np.int64]
    heads: int
    begins: NDArray[np.int64]
    steps: NDArray[np.float64]

    @classmethod
    def of(cls, permitted: NDArray[np.bool_], follows: NDArray[np.bool_], steps: NDArray[np.float64]) -> Trellis:
        """Make a trellis of some tags of a tag set, in which O has code 0 and B and I of a label are adjacent.

        Args:
            permitted: which tags may occur; always O, and I only with the B of its label.
            follows: which tag (column) may follow which (row).
            steps: the scores of transitions.
        """
        begins = np.flatnonzero(permitted[1::2]) * 2 + 1
        inside = begins[permitted[begins + 1]] + 1
        codes = np.concatenate([[0], begins, inside])
        part = np.ix_(codes, codes)
        own = np.where(follows[part], steps[part], -np.inf)
        return cls(codes, 1 + len(begins), 1 + np.searchsorted(begins, inside - 1), own)

    def best(self, scores: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the codes of the best tags of all tokens by the Viterbi algorithm; a row of scores is a token."""
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
        """Return the score of the best tags up to each token, for each tag at that token."""
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
        """Return the probability of each tag of the trellis at each token, by the forward-backward algorithm."""
        out = np.zeros(scores.shape)
        possible = np.isfinite(self.steps)
        odds = np.where(possible, np.maximum(np.exp(self.steps - self.steps.max()), _TINY), 0.0)
        for rows in _batches(sizes, _CELLS // len(self.codes)):
            forward = scores[rows[0]]
            forward[:, self.heads :] = -np.inf
            out[rows[0]] = forward
            for own in rows[1:]:
                forward = np.log(_relative(forward[: len(own)]) @ odds) + scores[own]
                out[own] = forward
            backward = np.zeros((0, len(self.codes)))
            for own in reversed(rows):
                backward = np.concatenate([backward, np.zeros((len(own) - len(backward), len(self.codes)))])
                total = np.exp(out[own] + backward - (out[own] + backward).max(1, keepdims=True))
                out[own] = total / total.sum(1, keepdims=True)
                backward = np.log(_relative(scores[own] + backward) @ odds.T)
        return out


def _relative(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the exponentials of scores, scaled so that the largest of each row is 1; the impossible stays 0."""
    odds = np.exp(scores - scores.max(1, keepdims=True))
    return np.where(np.isneginf(scores), 0.0, np.maximum(odds, _TINY))


def _batches(sizes: NDArray[np.int64], most: int) -> Iterator[Rows]:
    """Yield batches of units: the tokens at each position, those of longer units first."""
    starts = first_indices(sizes)
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] > 0]
    for at in range(0, len(order), max(most, 1)):
        units = order[at : at + max(most, 1)]
        ends = np.searchsorted(-sizes[units], -np.arange(sizes[units[0]]), "left")
        yield [starts[units[:end]] + position for position, end in enumerate(ends.tolist())]
