"""How many predicted values without offsets do not occur in the text of their unit: the ungrounded ones."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from karatage._arrays import Bools
from karatage.matching import (
    NOWHERE,
    WITHIN_TOKENS,
    Alignment,
    ClaimPair,
    Grounded,
    Pair,
    TaggedPair,
    absent,
    ground,
    texts_known,
)
from karatage.metrics import Metric, Score, Tally, evaluate, tally
from karatage.profiles import Profile
from karatage.scoring.nouns import Nouns
from karatage.scoring.unit_counts import CountCollector, DistinctCounts
from karatage.scoring.unit_examples import UnitExample
from karatage.stats import Resampling, Sampler, with_intervals

_COUNTED = ("repeated", "shared", "surplus", "other_form")
"""What grounding counts, by the names of its fields."""


class GroundedPair(NamedTuple):
    """A pair whose predictions have offsets, if values were to be found in the text.

    Attributes:
        pair: the pair.
        found: how they were found.
    """

    pair: Pair | TaggedPair
    found: Grounded | None = None

    @property
    def placed(self) -> bool:
        """Whether predicted values were found in the text."""
        return self.found is not None


def grounded(pair: Pair | TaggedPair, profile: Profile) -> GroundedPair:
    """Find predicted values without offsets in the text, if the profile says so and gold has offsets."""
    if profile.ground == "none" or isinstance(pair, TaggedPair) or pair.pred.space != "value":
        return GroundedPair(pair)
    if pair.gold.space == "value":
        return GroundedPair(pair)  # which the matching rule refuses
    found = ground(pair.gold, pair.pred, profile.ground, profile.form)
    return GroundedPair(Pair(pair.gold, found.claims), found)


class GroundingCounts:
    """Counts predicted values, and those that the text of their unit does not contain, by label.

    Grounded values are counted as correct, so that their share is a precision, with its intervals.

    Args:
        profile: how they are scored.
        nouns: what users call what is scored.
        collector: where the counts of each unit are wanted.
    """

    def __init__(self, profile: Profile, nouns: Nouns, collector: CountCollector | None) -> None:
        self._profile, self._nouns = profile, nouns
        self._total = Tally()
        self._collector = collector.fresh() if isinstance(collector, DistinctCounts) else None
        self._offsets = 0
        self._counts: Counter[str] = Counter()
        self._example: UnitExample | None = None

    def add(self, pair: ClaimPair, alignment: Alignment, found: GroundedPair) -> None:
        """Count a batch."""
        if found.found is not None:
            self._note(found.found)
        values = pair.pred.space == "value"
        if not values and not found.placed:
            self._offsets += len(pair.pred)
            return
        if values and pair.gold.units.texts is None and pair.pred.units.texts is None:
            return
        known = texts_known(pair.gold, pair.pred)[pair.pred.unit]
        there = ~self._absent(pair, alignment) if values else pair.pred.start != NOWHERE
        every = replace(pair.pred, tags=()).keep(known)
        rows = np.flatnonzero(there[known])
        own = ClaimPair.of(every.keep(rows), every)
        same = Alignment(np.arange(len(rows)), rows, np.zeros(len(rows), np.int64), np.ones(len(rows), bool))
        counted = tally(own, same, rows=self._collector is not None)
        if self._collector is not None:
            self._collector.add(pair.gold.units, counted)
        self._total = self._total + counted.without_rows()

    def _note(self, found: Grounded) -> None:
        within = int((found.claims.start == WITHIN_TOKENS).sum())
        self._counts.update({name: getattr(found, name) for name in _COUNTED}, within=within)
        if found.example is not None and self._example is None:
            self._example = UnitExample(*found.example)

    def shift(self, before: int) -> None:
        """Count the number of a unit from behind so many others."""
        self._example = None if self._example is None else self._example.moved(before)

    def _absent(self, pair: ClaimPair, alignment: Alignment) -> Bools:
        """Return which wrong values are not in the text; a correct one may be written otherwise there."""
        wrong = np.ones(len(pair.pred), bool)
        wrong[alignment.pred[alignment.credited]] = False
        rows = np.flatnonzero(wrong)
        out = np.zeros(len(pair.pred), bool)
        texts = pair.gold.units.texts if pair.gold.units.texts is not None else pair.pred.units.texts
        out[rows[absent(pair.pred, rows, texts or (), pair.form)]] = True
        return out

    def __iadd__(self, other: GroundingCounts) -> GroundingCounts:
        """Add what was counted of the part that follows."""
        self._total = self._total + other._total
        if self._collector is not None and other._collector is not None:
            self._collector += other._collector
        self._counts.update(other._counts)
        self._example = self._example or other._example
        self._offsets += other._offsets
        return self

    def finished(self) -> Tally | None:
        """Return the counts, with those of each unit if they were wanted; None if no value could be looked for."""
        if not self._total.facts:
            return None
        if self._collector is None:
            return self._total
        settled = self._collector.found.settle(self._collector.resampling)
        return self._collector.on(self._total, clustered=settled.cluster_by is not None)

    def warnings(self) -> list[str]:
        """Say what does not occur in the text, and what an option left out or did not change."""
        out = []
        total = self._total
        count = int(total.column("predicted").sum() - total.column("correct").sum())
        unit, claims = self._nouns.unit, self._nouns.claims
        where = "their text" if unit == "text" else f"the text of their {unit}"
        if count:
            what = "wrong predicted values" if self._profile.rule.of_values else f"predicted {claims}"
            out.append(f"{what} that do not occur in {where} (ungrounded): {count:,}")
        told = {
            "within": f"predicted {claims} in {where}, but not at the borders of tokens, which count as wrong "
            "(--normalize punctuation finds them if only punctuation is in the way)",
            "other_form": f"predicted {claims} that are in {where} in another Unicode normal form only "
            f"(e.g. {unit} {self._example}; --normalize unicode ignores it)",
            "surplus": f"predicted {claims} that are returned more often than they occur, which count as wrong",
            "repeated": f"predicted {claims} that repeat another one, which stands for all occurrences",
        }
        out += [f"{text}: {self._counts[name]:,}" for name, text in told.items() if self._counts[name]]
        if self._counts["shared"]:
            out.append(
                f"predicted {claims} with several types at the same occurrence, though {where} has more of them: "
                f"{self._counts['shared']:,} (--ground all places each type at all of them)"
            )
        if self._profile.ground != "none" and self._offsets:
            out.append("--ground has no effect: the predictions have offsets")
        elif self._profile.form and not self._profile.rule.of_values and self._profile.ground == "none":
            out.append("--normalize has no effect: spans are compared by their offsets")
        return out


def ungrounded_share(counted: Tally, profile: Profile, resampling: Resampling | None) -> Score:
    """Return the share of predicted values that their text does not contain, with an interval as of a precision."""
    metric = Metric.parse("precision")
    found = evaluate(metric, counted, profile.schema, None)
    if resampling is not None and found.undefined is None and counted.rows is not None:
        sampler = Sampler([counted.rows], None, None, schema=profile.schema, undefined=None)
        found = with_intervals({metric: found}, sampler, resampling)[metric]
    predicted, there = (int(counted.column(name).sum()) for name in ("predicted", "correct"))
    return replace(
        found,
        value=None if found.value is None else (predicted - there) / predicted,
        low=None if found.high is None else 1 - found.high,
        high=None if found.low is None else 1 - found.low,
    )
