"""seqeval's strict mode: a scheme is enforced, and tags that violate it are not entities."""

from __future__ import annotations

from typing import Any

from karatage.compat.seqeval._comparison import check_consistent_length, count_sets, entity_sets, strict
from karatage.compat.seqeval._scores import ALL_METRICS, check_options, scores, undefined_metric_warning
from karatage.compat.seqeval.reporters import DictReporter, StringReporter, report
from karatage.compat.seqeval.scheme import Entities, Token, auto_detect

__all__ = [
    "AVERAGE_SCORES",
    "PER_CLASS_SCORES",
    "SCORES",
    "DictReporter",
    "Entities",
    "StringReporter",
    "Token",
    "auto_detect",
    "check_consistent_length",
    "classification_report",
    "precision_recall_fscore_support",
    "unique_labels",
]

PER_CLASS_SCORES = tuple[list[float], list[float], list[float], list[int]]
AVERAGE_SCORES = tuple[float, float, float, int]
SCORES = PER_CLASS_SCORES | AVERAGE_SCORES


def __getattr__(name: str) -> Any:
    if name == "UndefinedMetricWarning":  # not imported above, because it may import scikit-learn
        return undefined_metric_warning()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def unique_labels(
    y_true: list[list[str]], y_pred: list[list[str]], scheme: type[Token], suffix: bool = False
) -> list[str]:
    """Return the sorted types of the entities in gold or predictions."""
    return strict(y_true, y_pred, scheme, suffix).count().names


def precision_recall_fscore_support(
    y_true: list[list[str]],
    y_pred: list[list[str]],
    *,
    average: str | None = None,
    warn_for: Any = ALL_METRICS,
    beta: float = 1.0,
    sample_weight: list[int] | None = None,
    zero_division: Any = "warn",
    scheme: Any = None,
    suffix: bool = False,
    **kwargs: Any,
) -> Any:
    """Return precision, recall, F-score and support, per type or averaged, like the default mode's function.

    Args:
        scheme: Token class.
        kwargs: `entities_true` and `entities_pred`, if they are known already; seqeval ignores all others.
    """
    check_options(average, beta)
    given = kwargs.get("entities_true"), kwargs.get("entities_pred")
    if any(given):
        check_consistent_length(y_true, y_pred)
        pairs = zip(given, (y_true, y_pred), strict=True)
        counts = count_sets(*[entity_sets(known or Entities(tags, scheme, suffix)) for known, tags in pairs])
    else:
        compared = strict(y_true, y_pred, scheme, suffix)
        compared.check()
        counts = compared.count()
    return scores(counts, average=average, warn_for=warn_for, beta=beta, zero_division=zero_division)


def classification_report(
    y_true: list[list[str]],
    y_pred: list[list[str]],
    *,
    sample_weight: list[int] | None = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: Any = "warn",
    suffix: bool = False,
    scheme: type[Token] | None = None,
) -> Any:
    """Return the scores per type and averaged, as a text table or a dict, like the default mode's function."""
    check_consistent_length(y_true, y_pred)
    if scheme is None or not issubclass(scheme, Token):
        scheme = auto_detect(y_true, suffix)
    counts = strict(y_true, y_pred, scheme, suffix).count()
    return report(lambda: counts, lambda: None, digits=digits, output_dict=output_dict, zero_division=zero_division)
