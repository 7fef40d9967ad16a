"""Many tests at once: corrected p-values, and ranks that say no more than the tests do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from karatage._arrays import Bools, Floats


def holm(p: Sequence[float]) -> Floats:
    """Correct p-values so that the chance of any false alarm among all of them keeps its level (Holm 1979).

    The smallest of m is multiplied by m, the next one by m - 1, and so on; none becomes smaller than one before it.
    0.01, 0.04, 0.03 become 0.03, 0.06, 0.06. A test that could not be made (NaN) does not count.
    """
    values = np.asarray(p, float)
    out = np.full(len(values), np.nan)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    steps = values[order] * np.arange(len(order), 0, -1)
    out[order] = np.minimum(np.maximum.accumulate(steps), 1.0) if len(order) else steps
    return out


def shared_ranks(better: Bools) -> list[int]:
    """Rank systems: one more than the number of systems that are significantly better.

    Args:
        better: `better[i, j]` says whether system i is significantly better than system j.
    """
    return [1 + int(count) for count in better.sum(axis=0)]
