"""Axes of charts: which values are marked, and which can be drawn at all."""

from __future__ import annotations

import math

_TICKS = 5
"""About how many values of an axis are marked."""
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


def finite(value: float | None) -> bool:
    """Say whether there is a number that can be drawn."""
    return value is not None and math.isfinite(value)


def ticks(domain: tuple[float, float], *, whole: bool = False) -> list[tuple[float, str]]:
    """Return round values between the ends of an axis, with their texts."""
    low, high = domain
    rough = (high - low) / _TICKS
    size = 10.0 ** math.floor(math.log10(rough)) if rough > 0 else 1.0
    step = next(size * one for one in _STEPS if size * one >= rough * 0.999)
    step = max(1.0, math.ceil(step)) if whole else step
    digits = 0 if whole else max(0, -math.floor(math.log10(step) + 1e-9) + (step / size == 2.5))
    first = math.ceil(low / step - 1e-9)
    count = math.floor(high / step + 1e-9) - first + 1
    values = [(first + k) * step for k in range(count)]
    return [(value, f"{0.0 if abs(value) < step / 2 else value:,.{digits}f}") for value in values]
