"""A score: a number with its interval, or the reason why there is none; and the scores of one label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from karatage.errors import UsageError


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


class LabelScores(Mapping[str, Score]):
    """The scores of one label, and its counts."""

    def __init__(self, scores: dict[str, Score], counts: dict[str, int]) -> None:
        self._scores, self.counts = scores, counts

    def __getitem__(self, name: str) -> Score:
        if name not in self._scores:
            raise UsageError(f"the profile reports {', '.join(self._scores)} by label, not {name}")
        return self._scores[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def __repr__(self) -> str:
        scores = ", ".join(f"{name}={score:.4f}" for name, score in self._scores.items())
        return f"<LabelScores {scores}, {', '.join(f'{n} {c:,}' for n, c in self.counts.items())}>"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {name: score.to_dict() for name, score in self._scores.items()} | {"counts": self.counts}
