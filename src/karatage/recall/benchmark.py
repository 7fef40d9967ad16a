"""A recall benchmark: the strata of a corpus, how much of each was labelled, and the entities to be found."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Positive:
    """An entity that a tagger should find.

    Attributes:
        text: The text that contains it.
        start: Offset of its first character.
        end: Offset after its last character.
        labels: Accepted labels, usually one.
        correct: Stored result of a tagger, if any.
        span: The span as the file has it, with any further members.
        number: Row number in the file, which may have gaps.
    """

    text: str
    start: int
    end: int
    labels: tuple[str, ...]
    correct: bool | None = None
    span: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)
    number: str | None = field(default=None, repr=False, compare=False)

    @property
    def quoted(self) -> str:
        """The text of the entity."""
        return self.text[self.start : self.end]

    @property
    def key(self) -> tuple[str, int, int]:
        """Identifies the same entity in two lists."""
        return self.text, self.start, self.end


@dataclass(frozen=True)
class Stratum:
    """A part of the corpus: how many candidates it has, how many were labelled, and the positives among those.

    Attributes:
        name: Name of the stratum.
        occurrences: Number of candidates in the corpus.
        labelled: Number of candidates that were drawn and labelled.
        positives: Labelled candidates that are entities.
        unresolved: Number of labelled candidates that are undecided.
        positive: Number of positives that the description states.
        file: Path of the positives, as in the description.
        outside: Real path of the positives, if it is not in the benchmark's folder.
        row: Row of the description as it was read.
        columns: Columns of the file of positives as it was read.
    """

    name: str
    occurrences: int
    labelled: int
    positives: tuple[Positive, ...]
    unresolved: int = 0
    positive: int | None = None
    file: str = ""
    outside: str = field(default="", compare=False)
    row: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    columns: tuple[str, ...] = field(default=(), repr=False, compare=False)


@dataclass(frozen=True)
class Benchmark:
    """A recall benchmark.

    Attributes:
        name: Name of the benchmark, which is the name of its folder.
        strata: All strata, including those without positives.
        source: The description that it was read from.
    """

    name: str
    strata: tuple[Stratum, ...]
    source: str = ""

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The text of each positive, stratum by stratum."""
        return tuple(one.text for one in self.positives)

    @cached_property
    def positives(self) -> tuple[Positive, ...]:
        """All positives, stratum by stratum."""
        return tuple(one for stratum in self.strata for one in stratum.positives)

    def by_stratum(self, results: Sequence[T]) -> Iterator[tuple[Stratum, Sequence[T]]]:
        """Yield each stratum with the results of its positives."""
        first = 0
        for stratum in self.strata:
            yield stratum, results[first : first + len(stratum.positives)]
            first += len(stratum.positives)

    @property
    def warnings(self) -> list[str]:
        """What a reader should know about its files."""
        return [
            f"the positives of stratum {one.name!r} are read from {one.outside}, outside the benchmark's folder"
            for one in self.strata
            if one.outside
        ]

    @cached_property
    def labels(self) -> frozenset[str]:
        """The labels of all positives."""
        return frozenset(label for one in self.positives for label in one.labels)

    @cached_property
    def hash(self) -> str:
        """A hash of the positives: two results with the same hash are about the same items."""
        rows = [(s.name, one.text, one.start, one.end, one.labels) for s in self.strata for one in s.positives]
        return "sha256:" + hashlib.sha256(repr(rows).encode("utf-8", "surrogatepass")).hexdigest()
