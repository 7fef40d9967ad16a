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


def check_scores(data: Any) -> None:
    """Raise a ValueError that says where data is not what `result_scores` returns."""
    if data == {}:
        return
    scores = _mapping(data, "scores")
    for name, one in _mapping(scores.get("metrics"), "metrics").items():
        _check_score(one, f"metrics.{name}")
    if scores.get("headline") not in scores["metrics"]:
        raise ValueError('"headline" is not one of the metrics')
    _mapping(scores.get("options", {}), "options")
    _check(scores.get("profile", ""), str, "profile")
    _check(scores.get("group_by", ""), str, "group_by")
    _check(_mapping(scores.get("intervals", {}), "intervals").get("level"), float | int | None, "intervals.level")
    for name, count in _mapping(scores.get("counts", {}), "counts").items():
        _check(count, int, f"counts.{name}")
    _check_rows(scores.get("by_label", {}), "by_label")
    for group, rows in _mapping(scores.get("by_group", {}), "by_group").items():
        _check_rows(rows, f"by_group.{group}")
    _check_rows(scores.get("groups", {}), "groups", GROUP_METRICS)
    for text in _check(scores.get("warnings", []), list, "warnings"):
        _check(text, str, "warnings")


def _check_rows(data: Any, where: str, metrics: tuple[str, ...] | None = None) -> None:
    """Check the scores of labels or groups, which have the same metrics."""
    for name, row in _mapping(data, where).items():
        found = _mapping(row, f"{where}.{name}")
        own = tuple(key for key in found if key != "counts")
        metrics = metrics or own
        if not own or own != metrics:
            raise ValueError(f'"{where}.{name}" does not have the metrics of the others')
        for metric in own:
            _check_score(found[metric], f"{where}.{name}.{metric}")
        counts = _mapping(found.get("counts"), f"{where}.{name}.counts")
        for count in ("gold", "predicted", "correct"):
            _check(counts.get(count), int, f"{where}.{name}.counts.{count}")


def _check_score(data: Any, where: str) -> None:
    found = _mapping(data, where)
    if "value" not in found:
        raise ValueError(f'"{where}" has no value')
    for name in ("value", "low", "high"):
        _check(found.get(name), float | int | None, f"{where}.{name}")
    _check(found.get("undefined_share", 0.0), float | int, f"{where}.undefined_share")
    for name in ("undefined", "method", "withheld"):
        _check(found.get(name), str | None, f"{where}.{name}")


def _mapping(value: Any, where: str) -> dict[str, Any]:
    return _check(value, dict, where)  # type: ignore[no-any-return]  # it was just checked


def _check(value: Any, kind: Any, where: str) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f'"{where}" cannot be {value!r:.40}')
    if isinstance(value, int | float):
        float(value)  # an OverflowError where it is too large for any computation
    return value


def score_from(data: Mapping[str, Any]) -> Score:
    """Return the score that `Score.to_dict` was called on."""
    known = ("value", "undefined", "low", "high", "method", "withheld")
    return Score(**{name: data.get(name) for name in known}, undefined_share=data.get("undefined_share", 0.0))
