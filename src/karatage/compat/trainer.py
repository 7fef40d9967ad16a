"""Metrics for the Trainer of Hugging Face transformers: from logits and label ids to plain numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from karatage.errors import InputError, UsageError
from karatage.scoring import ScoreKeywords, score

IGNORED = -100
"""The label id of what is not scored: special tokens, padding, and the further pieces of a word."""


def compute_metrics(
    tags: Sequence[str] | Mapping[int, str],
    *,
    undefined: float = 0.0,
    by_label: bool = False,
    intervals: bool = False,
    **options: Unpack[ScoreKeywords],
) -> Callable[[Any], dict[str, float]]:
    """Return a function for `Trainer(compute_metrics=…)`.

    Args:
        tags: The tags by their ids: `model.config.id2label`, or a list.
        undefined: The number for what is undefined, such as the precision of a model that predicts nothing.
        by_label: Whether to add the scores of labels, such as `f1/PER`.
        intervals: Whether to add the ends of intervals, such as `f1_low`.
        options: Scoring options, such as `like="seqeval"`.
    """
    names = _names(tags)
    given: dict[str, Any] = dict(options)
    given.setdefault("like", "seqeval")

    def compute(prediction: Any) -> dict[str, float]:
        logits, ids = _arrays(prediction)
        chosen = logits.argmax(-1) if logits.ndim == ids.ndim + 1 else logits
        if chosen.shape != ids.shape:
            raise InputError(f"predictions of shape {logits.shape} do not fit label ids of shape {ids.shape}")
        scored = ids != IGNORED
        gold, pred = (_named(column, scored, names) for column in (ids, chosen))
        result = score(gold, pred, resamples=1000 if intervals else 0, **given)
        return result.to_flat(undefined=undefined, labels=by_label, intervals=intervals)

    return compute


def _names(tags: Sequence[str] | Mapping[int, str]) -> list[str]:
    named = dict(tags) if isinstance(tags, Mapping) else dict(enumerate(tags))
    if sorted(named) != list(range(len(named))):
        raise UsageError("tags must have the ids 0, 1, 2, …: pass model.config.id2label")
    return [named[number] for number in range(len(named))]


def _arrays(prediction: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return predictions and label ids: of an EvalPrediction, or of a pair."""
    if hasattr(prediction, "predictions"):
        found, ids = prediction.predictions, prediction.label_ids
    else:
        found, ids = prediction
    # Some models return more than logits; they come first.
    return np.asarray(found[0] if isinstance(found, tuple) else found), np.asarray(ids)


def _named(ids: np.ndarray[Any, Any], scored: np.ndarray[Any, Any], names: list[str]) -> list[list[str]]:
    found = ids[scored]
    if found.size and not 0 <= found.min() <= found.max() < len(names):
        wrong = int(found.min() if found.min() < 0 else found.max())
        raise InputError(f"label id {wrong} has no name: there are {len(names)} labels")
    flat = np.array(names, object)[found].tolist()
    ends = np.cumsum(scored.sum(1)).tolist()
    return [flat[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)] if ends else []
