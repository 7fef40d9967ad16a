"""What the systems say together, measured by how often gold confirms them.

A claim that systems make has a pattern: who makes it, who makes another claim that overlaps it, who says nothing.
The evidence of a pattern is the log-odds that gold confirms such a claim, counted over the corpus, so that systems that
err together get no more credit than they deserve. It is counted level by level, each leaning on the one before as much
as the data say::

    number of votes → pattern → pattern and label → pattern, label and how sure the systems are

A gold claim that no system sees is judged by how often no system sees claims of its label and of its form.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from karatage._arrays import Bools, Floats, Ints
from karatage.explanation.gold_check.consistency import LEAN
from karatage.explanation.gold_check.entity_columns import EntityColumns, GoldData
from karatage.explanation.gold_check.row_hashes import Keys, how_many, logit, mix, overlaps, rows_of

FEW = 4
"""Up to so many systems, a pattern says which; of more, only how many."""

MOST_LEAN = 1000.0
"""The most claims that a share from farther away counts for; `LEAN` is the least."""

BINS = 5
"""How many classes of confidence are told apart."""


@dataclass(frozen=True, eq=False)
class Votes:
    """The distinct claims of all systems.

    Attributes:
        data: gold and the systems.
        marks: the claims.
        by: which systems make each.
        gold: the gold claim that is the same, -1 where gold lacks it.
    """

    data: GoldData
    entities: EntityColumns
    by: Bools
    gold: Ints

    @classmethod
    def of(cls, data: GoldData) -> Votes:
        """Gather the claims of all systems."""
        joined = EntityColumns.join(data.systems)
        _, first, number = np.unique(joined.claim, return_index=True, return_inverse=True)
        by = np.zeros((len(first), len(data.systems)), bool)
        at = 0
        score = np.zeros(len(first)) if any(one.score is not None for one in data.systems) else None
        for number_of, system in enumerate(data.systems):
            own = number[at : at + len(system)]
            by[own, number_of] = True
            if score is not None:
                # Systems may use other scales: their ranks are what they have in common.
                score[own] += 0.5 if system.score is None else _ranks(system.score)
            at += len(system)
        sure = None if score is None else score / np.maximum(by.sum(1), 1)
        entities = replace(joined.take(first), score=sure)
        return cls(data, entities, by, rows_of(entities.claim, data.gold.claim))

    @cached_property
    def count(self) -> Ints:
        """How many systems make each claim."""
        out: Ints = self.by.sum(1)
        return out

    @cached_property
    def pattern(self) -> Ints:
        """Who makes each claim, and who makes another that overlaps it."""
        start, end = self.data.line(self.entities)
        other = np.stack([how_many(start, end, *self.data.line(system)) > 0 for system in self.data.systems], axis=1)
        role = np.where(self.by, 2, np.where(other, 1, 0))
        size = role.shape[1]
        if size > FEW:
            out: Ints = self.count * (size + 1) + (role == 1).sum(1)
            return out
        return np.asarray(role @ 3 ** np.arange(size), np.int64)

    @cached_property
    def confirmed(self) -> Floats:
        """How likely gold is to confirm each claim."""
        right = (self.gold >= 0).astype(np.float64)
        if not len(right):
            return right
        # Claims with fewer votes lean on nothing: those with more votes would make them look better than they are.
        own, all_ = np.bincount(self.count, right), np.bincount(self.count)
        out: Floats = ((own + 0.5) / (all_ + 1))[self.count]
        keys = [mix(self.pattern), mix(self.pattern, self.entities.label)]
        if self.entities.score is not None:
            keys.append(mix(keys[-1], (self.entities.score * BINS).astype(np.int64)))
        for key in keys:
            out = nearer(key, right, out)
        return out

    @cached_property
    def of_gold(self) -> Ints:
        """The systems' claim that is the same as each gold claim, -1 where there is none."""
        return rows_of(self.data.gold.claim, self.entities.claim)

    @cached_property
    def unseen(self) -> Bools:
        """Which gold claims no system sees: none makes a claim that overlaps it."""
        start, end = self.data.line(self.data.gold)
        seen = [how_many(start, end, *self.data.line(system)) > 0 for system in self.data.systems]
        out: Bools = ~np.logical_or.reduce(seen)
        return out

    def missed_by_label(self) -> Floats:
        """How likely it is, for each label, that no system sees a claim."""
        label = self.data.gold.label
        size = len(self.data.labels)
        every = (self.unseen.sum() + 0.5) / (len(label) + 1)
        missed = np.bincount(label[self.unseen], minlength=size)
        out: Floats = (missed + LEAN * every) / (np.bincount(label, minlength=size) + LEAN)
        return out

    def missed(self, form: Keys | None) -> Floats:
        """How likely it is that no system sees each gold claim, from the claims of its label and its form.

        Args:
            form: the form of each gold claim, where known; 0 for one without.
        """
        label, unseen = self.data.gold.label, self.unseen.astype(np.float64)
        out = np.full(len(label), (unseen.sum() + 0.5) / (len(label) + 1))
        out = nearer(mix(label), unseen, out)
        return out if form is None else np.where(form == 0, out, nearer(mix(label, form), unseen, out))

    def against(self) -> tuple[Ints, Ints]:
        """Return the claims that gold lacks, each with the gold claim that it should replace, or -1.

        That is the gold claim that shares most with it, unless a system that makes the one makes the other too.
        """
        lacking = np.flatnonzero(self.gold < 0)
        entities, gold = self.entities, self.data.gold
        row, claim = overlaps(*self.data.line(entities.take(lacking)), *self.data.line(gold))
        both = self.of_gold[claim]
        free = (both < 0) | ~(self.by[lacking[row]] & self.by[both]).any(1) if len(row) else both < 0
        row, claim = row[free], claim[free]
        here = lacking[row]
        same = gold.label[claim] == entities.label[here]
        order = np.lexsort((-claim, same, entities.shared(here, gold, claim)))
        out = np.full(len(lacking), -1, np.int64)
        out[row[order]] = claim[order]
        return lacking, out

    def evidence(self, gold: Ints, proposed: Ints, label: Ints, free: Bools, form: Keys | None) -> Floats:
        """Return what the systems say for each proposal against gold, as the log of a ratio.

        Args:
            gold: the gold claim, -1 where a claim is to be added.
            proposed: the systems' claim that is proposed, -1 where no system makes it or a claim is to be removed.
            label: the proposed label, -1 where a claim is to be removed.
            free: whether no system says anything at the place.
            form: the form of each gold claim, where known.
        """
        out = np.zeros(len(gold))
        made = proposed >= 0
        out[made] = logit(self.confirmed[proposed[made]])
        same = np.append(self.of_gold, -1)[gold]  # -1, no gold claim, picks the last
        kept = ~made & (same >= 0)
        out[kept] = -logit(self.confirmed[same[kept]])
        rest = ~made & (same < 0) & free
        removed, added = rest & (label < 0), rest & (gold < 0) & (label >= 0)
        out[removed] = -np.log(self.missed(form)[gold[removed]])
        out[added] = np.log(self.missed_by_label()[label[added]])
        return out


