"""Items of a benchmark that were labelled again, with labels that are taken as true: how often are labels wrong?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, NamedTuple, Protocol

from karatage.errors import InputError, UsageError
from karatage.metrics import Score
from karatage.recall.benchmark import Benchmark
from karatage.recall.benchmark_files import benchmark_folder
from karatage.recall.drawing.draw_folder import find_draw
from karatage.recall.labels.answer_exports import Export, no_answers, read_answers
from karatage.recall.labels.answers import Answer
from karatage.recall.labels.decisions import Decision, by_item, decide
from karatage.recall.labels.label_import import LabelledBenchmark, adjudicate, assign_items
from karatage.scoring import counted
from karatage.stats import LabelErrors

SUPPOSED = 0.01
"""The share of false positives for which an estimate says how much they would change the recall."""

_CLEARLY = 3.5
"""By how many standard errors items differ from a random sample where they cannot be one."""


class WrongLabels(NamedTuple):
    """How many items of a second labelling had a wrong label, in all strata."""

    false: int  # labelled positive, but not positive
    negatives: int  # all that are not positive
    overlooked: int  # positive, but not labelled so
    positives: int  # all that are positive

    def check(self) -> None:
        """Raise an error if more labels are wrong than there are, or nothing is known of false positives."""
        if not 0 <= self.false <= self.negatives < 2**53 or not 0 <= self.overlooked <= self.positives < 2**53:
            raise UsageError("label errors need 0 ≤ wrong ≤ checked")
        if not self.negatives:
            raise UsageError("no item that is not positive was labelled again, so false positives are unknown")


class LabelCheck(Protocol):
    """Items that were labelled again."""

    @property
    def by_stratum(self) -> bool:
        """Whether error rates are those of each stratum, and not the same in all."""

    @property
    def warnings(self) -> Sequence[str]:
        """What a reader should know."""

    def errors(self, benchmark: Benchmark, results: Sequence[bool | None]) -> tuple[LabelErrors, WrongLabels]:
        """Return how often labels are wrong, in each stratum with labels or in all, given a tagger's results."""


@dataclass(frozen=True)
class CheckedCounts:
    """Counts of items that were labelled again, in this benchmark or elsewhere.

    The shares are taken to be the same in all strata, and all false positives to be missed by the tagger.
    """

    counts: WrongLabels
    warnings: Sequence[str] = ()
    by_stratum: ClassVar[bool] = False

    def __post_init__(self) -> None:
        self.counts.check()

    @classmethod
    def of(cls, false: int, negatives: int, overlooked: int = 0, positives: int = 0) -> CheckedCounts:
        """Return a check from its counts."""
        return cls(WrongLabels(false, negatives, overlooked, positives))

    def errors(self, benchmark: Benchmark, results: Sequence[bool | None]) -> tuple[LabelErrors, WrongLabels]:
        """Return the shares, which are the same for every benchmark and tagger."""
        del benchmark, results
        false, negatives, overlooked, positives = self.counts
        return LabelErrors.of_counts([false], [0], [negatives], overlooked, positives), self.counts


class CheckedStratum(NamedTuple):
    """The items of a stratum that were labelled again."""

    positives: tuple[bool | None, ...]  # for each labelled positive whether it is one; None if it was not checked
    right: int  # negatives that are none
    overlooked: int  # negatives that are positive


@dataclass(frozen=True)
class SecondLabels:
    """Second labels of a random sample of the items of a benchmark, which are taken as true.

    Attributes:
        strata: The items of each stratum, by its name.
        warnings: What a reader should know.
    """

    strata: dict[str, CheckedStratum] = field(repr=False)
    warnings: Sequence[str] = ()
    by_stratum: ClassVar[bool] = True

    def errors(self, benchmark: Benchmark, results: Sequence[bool | None]) -> tuple[LabelErrors, WrongLabels]:
        """Return how often labels are wrong in each stratum with labels."""
        missed, found, negatives = [], [], []
        overlooked = positives = 0
        for stratum, own in benchmark.by_stratum(results):
            if not stratum.positives and not stratum.labelled:
                continue
            checked = self.strata.get(stratum.name, CheckedStratum((), 0, 0))
            false = [hit for hit, right in zip(own, checked.positives, strict=False) if right is False]
            missed.append(false.count(False))
            found.append(false.count(True))
            negatives.append(checked.right + missed[-1] + found[-1])
            overlooked += checked.overlooked
            positives += checked.overlooked + checked.positives.count(True)
        counts = WrongLabels(sum(missed) + sum(found), sum(negatives), overlooked, positives)
        counts.check()
        return LabelErrors.of_counts(missed, found, negatives, overlooked, positives), counts


