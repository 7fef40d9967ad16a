"""Something about a benchmark that its users should know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

ERROR, WARNING, NOTE = "error", "warning", "note"


@dataclass(frozen=True)
class Finding:
    """Something about a benchmark that its users should know.

    Attributes:
        code: a short name, for filtering.
        severity: `error`, if no estimate can be made; `warning`, if one is wrong; `note`, if one should know.
        what: what was found.
        effect: what it does to the estimate.
        stratum: where it was found, if in one stratum.
    """

    code: str
    severity: str
    what: str
    effect: str = ""
    stratum: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {name: value for name, value in vars(self).items() if value not in (None, "")}
