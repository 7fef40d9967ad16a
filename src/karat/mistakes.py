"""What was wrong, claim by claim, with the text where it is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.claims import Claims
from karat.matching import Alignment, Kind, Sides

KIND_NAMES = {
    "type": Kind.TYPE,
    "boundary": Kind.BOUNDARY,
    "both": Kind.BOTH,
    "missed": Kind.MISSED,
    "spurious": Kind.SPURIOUS,
}

_SIDE = ("label", "start", "end", "text")
COLUMNS = ["unit", "kind", *(f"gold_{c}" for c in _SIDE), *(f"pred_{c}" for c in _SIDE)]


def mistakes(sides: Sides, alignment: Alignment, kind: str | None) -> list[dict[str, Any]]:
    """List the wrong pairs and the claims without a partner, of one kind or of all, in order of their places."""
    wanted = set(KIND_NAMES.values()) if kind is None else {KIND_NAMES[kind]}
    names = {code: name for name, code in KIND_NAMES.items()}
    found: list[tuple[int, int, int, int | None, int | None]] = []
    for g, p, k in zip(alignment.gold.tolist(), alignment.pred.tolist(), alignment.kind.tolist(), strict=True):
        if k in wanted:
            found.append((int(sides.gold.unit[g]), int(sides.gold.start[g]), k, g, p))
    for claims, used, code in (
        (sides.gold, alignment.gold, Kind.MISSED),
        (sides.pred, alignment.pred, Kind.SPURIOUS),
    ):
        if code not in wanted:
            continue
        free = np.ones(len(claims), bool)
        free[used] = False
        for row in np.flatnonzero(free).tolist():
            pair = (row, None) if code == Kind.MISSED else (None, row)
            found.append((int(claims.unit[row]), int(claims.start[row]), int(code), *pair))
    found.sort(key=lambda row: (row[0], row[1], row[2]))
    units = sides.gold.units
    return [
        {"unit": str(units.name(unit)), "kind": names[Kind(code)]}
        | _claim(sides.gold, g, "gold", sides)
        | _claim(sides.pred, p, "pred", sides)
        for unit, _, code, g, p in found
    ]


def _claim(claims: Claims, row: int | None, side: str, sides: Sides) -> dict[str, Any]:
    if row is None:
        return {f"{side}_{name}": None for name in _SIDE}
    unit, start, end = int(claims.unit[row]), int(claims.start[row]), int(claims.end[row])
    text = None
    if claims.value is not None and claims.value[row] >= 0:
        text = claims.values[claims.value[row]]
    else:
        for units in (claims.units, sides.gold.units):
            if claims.space == "token" and units.tokens is not None:
                text = " ".join(units.tokens[unit][max(start, 0) : end])
            elif claims.space == "char" and units.texts is not None:
                text = units.texts[unit][start:end]
            if text is not None:
                break
    label = claims.labels[claims.label[row]]
    place = (None, None) if claims.space == "value" else (start, end)
    return dict(zip((f"{side}_{name}" for name in _SIDE), (label, *place, text), strict=True))
