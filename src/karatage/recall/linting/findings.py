"""A defect or remark that `karatage recall lint` reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]
"""`error`: no estimate is possible; `warning`: the estimate is wrong; `note`: worth knowing."""


@dataclass(frozen=True)
class LintFinding:
    """A defect or remark about a benchmark.

    Attributes:
        code: Short name, for filtering.
        severity: How serious it is.
        what: What was found.
        effect: How it affects the estimate.
        stratum: The stratum, if it concerns only one.
    """

    code: str
    severity: Severity
    what: str
    effect: str = ""
    stratum: str | None = None

    def to_dict(self) -> dict[str, str]:
        """Return plain data."""
        return {name: value for name, value in vars(self).items() if value not in (None, "")}
