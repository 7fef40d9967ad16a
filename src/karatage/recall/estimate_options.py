"""The choices that an estimate offers. This module imports nothing heavy: the command line completes from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from karatage.recall.precision import PrecisionSample
    from karatage.recall.second_labels import LabelCheck

RecallMethod = Literal[
    "mover", "published", "stratified", "ratio", "ratio-wilson", "convolution", "bayes", "wilson", "assisted"
]
"""How to compute the interval; see `karatage.stats.METHODS`. `assisted` uses the predictions of an existing tagger."""

FailedTexts = Literal["leave-out", "miss"]
"""What to do with texts on which a tagger failed."""

UnresolvedItems = Literal["count", "widen"]
"""Count undecided items as not positive, or widen the interval to allow for both outcomes."""


class EstimateOptions(TypedDict, total=False):
    """Keyword arguments that estimates share. `estimate_results` describes them."""

    method: RecallMethod | None
    level: float
    seed: int
    unresolved: UnresolvedItems
    precision: PrecisionSample | None
    label_errors: LabelCheck | None
