"""Run all checks on a benchmark, and those of its labels: conflicts, items with one annotator, and duplicates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

from karatage.errors import InputError, KaratageError, UsageError
from karatage.recall.benchmark import Benchmark
from karatage.recall.benchmark_files import benchmark_folder, read_benchmark
from karatage.recall.drawing.draw_folder import SETTINGS
from karatage.recall.labels.agreement import agreements, conflicts
from karatage.recall.labels.answer_exports import Export, read_answers
from karatage.recall.labels.answers import Answer, read_labels
from karatage.recall.labels.decisions import AnswerRules
from karatage.recall.labels.label_import import read_rules
from karatage.recall.labels.label_passes import first_passes
from karatage.recall.linting import benchmark_checks
from karatage.recall.linting.benchmark_checks import LintFinding, Severity, StratumLabelFiles
from karatage.recall.repairing.export_files import find_exports
from karatage.scoring import counted
from karatage.stats import LEVEL, check_level

EXPORTS = "labelled"
"""The folder beside a description that contains exports."""


def lint(
    benchmark: str | Path,
    *,
    exports: Mapping[str, Sequence[str]] | None = None,
    against: str | Path | None = None,
    level: float = LEVEL,
) -> list[LintFinding]:
    """Find defects of a benchmark, most serious first.

    Args:
        benchmark: Its folder or its description.
        exports: Label exports of each stratum, to count the labels. Default: the files in the folder `labelled` beside
            the description whose names contain the name of a stratum's file.
        against: Another benchmark, which should have no items in common with this one.
        level: Confidence level of bounds and intervals.
    """
    check_level(level)
    defects: list[InputError] = []
    given = read_benchmark(benchmark, defects)
    folder = benchmark_folder(benchmark)
    answers = read_stratum_labels(given, folder, exports)
    found = [LintFinding("file", "error", str(one), "the stratum counts as having no positives") for one in defects]
    found += benchmark_checks.files_outside(given)
    found += benchmark_checks.impossible_counts(given)
    found += benchmark_checks.label_counts(given, answers, level)
    found += benchmark_checks.ratios(given)
    found += benchmark_checks.known_weights(given, level)
    found += benchmark_checks.empty_strata(given, level)
    found += benchmark_checks.manifest(given, folder)
    found += check_labels(given, answers, folder)
    found += benchmark_checks.check_positives(given)
    if against is not None:
        found += benchmark_checks.shared_items(given, read_benchmark(against, []))
    return sorted(found, key=lambda one: get_args(Severity).index(one.severity))


def read_stratum_labels(
    benchmark: Benchmark, folder: Path, exports: Mapping[str, Sequence[str]] | None
) -> StratumLabelFiles:
    """Read the labels of each stratum, file by file. Files in the folder that are not exports are skipped."""
    known = [stratum.name for stratum in benchmark.strata]
    for name in exports or ():
        if name not in known:
            raise UsageError(f"unknown stratum {name!r}. The benchmark has {', '.join(known)}")
    out: dict[str, list[list[Answer]]] = {}
    imported = read_labels(folder)
    beside = _exports_beside(benchmark, folder)
    rules = AnswerRules(labels=tuple(sorted(benchmark.labels))) if benchmark.labels else None
    for stratum in benchmark.strata:
        own = [one for one in imported if one.stratum == stratum.name]
        groups = [own] if own else []
        if exports is not None:
            files = exports.get(stratum.name, ())
            groups += [read_answers(Export(file, stratum.name), rules, Counter()) for file in files]
        elif not own:
            groups += _read_valid([one for one in beside if one.stratum == stratum.name], rules)
        out[stratum.name] = groups
    if exports is None and not imported:  # e.g. an export of items with two annotators
        others = [replace(one, stratum=None) for one in beside if one.stratum not in known]
        out[""] = list(_read_valid(others, None))
    return out


def _exports_beside(benchmark: Benchmark, folder: Path) -> list[Export]:
    try:
        return find_exports([(None, str(folder / EXPORTS))], benchmark.strata) if (folder / EXPORTS).is_dir() else []
    except InputError:
        return []  # no exports in the folder


def _read_valid(exports: Sequence[Export], rules: AnswerRules | None) -> Iterator[list[Answer]]:
    for export in exports:
        try:
            yield read_answers(export, rules, Counter())
        except KaratageError:
            continue  # not an export


def check_labels(benchmark: Benchmark, answers: StratumLabelFiles, folder: Path) -> Iterator[LintFinding]:
    """Find conflicts and duplicate items in the labels."""
    rules = read_rules(folder) if (folder / SETTINGS).exists() else None
    for name, groups in answers.items():
        own = [one for group in groups for one in group]
        found = conflicts(own) if rules is None else conflicts(own, rules.labels, rules.meaning)
        total = sum(len(one.positives) for one in benchmark.strata if name in ("", one.name))
        positives = counted(total, "positive")
        if found:
            choices, spans = sum(one.choices for one in found), sum(one.spans for one in found)
            items = counted(len(found), "item")
            what = f"annotators disagree on {items}: {choices:,} in the choice, {spans:,} in the spans"
            effect = f"up to {choices:,} more or fewer than {positives}"
            yield LintFinding("conflicts", "warning", what, effect, name or None)
        yield from _single_annotator(own, name, positives)
        yield from _answered_twice(own, name)
        duplicates = sum(map(_repeats, first_passes(groups, lambda one: one.text)))
        if duplicates:
            what = f"{counted(duplicates, 'labelled item')} with the same text and span as another"
            effect = "drawn twice, or repeated in the corpus; only the latter should count"
            yield LintFinding("repeated-items", "note", what, effect, name or None)


def _repeats(answers: Sequence[Answer]) -> int:
    """Count the items of a file that repeat the text and the candidate of another one."""
    distinct = {one.item: one for one in answers}.values()
    places = Counter((one.text, one.candidate) for one in distinct if one.candidate is not None)
    return sum(count - 1 for count in places.values())


def _answered_twice(answers: Sequence[Answer], name: str) -> Iterator[LintFinding]:
    """Report items that one annotator answered differently in one file or several."""
    said: dict[object, set[object]] = {}
    for one in answers:
        said.setdefault((one.text, one.candidate, *one.key), set()).add(one.said)
    differing = sum(len(own) > 1 for own in said.values())
    if differing:
        what = f"{counted(differing, 'item')} with different answers of the same annotator"
        yield LintFinding(
            "answered-twice", "warning", what, "`import` takes the latest, if times are known", name or None
        )


def _single_annotator(answers: Sequence[Answer], name: str, positives: str) -> Iterator[LintFinding]:
    """Report how many items have one annotator, if other items show that annotators err."""
    for found in agreements(answers):
        single = len({one.item for one in answers if one.stratum == found.stratum}) - found.items
        if not single or not found.choices_differ:
            continue
        share = found.choices_differ / found.choices
        what = (
            f"{counted(single, 'item')} with one annotator; with several annotators, {100 * share:.1f} % of "
            f"{counted(found.choices, 'item')} have conflicting choices"
        )
        effect = (
            f"if one of two annotators is wrong there, about {single * share / 2:,.0f} of these {single:,} are wrong, "
            f"compared with {positives}; the interval does not account for this"
        )
        yield LintFinding("answered-once", "note", what, effect, name or None)
