"""Errors planted in gold on trial: which evidence finds them says how much each kind of it should count.

How telling the kinds of evidence are differs from corpus to corpus. Systems that are right nearly always outweigh all
else; those that learned from little data do not. So a tenth of the gold claims is spoiled, in equal parts: another
label, another boundary, a claim dropped, a word marked that is no claim. The evidence is gathered for the spoiled gold,
and a logistic regression of "is at a planted error" on the three kinds of evidence gives their weights. What was wrong
in gold already counts as right there, which makes all weights smaller, but hardly one against the other.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from karatage._arrays import Bools, Floats, Ints
from karatage.explanation.gold_check.entity_columns import EntityColumns, GoldData, in_line
from karatage.explanation.gold_check.oddities import inside_of
from karatage.explanation.gold_check.proposal_evidence import ProposalEvidence
from karatage.explanation.gold_check.proposals import Proposals
from karatage.explanation.gold_check.row_hashes import how_many
from karatage.explanation.gold_check.token_rows import TokenRows

SHARE = 0.1
"""The share of the gold claims that is spoiled."""

FEWEST = 20
"""With fewer errors to plant there is no trial."""

ENOUGH, MOST_ROUNDS = 400, 5
"""How many errors are wanted, and in how many rounds at most they are planted: each starts from gold as it is."""

USUAL, LEAN_ON_USUAL = 0.5, 20.0
"""What a weight is before anything is learned, and how much it leans on that: the precision of a normal prior."""

_SHIFTS = np.array([(-1, 0), (1, 0), (0, -1), (0, 1)])


@dataclass(frozen=True, eq=False)
class SpoiledGold:
    """Gold with planted errors.

    Attributes:
        data: the spoiled gold with the systems.
        unit, start, end: where the errors are; a moved claim with its old and its new place.
    """

    data: GoldData
    unit: Ints
    start: Ints
    end: Ints

    def touched_by(self, proposals: Proposals) -> Bools:
        """Tell which changes of the spoiled gold are at a planted error."""
        start, end = proposals.hull(self.data.gold)
        places = np.unique(np.concatenate([start, end, self.start, self.end]))
        errors = in_line(places, self.unit, self.start, self.end)
        return how_many(*in_line(places, proposals.entities.unit, start, end), *errors) > 0


def weights_of_evidence(data: GoldData, token_rows: TokenRows | None, evidence: Collection[str]) -> Floats:
    """Return how much consistency, systems and oddity count, 1 on average; all alike if there is too little gold."""
    size = SHARE * len(data.gold)
    if size < FEWEST:
        return np.ones(3)
    rng = np.random.default_rng(0)
    columns, at_error = [], []
    for _ in range(min(math.ceil(ENOUGH / size), MOST_ROUNDS)):
        spoiled = spoil(data, token_rows, rng)
        found = ProposalEvidence.of(spoiled.data, token_rows, evidence)
        columns.append(found.columns)
        at_error.append(spoiled.touched_by(found.proposals))
    return learned(np.concatenate(columns), np.concatenate(at_error))


def learned(columns: Floats, at_error: Bools) -> Floats:
    """Return the weights of a logistic regression, none of them negative, scaled to 1 on average.

    A column that says nothing keeps the usual weight; the others lean on it.
    """
    from scipy.optimize import minimize

    wanted = at_error.astype(np.float64)

    def loss(given: Floats) -> tuple[float, Floats]:
        *weights, base = given
        x = columns @ weights + base
        away = np.array(weights) - USUAL
        value = np.logaddexp(0, x).sum() - (wanted * x).sum() + LEAN_ON_USUAL * (away**2).sum() / 2
        slope = 1 / (1 + np.exp(-x)) - wanted
        return float(value), np.append(columns.T @ slope + LEAN_ON_USUAL * away, slope.sum())

    bounds = [(0, None)] * columns.shape[1] + [(None, None)]
    start = np.append(np.full(columns.shape[1], USUAL), 0.0)
    weights: Floats = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x[:-1]
    mean = float(weights[columns.any(0)].mean()) if columns.any() else 0.0
    # Rounded, so that the order of a sum on some machine does not change the list.
    return np.round(weights / mean, 2) if mean > 0 else np.ones(columns.shape[1])


def spoil(data: GoldData, token_rows: TokenRows | None, rng: np.random.Generator) -> SpoiledGold:
    """Plant errors of all kinds; without texts, other labels and dropped claims only."""
    gold = data.gold
    rows = rng.permutation(len(gold))[: round(SHARE * len(gold))]
    parts = np.array_split(rows, 2 if token_rows is None else 4)
    relabelled, labels = _relabelled(gold, parts[0], rng)
    dropped = parts[1]
    changed = [relabelled, dropped]
    new = [replace(gold.take(relabelled), label=labels)]
    wide = [gold.take(relabelled), gold.take(dropped)]
    if token_rows is not None:
        rows, moved = _moved(gold, parts[2], token_rows, rng)
        old, added = gold.take(rows), _added(gold, len(parts[3]), token_rows, rng)
        changed.append(rows)
        new += [moved, added]
        wide += [replace(old, start=np.minimum(old.start, moved.start), end=np.maximum(old.end, moved.end)), added]
    kept = np.ones(len(gold), bool)
    kept[np.concatenate(changed)] = False
    spoiled = EntityColumns.join([gold.take(kept), *new])
    where = EntityColumns.join(wide)
    places = np.unique(np.concatenate([data.places, spoiled.start, spoiled.end]))
    return SpoiledGold(replace(data, gold=spoiled, places=places), where.unit, where.start, where.end)


def _relabelled(gold: EntityColumns, rows: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Draw other labels, as frequent as they are; claims for which the same one is drawn are left out."""
    labels = gold.label[rng.integers(max(len(gold), 1), size=len(rows))]
    other = labels != gold.label[rows]
    return rows[other], labels[other]


