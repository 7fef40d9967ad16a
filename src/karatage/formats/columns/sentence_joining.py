"""Sentences of column files joined to documents, so that a span may cross a sentence's end."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import numpy as np

from karatage.claims import Tagged, Tags, Units
from karatage.errors import FormatError
from karatage.formats.columns.column_layout import DOCUMENT_START


def documents(batches: Iterable[Tagged]) -> Iterator[Tagged]:
    """Yield one unit for each document."""
    waiting: list[Tagged] = []
    number = 0
    for batch in batches:
        waiting.append(batch)
        whole = Tagged.concatenate(waiting)
        names = _document_names(whole)
        changes = np.flatnonzero(np.array(names[1:]) != np.array(names[:-1])) + 1
        if len(changes):
            cut = int(changes[-1])
            yield _merge(whole.slice(0, cut), names[:cut], number)
            number += len(changes)
            waiting = [whole.slice(cut, len(whole))]
        else:
            waiting = [whole]
    if waiting:
        yield _merge(waiting[0], _document_names(waiting[0]), number)


def _document_names(batch: Tagged) -> list[str]:
    if "document" not in batch.units.attributes:
        raise FormatError(
            "no document boundaries found",
            source=batch.units.source,
            hint=f"Mark the start of a document by {DOCUMENT_START} or '# newdoc', or use --unit sentence",
        )
    return list(batch.units.attributes["document"])


def _merge(batch: Tagged, names: list[str], number: int) -> Tagged:
    new = np.ones(len(names), bool)
    new[1:] = np.array(names[1:]) != np.array(names[:-1])
    first = np.flatnonzero(new)
    sizes = np.add.reduceat(batch.layers[0].sizes, first)
    layers = []
    for layer in batch.layers:
        keep = np.ones(len(layer.codes), bool)
        keep[layer.starts[1:] - 1] = np.append(new[1:], True)
        layers.append(Tags(layer.codes[keep], layer.vocabulary, sizes))
    old = batch.units
    bounds = [*first.tolist(), len(names)]
    tokens = None
    if old.tokens is not None:
        known = old.tokens
        tokens = [[t for u in range(a, b) for t in known[u]] for a, b in itertools.pairwise(bounds)]
    lines = None if old.lines is None else old.lines[first]
    ids = [names[i] for i in first.tolist()]
    units = Units(count=len(ids), ids=ids, first=number, tokens=tokens, source=old.source, lines=lines)
    return Tagged(units, tuple(layers))
