"""Matching rules: what earns credit. Packages add theirs by entry points in the group `karatage.matching_rules`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from enum import IntEnum
from typing import ClassVar, Literal

import numpy as np

from karatage._arrays import Bools, Ints
from karatage._plugins import Registry
from karatage.claims import Claims, recode
from karatage.errors import UsageError
from karatage.matching.value_forms import ValueForm


class Kind(IntEnum):
    """What a pair of claims is, or what an unpaired claim is."""

    CORRECT = 0
    TYPE = 1
    BOUNDARY = 2
    BOTH = 3
    MISSED = 4
    SPURIOUS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Pairs of claims, each claim in at most one.

    Attributes:
        gold: the gold claim of each pair.
        pred: the predicted claim of each pair.
        kind: what each pair is: CORRECT, TYPE (right place, wrong type), BOUNDARY (right type, wrong place) or BOTH.
        credited: whether the matching rule gives credit for the pair.
    """

    gold: Ints
    pred: Ints
    kind: Ints
    credited: Bools

    def followed_by(self, other: Alignment) -> Alignment:
        """Return the pairs of both."""
        return Alignment(
            np.concatenate([self.gold, other.gold]),
            np.concatenate([self.pred, other.pred]),
            np.concatenate([self.kind, other.kind]),
            np.concatenate([self.credited, other.credited]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class ClaimPair:
    """Gold and predictions on one set of labels, as matching reads them.

    Attributes:
        gold, pred: the claims.
        labels: the labels of both.
        gold_label, pred_label: the claims' labels as indices into `labels`.
        form: the form in which values are compared.
    """

    gold: Claims
    pred: Claims
    labels: tuple[str, ...]
    gold_label: Ints
    pred_label: Ints
    form: ValueForm = field(default_factory=ValueForm)

    @classmethod
    def of(cls, gold: Claims, pred: Claims) -> ClaimPair:
        """Put both sides on the union of their labels."""
        if gold.labels == pred.labels:
            return cls(gold, pred, gold.labels, gold.label, pred.label)
        number = {label: k for k, label in enumerate(gold.labels)}
        for label in pred.labels:
            number.setdefault(label, len(number))
        return cls(gold, pred, tuple(number), gold.label, recode(pred.label, [number[x] for x in pred.labels]))


@dataclass(frozen=True)
class Rule(ABC):
    """A matching rule.

    Attributes:
        name: what users call it.
        about: what earns credit, as the end of a sentence.
        takes_threshold: whether it needs a threshold.
        equal_only: whether only equal spans and labels earn credit, so that tags can be compared without spans.
        of_values: whether it compares values instead of spans.
        threshold: the least overlap, as a share.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    takes_threshold: ClassVar[bool] = False
    equal_only: ClassVar[bool] = False
    of_values: ClassVar[bool] = False

    threshold: float | None = None

    def __post_init__(self) -> None:
        if self.takes_threshold and self.threshold is None:
            raise UsageError(f"the rule {self.name} needs a threshold, such as 0.5")
        if not self.takes_threshold and self.threshold is not None:
            raise UsageError(f"the rule {self.name} takes no threshold; only iou does")
        if self.threshold is not None and not 0 < self.threshold <= 1:
            raise UsageError(f"the threshold of {self.name} must be above 0 and at most 1, not {self.threshold}")

    @abstractmethod
    def align(
        self, gold: Claims, pred: Claims, *, kinds: bool = False, duplicates: Literal["error", "dedupe"] = "error"
    ) -> tuple[ClaimPair, Alignment]:
        """Pair gold with predictions.

        Args:
            gold: gold claims.
            pred: predicted claims on the same units.
            kinds: whether the kinds of error are wanted even where the rule itself needs equal claims only.
            duplicates: what to do with a gold claim that occurs twice: `error`, or `dedupe` to count it once.
        """


_RULES: Registry[type[Rule]] = Registry(
    "matching rule",
    "karatage.matching_rules",
    {
        "exact": "karatage.matching.span_rules:Exact",
        "boundary": "karatage.matching.span_rules:Boundary",
        "overlap": "karatage.matching.span_rules:Overlap",
        "overlap-any": "karatage.matching.span_rules:OverlapAny",
        "iou": "karatage.matching.span_rules:IntersectionOverUnion",
        "label-only": "karatage.matching.span_rules:LabelOnly",
        "value": "karatage.matching.value_pairs:SameValue",
    },
)


def get_rule(name: str = "exact", threshold: float | None = None) -> Rule:
    """Return a matching rule by its name."""
    if name == "type":  # which SemEval-2013 calls something else
        raise UsageError(
            f"the matching rule 'type' is now called 'label-only' ({rule_names()['label-only']}). "
            "For the scenario type of SemEval-2013 (overlap and same label) use 'overlap'"
        )
    return _RULES[name](threshold)


def rule_names() -> dict[str, str]:
    """Return what each rule gives credit for, by name."""
    return {name: _RULES[name].about for name in _RULES.names()}
