"""Files that were left out of a scoring because they cannot be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_SHOWN = 5
"""How many files a warning names; JSON has all of them."""


class SkippedShard(NamedTuple):
    """A file that was left out.

    Attributes:
        file: the file that is bad.
        partners: the files of the other inputs, which were left out with it; none if gold and predictions are in one.
        reason: what is wrong with it.
    """

    file: str
    partners: tuple[str, ...]
    reason: str

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {"file": self.file, "partners": list(self.partners), "reason": self.reason}


def skipped_warnings(skipped: Sequence[SkippedShard], files: int) -> tuple[str, ...]:
    """Say which files were left out, if any.

    Args:
        skipped: what was left out.
        files: how many files gold has, bad ones included.
    """
    if not skipped:
        return ()
    names = ", ".join(one.file for one in skipped[:_SHOWN])
    more = f" and {len(skipped) - _SHOWN:,} more" if len(skipped) > _SHOWN else ""
    return (
        f"files left out with their partners, as they cannot be scored ({names}{more}): {len(skipped):,} of {files:,}",
    )
