"""Which predicted claim answers which gold claim, and how well."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.claims import Claims, recode


class Kind(IntEnum):
    """What a pair of claims is, or what an unpaired claim is."""

    CORRECT = 0
    TYPE = 1
    BOUNDARY = 2
    BOTH = 3
    MISSED = 4
    SPURIOUS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Pairs of claims, each claim in at most one.

    Attributes:
        gold: the gold claim of each pair.
        pred: the predicted claim of each pair.
        kind: what each pair is: CORRECT, TYPE (right place, wrong type), BOUNDARY (right type, wrong place) or BOTH.
        credited: whether the matching rule gives credit for the pair.
    """

    gold: Ints
    pred: Ints
    kind: Ints
    credited: Bools

    def followed_by(self, other: Alignment) -> Alignment:
        """Return the pairs of both."""
        return Alignment(
            np.concatenate([self.gold, other.gold]),
            np.concatenate([self.pred, other.pred]),
            np.concatenate([self.kind, other.kind]),
            np.concatenate([self.credited, other.credited]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Gold and predictions on one set of labels, as matching reads them.

    Attributes:
        gold, pred: the claims.
        labels: the labels of both.
        gold_label, pred_label: the claims' labels as indices into `labels`.
    """

    gold: Claims
    pred: Claims
    labels: tuple[str, ...]
    gold_label: Ints
    pred_label: Ints

    @classmethod
    def of(cls, gold: Claims, pred: Claims) -> Sides:
        """Put both sides on the union of their labels."""
        if gold.labels == pred.labels:
            return cls(gold, pred, gold.labels, gold.label, pred.label)
        number = {label: k for k, label in enumerate(gold.labels)}
        for label in pred.labels:
            number.setdefault(label, len(number))
        return cls(gold, pred, tuple(number), gold.label, recode(pred.label, [number[x] for x in pred.labels]))
