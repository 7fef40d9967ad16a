"""A metric is a value: a measure, how it is averaged, and what it is of. Its text parses to it, and it prints as it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage.errors import UsageError
from karatage.metrics.averages import MICRO, UNITS, Average, OverLabels, Schema
from karatage.metrics.measure import LACKING, CountMeasure, Measure, QueryEvidence
from karatage.metrics.named_counts import Counts, Layout, Values

Undefined = float | Mapping[str, float] | None
"""The number that stands for an undefined value, or one for each measure that has one."""

NO_SCHEMA = Schema()

STEP = 2**30
"""Values of units are kept for resampling as whole numbers of this fraction: their sums are then exact, in whatever
order they are added up, and a resample gives the same on every machine. The scores themselves are not rounded."""


@dataclass(frozen=True)
class Metric:
    """One way to make one number of a tally.

    Attributes:
        measure: what is measured.
        average: how it becomes one number: of all counts, or as a mean over labels or units.
        scenario: one of SemEval-2013's ways to give credit; empty for the matching rule's.
        label: one label only.
        group: one group of units only.
        groups: whether to average over the groups of units.
    """

    measure: Measure
    average: Average = MICRO
    scenario: str = ""
    label: str | None = None
    group: str | None = None
    groups: bool = False

    @classmethod
    def parse(cls, text: str) -> Metric:
        """Read a metric's text; see `karatage.metrics.grammar`."""
        from karatage.metrics.grammar import parse

        return parse(text)

    def __str__(self) -> str:
        from karatage.metrics.grammar import text_of

        return text_of(self)

    @property
    def higher_is_better(self) -> bool:
        """The direction."""
        return self.measure.higher_is_better

    @property
    def per_unit(self) -> bool:
        """Whether it is a mean over units of values that belong to a unit each."""
        return self.average == UNITS

    @property
    def reads_sums(self) -> bool:
        """Whether it needs no more than the sums over a selection of cells."""
        return not isinstance(self.average, OverLabels) and not self.groups

    def compute(
        self, layout: Layout, totals: NDArray[Any], schema: Schema = NO_SCHEMA, undefined: Undefined = None
    ) -> Values:
        """Compute it on totals of shape (…, cells, columns), of one tally or of many along leading axes.

        Where it, or a part of it, is undefined, it is NaN or the number that `undefined` names.
        """
        fill = self.exported(undefined)
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.per_unit:
                total, units = (totals[..., 0, layout.columns.index(name)] for name in self.columns)
                return _filled(np.asarray(total / STEP / units), fill)
            if not self.groups:
                return self._in_group(layout, totals, self.group, schema, fill)
            groups = schema.groups or tuple(layout.groups)
            if not groups:
                return np.full(totals.shape[:-2], np.nan if fill is None else fill)
            parts = [self._in_group(layout, totals, group, schema, fill) for group in groups]
            over: Values = np.mean(np.stack(parts), axis=0)
            return over

    def trials(self, layout: Layout, totals: NDArray[Any], schema: Schema = NO_SCHEMA) -> float:
        """Return how many independent trials it is a share of, at most; a mean over units has no such bound.

        A mean with the weights w has 1 / Σ(w² / n) (Kish 1965).
        """
        if self.per_unit:
            return float("inf")  # the spread of the values tells it all
        with np.errstate(invalid="ignore", divide="ignore"):
            if not self.groups:
                return self._trials_in_group(layout, totals, self.group, schema)
            groups = schema.groups or tuple(layout.groups)
            parts = [self._trials_in_group(layout, totals, group, schema) for group in groups]
        return len(parts) ** 2 / sum(1 / part for part in parts) if parts and all(parts) else 0.0

    def why_undefined(self, layout: Layout, totals: NDArray[Any], schema: Schema = NO_SCHEMA) -> str:
        """Say why it is undefined."""
        what = f" of label {self.label}" if self.label is not None else ""
        if self.groups:
            for group in schema.groups or layout.groups:
                if np.isnan(replace(self, groups=False, group=group).compute(layout, totals, schema)):
                    return f"{self._why_in_group(layout, totals, group)} in group {group}"
        return self._why_in_group(layout, totals, self.group) + what

    def of_queries(self, queries: QueryEvidence, undefined: Undefined = None) -> Values:
        """Return the value of each query; NaN, or the exported number, where it is undefined."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return _filled(self.measure.of_queries(queries), self.exported(undefined))

    def of_units(self, columns: tuple[str, ...], counts: NDArray[Any], undefined: Undefined = None) -> Values:
        """Return the value of each unit, from its own counts; NaN, or the exported number, where it is undefined."""
        alone = replace(self, average=MICRO)
        return alone.compute(Layout(columns, (("", ""),)), counts[:, None, :], NO_SCHEMA, undefined)

    def exported(self, undefined: Undefined) -> float | None:
        """Return the number that stands for an undefined value."""
        return undefined.get(self.measure.name) if isinstance(undefined, Mapping) else undefined

    def remark(self, shown: str) -> str:
        """Return what a table should say beside a name that leaves it open: which labels, which gain."""
        return self.measure.remark(shown) or self.average.remark()

    @property
    def columns(self) -> tuple[str, str]:
        """Where the values of units are kept: a column of values, and one of whether there is a value."""
        return str(self), f"{self} units"

    @property
    def counted(self) -> CountMeasure:
        """The measure, of counts."""
        if not isinstance(self.measure, CountMeasure):
            raise UsageError(f"{self} is a mean over queries and cannot be computed from counts")
        return self.measure

    @property
    def over_labels(self) -> bool:
        """Whether it is a weighted mean of the values of labels, as a micro average of counts is, too."""
        counted = isinstance(self.measure, CountMeasure) and self.measure.by_label
        return counted and not self.per_unit and not self.groups and self.label is None

    def shares(
        self, layout: Layout, totals: NDArray[Any], schema: Schema = NO_SCHEMA
    ) -> tuple[list[str], Values, Values]:
        """Return the labels, the value of each times its weight, and the weights; their sums' ratio is the metric.

        A micro average weighs each label by what it is a share of: precision by its predictions. F of labels whose
        gold and predicted claims do not match one to one is no such mean: sums then differ from the metric.
        """
        labels, counts = self._by_label(layout, totals, self.group, schema)
        with np.errstate(invalid="ignore", divide="ignore"):
            values = self.counted.of(counts)
        weights = self.counted.size(counts)
        if isinstance(self.average, OverLabels):
            weights = self.average.weights(counts["gold"], counts["predicted"], labels, schema)
        return labels, np.where(weights > 0, values, 0.0) * weights, weights

    def _in_group(
        self, layout: Layout, totals: NDArray[Any], group: str | None, schema: Schema, fill: float | None
    ) -> Values:
        if not isinstance(self.average, OverLabels):
            counts = Counts(layout, totals, layout.rows(group, self.label), scenario=self.scenario)
            return _filled(np.asarray(self.counted.of(counts)), fill)
        labels, counts = self._by_label(layout, totals, group, schema)
        values = _filled(self.counted.of(counts), fill)
        weights = self.average.weights(counts["gold"], counts["predicted"], labels, schema)
        return self.average.combine(values, weights, fill)

    def _trials_in_group(self, layout: Layout, totals: NDArray[Any], group: str | None, schema: Schema) -> float:
        if not isinstance(self.average, OverLabels):
            counts = Counts(layout, totals, layout.rows(group, self.label), scenario=self.scenario)
            return float(self.counted.trials(counts))
        labels, counts = self._by_label(layout, totals, group, schema)
        weights = self.average.weights(counts["gold"], counts["predicted"], labels, schema)
        trials = self.counted.trials(counts)
        known = (weights > 0) & (trials > 0)
        weights, trials = weights[known], trials[known]
        return float(weights.sum() ** 2 / (weights**2 / trials).sum()) if known.any() else 0.0

    def _by_label(
        self, layout: Layout, totals: NDArray[Any], group: str | None, schema: Schema
    ) -> tuple[list[str], Counts]:
        """Return the labels and their counts, cells of the same label in different groups added up."""
        rows = layout.rows(group, None)
        names = [layout.cells[k][1] for k in rows]
        labels = sorted({*names, *schema.labels})
        if names == labels:
            return labels, Counts(layout, totals, rows, scenario=self.scenario, add=lambda part: part)
        number = {label: k for k, label in enumerate(labels)}
        column = np.array([number[name] for name in names], np.intp)

        def add(part: Values) -> Values:
            out = np.zeros((len(labels), *part.shape[:-1]))
            np.add.at(out, column, np.moveaxis(part, -1, 0))
            return np.moveaxis(out, 0, -1)

        return labels, Counts(layout, totals, rows, scenario=self.scenario, add=add)

    def _why_in_group(self, layout: Layout, totals: NDArray[Any], group: str | None) -> str:
        measure = self.counted
        counts = Counts(layout, totals, layout.rows(group, self.label))
        if not isinstance(self.average, OverLabels):
            return measure.why_undefined(counts)
        if counts["gold"] == 0:
            return "no gold annotations" if counts["predicted"] else "no gold annotations and no predictions"
        labels, counts = self._by_label(layout, totals, group, NO_SCHEMA)
        empty = [label for label, count in zip(labels, counts[measure.share_of], strict=True) if not count]
        shown = ", ".join(empty[:3]) + (" …" if len(empty) > 3 else "")
        noun = "label" if len(empty) == 1 else "labels"
        return f"{measure.name} is undefined for {len(empty)} {noun} without {LACKING[measure.share_of]} ({shown})"


def _filled(values: Values, fill: float | None) -> Values:
    return values if fill is None else np.where(np.isnan(values), fill, values)
