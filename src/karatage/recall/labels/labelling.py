"""Labels come in: exports are checked against the draw, kept, decided on, and become a benchmark."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from karatage.errors import InputError, UsageError
from karatage.formats import writing
from karatage.recall.amundsen import DESCRIPTION, read_benchmark, write_benchmark
from karatage.recall.benchmark import Benchmark, Positive, Stratum
from karatage.recall.drawing.draw_folder import LABELS, SETTINGS
from karatage.recall.drawing.drawn import Draw
from karatage.recall.drawing.read_draw_folder import draw_in
from karatage.recall.labels.agreement import Agreement, Conflict, agreements, alike, conflicts
from karatage.recall.labels.answer_rules import NEGATIVE, POSITIVE, UNANIMOUS, Rules
from karatage.recall.labels.answers import Answer, Export, merged, no_answers, read_answers, read_kept, write_kept
from karatage.recall.labels.decisions import Decision, by_item, decide


@dataclass(frozen=True)
class Labelled:
    """A folder of labels, decided on.

    Attributes:
        benchmark: what came out.
        decisions: what holds of each item.
        answers: all that was said.
        rules: how it was read.
        notes: what was passed over, as counts.
        unlabelled: how many drawn items of each stratum nobody has answered yet.
    """

    benchmark: Benchmark
    decisions: tuple[Decision, ...] = field(repr=False)
    answers: tuple[Answer, ...] = field(repr=False)
    rules: Rules
    notes: Mapping[str, int] = field(default_factory=dict)
    unlabelled: Mapping[str, int] = field(default_factory=dict)

    @property
    def undecided(self) -> list[Decision]:
        """The items that are undecided, with the reason."""
        return [one for one in self.decisions if one.positive is None]

    @property
    def agreements(self) -> list[Agreement]:
        """How far annotators agree, per stratum."""
        return agreements(self.answers, self.rules.labels)

    @property
    def conflicts(self) -> list[Conflict]:
        """The items that are undecided, with what was said of them: what is left to settle."""
        said = by_item(self.answers)
        differing = {one.item: one for one in conflicts(self.answers, self.rules.labels, self.rules.meaning)}
        return [
            differing.get(one.item, Conflict(one.item, tuple(said[one.item]), choices=False, spans=False))
            for one in self.undecided
        ]

    def to_dict(self) -> dict[str, Any]:
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
    occurrences: Mapping[str, int] | None = None,
) -> Labelled:
    """Read exports into a folder, and write the benchmark that follows from all labels there.

    Args:
        folder: the folder of a draw, or of a benchmark, or a new one.
        exports: the files.
        labels: what the wanted entities are called; known from the draw or from an earlier import.
        positive: the choices that mean that the candidate is (part of) an entity.
        negative: the choices that mean that it is not; whoever chooses anything else leaves the item undecided.
        occurrences: how many candidates each stratum has, where no draw and no earlier import says so.
    """
    place = Path(folder)
    drawn = draw_in(place)
    rules = read_rules(place, labels or ([drawn.label] if drawn else None), positive, negative)
    sizes = _sizes(place, drawn, occurrences)
    notes: Counter[str] = Counter()
    old = read_kept(place)
    places = {one.item: (one.start, one.end) for one in drawn.items} if drawn else {}
    found: list[Answer] = []
    for export in sorted(exports, key=lambda one: one.spans_only):  # items come from the first pass
        answers = read_answers(export, rules, notes, places)
        found += _placed(answers, [*old, *found], drawn, export)
    if not found:
        raise no_answers(export.path for export in exports)
    before = _before(place, old, found) if drawn is None else {}
    made = _labelled(place.resolve().name, merged(old, found), rules, sizes, drawn, notes, before)
    place.mkdir(parents=True, exist_ok=True)
    _keep(place, made)
    return made


def adjudicate(folder: str | Path, resolve: str | None = None) -> Labelled:
    """Decide on all items of a folder; with `resolve`, by another rule, and write the benchmark that follows."""
    place = Path(folder)
    answers = read_kept(place)
    if not answers:
        raise InputError("holds no labels", source=str(place), hint="Import some first: karatage recall import")
    drawn = draw_in(place)
    rules = read_rules(place)
    rules = replace(rules, resolve=resolve) if resolve else rules
    name = rules.resolve.removeprefix("annotator:")
    known = sorted({one.annotator for one in answers})
    if name != rules.resolve and name not in known:
        raise UsageError(f"nobody called {name!r} labelled anything here; there are {', '.join(known)}")
    before = _before(place, answers, ()) if drawn is None else {}
    sizes = _sizes(place, drawn, None)
    made = _labelled(place.resolve().name, answers, rules, sizes, drawn, Counter(), before)
    if resolve:
        _keep(place, made)
    return made


def _keep(place: Path, made: Labelled) -> None:
    write_kept(place, made.answers)
    rules = made.rules
    settings = asdict(rules)
    with writing(place / SETTINGS) as stream:
        stream.write(json.dumps(settings, ensure_ascii=False, indent=2).encode() + b"\n")
    write_benchmark(made.benchmark, place)


def read_rules(
    place: Path,
    labels: Sequence[str] | None = None,
    positive: Sequence[str] | None = None,
    negative: Sequence[str] | None = None,
) -> Rules:
    """Return how answers in a folder are read: as is said now, or as its settings say."""
    path = place / SETTINGS
    known: dict[str, Any] = {}
    if path.exists():
        try:
            known = json.loads(path.read_text("utf-8"))
            lists = [known.get(name, []) for name in ("labels", "positive", "negative")]
            if not all(isinstance(name, str) for own in lists for name in [*own, known.get("resolve", "")]):
                raise TypeError
        except (ValueError, TypeError, AttributeError, RecursionError):
            raise InputError("does not say how labels are read", source=str(path), hint="Delete it") from None
    return Rules(
        tuple(labels or known.get("labels", ())),
        tuple(positive or known.get("positive", POSITIVE)),
        tuple(negative or known.get("negative", NEGATIVE)),
        known.get("resolve", UNANIMOUS),
    )


def _sizes(place: Path, drawn: Draw | None, given: Mapping[str, int] | None) -> dict[str, int]:
    """Return how many candidates each stratum has."""
    if drawn is not None:
        return {one.name: one.occurrences for one in drawn.strata}
    known: dict[str, int] = {}
    if (place / DESCRIPTION).exists():
        known = {one.name: one.occurrences for one in read_benchmark(place, []).strata}
    return known | dict(given or {})


def _before(place: Path, old: Sequence[Answer], found: Sequence[Answer]) -> dict[str, Stratum]:
    """Return the strata of a benchmark that is there and that no labels here speak of: they stay as they are."""
    if not (place / DESCRIPTION).exists():
        return {}
    labelled, coming = {one.stratum for one in old}, {one.stratum for one in found}
    strata = [one for one in read_benchmark(place).strata if one.name not in labelled]
    for one in strata:
        if one.name in coming and one.positives:
            problem = f"the stratum {one.name!r} has {len(one.positives):,} positives that no labels here account for"
            raise InputError(problem, source=str(place), hint="Import into a new folder, so that nothing is lost")
    return {one.name: one for one in strata if one.name not in coming}


def _placed(answers: Sequence[Answer], before: Sequence[Answer], drawn: Draw | None, export: Export) -> list[Answer]:
    """Give each answer the item that it is about: by name, or by its text."""
    if drawn is not None:
        items: dict[str, Any] = {i.item: (i.item, i.stratum, i.text, (i.start, i.end)) for i in drawn.items}
    else:
        items = {one.item: (one.item, one.stratum, one.text, one.candidate) for one in before if not one.spans_only}
        if not export.spans_only:
            return list(answers)
    by_text: dict[tuple[str | None, str], list[Any]] = {}
    for item in items.values():
        by_text.setdefault((item[1], item[2]), []).append(item)
        by_text.setdefault((None, item[2]), []).append(item)
    out = []
    for answer in answers:
        known = items.get(answer.item)
        if known is not None and known[2] == answer.text:
            fits = [known]
        elif known is not None and drawn is not None:
            problem = f"item {answer.item!r} has another text than the draw"
            raise InputError(problem, source=export.path, hint="The text was changed after the draw")
        else:  # without a draw, items are called by the numbers of tasks, which another project has too
            fits = by_text.get((export.stratum, answer.text), [])
            if answer.candidate is not None:
                fits = [item for item in fits if item[3] in (None, answer.candidate)]
        if not fits:
            what = "the draw" if drawn is not None else "the labels of the first pass"
            problem = f"item {answer.item!r} is not in {what}: {answer.text[:60]!r}"
            raise InputError(problem, source=export.path, hint="Is this the export of another benchmark?")
        out += [replace(answer, item=i, stratum=s, text=t, candidate=c) for i, s, t, c in fits]
    return out


def _labelled(
    name: str,
    answers: Sequence[Answer],
    rules: Rules,
    sizes: Mapping[str, int],
    drawn: Draw | None,
    notes: Mapping[str, int],
    before: Mapping[str, Stratum],
) -> Labelled:
    if drawn is not None:
        _check_texts(answers, drawn)
    decisions = tuple(decide(group, rules) for group in by_item(answers).values())
    names = list(dict.fromkeys([*sizes, *(one.stratum for one in decisions)]))
    missing = [one for one in names if one not in sizes]
    if missing:
        problem = f"how many occurrences has the stratum {missing[0]!r} in the corpus?"
        raise UsageError(f"{problem} Say so with --occurrences {missing[0]}=N, or import into the folder of a draw")
    own: dict[str, list[Decision]] = {one: [] for one in names}
    for decision in decisions:
        own[decision.stratum].append(decision)
    strata = tuple(before.get(one) or _stratum(one, sizes[one], own[one]) for one in names)
    for stratum in strata:
        if stratum.labelled > stratum.occurrences:
            problem = (
                f"stratum {stratum.name!r} has {stratum.labelled:,} labels for {stratum.occurrences:,} occurrences"
            )
            raise UsageError(
                f"{problem}: check --occurrences, and whether an export was named twice under other strata"
            )
    for one, other, count in alike(answers):
        notes = dict(notes) | {f"{one} and {other} say the same of all their items: are they one? Items": count}
    answered = {one.item for one in decisions}
    open_items = Counter(one.stratum for one in drawn.items if one.item not in answered) if drawn else Counter()
    return Labelled(Benchmark(name, strata), decisions, tuple(answers), rules, notes, open_items)


def _check_texts(answers: Iterable[Answer], drawn: Draw) -> None:
    """Refuse kept labels whose items have other texts now."""
    texts = {one.item: one.text for one in drawn.items}
    for one in answers:
        if texts.get(one.item) != one.text:
            problem = f"the labels of {one.item!r} are of another text than the draw has"
            raise InputError(problem, source=LABELS, hint="The draw was changed after labels were imported")


def _stratum(name: str, size: int, decisions: Iterable[Decision]) -> Stratum:
    found = list(decisions)
    positives = tuple(
        Positive(one.text, one.mark.start, one.mark.end, (one.mark.label,), one.predicted) for one in found if one.mark
    )
    return Stratum(name, size, len(found), positives, sum(one.positive is None for one in found))
