"""Slices of a test set of claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from karatage._arrays import Ints
from karatage.explanation.slices.slice_counts import Draws, SliceCounts, side_by_side
from karatage.explanation.slices.slices import Candidate, Scorer, Slice
from karatage.explanation.slices.slicings import Grouping, Known, groupings
from karatage.explanation.slices.training_forms import TrainingForms
from karatage.matching import Kind
from karatage.metrics import COUNTS, KINDS, Metric, Precision, Recall, Score, Tally, evaluate
from karatage.profiles import Profile
from karatage.scoring import Outcomes
from karatage.stats import Resampling


def slice_outcomes(
    outcomes: Outcomes,
    profile: Profile,
    resampling: Resampling,
    *,
    by: Sequence[str] = (),
    training: TrainingForms | None = None,
) -> list[Slice]:
    """Score parts of the test set and say which are worse or better than the rest.

    Gold claims are in a slice by what gold says of them, predictions by what they say themselves.

    Args:
        outcomes: what became of every claim.
        profile: how they were scored; its headline by label is the main measure.
        resampling: how intervals are made; without resamples there are no intervals and no tests.
        by: slicings, attributes of the units or expressions; left out, all slicings that apply.
        training: what the system was trained on, for the slicings by training data.
    """
    main = replace(profile.claims_label_headline, label=None, group=None)
    shares = {own.name: Metric(own, scenario=main.scenario) for own in (Precision(), Recall())}
    # The main measure stands last, and only once where it is one of the others.
    metrics = {name: metric for name, metric in shares.items() if metric != main} | {str(main): main}
    columns = COUNTS + (KINDS if main.scenario else ())
    counter = _Counter(outcomes, columns, Draws.of(outcomes.units, resampling))
    candidates: list[Candidate] = []
    for grouping in groupings(Known(outcomes, training), [by] if isinstance(by, str) else by):
        own = list(counter.candidates(grouping))
        if len(own) == 2 and counter.is_split(own):
            own[1] = replace(own[1], mirror=len(candidates))
        candidates += own
    return Scorer(metrics, _value, resampling, profile.undefined).slices(candidates)


def _value(metric: Metric, part: SliceCounts) -> Score:
    # Undefined stays undefined, whatever number the profile exports for it: a slice of nothing is not a bad one.
    return evaluate(metric, Tally(part.columns, part.layout.cells, part.totals[None]))


@dataclass(frozen=True, eq=False)
class _Column:
    """The claims that count in a column.

    Attributes:
        gold: whether they are gold claims.
        claims: which ones.
        unit: the unit of each.
    """

    gold: bool
    claims: Ints
    unit: Ints


class _Counter:
    """Counts the claims of groups by unit."""

    def __init__(self, outcomes: Outcomes, columns: tuple[str, ...], draws: Draws) -> None:
        self._columns, self._draws = columns, draws
        self._units = len(outcomes.units)
        self._counted = [_column(outcomes, name) for name in columns]
        self._whole = self._counts([column.unit for column in self._counted])

    def _counts(self, units: Sequence[Ints]) -> Ints:
        return np.stack([self._draws.counted(unit) for unit in units])

    def candidates(self, grouping: Grouping) -> Iterator[Candidate]:
        """Yield the groups that have anything in them."""
        codes = [(grouping.gold if column.gold else grouping.pred)[column.claims] for column in self._counted]
        for code, name in enumerate(grouping.names):
            units = [column.unit[own == code] for column, own in zip(self._counted, codes, strict=True)]
            counts = self._counts(units)
            inside = outside = None
            if grouping.unit is None:
                size = self._with_claims(counts, units)
            else:
                members = grouping.unit == code
                size = int(members.sum())
                inside, outside = (self._draws.counted(np.flatnonzero(own)) > 0 for own in (members, ~members))
            if not size:
                continue
            part = SliceCounts.of(self._columns, counts, self._draws, inside)
            others = SliceCounts.of(self._columns, self._whole - counts, self._draws, outside)
            both = side_by_side(self._columns, counts, self._whole - counts, self._draws)
            shown = dict(zip(COUNTS[:3], part.totals[:3].tolist(), strict=True))
            yield Candidate(grouping.by, name, size, shown, part=part, others=others, both=both)

    def _with_claims(self, counts: Ints, units: Sequence[Ints]) -> int:
        """Return how many units have a claim among some."""
        if self._draws.row is None:
            return int(((counts[0] > 0) | (counts[1] > 0)).sum())
        there = np.zeros(self._units, bool)
        for own in units[:2]:
            there[own] = True
        return int(there.sum())

    def is_split(self, both: Sequence[Candidate]) -> bool:
        """Tell whether two slices are each other's rest."""
        first, second = both
        return all(
            np.array_equal(one, other)
            for one, other in (
                (first.others.matrix, second.part.matrix),
                (first.others.times, second.part.times),
                (second.others.matrix, first.part.matrix),
                (second.others.times, first.part.times),
            )
        )


_KINDS = {"correct": Kind.CORRECT, "type": Kind.TYPE, "boundary": Kind.BOUNDARY, "both": Kind.BOTH}


def _column(outcomes: Outcomes, name: str) -> _Column:
    """Find the claims that count in a column of a tally."""
    gold = name in ("gold", "correct", "missed") or name.startswith("gold_")
    claims = outcomes.gold if gold else outcomes.pred
    chosen = claims >= 0
    kind = name.partition("_")[2]
    if name in ("correct", "hits"):
        chosen = chosen & outcomes.credited
    elif name in ("missed", "spurious"):
        chosen = chosen & (outcomes.kind == (Kind.MISSED if gold else Kind.SPURIOUS))
    elif kind:
        chosen = chosen & (outcomes.kind == _KINDS[kind])
    return _Column(gold, claims[chosen], outcomes.unit[chosen])