@dataclass(frozen=True, kw_only=True)
class CorrectedLabels:
    """The estimate if labels are wrong as often as in the items that were labelled again.

    Attributes:
        recall: The recall.
        positives: How many positives the corpus has.
        counts: How many of the items that were labelled again had a wrong label.
        by_stratum: Whether error rates are those of each stratum, and not the same in all.
    """

    recall: Score
    positives: Score
    counts: WrongLabels
    by_stratum: bool

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        scores: dict[str, object] = {"recall": self.recall.to_dict(), "positives": self.positives.to_dict()}
        return scores | {"checked": self.counts._asdict()}


def read_second_labels(path: str | Path, benchmark: Benchmark) -> SecondLabels:
    """Read second labels of items of a benchmark: a CSV file or an export, as for an import."""
    folder = benchmark_folder(benchmark.source) if benchmark.source else None
    if folder is None:
        raise UsageError("second labels need the folder of a benchmark with imported labels")
    drawn = find_draw(folder)
    made = adjudicate(folder, drawn=drawn)
    if made.benchmark.hash != benchmark.hash:
        hint = "Import the labels again, or undo manual changes of the recall sets"
        raise InputError("the positives do not match the labels", source=str(folder), hint=hint)
    notes: Counter[str] = Counter()
    candidates = {one.item: (one.start, one.end) for one in drawn.items} if drawn else {}
    export = Export(str(path))
    answers = read_answers(export, made.rules, notes, candidates)
    if not answers:
        raise no_answers([str(path)])
    answers = assign_items(answers, made.answers, drawn, export, notes)
    first = {one.item: one for one in made.decisions}
    _check_answers(answers, first, made, export.path)
    second = {item: decide(group, made.rules) for item, group in by_item(answers).items()}
    strata = {one.name: _checked(one.name, made.decisions, second) for one in made.benchmark.strata}
    _check_sample(first, second, export.path)
    warnings = [f"second labels, {what}: {count:,}" for what, count in notes.items() if count]
    return SecondLabels(strata, (*warnings, *_warnings(first, second)))


def _check_answers(answers: Sequence[Answer], first: dict[str, Decision], made: LabelledBenchmark, source: str) -> None:
    before = {(one.item, one.annotator) for one in made.answers}
    for one in answers:
        if one.item not in first or first[one.item].text != one.text:
            problem = f"item {one.item!r} has no first label: {one.text[:60]!r}"
            raise InputError(problem, source=source, hint="Second labels are for items of this benchmark")
        if (one.item, one.annotator) in before:
            problem = f"annotator {one.annotator!r} has labelled item {one.item!r} before: not a second label"
            hint = "Use labels of somebody else, and do not import them"
            raise InputError(problem, source=source, hint=hint)


def _checked(name: str, decisions: Sequence[Decision], second: dict[str, Decision]) -> CheckedStratum:
    own = [one for one in decisions if one.stratum == name]
    again = [second[one.item].positive if one.item in second else None for one in own]
    pairs = list(zip(own, again, strict=True))
    positives = tuple(truth for one, truth in pairs if one.entity is not None)
    others = [truth for one, truth in pairs if one.entity is None]
    return CheckedStratum(positives, others.count(False), others.count(True))


def _check_sample(first: dict[str, Decision], second: dict[str, Decision], source: str) -> None:
    """Raise an error if only positives were labelled again: nothing is then known of the others."""
    if all(first[item].positive for item in second):
        hint = "Label a random sample of all items again. To correct positives, import labels with --adjudication"
        raise InputError("all items with second labels were labelled positive", source=source, hint=hint)


def _warnings(first: dict[str, Decision], second: dict[str, Decision]) -> list[str]:
    out = []
    unclear = sum(one.positive is None for one in second.values())
    if unclear:
        out.append(f"{counted(unclear, 'second label')} undecided, left out")
    pairs = [(first[item].entity, one.entity) for item, one in second.items()]
    moved = sum(one is not None and other is not None and one.key != other.key for one, other in pairs)
    if moved:
        out.append(f"{counted(moved, 'second label')} with another span than the first; counted as positive in both")
    strata = Counter(one.stratum for one in first.values())
    shares = {
        name: sum(one.positive is True for one in first.values() if one.stratum == name) / count
        for name, count in strata.items()
    }
    own = [first[item] for item in second]
    expected = sum(shares[one.stratum] for one in own)
    spread = sum(shares[one.stratum] * (1 - shares[one.stratum]) for one in own) ** 0.5
    positive = sum(one.positive is True for one in own)
    if abs(positive - expected) > _CLEARLY * spread:
        out.append(
            f"{positive:,} of {counted(len(own), 'item')} with second labels were labelled positive; a random sample "
            f"has about {expected:,.0f}: if they were chosen by their first label, the correction is wrong"
        )
    return out
