"""Comparison of gold and predicted tags: columnar if possible, otherwise tag by tag like seqeval."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from karatage._arrays import Ints
from karatage.claims import BREAK, SCHEMES, SEQEVAL_IOE1, Spans, Style, TagDecoder, Tags
from karatage.compat.seqeval._chunks import chunks_in, plausible, warn_implausible
from karatage.compat.seqeval.scheme import BILOU, IOB1, IOB2, IOBES, IOE1, IOE2, Entities
from karatage.errors import InputError
from karatage.matching import SpanCounts, count_spans

_COLUMNAR = {
    IOB1: SCHEMES["IOB1"],
    IOB2: SCHEMES["IOB2"],
    IOE1: SEQEVAL_IOE1,
    IOE2: SCHEMES["IOE2"],
    IOBES: SCHEMES["IOBES"],
    BILOU: SCHEMES["BILOU"],
}
"""The classes whose rules the columnar decoder knows. Subclasses may have other rules, so they are not included."""


class ReadTags(NamedTuple):
    """Decoded tags, gold or predicted.

    Attributes:
        sizes: Number of tags in each sentence.
        spans: The entities.
        implausible: Every occurrence of a tag that seqeval warns about, in order.
    """

    sizes: Ints
    spans: Spans
    implausible: list[str]


class TagComparison:
    """Gold and predicted tags, and two ways to read them: if `read` returns None for one of them, `plain` is used.

    Reading neither warns nor raises; `check` and `count` do, in the same order as seqeval.
    """

    def __init__(
        self,
        y_true: Any,
        y_pred: Any,
        read: Callable[[Any], ReadTags | None],
        plain: Callable[[Any], dict[str, set[Any]]],
    ) -> None:
        self._sequences = (y_true, y_pred)
        self._plain = plain
        readings = [reading for reading in map(read, self._sequences) if reading is not None]
        self._readings = readings if len(readings) == len(self._sequences) else []

    def check(self) -> None:
        """Raise if gold and predictions have different shapes."""
        sizes = [reading.sizes for reading in self._readings]
        if not (sizes and np.array_equal(sizes[0], sizes[1])):
            check_consistent_length(*self._sequences)

    def count(self) -> SpanCounts:
        """Count entities; each call repeats the warnings, because seqeval reads the tags again each time."""
        if not self._readings:
            return count_sets(*[self._plain(tags) for tags in self._sequences])
        for reading in self._readings:
            for tag in reading.implausible:
                warn_implausible(tag)
        return self._counts

    @cached_property
    def _counts(self) -> SpanCounts:
        return count_spans(*[reading.spans for reading in self._readings])


def lenient(y_true: Any, y_pred: Any, suffix: bool) -> TagComparison:
    """Compare in seqeval's default mode."""

    def plain(tags: Any) -> dict[str, set[Any]]:
        sets: dict[str, set[Any]] = {}
        for kind, first, last in chunks_in(tags, suffix):
            sets.setdefault(kind, set()).add((first, last))
        return sets

    return TagComparison(y_true, y_pred, lambda tags: read_lenient(tags, suffix), plain)


def strict(y_true: Any, y_pred: Any, scheme: Any, suffix: bool) -> TagComparison:
    """Compare in strict mode, which enforces a scheme."""
    return TagComparison(
        y_true,
        y_pred,
        lambda tags: _read_strict(tags, scheme, suffix),
        lambda tags: entity_sets(Entities(tags, scheme, suffix)),
    )


def count_sets(true: Mapping[str, set[Any]], pred: Mapping[str, set[Any]]) -> SpanCounts:
    """Count from sets of entities, one per type."""
    names = sorted(set(true) | set(pred))
    none: set[Any] = set()
    pairs = [(true.get(name, none), pred.get(name, none)) for name in names]
    columns = [len(p) for _, p in pairs], [len(t & p) for t, p in pairs], [len(t) for t, _ in pairs]
    return SpanCounts(names, *(np.array(column, np.int64 if names else np.int32) for column in columns))


def entity_sets(entities: Entities) -> dict[str, set[Any]]:
    """Return the entities of each type."""
    return {name: entities.filter(name) for name in entities.unique_tags}


def check_consistent_length(y_true: list[list[str]], y_pred: list[list[str]]) -> None:
    """Raise unless both are lists of lists with the same lengths."""
    lengths = list(map(len, y_true)), list(map(len, y_pred))
    if set(map(type, y_true)) | set(map(type, y_pred)) != {list}:
        raise TypeError("Found input variables without list of list.")
    if len(y_true) != len(y_pred) or lengths[0] != lengths[1]:
        raise ValueError(f"Found input variables with inconsistent numbers of samples:\n{lengths[0]}\n{lengths[1]}")


def read_lenient(sequences: Any, suffix: bool) -> ReadTags | None:
    """Read lists of tags in seqeval's default mode; None if they have to be read tag by tag."""
    tags = _encode(sequences)
    if tags is None:
        return None
    odd = np.array([False, *(not plausible(tag, suffix) for tag in tags.vocabulary[1:])])
    implausible: list[str] = []
    if odd.any():
        if not _plain_text(sequences):
            return None  # a subclass of str may print differently
        implausible = [tags.vocabulary[code] for code in tags.codes[odd[tags.codes]].tolist()]
    spans = TagDecoder(style=Style(suffix=bool(suffix)), flavour="conlleval")(tags)
    return ReadTags(tags.sizes, spans, implausible)


def _read_strict(sequences: Any, scheme: Any, suffix: bool) -> ReadTags | None:
    tags = _encode(sequences) if isinstance(scheme, type) and scheme in _COLUMNAR else None
    if tags is None:
        return None
    try:
        spans = TagDecoder(_COLUMNAR[scheme], Style(suffix=bool(suffix)), "seqeval-strict")(tags)
    except InputError:
        return None
    return ReadTags(tags.sizes, spans, [])


def tag_pairs(y_true: Any, y_pred: Any) -> list[tuple[int, str, str]] | None:
    """Return how often each pair of tags occurs at a position; None if they have to be read tag by tag."""
    true, pred = _encode(y_true), _encode(y_pred)
    if true is None or pred is None or not np.array_equal(true.sizes, pred.sizes):
        return None
    if not (_plain_text(y_true) and _plain_text(y_pred)):
        return None  # a subclass of str may compare differently
    width = len(pred.vocabulary)
    pairs, counts = np.unique(true.codes * np.int64(width) + pred.codes, return_counts=True)
    return [
        (count, true.vocabulary[pair // width], pred.vocabulary[pair % width])
        for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True)
        if pair != BREAK
    ]


def _plain_text(sequences: Any) -> bool:
    return set(map(type, chain.from_iterable(sequences))) <= {str}


def _encode(sequences: Any) -> Tags | None:
    if not isinstance(sequences, list | tuple) or not sequences:
        return None
    try:
        return Tags.from_lists(sequences, lists_only=True)
    except InputError:
        return None
