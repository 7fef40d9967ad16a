"""From what annotators said to what holds: each item is positive, negative or undecided."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from karatage.recall.labels.answer_rules import MAJORITY, NAMED, Rules
from karatage.recall.labels.answers import Answer, Mark

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True)
class Decision:
    """What holds of an item.

    Attributes:
        item: the item.
        stratum: its stratum.
        text: its text.
        positive: whether it is positive; None if that is undecided.
        mark: the entity, if it is.
        why: why it is undecided.
        predicted: whether the entity was there as a prediction, where a second pass showed predictions.
    """

    item: str
    stratum: str
    text: str
    positive: bool | None
    mark: Mark | None = None
    why: str = ""
    predicted: bool | None = None


def decide(answers: Sequence[Answer], rules: Rules) -> Decision:
    """Decide on one item from all that was said of it."""
    first = answers[0]
    choosing = [one for one in answers if not one.spans_only]
    chosen, conflict = _settled([one for one in choosing if one.choice], rules, lambda one: _chosen(one, rules))
    item = (first.item, first.stratum, first.text)
    if conflict:
        return Decision(*item, None, why="the annotators choose differently")
    if chosen is False:
        return Decision(*item, False)
    if chosen is None and any(one.choice for one in choosing):
        unclear = next(one.choice for one in choosing if one.choice)
        return Decision(*item, None, why=f"the choice {unclear!r:.40} is neither --positive nor --negative")
    candidate = next((one.candidate for one in answers if one.candidate), None)
    marking = [one for one in choosing if _chosen(one, rules) is not False]
    if any(one.spans_only for one in answers):  # a second pass marks; whoever settles does so in any pass
        marking = [one for one in answers if one.spans_only or (one.adjudication and one in marking)]
    mark, conflict = _settled(marking, rules, lambda one: pick(one.marks, candidate, rules.labels))
    if conflict:
        return Decision(*item, None, why="the annotators mark different spans")
    if mark is None:
        if chosen is None:
            return Decision(*item, False)
        label = " or ".join(rules.labels)
        return Decision(*item, None, why=f"chosen as positive, but no {label} touches the candidate")
    predicted = None
    if any(one.spans_only for one in marking):
        predicted = not any(own.manual and own.place == mark.place for one in marking for own in one.marks)
    return Decision(*item, True, mark, predicted=predicted)


def pick(marks: Iterable[Mark], candidate: tuple[int, int] | None, labels: Sequence[str]) -> Mark | None:
    """Return the mark that is the entity: it touches the candidate; one set by hand, then the longest, comes first."""
    fits = [mark for mark in relevant(marks, candidate) if mark.label in labels]
    best = min(fits, key=lambda mark: (not mark.manual, mark.start - mark.end, mark.start), default=None)
    return best and Mark(*best.place)  # whether it was set by hand does not make it another one


def relevant(marks: Iterable[Mark], candidate: tuple[int, int] | None) -> list[Mark]:
    """Return the marks that touch the candidate; all of them, where none is known."""
    if candidate is None:
        return list(marks)
    return [mark for mark in marks if mark.start < candidate[1] and candidate[0] < mark.end]


def by_item(answers: Iterable[Answer]) -> dict[str, list[Answer]]:
    """Group answers by their items, in order."""
    out: dict[str, list[Answer]] = {}
    for one in answers:
        out.setdefault(one.item, []).append(one)
    return out


def _chosen(answer: Answer, rules: Rules) -> bool | None:
    return None if answer.choice is None else rules.meaning(answer.choice)


def _settled(answers: Sequence[Answer], rules: Rules, read: Callable[[Answer], T | None]) -> tuple[T | None, bool]:
    """Return what holds, and whether there is a conflict that nothing settles."""
    settling = [one for one in answers if one.adjudication]
    said = {one.annotator: read(one) for one in settling or answers}
    name = rules.resolve.removeprefix(NAMED)
    if not settling and rules.resolve.startswith(NAMED) and name in said:
        return said[name], False
    values = list(said.values())
    if len(set(values)) <= 1:
        return next(iter(values), None), False
    if not settling and rules.resolve == MAJORITY:
        most = max(set(values), key=values.count)
        if 2 * values.count(most) > len(values):
            return most, False
    return None, True
