"""Precision, recall, F-score and support from counts per type, with seqeval's warnings, for both modes."""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Container
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage.matching import SpanCounts

ALL_METRICS = ("precision", "recall", "f-score")
AVERAGES = (None, "micro", "macro", "weighted")


class UndefinedMetricWarning(UserWarning):
    """A metric has a zero denominator. Replaces scikit-learn's class if that is not installed."""


@functools.cache
def undefined_metric_warning() -> type[Warning]:
    """Return the warning category: scikit-learn's if it can be imported."""
    try:
        category: type[Warning] = importlib.import_module("sklearn.exceptions").UndefinedMetricWarning
    except ImportError:
        return UndefinedMetricWarning
    return category


def check_options(average: Any, beta: Any) -> None:
    """Raise if the average or beta is invalid."""
    if beta < 0:
        raise ValueError("beta should be >=0 in the F-beta score")
    if average not in AVERAGES:
        raise ValueError(f"average has to be one of {AVERAGES}")


def scores(
    counts: SpanCounts, *, average: str | None, warn_for: Any, zero_division: Any, beta: float = 1.0
) -> tuple[Any, Any, Any, Any]:
    """Return precision, recall, F-score and support: arrays over the types, or averages."""
    _, predicted, correct, true = counts
    if average == "micro":
        predicted, correct, true = (np.array([column.sum()]) for column in (predicted, correct, true))

    divide = functools.partial(_divide, warn_for=warn_for, zero_division=zero_division)
    precision = divide(correct, predicted, metric="precision", missing="predicted")
    recall = divide(correct, true, metric="recall", missing="true")
    if zero_division == "warn" and warn_for == ("f-score",) and (predicted[true == 0] == 0).any():
        _warn_undefined("F-score is", "true nor predicted", len(true))
    fscore = recall if np.isposinf(beta) else _f(precision, recall, beta**2)

    if average is None:
        return precision, recall, fscore, true
    weights = None
    if average == "weighted":
        weights = true
        if true.sum() == 0:
            value = _zero_value(zero_division)
            nothing = predicted.sum() == 0
            return value if nothing else 0.0, value, value if nothing else 0.0, sum(true)
    averages = [np.average(values, weights=weights) for values in (precision, recall, fscore)]
    # sum() and not .sum(): the support over no types at all is a plain 0
    return averages[0], averages[1], averages[2], sum(true)


def _f(precision: NDArray[Any], recall: NDArray[Any], beta2: float) -> NDArray[Any]:
    denominator = beta2 * precision + recall
    denominator[denominator == 0.0] = 1
    value: NDArray[Any] = (1 + beta2) * precision * recall / denominator
    return value


def _divide(
    numerator: NDArray[Any],
    denominator: NDArray[Any],
    *,
    metric: str,
    missing: str,
    warn_for: Container[str],
    zero_division: Any,
) -> NDArray[Any]:
    """Divide; if the denominator is 0, use the value that the user chose, and warn if that is the default."""
    undefined = denominator == 0
    ratios: NDArray[Any] = numerator / np.where(undefined, 1, denominator)
    if undefined.any():
        ratios[undefined] = _zero_value(zero_division)
        if zero_division == "warn" and metric in warn_for:
            subject = f"{metric.title()} and F-score are" if "f-score" in warn_for else f"{metric.title()} is"
            _warn_undefined(subject, missing, len(ratios))
    return ratios


def _zero_value(zero_division: Any) -> float:
    return 0.0 if zero_division in ["warn", 0] else 1.0


def _warn_undefined(subject: str, missing: str, size: int) -> None:
    where = "due to" if size == 1 else "in labels with"
    warnings.warn(
        f"{subject} ill-defined and being set to 0.0 {where} no {missing} samples. "
        "Use `zero_division` parameter to control this behavior.",
        undefined_metric_warning(),
        stacklevel=2,
    )
