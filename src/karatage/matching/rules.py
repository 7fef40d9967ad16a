"""Matching rules: what earns credit. Packages add theirs by entry points in the group `karatage.matching_rules`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

from karatage._plugins import Registry
from karatage.claims import Claims
from karatage.errors import UsageError
from karatage.matching.alignment import Alignment, Sides


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
    ) -> tuple[Sides, Alignment]:
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
        "type": "karatage.matching.span_rules:SameType",
        "value": "karatage.matching.value_rule:SameValue",
    },
)


def get_rule(name: str = "exact", threshold: float | None = None) -> Rule:
    """Return a matching rule by its name."""
    return _RULES[name](threshold)


def rule_names() -> dict[str, str]:
    """Return what each rule gives credit for, by name."""
    return {name: _RULES[name].about for name in _RULES.names()}
