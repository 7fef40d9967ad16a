"""What is odd in gold by itself: white space, overlaps of one label, unusual edges, copies of a text that differ.

At an edge, what counts is how often a word starts a claim of several words, against how often it stands before a claim
and outside of it; the same for ends. It leans on how often the word stands outside of claims at all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Bools, Floats, Ints
from karatage.explanation.gold_check.consistency import LEAN
from karatage.explanation.gold_check.entity_columns import EntityColumns, GoldData
from karatage.explanation.gold_check.proposals import Proposals
from karatage.explanation.gold_check.row_hashes import Index, logit, mix, overlaps, rows_of, spread
from karatage.explanation.gold_check.token_rows import TokenRows

WHAT = (
    "",
    "the word at its edge is mostly outside of entities",
    "the word next to it is mostly part of entities",
    "white space at its edge",
    "cuts a word",
    "overlaps another entity with the same label",
)
"""What may be odd about a claim, in words."""

TOO_LONG, TOO_SHORT, WHITE, CUT, OVERLAP = range(1, 6)

SHORTEST = 3
"""Texts of fewer tokens than this repeat by chance: that they do says nothing."""


def surprise(odd: Bools, label: Ints) -> Floats:
    """Return how rare it is that another claim of the same label is odd in the same way, as -log of its share."""
    every = (odd.sum() + 0.5) / (len(odd) + 1)
    rows = np.flatnonzero(odd)
    all_ = np.bincount(label)[label[rows]]
    out: Floats = -np.log((np.bincount(label[rows])[label[rows]] - 1 + LEAN * every) / (all_ - 1 + LEAN))
    return out


def _moved(data: GoldData, rows: Ints, place: tuple[Ints, Ints], evidence: Floats, what: int) -> Proposals:
    """Propose another start and end for some gold claims."""
    entities = EntityColumns(data.gold.unit[rows], data.gold.label[rows], *place, np.full(len(rows), -1, np.int64))
    return Proposals.of(rows, entities, odd=evidence, what=np.full(len(rows), what))


def of_places(data: GoldData) -> list[Proposals]:
    """Find claims that overlap another of their label; the shorter one is the suspect."""
    gold = data.gold
    start, end = data.line(gold)
    whole = gold.shape < 0
    one, other = overlaps(start, end, start, end)
    size = gold.end - gold.start
    longer = size[other] - size[one]
    real = (gold.label[one] == gold.label[other]) & whole[one] & whole[other]
    real &= (longer > 0) | ((longer == 0) & (other < one))
    odd = np.zeros(len(gold), bool)
    odd[one[real]] = True
    rows = np.flatnonzero(odd)
    what = np.full(len(rows), OVERLAP)
    return [Proposals.of(rows, EntityColumns.nothing(gold.unit[rows]), odd=surprise(odd, gold.label), what=what)]


def of_blanks(data: GoldData, token_rows: TokenRows) -> list[Proposals]:
    """Find white space at the edges of claims, and claims that end within a word."""
    gold = data.gold
    if token_rows.low is None:
        return []
    low, high, whole = token_rows.span(gold)
    there = np.flatnonzero(high > low)
    start, end = token_rows.place(low[there], high[there])
    moved = (start != gold.start[there]) | (end != gold.end[there])
    moved &= gold.shape[there] < 0
    out = []
    for what, kind in ((WHITE, whole[there]), (CUT, ~whole[there])):
        odd, kept = np.zeros(len(gold), bool), moved & kind
        odd[there] = kept
        out.append(_moved(data, there[kept], (start[kept], end[kept]), surprise(odd, gold.label), what))
    return out


def of_copies(data: GoldData, token_rows: TokenRows) -> list[Proposals]:
    """Find units with the same text of which some have a claim and some lack it."""
    gold = data.gold
    size = np.diff(token_rows.starts)
    every = token_rows.stretch(token_rows.starts[:-1], token_rows.starts[1:], as_written=True)
    text = np.where(size >= SHORTEST, every, np.uint64(0))
    if data.claims.space == "char" and data.texts is not None:
        # White space may differ: only the very same characters have the same places.
        text = np.where(size >= SHORTEST, mix(text, data.texts.texts.hash(0).to_numpy()), np.uint64(0))
    groups, number, copies = np.unique(text, return_inverse=True, return_counts=True)
    many = np.append((copies > 1) & (groups != 0), False)[number]
    rows = np.flatnonzero(many[gold.unit])
    same = mix(text[gold.unit[rows]], gold.start[rows], gold.end[rows], gold.shape[rows], gold.label[rows])
    have, all_ = Index.of(same).count(same), copies[number[gold.unit[rows]]]
    partly = have < all_
    rows, have, all_, same = rows[partly], have[partly], all_[partly], same[partly]
    less = np.log((all_ - have + 0.5) / (have - 0.5))
    gone = Proposals.of(rows, EntityColumns.nothing(gold.unit[rows]), copied=less, agree=all_ - have, copies=all_)
    # Each claim of a text once, put into every copy of the text, less the copies that have it.
    _, once = np.unique(same, return_index=True)
    order = np.argsort(number, kind="stable")
    first = np.searchsorted(number[order], number[gold.unit[rows[once]]])
    row, step = spread(all_[once])
    unit, claim = order[first[row] + step], rows[once][row]
    more = EntityColumns(unit, gold.label[claim], gold.start[claim], gold.end[claim], gold.shape[claim])
    lacks = rows_of(more.claim, gold.claim) < 0
    more = more.take(lacks)
    have, all_ = have[once][row][lacks], all_[once][row][lacks]
    odds = np.log((have + 0.5) / (all_ - have - 0.5))
    return [gone, Proposals.of(_partner(data, more), more, copied=odds, agree=have, copies=all_)]


def _partner(data: GoldData, entities: EntityColumns) -> Ints:
    """Return the gold claim that each proposal overlaps most, -1 for none."""
    row, claim = overlaps(*data.line(entities), *data.line(data.gold))
    order = np.lexsort((-claim, entities.shared(row, data.gold, claim)))
    out = np.full(len(entities), -1, np.int64)
    out[row[order]] = claim[order]
    return out


def of_edges(data: GoldData, token_rows: TokenRows) -> list[Proposals]:
    """Find claims that seem to be a word too long or too short, on either side or on both."""
    low, high, whole = token_rows.span(data.gold)
    inside = inside_of(token_rows, low, high)
    rows = np.flatnonzero(whole)
    low, high, unit = low[rows], high[rows], data.gold.unit[rows]
    outside = Index.of(token_rows.written[~inside])
    several = high - low > 1
    signs = _signs(token_rows, low, high)
    room = (low > token_rows.starts[unit], high < token_rows.starts[unit + 1])
    edges = ((low, low - 1), (high - 1, high))
    gain: list[Floats] = []
    out: list[Proposals] = []

    def resized(left: int, right: int, evidence: Floats, chosen: Bools, what: int) -> Proposals:
        place = token_rows.place(low[chosen] + left, high[chosen] + right)
        return _moved(data, rows[chosen], place, evidence[chosen], what)

    for (edge, beside), there, (down, up) in zip(edges, room, ((-1, 0), (0, 1)), strict=True):
        beside = np.where(there, beside, edge)
        free = there & ~inside[beside]
        own, other = Index.of(token_rows.written[edge[several]]), Index.of(token_rows.written[beside[free]])
        counts = own, other, outside
        leave = np.where(several & signs, logit(_outside(token_rows.written[edge], counts, here=0)), 0.0)
        join = np.where(free, -logit(_outside(token_rows.written[beside], counts, here=1)), 0.0)
        gain.append(leave)
        for what, evidence, (left, right) in ((TOO_LONG, leave, (-down, -up)), (TOO_SHORT, join, (down, up))):
            out.append(resized(left, right, evidence, evidence > 0, what))
    both = (gain[0] > 0) & (gain[1] > 0) & (high - low > 2)
    return [*out, resized(1, -1, gain[0] + gain[1], both, TOO_LONG)]


def _signs(token_rows: TokenRows, low: Ints, high: Ints) -> Bools:
    """Tell which claims may lose an edge: not those with a sign at one edge and its like inside, as brackets have."""
    sums = np.concatenate([[0], np.cumsum(~token_rows.word)])
    edges = (~token_rows.word[low]).astype(np.int64) + ~token_rows.word[high - 1]
    out: Bools = (edges != 1) | (sums[high] - sums[low] == 1)
    return out


def inside_of(token_rows: TokenRows, low: Ints, high: Ints) -> Bools:
    """Tell which tokens lie in a claim."""
    change = np.bincount(low, minlength=len(token_rows.key) + 1) - np.bincount(high, minlength=len(token_rows.key) + 1)
    out: Bools = np.cumsum(change)[:-1] > 0
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
