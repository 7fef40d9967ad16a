"""Merging adjacent claims of one label: all that is left of entities where tokens have labels and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from karatage.claims.claims import NO_CODE, Claims
from karatage.errors import InputError


def merge_adjacent(claims: Claims) -> Claims:
    """Join the claims of a unit and label that touch or overlap; the tokens between two claims keep them apart.

    A joined claim has the confidence of its least sure part. Claims without token offsets are an error: nobody knows
    which of them are adjacent.
    """
    if len(claims) and (claims.space != "token" or claims.shape is not None):
        found = {"value": "values without tokens", "char": "character offsets"}.get(claims.space, "discontinuous spans")
        raise InputError(
            f"has {found}, but merging adjacent entities needs tokens and their tags",
            source=claims.units.source,
            hint="Pass tagged data on both sides, or use a profile that does not merge, e.g. --like ebay-2025",
        )
    if len(claims) < 2:
        return claims
    order = np.lexsort((claims.end, claims.start, claims.label, claims.unit))
    unit, label, start, end = (column[order] for column in (claims.unit, claims.label, claims.start, claims.end))
    # Each unit and label gets a stretch of its own on one line, wide enough that no two of them touch.
    stretch = np.cumsum(np.append(0, (np.diff(unit) != 0) | (np.diff(label) != 0))) * (int(end.max()) + 2)
    reach = np.maximum.accumulate(end + stretch)
    first = np.flatnonzero(np.append(True, (start + stretch)[1:] > reach[:-1]))
    sizes = np.diff(np.append(first, len(order)))
    until = np.maximum.reduceat(end, first)
    value = None if claims.value is None else np.where(sizes == 1, claims.value[order][first], NO_CODE)
    score = None if claims.score is None else np.minimum.reduceat(claims.score[order], first)
    back = np.lexsort((label[first], until, start[first], unit[first]))
    return replace(
        claims,
        unit=unit[first][back],
        label=label[first][back],
        start=start[first][back],
        end=until[back],
        value=None if value is None else value[back],
        score=None if score is None else score[back],
    )
