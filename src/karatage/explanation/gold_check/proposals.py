"""Changes to gold from all sources in one table, with what each kind of evidence says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Floats, Ints
from karatage.explanation.gold_check.atoms import Atoms
from karatage.explanation.gold_check.consistency import Consistency
from karatage.explanation.gold_check.keys import mix, rows_of
from karatage.explanation.gold_check.marks import GoldData, Marks
from karatage.explanation.gold_check.oddities import Oddities
from karatage.explanation.gold_check.votes import Votes

_PLACE = ("unit", "label", "start", "end", "shape")


@dataclass(frozen=True, eq=False)
class Proposals:
    """Changes to gold.

    Attributes:
        gold: the gold claim, -1 where one is to be added.
        marks: what is proposed; a label of -1 where a claim is to be removed.
        odd, what: the evidence of something odd, and what it is.
        copied, agree, copies: the evidence of copies of the text, how many agree and how many there are;
            -inf where there are none.
    """

    gold: Ints
    marks: Marks
    odd: Floats = field(default_factory=lambda: np.zeros(0))
    what: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    copied: Floats = field(default_factory=lambda: np.zeros(0))
    agree: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    copies: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    def __len__(self) -> int:
        return len(self.gold)

    def take(self, rows: NDArray[Any]) -> Proposals:
        """Return some of them."""
        own = {one.name: getattr(self, one.name)[rows] for one in fields(self) if one.name != "marks"}
        return Proposals(marks=_take(self.marks, rows), **own)

    @classmethod
    def join(cls, parts: Sequence[Proposals], data: GoldData) -> Proposals:
        """Put proposals together, each change once; what would change nothing is left out."""
        marks = Marks(*(np.concatenate([getattr(one.marks, name) for one in parts]) for name in _PLACE))
        rest = [one.name for one in fields(cls) if one.name != "marks"]
        whole = cls(marks=marks, **{name: np.concatenate([getattr(one, name) for one in parts]) for name in rest})
        _, first, number = np.unique(mix(marks.claim, whole.gold), return_index=True, return_inverse=True)
        strongest: dict[str, Any] = {}
        for name, others in (("odd", ("what",)), ("copied", ("agree", "copies"))):
            best = np.lexsort((getattr(whole, name), number))
            best = best[np.append(np.diff(number[best]) > 0, True)] if len(best) else best
            strongest |= {one: getattr(whole, one)[best] for one in (name, *others)}
        once = replace(whole.take(first), **strongest)
        return once.take((once.marks.label < 0) | (rows_of(once.marks.claim, data.gold.claim) < 0))


def _take(marks: Marks, rows: NDArray[Any]) -> Marks:
    return Marks(*(getattr(marks, name)[rows] for name in _PLACE))


def _plain(gold: Ints, marks: Marks) -> Proposals:
    none = np.zeros(len(gold), np.int64)
    return Proposals(gold, marks, np.zeros(len(gold)), none, np.full(len(gold), -np.inf), none, none)


def from_forms(data: GoldData, states: Consistency, atoms: Atoms | None) -> Proposals:
    """Propose the likeliest other state of forms that gold has in several."""
    seen = states.seen
    row, state = states.proposals()
    gone = state == seen.untagged
    part = np.maximum(state - seen.untagged - 1, 0)
    inner = np.append(seen.inner, [[0, 0, 0]], axis=0)[np.where(state > seen.untagged, part, -1)]
    label = np.where(state < seen.untagged, state, inner[:, 0])
    first = seen.first[row] + inner[:, 1]
    last = np.where(state > seen.untagged, seen.first[row] + inner[:, 2], seen.last[row])
    if atoms is None:
        start, end = data.gold.start[seen.gold[row]], data.gold.end[seen.gold[row]]
    else:
        start, end = atoms.place(first, last)
    nothing = np.full(len(row), -1, np.int64)
    label, start, end = (np.where(gone, -1, column) for column in (label, start, end))
    return _plain(seen.gold[row], Marks(seen.unit[row], label, start, end, nothing))


def from_votes(votes: Votes) -> Proposals:
    """Propose what systems claim and gold lacks, and to remove what no system sees."""
    lacking, instead = votes.against()
    unseen = np.flatnonzero(votes.unseen)
    nothing = np.full(len(unseen), -1, np.int64)
    gone = Marks(votes.data.gold.unit[unseen], nothing, nothing, nothing, nothing)
    added = _take(votes.marks, lacking)
    marks = Marks(*(np.concatenate([getattr(added, name), getattr(gone, name)]) for name in _PLACE))
    return _plain(np.concatenate([instead, unseen]), marks)


def from_odd(odd: Oddities) -> Proposals:
    """Take the changes that something odd suggests."""
    copied = odd.copies > 0
    return Proposals(
        odd.gold,
        odd.marks,
        np.where(copied, 0.0, odd.evidence),
        odd.what,
        np.where(copied, odd.evidence, -np.inf),
        odd.agree,
        odd.copies,
    )
