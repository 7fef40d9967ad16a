"""The scores of an experiment as plain data, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from karatage.errors import KaratageError
from karatage.metrics import Score

if TYPE_CHECKING:
    from karatage.scoring import Result

GROUP_METRICS = ("precision", "recall", "f1")
"""Metrics that are logged for each group, such as a category."""


def result_scores(result: Result) -> dict[str, Any]:
    """Return the scores that a log stores: those of the result, and those of each group with their intervals."""
    out = result.compute().to_dict()
    groups: dict[str, Any] = {}
    for group, labels in result.by_group.items() if result.profile.group_by else ():
        try:
            scores = {name: result[f"{name}{{{group}}}"].to_dict() for name in GROUP_METRICS}
        except KaratageError:  # the group's name cannot be written in the grammar of metrics
            continue
        counts = {c: sum(one.counts[c] for one in labels.values()) for c in ("gold", "predicted", "correct")}
        groups[group] = scores | {"counts": counts}
    return out | ({"group_by": result.profile.group_by, "groups": groups} if groups else {})


def score_from(data: Mapping[str, Any]) -> Score:
    """Return the score that `Score.to_dict` was called on."""
    known = ("value", "undefined", "low", "high", "method", "withheld")
    return Score(**{name: data.get(name) for name in known}, undefined_share=data.get("undefined_share", 0.0))
