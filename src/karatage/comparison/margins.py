"""Is a system no worse than another by more than a margin, and are the two equivalent within it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from karatage._arrays import Floats
from karatage.stats import PairedDifference, SetSample

if TYPE_CHECKING:
    from karatage.comparison.comparison import Difference


@dataclass(frozen=True, kw_only=True)
class MarginTest:
    """Two one-sided tests of a difference against a margin (Schuirmann 1987).

    Attributes:
        margin: the largest difference that does not matter.
        one: the p-value of the test that the first system is worse than the second by more than the margin.
        other: the p-value of the test that the second system is worse than the first by more than the margin.
        equivalent: the p-value of the test that they differ by more than the margin, the larger of the two.
        corrected_one, corrected_other, corrected_equivalent: the same after Holm's correction over all pairs.
        one_drop: how far the first system may be below the second: the largest drop that cannot be ruled out.
        other_drop: how far the second may be below the first.
        one_no_worse: whether the first system is shown to be no worse than the second by more than the margin.
        other_no_worse: whether the second is shown to be no worse than the first.
    """

    margin: float
    one: float
    other: float
    equivalent: float
    corrected_one: float
    corrected_other: float
    corrected_equivalent: float
    one_drop: float
    other_drop: float
    one_no_worse: bool = False
    other_no_worse: bool = False

    @classmethod
    def of(cls, margin: float, better: PairedDifference | SetSample, level: float) -> MarginTest:
        """Test by how much the first system is better, both ways."""
        one, other = better.p_no_worse(margin), better.turned.p_no_worse(margin)
        both = max(one, other)
        return cls(
            margin=margin,
            one=one,
            other=other,
            equivalent=both,
            corrected_one=one,
            corrected_other=other,
            corrected_equivalent=both,
            one_drop=better.largest_drop(level),
            other_drop=better.turned.largest_drop(level),
        )


D = TypeVar("D", bound="Difference")


def judged(differences: Sequence[D], level: float) -> tuple[D, ...]:
    """Correct the tests against a margin over all pairs of a table, and decide them.

    Every one-sided test has half of the level, as each end of an interval has: for one pair, a system is no worse by
    more than the margin exactly where its largest drop is within it.
    """
    tested = [(k, d.margin) for k, d in enumerate(differences) if d.margin is not None]
    corrected = corrected_pairs(np.array([(test.one, test.other) for _, test in tested]).reshape(-1, 2))
    out = list(differences)
    for (k, test), (one, other) in zip(tested, corrected.tolist(), strict=True):
        alpha = (1 - level) / 2
        decided = replace(
            test,
            corrected_one=one,
            corrected_other=other,
            corrected_equivalent=max(one, other),
            one_no_worse=one <= alpha,
            other_no_worse=other <= alpha,
        )
        out[k] = replace(out[k], margin=decided)
    return tuple(out)


def corrected_pairs(p: Floats) -> Floats:
    """Correct p-values of two opposite tests for each pair, of which at most one can be wrong to reject.

    Neither of two systems can be worse than the other by more than a margin both ways. So Holm's correction (1979)
    counts pairs instead of tests, as Shaffer (1986) has it for hypotheses that exclude each other. With the p-values
    (0.01, 0.03) of one pair and (0.02, 0.5) of another, 0.01, 0.02 and 0.03 are doubled, and 0.5, when the first pair
    is done with, is not.
    """
    out = np.empty_like(p)
    left = np.full(len(p), 2)
    before = 0.0
    for at in np.argsort(p, axis=None, kind="stable"):
        pair, side = divmod(int(at), 2)
        before = out[pair, side] = min(max(before, float(p[pair, side]) * int((left > 0).sum())), 1.0)
        left[pair] -= 1
    return out
