"""Candidates from a file: every entity in it is a candidate."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from karatage._arrays import Ints
from karatage.claims import Claims
from karatage.errors import InputError
from karatage.inputs import scan
from karatage.recall.drawing.corpus_blocks import TextBlock
from karatage.recall.drawing.corpus_reader import unit_block
from karatage.recall.drawing.sampling_frame import CandidateBlock, Offsets, shares_of, values_of


class CandidateFileFrame:
    """Candidates from a file: every entity in it is a candidate.

    Args:
        path: The file, in any format with spans in texts or tokens.
        by: What defines strata: `label`, `value`, or an attribute of units.
        assist: `value`, or an attribute of units, with the predictions of an existing tagger.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        by: str | None = None,
        assist: str | None = None,
        format: str | None = None,  # noqa: A002  users say format
    ) -> None:
        self._path, self._by, self._assist, self._format = path, by or "label", assist, format
        self.by: str | None = self._by
        self.corpus: tuple[str, ...] = (Path(path).name if str(path) != "-" else "standard input",)
        self.definition: dict[str, object] = {"claims": True, "by": self._by}
        self.names: tuple[str, ...] = ()
        self._digest = hashlib.sha256()

    def digest(self) -> bytes:
        """Return a hash of the units and their claims, once all have been read."""
        return self._digest.digest()

    def candidates(self) -> Iterator[CandidateBlock]:
        """Yield the candidates, batch by batch."""
        wanted = dict.fromkeys(name for name in (self._by, self._assist) if name not in (None, "label", "value"))
        for claims in scan(str(self._path), format=self._format):
            if claims.space == "value":
                hint = "Candidates need a start and an end"
                raise InputError("the file has values without spans", source=claims.units.source, hint=hint)
            block = unit_block(claims.units, [name for name in wanted if name is not None])
            starts, ends = _in_characters(claims)
            values, strata = values_of(_column(claims, block, self._by), np.arange(len(claims)))
            assist = None
            if self._assist is not None:
                assist = shares_of(_column(claims, block, self._assist), self._assist, block, claims.unit)
            spans = list(zip(starts.tolist(), ends.tolist(), strict=True))
            self._hash(block, claims.unit, [(*span, values[k]) for span, k in zip(spans, strata.tolist(), strict=True)])

            def offsets(chosen: Ints, spans: list[Offsets] = spans) -> list[Offsets]:
                return [spans[k] for k in chosen.tolist()]

            yield CandidateBlock(
                block=block, rows=claims.unit, strata=strata, names=values, offsets=offsets, assist=assist
            )

    def _hash(self, block: TextBlock, rows: Ints, claims: list[tuple[int, int, str]]) -> None:
        """Update the hash unit by unit, so that the size of batches does not matter."""
        first = np.searchsorted(rows, np.arange(len(block.texts) + 1)).tolist()
        for row, text in enumerate(block.texts):
            self._digest.update(json.dumps([block.unit(row), text, claims[first[row] : first[row + 1]]]).encode())


def _column(claims: Claims, block: TextBlock, name: str) -> pl.Series:
    """Return the label, the value or an attribute of each claim."""
    if name == "label":
        return pl.Series([claims.labels[k] for k in claims.label.tolist()], dtype=pl.String)
    if name == "value":
        return pl.Series([row[5] for row in claims.rows()], dtype=pl.String)
    return block.attributes[name].gather(claims.unit)


def _in_characters(claims: Claims) -> tuple[Ints, Ints]:
    """Return start and end of claims in characters; tokens are joined by spaces."""
    if claims.space == "char":
        return claims.start, claims.end
    if claims.units.texts is not None or claims.units.tokens is None:
        hint = "Convert the file to a format with character offsets first: karatage convert"
        problem = "the file has token offsets, but no tokens"
        raise InputError(problem, source=claims.units.source, hint=hint)
    starts, ends = np.zeros(len(claims), np.int64), np.zeros(len(claims), np.int64)
    for k, (unit, _, start, end, _, _) in enumerate(claims.rows()):
        tokens = claims.units.tokens[unit]
        starts[k] = sum(len(token) + 1 for token in tokens[:start])
        ends[k] = starts[k] + sum(len(token) + 1 for token in tokens[start:end]) - 1
    return starts, ends
