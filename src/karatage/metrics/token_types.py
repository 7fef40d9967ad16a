"""Counting tokens by type: the types that gold and predictions give to each token."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from karatage._arrays import Ints
from karatage.claims import Batch, Claims, TagDecoder, Tagged, Tags
from karatage.errors import InputError
from karatage.metrics.measure import COUNTS
from karatage.metrics.rows import Rows
from karatage.metrics.tallies import Tally, cells_of


class TypedTokens(NamedTuple):
    """Tokens that have a type; a token that lies in several entities occurs once for each of them.

    Attributes:
        unit: the unit of each.
        token: its place in the unit.
        type: its type, as an index into `names`.
        names: the types.
    """

    unit: Ints
    token: Ints
    type: Ints
    names: tuple[str, ...]


def tally_types(
    gold: Batch,
    pred: Batch,
    *,
    decoder: TagDecoder,
    labels: Collection[str] = (),
    group_by: str | None = None,
    rows: bool = False,
) -> Tally:
    """Count the tokens of each type in gold, in the predictions, and in both.

    Args:
        gold, pred: tags, or spans that count tokens, of the same units.
        decoder: how tags are read.
        labels: the only types to count; empty for all.
        group_by: a unit attribute to count apart by.
        rows: whether to keep the counts of each unit.
    """
    sides = [_typed_tokens(own, decoder) for own in (gold, pred)]
    names = sorted({name for side in sides for name in side.names if not labels or name in labels})
    width = 1 + max((int(side.token.max(initial=0)) for side in sides), default=0)
    ours, theirs = (_keys(side, names, width) for side in sides)
    both = np.intersect1d(ours, theirs, assume_unique=True)
    first, cells = cells_of(gold.units, names, group_by)
    counted = []
    for keys in (ours, theirs, both, both):
        unit = keys // (width * max(len(names), 1))
        counted.append((unit, first[unit] + keys % max(len(names), 1)))
    totals = np.stack([np.bincount(cell, minlength=len(cells)) for _, cell in counted], axis=1)
    seen = sorted(np.flatnonzero(totals.any(axis=1)).tolist(), key=cells.__getitem__)
    count = len(gold.units)
    kept = Rows.of_units(COUNTS, cells, count, counted) if rows else None
    return Tally(COUNTS, tuple(cells[k] for k in seen), totals[seen], Counter({"units": count}), rows=kept)


def count_types(claims: Claims) -> int:
    """Count the tokens of claims, each once for each of its types."""
    tokens = _of_spans(claims)
    width = 1 + int(tokens.token.max(initial=0))
    return len(_keys(tokens, list(claims.labels), width))


def _keys(side: TypedTokens, names: list[str], width: int) -> Ints:
    """Return each token with each of its types as one number, ascending; types that are not named are left out."""
    number = {name: k for k, name in enumerate(names)}
    own = np.array([number.get(name, -1) for name in side.names], np.int64)[side.type]
    keys = (side.unit * width + side.token) * len(names) + own
    return np.unique(keys[own >= 0])


def _typed_tokens(side: Batch, decoder: TagDecoder) -> TypedTokens:
    if side.tags:
        return _joined([_of_tags(layer, decoder) for layer in side.tags])
    if isinstance(side, Tagged) or side.space == "token":
        return _of_spans(side.decode(decoder) if isinstance(side, Tagged) else side)
    what = "character offsets" if side.space == "char" else "values without offsets"
    raise InputError(
        f"token-level metrics need tokens, but this has {what}",
        source=side.units.source,
        hint="Convert gold and predictions to a column format with karatage convert"
        if side.space == "char"
        else "Use metrics of whole values, e.g. f1",
    )


def _of_tags(tags: Tags, decoder: TagDecoder) -> TypedTokens:
    types, names = decoder.types(tags)
    where = np.flatnonzero(types >= 0)
    unit = np.searchsorted(tags.starts, where, "right") - 1
    return TypedTokens(unit, where - tags.starts[unit], types[where], names)


def _of_spans(claims: Claims) -> TypedTokens:
    row, start, end = np.arange(len(claims)), claims.start, claims.end
    if claims.shape is not None:
        broken = np.flatnonzero(claims.shape >= 0)
        pieces = [(k, a, b) for k in broken.tolist() for a, b in claims.shapes[claims.shape[k]]]
        whole = claims.shape < 0
        more = np.array(pieces, np.int64).reshape(-1, 3)
        parts = zip((row, start, end), more.T, strict=True)
        row, start, end = (np.concatenate([column[whole], extra]) for column, extra in parts)
    size = end - start
    row = np.repeat(row, size)
    token = np.arange(len(row)) - np.repeat(np.cumsum(size) - size, size) + np.repeat(start, size)
    return TypedTokens(claims.unit[row], token, claims.label[row], claims.labels)


def _joined(layers: list[TypedTokens]) -> TypedTokens:
    if len(layers) == 1:
        return layers[0]
    number = {name: 0 for layer in layers for name in layer.names}
    number = {name: k for k, name in enumerate(number)}
    types = [np.array([number[name] for name in layer.names], np.int64)[layer.type] for layer in layers]
    unit, token = (np.concatenate([layer[k] for layer in layers]) for k in range(2))
    return TypedTokens(unit, token, np.concatenate(types), tuple(number))