def nearer(key: Keys, yes: Floats, far: Floats) -> Floats:
    """Return the share of `yes` among all with the same key, leaning on the share from farther away.

    The row itself counts too, as gold has it: what was seen once should not speak against gold.

    How much it leans is told by the data: the less the shares of keys differ beyond chance, the more. That is the
    moment estimate of the beta-binomial's precision.

    Args:
        key: what is alike.
        yes: 1 or 0 for each row.
        far: the share to lean on, for each row.
    """
    _, number, all_ = np.unique(key, return_inverse=True, return_counts=True)
    own, expected, chance = (np.bincount(number, column) for column in (yes, far, far * (1 - far)))
    beyond = float(((own - expected) ** 2 - chance).sum())
    alike = min(max(beyond / max(float(((all_ - 1) * chance).sum()), 1e-9), 1 / (1 + MOST_LEAN)), 1 / (1 + LEAN))
    lean = 1 / alike - 1
    out: Floats = (own[number] + lean * far) / (all_[number] + lean)
    return out


def _ranks(score: Floats) -> Floats:
    """Return which share of the claims a system is less sure of than of each; one half where it does not say."""
    known = ~np.isnan(score)
    out = np.full(len(score), 0.5)
    out[known] = np.searchsorted(np.sort(score[known]), score[known]) / max(int(known.sum()), 1)
    return out
