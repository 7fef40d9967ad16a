"""Decide on each item from the answers, by the rules for them: positive, negative or undecided."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from karatage.errors import UsageError
from karatage.recall.labels.answers import Answer, MarkedSpan

T = TypeVar("T", bound=Hashable)

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
        label_map: Labels of candidates and of spans, with the label of the entity that each stands for.
    """

    labels: tuple[str, ...]
    positive: tuple[str, ...] = POSITIVE
    negative: tuple[str, ...] = NEGATIVE
    resolve: str = UNANIMOUS
    label_map: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.labels or not all(self.labels):
            raise UsageError("missing label of the entities. Pass it, e.g. --label LOC")
        for label, name in self.label_map.items():
            if name not in self.labels:
                raise UsageError(f"--map {label}={name}: the labels of the entities are {', '.join(self.labels)}")
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


@dataclass(frozen=True)
class Decision:
    """The decision on an item."""

    item: str
    stratum: str
    text: str
    positive: bool | None  # None if undecided
    entity: MarkedSpan | None = None
    why: str = ""  # why it is undecided
    predicted: bool | None = None  # whether the entity was shown as a prediction, if a second pass showed some


def decide(answers: Sequence[Answer], rules: AnswerRules) -> Decision:
    """Decide on one item from all answers about it."""
    first = answers[0]
    choosing = [one for one in answers if not one.spans_only]
    chosen, conflict = _resolve([one for one in choosing if one.choice], rules, lambda one: _chosen(one, rules))
    item = (first.item, first.stratum, first.text)
    if conflict:
        return Decision(*item, None, why="annotators disagree on the choice")
    if chosen is False:
        return Decision(*item, False)
    if chosen is None and any(one.choice for one in choosing):
        unclear = next(one.choice for one in choosing if one.choice)
        return Decision(*item, None, why=f"the choice {unclear!r:.40} is neither --positive nor --negative")
    candidate = next((one.candidate for one in answers if one.candidate), None)
    marking = [one for one in choosing if _chosen(one, rules) is not False]
    if any(one.spans_only for one in answers):  # a second pass marks spans; an adjudication counts in any pass
        marking = [one for one in answers if one.spans_only or (one.adjudication and one in marking)]
    entity, conflict = _resolve(marking, rules, lambda one: pick(one.spans, candidate, rules.labels))
    if conflict:
        return Decision(*item, None, why="annotators mark different spans")
    if entity is None:
        if chosen is None:
            return Decision(*item, False)
        label = " or ".join(rules.labels)
        return Decision(*item, None, why=f"labelled positive, but no {label} overlaps the candidate")
    predicted = None
    if any(one.spans_only for one in marking):
        predicted = not any(own.manual and own.key == entity.key for one in marking for own in one.spans)
    return Decision(*item, True, entity, predicted=predicted)


def pick(spans: Iterable[MarkedSpan], candidate: tuple[int, int] | None, labels: Sequence[str]) -> MarkedSpan | None:
    """Return the span that is the entity: it overlaps the candidate; manual spans come first, then the longest."""
    fitting = [one for one in overlapping(spans, candidate) if one.label in labels]
    best = min(fitting, key=lambda one: (not one.manual, one.start - one.end, one.start), default=None)
    return best and MarkedSpan(*best.key)  # compared without regard to whether it is manual


def overlapping(spans: Iterable[MarkedSpan], candidate: tuple[int, int] | None) -> list[MarkedSpan]:
    """Return the spans that overlap the candidate, or all if it is unknown."""
    if candidate is None:
        return list(spans)
    return [one for one in spans if one.start < candidate[1] and candidate[0] < one.end]


def by_item(answers: Iterable[Answer]) -> dict[str, list[Answer]]:
    """Group answers by item, in order."""
    out: dict[str, list[Answer]] = {}
    for one in answers:
        out.setdefault(one.item, []).append(one)
    return out


def _chosen(answer: Answer, rules: AnswerRules) -> bool | None:
    return None if answer.choice is None else rules.meaning(answer.choice)


def _resolve(
    answers: Sequence[Answer], rules: AnswerRules, read: Callable[[Answer], T | None]
) -> tuple[T | None, bool]:
    """Return the agreed value, and whether there is an unresolved conflict."""
    adjudications = [one for one in answers if one.adjudication]
    by_annotator = {one.annotator: read(one) for one in adjudications or answers}
    if not adjudications and rules.annotator in by_annotator:
        return by_annotator[rules.annotator], False
    values = list(by_annotator.values())
    if len(set(values)) <= 1:
        return next(iter(values), None), False
    if not adjudications and rules.resolve == MAJORITY:
        most = max(set(values), key=values.count)
        if 2 * values.count(most) > len(values):
            return most, False
    return None, True
