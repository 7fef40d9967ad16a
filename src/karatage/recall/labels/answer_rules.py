"""How answers of annotators are interpreted."""

from __future__ import annotations

from dataclasses import dataclass

from karatage.errors import UsageError

UNANIMOUS, MAJORITY, ANNOTATOR = "unanimous", "majority", "annotator:"
POSITIVE, NEGATIVE = ("yes",), ("no",)


@dataclass(frozen=True, kw_only=True)
class AnswerRules:
    """How answers of annotators are interpreted.

    Attributes:
        labels: Labels of the entities.
        positive: Choices that mean that the candidate is an entity or part of one. Case does not matter.
        negative: Choices that mean that it is not. Any other choice leaves the item undecided.
        resolve: How to resolve conflicts: `unanimous` leaves them open; `majority`; or `annotator:NAME`. An
            adjudication always resolves them.
    """

    labels: tuple[str, ...]
    positive: tuple[str, ...] = POSITIVE
    negative: tuple[str, ...] = NEGATIVE
    resolve: str = UNANIMOUS

    def __post_init__(self) -> None:
        if not self.labels or not all(self.labels):
            raise UsageError("missing label of the entities. Pass it, e.g. --label LOC")
        both = {name.lower() for name in self.positive} & {name.lower() for name in self.negative}
        if both:
            raise UsageError(f"the choice {min(both)!r} cannot be both positive and negative")
        if self.resolve not in (UNANIMOUS, MAJORITY) and not self.annotator:
            raise UsageError(f"conflicts are resolved by unanimous, majority or annotator:NAME, not {self.resolve!r}")

    @property
    def annotator(self) -> str | None:
        """The annotator whose answers resolve conflicts, if that is the rule."""
        return self.resolve.removeprefix(ANNOTATOR) if self.resolve.startswith(ANNOTATOR) else None

    def meaning(self, choice: str) -> bool | None:
        """Return whether a choice is positive or negative; None if it is neither."""
        name = choice.strip().lower()
        for names, meaning in ((self.positive, True), (self.negative, False)):
            if name in {one.lower() for one in names}:
                return meaning
        return None
