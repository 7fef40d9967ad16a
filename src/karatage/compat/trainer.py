"""Metrics for the Trainer of Hugging Face transformers: from logits and label ids to plain numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from karatage.errors import InputError, UsageError
from karatage.scoring import Result, ScoreKeywords, score

IGNORED = -100
"""The label id of what is not scored: special tokens, padding, and the further pieces of a word."""


def compute_metrics(
    tags: Sequence[str] | Mapping[int, str],
    *,
    undefined: float = 0.0,
    by_label: bool = False,
    intervals: bool = False,
    **options: Unpack[ScoreKeywords],
) -> Callable[..., dict[str, float]]:
    """Return a function for `Trainer(compute_metrics=…)`, also with `batch_eval_metrics=True`.

    Args:
        tags: The tags by their ids: `model.config.id2label`, or a list.
        undefined: The number for what is undefined, such as the precision of a model that predicts nothing.
        by_label: Whether to add the scores of labels, such as `f1/PER`.
        intervals: Whether to add the ends of intervals, such as `f1_low`.
        options: Scoring options, such as `like="seqeval"`.
    """
    scores = score_ids(tags, intervals=intervals, **options)
    held: Result | None = None

    def compute(prediction: Any, compute_result: bool = True) -> dict[str, float]:
        nonlocal held
        result = scores(*_both(prediction))
        total = result if held is None else held + result
        held = None if compute_result else total
        return total.to_flat(undefined=undefined, labels=by_label, intervals=intervals) if compute_result else {}

    return compute


def score_ids(
    tags: Sequence[str] | Mapping[int, str], *, intervals: bool = False, **options: Unpack[ScoreKeywords]
) -> Callable[[Any, Any], Result]:
    """Return a function that scores logits, or predicted ids, against label ids.

    Args:
        tags: The tags by their ids.
        intervals: Whether the scores have intervals.
        options: Scoring options.
    """
    names = _names(tags)
    given: dict[str, Any] = {"like": "seqeval"} | dict(options)

    def scores(predicted: Any, ids: Any) -> Result:
        gold: list[list[str]] = []
        pred: list[list[str]] = []
        for one, other in _batches(predicted, ids):
            logits, wanted = _array(one), _array(other)
            chosen = logits.argmax(-1) if logits.ndim == wanted.ndim + 1 else logits
            if chosen.shape != wanted.shape:
                raise InputError(f"predictions of shape {logits.shape} do not fit label ids of shape {wanted.shape}")
            scored = wanted != IGNORED
            gold += _named(wanted, scored, names)
            pred += _named(chosen, scored, names)
        return score(gold, pred, resamples=1000 if intervals else 0, **given)

    return scores


def _names(tags: Sequence[str] | Mapping[int, str]) -> list[str]:
    named = dict(tags) if isinstance(tags, Mapping) else dict(enumerate(tags))
    if sorted(named) != list(range(len(named))):
        raise UsageError("tags must have the ids 0, 1, 2, …: pass model.config.id2label")
    return [named[number] for number in range(len(named))]


def _both(prediction: Any) -> tuple[Any, Any]:
    """Return predictions and label ids: of an EvalPrediction, or of a pair."""
    pair = (prediction.predictions, prediction.label_ids) if hasattr(prediction, "predictions") else prediction
    return pair[0], pair[1]


def _batches(predicted: Any, ids: Any) -> Iterable[tuple[Any, Any]]:
    """Return the batches, each padded in its own way, that a Trainer with `eval_do_concat_batches=False` has."""
    return (
        zip(predicted, ids, strict=True)
        if isinstance(ids, list) and ids and np.ndim(ids[0]) > 1
        else [(predicted, ids)]
    )


def _array(found: Any) -> np.ndarray[Any, Any]:
    """Return an array, of a tensor on any device too; of several outputs of a model, the logits, which come first."""
    first = found[0] if isinstance(found, tuple) else found
    if not hasattr(first, "detach"):
        return np.asarray(first)
    tensor = first.detach().cpu()
    array: np.ndarray[Any, Any] = (
        tensor.float() if tensor.is_floating_point() else tensor
    ).numpy()  # NumPy has no bfloat16
    return array


def _named(ids: np.ndarray[Any, Any], scored: np.ndarray[Any, Any], names: list[str]) -> list[list[str]]:
    found = ids[scored]
    if found.size and not 0 <= found.min() <= found.max() < len(names):
        wrong = int(found.min() if found.min() < 0 else found.max())
        raise InputError(f"label id {wrong} has no name: there are {len(names)} labels")
    flat = np.array(names, object)[found].tolist()
    ends = np.cumsum(scored.sum(1)).tolist()
    return [flat[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)] if ends else []
