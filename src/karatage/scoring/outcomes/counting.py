"""How many outcomes there are of each kind, and which labels met which."""

from __future__ import annotations

import numpy as np

from karatage.matching import Kind
from karatage.scoring.outcomes.error_frames import KIND_NAMES
from karatage.scoring.outcomes.error_kinds import DETAILS, Detail
from karatage.scoring.outcomes.outcomes import Outcomes


def count_kinds(outcomes: Outcomes) -> dict[str, int]:
    """Return how many errors there are of each kind of matching."""
    counts = np.bincount(outcomes.kind, minlength=len(Kind)).tolist()
    return {name: counts[code] for name, code in KIND_NAMES.items()}


def count_details(outcomes: Outcomes) -> dict[str, int]:
    """Return how many errors there are of each kind in detail."""
    counts = np.bincount(outcomes.detail[outcomes.wrong], minlength=len(Detail)).tolist()
    return {name: counts[k + 1] for k, name in enumerate(DETAILS)}


def confusion_of(outcomes: Outcomes) -> dict[tuple[str, str], int]:
    """Return how often a gold label met a predicted label; an empty name is nothing."""
    sides, count = outcomes.sides, len(outcomes.sides.labels) + 1
    gold, pred = (
        np.append(label, count - 1)[claims]  # a claim that is not there, -1, takes the last entry
        for label, claims in ((sides.gold_label, outcomes.gold), (sides.pred_label, outcomes.pred))
    )
    found, times = np.unique(gold * count + pred, return_counts=True)
    names = (*sides.labels, "")
    return {(names[k // count], names[k % count]): n for k, n in zip(found.tolist(), times.tolist(), strict=True)}