def _moved(
    gold: EntityColumns, rows: Ints, token_rows: TokenRows, rng: np.random.Generator
) -> tuple[Ints, EntityColumns]:
    """Make claims one token longer or shorter on one side, where there is room for it."""
    unit = gold.unit[rows]
    low, high, whole = token_rows.span(gold.take(rows))
    first, last = low[:, None] + _SHIFTS[:, 0], high[:, None] + _SHIFTS[:, 1]
    room = (first >= token_rows.starts[unit][:, None]) & (last <= token_rows.starts[unit + 1][:, None])
    taken = np.append(inside_of(token_rows, *token_rows.span(gold)[:2]), False)
    room &= (last > first) & whole[:, None]
    room[:, 0] &= ~taken[low - 1]
    room[:, 3] &= ~taken[high]
    way = (room * (1 - rng.random(room.shape))).argmax(1)
    some = np.flatnonzero(room.any(1))
    start, end = token_rows.place(first[some, way[some]], last[some, way[some]])
    none = np.full(len(some), -1, np.int64)
    return rows[some], EntityColumns(unit[some], gold.label[rows[some]], start, end, none)


def _added(gold: EntityColumns, count: int, token_rows: TokenRows, rng: np.random.Generator) -> EntityColumns:
    """Mark words that are in no claim, with a capital if there are enough."""
    free = token_rows.word & ~inside_of(token_rows, *token_rows.span(gold)[:2])
    capital = free & (token_rows.key != token_rows.written)
    words = np.flatnonzero(capital if capital.sum() >= 2 * count else free)
    first = rng.permutation(words)[:count]
    start, end = token_rows.place(first, first + 1)
    labels = gold.label[rng.integers(max(len(gold), 1), size=len(first))]
    return EntityColumns(token_rows.unit_of(first), labels, start, end, np.full(len(first), -1, np.int64))
