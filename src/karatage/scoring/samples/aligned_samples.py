"""The same samples of several logs, side by side: paired by their ids, and checked to be the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from karatage._arrays import Bools, Floats
from karatage.claims import Units
from karatage.errors import UnitError, UsageError
from karatage.metrics import Metric, logged_metric
from karatage.profiles import Profile
from karatage.samples import SampleScores

_CHOICES = "Use --missing ignore to leave such samples out, or --missing empty to score them 0"


@dataclass(frozen=True, eq=False)
class MeasuredRun:
    """The scores of a system in one run, or their means over epochs or runs.

    Attributes:
        units: the samples.
        values: the scores; NaN where there is none.
        warnings: what a reader of them should know.
        epochs: how many epochs or runs each score is a mean over.
    """

    units: Units
    values: Mapping[Metric, Floats]
    warnings: tuple[str, ...]
    epochs: int = 1


def logged_profile(systems: Mapping[str, SampleScores]) -> Profile:
    """Return the profile of logs: its metrics are those that all of them have."""
    first, *others = systems.values()
    common = [name for name in first.values if all(name in own.values for own in others)]
    if not common:
        raise UsageError(
            "the logs have no metric in common: "
            + "; ".join(f"{name} has {', '.join(own.values)}" for name, own in systems.items())
        )
    falling = {name for own in systems.values() for name in common if not own.rising.get(name, True)}
    metrics = {name: logged_metric(name, rising=name not in falling) for name in common}
    headline = first.headline if first.headline in metrics else common[0]
    about = "Scores that a log has already."
    return Profile("samples", about=about, metrics=metrics, logged=metrics, headline=headline)


class AlignedSamples:
    """The samples of one or several systems.

    Args:
        systems: the scores of each system.
        profile: which metrics count, and what to do about samples that a system lacks.
    """

    def __init__(self, systems: Mapping[str, SampleScores], profile: Profile) -> None:
        self._systems, self._profile = systems, profile
        several = any(len(set(own.tasks)) > 1 for own in systems.values())
        self._names = {name: _names(own, several) for name, own in systems.items()}
        order = sorted(systems)  # the same whatever the order in which systems are given
        self.ids = list(dict.fromkeys(name for system in order for name in self._names[system]))
        place = {name: k for k, name in enumerate(self.ids)}
        self._place = {
            system: np.array([place[name] for name in names], np.int64) for system, names in self._names.items()
        }
        if profile.units.check_text:
            self._check_contents(order)
        lacking = np.stack([self._lacking(system) for system in order])
        self._kept = self._keep(order, lacking)
        self._zeros = dict(zip(order, lacking, strict=True)) if profile.units.missing == "empty" else {}
        self.units = self._units(order)

    def runs(self, system: str, *, apart: bool) -> list[MeasuredRun]:
        """Return the runs of a system.

        Repeated answers to a sample are no runs: what differs between them is noise of the sample, which its mean over
        them has less of. Runs of a system that was trained several times also differ as a whole.

        Args:
            system: its name.
            apart: whether to return runs one by one, if all samples have all of them; else each score is their mean.
        """
        own, warnings = self._systems[system], self._warnings(system)
        columns = {metric: self._column(system, name) for name, metric in self._profile.metrics.items()}
        complete = not any(np.isnan(column).any() for column in columns.values())
        if len(own.epochs) > 1 and not complete:
            warnings.append("not all samples have all epochs, so each score is a mean over those that it has")
        if apart and complete and own.runs:
            found = [{metric: column[k] for metric, column in columns.items()} for k in range(len(own.epochs))]
            runs = [MeasuredRun(self.units, values, ()) for values in found]
            return [replace(runs[0], warnings=tuple(warnings)), *runs[1:]]
        means = {metric: _mean(column) for metric, column in columns.items()}
        return [MeasuredRun(self.units, means, tuple(warnings), len(own.epochs))]

    def _column(self, system: str, metric: str) -> Floats:
        """Return the scores in a metric by epoch, in the common order."""
        own = self._systems[system].values[metric]
        out = np.full((len(own), len(self.ids)), np.nan)
        out[:, self._place[system]] = own
        if system in self._zeros:
            out[:, self._zeros[system]] = np.nan_to_num(out[:, self._zeros[system]])
        kept: Floats = out[:, self._kept]
        return kept

    def _lacking(self, system: str) -> Bools:
        """Return which samples have no score of a system in a metric that counts."""
        out = np.zeros(len(self.ids), bool)
        for name in self._profile.metrics:
            known = np.zeros(len(self.ids), bool)
            known[self._place[system]] = ~np.isnan(self._systems[system].values[name]).all(axis=0)
            out |= ~known
        return out

    def _keep(self, order: Sequence[str], lacking: Bools) -> Bools:
        policy, every = self._profile.units.missing, np.ones(len(self.ids), bool)
        if policy == "ignore":
            kept: Bools = np.logical_not(np.any(lacking, axis=0))
            if not kept.any():
                raise UnitError("no sample has a score in all logs", source=self._systems[order[0]].source)
            return kept
        if policy == "error" and len(order) > 1 and lacking.any():
            number, sample = np.argwhere(lacking)[0].tolist()
            own = self._systems[order[number]]
            absent = sample not in set(self._place[order[number]].tolist())
            what = "has no such sample" if absent else "has no score for this sample"
            raise UnitError(
                f"system {order[number]} {what}, but another one has",
                source=own.source,
                unit=self.ids[sample],
                noun="sample",
                hint=_CHOICES,
            )
        return every

    def _check_contents(self, order: Sequence[str]) -> None:
        """Refuse samples with the same id that are about different things."""
        known: dict[int, tuple[str, str]] = {}
        for system in order:
            own = self._systems[system]
            for place, content in zip(self._place[system].tolist(), own.contents, strict=True):
                if content is None:
                    continue
                first, text = known.setdefault(place, (system, content))
                if text != content:
                    raise UnitError(
                        f"this sample is another one than in {self._systems[first].source}: {_apart(text, content)}",
                        source=own.source,
                        unit=self.ids[place],
                        noun="sample",
                        hint="Compare logs of the same data set, or use --ignore-text",
                    )

    def _units(self, order: Sequence[str]) -> Units:
        """Return the samples, with the attributes that the first log has of each."""
        attributes: dict[str, list[str]] = {}
        for system in order:
            own, places = self._systems[system], self._place[system].tolist()
            named = {"task": own.tasks} if any(own.tasks) else {}
            for name, values in {**named, **own.attributes}.items():
                column = attributes.setdefault(name, [""] * len(self.ids))
                for place, value in zip(places, values, strict=True):
                    column[place] = column[place] or value
        source = self._systems[order[0]].source
        units = Units(len(self.ids), self.ids, attributes=attributes, source=source)
        return units if self._kept.all() else units.take(np.flatnonzero(self._kept))

    def _warnings(self, system: str) -> list[str]:
        out = [f"{what}: {count:,}" for what, count in self._systems[system].notes.items()]
        absent = len(self.ids) - len(self._place[system])
        if self._profile.units.missing == "empty":
            zeros = int(self._zeros[system].sum())
            return [*out, f"samples without a score, scored 0: {zeros:,}"] if zeros else out
        dropped = int((~self._kept).sum())
        if dropped:
            out.append(f"samples without a score in one of the logs, left out: {dropped:,}" + _absent(absent))
        return out


def _absent(count: int) -> str:
    return f" ({count:,} of them not in this log)" if count else ""


def _mean(column: Floats) -> Floats:
    """Return the mean over the epochs that have a value; NaN where none has."""
    known = ~np.isnan(column)
    with np.errstate(invalid="ignore", divide="ignore"):
        out: Floats = np.nansum(column, axis=0) / known.sum(axis=0)
    return out


def _names(own: SampleScores, several: bool) -> list[str]:
    if not several:
        return list(own.ids)
    return [f"{task}/{sample}" if task else sample for task, sample in zip(own.tasks, own.ids, strict=True)]


def _apart(one: str, other: str) -> str:
    """Return the first place where two texts differ, for a message."""
    at = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    start = max(at - 10, 0)
    return " and ".join(repr(text[start : start + 40]) for text in (one, other))
