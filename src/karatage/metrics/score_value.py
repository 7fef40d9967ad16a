"""A score: a number with its interval, or the reason why there is none; and how a tally becomes one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any

import numpy as np

from karatage.errors import UsageError, unknown
from karatage.metrics.averages import Schema
from karatage.metrics.measure import TOKENS
from karatage.metrics.metric import NO_SCHEMA, Metric, Undefined
from karatage.metrics.named_counts import Layout
from karatage.metrics.number_like import NumberLike
from karatage.metrics.tallies import Tally


@dataclass(frozen=True, slots=True, eq=False)
class Score(NumberLike):
    """A number with its interval, or the reason why there is none.

    It behaves like its value: `float(score)`, `score > 0.8`, `round(score, 4)`, `f"{score:.3f}"`, `score - 0.1`.

    Attributes:
        value: the number; None if it is undefined and the profile exports no number for that.
        undefined: why it, or a part of it, is undefined; None if it is not.
        low: the lower end of its interval, where one was made.
        high: the upper end of its interval, where one was made.
        method: how the interval was made.
        error: its standard error over resamples.
        undefined_share: the share of resamples in which it is undefined.
        withheld: why there is no interval although one was asked for.
        judge: what the labels of a judge did to it, where there is one.
        annotators: how it differs between annotators, where there are several; it is their mean.
    """

    value: float | None
    undefined: str | None = None
    low: float | None = None
    high: float | None = None
    method: str | None = None
    error: float | None = None
    undefined_share: float = 0.0
    withheld: str | None = None
    judge: JudgeEffect | None = None
    annotators: AnnotatorEffect | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the value, its interval where there is one, and why either is missing."""
        out: dict[str, Any] = {"value": self.value}
        if self.low is not None:
            out |= {"low": self.low, "high": self.high, "method": self.method}
        reasons = {"undefined": self.undefined, "withheld": self.withheld}
        out |= {name: reason for name, reason in reasons.items() if reason is not None}
        out |= {} if self.judge is None else {"judge": self.judge.to_dict()}
        out |= {} if self.annotators is None else {"annotators": asdict(self.annotators)}
        return out | ({"undefined_share": self.undefined_share} if self.undefined_share else {})

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Score):
            return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)
        return bool(self.value == other) if isinstance(other, Real) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.value)  # as a number that equals it

    def __repr__(self) -> str:
        parts = [] if self.value is None else [repr(self.value)]
        if self.low is not None:
            parts.append(f"low={self.low!r}, high={self.high!r}")
        if self.undefined is not None:
            parts.append(f"undefined={self.undefined!r}")
        return f"Score({', '.join(parts)})"


@dataclass(frozen=True, slots=True)
class JudgeEffect:
    """What the labels of a judge did to a score, which is estimated from them and from gold labels of a part.

    Attributes:
        gold_only: the score by gold alone, on the labelled units.
        alone: the score by the judge alone, on all units.
        bias: the judge's score minus the estimate.
        bias_low, bias_high: its interval, where one was made.
        weight: the weight of the judge in the estimate, from 0 to 1.
        worth: how many labelled units would give as narrow an interval without the judge.
    """

    gold_only: Score
    alone: float
    bias: float
    bias_low: float | None
    bias_high: float | None
    weight: float
    worth: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "gold_only": self.gold_only.to_dict(),
            "judge_only": self.alone,
            "bias": self.bias,
            "bias_low": self.bias_low,
            "bias_high": self.bias_high,
            "weight": self.weight,
            "worth": self.worth,
        }


@dataclass(frozen=True, slots=True)
class AnnotatorEffect:
    """How a score differs between annotators, each of whose labels were taken for gold.

    Attributes:
        values: the score by each annotator.
        spread: the standard deviation of these scores.
        share: the share of the variance of their mean that is due to annotators; the rest is due to units. None where
            there is no interval.
    """

    values: tuple[float, ...]
    spread: float
    share: float | None


class LabelScores(Mapping[str, Score]):
    """The scores of one label, and its counts."""

    def __init__(self, scores: dict[str, Score], counts: dict[str, int]) -> None:
        self._scores, self.counts = scores, counts

    def __getitem__(self, name: str) -> Score:
        if name not in self._scores:
            raise unknown("metric by label", name, self._scores)
        return self._scores[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def __repr__(self) -> str:
        scores = ", ".join(f"{name}={score:.4f}" for name, score in self._scores.items())
        return f"<LabelScores {scores}, {', '.join(f'{n} {c:,}' for n, c in self.counts.items())}>"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {name: score.to_dict() for name, score in self._scores.items()} | {"counts": self.counts}


def evaluate(metric: Metric, tally: Tally, schema: Schema = NO_SCHEMA, undefined: Undefined = None) -> Score:
    """Compute a metric; `undefined` is what a profile exports where a part of it is undefined."""
    if metric.per_unit:
        return _mean(metric, tally, metric.exported(undefined))
    read = tally.read_by(metric)
    if read is None:
        raise UsageError(f"{metric} was not computed: name it in the list of metrics")
    layout, totals = read.layout, read.totals
    if not metric.measure.reads(layout.columns):
        if not metric.measure.counts_tokens:
            raise UsageError(f"{metric} needs documents that are all labelled as relevant or irrelevant")
        if TOKENS[0] not in tally.facts:
            return Score(None, "needs the tags of gold and predictions")
        layout, totals = Layout(TOKENS, (("", ""),)), np.array([[tally.facts[name] for name in TOKENS]])
    value = float(metric.compute(layout, totals, schema))
    if not np.isnan(value):
        return Score(value)
    stands = float(metric.compute(layout, totals, schema, undefined))
    return Score(None if np.isnan(stands) else stands, metric.why_undefined(layout, totals, schema))


def _mean(metric: Metric, tally: Tally, undefined: float | None) -> Score:
    if metric not in tally.values:
        raise UsageError(f"{metric} was not computed: name it in the list of metrics")
    found = tally.values[metric]
    if found.units:
        return Score(found.mean)
    if not found.undefined:
        return Score(undefined, "nothing to average")
    needs = f" (it needs {metric.measure.requirement})" if metric.measure.requirement else ""
    return Score(undefined, f"no query or sentence has a value{needs}")
