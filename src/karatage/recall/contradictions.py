"""Positives and results of a benchmark that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import takewhile

from karatage.recall.benchmark import Benchmark, Positive
from karatage.scoring import counted


def overlapping_positives(benchmark: Benchmark) -> list[tuple[Positive, Positive]]:
    """Return pairs of different positives that overlap in the same text; a tagger without nested spans misses one."""
    by_text: dict[str, list[Positive]] = {}
    for one in sorted(benchmark.positives, key=lambda positive: positive.start):
        by_text.setdefault(one.text, []).append(one)
    return [
        (one, other)
        for own in by_text.values()
        for index, one in enumerate(own)
        for other in takewhile(partial(_starts_inside, one), own[index + 1 :])
        if _entity(one) != _entity(other)
    ]


def _starts_inside(one: Positive, other: Positive) -> bool:
    return other.start < one.end


def contradictions(benchmark: Benchmark, results: Sequence[bool | None]) -> Iterator[str]:
    """Warn of positives that contradict each other, and of duplicates with different results."""
    pairs = overlapping_positives(benchmark)
    if pairs:
        one, other = pairs[0]
        example = f"{one.quoted[:40]!r} {'/'.join(one.labels)} and {other.quoted[:40]!r} {'/'.join(other.labels)}"
        what = "1 positive overlaps another one" if len(pairs) == 1 else f"{len(pairs):,} pairs of positives overlap"
        yield f"{what} in the same text, e.g. {example}: a tagger without nested entities misses one of them"
    known: dict[object, set[bool]] = {}
    for positive, result in zip(benchmark.positives, results, strict=True):
        if result is not None:
            known.setdefault(_entity(positive), set()).add(result)
    differing = sum(len(own) > 1 for own in known.values())
    if differing:
        yield f"{counted(differing, 'duplicate positive')} with different results: both found and missed"


def _entity(one: Positive) -> tuple[object, ...]:
    return (*one.key, one.labels)
