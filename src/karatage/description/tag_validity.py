"""Which tagging scheme tags are in, and where they break its rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from karatage.claims import BREAK, SCHEMES, Scheme, Style, TagDecoder, Tags, read_tag

_EDGE = "start"
"""What stands before the first tag of a unit."""


@dataclass(frozen=True)
class Transition:
    """A pair of neighbouring tags that a tagging scheme forbids.

    Attributes:
        before: the first tag; `start` at the start of a unit.
        tag: the second tag; `end` at the end of a unit.
        count: how often the pair occurs.
    """

    before: str
    tag: str
    count: int


@dataclass(frozen=True)
class TagValidity:
    """Which tagging scheme the tags are in.

    Attributes:
        schemes: the schemes in which all tags are valid, or the one in which the fewest are not; none if the tags mix
            prefixes that no scheme has together.
        prefixes: the letters of the prefixes.
        invalid: the number of forbidden transitions in this scheme.
        transitions: the forbidden transitions, most frequent first.
        enforced: whether the user named the scheme, so that the tags were read strictly.
    """

    schemes: tuple[str, ...]
    prefixes: str
    invalid: int
    transitions: tuple[Transition, ...]
    enforced: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        rows = [{"before": one.before, "tag": one.tag, "count": one.count} for one in self.transitions]
        return {"schemes": list(self.schemes), "prefixes": self.prefixes, "invalid": self.invalid, "transitions": rows}


class TagChecker:
    """Counts the transitions that each scheme forbids, batch by batch.

    Args:
        style: how tags are put together.
        enforced: the scheme that the user named; None to find the one that fits best.
    """

    def __init__(self, style: Style, enforced: Scheme | None) -> None:
        self._style, self._enforced = style, enforced is not None
        self._schemes = [enforced] if enforced else [one for one in SCHEMES.values() if one.prefixes]
        self._letters: set[str] = set()
        self._invalid: dict[str, Counter[tuple[str, str]]] = {one.name: Counter() for one in self._schemes}

    def add(self, layers: Sequence[Tags]) -> None:
        """Look at the tags of a batch."""
        for tags in layers:
            present = [tags.vocabulary[code] for code in np.unique(tags.codes).tolist() if code != BREAK]
            self._letters |= {read_tag(tag, self._style)[0] for tag in present} - {"O"}
            for one in self._fitting():
                at = TagDecoder(one, self._style).invalid(tags)
                before = np.where(at > 0, tags.codes[at - 1], BREAK)
                pairs = Counter(zip(before.tolist(), tags.codes[at].tolist(), strict=True))
                for (first, second), count in pairs.items():
                    pair = tags.vocabulary[first] or _EDGE, tags.vocabulary[second] or "end"
                    self._invalid[one.name][pair] += count

    def _fitting(self) -> list[Scheme]:
        return [one for one in self._schemes if self._letters <= set(one.prefixes)]

    def result(self) -> TagValidity | None:
        """Return the schemes that fit best; None if there were no tags but O."""
        if not self._letters:
            return None
        fitting, prefixes = self._fitting(), "".join(sorted(self._letters))
        if not fitting:
            return TagValidity((), prefixes, 0, (), self._enforced)
        counts = {one.name: self._invalid[one.name].total() for one in fitting}
        least = min(counts.values())
        best = [name for name, count in counts.items() if count == least]
        found = self._invalid[best[0]]
        rows = sorted(found.items(), key=lambda row: (-row[1], row[0]))
        transitions = tuple(Transition(before, tag, count) for (before, tag), count in rows)
        return TagValidity(tuple(best[:1] if least else best), prefixes, least, transitions, self._enforced)
