"""What a page says first: where to look, each with the section that has more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from karatage.reports.html.blocks import Finding
from karatage.reports.terminal.difference_texts import signed
from karatage.reports.terminal.result_tables import counted, show, show_interval

if TYPE_CHECKING:
    from karatage.explanation import Fix, Slice

COSTLIEST = 3
"""How many kinds of error are named first."""


def answer_text(found: Any) -> str:
    """Placeholder."""
    return f"Placeholder for the answer on {found!r}."


def costliest(fixes: Sequence[Fix], metric: str, of: str) -> list[Finding]:
    """Return the kinds of error that cost most; `of` names the system, where there are several."""
    found = [fix for fix in fixes if fix.gain is not None and fix.gain > 0][:COSTLIEST]
    places = ("costliest error", "second costliest", "third costliest")
    return [
        Finding(
            f"{place}{of}",
            fix.kind,
            f"{counted(fix.errors, 'error')}; {signed(fix.gain)} {metric} if fixed",
            "kinds-of-error",
        )
        for fix, place in zip(found, places, strict=False)
    ]


def worst_slice(slices: Sequence[Slice], of: str) -> list[Finding]:
    """Return the slice that is most below the rest, if one is significantly worse; `of` names the system."""
    worse = [one for one in slices if one.telling and one.mark == "worse" and one.difference is not None]
    if not worse:
        return []
    one = max(worse, key=lambda own: abs(own.difference or 0.0))
    interval = show_interval(one.score)
    told = f"{one.headline} {show(one.score)}{f' ({interval})' if interval else ''}, rest {show(one.rest)}"
    return [Finding(f"worst slice{of}", f"{one.by}: {one.name}", told, "slices")]
