"""Units by name: those on which systems differ most, and those that move a score most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from karatage._arrays import Floats
from karatage.metrics import Metric, values_in
from karatage.profiles import Profile
from karatage.scoring import JointCounts, RunRows

_NOTHING = 1e-12


def most_different(
    joint: JointCounts, runs: Mapping[str, list[int]], metric: Metric, profile: Profile
) -> list[dict[str, Any]]:
    """Return the units on which systems differ most, and what each adds to each system's score.

    Where the score is a mean over units, what it adds is its value.

    Args:
        joint: the counts of each unit.
        runs: the numbers of the runs of each system.
        metric: the score.
        profile: how it is computed.
    """
    rows, units = joint.listed
    named, by_run = ("value", _values(rows, metric)) if metric.per_unit else ("adds", _adds(rows, metric, profile))
    by_system = np.stack([by_run[:, own].mean(axis=1) for own in runs.values()], axis=1)
    reach = np.nan_to_num(by_system.max(axis=1) - by_system.min(axis=1))
    kinds, names = units.top(reach)
    counts = [own.of_rows(kinds) for own in rows.shown(metric)]
    out = []
    for k, name in enumerate(names):
        if reach[kinds[k]] <= _NOTHING:
            break
        row: dict[str, Any] = {"unit": name, "gold": int(counts[0][k, 0]), "systems": {}}
        for place, (system, own) in enumerate(runs.items()):
            means = [float(np.mean([counts[run][k, c] for run in own])) for c in (1, 2)]
            value = float(by_system[kinds[k], place])
            row["systems"][system] = {"predicted": means[0], "correct": means[1], named: value}
        out.append(row)
    return out


def moved(joint: JointCounts, run: int, profile: Profile, metric: Metric) -> tuple[list[str], Floats] | None:
    """Return the names of the units, or clusters, that move a score of a run most, and by how much.

    None where units cannot be listed by the metric.
    """
    if not joint.lists(metric):
        return None
    clustered = joint.settled.cluster_by is not None
    rows, units = joint.listed_clusters if clustered else joint.listed
    alone = RunRows(*(None if own is None else [own[run]] for own in rows)).sampler(profile, merge=False)
    moves = alone.evidence(metric, 0).moved[alone.population(metric).index]
    kinds, names = units.top(np.abs(moves))
    return [name.strip("\n") for name in names], moves[kinds]


def _adds(rows: RunRows, metric: Metric, profile: Profile) -> Floats:
    """Return how much a unit of each kind adds to the score of each run."""
    sampler = rows.sampler(profile, merge=False)
    population = sampler.population(metric)
    whole = sampler.values(metric, population.layout)(population.totals)
    out: Floats = (whole - sampler.influence(metric).values)[population.index]
    return out


def _values(rows: RunRows, metric: Metric) -> Floats:
    """Return the value of a unit of each kind in each run, of a metric that is a mean of such values."""
    return np.stack([values_in(own, metric) for own in rows.means or ()], axis=1)
