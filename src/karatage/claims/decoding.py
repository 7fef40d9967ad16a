"""From tags to spans: one decoder for every scheme and every tool's reading of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Ints
from karatage.claims.interning import BREAK, OUTSIDE
from karatage.claims.parsing import UNTYPED, Style, read_conlleval, read_seqeval_strict, read_tag
from karatage.claims.schemes import CLASS_OF, LENIENT_ENDS, LENIENT_STARTS, OTHER, SCHEMES, Scheme, Table, table
from karatage.claims.tags import Tags
from karatage.errors import TagError, UsageError

Flavour = Literal["karatage", "conlleval", "seqeval-strict"]

SEQEVAL_IOE1 = replace(SCHEMES["IOE1"], starts="OI* II! EI* EE=", ends="II! IO* IE! EI= EE=")
"""seqeval's table lacks spans of one E and spans that end in E before O; the parity profile keeps that."""


class Spans(NamedTuple):
    """Spans in the stream's positions, in order of their ends."""

    starts: Ints
    ends: Ints
    types: Ints
    names: tuple[str, ...]


@dataclass(frozen=True)
class TagDecoder:
    """How tags become spans.

    Attributes:
        scheme: the scheme to enforce; None reads any scheme leniently, as conlleval does.
        style: the separator, and whether the prefix comes last.
        flavour: whose reading of a tag: Karatage's own, conlleval's (seqeval's default) or seqeval's strict mode.
    """

    scheme: Scheme | None = None
    style: Style = field(default_factory=Style)
    flavour: Flavour = "karatage"

    def __post_init__(self) -> None:
        if self.flavour == "seqeval-strict" and self.scheme is None:
            raise UsageError("seqeval's strict mode needs a tagging scheme: set --scheme")
        if self.flavour == "conlleval" and self.scheme is not None:
            raise UsageError("conlleval reads all tagging schemes alike: remove --scheme, or choose another profile")

    def __call__(self, tags: Tags) -> Spans:
        """Find the spans."""
        if self.scheme is not None and self.scheme.name == "EMPTY":
            tags = continue_empty(tags)
        classes, types, names = self._read(tags)
        if self.scheme is None:
            return self._lenient(tags, classes, types, names)
        return self._enforced(tags, self._tables(self.scheme), classes, types, names)

    def types(self, tags: Tags) -> tuple[Ints, tuple[str, ...]]:
        """Return the type of each tag in the stream, -1 for O and breaks, and the types' names."""
        if self.scheme is not None and self.scheme.name == "EMPTY":
            tags = continue_empty(tags)
        classes, types, names = self._read(tags)
        return np.where(classes == CLASS_OF["O"], -1, types)[tags.codes], names

    def invalid(self, tags: Tags) -> Ints:
        """Return the positions whose transition from the tag before the scheme forbids."""
        if self.scheme is None:
            return np.zeros(0, np.int64)
        if self.scheme.name == "EMPTY":
            tags = continue_empty(tags)
        classes, types, _ = self._read(tags)
        (bad,) = _where(tags.codes, classes, types, table(self.scheme.invalid))
        return bad

    def _tables(self, chosen: Scheme) -> tuple[Table, Table, Table]:
        if self.flavour == "seqeval-strict" and chosen.name == "IOE1":
            chosen = SEQEVAL_IOE1
        return table(chosen.starts), table(chosen.inside), table(chosen.ends)

    def _read(self, tags: Tags) -> tuple[Ints, Ints, tuple[str, ...]]:
        """Return class and type of each distinct tag, and the types' names."""
        read = _read_vocabulary(self, tags.vocabulary)
        for code, problem in read.problems.items():
            where = np.flatnonzero(tags.codes == code)
            if len(where):  # else the vocabulary is shared with other batches, and this one does not hold the tag
                unit, index = tags.place(int(where[0]))
                raise TagError(f"{problem.message} (index {index})", unit=unit + 1, hint=problem.hint)
        return read.classes, read.types, read.names

    def _letter_and_type(self, tag: str) -> tuple[str, str]:
        prefixes = "BIESUL" if self.scheme is None else (self.scheme.prefixes or "BI").replace("O", "")
        if self.flavour == "conlleval":
            return read_conlleval(tag, self.style)
        if self.flavour == "seqeval-strict":
            letter, kind = read_seqeval_strict(tag, self.style)
            if letter in "O" + prefixes:
                return letter, kind
            raise TagError(f"the tag {tag!r} does not start with one of O, {', '.join(prefixes)}")
        if self.scheme is not None and self.scheme.name == "EMPTY":
            return tag[:1], tag[2:] or UNTYPED
        return read_tag(tag, self.style, prefixes)

    def _lenient(self, tags: Tags, classes: Ints, types: Ints, names: tuple[str, ...]) -> Spans:
        starts, ends = _where(tags.codes, classes, types, table(LENIENT_STARTS), table(LENIENT_ENDS))
        if len(tags.codes) and classes[tags.codes[0]] == OTHER and not (len(starts) and starts[0] == 0):
            # before the first tag of all, conlleval remembers no type at all
            starts = np.concatenate([np.zeros(1, np.int64), starts])
        if not (len(starts) == len(ends) and (starts < ends).all() and (ends[:-1] <= starts[1:]).all()):
            # Odd prefixes can end a span that never started: it then reaches back to the last start, or to 0.
            padded = np.concatenate([np.zeros(1, np.int64), starts])
            starts = padded[np.searchsorted(starts, ends, "left")]
        return Spans(starts, ends, types[tags.codes[ends - 1]], names)

    def _enforced(
        self, tags: Tags, tables: tuple[Table, Table, Table], classes: Ints, types: Ints, names: tuple[str, ...]
    ) -> Spans:
        opens, within, closes = tables
        starts, outside, closed = _where(tags.codes, classes, types, opens, ~within, closes)
        ends = outside[np.searchsorted(outside, starts, "right")]
        keep = np.isin(ends, closed)
        keep[1:] &= ends[1:] != ends[:-1]  # a later start in the same run was consumed by the first
        starts, ends = starts[keep], ends[keep]
        return Spans(starts, ends, types[tags.codes[starts]], names)


