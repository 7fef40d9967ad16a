"""The choices that an estimate offers. This module imports nothing heavy: the command line completes from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict, get_args

from karatage.errors import unknown

if TYPE_CHECKING:
    from karatage.recall.precision import PrecisionSample

RecallMethod = Literal["published", "stratified", "ratio", "ratio-wilson", "convolution", "bayes", "wilson", "assisted"]
"""How to compute the interval; see `karatage.stats.METHODS`. `assisted` uses the predictions of an existing tagger."""

FailedTexts = Literal["leave-out", "miss"]
"""What to do with texts on which a tagger failed."""

UnresolvedItems = Literal["count", "widen"]
"""Count undecided items as not positive, or widen the interval to allow for both outcomes."""


class EstimateOptions(TypedDict, total=False):
    """Keyword arguments that estimates share.

    Attributes:
        method: How to compute the interval. Default: `ratio-wilson`.
        level: Confidence level.
        seed: Random seed of `bayes` and of the interval of F1.
        unresolved: Undecided items: `count` them as not positive, or `widen` the interval.
        precision: A labelled sample of the tagger's predictions, for precision and F1 on the corpus.
    """

    method: RecallMethod | None
    level: float
    seed: int
    unresolved: UnresolvedItems
    precision: PrecisionSample | None


def check_choice(option: str, value: str | None, choices: object) -> None:
    """Raise an error with the known values if a value is not one of a `Literal`."""
    if value is not None and value not in get_args(choices):
        raise unknown(option, value, get_args(choices))
