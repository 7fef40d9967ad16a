"""Checks of the counts and the positives of a benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import isclose
from pathlib import Path
from typing import Literal

from karatage.errors import InputError
from karatage.recall.benchmark import Benchmark, Positive
from karatage.recall.benchmark_files import OWN_COLUMNS
from karatage.recall.contradictions import overlapping_positives
from karatage.recall.count_defects import PUBLISHED, count_defects, usable_counts
from karatage.recall.drawing.draw_folder import MANIFEST, read_draw
from karatage.recall.labels.answers import Answer
from karatage.recall.labels.label_passes import first_passes
from karatage.recall.recall_estimate import estimate_results, stratum_counts
from karatage.recall.stratum_estimates import hidden_positives
from karatage.scoring import counted
from karatage.stats import DEFAULT, interval

Severity = Literal["error", "warning", "note"]
"""`error`: no estimate is possible without an assumption; `warning`: the estimate is wrong; `note`: worth knowing."""


@dataclass(frozen=True)
class LintFinding:
    """A defect or remark about a benchmark."""

    code: str  # short name, for filtering
    severity: Severity
    what: str
    effect: str = ""  # how it affects the estimate
    stratum: str | None = None

    def to_dict(self) -> dict[str, str]:
        """Return plain data."""
        return {name: value for name, value in vars(self).items() if value not in (None, "")}


StratumLabelFiles = Mapping[str, list[list[Answer]]]
"""The answers of each stratum, file by file; under an empty name those that belong to no single stratum."""


def impossible_counts(benchmark: Benchmark) -> Iterator[LintFinding]:
    """Find counts that contradict each other."""
    for one in count_defects(benchmark):
        effect = "no estimate is possible"
        if one.instead:
            effect = f"{one.instead}; the method published uses the numbers as they are"
        yield LintFinding(one.code, "error", one.what, effect, one.stratum)


def label_counts(benchmark: Benchmark, answers: StratumLabelFiles, level: float) -> Iterator[LintFinding]:
    """Compare the labelled counts of the description with those of the exports."""
    counts: dict[str, int] = {}
    for stratum in benchmark.strata:
        # First passes, e.g. a pilot and the rest, cover all drawn items; a second one covers only the positives.
        first = first_passes(answers[stratum.name], lambda one: one.text)
        most = sum(len({one.item for one in group}) for group in first)
        if most and most != stratum.labelled and most >= len(stratum.positives):
            counts[stratum.name] = most
    if not counts:
        return
    strata = tuple(replace(one, labelled=counts.get(one.name, one.labelled)) for one in benchmark.strata)
    differing = (one for one in benchmark.strata if one.name in counts)
    what = "; ".join(
        f"{one.name}: {one.labelled:,} labelled in the description, {counts[one.name]:,} in the exports"
        for one in differing
    )
    effect = _change(benchmark, replace(benchmark, strata=strata), level)
    yield LintFinding("labelled-count", "warning", what, effect)
    for stratum in benchmark.strata:
        count, drawn, size = counts.get(stratum.name, stratum.labelled), stratum.labelled, stratum.occurrences
        if count < drawn and size:
            distinct = size * (1 - (1 - 1 / size) ** drawn)
            expected = drawn - distinct
            if abs(drawn - count - expected) <= 4 * expected**0.5:  # about as many as chance repeats
                what = f"{drawn:,} draws gave {count:,} items; drawing with replacement gives about {distinct:,.0f}"
                effect = "duplicates were dropped silently; state the number of distinct items as labelled"
                yield LintFinding("with-replacement", "note", what, effect, stratum.name)


def _change(old: Benchmark, new: Benchmark, level: float) -> str:
    """Describe how other counts change the estimate of the stored results, or else the weights."""
    try:
        for one in (old, new):
            usable_counts(one, PUBLISHED)
    except InputError:
        return "no estimate is possible with the counts of the description"
    results = [one.correct for one in old.positives]
    if None in results:
        before, after = (stratum_counts(one, [True] * len(results)).weights for one in (old, new))
        names = [one.name for one in old.strata if one.positives]
        changes = zip(names, before.tolist(), after.tolist(), strict=True)
        return "weights: " + ", ".join(f"{name} {one:.4f} → {other:.4f}" for name, one, other in changes)
    found = [estimate_results(one, results, method=PUBLISHED, level=level).recall for one in (old, new)]
    before_text, after_text = (f"{one.value:.4f} ({one.low:.4f}–{one.high:.4f})" for one in found)
    return f"recall of the stored results by the published formula: {before_text} → {after_text}"


def ratios(benchmark: Benchmark) -> Iterator[LintFinding]:
    """Check the ratios of the description, and its intervals of estimated positives, if it has any."""
    total = sum(one.occurrences for one in benchmark.strata)
    given = [_number(one.row.get("occurence_ratio")) for one in benchmark.strata]
    shares = [share for share in given if share is not None]
    if len(shares) == len(benchmark.strata) and 0 < sum(shares) < 0.9999:
        rest = total / sum(shares) - total
        what = f"the shares of occurrences sum to {sum(shares):.4f}; strata with about {rest:,.0f} are missing"
        effect = "dropped strata count as having no positives; pass them to `estimate` with --dropped NAME=N/LABELLED"
        yield LintFinding("dropped-strata", "warning", what, effect)
    yield from _stored_ratios(benchmark, sum(shares) if len(shares) == len(given) else 1.0)
    for stratum in benchmark.strata:
        if not stratum.labelled:
            continue
        share = len(stratum.positives) / stratum.labelled
        error = stratum.occurrences * (share * (1 - share) / stratum.labelled) ** 0.5
        estimated = stratum.occurrences * share
        for column, text in stratum.row.items():
            value = _number(text)
            if value is None or not error or column in OWN_COLUMNS:
                continue
            if abs(abs(value - estimated) / error - 0.95) < 0.01:
                what = f"{column} is {value:,.1f}, the estimated positives ± 0.95 standard errors"
                effect = (
                    f"0.95 is the confidence level, but the factor should be 1.96: ± {1.96 * error:,.0f}, not "
                    f"± {0.95 * error:,.0f}"
                )
                yield LintFinding("level-as-quantile", "warning", what, effect, stratum.name)


def _stored_ratios(benchmark: Benchmark, covered: float) -> Iterator[LintFinding]:
    """Compare the ratios of the description with its counts; its strata have `covered` of all occurrences."""
    total = sum(one.occurrences for one in benchmark.strata)
    estimated = [
        one.occurrences * len(one.positives) / one.labelled if one.labelled else 0.0 for one in benchmark.strata
    ]
    for one, positives in zip(benchmark.strata, estimated, strict=True):
        expected = {
            "occurence_ratio": (one.occurrences * covered, total),
            "detection_ratio": (len(one.positives), one.labelled),
            "relative_frequency": (positives, sum(estimated)),
        }
        for column, (part, whole) in expected.items():
            value = _number(one.row.get(column))
            if value is None or not whole or isclose(value, part / whole, rel_tol=0.01, abs_tol=0.0005):
                continue
            what = f"{column} is {value:g}, but the counts give {part / whole:.4f}"
            yield LintFinding("ratio", "warning", what, "estimates use the counts; correct one of them", one.name)


def known_weights(benchmark: Benchmark, level: float) -> Iterator[LintFinding]:
    """Report how the interval changes if weights are treated as estimates."""
    results = [one.correct for one in benchmark.positives]
    if None in results:
        return
    try:
        both = [(name, usable_counts(benchmark, name)[0]) for name in (PUBLISHED, DEFAULT)]
    except InputError:
        return
    (old_low, old_high), (low, high) = (interval(stratum_counts(own, results), name, level) for name, own in both)
    width = old_high - old_low
    wider = f"{100 * (high - low) / width - 100:+.1f} % in width, " if width else ""
    what = "the published interval treats the weights as known and all strata as having the same recall"
    effect = f"stored results: {wider}{low:.4f}–{high:.4f} with {DEFAULT}"
    yield LintFinding("weights-known", "note", what, effect)


def empty_strata(benchmark: Benchmark, level: float) -> Iterator[LintFinding]:
    """Report how many positives strata without positives may hide."""
    for one in benchmark.strata:
        if one.occurrences and not one.labelled:
            what = f"{counted(one.occurrences, 'occurrence')}, but no labels"
            yield LintFinding("unlabelled", "warning", what, "the recall is that of the other strata only", one.name)
    empty = [one for one in benchmark.strata if not one.positives and 0 < one.labelled <= one.occurrences]
    if empty:
        most = sum(hidden_positives(one, level) for one in empty)
        size = counted(sum(one.occurrences for one in empty), "occurrence")
        what = f"no positives in {', '.join(one.name for one in empty)} ({size})"
        bounds = f"sum of one-sided {100 * level:g} % bounds"
        yield LintFinding("no-positives", "note", what, f"may hide up to {counted(most, 'positive')} ({bounds})")


def files_outside(benchmark: Benchmark) -> Iterator[LintFinding]:
    """Find positives that are not in the benchmark's folder."""
    for one in benchmark.strata:
        if one.outside:
            what = f"the positives are read from {one.outside}, outside the benchmark's folder"
            effect = "a copy of the folder has none, or those of another benchmark"
            yield LintFinding("file-outside", "warning", what, effect, one.name)


