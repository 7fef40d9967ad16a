"""Import labels: check exports against the draw, store them, decide on each item, and write the benchmark."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from karatage._folders import made_folder
from karatage._locking import locked
from karatage.errors import InputError, UsageError
from karatage.recall.benchmark import Benchmark, Positive, Stratum
from karatage.recall.benchmark_files import DESCRIPTION, read_benchmark, write_benchmark
from karatage.recall.drawing.draw_folder import LABELS, SETTINGS, find_draw
from karatage.recall.drawing.draw_record import Draw
from karatage.recall.labels.agreement import Agreement, Conflict, agreements, conflicts, identical_annotators
from karatage.recall.labels.answer_exports import Export, no_answers, read_answers
from karatage.recall.labels.answers import Answer, labels_bytes, read_labels
from karatage.recall.labels.decisions import NEGATIVE, POSITIVE, UNANIMOUS, AnswerRules, Decision, by_item, decide
from karatage.recall.labels.repeated_answers import latest_answers, merged, without_skipped
from karatage.scoring import counted


@dataclass(frozen=True, kw_only=True)
class LabelledBenchmark:
    """A benchmark with the labels that it was made from.

    Attributes:
        benchmark: The benchmark.
        decisions: The decision on each item.
        answers: All answers.
        rules: How answers are interpreted.
        notes: What was skipped or looks suspicious, as counts.
        unlabelled: Number of drawn items of each stratum without answers.
    """

    benchmark: Benchmark
    decisions: tuple[Decision, ...] = field(repr=False)
    answers: tuple[Answer, ...] = field(repr=False)
    rules: AnswerRules
    notes: Mapping[str, int] = field(default_factory=dict)
    unlabelled: Mapping[str, int] = field(default_factory=dict)

    @property
    def undecided(self) -> list[Decision]:
        """The undecided items, with the reason."""
        return [one for one in self.decisions if one.positive is None]

    @property
    def agreements(self) -> list[Agreement]:
        """Agreement between annotators, per stratum."""
        return agreements(self.answers, self.rules.labels)

    @property
    def conflicts(self) -> list[Conflict]:
        """The undecided items with their answers: what is left to adjudicate."""
        answers = by_item(self.answers)
        differing = {one.item: one for one in conflicts(self.answers, self.rules.labels, self.rules.meaning)}
        return [
            differing.get(one.item, Conflict(one.item, tuple(answers[one.item]), choices=False, spans=False))
            for one in self.undecided
        ]

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain data."""
        strata = [
            {
                "name": one.name,
                "occurrences": one.occurrences,
                "labelled": one.labelled,
                "positive": len(one.positives),
                "unresolved": one.unresolved,
                "unlabelled": self.unlabelled.get(one.name, 0),
            }
            for one in self.benchmark.strata
        ]
        undecided = [{"item": one.item, "stratum": one.stratum, "why": one.why} for one in self.undecided]
        return {
            "benchmark": self.benchmark.name,
            "label": list(self.rules.labels),
            "resolve": self.rules.resolve,
            "strata": strata,
            "agreement": [one.to_dict() for one in self.agreements],
            "conflicts": len(self.conflicts),
            "undecided": undecided,
            "notes": {name: count for name, count in self.notes.items() if count},
        }


def import_labels(
    folder: str | Path,
    exports: Sequence[Export],
    *,
    labels: Sequence[str] | None = None,
    positive: Sequence[str] | None = None,
    negative: Sequence[str] | None = None,
    label_map: Mapping[str, str] | None = None,
    occurrences: Mapping[str, int] | None = None,
) -> LabelledBenchmark:
    """Import exports into a folder, and write the benchmark that follows from all labels there.

    Args:
        folder: Folder of a draw or of a benchmark, or a new folder.
        labels: Labels of the entities. Default: as in the draw or an earlier import.
        positive: Choices that mean that the candidate is an entity or part of one.
        negative: Choices that mean that it is not. Any other choice leaves the item undecided.
        label_map: Other labels that stand for those of the entities. If the label of a candidate is one of them, the
            candidate of a positive answer without a span is the entity.
        occurrences: Number of candidates of each stratum, if neither a draw nor an earlier import has them.
    """
    path = Path(folder)
    with made_folder(path), locked(path):
        drawn = find_draw(path)
        named = labels or ([drawn.label] if drawn else None)
        rules = read_rules(path, labels=named, positive=positive, negative=negative, label_map=label_map)
        notes: Counter[str] = Counter()
        old = read_labels(path)
        candidates = {one.item: (one.start, one.end) for one in drawn.items} if drawn else {}
        new: list[Answer] = []
        skipped: list[Answer] = []
        for export in sorted(exports, key=lambda one: one.spans_only):  # items come from the first pass
            answers = read_answers(export, rules, notes, candidates, skipped)
            new += assign_items(answers, [*old, *new], drawn, export, notes)
        files = list(dict.fromkeys(export.path for export in exports))
        kept = without_skipped(old, new, skipped, notes)
        if not new and len(kept) == len(old):
            raise no_answers(files)
        new = latest_answers(new, notes, ", ".join(files))
        sizes = None if drawn else occurrences  # the draw counted them
        before = {one.stratum for one in old}
        made = _build(path, merged(kept, new, notes), before, rules=rules, drawn=drawn, occurrences=sizes, notes=notes)
        _write(path, made)
        return made


