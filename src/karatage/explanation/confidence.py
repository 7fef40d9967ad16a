"""What the confidence of predictions is worth: does it rank right ones first, and does it mean what it says?"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np

from karatage._arrays import Floats, Ints
from karatage.metrics import FBeta
from karatage.profiles import Profile
from karatage.scoring import Outcomes
from karatage.stats import LEVEL, wilson

SHOWN = 200
"""How many points of a curve are kept."""

BINS = 10

DISTINCT = 200_000
"""How many distinct scores are told apart."""

_PENDING = 1 << 16
"""Scores to hold before equal ones are added up."""

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
        rounded: how far scores are rounded, where there are too many distinct ones to tell them all apart; else empty.
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
    rounded: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        out = asdict(self) | {
            "curve": [point._asdict() for point in self.curve],
            "bins": [one._asdict() for one in self.bins],
        }
        return {name: value for name, value in out.items() if name != "rounded" or value}


class ConfidenceCounts:
    """Gathers how often each score occurs and is right, batch by batch.

    Beyond `DISTINCT` scores, the last bits of all scores are cut off until fewer are left. How many bits that takes
    depends on the scores alone, not on how they were split into batches.
    """

    def __init__(self) -> None:
        self._score = np.zeros(0)
        self._counts = np.zeros((0, 2), np.int64)
        self._waiting: list[tuple[Floats, Ints]] = []
        self._unscored = np.zeros(2, np.int64)
        self._cut = self._gold = 0
        self._scored = False

    def add(self, outcomes: Outcomes) -> None:
        """Take a batch."""
        self._gold += int((outcomes.gold >= 0).sum())
        score = outcomes.claims.pred.score
        self._scored |= score is not None
        predicted = outcomes.pred >= 0
        right = outcomes.credited[predicted]
        found = np.full(len(right), np.nan) if score is None else score[outcomes.pred[predicted]]
        known = np.isfinite(found)
        self._unscored += (int((~known).sum()), int(right[~known].sum()))
        self._take(found[known], np.stack([np.ones(int(known.sum()), np.int64), right[known]], axis=1))

    def _take(self, score: Floats, counts: Ints) -> None:
        """Add scores, with how often each occurs and is right."""
        self._waiting.append((score, counts))
        if sum(len(own) for own, _ in self._waiting) > max(_PENDING, len(self._score)):
            self._merge()

    def _merge(self) -> None:
        score, counts = (np.concatenate(own) for own in zip((self._score, self._counts), *self._waiting, strict=True))
        while True:
            self._score, which = np.unique(_without_bits(score, self._cut), return_inverse=True)
            if len(self._score) <= DISTINCT:
                break
            self._cut += 1
        columns = [np.bincount(which, column, len(self._score)) for column in counts.T]
        self._counts, self._waiting = np.stack(columns, axis=1).astype(np.int64), []

    def __iadd__(self, other: ConfidenceCounts) -> ConfidenceCounts:
        """Add what was gathered of the part that follows."""
        self._gold += other._gold
        self._unscored += other._unscored
        self._scored |= other._scored
        self._cut = max(self._cut, other._cut)
        for own in ((other._score, other._counts), *other._waiting):
            self._take(*own)
        return self

    def confidence(self, profile: Profile, *, level: float = LEVEL) -> Confidence | None:
        """Judge the scores; None where there are none, or all the same, or where there is no gold."""
        self._merge()
        if not self._scored or not self._gold or len(self._score) < 2:
            return None
        measure = FBeta.closest(profile.claims_label_headline.measure)
        beta, gold, unscored = measure.beta, self._gold, int(self._unscored[0])
        # From the surest down; those without a score come last.
        thresholds = np.append(self._score[::-1], [-np.inf] * bool(unscored))
        kept, hits = np.cumsum([*self._counts[::-1], *[self._unscored] * bool(unscored)], axis=0).T
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
            unscored=unscored,
            rounded=_rounded(self._cut),
            **_calibration(self._score, self._counts, level),
        )


def confidence(outcomes: Outcomes, profile: Profile, *, level: float = LEVEL) -> Confidence | None:
    """Judge the scores of predictions; None where they have none, or all the same, or where there is no gold.

    Args:
        outcomes: what became of every claim.
        profile: how they were scored; the threshold is for its headline by label, or F1 where that is no F measure.
        level: the confidence level of the intervals of the bins.
    """
    counts = ConfidenceCounts()
    counts.add(outcomes)
    return counts.confidence(profile, level=level)


def _without_bits(score: Floats, cut: int) -> Floats:
    """Cut the last bits off, which moves a score towards 0."""
    bits = score.view(np.int64) & np.int64(-1 << cut)
    return bits.view(np.float64) if cut else score


def _rounded(cut: int) -> str:
    if not cut:
        return ""
    share = 2.0 ** (cut - 52)
    return f"more than {DISTINCT:,} distinct confidences: rounded down, by at most {100 * share:.2g} %"


def _shown(count: int, best: int) -> Ints:
    """Choose the points to keep: the first, the last, the best, and others at equal steps."""
    if count <= SHOWN:
        return np.arange(count)
    steps = np.linspace(0, count - 1, SHOWN - 1).round().astype(np.int64)
    return np.union1d(steps, [best])


def _finite(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None


def _calibration(score: Floats, counts: Ints, level: float) -> dict[str, Any]:
    """Return what is known of the calibration, or why it is not.

    Args:
        score: the distinct scores, sorted.
        counts: how many predictions have each, and how many of them are right.
        level: the confidence level of the intervals of the bins.
    """
    low, high = float(score.min()), float(score.max())
    if low < -_ROUNDING or high > 1 + _ROUNDING:
        reason = f"scores range from {low:.4g} to {high:.4g}, but probabilities are between 0 and 1"
        return {"uncalibrated": reason}
    score, total = np.clip(score, 0.0, 1.0), int(counts[:, 0].sum())
    # A score's place among all of them is the middle of those that share it, so that they come into one bin.
    score, same = np.unique(score, return_inverse=True)
    size, right = (np.bincount(same, column) for column in counts.T)
    middle = np.cumsum(size) - size / 2
    _, group = np.unique((BINS * middle / total).astype(np.int64), return_inverse=True)
    sizes, hits = np.bincount(group, size), np.bincount(group, right)
    mean = np.bincount(group, score * size) / sizes
    ends = wilson(hits, sizes, level)
    columns = (mean, hits / sizes, sizes.astype(np.int64), *ends)
    return {
        "bins": tuple(Bin(*row) for row in zip(*(column.tolist() for column in columns), strict=True)),
        "error": float((sizes * np.abs(hits / sizes - mean)).sum() / total),
        "brier": float(((score - 1) ** 2 * right + score**2 * (size - right)).sum() / total),
    }
