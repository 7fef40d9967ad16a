"""How the values of labels or units become one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from karatage.metrics.named_counts import Values

Over = Literal["gold", "union", "schema"]


@dataclass(frozen=True, slots=True)
class Schema:
    """What was declared beforehand: the labels that macro averages may run over, and the groups of units."""

    labels: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


@dataclass(frozen=True)
class Average:
    """How one number is made of many.

    Attributes:
        name: the prefix of a metric's text, without its underscore.
        about: what it is, as the end of a sentence.
    """

    name: ClassVar[str]
    about: ClassVar[str]

    @property
    def over(self) -> Over | None:
        """The labels that a macro average runs over."""
        return None

    def remark(self) -> str:
        """Return what a table should say beside it."""
        return ""


class Micro(Average):
    """One value of all counts."""

    name = "micro"
    about = "from all counts together (default)"


class OverUnits(Average):
    """The mean of the values of units; what has no value is left out."""

    name = "units"
    about = "mean over sentences, documents or queries"


class OverLabels(Average, ABC):
    """A mean of the values of labels."""

    @abstractmethod
    def weights(self, gold: Values, predicted: Values, labels: Sequence[str], schema: Schema) -> Values:
        """Return the weight of each label; labels are the last axis."""

    def combine(self, values: Values, weights: Values, undefined: float | None) -> Values:
        """Return the mean; NaN where there is nothing to average."""
        out: Values = np.sum(np.where(weights > 0, values, 0.0) * weights, axis=-1) / np.sum(weights, axis=-1)
        return out if undefined is None else np.where(np.isnan(out), undefined, out)


class Weighted(OverLabels):
    """Labels weigh as much as gold has of them."""

    name = "weighted"
    about = "mean over labels, weighted by their number of gold annotations"

    def weights(self, gold: Values, predicted: Values, labels: Sequence[str], schema: Schema) -> Values:  # noqa: ARG002
        """Return gold counts."""
        return gold


@dataclass(frozen=True)
class Macro(OverLabels):
    """All labels weigh the same.

    Attributes:
        over: the labels: those of gold, those of gold or predictions, or those that were declared.
    """

    name = "macro"
    about = "unweighted mean over labels"

    over: Over = "union"

    def weights(self, gold: Values, predicted: Values, labels: Sequence[str], schema: Schema) -> Values:
        """Return 1 for each label that counts."""
        if self.over == "gold":
            return (gold > 0).astype(float)
        if self.over == "schema":
            return np.broadcast_to(np.array([label in schema.labels for label in labels], float), gold.shape)
        return ((gold > 0) | (predicted > 0)).astype(float)

    def combine(self, values: Values, weights: Values, undefined: float | None) -> Values:  # noqa: ARG002
        """Return the mean; over no label at all it is NaN even where a profile exports a number for undefined parts."""
        return super().combine(values, weights, None)

    def remark(self) -> str:
        """Return which labels it runs over."""
        return _OVER[self.over]


_OVER = {"union": "over all labels", "gold": "over the labels of gold", "schema": "over the declared labels"}

MICRO, WEIGHTED, UNITS = Micro(), Weighted(), OverUnits()

AVERAGES: dict[str, str] = {own.name: own.about for own in (Micro, Macro, Weighted)} | {
    "groups": "unweighted mean over groups",
    "units": OverUnits.about,
}
