"""What the units of a test set do not show of a score: units that fail as a whole, and labels that are in few units.

Where few units are wrong, or few have a label at all, their spread says little of how far the claims of a unit go
together: in the extreme nothing is wrong, and nothing is seen. So units are shrunk towards the worst, that all claims
of a unit are right or wrong together, as if `UNSEEN` more units had shown it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from karatage._arrays import Floats, Ints
from karatage.metrics import Tangent
from karatage.stats.share_moves import summed

UNSEEN = 2.0
"""How many units with errors the assumption weighs that all claims of a unit are right or wrong together."""

_PRIOR = 2.0
"""How many trials the mean over labels weighs in what is taken for the true share of one label."""

_TINY = 1e-12


@dataclass(frozen=True)
class UnseenErrors:
    """The shares that a score is a mean of: what their units do not show.

    Attributes:
        unseen: what is added to the variance of the mean.
        worth: how many independent trials the mean is a share of where nothing varies.
        units: how many units each share has.
        together: what the units are worth for each share if all claims of a unit go together (Kish 1965).
        erring: how many units have errors in each share, if all had equally many.
        by_share: what each share adds to the variance of the mean; nothing where its units show more than that.
        weight: for each entry, what it weighs in the mean.
        errors: for each entry, how much of that is the rarer of right and wrong.
    """

    unseen: float
    worth: float
    units: Floats
    together: Floats
    erring: Floats
    by_share: Floats
    weight: Floats
    errors: Floats

    @classmethod
    def of(
        cls, part: Ints, moves: Floats, size: Floats, times: Ints, near: Tangent, erring: Floats | None
    ) -> UnseenErrors:
        """Look at the entries of a score: what kinds of units do to its shares.

        Args:
            part: the share of each entry.
            moves: what one unit does to the share.
            size: the size of the unit in the share.
            times: how many such units there are.
            near: the score near its counts.
            erring: how many units with errors show how far claims of a unit go together; None for those there are.
        """
        count = len(near.values)

        def total(weights: Any) -> Floats:
            return summed(part, weights, count)

        value = np.clip(near.values, 0.0, 1.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            whole = total(times * size)
            units = total(times * (size > 0))
            shown = np.nan_to_num(total(times * moves**2) * units / (units - 1), posinf=0.0)
            together = whole**2 / total(times * size**2)
            least = np.minimum(together, near.trials)
            inside = value * (1 - value)
            apart = np.where((inside > _TINY) & (shown > 0), inside / shown, least)
            right = whole[part] * moves + value[part] * size
            rarer = np.maximum(np.where(value[part] >= 0.5, size - right, right), 0.0)
            own = np.nan_to_num(total(times * rarer) ** 2 / total(times * rarer**2))
            seen = own if erring is None else erring
            mean = np.isinf(near.trials)
            worth = np.where(mean, _trials_of_mean(seen, apart, least), _trials(seen, apart, least))
            weighing = np.nan_to_num(near.weights / whole, posinf=0.0)[part]
            known = (near.weights > 0) & (worth > 0) & np.isfinite(worth)
        by_share, entries = np.zeros(count), (weighing * size, weighing * rarer)
        if not known.any():
            return cls(0.0, 0.0, units, together, own, by_share, *entries)
        weights, worth, value, shown = near.weights[known], worth[known], value[known], shown[known]
        average = float((weights * value).sum() / weights.sum())
        likely = (value * worth + _PRIOR * average) / (worth + _PRIOR) if len(value) > 1 else value
        added = weights**2 * (likely * (1 - likely) / worth - shown)
        by_share[known] = np.maximum(added, 0.0)
        trials = float(weights.sum() ** 2 / (weights**2 / worth).sum())
        return cls(float(added.sum()), trials, units, together, own, by_share, *entries)

    def across_shares(self, shown: float, row: Ints, times: Ints, near: Tangent) -> tuple[float, float]:
        """Allow for units that fail in all labels at once: an average is then known as any other score is.

        Args:
            shown: the variance of the average that the units show.
            row: the kind of unit of each entry.
            times: how many units there are of each kind.
            near: the average near its counts.

        Returns:
            What is added to the variance, and how many trials the average is a share of where nothing varies.
        """
        weight, errors = (summed(row, own, len(times)) for own in (self.weight, self.errors))
        # A dot product would depend on the number of cores.
        total, squares, wrong = (float(own.sum()) for own in (near.weights, times * weight**2, times * errors**2))
        if not squares:
            return self.unseen, self.worth
        units = total**2 / squares
        erring = float((times * errors).sum()) ** 2 / wrong if wrong else 0.0
        share = min(max(float(near.weights @ np.nan_to_num(near.values)) / total, 0.0), 1.0)
        inside = total**2 * share * (1 - share)
        if inside <= _TINY:
            return self.unseen, min(self.worth, units)
        worth = _trials(erring, inside / shown if shown > 0 else np.inf, units)
        return max(self.unseen, float(inside / worth) - shown), min(self.worth, units)


def _trials(erring: Any, apart: Any, together: Any) -> Any:
    """Return how many trials units are worth, `erring` of which have errors.

    Args:
        erring: how many units have errors.
        apart: what the units are worth by the variance that they show.
        together: what they are worth if all claims of a unit go together, as `UNSEEN` more units would show.
    """
    return (erring + UNSEEN) / (erring / apart + UNSEEN / np.minimum(together, apart))


def _trials_of_mean(erring: Any, apart: Any, units: Any) -> Any:
    """Return how many trials the values of units are worth, `erring` of which are not all 1, or not all 0.

    Values that hardly vary are worth many times as many trials as there are units. Two more units whose values are 0
    would leave little of that, and hardly ever exist. So they draw on the logarithm.
    """
    weight = UNSEEN / (erring + UNSEEN)
    return apart ** (1 - weight) * np.minimum(units, apart) ** weight
