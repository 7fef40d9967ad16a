"""Between records, one per unit, and batches of units in columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from itertools import chain
from math import isnan, nan
from typing import NamedTuple

import numpy as np

from karatage.claims import Claims, Fragments, Space, Tagged, Tags, Units
from karatage.errors import FormatError, TagError
from karatage.formats.format import BATCH_BYTES, BATCH_UNITS
from karatage.formats.io import Source, guard
from karatage.formats.json.json_members import JsonObject
from karatage.formats.json.json_records import records

Row = tuple[str, int, int, Fragments | None, str | None]
"""One claim of a unit: label, start, end, fragments if it is discontinuous, value if known."""

NO_OFFSET = -1
"""The start and end of a value without a position."""


class UnitRecord(NamedTuple):
    """One unit with its claims or its tags, for formats that work record by record.

    `scores` has the confidence of each row, NaN if unknown; None if no confidence is known.
    """

    line: int | None
    rows: list[Row] = []  # noqa: RUF012  a default that nobody changes
    id: str | None = None
    text: str | None = None
    tokens: list[str] | None = None
    attributes: Mapping[str, str] = {}
    layers: tuple[list[str], ...] = ()
    scores: list[float] | None = None

    def size(self) -> int:
        """Return about how many bytes it takes."""
        return len(self.text or "") + 8 * len(self.tokens or ()) + 64 * len(self.rows)

    def scored_rows(self) -> Iterator[tuple[str, int, int, dict[str, float]]]:
        """Yield label, start, end and the JSON member with the score of each row; none if it is unknown."""
        scores = self.scores or [nan] * len(self.rows)
        for (label, start, end, _, _), score in zip(self.rows, scores, strict=True):
            yield label, start, end, {} if isnan(score) else {"score": score}


def json_records(source: Source, parse: Callable[[JsonObject], UnitRecord | None]) -> Iterator[UnitRecord]:
    """Read a JSON file object by object; objects for which `parse` returns None are skipped."""
    for line, value in records(source):
        record = parse(JsonObject(value, source.name, line))
        if record is not None:
            yield record


def claims_batches(source: Source | str, space: Space, found: Iterable[UnitRecord]) -> Iterator[Claims]:
    """Collect records into batches of claims; for data in memory the source is just a name."""
    for group, units in _batches(source, found):
        rows = ((unit, *row) for unit, record in enumerate(group) for row in record.rows)
        yield Claims.build(units, space, rows, _scores(group))


def _scores(group: list[UnitRecord]) -> list[float] | None:
    if all(record.scores is None for record in group):
        return None
    own = ([nan] * len(record.rows) if record.scores is None else record.scores for record in group)
    return list(chain.from_iterable(own))


def known_scores(scores: list[float]) -> list[float] | None:
    """Return the scores, or None if all are unknown."""
    return None if all(map(isnan, scores)) else scores


def tagged_batches(source: Source, found: Iterable[UnitRecord]) -> Iterator[Tagged]:
    """Collect records into batches of tags."""
    for group, units in _batches(source, found):
        layers = zip(*(record.layers for record in group), strict=True)
        tags = (Tags.from_lists(list(layer), source=source.name, empty=True) for layer in layers)
        yield Tagged(units, tuple(tags))


def check_tags(tags: list[str], record: UnitRecord, source: Source) -> None:
    """Refuse an empty tag, naming the unit and the index."""
    if "" in tags:
        raise TagError(
            f"empty tag at index {tags.index('')}",
            source=source.name,
            line=record.line,
            unit=record.id,
            hint="Use 'O' for tokens outside any entity",
        )


def _batches(source: Source | str, found: Iterable[UnitRecord]) -> Iterator[tuple[list[UnitRecord], Units]]:
    """Group records. All of them have an id, or none; the same for texts."""
    first = 0
    model: UnitRecord | None = None
    names: dict[str, None] = {}
    group: list[UnitRecord] = []
    size = 0
    name = source if isinstance(source, str) else source.name
    with nullcontext() if isinstance(source, str) else guard(source):
        for record in found:
            model = model or record
            _check_like(model, record, name)
            group.append(record)
            size += record.size()
            if len(group) >= BATCH_UNITS or size >= BATCH_BYTES:
                yield group, _units(group, model, names, first, name)
                first, size, group = first + len(group), 0, []
        if group and model is not None:
            yield group, _units(group, model, names, first, name)


def _check_like(model: UnitRecord, record: UnitRecord, name: str) -> None:
    for what, article in (("id", "an"), ("text", "a")):
        has = getattr(record, what) is not None
        if has == (getattr(model, what) is not None):
            continue
        differs = (
            f"has {article} {what}, but those before it have none"
            if has
            else f"has no {what}, but those before it have one"
        )
        raise FormatError(
            f"the record {differs}",
            source=name,
            line=record.line,
            unit=record.id,
            hint=f"Give every record its {what}, or none of them",
        )


def _units(group: list[UnitRecord], model: UnitRecord, names: dict[str, None], first: int, source: str) -> Units:
    for record in group:
        names.update(dict.fromkeys(record.attributes))
    return Units(
        count=len(group),
        ids=None if model.id is None else [record.id or "" for record in group],
        first=first,
        texts=None if model.text is None else [record.text or "" for record in group],
        tokens=None if model.tokens is None else [record.tokens or [] for record in group],
        attributes={name: [record.attributes.get(name, "") for record in group] for name in names},
        source=source,
        lines=None if model.line is None else np.array([record.line or 0 for record in group], np.int64),
    )


def records_of(claims: Claims) -> Iterator[UnitRecord]:
    """Split claims into one record per unit, for writing."""
    units, rows, first = claims.units, list(claims.rows()), claims.first_of().tolist()
    attributes = list(units.attributes.items())
    scores = None if claims.score is None else claims.score.tolist()
    for unit in range(len(units)):
        yield UnitRecord(
            line=units.line(unit),
            rows=[row[1:] for row in rows[first[unit] : first[unit + 1]]],
            id=units.ids[unit] if units.ids is not None else None,
            text=units.texts[unit] if units.texts is not None else None,
            tokens=list(units.tokens[unit]) if units.tokens is not None else None,
            attributes={name: column[unit] for name, column in attributes},
            scores=None if scores is None else scores[first[unit] : first[unit + 1]],
        )
