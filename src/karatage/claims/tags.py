"""Tags of many units as one stream of codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Ints
from karatage.claims.interning import BREAK, OUTSIDE, PADDING, TagVocabulary
from karatage.errors import InputError, TagError

_BLOCK = 2048
"""Units per block when reading lists: its arrays stay in the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tags:
    """One layer of tags over many units.

    The stream holds the tags of the first unit, a break, the tags of the second unit, a break, and so on. Whether
    a span starts or ends at a tag depends on two neighbours only, and with the breaks in place a unit's edge is
    a neighbour like any other.

    Attributes:
        codes: the stream; `BREAK` after each unit, else an index into `vocabulary`.
        vocabulary: the distinct tags; entry 0 belongs to the break, entry 1 is `O`.
        sizes: how many tags each unit has.
    """

    codes: NDArray[Any]
    vocabulary: tuple[str, ...]
    sizes: Ints
    starts: Ints = field(init=False, repr=False)

    def __post_init__(self) -> None:
        starts = np.zeros(len(self.sizes) + 1, np.int64)
        np.cumsum(self.sizes + 1, out=starts[1:])
        object.__setattr__(self, "starts", starts)

    @classmethod
    def from_lists(
        cls, units: Iterable[Sequence[str]], *, source: str = "tags", empty: bool = False, lists_only: bool = False
    ) -> Tags:
        """Make the stream from one sequence of tags per unit.

        Args:
            units: the tags of each unit.
            source: what an error message calls the input.
            empty: whether the empty string is a tag, as in files where it continues the tag before it.
            lists_only: whether to refuse tuples, arrays and subclasses of list, as seqeval does.
        """
        rows = units if isinstance(units, list) else list(units)
        sizes = np.zeros(len(rows), np.int64)
        vocabulary = TagVocabulary()
        parts = [np.zeros(0, np.uint8)]
        for at in range(0, len(rows), _BLOCK):
            block, lengths = rows[at : at + _BLOCK], sizes[at : at + _BLOCK]
            others = set(map(type, block)) - {list}
            if others and (lists_only or not all(issubclass(k, list | tuple | np.ndarray) for k in others)):
                raise _not_lists(rows, source)
            lengths[:] = np.fromiter(map(len, block), np.int64, len(block))
            try:
                codes = _encode(block, lengths, vocabulary)
            except TypeError:
                raise _not_text(rows, source) from None
            if codes is None:
                if not empty and "" in set(chain.from_iterable(block)):
                    raise _not_text(rows, source)
                codes = _encode_slowly(block, lengths, vocabulary)
            parts.append(codes)
        return cls(np.concatenate(parts), tuple(vocabulary.names), sizes)

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        return f"<Tags: {int(self.sizes.sum()):,} in {len(self):,} units, {len(self.vocabulary) - 1} distinct>"

    def place(self, position: int) -> tuple[int, int]:
        """Return the unit and the index in it of a position in the stream."""
        unit = int(np.searchsorted(self.starts, position, "right")) - 1
        return unit, position - int(self.starts[unit])

    def slice(self, start: int, stop: int) -> Tags:
        """Return the tags of the units from `start` to before `stop`."""
        return Tags(self.codes[self.starts[start] : self.starts[stop]], self.vocabulary, self.sizes[start:stop])

    def take(self, units: Ints) -> Tags:
        """Return the tags of the named units, in that order."""
        sizes = self.sizes[units]
        lengths = sizes + 1
        offsets = np.cumsum(lengths) - lengths
        index = np.repeat(self.starts[units] - offsets, lengths) + np.arange(int(lengths.sum()))
        return Tags(self.codes[index], self.vocabulary, sizes)

    def lists(self) -> list[list[str]]:
        """Return one list of tags per unit."""
        names = np.array(self.vocabulary, dtype=object)[self.codes].tolist()
        return [names[a : a + n] for a, n in zip(self.starts[:-1].tolist(), self.sizes.tolist(), strict=True)]

    @classmethod
    def concatenate(cls, parts: Sequence[Tags]) -> Tags:
        """Concatenate the units of several streams."""
        names: dict[str, int] = {"O": OUTSIDE}
        recoded = [np.zeros(0, np.int64)]
        for part in parts:
            number = [BREAK, *(names.setdefault(tag, len(names) + 1) for tag in part.vocabulary[1:])]
            recoded.append(np.array(number, np.int64)[part.codes])
        sizes = np.concatenate([np.zeros(0, np.int64), *(part.sizes for part in parts)])
        return cls(np.concatenate(recoded), ("", *names), sizes)


