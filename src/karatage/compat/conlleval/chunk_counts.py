"""Where chunks start and end by conlleval's rules, and how many are right."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.compat.conlleval.tagged_lines import OUTSIDE, TagColumn, TaggedLines, as_array

STARTS = {"BB", "IB", "OB", "OI", "EE", "EI", "OE"}
ENDS = {"BB", "BO", "IB", "IO", "EE", "EI", "EO"}
"""Pairs of prefixes, of a token and the next one, between which a chunk starts or ends."""

SINGLE = ("[", "]")
"""Prefixes of chunks of one token."""

OPEN = (OUTSIDE, ".")
"""Prefixes at which a change of type neither starts nor ends a chunk."""


@dataclass(frozen=True)
class ChunkCounts:
    """What conlleval counts.

    Attributes:
        tokens: the tokens.
        right: the tokens with the gold tag.
        gold: the chunks of gold, by type.
        predicted: the predicted chunks, by type.
        correct: those that are both, by type.
    """

    tokens: int
    right: int
    gold: Counter[str]
    predicted: Counter[str]
    correct: Counter[str]


class Side:
    """The chunks of one side.

    Attributes:
        prefix: the number of each line's prefix.
        kind: the number of each line's type.
        starts: the lines at which a chunk starts.
        ends: the lines before which a chunk ends.
    """

    def __init__(self, column: TagColumn, kinds: dict[str, int], prefixes: dict[str, int]) -> None:
        parsed = [_parse(tag) for tag in column.distinct]
        numbers = as_array([prefixes.setdefault(prefix, len(prefixes)) for prefix, _ in parsed])
        types = as_array([kinds.setdefault(kind, len(kinds)) for _, kind in parsed])
        codes = as_array(column.codes)
        self.prefix, self.kind = numbers[codes], types[codes]
        outside, none = prefixes[OUTSIDE], kinds[""]
        before = np.concatenate([[outside], self.prefix[:-1]])
        changed = np.concatenate([[none], self.kind[:-1]]) != self.kind
        names = list(prefixes)
        self.starts = _between(STARTS, names)[before, self.prefix] | (changed & ~_among(OPEN, names)[self.prefix])
        self.starts |= _among(SINGLE, names)[self.prefix]
        self.ends = _between(ENDS, names)[before, self.prefix] | (changed & ~_among(OPEN, names)[before])
        self.ends |= _among(SINGLE, names)[before]


def count(lines: TaggedLines) -> ChunkCounts:
    """Count tokens and chunks."""
    if not len(lines.tokens):
        return ChunkCounts(0, 0, Counter(), Counter(), Counter())
    kinds, prefixes = {"": 0}, {OUTSIDE: 0}
    for column in (lines.gold, lines.predicted):  # both sides number them alike
        for prefix, kind in map(_parse, column.distinct):
            prefixes.setdefault(prefix, len(prefixes))
            kinds.setdefault(kind, len(kinds))
    gold, predicted = (Side(column, kinds, prefixes) for column in (lines.gold, lines.predicted))
    same = gold.kind == predicted.kind
    right = lines.tokens & same & (gold.prefix == predicted.prefix)
    names = list(kinds)
    return ChunkCounts(
        int(lines.tokens.sum()),
        int(right.sum()),
        _by_name(gold.kind[gold.starts], names),
        _by_name(predicted.kind[predicted.starts], names),
        _by_name(_correct(gold, predicted, same), names),
    )


def _correct(gold: Side, predicted: Side, same: Bools) -> Ints:
    """Return the types of the correct chunks.

    A chunk is right so far where both sides start one of the same type. It is correct where both end at once, and no
    longer right where only one side ends, or where the types differ.
    """
    begun = np.flatnonzero(gold.starts & predicted.starts & same)
    same_before = np.concatenate([[True], same[:-1]])
    both = gold.ends & predicted.ends & same_before
    stops = np.flatnonzero(both | (gold.ends != predicted.ends) | ~same)
    # Right so far at a stop: something began since the one before it, or at it.
    known = np.searchsorted(begun, np.concatenate([[0], stops]))
    right = np.diff(known) > 0
    closed = stops[right & both[stops]]
    types = gold.kind[closed - 1]
    still = bool(len(begun)) and begun[-1] >= (stops[-1] if len(stops) else 0)
    return np.append(types, gold.kind[-1]) if still else types


def _parse(tag: str) -> tuple[str, str]:
    prefix, hyphen, kind = tag.partition("-")
    return (prefix, "" if kind == "0" else kind) if hyphen else (tag, "")  # Perl takes "0" for nothing


def _between(pairs: set[str], names: list[str]) -> Bools:
    return np.array([[len(a) == len(b) == 1 and a + b in pairs for b in names] for a in names])


def _among(few: tuple[str, ...], names: list[str]) -> Bools:
    return np.array([name in few for name in names])


def _by_name(kinds: Ints, names: list[str]) -> Counter[str]:
    numbers = np.bincount(kinds, minlength=len(names)).tolist()
    return Counter({name: number for name, number in zip(names, numbers, strict=True) if number})
