"""Metrics on resamples and without each unit in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from karatage._arrays import Floats, Ints
from karatage.errors import UsageError
from karatage.metrics import (
    COUNTS,
    KINDS,
    NO_SCHEMA,
    TOKENS,
    Layout,
    Metric,
    Rows,
    Schema,
    Tangent,
    Undefined,
    tangent,
    tangents_by_label,
)
from karatage.stats.paired_difference import PairedDifference
from karatage.stats.populations import Population, jointly, population
from karatage.stats.resampling import resamples
from karatage.stats.unit_evidence import Evidence, evidence

_ROWS = 1 << 20

_KEPT = 1 << 20
"""How many rows of evidence are kept: `score`, its warnings and `compare` ask for the same more than once."""

FEW = 10
"""Units that a stratum should have: with fewer, resampling within it finds too little spread."""


@dataclass(frozen=True)
class Influence:
    """What the metric becomes without each unit in turn; equal units once, with how many there are.

    Attributes:
        values: the values without one unit of each kind; one column a system.
        times: how many units there are of each kind.
        stratum: the stratum of each kind.
    """

    values: Floats
    times: Ints
    stratum: Ints


class Sampler:
    """Draws resamples of units that one or several systems were scored on.

    Args:
        claims: the rows of each system, all of the same units in the same order.
        tokens: the same for tokens; None where there are none.
        types: the same for tokens by type; None where they were not counted.
        means: the same for values of metrics that are means over units; None where there are none.
        schema: the declared labels and groups.
        undefined: the number that the profile exports for undefined values.
        merge: whether equal units are kept once; False keeps each in its place.
    """

    def __init__(
        self,
        claims: Sequence[Rows],
        tokens: Sequence[Rows] | None = None,
        means: Sequence[Rows] | None = None,
        *,
        types: Sequence[Rows] | None = None,
        schema: Schema = NO_SCHEMA,
        undefined: Undefined = None,
        merge: bool = True,
    ) -> None:
        self._claims = jointly(claims) if merge else list(claims)
        self._tokens = None if tokens is None else jointly(tokens) if merge else list(tokens)
        self._types = None if types is None else jointly(types) if merge else list(types)
        self._means = means
        self._merge = merge
        self.schema, self.undefined = schema, undefined
        self._last: tuple[object, Population] | None = None
        self._found: dict[tuple[Metric, int], Evidence] = {}
        self._by_label: dict[tuple[Metric, int], dict[str, Tangent]] = {}

    @property
    def size(self) -> int:
        """How many units, or clusters, a resample draws."""
        return self._claims[0].size

    def population(self, metric: Metric) -> Population:
        """Return what the metric reads."""
        key = _reads(metric)
        if self._last is None or self._last[0] != key:
            self._last = (key, population(self._parts(metric), metric))
        return self._last[1]

    def _parts(self, metric: Metric) -> Sequence[Rows]:
        """Return the rows that the metric reads."""
        if metric.per_unit:
            if self._means is None:
                raise UsageError(f"{metric} was not computed: name it in the list of metrics")
            own = [rows.of_columns(metric.columns) for rows in self._means]
            return jointly(own) if self._merge else own
        if metric.measure.by_token:
            return self._types or self._nothing(COUNTS)
        if metric.measure.reads(self._claims[0].columns):
            return self._claims if metric.scenario else self._without_kinds
        return self._tokens or self._nothing(TOKENS)

    @cached_property
    def _without_kinds(self) -> list[Rows]:
        """The rows of entities as they are where the kinds of error are not counted: intervals are then the same."""
        columns = [name for name in self._claims[0].columns if name not in KINDS]
        if len(columns) == len(self._claims[0].columns):
            return self._claims
        own = [rows.of_columns(columns) for rows in self._claims]
        return jointly(own) if self._merge else own

    def _nothing(self, columns: tuple[str, ...]) -> list[Rows]:
        """Return rows of units that have no tokens."""
        first = self._claims[0]
        rows = Rows.of_values(columns, np.zeros((len(first), len(columns)), np.int64))
        return [replace(rows, times=first.times, stratum=first.stratum, strata=first.strata)] * len(self._claims)

    def values(self, metric: Metric, layout: Layout) -> Callable[[Floats], Floats]:
        """Return the metric as a function of totals."""
        return lambda totals: metric.compute(layout, totals, self.schema, self.undefined)

    def replicates(self, metrics: Iterable[Metric], count: int, seed: int, *key: int) -> dict[Metric, Floats]:
        """Return each metric's values on resamples, one row a resample, one column a system.

        Metrics that read the same are computed on the same resamples; a metric's values do not depend on which others
        are asked for.
        """
        out: dict[Metric, Floats] = {}
        for own in alike(metrics):
            drawn = self.population(own[0])
            parts: list[list[Floats]] = [[] for _ in own]
            for totals in resamples(drawn, count, seed, *key):
                for part, metric in zip(parts, own, strict=True):
                    part.append(self.values(metric, drawn.layout)(totals))
            out |= {metric: np.concatenate(part) for metric, part in zip(own, parts, strict=True)}
        return out

    def influence(self, metric: Metric) -> Influence:
        """Return the metric without each unit in turn."""
        drawn = self.population(metric)
        totals, values = drawn.totals, self.values(metric, drawn.layout)
        step = max(1, _ROWS // max(totals.size, 1))
        parts = [values(totals - drawn.taken(k, k + step)) for k in range(0, len(drawn.times), step)]
        return Influence(np.concatenate(parts), drawn.times, drawn.stratum)

    def evidence(self, metric: Metric, system: int) -> Evidence:
        """Return what the units tell about a score."""
        known = self._found.get((metric, system))
        if known is not None:
            return known
        drawn = self.population(metric)
        found = evidence(drawn, system, self._near(metric, drawn, system))
        if len(self._found) * len(drawn.times) < _KEPT:
            self._found[metric, system] = found
        return found

    def _near(self, metric: Metric, drawn: Population, system: int) -> Tangent:
        """Return the metric near the counts of a system; for a metric of one label, those of all labels at once."""
        if metric.label is not None and metric.reads_sums and not metric.per_unit:
            key = replace(metric, label=None), system
            if key not in self._by_label:
                rows = self._parts(metric)[system]
                self._by_label[key] = tangents_by_label(metric, rows.layout, rows.totals, self.undefined)
            if metric.label in self._by_label[key]:
                return self._by_label[key][metric.label]
        return tangent(metric, drawn.layout, drawn.totals[system], self.schema, self.undefined)

    def warnings(self) -> list[str]:
        """Say where strata are so small that resampling within them finds too little spread."""
        rows = self._claims[0]
        small = int((rows.stratum_sizes < FEW).sum()) if len(rows.strata) > 1 else 0
        return [f"strata of fewer than {FEW} units, so the intervals are too narrow: {small:,}"] if small else []

    def system(self, number: int) -> OneSystem:
        """Return what an interval needs to know of one system beside its resamples."""
        return OneSystem(self, number)


@dataclass(frozen=True)
class OneSystem:
    """One system of a sampler."""

    sampler: Sampler
    number: int

    @property
    def size(self) -> int:
        """How many units, or clusters, a resample draws."""
        return self.sampler.size

    def evidence(self, metric: Metric) -> Evidence:
        """Return what the units tell about the score."""
        return self.sampler.evidence(metric, self.number)

    def claims(self, metric: Metric) -> float:
        """Return how many claims the metric is a share of."""
        drawn = self.sampler.population(metric)
        return metric.trials(drawn.layout, drawn.totals[self.number], self.sampler.schema)

    def influence(self, metric: Metric) -> Influence:
        """Return the metric without each unit in turn."""
        found = self.sampler.influence(metric)
        return replace(found, values=found.values[:, self.number])


@dataclass(frozen=True)
class TwoSystems:
    """The difference between two systems of a sampler."""

    sampler: Sampler
    one: int
    other: int

    @property
    def size(self) -> int:
        """How many units, or clusters, a resample draws."""
        return self.sampler.size

    def paired(self, metric: Metric) -> PairedDifference | None:
        """Return the difference with what the units tell about it."""
        drawn = self.sampler.population(metric)
        scores = self.sampler.values(metric, drawn.layout)(drawn.totals)
        one, other = (self.sampler.evidence(metric, system) for system in (self.one, self.other))
        return PairedDifference.of(float(scores[self.one] - scores[self.other]), one.minus(other))

    def influence(self, metric: Metric) -> Influence:
        """Return the difference without each unit in turn."""
        found = self.sampler.influence(metric)
        return replace(found, values=found.values[:, self.one] - found.values[:, self.other])


def alike(metrics: Iterable[Metric]) -> list[list[Metric]]:
    """Put metrics together that read the same population."""
    out: dict[tuple[object, ...], list[Metric]] = {}
    for metric in dict.fromkeys(metrics):
        out.setdefault(_reads(metric), []).append(metric)
    return list(out.values())


def _reads(metric: Metric) -> tuple[object, ...]:
    """Return what tells the population of a metric from another's."""
    if metric.per_unit:
        return ("mean", str(metric))
    if metric.measure.counts_tokens and not metric.measure.by_token:
        return ("tags",)
    level = "tokens" if metric.measure.by_token else "entities"
    kinds = bool(metric.scenario)
    return (level, kinds, metric.group, metric.label) if metric.reads_sums else (level, kinds)
