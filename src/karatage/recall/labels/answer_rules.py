"""How answers are read."""

from __future__ import annotations

from dataclasses import dataclass

from karatage.errors import UsageError

UNANIMOUS, MAJORITY, NAMED = "unanimous", "majority", "annotator:"
POSITIVE, NEGATIVE = ("yes",), ("no",)


@dataclass(frozen=True)
class Rules:
    """How answers are read.

    Attributes:
        labels: what the wanted entities are called.
        positive: the choices that mean that the candidate is (part of) an entity.
        negative: the choices that mean that it is not. Case does not matter; any other choice leaves an item undecided.
        resolve: what settles a conflict: `unanimous` leaves it open, `majority`, or `annotator:NAME`. An adjudication
            always settles it.
    """

    labels: tuple[str, ...]
    positive: tuple[str, ...] = POSITIVE
    negative: tuple[str, ...] = NEGATIVE
    resolve: str = UNANIMOUS

    def __post_init__(self) -> None:
        if not self.labels or not all(self.labels):
            raise UsageError("name the label of the wanted entities, such as --label LOC")
        both = {name.lower() for name in self.positive} & {name.lower() for name in self.negative}
        if both:
            raise UsageError(f"the choice {min(both)!r} cannot be positive and negative")
        if self.resolve not in (UNANIMOUS, MAJORITY) and not (self.resolve.startswith(NAMED) and self.resolve != NAMED):
            raise UsageError(f"conflicts are resolved by unanimous, majority or annotator:NAME, not {self.resolve!r}")

    def meaning(self, choice: str) -> bool | None:
        """Say whether a choice is positive or negative; None if it is neither."""
        name = choice.strip().lower()
        for names, meaning in ((self.positive, True), (self.negative, False)):
            if name in {one.lower() for one in names}:
                return meaning
        return None
