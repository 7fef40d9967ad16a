"""Why a claim is a suspect, in a sentence that a person understands."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from karatage._arrays import Ints
from karatage.explanation.gold_check.entity_columns import GoldData
from karatage.explanation.gold_check.oddities import OVERLAP, WHAT
from karatage.explanation.gold_check.scored_proposals import ScoredProposals

INCONSISTENT, BOUNDARY, SYSTEMS, ODD, COPIES = "inconsistent", "boundary", "systems", "odd", "copies"


def votes_of(data: GoldData, weighed: ScoredProposals) -> Ints:
    """Return how many systems agree with each proposal: they make the claim, or not the one that should go."""
    if weighed.votes is None:
        return np.zeros(len(weighed.total), np.int64)
    votes, proposals = weighed.votes, weighed.proposals
    same = np.append(votes.of_gold, -1)[proposals.gold]  # -1, no gold claim, picks the last
    made = np.append(votes.count, 0)
    out: Ints = np.where(proposals.entities.label < 0, len(data.systems) - made[same], made[weighed.voted])
    return out


def reasons(data: GoldData, weighed: ScoredProposals) -> Iterator[tuple[str, str]]:
    """Yield the kinds of evidence that speak for each suspect and the sentence, the strongest first."""
    proposals, entities = weighed.proposals, weighed.proposals.entities
    agree = votes_of(data, weighed)
    counts = _counts(weighed)
    columns = (proposals.gold, entities.label, weighed.forms, weighed.systems, weighed.odd, *counts)
    more = (proposals.copied, proposals.agree, proposals.copies, proposals.what, agree)
    moved = _moved(data, weighed)
    labels = (*data.labels, "")
    for row in zip(*(column.tolist() for column in (*columns, *more, moved)), strict=True):
        gold, label, forms, systems, odd, often, all_, copied, same, copies, what, voters, shift = row
        own = labels[data.gold.label[gold]] if gold >= 0 else ""
        new = labels[label]
        found: list[tuple[float, str, str]] = []
        if forms > 0 and copied >= forms:
            found.append((forms, COPIES, f"{_as(new)} in {same} of {copies} copies of this text, {_here(own)}"))
        elif forms > 0 and often:
            kind, text = _consistency(own, new, shift, often, all_)
            found.append((forms, kind, text))
        elif forms > 0:
            found.append((forms, INCONSISTENT, f"{_as(new)} is more likely in this context, {_here(own)}"))
        if systems > 0:
            found.append((systems, SYSTEMS, _systems(own, new, shift, voters, len(data.systems))))
        if what:
            found.append((odd, ODD if what == OVERLAP else BOUNDARY, WHAT[what]))
        found.sort(key=lambda one: (-one[0], one[1]))
        yield ", ".join(dict.fromkeys(kind for _, kind, _ in found)), "; ".join(text for _, _, text in found)


def _counts(weighed: ScoredProposals) -> tuple[Ints, Ints]:
    """Return how often the form is in the proposed state, and how often it occurs; 0 where nothing is known."""
    often, all_ = np.zeros((2, len(weighed.row)), np.int64)
    found = weighed.row >= 0
    if weighed.states is not None:
        often[found], all_[found] = weighed.states.counts(weighed.row[found], weighed.state[found])
    return often, all_


def _moved(data: GoldData, weighed: ScoredProposals) -> Ints:
    """Return how the proposed place lies to gold's: 1 longer, -1 shorter, 2 shifted, 0 the same or one is not there."""
    at, entities = weighed.proposals.gold, weighed.proposals.entities
    start, end = (np.append(column, -1)[at] for column in (data.gold.start, data.gold.end))
    longer = (entities.start <= start) & (entities.end >= end)
    shorter = (entities.start >= start) & (entities.end <= end)
    out = np.where(longer & shorter, 0, np.where(longer, 1, np.where(shorter, -1, 2)))
    return np.where((at < 0) | (entities.label < 0), 0, out)


_MOVED = {1: "longer", -1: "shorter", 2: "shifted"}


def _as(label: str) -> str:
    return label or "untagged"


def _here(label: str) -> str:
    return f"{_as(label)} here"


def _consistency(own: str, new: str, shift: int, often: int, all_: int) -> tuple[str, str]:
    times = f"in {often} of {all_} occurrences"
    if shift:
        opposite = {1: "shorter", -1: "longer"}.get(shift, "shifted")
        return BOUNDARY, f"{_MOVED[shift]} {times} ({new}), {opposite} here"
    return INCONSISTENT, f"{_as(new)} {times}, {_here(own)}"


def _systems(own: str, new: str, shift: int, voters: int, of: int) -> str:
    if not voters:  # those who agree with gold are what speaks against it
        return f"{own} is predicted here too, but most such predictions are wrong"
    who, s = (f"{voters} of {of} systems", "") if of > 1 else ("the system", "s")
    if not new:
        return f"{who} do{'es' if s else ''} not find this {own}"
    if shift:
        span = f"{who} predict{s} a {_MOVED[shift]} span"
        return span + (f" with the label {new}" if own != new else "")
    return f"{who} predict{s} {new}, {_here(own)}"
