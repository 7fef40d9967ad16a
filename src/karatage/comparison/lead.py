"""Who is first, and whether the tests say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from karatage.comparison.comparison import Contest
    from karatage.comparison.set_contest import SetContest


@dataclass(frozen=True, kw_only=True)
class Lead:
    """All systems as seen from the first one, by the tests of one metric.

    Attributes:
        first: the systems with the best score; several if they have the same.
        beaten: the systems that are significantly worse than each of these.
        level: the other systems that were tested against these: no significant difference.
        untested: the systems without a test.
        undefined: the systems whose score is undefined.
    """

    first: tuple[str, ...]
    beaten: tuple[str, ...]
    level: tuple[str, ...]
    untested: tuple[str, ...]
    undefined: tuple[str, ...]

    @classmethod
    def of(cls, contest: Contest | SetContest) -> Lead:
        """Read it off the tests of all pairs."""
        pairs = {frozenset((d.one, d.other)): d for d in contest.differences}
        known = [name for name, score in contest.scores.items() if score.value is not None]
        best = known[0] if known else ""
        first = [name for name in known if name == best or pairs[frozenset((best, name))].value == 0]
        groups: dict[str, list[str]] = {"beaten": [], "level": [], "untested": []}
        for name in known[len(first) :]:
            tests = [pairs[frozenset((own, name))] for own in first]
            tested = all(test.corrected is not None for test in tests)
            beaten = all(test.significant for test in tests)
            groups["untested" if not tested else "beaten" if beaten else "level"].append(name)
        return cls(
            first=tuple(first),
            undefined=tuple(name for name in contest.scores if name not in known),
            **{group: tuple(names) for group, names in groups.items()},
        )

    @property
    def others(self) -> int:
        """How many systems have a worse score."""
        return len(self.beaten) + len(self.level) + len(self.untested)
