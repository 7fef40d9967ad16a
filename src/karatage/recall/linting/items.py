"""What is wrong with the positives of a benchmark, and what that does to the estimate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from karatage.errors import InputError
from karatage.recall.benchmark import Benchmark, Positive
from karatage.recall.estimates import check, counts_of
from karatage.recall.linting.findings import NOTE, WARNING, Finding


def positives(benchmark: Benchmark) -> Iterator[Finding]:
    """Look at the positives themselves."""
    given = benchmark.positives
    total = len(given)
    twice = total - len({one.key for one in given})
    if twice:
        what = f"positives that are there more than once: {twice:,} of {total:,}"
        yield Finding("repeated-positives", WARNING, what, "each of them counts")
    blank = sum(map(_blank, given))
    if blank:
        what = f"positives that start or end with a blank: {blank:,} of {total:,}"
        effect = (
            f"a tagger that finds whole words misses them: its recall cannot exceed {_without(benchmark, _blank):.4f}"
        )
        yield Finding("blank-edges", WARNING, what, effect)
    ends = sum(map(_at_end, given))
    if ends:
        what = f"positives that end with their text: {ends:,} of {total:,}"
        least = 1 - _without(benchmark, _at_end)
        effect = f"a tagger that does not close an entity at the end of the text loses {least:.4f} of recall"
        yield Finding("end-of-text", NOTE, what, effect)
    labels = Counter(label for one in given for label in one.labels)
    if len(labels) > 1:
        rare, count = min(labels.items(), key=lambda pair: pair[1])
        what = f"the positives have {len(labels)} labels ({', '.join(sorted(labels))})"
        yield Finding("labels", NOTE, what, f"{rare} on {count:,}: a tagger that does not know it misses these")


def _blank(one: Positive) -> bool:
    return one.quoted != one.quoted.strip()


def _at_end(one: Positive) -> bool:
    return one.end == len(one.text)


def _without(benchmark: Benchmark, lost: Callable[[Positive], bool]) -> float:
    """Return the recall of a tagger that finds all but some positives."""
    found = [not lost(one) for one in benchmark.positives]
    try:
        check(benchmark)
    except InputError:
        return sum(found) / len(found)
    return counts_of(benchmark, found).recall


def shared(benchmark: Benchmark, other: Benchmark) -> Iterator[Finding]:
    """Look for positives that two benchmarks have in common."""
    mine = {one.key for one in benchmark.positives}
    both = len(mine & {one.key for one in other.positives})
    if both:
        total = len(mine) + len({one.key for one in other.positives})
        what = f"{both:,} of {total:,} positives stand in both benchmarks"
        effect = "results on the two are not independent, and tuning on one leaks into the other"
        yield Finding("shared-items", WARNING, f"{what} ({benchmark.name}, {other.name})", effect)
