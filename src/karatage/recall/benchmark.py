"""A recall benchmark: strata of a corpus, what was labelled of each, and the positives that a tagger should find.

`karatage.recall.amundsen` reads and writes them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Positive:
    """An entity that a tagger should find.

    Attributes:
        text: the text that it stands in.
        start: its first character.
        end: one behind its last.
        labels: what it may be called; one label, as a rule.
        correct: the stored result of some tagger, where there is one.
        span: the literal of the file, with whatever else it holds.
        number: the file's number of the row, which may have gaps.
    """

    text: str
    start: int
    end: int
    labels: tuple[str, ...]
    correct: bool | None = None
    span: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    number: str | None = field(default=None, repr=False, compare=False)

    @property
    def quoted(self) -> str:
        """The entity as it stands in the text."""
        return self.text[self.start : self.end]

    @property
    def key(self) -> tuple[str, int, int]:
        """What makes it the same entity in two lists."""
        return self.text, self.start, self.end


@dataclass(frozen=True)
class Stratum:
    """A part of the frame: how many candidates it has, how many were labelled, and the positives among them.

    Attributes:
        name: what it is called.
        occurrences: candidates in the corpus.
        labelled: how many of them were drawn and labelled.
        positives: those that turned out to be entities.
        unresolved: how many of the labelled ones are undecided.
        positive: how many positives the description states; their number, if it is right.
        file: the path of the positives, as the description has it.
        row: the description's row as it was read.
    """

    name: str
    occurrences: int
    labelled: int
    positives: tuple[Positive, ...]
    unresolved: int = 0
    positive: int | None = None
    file: str = ""
    row: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True)
class Benchmark:
    """A recall benchmark.

    Attributes:
        name: what it is called, as its folder.
        strata: its strata, also those without positives.
        source: the description that it was read from.
    """

    name: str
    strata: tuple[Stratum, ...]
    source: str = ""

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The text of each positive, stratum after stratum."""
        return tuple(one.text for one in self.positives)

    @cached_property
    def positives(self) -> tuple[Positive, ...]:
        """All positives, stratum after stratum."""
        return tuple(one for stratum in self.strata for one in stratum.positives)

    def by_stratum(self, results: Sequence[T]) -> Iterator[tuple[Stratum, Sequence[T]]]:
        """Yield each stratum with its part of what is known of each positive."""
        at = 0
        for stratum in self.strata:
            yield stratum, results[at : at + len(stratum.positives)]
            at += len(stratum.positives)

    @cached_property
    def hash(self) -> str:
        """A fingerprint of the positives, for telling whether two results are about the same items."""
        rows = [(s.name, one.text, one.start, one.end, one.labels) for s in self.strata for one in s.positives]
        return "sha256:" + hashlib.sha256(repr(rows).encode("utf-8", "surrogatepass")).hexdigest()
