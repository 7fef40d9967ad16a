"""What the confidence of predictions is worth: does it rank right ones first, and does it mean what it says?"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np

from karatage._arrays import Bools, Floats, Ints
from karatage.metrics import FBeta
from karatage.profiles import Profile
from karatage.scoring import Outcomes
from karatage.stats import LEVEL, wilson

SHOWN = 200
"""How many points of a curve are kept."""

BINS = 10

_ROUNDING = 1e-4
"""So far outside of 0 to 1 a probability may come out of single precision."""


class Point(NamedTuple):
    """Recall and precision of the predictions with at least some score.

    Attributes:
        recall: the share of the gold claims that they find.
        precision: the share of them that is right.
        threshold: the least score; None where those without a score are in too.
    """

    recall: float
    precision: float
    threshold: float | None


class Bin(NamedTuple):
    """Predictions of about the same score.

    Attributes:
        confidence: the mean of their scores.
        accuracy: the share that is right.
        size: how many they are.
        low, high: the interval of that share (Wilson's).
    """

    confidence: float
    accuracy: float
    size: int
    low: float
    high: float


@dataclass(frozen=True)
class Confidence:
    """How well the scores of predictions tell right ones from wrong ones.

    A prediction is right if the matching rule gives it credit. The pairs stay as they are when a threshold drops
    predictions: what is dropped makes no room for another one.

    Attributes:
        curve: precision and recall from the surest predictions down, at every distinct score; thinned to 200 points.
        average_precision: the mean of the precision over recall, Σ (Rₙ - Rₙ₋₁) Pₙ over the distinct scores from the
            highest down, where R is of all gold claims: one that no prediction finds counts as never found. It is
            scikit-learn's `average_precision_score` of the predictions times the share of the gold that they find.
        metric: what the threshold is chosen for, such as `f1`.
        value: what the metric is now, over all predictions.
        best_threshold: the least score of the predictions to keep for the best value; None where dropping any does not
            raise it. It is chosen on the very data that it is judged on, so the gain on other data is smaller.
        best_value: the metric with that threshold.
        dropped: how many predictions fall below it.
        bins: up to 10 groups of about as many predictions each, by score; predictions with one score stay together.
        error: the expected calibration error, Σ size/n |accuracy - confidence| over the bins.
        brier: the Brier score, the mean of (score - right)², where right is 0 or 1.
        uncalibrated: why bins, error and Brier score are left out; empty where they are there.
        unscored: how many predictions have no score; the curve takes them for the least sure.
    """

    curve: tuple[Point, ...] = field(repr=False)
    average_precision: float
    metric: str
    value: float
    best_threshold: float | None
    best_value: float
    dropped: int
    bins: tuple[Bin, ...] = field(default=(), repr=False)
    error: float | None = None
    brier: float | None = None
    uncalibrated: str = ""
    unscored: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self) | {
            "curve": [point._asdict() for point in self.curve],
            "bins": [one._asdict() for one in self.bins],
        }


def confidence(outcomes: Outcomes, profile: Profile, *, level: float = LEVEL) -> Confidence | None:
    """Judge the scores of predictions; None where they have none, or all the same, or where there is no gold.

    Args:
        outcomes: what became of every claim.
        profile: how they were scored; the threshold is for its headline by label, or F1 where that is no F measure.
        level: the confidence level of the intervals of the bins.
    """
    gold = int((outcomes.gold >= 0).sum())
    score = outcomes.claims.pred.score
    if score is None or not gold:
        return None
    predicted = outcomes.pred >= 0
    found, right = score[outcomes.pred[predicted]], outcomes.credited[predicted]
    found = np.where(np.isfinite(found), found, -np.inf)
    order = np.lexsort((right, -found))  # the surest first; sums then have one order, whatever that of the input
    found, right = found[order], right[order]
    known = np.isfinite(found)
    if len(np.unique(found[known])) < 2:
        return None
    measure = FBeta.closest(profile.claims_label_headline.measure)
    beta = measure.beta
    thresholds, kept, hits = _down(found, right)
    values = (1 + beta**2) * hits / (beta**2 * gold + kept)
    best = len(values) - 1 - int(np.argmax(values[::-1]))  # of equal ones, that which drops least
    recall, precision = hits / gold, hits / kept
    last = best == len(values) - 1
    return Confidence(
        curve=tuple(
            Point(float(recall[at]), float(precision[at]), _finite(thresholds[at]))
            for at in _shown(len(values), best).tolist()
        ),
        average_precision=float((np.diff(recall, prepend=0.0) * precision).sum()),
        metric=str(measure),
        value=float(values[-1]),
        best_threshold=None if last else float(thresholds[best]),
        best_value=float(values[best]),
        dropped=int(kept[-1] - kept[best]),
        unscored=int((~known).sum()),
        **_calibration(found[known], right[known], level),
    )


def _down(score: Floats, right: Bools) -> tuple[Floats, Ints, Ints]:
    """Return the distinct scores from the highest down, how many predictions reach each, and how many are right."""
    hits = np.cumsum(right, dtype=np.int64)
    ends = np.flatnonzero(np.append(score[1:] != score[:-1], True))
    return score[ends], (ends + 1).astype(np.int64), hits[ends]


def _shown(count: int, best: int) -> Ints:
    """Choose the points to keep: the first, the last, the best, and others at equal steps."""
    if count <= SHOWN:
        return np.arange(count)
    steps = np.linspace(0, count - 1, SHOWN - 1).round().astype(np.int64)
    return np.union1d(steps, [best])


def _finite(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None


def _calibration(score: Floats, right: Bools, level: float) -> dict[str, Any]:
    """Return what is known of the calibration, or why it is not."""
    low, high = float(score.min()), float(score.max())
    if low < -_ROUNDING or high > 1 + _ROUNDING:
        reason = f"scores range from {low:.4g} to {high:.4g}, but probabilities are between 0 and 1"
        return {"uncalibrated": reason}
    score = np.clip(score, 0.0, 1.0)
    # A score's place among all of them is the middle of those that share it, so that they come into one bin.
    _, which, counts = np.unique(score, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - counts / 2
    _, group = np.unique((BINS * middle / len(score)).astype(np.int64)[which], return_inverse=True)
    size = np.bincount(group)
    mean, hits = np.bincount(group, weights=score) / size, np.bincount(group, weights=right)
    ends = wilson(hits, size, level)
    columns = (mean, hits / size, size, *ends)
    return {
        "bins": tuple(Bin(*row) for row in zip(*(column.tolist() for column in columns), strict=True)),
        "error": float((size * np.abs(hits / size - mean)).sum() / len(score)),
        "brier": float(((score - right) ** 2).mean()),
    }
