"""Agreement between annotators per stratum, and the items on which they disagree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from karatage.formats import writing
from karatage.recall.drawing.annotation_tasks import candidate_task, label_studio_json
from karatage.recall.labels.answers import Answer
from karatage.recall.labels.decisions import by_item, overlapping


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Agreement between annotators in one stratum.

    Attributes:
        stratum: Name of the stratum.
        items: Number of items with several annotators.
        choices: Number of these items with several choices.
        choices_differ: Number of items whose choices differ.
        kappa: Cohen's κ of the choices: the mean over pairs of annotators, weighted by items; None if undefined.
        spans: Number of items in which anyone marked a span.
        spans_differ: Number of items whose sets of spans differ.
        f1: F1 of one annotator's spans against another's, over all pairs; None if nobody marked any.
    """

    stratum: str
    items: int
    choices: int
    choices_differ: int
    kappa: float | None
    spans: int
    spans_differ: int
    f1: float | None

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "stratum": self.stratum,
            "items": self.items,
            "choices": {"compared": self.choices, "differing": self.choices_differ, "kappa": self.kappa},
            "spans": {"compared": self.spans, "differing": self.spans_differ, "f1": self.f1},
        }


@dataclass(frozen=True)
class Conflict:
    """An item on which annotators disagree."""

    item: str
    answers: tuple[Answer, ...]
    choices: bool  # whether the choices differ
    spans: bool  # whether the sets of spans differ


def agreements(answers: Iterable[Answer], labels: Sequence[str] | None = None) -> list[Agreement]:
    """Return the agreement in each stratum that has items with several annotators, in spans with the given labels."""
    strata: dict[str, list[list[Answer]]] = {}
    for group in _several(answers):
        strata.setdefault(group[0].stratum, []).append(group)
    return [_agreement(stratum, groups, labels) for stratum, groups in strata.items()]


def conflicts(
    answers: Iterable[Answer],
    labels: Sequence[str] | None = None,
    meaning: Callable[[str], object] = lambda choice: choice,
) -> list[Conflict]:
    """Return the items on which annotators disagree and that were not adjudicated.

    Args:
        labels: Compare only spans with these labels. Default: all.
        meaning: Returns what a choice means; choices that mean the same do not differ.
    """
    given = list(answers)
    adjudicated = {one.item for one in given if one.adjudication}
    out = []
    for group in _several(one for one in given if one.item not in adjudicated):
        choices = len(set(map(meaning, _choices(group)))) > 1
        spans = len({_spans(one, group, labels) for one in group}) > 1
        if choices or spans:
            out.append(Conflict(group[0].item, tuple(group), choices, spans))
    return out


def identical_annotators(answers: Iterable[Answer], least: int = 20) -> Iterator[tuple[str, str, int]]:
    """Yield pairs of annotators with identical answers on all items that both answered, and the number of items."""
    same: Counter[tuple[str, str]] = Counter()
    differ: set[tuple[str, str]] = set()
    for group in _several(answers):
        for one, other in combinations(sorted(group, key=lambda answer: answer.annotator), 2):
            pair = one.annotator, other.annotator
            same[pair] += 1
            if (one.choice, {m.key for m in one.spans}) != (other.choice, {m.key for m in other.spans}):
                differ.add(pair)
    yield from ((*pair, count) for pair, count in same.items() if count >= least and pair not in differ)


def _several(answers: Iterable[Answer]) -> Iterator[list[Answer]]:
    """Yield the answers of several annotators to the same item in the same pass, without adjudications."""
    for group in by_item(one for one in answers if not one.adjudication).values():
        for spans_only in (False, True):
            own = [one for one in group if one.spans_only == spans_only]
            if len({one.annotator for one in own}) > 1:
                yield own


def _choices(group: Iterable[Answer]) -> list[str]:
    return [one.choice for one in group if one.choice is not None]


def _spans(answer: Answer, group: Sequence[Answer], labels: Sequence[str] | None) -> frozenset[tuple[int, int, str]]:
    candidate = next((one.candidate for one in group if one.candidate), None)
    spans = overlapping(answer.spans, candidate)
    return frozenset(one.key for one in spans if labels is None or one.label in labels)


def _agreement(stratum: str, groups: Sequence[Sequence[Answer]], labels: Sequence[str] | None) -> Agreement:
    chosen = [values for group in groups if len(values := _choices(group)) > 1]
    sets = [[_spans(one, group, labels) for one in group] for group in groups]
    marked = [own for own in sets if any(own)]
    both = found = 0
    for own in marked:
        for one, other in combinations(own, 2):
            both += len(one & other)
            found += len(one) + len(other)
    return Agreement(
        stratum=stratum,
        items=len(groups),
        choices=len(chosen),
        choices_differ=sum(len(set(values)) > 1 for values in chosen),
        kappa=kappa(groups),
        spans=len(marked),
        spans_differ=sum(len(set(own)) > 1 for own in marked),
        f1=2 * both / found if found else None,
    )


def kappa(groups: Iterable[Sequence[Answer]]) -> float | None:
    """Return Cohen's κ of the choices: the mean over pairs of annotators, weighted by their items.

    κ is the agreement beyond chance, (observed - expected) / (1 - expected). The expected agreement is that of two
    independent annotators who make each choice as often as these two do.
    """
    pairs: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for group in groups:
        known = sorted((one.annotator, one.choice) for one in group if one.choice is not None)
        for (one, mine), (other, theirs) in combinations(known, 2):
            pairs.setdefault((one, other), []).append((mine, theirs))
    values = [(value, len(own)) for own in pairs.values() if (value := _cohen(own)) is not None]
    total = sum(count for _, count in values)
    return sum(value * count for value, count in values) / total if total else None


def _cohen(pairs: Sequence[tuple[str, str]]) -> float | None:
    count = len(pairs)
    observed = sum(one == other for one, other in pairs) / count
    first: Mapping[str, int] = Counter(one for one, _ in pairs)
    second: Mapping[str, int] = Counter(other for _, other in pairs)
    expected = sum(first[name] * second.get(name, 0) for name in first) / count**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def write_conflicts(conflicts: Iterable[Conflict], path: str | Path) -> None:
    """Write tasks that resolve conflicts. Import their export like any other; its answers override all others."""
    with writing(path) as stream:
        stream.write(label_studio_json(map(_task, conflicts)))


def _task(conflict: Conflict) -> dict[str, object]:
    """Return a task that shows what was said above the text: an answer that is filled in would be submitted unread."""
    first = conflict.answers[0]
    candidate = next((one.candidate for one in conflict.answers if one.candidate), None)
    said = "; ".join(map(_said, conflict.answers))
    facts = {"item": conflict.item, "stratum": first.stratum, "adjudication": "yes", "said": said}
    return candidate_task(first.text, candidate, **facts)


def _said(answer: Answer) -> str:
    """Return an answer in words: the choice, and the spans with their labels and offsets."""
    spans = (f"“{answer.text[one.start : one.end]}” as {one.label} at {one.start}" for one in answer.spans)
    return f"{answer.annotator}: {', '.join([answer.choice or 'no choice', *spans])}"