def _encode(rows: list[Any], sizes: Ints, vocabulary: TagVocabulary) -> NDArray[Any] | None:
    """Intern the tags as lines of one text; None if they do not make such lines."""
    text = "\n\n".join(map("\n".join, rows))
    if "\0" in text:
        return None
    if not sizes.all():
        # Units without tags make no line: leave them out and put their breaks in afterwards.
        full = np.flatnonzero(sizes)
        codes = _encode([rows[k] for k in full.tolist()], sizes[full], vocabulary) if len(full) else sizes[:0]
        places = np.cumsum(np.where(sizes > 0, sizes + 1, 0))[sizes == 0]
        return None if codes is None else np.insert(codes, places, BREAK)
    # A line end in front makes the first line like the others.
    buffer = np.frombuffer(b"\n" + text.encode("utf-8", "surrogatepass") + b"\n\n" + bytes(PADDING), np.uint8)
    line_end = buffer == 10
    marks = np.flatnonzero(line_end)
    ends = marks[1:]
    lengths = ends - marks[:-1]
    lengths -= 1
    total = int(sizes.sum())
    if len(ends) != total + len(rows) or np.count_nonzero(lengths) != total:
        return None
    outside = np.count_nonzero(line_end[:-2] & (buffer[1:-1] == ord("O")) & line_end[2:])
    return vocabulary.encode(buffer, ends, lengths, short_is_o=outside == np.count_nonzero(lengths == 1))


def _encode_slowly(rows: list[Any], sizes: Ints, vocabulary: TagVocabulary) -> NDArray[Any]:
    """Intern tags one by one: where a tag is empty or holds a line break or NUL."""
    codes = {tag: vocabulary.code(tag.encode("utf-8", "surrogatepass")) for tag in set(chain.from_iterable(rows))}
    stream = np.zeros(int(sizes.sum()) + len(rows), np.uint32)
    mask = np.ones(len(stream), bool)
    mask[np.cumsum(sizes + 1) - 1] = False
    stream[mask] = np.fromiter(map(codes.__getitem__, chain.from_iterable(rows)), stream.dtype)
    return stream


def _not_lists(rows: list[Any], source: str) -> InputError:
    unit = next((i for i, row in enumerate(rows) if not isinstance(row, list | tuple | np.ndarray)), 0)
    if all(isinstance(row, str) for row in rows):
        return InputError(
            "expected one list of tags per sentence, got a flat list",
            source=source,
            hint="Pass a list of lists: [['B-PER', 'O'], …]",
        )
    return InputError(
        f"expected a list of tags, got {type(rows[unit]).__name__} {rows[unit]!r}", source=source, unit=unit + 1
    )


def _not_text(rows: list[Any], source: str) -> TagError:
    for unit, row in enumerate(rows, 1):
        for index, tag in enumerate(row):
            if not isinstance(tag, str) or not tag:
                got = "an empty one" if isinstance(tag, str) else f"{type(tag).__name__} {tag!r}"
                return TagError(
                    f"expected a tag, got {got} at index {index}",
                    source=source,
                    unit=unit,
                    hint="Use 'O' for tokens outside any entity",
                )
    raise AssertionError("every tag is text")  # pragma: no cover
