"""What users call the things that are scored: sentences and entities, or queries and documents."""

from __future__ import annotations

from typing import NamedTuple

from karatage.profiles import Profile


class Nouns(NamedTuple):
    """What users call things.

    Attributes:
        unit, units: what is scored, one and many.
        gold, predicted, correct: what is counted.
    """

    unit: str
    units: str
    gold: str
    predicted: str
    correct: str


def nouns_of(profile: Profile) -> Nouns:
    """Return what users of a profile call things."""
    if profile.search:
        return Nouns("query", "queries", "relevant", "retrieved", "relevant retrieved")
    return Nouns("sentence", "sentences", "gold", "predicted", "correct")
