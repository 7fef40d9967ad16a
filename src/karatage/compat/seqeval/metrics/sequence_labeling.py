"""seqeval's default mode, which reads tags like conlleval, and access to its strict mode."""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import chain
from typing import Any

from karatage.compat.seqeval._chunks import Chunk, chunks_in, end_of_chunk, start_of_chunk, warn_implausible
from karatage.compat.seqeval._comparison import lenient, read_lenient, tag_pairs
from karatage.compat.seqeval._scores import ALL_METRICS, check_options, scores
from karatage.compat.seqeval.metrics.v1 import (
    SCORES,
    classification_report as cr,
    precision_recall_fscore_support as precision_recall_fscore_support_v1,
)
from karatage.compat.seqeval.reporters import DictReporter, StringReporter, report
from karatage.compat.seqeval.scheme import Token

__all__ = [
    "SCORES",
    "DictReporter",
    "StringReporter",
    "Token",
    "accuracy_score",
    "classification_report",
    "cr",
    "end_of_chunk",
    "f1_score",
    "get_entities",
    "performance_measure",
    "precision_recall_fscore_support",
    "precision_recall_fscore_support_v1",
    "precision_score",
    "recall_score",
    "start_of_chunk",
]


def get_entities(seq: Any, suffix: bool = False) -> list[Chunk]:
    """Return (type, first index, last index) of each entity in a list of tags.

    In a list of lists, indices continue from list to list, with one index between two lists for an `O`.

    >>> get_entities(["B-PER", "I-PER", "O", "B-LOC"])
    [('PER', 0, 1), ('LOC', 3, 3)]
    """
    reading = read_lenient(seq, suffix)
    if reading is None:
        return chunks_in(seq, suffix)
    for tag in reading.implausible:
        warn_implausible(tag)
    starts, ends, types, names = reading.spans
    kinds = [names[kind] for kind in types.tolist()]
    return list(zip(kinds, starts.tolist(), (ends - 1).tolist(), strict=True))


def precision_recall_fscore_support(
    y_true: list[list[str]],
    y_pred: list[list[str]],
    *,
    average: str | None = None,
    warn_for: Any = ALL_METRICS,
    beta: float = 1.0,
    sample_weight: list[int] | None = None,
    zero_division: Any = "warn",
    suffix: bool = False,
) -> Any:
    """Return precision, recall, F-score and support, per type or averaged.

    Args:
        y_true: Gold tags, one list per sentence.
        y_pred: Predicted tags.
        average: None for arrays over the sorted types, or micro, macro (mean over the types in gold or predictions),
            weighted (by support).
        warn_for: Metrics to warn about if they are undefined.
        beta: Weight of recall relative to precision.
        sample_weight: Ignored, as in seqeval.
        zero_division: Value for undefined scores: 0, 1, or `warn` for 0 with a warning.
        suffix: Whether the letter is at the end of a tag.
    """
    check_options(average, beta)
    compared = lenient(y_true, y_pred, suffix)
    compared.check()
    return scores(compared.count(), average=average, warn_for=warn_for, beta=beta, zero_division=zero_division)


def _single_score(name: str, metric: str, about: str) -> Callable[..., Any]:
    """Make the function for one metric; all three have the same arguments."""

    def score(
        y_true: list[list[str]],
        y_pred: list[list[str]],
        *,
        average: str | None = "micro",
        suffix: bool = False,
        mode: str | None = None,
        sample_weight: list[int] | None = None,
        zero_division: Any = "warn",
        scheme: type[Token] | None = None,
    ) -> Any:
        options: dict[str, Any] = {"average": average, "suffix": suffix, "zero_division": zero_division}
        if mode == "strict" and scheme:
            found = precision_recall_fscore_support_v1(y_true, y_pred, warn_for=(metric,), scheme=scheme, **options)
        else:
            found = precision_recall_fscore_support(y_true, y_pred, warn_for=(metric,), **options)
        return found[ALL_METRICS.index(metric)]

    score.__name__ = score.__qualname__ = name
    score.__doc__ = f"""Return {about}.

    Args:
        y_true: Gold tags, one list per sentence.
        y_pred: Predicted tags.
        average: micro, macro, weighted, or None for an array over the sorted types.
        suffix: Whether the letter is at the end of a tag.
        mode: `strict` enforces the scheme, if there is one; anything else reads tags leniently.
        sample_weight: Ignored, as in seqeval.
        zero_division: Value for undefined scores: 0, 1, or `warn` for 0 with a warning.
        scheme: Token class; ignored unless the mode is strict.
    """
    return score


precision_score = _single_score("precision_score", "precision", "the share of predicted entities that are correct")
recall_score = _single_score("recall_score", "recall", "the share of gold entities that were found")
f1_score = _single_score("f1_score", "f-score", "the harmonic mean of precision and recall")


def accuracy_score(y_true: Any, y_pred: Any) -> float:
    """Return the share of equal tags, including `O`; the lists may be flat or nested."""
    y_true, y_pred = _flat(y_true, y_pred)
    share: float = sum(map(operator.eq, y_true, y_pred)) / len(y_true)
    return share


def performance_measure(y_true: Any, y_pred: Any) -> dict[str, int]:
    """Count tags: TP are equal and not `O`, FP wrong and not `O`, FN wrongly predicted as `O`, TN both `O`.

    A wrong tag on a tagged token counts as FP only.
    """
    rows = tag_pairs(y_true, y_pred)
    if rows is None:
        rows = [(1, t, p) for t, p in zip(*_flat(y_true, y_pred), strict=False)]
    return {
        "TP": sum(n * (t == p) for n, t, p in rows if t != "O" or p != "O"),
        "FP": sum(n * (t != p and p != "O") for n, t, p in rows),
        "FN": sum(n * (t != "O" and p == "O") for n, t, p in rows),
        "TN": sum(n * (t == p == "O") for n, t, p in rows),
    }


def _flat(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    if any(isinstance(row, list) for row in y_true):
        return list(chain.from_iterable(y_true)), list(chain.from_iterable(y_pred))
    return y_true, y_pred


def classification_report(
    y_true: Any,
    y_pred: Any,
    digits: int = 2,
    suffix: bool = False,
    output_dict: bool = False,
    mode: str | None = None,
    sample_weight: list[int] | None = None,
    zero_division: Any = "warn",
    scheme: type[Token] | None = None,
) -> Any:
    """Return the scores per type and averaged, as a text table or a dict.

    Args:
        y_true: Gold tags, one list per sentence.
        y_pred: Predicted tags.
        digits: Digits after the decimal point.
        suffix: Whether the letter is at the end of a tag.
        output_dict: Whether to return a dict.
        mode: `strict` enforces a scheme; anything else reads tags leniently.
        sample_weight: Ignored, as in seqeval.
        zero_division: Value for undefined scores: 0, 1, or `warn` for 0 with a warning.
        scheme: Token class in strict mode. Default: detected from the prefixes in `y_true`.
    """
    options: dict[str, Any] = {"digits": digits, "output_dict": output_dict, "zero_division": zero_division}
    if mode == "strict":
        return cr(y_true, y_pred, suffix=suffix, scheme=scheme, **options)
    compared = lenient(y_true, y_pred, suffix)
    return report(compared.count, compared.check, **options)
