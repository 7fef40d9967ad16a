"""A matching rule: an overlap of at least a half, and the same label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from karatage.matching import Kind, SpanRule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class HalfOverlap(SpanRule):
    """An overlap of at least a half, and the same label."""

    name = "half-overlap"
    about = "an overlap of at least half of the union, and the same label"

    def credit(self, kind: NDArray[np.int64], iou: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Give credit to large overlaps."""
        large: NDArray[np.bool_] = (kind == Kind.BOUNDARY) & (iou >= 0.5)
        return large
