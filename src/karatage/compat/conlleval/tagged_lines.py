"""Lines with a gold tag and a predicted tag, as conlleval reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.errors import InputError, UsageError

BOUNDARY = "-X-"
OUTSIDE = "O"


@dataclass(frozen=True)
class LineFormat:
    """How a line is read.

    Attributes:
        delimiter: what separates fields, a regular expression.
        raw: whether tags are types without prefixes, each a chunk of its own.
        outside: the raw tag of tokens outside of chunks.
    """

    delimiter: str = " "
    raw: bool = False
    outside: str = OUTSIDE

    def split(self, line: str) -> list[str]:
        """Split a line into its fields; empty ones at its end do not count."""
        fields = line.split(" ") if self.delimiter == " " else re.split(self.delimiter, line)
        while fields and not fields[-1]:
            fields.pop()
        return fields

    def tag(self, text: str) -> str:
        """Return a tag with its prefix."""
        if not self.raw:
            return text
        return OUTSIDE if text in (self.outside, OUTSIDE) else f"B-{text}"

    def check(self) -> None:
        """Refuse a delimiter that is not one."""
        try:
            empty = re.compile(self.delimiter).fullmatch("") is not None
        except re.error as error:
            raise UsageError(f"the delimiter {self.delimiter!r} is not a regular expression: {error}") from None
        if empty:
            raise UsageError(f"the delimiter {self.delimiter!r} matches an empty text")


@dataclass
class TagColumn:
    """The tags of one side, as numbers.

    Attributes:
        distinct: the number of each distinct tag.
        codes: the number of each line's tag.
    """

    distinct: dict[str, int] = field(default_factory=dict)
    codes: list[int] = field(default_factory=list)

    def add(self, tag: str) -> None:
        """Add the tag of a line."""
        self.codes.append(self.distinct.setdefault(tag, len(self.distinct)))


@dataclass(frozen=True, eq=False)
class TaggedLines:
    """All lines: tokens and the ends of sentences.

    Attributes:
        gold: the gold tags.
        predicted: the predicted tags.
        tokens: which lines are tokens.
    """

    gold: TagColumn
    predicted: TagColumn
    tokens: Bools


def read_lines(lines: Iterable[str], layout: LineFormat) -> TaggedLines:
    """Read lines without their line ends."""
    layout.check()
    gold, predicted, tokens = TagColumn(), TagColumn(), []
    width = 0
    for line in lines:
        fields = layout.split(line)
        width = width or len(fields)
        if fields and len(fields) != width:
            raise InputError(f"unexpected number of features: {len(fields)} ({width})")
        inside = bool(fields) and fields[0] != BOUNDARY
        if inside and len(fields) < 2:
            raise UsageError(f"unexpected number of features in line {line}")
        gold.add(layout.tag(fields[-2]) if inside else OUTSIDE)
        predicted.add(layout.tag(fields[-1]) if inside else OUTSIDE)
        tokens.append(inside)
    return TaggedLines(gold, predicted, np.array(tokens, bool))


def as_array(codes: list[int]) -> Ints:
    """Return numbers as an array."""
    return np.array(codes, np.int64)
