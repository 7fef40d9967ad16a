"""What is checked of paired gold and predictions beside their score: all checks, as one."""

from __future__ import annotations

from collections.abc import Iterable

from karatage.matching import Alignment, ClaimPair, Pair, TaggedPair
from karatage.metrics import Tally
from karatage.profiles import Profile
from karatage.scoring.attribute_check import AttributeCheck
from karatage.scoring.form_check import FormCheck
from karatage.scoring.nouns import Nouns
from karatage.scoring.offset_check import OffsetCheck
from karatage.scoring.scheme_check import SchemeCheck
from karatage.scoring.word_check import WordCheck


class PairChecks:
    """Looks at each batch of paired units, and says afterwards what a reader of the scores should know.

    Args:
        profile: how they are scored.
        nouns: what users call what is scored.
        attributes: the attributes of units that the scores depend on.
    """

    def __init__(self, profile: Profile, nouns: Nouns, attributes: Iterable[str]) -> None:
        self._profile, self._nouns = profile, nouns
        self._attributes, self._forms = AttributeCheck(attributes), FormCheck()
        self._schemes, self._words = SchemeCheck(profile), WordCheck()
        self._offsets = OffsetCheck(compare=profile.units.check_text)

    def add(self, pair: Pair | TaggedPair, counts: Tally) -> None:
        """Look at a batch."""
        self._attributes.add(pair.gold.units, pair.pred.units)
        self._schemes.add(pair, counts)
        if self._profile.units.check_text:
            self._words.add(pair.gold, pair.pred)
        if isinstance(pair, Pair) and not self._profile.rule.of_values:
            self._offsets.add(pair)

    def add_values(self, pair: ClaimPair, alignment: Alignment) -> None:
        """Look at the values of a batch, where values are scored."""
        self._forms.add(pair, alignment)

    def __iadd__(self, other: PairChecks) -> PairChecks:
        """Add what was noticed in the part that follows."""
        self._attributes += other._attributes
        self._forms += other._forms
        self._schemes += other._schemes
        self._words += other._words
        self._offsets += other._offsets
        return self

    def shift(self, before: int) -> None:
        """Count the numbers of units in examples from behind so many others."""
        for check in (self._attributes, self._forms, self._schemes, self._words, self._offsets):
            check.shift(before)

    def warnings(self) -> list[str]:
        """Return what was noticed."""
        return [
            *self._attributes.warnings(self._nouns),
            *self._schemes.warnings(self._nouns),
            *self._words.warnings(self._nouns),
            *self._offsets.warnings(self._nouns),
            *self._forms.warnings(self._nouns),
        ]