def manifest(benchmark: Benchmark, folder: Path) -> Iterator[LintFinding]:
    """Compare the benchmark with the manifest of its draw."""
    if not (folder / MANIFEST).exists():
        what = "no manifest of the draw, so seed and sampling frame are unknown"
        yield LintFinding("no-manifest", "note", what, "the sample cannot be repeated, checked or continued")
        return
    try:
        drawn = read_draw(folder)
    except InputError as error:
        yield LintFinding("manifest", "error", str(error), "the labels may be for other items than those drawn")
        return
    sizes = {one.name: one.occurrences for one in drawn.strata}
    for stratum in benchmark.strata:
        size = sizes.get(stratum.name)
        if size != stratum.occurrences:
            other = f"{size:,} in the manifest" if size is not None else "not in the manifest"
            what = f"{counted(stratum.occurrences, 'occurrence')} here, {other}"
            yield LintFinding("manifest", "error", what, "the weights are not those of the draw", stratum.name)


def _number(text: str | None) -> float | None:
    try:
        return float(text or "")
    except ValueError:
        return None


def check_positives(benchmark: Benchmark) -> Iterator[LintFinding]:
    """Find duplicates, odd boundaries and mixed labels."""
    given = benchmark.positives
    total = f"of {counted(len(given), 'positive')}"
    duplicates = len(given) - len({one.key for one in given})
    if duplicates:
        yield LintFinding("repeated-positives", "warning", f"{duplicates:,} {total} duplicated", "each counts")
    overlaps = len(overlapping_positives(benchmark))
    if overlaps:
        what = f"{counted(overlaps, 'pair')} {total} with different spans or labels that overlap in the same text"
        yield LintFinding("overlapping-positives", "warning", what, "a tagger without nested entities misses one")
    blank = sum(map(_has_space, given))
    if blank:
        bound = _recall_without(benchmark, _has_space)
        effect = f"a tagger that finds whole words misses them, so its recall is at most {bound:.4f}"
        yield LintFinding("blank-edges", "warning", f"{blank:,} {total} with leading or trailing spaces", effect)
    ends = sum(map(_at_end, given))
    if ends:
        loss = 1 - _recall_without(benchmark, _at_end)
        effect = f"a tagger that does not close an entity at the end of the text loses {loss:.4f} of recall"
        yield LintFinding("end-of-text", "note", f"{ends:,} {total} at the end of the text", effect)
    labels = Counter(label for one in given for label in one.labels)
    if len(labels) > 1:
        rare, count = min(labels.items(), key=lambda pair: pair[1])
        what = f"the positives have {len(labels)} labels ({', '.join(sorted(labels))})"
        effect = f"a tagger without {rare} misses {counted(count, 'positive')}"
        yield LintFinding("labels", "note", what, effect)


def _has_space(one: Positive) -> bool:
    return one.quoted != one.quoted.strip()


def _at_end(one: Positive) -> bool:
    return one.end == len(one.text)


def _recall_without(benchmark: Benchmark, missed: Callable[[Positive], bool]) -> float:
    """Return the recall of a tagger that misses some positives and finds all others."""
    found = [not missed(one) for one in benchmark.positives]
    try:
        sound, _ = usable_counts(benchmark, DEFAULT)
    except InputError:
        return sum(found) / len(found)
    return stratum_counts(sound, found).recall


def shared_items(benchmark: Benchmark, other: Benchmark) -> Iterator[LintFinding]:
    """Find positives that two benchmarks have in common."""
    mine, theirs = ({one.key for one in given.positives} for given in (benchmark, other))
    both = len(mine & theirs)
    if both:
        total = counted(len(mine) + len(theirs), "positive")
        what = f"{both:,} of {total} in both benchmarks ({benchmark.name}, {other.name})"
        effect = "results on the two are not independent, and tuning on one leaks into the other"
        yield LintFinding("shared-items", "warning", what, effect)
