"""From spans to tags, in any scheme; spans that overlap go to further layers."""

from __future__ import annotations

from itertools import groupby

import numpy as np

from karatage._arrays import Ints
from karatage.claims.claims import Claims
from karatage.claims.parsing import UNTYPED, Style
from karatage.claims.schemes import Scheme
from karatage.claims.tags import Tags
from karatage.errors import FormatError


def layers_of(claims: Claims) -> Ints:
    """Give each claim the first layer in which it overlaps no claim before it; wider claims come first."""
    layer = np.zeros(len(claims), np.int64)
    flat = (claims.unit[1:] != claims.unit[:-1]) | (claims.end[:-1] <= claims.start[1:])
    if flat.all():
        return layer
    order = np.lexsort((claims.label, -claims.end, claims.start, claims.unit)).tolist()
    unit, start, end = claims.unit.tolist(), claims.start.tolist(), claims.end.tolist()
    for _, group in groupby(order, key=unit.__getitem__):
        reach: list[int] = []
        for row in group:
            free = next((k for k, e in enumerate(reach) if e <= start[row]), len(reach))
            reach[free : free + 1] = [end[row]]
            layer[row] = free
    return layer


def encode(claims: Claims, sizes: Ints, scheme: Scheme, style: Style | None = None) -> Tags:
    """Write claims that do not overlap as one layer of tags.

    Args:
        claims: claims in tokens, in the order of their places.
        sizes: how many tokens each unit has.
        scheme: the scheme to write.
        style: separator and side of the prefix; ignored by the scheme EMPTY, which has no prefixes.
    """
    style = style or Style()
    letters = (scheme.single, scheme.first, scheme.middle, scheme.last)
    if scheme.name == "EMPTY":
        if any(claims.labels[code] == "O" for code in np.unique(claims.label)):
            raise FormatError("the label O cannot be written in the scheme EMPTY")
        names = ["", "O", *(tag for label in claims.labels for tag in (label, label, "", ""))]
        blank = np.array([4 if tag == "" and code else code for code, tag in enumerate(names)])
    else:
        names = ["", "O", *(_tag(letter, label, style) for label in claims.labels for letter in letters)]
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes + 1, out=starts[1:])
    stream = np.ones(int(starts[-1]), np.int64)
    stream[starts[1:] - 1] = 0
    low, high = starts[claims.unit] + claims.start, starts[claims.unit] + claims.end
    base = 2 + 4 * claims.label
    lengths = high - low
    inner = np.repeat(low - (np.cumsum(lengths) - lengths), lengths) + np.arange(int(lengths.sum()))
    stream[inner] = np.repeat(base + 2, lengths)
    stream[low] = base + 1
    long = lengths > 1
    stream[high[long] - 1] = base[long] + 3
    stream[low[~long]] = base[~long]
    if scheme.name == "EMPTY":
        stream = blank[stream]  # one code for the empty tag
    touching = (low[1:] == high[:-1]) & (claims.label[1:] == claims.label[:-1])
    special = {"IOB1": ("B", low[1:][touching]), "IOE1": ("E", high[:-1][touching] - 1)}.get(scheme.name)
    if special is not None:
        letter, positions = special
        stream[positions] = len(names) + (stream[positions] - 2) // 4
        names += [_tag(letter, label, style) for label in claims.labels]
    return Tags(stream, tuple(names), sizes)


def _tag(letter: str, label: str, style: Style) -> str:
    if label == UNTYPED:
        return letter
    return f"{label}{style.separator}{letter}" if style.suffix else f"{letter}{style.separator}{label}"
