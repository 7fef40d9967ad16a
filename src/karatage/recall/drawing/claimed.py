"""Candidates that stand in a file, as claims."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from karatage.claims import Claims
from karatage.errors import InputError
from karatage.inputs import scan
from karatage.recall.drawing.corpus_blocks import Block
from karatage.recall.drawing.corpus_texts import unit_block
from karatage.recall.drawing.frame import Found, Place, shares_of, values_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


class ClaimedFrame:
    """Candidates that stand in a file: each claim is one.

    Args:
        place: the file, in any format with texts, or tokens, and spans.
        by: what makes strata: `label`, `value`, or an attribute of units.
        assist: `value`, or an attribute of units, with what an existing tagger says.
        format: the format of the file.
    """

    def __init__(
        self,
        place: str | Path,
        *,
        by: str | None = None,
        assist: str | None = None,
        format: str | None = None,  # noqa: A002
    ) -> None:
        self._place, self._assist, self._format = place, assist, format
        self._by = by or "label"
        self.by: str | None = self._by
        self.corpus: tuple[str, ...] = (Path(place).name if str(place) != "-" else "standard input",)
        self.definition = {"claims": True, "by": self._by}
        self.names: tuple[str, ...] = ()
        self._digest = hashlib.sha256()

    def digest(self) -> bytes:
        """Return a hash of the units and their claims, once all were read."""
        return self._digest.digest()

    def found(self) -> Iterator[Found]:
        """Yield the claims, batch by batch."""
        facts = [name for name in dict.fromkeys((self._by, self._assist)) if name not in (None, "label", "value")]
        for claims in scan(str(self._place), format=self._format):
            if claims.space == "value":
                hint = "Candidates need their places: start and end"
                raise InputError("the claims are values without a place", source=claims.units.source, hint=hint)
            block = unit_block(claims.units, [name for name in facts if name is not None])
            starts, ends = _in_characters(claims)
            values, strata = values_of(self._column(claims, block, self._by), np.arange(len(claims)))
            assist = None
            if self._assist is not None:
                column = self._column(claims, block, self._assist)
                assist = shares_of(column, self._assist, block, claims.unit)
            self._hash(block, claims.unit, starts, ends, [values[k] for k in strata.tolist()])

            def places(chosen: NDArray[np.int64], s: Any = starts, e: Any = ends) -> list[Place]:
                return list(zip(s[chosen].tolist(), e[chosen].tolist(), strict=True))

            yield Found(block, claims.unit, strata, values, places, assist)

    def _column(self, claims: Claims, block: Block, name: str) -> pl.Series:
        """Return what each claim has under a name."""
        if name == "label":
            return pl.Series([claims.labels[k] for k in claims.label.tolist()], dtype=pl.String)
        if name == "value":
            return pl.Series([row[5] for row in claims.rows()], dtype=pl.String)
        return block.facts[name].gather(claims.unit)

    def _hash(
        self, block: Block, rows: NDArray[Any], starts: NDArray[Any], ends: NDArray[Any], strata: list[str]
    ) -> None:
        """Take in the texts, and each claim with its unit, so that the size of batches does not matter."""
        first = np.searchsorted(rows, np.arange(len(block.texts) + 1)).tolist()
        claims = list(zip(starts.tolist(), ends.tolist(), strata, strict=True))
        for row, text in enumerate(block.texts):
            fact = [block.unit(row), text, claims[first[row] : first[row + 1]]]
            self._digest.update(json.dumps(fact).encode())


def _in_characters(claims: Claims) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where claims start and end in characters; tokens are joined by blanks."""
    if claims.space == "char":
        return claims.start, claims.end
    if claims.units.texts is not None or claims.units.tokens is None:
        hint = "Convert it to a format with spans in characters first: karatage convert"
        raise InputError("the spans count tokens of a text", source=claims.units.source, hint=hint)
    starts, ends = np.zeros(len(claims), np.int64), np.zeros(len(claims), np.int64)
    for k, (unit, _, start, end, _, _) in enumerate(claims.rows()):
        tokens = claims.units.tokens[unit]
        starts[k] = sum(len(token) + 1 for token in tokens[:start])
        ends[k] = starts[k] + sum(len(token) + 1 for token in tokens[start:end]) - 1
    return starts, ends
