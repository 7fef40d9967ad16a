"""Slices of a test set of claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from karatage._arrays import Ints
from karatage.explanation.drawn_rows import Placing
from karatage.explanation.slices.facts import Attributes
from karatage.explanation.slices.slice_counts import Draws, SliceCounts, side_by_side
from karatage.explanation.slices.slice_gathering import UNITS, Sliced, SliceGathering
from karatage.explanation.slices.slices import Candidate, Scorer, Slice
from karatage.explanation.slices.slicings import LABELS
from karatage.explanation.slices.training_forms import TrainingForms
from karatage.metrics import COUNTS, Metric, Precision, Recall, Score, Tally, evaluate
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
    pair = outcomes.claims
    counts = np.bincount(np.concatenate([pair.gold_label, pair.pred_label]), minlength=len(pair.labels)).tolist()
    labels = frequent_labels(dict(zip(pair.labels, counts, strict=True)))
    by = [by] if isinstance(by, str) else by
    gathering = SliceGathering(main_measure(profile), by, training, Attributes.of([outcomes.units]), labels)
    placing = Placing(resampling)
    gathering.add(outcomes, placing.of(outcomes.units))
    placing.check()
    return score_slices(gathering, profile, resampling)


def main_measure(profile: Profile) -> Metric:
    """Return what slices are compared by: the profile's headline by label, over all labels."""
    return replace(profile.claims_label_headline, label=None, group=None)


def frequent_labels(counts: Mapping[str, int]) -> frozenset[str] | None:
    """Return the labels that are slices of their own, where there are too many; None for all of them."""
    if len(counts) <= LABELS:
        return None
    names = sorted(counts, key=lambda name: (-counts[name], name))
    return frozenset(names[: LABELS - 1])


def score_slices(gathering: SliceGathering, profile: Profile, resampling: Resampling) -> list[Slice]:
    """Score the slices that were gathered, and test each against the rest."""
    main = gathering.main
    shares = {own.name: Metric(own, scenario=main.scenario) for own in (Precision(), Recall())}
    # The main measure stands last, and only once where it is one of the others.
    metrics = {name: metric for name, metric in shares.items() if metric != main} | {str(main): main}
    candidates: list[Candidate] = []
    for sliced in gathering.sliced:
        own = list(_candidates(sliced, gathering.columns))
        if len(own) == 2 and _is_split(own):
            own[1] = replace(own[1], mirror=len(candidates))
        candidates += own
    return Scorer(metrics, _value, resampling, profile.undefined).slices(candidates)


def _value(metric: Metric, part: SliceCounts) -> Score:
    # Undefined stays undefined, whatever number the profile exports for it: a slice of nothing is not a bad one.
    return evaluate(metric, Tally(part.columns, part.layout.cells, part.totals[None]))


def _candidates(sliced: Sliced, columns: tuple[str, ...]) -> Iterator[Candidate]:
    """Yield the groups that have anything in them."""
    rows = sliced.rows
    draws = Draws(len(rows), None, rows.stratum, rows.strata, rows.times)
    first = rows.columns.index(UNITS) + 1
    every = rows.per_row().T
    whole = every[first:]
    for name in sliced.names:
        counted = _counted(sliced, name)
        counts, members = counted[first:], counted[first - 1]
        size = int(members @ rows.times)
        if not size:
            continue
        inside = outside = None
        if sliced.of_units:
            inside, outside = members > 0, every[first - 1] > members
        part = SliceCounts.of(columns, counts, draws, inside)
        others = SliceCounts.of(columns, whole - counts, draws, outside)
        both = side_by_side(columns, counts, whole - counts, draws)
        shown = dict(zip(COUNTS[:3], part.totals[:3].tolist(), strict=True))
        yield Candidate(sliced.by, name, size, shown, part=part, others=others, both=both)


def _counted(sliced: Sliced, name: str) -> Ints:
    """Return the counts of a group in each row: for each column a number for each row."""
    rows = sliced.rows
    entries = rows.entries(sliced.cells(name))
    out = np.zeros((len(rows), len(rows.columns)), np.int64)
    np.add.at(out, rows.row[entries], rows.counts[entries])  # a group of several values has several entries
    return out.T


def _is_split(both: Sequence[Candidate]) -> bool:
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