class _Vocabulary(NamedTuple):
    """Distinct tags, read.

    Attributes:
        classes: the class of each tag.
        types: the type of each tag, as an index into the names.
        names: the names of the types.
        problems: what is wrong with tags, by their code; they are read as O.
    """

    classes: Ints
    types: Ints
    names: tuple[str, ...]
    problems: dict[int, TagError]


@lru_cache(maxsize=64)  # one batch has the vocabulary of the batch before, unless there are new tags
def _read_vocabulary(decoder: TagDecoder, vocabulary: tuple[str, ...]) -> _Vocabulary:
    numbers: dict[str, int] = {UNTYPED: 0}
    classes, types = [0], [0]
    problems: dict[int, TagError] = {}
    native = decoder.flavour != "conlleval"
    for code, tag in enumerate(vocabulary[1:], 1):
        try:
            letter, kind = decoder._letter_and_type(tag)
        except TagError as error:
            problems[code] = error.with_traceback(None)
            letter, kind = "O", UNTYPED
        classes.append(CLASS_OF.get(letter, OTHER) if native or letter in "OBIES." else OTHER)
        types.append(numbers.setdefault(kind, len(numbers)))
    return _Vocabulary(np.array(classes), np.array(types), tuple(numbers), problems)


LENIENT = TagDecoder()
"""Karatage's default: any scheme, spans as conlleval reads them, S and U always alone."""

_STEP = 1 << 16
"""How many tags are looked at together: their arrays stay in the processor's cache."""


def _where(codes: NDArray[Any], classes: Ints, types: Ints, *tables: Table) -> list[Ints]:
    """Return the positions whose pair of neighbours is true in each table; the stream starts after a break."""
    found: list[list[Ints]] = [[np.zeros(0, np.int64)] for _ in tables]
    packed = _pack(classes, types, tables) if len(classes) <= 256 else None
    for at in range(0, len(codes), _STEP):
        now = codes[at : at + _STEP]
        before = np.empty(len(now), np.uint16 if packed is not None else codes.dtype)
        before[:1] = codes[at - 1] if at else BREAK
        before[1:] = now[:-1]
        if packed is not None:
            before *= np.uint16(len(classes))
            np.add(before, now, out=before, casting="unsafe")
            bits = packed.take(before)
            hits = [np.flatnonzero((bits & np.uint8(1 << number)) != 0) for number in range(len(tables))]
        else:
            same = (types[before] == types[now]).astype(np.intp)
            hits = [np.flatnonzero(t[classes[before], classes[now], same]) for t in tables]
        for positions, more in zip(found, hits, strict=True):
            more += at
            positions.append(more)
    return [np.concatenate(positions) for positions in found]


def _pack(classes: Ints, types: Ints, tables: tuple[Table, ...]) -> NDArray[np.uint8]:
    """Expand the tables to pairs of tags, each table one bit: one look-up per pair serves them all."""
    same = (types[:, None] == types[None, :]).astype(np.intp)
    expanded = [t[classes[:, None], classes[None, :], same].ravel() for t in tables]
    packed: NDArray[np.uint8] = np.packbits(expanded, axis=0, bitorder="little")[0]
    return packed


def continue_empty(tags: Tags) -> Tags:
    """Rewrite tags where the empty one continues the tag before it, as IOB2.

    A bare type becomes `B-type`, an empty tag after it `I-type`, and an empty tag after `O` is `O`.
    """
    if "" not in tags.vocabulary[1:]:
        names = ["", "O", *(f"B-{tag}" for tag in tags.vocabulary[2:])]
        return Tags(tags.codes, tuple(names), tags.sizes)
    empty = tags.vocabulary.index("", 1)
    blank = tags.codes == empty
    orphan = blank.copy()
    if len(orphan):
        orphan[1:] &= tags.codes[:-1] == BREAK
    if orphan.any():
        unit, _ = tags.place(int(np.flatnonzero(orphan)[0]))
        raise TagError(
            "the first tag is empty, so there is no entity to continue",
            unit=unit + 1,
            hint="Tag the first token, or use O",
        )
    position = np.where(blank, 0, np.arange(len(blank)))
    source = tags.codes[np.maximum.accumulate(position)].astype(np.int64)
    count = len(tags.vocabulary)
    codes = np.where(blank & (source != OUTSIDE), source + count, source)
    typed = [f"-{tag}" for tag in tags.vocabulary[2:]]
    names = ["", "O", *(f"B{t}" for t in typed), "I-", "I-O", *(f"I{t}" for t in typed)]
    return Tags(codes, tuple(names), tags.sizes)
