"""What a format cannot represent: dropped before writing, and counted under the same names everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal

import numpy as np

from karatage.claims import NO_CODE, Claims, layers_of
from karatage.errors import FormatError
from karatage.formats.batching import UnitRecord, records_of
from karatage.formats.format import Format, Holds, Lost

DISCONTINUOUS = "discontinuous spans"
NESTED = "overlapping spans"
BORDERS = "spans that do not match token boundaries"
POSITIONS = "positions of spans"
VALUES = "values that differ from the text of their span"
IDS = "ids"
TEXTS = "texts"
ATTRIBUTES = "attributes"
WORDS = "tokens"
NO_TOKENS = "sentences without tokens"
CLAIMS = "entities"
SCORES = "confidence scores"


def drop_unsupported(
    batches: Iterable[Claims],
    holds: frozenset[Holds],
    lost: Lost,
    *,
    attributes: Iterable[str] | None = None,
    layers: int = 1,
) -> Iterator[Claims]:
    """Yield what a format can represent and count the rest. A second pass finds nothing more to count.

    Args:
        batches: the claims.
        holds: what the format can represent.
        lost: gets the counts.
        attributes: the attributes that it can represent, if not all.
        layers: how many spans may overlap at a token.
    """
    for claims in batches:
        rest = _units(claims, holds, lost, attributes)
        if claims.space != "value":
            rest = _spans(rest, holds, lost, layers)
        yield rest


def _units(claims: Claims, holds: frozenset[Holds], lost: Lost, attributes: Iterable[str] | None) -> Claims:
    units = claims.units
    kept = units.attributes
    if "attributes" not in holds:
        kept = {}
    elif attributes is not None:
        wanted = set(attributes)
        kept = {name: column for name, column in kept.items() if name in wanted}
    if len(kept) < len(units.attributes):
        lost[ATTRIBUTES] += len(units)
    ids, texts = units.ids, units.texts
    if ids is not None and "ids" not in holds:
        ids = None
        lost[IDS] += len(units)
    if texts is not None and "text" not in holds:
        texts = None
        lost[TEXTS] += len(units)
    tokens = units.tokens
    if tokens is not None and "chars" in holds and not holds & {"tokens", "words"}:
        tokens = None
        lost[WORDS] += len(units)
    return replace(claims, units=replace(units, ids=ids, texts=texts, tokens=tokens, attributes=kept))


def _spans(claims: Claims, holds: frozenset[Holds], lost: Lost, layers: int) -> Claims:
    if "values" not in holds and claims.value is not None:
        if foreign := _foreign_values(claims):
            lost[VALUES] += foreign
        claims = replace(claims, value=None, values=())
    if not holds & {"tokens", "chars"}:
        return claims  # a format of values, which have no positions and cannot overlap
    if "discontinuous" not in holds and claims.shape is not None:
        broken = claims.shape != NO_CODE
        if broken.any():
            lost[DISCONTINUOUS] += int(broken.sum())
            claims = claims.keep(~broken)
        claims = replace(claims, shape=None, shapes=())
    if "nested" not in holds or layers > 1:
        level = layers_of(claims)
        over = level >= layers
        if over.any():
            lost[NESTED] += int(over.sum())
            claims = claims.keep(~over)
    return claims


def _foreign_values(claims: Claims) -> int:
    """Count the values that are not the text of their span."""
    known = claims.value if claims.value is not None else np.zeros(0, np.int64)
    inside = claims.units.texts if claims.space == "char" else claims.units.tokens
    if inside is None:
        return int((known != NO_CODE).sum())
    read = replace(claims, value=None, values=()).with_values()
    pairs = zip(claims.rows(), read.rows(), strict=True)
    return sum(ours[5] is not None and ours[5] != text[5] for ours, text in pairs)


def supported_records(
    batches: Iterable[Claims],
    space: Literal["char", "token"],
    target: Format,
    lost: Lost,
    *,
    attributes: Iterable[str] | None = None,
) -> Iterator[UnitRecord]:
    """Yield what a format can represent, one record per unit; each needs its text, or its tokens."""
    for claims in drop_unsupported(batches, target.holds, lost, attributes=attributes):
        check_space(claims, space, target.name)
        yield from records_of(claims)


def check_space(claims: Claims, space: Literal["char", "token"], name: str) -> None:
    """Check that offsets are of the right kind, and that the texts or the tokens are known."""
    inside = claims.units.texts if space == "char" else claims.units.tokens
    if claims.space == space and inside is not None:
        return
    unit, content = ("characters", "texts") if space == "char" else ("tokens", "tokens")
    raise FormatError(
        f"the format {name!r} needs spans of {unit}, and the {content}",
        source=claims.units.source,
        hint="Start from a file that contains the texts",
    )