def adjudicate(folder: str | Path, resolve: str | None = None, *, drawn: Draw | None = None) -> LabelledBenchmark:
    """Decide on all items of a folder.

    Args:
        resolve: Resolve conflicts by another rule, and write the benchmark that follows.
        drawn: The draw in that folder, if it was read before.
    """
    path = Path(folder)
    with locked(path) if resolve else nullcontext():
        answers = read_labels(path)
        if not answers:
            raise InputError("no labels found", source=str(path), hint="Import some first: karatage recall import")
        drawn = drawn or find_draw(path)
        rules = read_rules(path)
        rules = replace(rules, resolve=resolve) if resolve else rules
        known = sorted({one.annotator for one in answers})
        if rules.annotator is not None and rules.annotator not in known:
            raise UsageError(f"no labels by {rules.annotator!r}. Annotators: {', '.join(known)}")
        made = _build(path, answers, {one.stratum for one in answers}, rules=rules, drawn=drawn)
        if resolve:
            _write(path, made)
        return made


def _write(path: Path, made: LabelledBenchmark) -> None:
    settings = json.dumps(asdict(made.rules), ensure_ascii=False, indent=2).encode() + b"\n"
    write_benchmark(made.benchmark, path, others={path / LABELS: labels_bytes(made.answers), path / SETTINGS: settings})


def read_rules(
    folder: Path,
    *,
    labels: Sequence[str] | None = None,
    positive: Sequence[str] | None = None,
    negative: Sequence[str] | None = None,
    label_map: Mapping[str, str] | None = None,
) -> AnswerRules:
    """Return how answers are interpreted: as given here, or as stored in the folder."""
    path = folder / SETTINGS
    known: dict[str, Sequence[str]] = {}
    renamed: Mapping[str, str] = {}
    resolve = UNANIMOUS
    if path.exists():
        try:
            known = json.loads(path.read_text("utf-8"))
            resolve = known.pop("resolve", UNANIMOUS)  # type: ignore[assignment]  # checked below
            renamed = known.pop("label_map", {})  # type: ignore[assignment]  # checked below
            names = (resolve, *renamed.values(), *(name for own in known.values() for name in own))
            if not all(isinstance(name, str) for name in names):
                raise TypeError
        except (ValueError, TypeError, AttributeError, RecursionError):
            raise InputError("invalid labelling settings", source=str(path), hint="Delete the file") from None
    return AnswerRules(
        labels=tuple(labels or known.get("labels", ())),
        positive=tuple(positive or known.get("positive", POSITIVE)),
        negative=tuple(negative or known.get("negative", NEGATIVE)),
        resolve=resolve,
        label_map=label_map or renamed,
    )


def _unchanged_strata(
    existing: Iterable[Stratum], answers: Iterable[Answer], before: Set[str], folder: Path
) -> dict[str, Stratum]:
    """Return the strata of an existing benchmark without labels here; they stay as they are."""
    labelled = {one.stratum for one in answers}
    strata = [one for one in existing if one.name not in before]
    for one in strata:
        if one.name in labelled and one.positives:
            positives = counted(len(one.positives), "positive")
            problem = f"the stratum {one.name!r} has {positives} without labels in this folder"
            raise InputError(problem, source=str(folder), hint="Import into a new folder, so that nothing is lost")
    return {one.name: one for one in strata if one.name not in labelled}


class _KnownItem(NamedTuple):
    item: str
    stratum: str
    text: str
    candidate: tuple[int, int] | None


