"""Count what the exports of a stratum contain, and repair its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace

from karatage.recall.benchmark import Positive, Stratum
from karatage.recall.count_defects import possible
from karatage.recall.labels.answer_exports import Export, read_answers
from karatage.recall.labels.decisions import AnswerRules, Decision, by_item, decide
from karatage.recall.labels.label_passes import first_passes
from karatage.recall.labels.repeated_answers import latest_answers
from karatage.recall.stratum_estimates import highest_share, most_positives
from karatage.scoring import counted


@dataclass(frozen=True)
class LabelledItem:
    """An item of an export: where its candidate is, and what was decided."""

    candidate: tuple[int, int] | None
    choice: str | None
    decision: Decision

    @property
    def key(self) -> tuple[str, tuple[int, int] | None]:
        """Items with the same key repeat each other."""
        return self.decision.text, self.candidate


def read_items(
    exports: Iterable[Export], rules: AnswerRules, notes: Counter[str], known: Set[str]
) -> dict[str, list[LabelledItem]]:
    """Read the items of each stratum, of which some are known to the benchmark.

    A file whose texts are all in another one is a later pass over the same items. A file of an unknown stratum whose
    texts are all in known ones, e.g. items with several annotators, is no stratum of its own.
    """
    files: dict[str, list[list[LabelledItem]]] = {}
    for export in exports:
        answers = latest_answers(read_answers(export, rules, notes), notes, export.path)
        for stratum in dict.fromkeys(one.stratum for one in answers):
            groups = by_item(one for one in answers if one.stratum == stratum).values()
            items = [
                LabelledItem(
                    next((one.candidate for one in group if one.candidate), None),
                    next((one.choice for one in group if one.choice), None),
                    decide(group, rules),
                )
                for group in groups
            ]
            files.setdefault(stratum, []).append(items)
    covered = {item.decision.text for name in known for items in files.get(name, ()) for item in items}
    out = {}
    for stratum, own in files.items():
        if stratum not in known and {item.decision.text for items in own for item in items} <= covered:
            notes[f"items of {stratum!r} that are all in other strata, left out"] += sum(map(len, own))
            continue
        first = first_passes(own, lambda one: one.decision.text)
        notes["files that are a later pass over the same items"] += len(own) - len(first)
        out[stratum] = [item for items in first for item in items]
        notes["items without a choice, counted as no entity"] += sum(one.choice is None for one in out[stratum])
    return out


@dataclass(frozen=True, kw_only=True)
class StratumRepair:
    """A stratum before and after its repair."""

    before: Stratum
    after: Stratum
    labels: int = 0  # items in the exports
    repeated: int = 0  # positives that repeat another one, and count again
    added: int = 0  # positives that the benchmark lacks
    conflicting: int = 0  # items whose repetition has another choice; undecided
    absent: int = 0  # positives without an item in the exports

    @property
    def changes(self) -> dict[str, tuple[int, int]]:
        """The numbers that changed: before and after."""
        before, after = self.before, self.after
        numbers = {
            "occurrences": (before.occurrences, after.occurrences),
            "labelled": (before.labelled, after.labelled),
            "positive": (_stated(before), len(after.positives)),
            "undecided": (before.unresolved, after.unresolved),
        }
        return {name: pair for name, pair in numbers.items() if pair[0] != pair[1]}

    @property
    def remarks(self) -> list[str]:
        """What a reader should know about the numbers."""
        out = []
        if not self.labels:
            return ["no exports; unchanged"]
        if self.labels > self.before.occurrences:
            size = counted(self.before.occurrences, "occurrence")
            out.append(f"{counted(self.labels, 'label')} of {size}; counted as fully labelled")
        if self.repeated:
            what = counted(self.repeated, "labelled item")
            out.append(f"{what} with the text and span of another positive; each counts, as each counts as labelled")
        if self.added:
            out.append(f"{counted(self.added, 'positive')} in the exports that the benchmark lacks")
        if self.conflicting:
            out.append(f"{counted(self.conflicting, 'repeated item')} with another choice than before; undecided")
        if self.absent:
            out.append(f"{counted(self.absent, 'positive')} without a label in the exports; kept")
        return out

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "name": self.before.name,
            "changes": {name: {"before": old, "after": new} for name, (old, new) in self.changes.items()},
            "labels": self.labels,
            "remarks": self.remarks,
        }


def _stated(stratum: Stratum) -> int:
    return len(stratum.positives) if stratum.positive is None else stratum.positive


def repair_stratum(stratum: Stratum, items: Sequence[LabelledItem]) -> StratumRepair:
    """Return the stratum with the counts of its labelled items.

    The positives stay those of the benchmark. An item is one of them if its text is the same and its candidate overlaps
    the positive. Any other item is undecided unless its choice is negative or it has a span of its own.
    """
    if not items:
        return StratumRepair(before=stratum, after=stratum)
    known: dict[str, list[Positive]] = {}
    for one in stratum.positives:
        known.setdefault(one.text, []).append(one)
    chosen: dict[tuple[str, tuple[int, int] | None], str | None] = {}
    used: Counter[tuple[str, int, int]] = Counter()
    more: list[Positive] = []
    tally: Counter[str] = Counter()
    for item in items:
        match = _matching(known.get(item.decision.text, ()), item.candidate)
        first = chosen.setdefault(item.key, item.choice)
        entity = item.decision.entity
        if first != item.choice and match is not None:
            tally["conflicting"] += 1
        elif match is not None:
            if used[match.key]:
                more.append(replace(match, number=None))
            used[match.key] += 1
        elif entity is not None:
            tally["added"] += 1
            more.append(Positive(item.decision.text, entity.start, entity.end, (entity.label,)))
        else:
            tally["undecided"] += item.decision.positive is not False
    after = replace(
        stratum,
        labelled=len(items),
        positives=(*stratum.positives, *more),
        unresolved=tally["undecided"] + tally["conflicting"],
        positive=None,
    )
    return StratumRepair(
        before=stratum,
        after=possible(after),
        labels=len(items),
        repeated=len(more) - tally["added"],
        added=tally["added"],
        conflicting=tally["conflicting"],
        absent=sum(one.key not in used for one in stratum.positives),
    )


def _matching(positives: Sequence[Positive], candidate: tuple[int, int] | None) -> Positive | None:
    fitting = (one for one in positives if candidate is None or (one.start < candidate[1] and candidate[0] < one.end))
    return next(fitting, None)


@dataclass(frozen=True, kw_only=True)
class DroppedStratum:
    """A stratum that the benchmark omits, with a one-sided bound on its positives.

    Attributes:
        name: Name of the stratum.
        labelled: Number of labelled items.
        positive: Number of positives among them.
        unresolved: Number of undecided items; the bound counts them as positives.
        occurrences: Number of candidates in the corpus, if known.
        share: Highest share of positives among its candidates.
        most: Highest number of positives, if the occurrences are known.
    """

    name: str
    labelled: int
    positive: int
    unresolved: int
    occurrences: int | None
    share: float
    most: int | None


def dropped_stratum(
    name: str, items: Sequence[LabelledItem], occurrences: int | None, level: float
) -> tuple[DroppedStratum, Stratum | None]:
    """Bound the positives of a stratum that the benchmark omits; return it as a stratum too, if its size is known."""
    found = [one.decision for one in items if one.decision.entity is not None]
    undecided = sum(one.decision.positive is not False for one in items) - len(found)
    positives = tuple(
        Positive(one.text, one.entity.start, one.entity.end, (one.entity.label,)) for one in found if one.entity
    )
    n, seen = len(items), len(found) + undecided
    stratum = None
    if occurrences is not None:
        stratum = possible(Stratum(name, occurrences, n, positives, unresolved=undecided))
    bound = DroppedStratum(
        name=name,
        labelled=n,
        positive=len(found),
        unresolved=undecided,
        occurrences=occurrences,
        share=highest_share(n, seen, level),
        most=None if stratum is None else most_positives(stratum.occurrences, stratum.labelled, seen, level),
    )
    return bound, stratum
