"""Words at the edges of claims that mostly stand outside of claims, and words beside claims that mostly belong to them.

What counts is the choice at an edge: how often a word starts a claim of several words, against how often it stands
before a claim and outside of it; the same for ends. It leans on how often the word stands outside of claims at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karatage.explanation.gold_check.atoms import Atoms
from karatage.explanation.gold_check.consistency import LEAN
from karatage.explanation.gold_check.keys import Index, logit
from karatage.explanation.gold_check.marks import Ground, Marks
from karatage.explanation.gold_check.odd import TOO_LONG, TOO_SHORT, Oddities, odd_claims

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karatage.explanation.gold_check.keys import Floats, Ints


def of_edges(ground: Ground, atoms: Atoms) -> list[Oddities]:
    """Find claims that seem to be a word too long or too short, on either side or on both."""
    low, high, whole = atoms.span(ground.gold)
    inside = _inside(atoms, low, high)
    rows = np.flatnonzero(whole)
    low, high, unit = low[rows], high[rows], ground.gold.unit[rows]
    outside = Index.of(atoms.key[~inside])
    several = high - low > 1
    signs = _signs(atoms, low, high)
    room = (low > atoms.starts[unit], high < atoms.starts[unit + 1])
    edges = ((low, low - 1), (high - 1, high))
    gain: list[Floats] = []
    out: list[Oddities] = []
    for (edge, beside), there, (down, up) in zip(edges, room, ((-1, 0), (0, 1)), strict=True):
        beside = np.where(there, beside, edge)
        free = there & ~inside[beside]
        own, other = Index.of(atoms.key[edge[several]]), Index.of(atoms.key[beside[free]])
        counts = own, other, outside
        leave = np.where(several & signs, logit(_outside(atoms.key[edge], counts, here=0)), 0.0)
        join = np.where(free, -logit(_outside(atoms.key[beside], counts, here=1)), 0.0)
        gain.append(leave)
        for what, evidence, (left, right) in ((TOO_LONG, leave, (-down, -up)), (TOO_SHORT, join, (down, up))):
            out.append(_changed(ground, atoms, rows, (low + left, high + right), evidence, evidence > 0, what))
    both = (gain[0] > 0) & (gain[1] > 0) & (high - low > 2)
    return [*out, _changed(ground, atoms, rows, (low + 1, high - 1), gain[0] + gain[1], both, TOO_LONG)]


def _signs(atoms: Atoms, low: Ints, high: Ints) -> NDArray[np.bool_]:
    """Tell which claims may lose an edge: not those with a sign at one edge and its like inside, as brackets have."""
    sums = np.concatenate([[0], np.cumsum(~atoms.word)])
    edges = (~atoms.word[low]).astype(np.int64) + ~atoms.word[high - 1]
    out: NDArray[np.bool_] = (edges != 1) | (sums[high] - sums[low] == 1)
    return out


def _inside(atoms: Atoms, low: Ints, high: Ints) -> NDArray[np.bool_]:
    """Tell which atoms lie in a claim."""
    change = np.bincount(low, minlength=len(atoms.key) + 1) - np.bincount(high, minlength=len(atoms.key) + 1)
    out: NDArray[np.bool_] = np.cumsum(change)[:-1] > 0
    return out


def _outside(key: NDArray[np.uint64], counts: tuple[Index, Index, Index], *, here: int) -> Floats:
    """Return how likely a word is to stand outside at such an edge, without the place itself.

    Args:
        key: the words.
        counts: how often each is at this edge of a claim, beside it, and outside at all.
        here: 0 where the word is in the claim, 1 where it stands beside it.
    """
    own, beside, out = (one.count(key).astype(np.float64) for one in counts)
    # The floor is for places that are no such edge: what is told of them is not used.
    own, beside, out = (np.maximum(one - less, 0) for one, less in ((own, here == 0), (beside, here), (out, here)))
    general = (out + 0.5) / (out + own + 1)
    share: Floats = (beside + LEAN * general) / (own + beside + LEAN)
    return share


def _changed(
    ground: Ground,
    atoms: Atoms,
    rows: Ints,
    place: tuple[Ints, Ints],
    evidence: Floats,
    chosen: NDArray[np.bool_],
    what: int,
) -> Oddities:
    at = rows[chosen]
    start, end = atoms.place(place[0][chosen], place[1][chosen])
    marks = Marks(ground.gold.unit[at], ground.gold.label[at], start, end, np.full(len(at), -1, np.int64))
    return odd_claims(at, marks, evidence[chosen], what)
