"""A score: a number with its interval, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Score:
    """A number with its interval, or the reason why there is none.

    Attributes:
        value: the number; None if it is undefined and the profile exports no number for that.
        undefined: why it, or a part of it, is undefined; None if it is not.
        low: the lower end of its interval, where one was made.
        high: the upper end of its interval, where one was made.
        method: how the interval was made.
        error: its standard error over resamples.
        undefined_share: the share of resamples in which it is undefined.
        withheld: why there is no interval although one was asked for.
    """

    value: float | None
    undefined: str | None = None
    low: float | None = None
    high: float | None = None
    method: str | None = None
    error: float | None = None
    undefined_share: float = 0.0
    withheld: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the value, its interval where there is one, and why either is missing."""
        out: dict[str, Any] = {"value": self.value}
        if self.low is not None:
            out |= {"low": self.low, "high": self.high, "method": self.method}
        reasons = {"undefined": self.undefined, "withheld": self.withheld}
        out |= {name: reason for name, reason in reasons.items() if reason is not None}
        return out | ({"undefined_share": self.undefined_share} if self.undefined_share else {})

    def __float__(self) -> float:
        return float("nan") if self.value is None else self.value

    def __format__(self, spec: str) -> str:
        return "undefined" if self.value is None else format(self.value, spec)

    def __repr__(self) -> str:
        parts = [] if self.value is None else [repr(self.value)]
        if self.low is not None:
            parts.append(f"low={self.low!r}, high={self.high!r}")
        if self.undefined is not None:
            parts.append(f"undefined={self.undefined!r}")
        return f"Score({', '.join(parts)})"
