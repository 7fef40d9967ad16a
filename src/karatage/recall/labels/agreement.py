"""How far annotators agree, per stratum, and on which items they do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from karatage.recall.labels.answers import Answer
from karatage.recall.labels.decisions import by_item, relevant

Pair = tuple[Answer, Answer]


@dataclass(frozen=True)
class Agreement:
    """How far annotators agree in one stratum.

    Attributes:
        stratum: the stratum.
        items: items that several annotators answered.
        choices: how many of these have several choices given, and in how many these differ.
        kappa: Cohen's κ of the choices, over all pairs of annotators weighted by their items; None if undefined.
        spans: how many items have several annotators' spans, and in how many the sets of spans differ.
        f1: the F1 of one annotator's spans against another's, all pairs together; None if nobody marked any.
    """

    stratum: str
    items: int
    choices: tuple[int, int]
    kappa: float | None
    spans: tuple[int, int]
    f1: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "stratum": self.stratum,
            "items": self.items,
            "choices": {"compared": self.choices[0], "differing": self.choices[1], "kappa": self.kappa},
            "spans": {"compared": self.spans[0], "differing": self.spans[1], "f1": self.f1},
        }


@dataclass(frozen=True)
class Conflict:
    """An item on which annotators differ.

    Attributes:
        item: the item.
        answers: what each of them said.
        choices: whether their choices differ.
        spans: whether their sets of spans differ.
    """

    item: str
    answers: tuple[Answer, ...]
    choices: bool
    spans: bool


def agreements(answers: Iterable[Answer], labels: Sequence[str] | None = None) -> list[Agreement]:
    """Return the agreement of each stratum that has items with several annotators.

    Args:
        answers: what was said.
        labels: compare only spans with these labels; all, if left out.
    """
    strata: dict[str, list[list[Answer]]] = {}
    for group in _several(answers):
        strata.setdefault(group[0].stratum, []).append(group)
    return [_agreement(stratum, groups, labels) for stratum, groups in strata.items()]


def conflicts(
    answers: Iterable[Answer],
    labels: Sequence[str] | None = None,
    meaning: Callable[[str], object] = lambda choice: choice,
) -> list[Conflict]:
    """Return the items on which annotators differ and that nobody has settled.

    Args:
        answers: what was said.
        labels: compare only spans with these labels; all, if left out.
        meaning: what a choice means; choices that mean the same do not differ.
    """
    given = list(answers)
    settled = {one.item for one in given if one.adjudication}
    out = []
    for group in _several(one for one in given if one.item not in settled):
        choices = len(set(map(meaning, _choices(group)))) > 1
        spans = len({_spans(one, group, labels) for one in group}) > 1
        if choices or spans:
            out.append(Conflict(group[0].item, tuple(group), choices, spans))
    return out


def alike(answers: Iterable[Answer], least: int = 20) -> Iterator[tuple[str, str, int]]:
    """Yield pairs of annotators who say the same of all items that both answered, spans included, and how many."""
    same: Counter[tuple[str, str]] = Counter()
    differ: set[tuple[str, str]] = set()
    for group in _several(answers):
        for one, other in combinations(sorted(group, key=lambda answer: answer.annotator), 2):
            pair = one.annotator, other.annotator
            same[pair] += 1
            if (one.choice, {m.place for m in one.marks}) != (other.choice, {m.place for m in other.marks}):
                differ.add(pair)
    yield from ((*pair, count) for pair, count in same.items() if count >= least and pair not in differ)


def _several(answers: Iterable[Answer]) -> Iterator[list[Answer]]:
    """Yield what was said of each item by several annotators in one pass, adjudications aside."""
    for group in by_item(one for one in answers if not one.adjudication).values():
        for spans_only in (False, True):
            own = [one for one in group if one.spans_only == spans_only]
            if len({one.annotator for one in own}) > 1:
                yield own


def _choices(group: Iterable[Answer]) -> list[str]:
    return [one.choice for one in group if one.choice is not None]


def _spans(answer: Answer, group: Sequence[Answer], labels: Sequence[str] | None) -> frozenset[tuple[int, int, str]]:
    candidate = next((one.candidate for one in group if one.candidate), None)
    marks = relevant(answer.marks, candidate)
    return frozenset(mark.place for mark in marks if labels is None or mark.label in labels)


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
        stratum,
        len(groups),
        (len(chosen), sum(len(set(values)) > 1 for values in chosen)),
        kappa(groups),
        (len(marked), sum(len(set(own)) > 1 for own in marked)),
        2 * both / found if found else None,
    )


def kappa(groups: Iterable[Sequence[Answer]]) -> float | None:
    """Return Cohen's κ of the choices; of several pairs of annotators the mean, weighted by their items.

    κ is how much of the agreement that chance leaves open was reached: (observed - expected) / (1 - expected), the
    expected one being that of independent annotators who choose as often as these two did.
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
