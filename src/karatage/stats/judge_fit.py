"""How much a judge should weigh in an estimate, and how sure that leaves the estimate."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from karatage._arrays import Floats
from karatage.stats.labelled_part import LabelledPart

_UNSEEN = 1.0
"""How many labelled units are added on which the judge is wrong as far as a unit can be, as long as none was seen."""


class JudgeFit:
    """The weight of the judge that makes the variance least, and the residuals that it leaves.

    Args:
        part: which units are labelled.
        gold: what each unit does to the metric by gold.
        judge: the same by the judge.
    """

    def __init__(self, part: LabelledPart, gold: Floats, judge: Floats) -> None:
        self._part = part
        share = part.share
        self._gold = np.where(part.labelled, share * part.centred(gold), 0.0)
        self._judge = np.where(part.judged, share * part.centred(judge), 0.0)
        labelled = np.bincount(part.stratum, part.labelled)[part.stratum]
        spread = part.centred(judge) ** 2
        # The variance of the judge is the same for labelled units and others, so that of all is taken, by stratum.
        strata = np.bincount(part.stratum)
        pooled = (np.bincount(part.stratum, spread) / strata)[part.stratum]
        self._spread = float((share**2 * pooled)[part.judged].sum())
        freed = labelled / np.maximum(labelled - 1, 1)
        self._common = np.where(part.labelled, self._gold * self._judge * freed, 0.0)
        self.weight = float(_clipped(self._common.sum(), self._spread))

    @cached_property
    def without(self) -> Floats:
        """The weight for each labelled unit that the other clusters give; for other units the weight of all."""
        part = self._part
        own = part.in_clusters(self._common)
        count = len(part.drawn)
        without = (self._common.sum() - own * count / (count - 1)) * (count - 1) / (count - 2)
        weights = _clipped(without, self._spread)[part.cluster] if self.weight > 0 else 0.0
        return np.where(part.labelled, weights, self.weight)

    def moved(self, weights: Floats) -> Floats:
        """Return what each unit does to an estimate in which the judge has such weights."""
        own = weights * self._judge
        return np.where(self._part.labelled, self._gold - own, own)

    @property
    def unseen(self) -> float:
        """What is added to the variance as long as few units show where the judge is wrong.

        One labelled unit is added on which it is: by as much as a unit of average size can be, until units that were
        seen say by how much; and the more of these there are, the less it weighs.
        """
        part = self._part
        wrong = part.in_clusters(np.where(part.labelled, self._gold - self._judge, 0.0))[part.drawn]
        count = len(part.drawn)
        squares, fourths = (float(((wrong * count) ** power).sum()) for power in (2, 4))
        seen = squares**2 / fourths if fourths > 0 else 0.0
        swing = (squares + _UNSEEN) / (seen + _UNSEEN)
        return _UNSEEN / (_UNSEEN + seen) * swing / count**2


def _clipped(common: Any, spread: float) -> Any:
    return np.clip(common / spread, 0.0, 1.0) if spread > 0 else np.zeros_like(common)
