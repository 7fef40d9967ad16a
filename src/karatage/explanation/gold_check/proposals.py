"""Changes to gold from all sources in one table, with what each kind of evidence says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Floats, Ints
from karatage.explanation.gold_check.consistency import Consistency
from karatage.explanation.gold_check.entity_columns import EntityColumns, GoldData, in_line
from karatage.explanation.gold_check.row_hashes import mix, overlaps, rows_of
from karatage.explanation.gold_check.token_rows import TokenRows
from karatage.explanation.gold_check.votes import Votes


@dataclass(frozen=True, eq=False, kw_only=True)
class Proposals:
    """Changes to gold.

    Attributes:
        gold: the gold claim, -1 where one is to be added.
        marks: what is proposed; a label of -1 where a claim is to be removed.
        odd, what: the evidence of something odd, and what it is: an index into `oddities.WHAT`.
        copied, agree, copies: the evidence of copies of the text, how many agree and how many there are;
            -inf where there are none.
    """

    gold: Ints
    entities: EntityColumns
    odd: Floats
    what: Ints
    copied: Floats
    agree: Ints
    copies: Ints

    def __len__(self) -> int:
        return len(self.gold)

    @classmethod
    def of(cls, gold: Ints, entities: EntityColumns, **evidence: NDArray[Any]) -> Proposals:
        """Propose changes, with the evidence that is known already."""
        none = np.zeros(len(gold), np.int64)
        unknown = {"odd": none.astype(float), "what": none, "agree": none, "copies": none}
        return cls(gold=gold, entities=entities, **{"copied": np.full(len(gold), -np.inf), **unknown, **evidence})

    def take(self, rows: NDArray[Any]) -> Proposals:
        """Return some of them."""
        own = {one.name: getattr(self, one.name)[rows] for one in fields(self) if one.name != "entities"}
        return Proposals(entities=self.entities.take(rows), **own)

    @classmethod
    def join(cls, parts: Sequence[Proposals], data: GoldData) -> Proposals:
        """Put proposals together, each change once; what would change nothing is left out."""
        entities = EntityColumns.join([one.entities for one in parts])
        rest = [one.name for one in fields(cls) if one.name != "entities"]
        whole = cls(entities=entities, **{name: np.concatenate([getattr(one, name) for one in parts]) for name in rest})
        _, first, number = np.unique(mix(entities.claim, whole.gold), return_index=True, return_inverse=True)
        strongest: dict[str, Any] = {}
        for name, others in (("odd", ("what",)), ("copied", ("agree", "copies"))):
            best = np.lexsort((getattr(whole, name), number))
            best = best[np.append(np.diff(number[best]) > 0, True)] if len(best) else best
            strongest |= {one: getattr(whole, one)[best] for one in (name, *others)}
        once = replace(whole.take(first), **strongest)
        return once.take((once.entities.label < 0) | (rows_of(once.entities.claim, data.gold.claim) < 0))

    def gold_entities(self, gold: EntityColumns) -> EntityColumns:
        """Return the gold claims that are to be changed; a claim that is to be added has none."""
        # The last row stands for none, which -1 picks.
        columns = (np.append(column, -1)[self.gold] for column in (gold.label, gold.start, gold.end, gold.shape))
        return EntityColumns(self.entities.unit, *columns)

    def hull(self, gold: EntityColumns) -> tuple[Ints, Ints]:
        """Return where the place starts and ends that each change is about."""
        entities, old, far = self.entities, self.gold_entities(gold), np.iinfo(np.int64).max
        start = np.minimum(np.where(entities.label < 0, far, entities.start), np.where(self.gold < 0, far, old.start))
        end = np.maximum(np.where(entities.label < 0, -1, entities.end), np.where(self.gold < 0, -1, old.end))
        return start, end

    def ranked(self, gold: EntityColumns, total: Floats, least: float) -> Ints:
        """Order the changes that more speaks for than the least; of those that touch each other, the best stays."""
        start, end = self.hull(gold)
        # Changes may lie where no claim starts or ends, so their own places are numbered.
        start, end = in_line(np.unique([start, end]), self.entities.unit, start, end)
        rows = np.flatnonzero(total > least)
        rows = rows[np.lexsort((end[rows], start[rows], -total[rows]))]
        better, worse = overlaps(start[rows], end[rows], start[rows], end[rows])
        better, worse = better[better < worse], worse[better < worse]
        taken, waiting = np.zeros(len(rows), bool), np.ones(len(rows), bool)
        # All that nothing better touches are taken at once, what they touch is dropped: few rounds, whatever the size.
        while waiting.any():
            live = waiting[better] & waiting[worse]
            now = waiting.copy()
            now[worse[live]] = False
            taken |= now
            waiting &= ~now
            waiting[worse[now[better]]] = False
        return rows[taken]


def from_forms(data: GoldData, states: Consistency, token_rows: TokenRows | None) -> Proposals:
    """Propose the likeliest other state of forms that gold has in several."""
    seen = states.seen
    row, state = states.proposals()
    gone = state == seen.untagged
    part = np.maximum(state - seen.untagged - 1, 0)
    inner = np.append(seen.inner, [[0, 0, 0]], axis=0)[np.where(state > seen.untagged, part, -1)]
    label = np.where(state < seen.untagged, state, inner[:, 0])
    first = seen.first[row] + inner[:, 1]
    last = np.where(state > seen.untagged, seen.first[row] + inner[:, 2], seen.last[row])
    if token_rows is None:
        start, end = data.gold.start[seen.gold[row]], data.gold.end[seen.gold[row]]
    else:
        start, end = token_rows.place(first, last)
    nothing = np.full(len(row), -1, np.int64)
    label, start, end = (np.where(gone, -1, column) for column in (label, start, end))
    return Proposals.of(seen.gold[row], EntityColumns(seen.unit[row], label, start, end, nothing))


def from_votes(votes: Votes) -> Proposals:
    """Propose what systems claim and gold lacks, and to remove what no system sees."""
    lacking, instead = votes.against()
    unseen = np.flatnonzero(votes.unseen)
    gone = EntityColumns.nothing(votes.data.gold.unit[unseen])
    return Proposals.of(np.concatenate([instead, unseen]), EntityColumns.join([votes.entities.take(lacking), gone]))
