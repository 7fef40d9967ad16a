"""Checks of the positives of a benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from karatage.errors import InputError
from karatage.recall.benchmark import Benchmark, Positive
from karatage.recall.linting.findings import LintFinding
from karatage.recall.recall_estimate import check_counts, stratum_counts
from karatage.recall.wording import count_noun


def check_positives(benchmark: Benchmark) -> Iterator[LintFinding]:
    """Find duplicates, odd boundaries and mixed labels."""
    given = benchmark.positives
    total = f"of {count_noun(len(given), 'positive')}"
    duplicates = len(given) - len({one.key for one in given})
    if duplicates:
        yield LintFinding("repeated-positives", "warning", f"{duplicates:,} {total} duplicated", "each counts")
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
        effect = f"a tagger without {rare} misses {count_noun(count, 'positive')}"
        yield LintFinding("labels", "note", what, effect)


def _has_space(one: Positive) -> bool:
    return one.quoted != one.quoted.strip()


def _at_end(one: Positive) -> bool:
    return one.end == len(one.text)


def _recall_without(benchmark: Benchmark, missed: Callable[[Positive], bool]) -> float:
    """Return the recall of a tagger that misses some positives and finds all others."""
    found = [not missed(one) for one in benchmark.positives]
    try:
        check_counts(benchmark)
    except InputError:
        return sum(found) / len(found)
    return stratum_counts(benchmark, found).recall


def shared_items(benchmark: Benchmark, other: Benchmark) -> Iterator[LintFinding]:
    """Find positives that two benchmarks have in common."""
    mine, theirs = ({one.key for one in given.positives} for given in (benchmark, other))
    both = len(mine & theirs)
    if both:
        total = count_noun(len(mine) + len(theirs), "positive")
        what = f"{both:,} of {total} in both benchmarks ({benchmark.name}, {other.name})"
        effect = "results on the two are not independent, and tuning on one leaks into the other"
        yield LintFinding("shared-items", "warning", what, effect)
