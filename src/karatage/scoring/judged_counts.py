"""The counts of units by gold and by a judge, side by side: which units have both, and how they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from karatage._arrays import Bools, Floats, Ints
from karatage.errors import InputError, UnitError
from karatage.metrics import Rows
from karatage.profiles import Profile
from karatage.scoring.nouns import Nouns, counted
from karatage.scoring.unit_counts import OrderedCounts, UnitRows
from karatage.stats import JudgedSampler, LabelledPart, Sampler

FEW_LABELLED = 30
"""Labelled units below which a reader is warned."""

_CLEARLY = 3.5
"""By how many standard errors labelled units differ from the others where they cannot be a random part of them."""

_ROUNDING = 1e-9
"""The relative difference between two means that is rounding."""


@dataclass(frozen=True, eq=False)
class JudgedUnits:
    """The units that a judge labelled, some of which have gold labels too.

    Attributes:
        place: for each unit that the judge labelled, its place in gold; -1 where it has no gold labels.
        part: which units are labelled, and their clusters and strata.
        strata: the stratum of each unit of gold, where there are strata.
        clusters: the cluster of each unit of gold, where there are clusters.
    """

    place: Ints
    part: LabelledPart
    strata: list[str] | None
    clusters: list[str] | None

    @classmethod
    def of(cls, gold: Sequence[str], judge: OrderedCounts, nouns: Nouns) -> JudgedUnits:
        """Find the units of gold, by their names, among those that the judge labelled."""
        number = {name: k for k, name in enumerate(gold)}
        place = np.array([number.get(name, -1) for name in judge.names], np.int64)
        found = set(place.tolist())
        lacking = [name for k, name in enumerate(gold) if k not in found]
        if lacking:
            what = f"{counted(len(lacking), nouns.unit)} of gold {'has' if len(lacking) == 1 else 'have'}"
            raise UnitError(
                f"{what} no labels of the judge, starting with this one",
                unit=lacking[0],
                hint=f"The judge's errors are measured on the {nouns.units} of gold: let it label them too",
            )
        part = LabelledPart(place >= 0, _codes(judge.clusters, len(place)), _codes(judge.strata, len(place), 0))
        _check(part, judge, nouns)
        back = np.zeros(len(gold), np.int64)
        back[place[place >= 0]] = np.flatnonzero(place >= 0)
        strata, clusters = (
            None if names is None else [names[k] for k in back.tolist()] for names in (judge.strata, judge.clusters)
        )
        return cls(place, part, strata, clusters)

    def placed(self, rows: Rows) -> Rows:
        """Add to each row of gold its stratum and its cluster."""
        return rows.placed(self.strata, self.clusters)

    def sampler(self, gold: Sequence[UnitRows], judge: Sequence[UnitRows], profile: Profile) -> JudgedSampler:
        """Return what estimates the scores of systems, each counted by gold and by the judge."""
        sides = [own for pair in zip(map(self._everywhere, gold), judge, strict=True) for own in pair]
        claims, *others = zip(*sides, strict=True)
        known = [[rows for rows in own if rows is not None] for own in others]
        tokens, types, means = (own if len(own) == len(sides) else None for own in known)
        schema, undefined = profile.schema, profile.undefined
        whole = Sampler(claims, tokens, means, types=types, schema=schema, undefined=undefined, merge=False)
        return JudgedSampler(whole, self.part)

    def _everywhere(self, gold: UnitRows) -> UnitRows:
        """Return rows of gold for all units, empty where there are no gold labels."""
        return UnitRows(*(None if rows is None else _spread(rows, self.place) for rows in gold))  # type: ignore[arg-type]  # claims stay

    def warnings(self, judge: UnitRows, nouns: Nouns) -> list[str]:
        """Say whether few units are labelled, and whether they differ from the others."""
        part = self.part
        count, drawn = int(part.labelled.sum()), len(part.drawn)
        if part.labelled.all():
            return [f"all {nouns.units} have gold labels, so the judge adds nothing"]
        noun = nouns.unit if self.clusters is None else "cluster"
        out = []
        if drawn < FEW_LABELLED:
            out.append(f"only {counted(drawn, noun)} with gold labels: the judge's errors are hardly known")
        per_unit = judge.claims.per_row()
        names = list(judge.claims.columns)
        some = per_unit[:, names.index("gold")] + per_unit[:, names.index("predicted")] > 0
        telling = len(np.unique(part.cluster[part.labelled & some]))
        if telling < FEW_LABELLED <= drawn:
            few = f"{counted(telling, noun)} with gold labels {'has' if telling == 1 else 'have'}"
            out.append(f"only {few} {nouns.claims}, the judge's or predicted: the judge's errors are hardly known")
        labelled = "labelled by the judge" if nouns.gold == "gold" else f"{nouns.gold} by the judge"
        for name, what in (("predicted", nouns.predicted), ("gold", labelled)):
            means, error = self._apart(per_unit[:, names.index(name)].astype(float))
            # Where all units have equally many, the means differ by rounding, and the error is rounding too.
            if count > 1 and abs(means[0] - means[1]) > _CLEARLY * error + _ROUNDING * max(means):
                out.append(
                    f"{nouns.units} with gold labels have {means[0]:.2f} {nouns.claims} {what} on average, the others "
                    f"{means[1]:.2f}: if gold is not a random part of them, these scores are off"
                )
                break
        return out

    def _apart(self, values: Floats) -> tuple[tuple[float, float], float]:
        """Return the means of labelled units and of the others, and the standard error of their difference."""
        part = self.part
        used = part.judged
        signed = np.where(part.labelled, part.share, -part.share) * used
        means = [float((part.share * values)[used & own].sum()) for own in (part.labelled, ~part.labelled)]
        sums = part.in_clusters(signed * part.centred(values))
        return (means[0], means[1]), float((sums**2).sum() ** 0.5)


def _codes(names: Sequence[str] | None, count: int, alone: int | None = None) -> Ints:
    """Number names; without any, units are all apart, or all of them have the number `alone`."""
    if names is not None:
        number: dict[str, int] = {}
        return np.array([number.setdefault(name, len(number)) for name in names], np.int64)
    return np.arange(count) if alone is None else np.full(count, alone, np.int64)


def _check(part: LabelledPart, judge: OrderedCounts, nouns: Nouns) -> None:
    if (part.stratum_of_cluster[part.cluster] != part.stratum).any():
        raise InputError("a cluster belongs to several strata", hint="Use either --cluster-by or --stratify-by")
    labelled = np.bincount(part.stratum, part.labelled)
    few = np.flatnonzero(labelled < 2)
    if judge.strata is not None and len(few):
        name = judge.strata[int(np.flatnonzero(part.stratum == few[0])[0])]
        raise InputError(
            f"fewer than two {nouns.units} of {judge.resampling.stratify_by} {name!r} have gold labels",
            hint="Label more of them, or leave out --stratify-by",
        )


def _spread(rows: Rows, place: Ints) -> Rows:
    """Return the rows at some places, an empty one where the place is -1."""
    ended = replace(
        rows,
        starts=np.append(rows.starts, rows.starts[-1]),
        times=np.append(rows.times, 1),
        stratum=np.append(rows.stratum, 0),
    )
    where: Bools = place < 0
    return ended.taken(np.where(where, len(rows), place), np.ones(len(place), np.int64))
