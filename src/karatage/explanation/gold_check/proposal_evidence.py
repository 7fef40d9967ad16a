"""What each kind of evidence says of the proposed changes, before it is added up."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Bools, Floats, Ints
from karatage.explanation.gold_check.consistency import Consistency
from karatage.explanation.gold_check.entity_columns import EntityColumns, GoldData, in_line
from karatage.explanation.gold_check.occurrences import Occurrences
from karatage.explanation.gold_check.oddities import of_blanks, of_copies, of_edges, of_places
from karatage.explanation.gold_check.proposals import Proposals, from_forms, from_votes
from karatage.explanation.gold_check.row_hashes import Keys, how_many, mix, rows_of
from karatage.explanation.gold_check.token_rows import TokenRows
from karatage.explanation.gold_check.votes import Votes

MOST = 6.0
"""The most that one kind of evidence may say: odds of about 400 to 1."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ProposalEvidence:
    """Proposed changes with what each kind of evidence says of them.

    Attributes:
        proposals: the changes.
        forms, systems, odd: what each kind of evidence says, as the log of a ratio, at most `MOST`.
        row, state: the occurrence and its proposed state that the consistency is told from; -1 where there is none.
        voted: the systems' claim that is proposed, -1 for none.
        states, votes: what the evidence was counted from; None where it was not asked for.
    """

    proposals: Proposals
    forms: Floats
    systems: Floats
    odd: Floats
    row: Ints
    state: Ints
    voted: Ints
    states: Consistency | None
    votes: Votes | None

    @classmethod
    def of(cls, data: GoldData, token_rows: TokenRows | None, evidence: Collection[str]) -> Self:
        """Gather the proposed changes and their evidence."""
        votes = Votes.of(data) if "systems" in evidence else None
        states, parts = _from_gold(data, token_rows) if "gold" in evidence else (None, [])
        if votes is not None:
            parts.append(from_votes(votes))
        proposals = Proposals.join(parts, data)
        row, state = _occurrences(data, token_rows, states, proposals)
        forms = np.zeros(len(proposals))
        found = row >= 0
        if states is not None:
            forms[found] = states.evidence(row[found], state[found])
        forms = np.where(found, np.maximum(forms, proposals.copied), np.maximum(proposals.copied, 0.0))
        voted, systems = np.full(len(proposals), -1, np.int64), np.zeros(len(proposals))
        if votes is not None:
            voted = np.where(proposals.entities.label < 0, -1, rows_of(proposals.entities.claim, votes.entities.claim))
            free = _free(data, proposals)
            form = _gold_forms(data, token_rows)
            systems = votes.evidence(proposals.gold, voted, proposals.entities.label, free, form)
        forms, systems, odd = (np.clip(one, -MOST, MOST) for one in (forms, systems, proposals.odd))
        return cls(
            proposals=proposals,
            forms=forms,
            systems=systems,
            odd=odd,
            row=row,
            state=state,
            voted=voted,
            states=states,
            votes=votes,
        )

    @property
    def columns(self) -> Floats:
        """The three kinds of evidence, one column each."""
        return np.stack([self.forms, self.systems, self.odd], axis=1)

    def taken(self, rows: NDArray[Any]) -> dict[str, Any]:
        """Return the fields of some of the changes."""
        whole = {"proposals": self.proposals.take(rows), "states": self.states, "votes": self.votes}
        return {
            one.name: getattr(self, one.name)[rows] for one in fields(ProposalEvidence) if one.name not in whole
        } | whole


def _from_gold(data: GoldData, token_rows: TokenRows | None) -> tuple[Consistency | None, list[Proposals]]:
    """Return what gold says by itself: the states of forms, and changes."""
    states, parts = None, [] if data.valued else of_places(data)
    if data.valued or token_rows is not None:
        seen = Occurrences.of(data, token_rows) if token_rows is not None else Occurrences.of_values(data)
        states = Consistency(seen)
        parts.append(from_forms(data, states, token_rows))
    if token_rows is not None:
        parts += [*of_edges(data, token_rows), *of_blanks(data, token_rows), *of_copies(data, token_rows)]
    return states, parts


def _occurrences(
    data: GoldData, token_rows: TokenRows | None, states: Consistency | None, proposals: Proposals
) -> tuple[Ints, Ints]:
    """Return the occurrence that tells of each change, and the state that the change would bring it into.

    Where one of the two places lies in the other, that is the longer one.
    """
    none = np.full(len(proposals), -1, np.int64)
    if states is None or not len(states.seen) or not len(proposals):
        return none, none
    seen, entities, gold = states.seen, proposals.entities, proposals.gold_entities(data.gold)
    (first, last, whole), (low, high, sound) = (_atoms_of(data, token_rows, one) for one in (entities, gold))
    added, removed = proposals.gold < 0, entities.label < 0
    outer = added | (~removed & (first <= low) & (high <= last))
    inner = ~outer & ~removed & (low <= first) & (last <= high)
    usable = np.where(outer, whole & (added | sound), sound & (removed | whole)) & (outer | inner | removed)
    key = np.where(outer, mix(first, last), mix(low, high))
    row = np.where(usable, rows_of(key, seen.place), -1)
    part = mix(entities.label, first - low, last - low)
    known = rows_of(part, mix(*seen.inner.T)) if len(seen.inner) else none
    state = np.where(known >= 0, known, len(seen.inner)) + seen.untagged + 1
    state = np.where(outer, entities.label, np.where(removed, seen.untagged, state))
    useless = seen.state[row] == state
    # A form that occurs once says nothing of its boundaries.
    moved = ~added & ~removed & ((first != low) | (last != high))
    useless |= moved & (states.counts(row, state)[1] == 1)
    return np.where(useless, -1, row), state


def _atoms_of(data: GoldData, token_rows: TokenRows | None, entities: EntityColumns) -> tuple[Ints, Ints, Bools]:
    known = entities.start >= 0
    if token_rows is None:
        place = np.where(known, entities.unit * (len(data.values) + 1) + entities.start, -1)
        return place, place + 1, known
    start, end = np.maximum(entities.start, 0), np.maximum(entities.end, 0)
    low, high, whole = token_rows.span(EntityColumns(entities.unit, entities.label, start, end, entities.shape))
    return low, high, whole & known


def _gold_forms(data: GoldData, token_rows: TokenRows | None) -> Keys | None:
    """Return the form of each gold claim; 0 for one without."""
    gold = data.gold
    if data.valued:
        return mix(gold.start)
    if token_rows is None:
        return None
    low, high, whole = token_rows.span(gold)
    return np.where(whole, token_rows.stretch(low, high), np.uint64(0))


def _free(data: GoldData, proposals: Proposals) -> Bools:
    """Tell where no system says anything."""
    start, end = in_line(data.places, proposals.entities.unit, *proposals.hull(data.gold))
    out = np.ones(len(proposals), bool)
    for system in data.systems:
        out &= how_many(start, end, *data.line(system)) == 0
    return out