def assign_items(
    answers: Sequence[Answer], before: Sequence[Answer], drawn: Draw | None, export: Export, notes: Counter[str]
) -> list[Answer]:
    """Give each answer the item that it is about: by id, or by text.

    An answer about another occurrence than the one drawn is left out: older versions marked it in UTF-16, and Label
    Studio showed the mark elsewhere after an emoji.
    """
    if drawn is not None:
        items = {one.item: _KnownItem(one.item, one.stratum, one.text, (one.start, one.end)) for one in drawn.items}
    elif not export.spans_only:
        return list(answers)
    else:
        first_pass = (one for one in before if not one.spans_only)
        items = {one.item: _KnownItem(one.item, one.stratum, one.text, one.candidate) for one in first_pass}
    by_text: dict[tuple[str | None, str], list[_KnownItem]] = {}
    for item in items.values():
        by_text.setdefault((item.stratum, item.text), []).append(item)
        by_text.setdefault((None, item.text), []).append(item)
    out = []
    for answer in answers:
        known = items.get(answer.item)
        if known is not None and known.text == answer.text:
            if answer.candidate and known.candidate and not _overlap(answer.candidate, known.candidate):
                notes["answers about another occurrence than the one drawn, left out"] += 1
                continue
            matches = [known]
        elif known is not None and drawn is not None:
            problem = f"the text of item {answer.item!r} differs from the draw"
            raise InputError(problem, source=export.path, hint="The text was changed after the draw")
        else:  # without a draw, items are named after the numbers of tasks, which other projects use too
            matches = by_text.get((export.stratum, answer.text), [])
            if answer.candidate is not None:
                matches = [item for item in matches if item.candidate in (None, answer.candidate)]
        if not matches:
            where = "the draw" if drawn is not None else "the labels of the first pass"
            problem = f"item {answer.item!r} is not in {where}: {answer.text[:60]!r}"
            raise InputError(problem, source=export.path, hint="Check that the export belongs to this benchmark")
        out += [replace(answer, **match._asdict()) for match in matches]
    return out


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _build(
    folder: Path,
    answers: Sequence[Answer],
    before: Set[str],
    *,
    rules: AnswerRules,
    drawn: Draw | None,
    occurrences: Mapping[str, int] | None = None,
    notes: Mapping[str, int] | None = None,
) -> LabelledBenchmark:
    """Decide on all items, and build the benchmark; `before` are the strata that already had labels."""
    existing: tuple[Stratum, ...] = ()
    if drawn is not None:
        _check_texts(answers, drawn)
    elif (folder / DESCRIPTION).exists():
        existing = read_benchmark(folder).strata
    sizes = {one.name: one.occurrences for one in (existing if drawn is None else drawn.strata)}
    sizes |= occurrences or {}
    others = _unchanged_strata(existing, answers, before, folder)
    remarks = dict(notes or {})
    for kept in others.values():
        if kept.outside:
            remarks[f"positives of {kept.name!r} read from {kept.outside}, outside the folder"] = len(kept.positives)
    decisions = tuple(decide(group, rules) for group in by_item(answers).values())
    own: dict[str, list[Decision]] = {name: [] for name in sizes}
    for decision in decisions:
        own.setdefault(decision.stratum, []).append(decision)
    missing = next((name for name in own if name not in sizes), None)
    if missing is not None:
        problem = f"the number of occurrences of stratum {missing!r} in the corpus is unknown"
        raise UsageError(f"{problem}. Pass --occurrences {missing}=N, or import into the folder of a draw")
    strata = tuple(others.get(name) or _stratum(name, sizes[name], group) for name, group in own.items())
    for stratum in strata:
        if stratum.labelled > stratum.occurrences:
            size = counted(stratum.occurrences, "occurrence")
            what = f"labels of stratum {stratum.name!r} beyond its {size}, which counts as fully labelled"
            remarks[what] = stratum.labelled - stratum.occurrences
    for one, other, count in identical_annotators(answers):
        remarks[f"identical answers by {one} and {other} (the same person?), items"] = count
    answered = {one.item for one in decisions}
    unlabelled = Counter(one.stratum for one in drawn.items if one.item not in answered) if drawn else Counter()
    return LabelledBenchmark(
        benchmark=Benchmark(folder.resolve().name, strata),
        decisions=decisions,
        answers=tuple(answers),
        rules=rules,
        notes=remarks,
        unlabelled=unlabelled,
    )


def _check_texts(answers: Iterable[Answer], drawn: Draw) -> None:
    """Check that stored labels are about the texts of the draw."""
    texts = {one.item: one.text for one in drawn.items}
    for one in answers:
        if texts.get(one.item) != one.text:
            problem = f"the labels of {one.item!r} are for a text that differs from the draw"
            raise InputError(problem, source=LABELS, hint="The draw was changed after labels were imported")


def _stratum(name: str, size: int, decisions: Sequence[Decision]) -> Stratum:
    entities = ((one, one.entity) for one in decisions if one.entity is not None)
    positives = tuple(
        Positive(one.text, entity.start, entity.end, (entity.label,), one.predicted) for one, entity in entities
    )
    return Stratum(name, size, len(decisions), positives, unresolved=sum(one.positive is None for one in decisions))
