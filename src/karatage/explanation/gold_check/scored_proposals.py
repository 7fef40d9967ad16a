"""The evidence on each proposed change, added up.

The score of a suspect is `1 / (1 + exp(-x))` with::

    x = log-odds of a prior rate of errors + consistency + systems + oddity

Each of the three is the log of how much likelier the proposal is than gold, from smoothed counts over the rest of the
corpus, and none counts for more than `MOST`. Adding them takes them as independent, and the prior is a guess. So the
score orders the list: it is not the probability that gold is wrong.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from karatage._arrays import Bools, Floats, Ints
from karatage.claims import TokenColumn
from karatage.explanation.gold_check.consistency import Consistency
from karatage.explanation.gold_check.entity_columns import EntityColumns, GoldData, in_line
from karatage.explanation.gold_check.occurrences import Occurrences
from karatage.explanation.gold_check.oddities import of_blanks, of_copies, of_edges, of_places
from karatage.explanation.gold_check.proposals import Proposals, from_forms, from_votes
from karatage.explanation.gold_check.row_hashes import Keys, how_many, mix, overlaps, rows_of
from karatage.explanation.gold_check.token_rows import TokenRows
from karatage.explanation.gold_check.votes import Votes

PRIOR = 0.02
"""The share of claims that is taken to be wrong before anything is looked at."""

MOST = 6.0
"""The most that one kind of evidence may say: odds of about 400 to 1."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoredProposals:
    """Proposed changes with their evidence, best first, no two of them at one place.

    Attributes:
        proposals: the changes.
        forms, systems, odd: what each kind of evidence says, as the log of a ratio.
        total: their sum with the prior's log-odds.
        row, state: the occurrence and its proposed state that the consistency is told from; -1 where there is none.
        voted: the systems' claim that is proposed, -1 for none.
        states, votes: what the evidence was counted from; None where it was not asked for.
    """

    proposals: Proposals
    forms: Floats
    systems: Floats
    odd: Floats
    total: Floats
    row: Ints
    state: Ints
    voted: Ints
    states: Consistency | None
    votes: Votes | None

    @property
    def score(self) -> Floats:
        """What ranks the list, from 0 to 1."""
        out: Floats = 1 / (1 + np.exp(-self.total))
        return out


def weigh(
    data: GoldData, tokens: TokenColumn | None, evidence: Collection[str], limit: int | None, least: float
) -> ScoredProposals:
    """Gather the proposed changes and add up their evidence."""
    token_rows = TokenRows.of(data, tokens)
    votes = Votes.of(data) if "systems" in evidence else None
    states, parts = None, []
    if "gold" in evidence:
        if data.valued or token_rows is not None:
            seen = Occurrences.of(data, token_rows) if token_rows is not None else Occurrences.of_values(data)
            states = Consistency(seen)
            parts.append(from_forms(data, states, token_rows))
        odd = [] if data.valued else of_places(data)
        if token_rows is not None:
            odd += [*of_edges(data, token_rows), *of_blanks(data, token_rows), *of_copies(data, token_rows)]
        parts += odd
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
    forms, systems, strange = (np.clip(one, -MOST, MOST) for one in (forms, systems, proposals.odd))
    total = forms + systems + strange
    order = _best(data, proposals, total, _odds(least) - _odds(PRIOR))[:limit]
    return ScoredProposals(
        proposals=proposals.take(order),
        forms=forms[order],
        systems=systems[order],
        odd=strange[order],
        total=total[order] + _odds(PRIOR),
        row=row[order],
        state=state[order],
        voted=voted[order],
        states=states,
        votes=votes,
    )


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
    useless |= moved & (states.forms[0].count(seen.form[row]) == 1)
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


def _hull(data: GoldData, proposals: Proposals) -> tuple[Ints, Ints]:
    """Return where the place starts and ends that a change is about."""
    entities, gold = proposals.entities, proposals.gold_entities(data.gold)
    far = np.iinfo(np.int64).max
    start = np.minimum(np.where(entities.label < 0, far, entities.start), np.where(proposals.gold < 0, far, gold.start))
    end = np.maximum(np.where(entities.label < 0, -1, entities.end), np.where(proposals.gold < 0, -1, gold.end))
    return start, end


def _free(data: GoldData, proposals: Proposals) -> Bools:
    """Tell where no system says anything."""
    start, end = in_line(data.places, proposals.entities.unit, *_hull(data, proposals))
    out = np.ones(len(proposals), bool)
    for system in data.systems:
        out &= how_many(start, end, *data.line(system)) == 0
    return out


def _odds(share: float) -> float:
    return float(np.log(share / (1 - share)))


def _best(data: GoldData, proposals: Proposals, total: Floats, least: float) -> Ints:
    """Order the changes that enough speaks for; of those that touch each other, the best stays."""
    start, end = _hull(data, proposals)
    # Changes may lie where no claim starts or ends, so their own places are numbered.
    start, end = in_line(np.unique([start, end]), proposals.entities.unit, start, end)
    rows = np.flatnonzero(total > least)
    rows = rows[np.lexsort((end[rows], start[rows], -total[rows]))]
    better, worse = overlaps(start[rows], end[rows], start[rows], end[rows])
    better, worse = better[better < worse], worse[better < worse]
    taken, waiting = np.zeros(len(rows), bool), np.ones(len(rows), bool)
    # All that nothing better touches are taken at once and what they touch is dropped: few rounds, whatever the size.
    while waiting.any():
        live = waiting[better] & waiting[worse]
        now = waiting.copy()
        now[worse[live]] = False
        taken |= now
        waiting &= ~now
        waiting[worse[now[better]]] = False
    return rows[taken]
