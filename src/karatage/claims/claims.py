"""Claims: what gold or a system asserts about each unit, as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Floats, Ints
from karatage.claims.building import Fragments, Space, check_spans, in_order, merged, sort_scored
from karatage.claims.tags import Tags
from karatage.claims.units import Units
from karatage.errors import ClaimError, InputError

NO_CODE = -1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Claims:
    """Many claims as columns, grouped by unit, in the order of their units.

    Attributes:
        units: the units, including those without claims.
        space: what `start` and `end` count.
        unit: index into `units`, never decreasing.
        label: index into `labels`.
        start: the offset of the first token or character; -1 for a value.
        end: the offset after the last token or character; -1 for a value.
        labels: the names of the labels.
        shape: index into `shapes` for a discontinuous claim, -1 for a contiguous one; None if all are contiguous.
        shapes: the fragments of the discontinuous claims; `start` and `end` span all of them.
        value: index into `values`, -1 where unknown; None if none is known.
        values: the distinct values.
        word: index into `words`, -1 where unknown; None if none is known.
        words: what the source says is at the spans, as tokenizers write it. Matching and metrics do not use it.
        tags: the layers of tags that the claims were decoded from, if any.
        score: the confidence of each claim, usually from 0 to 1; NaN if unknown, None if all are unknown. Matching and
            metrics do not use it.
    """

    units: Units
    space: Space
    unit: Ints
    label: Ints
    start: Ints
    end: Ints
    labels: tuple[str, ...]
    shape: Ints | None = None
    shapes: tuple[Fragments, ...] = ()
    value: Ints | None = None
    values: tuple[str, ...] = ()
    word: Ints | None = None
    words: tuple[str, ...] = ()
    tags: tuple[Tags, ...] = field(default=(), repr=False)
    score: Floats | None = None

    def __len__(self) -> int:
        return len(self.unit)

    def __repr__(self) -> str:
        return f"<Claims: {len(self):,} in {len(self.units):,} units, space {self.space!r}, {len(self.labels)} labels>"

    @classmethod
    def build(
        cls,
        units: Units,
        space: Space,
        rows: Iterable[tuple[int, str, int, int, Fragments | None, str | None]],
        scores: Sequence[float] | Floats | None = None,
    ) -> Claims:
        """Make claims from rows of (unit index, label, start, end, fragments or None, value or None).

        Rows may come in any order; within a unit, claims are sorted by offsets, label and value, and equal ones by
        score, highest first. A span that is empty or outside its unit is an error that names the unit.

        Args:
            units: the units.
            space: what the offsets count.
            rows: the claims.
            scores: the confidence of each row, NaN where unknown; read after the rows.
        """
        labels, values, shapes = _Numbers(), _Numbers(), _Numbers()
        table = [
            (unit, start, end, label, merged(fragments), value) for unit, label, start, end, fragments, value in rows
        ]
        score = None
        if scores is None:
            table.sort(key=in_order)
        else:
            table, score = sort_scored(table, np.array(scores, np.float64))
        if any(not row[3] for row in table):
            unit = next(row[0] for row in table if not row[3])
            raise ClaimError("empty label", source=units.source, unit=units.name(unit))
        if space != "value":
            check_spans(units, space, table)
        number = np.array(
            [
                (
                    unit,
                    labels[label],
                    start,
                    end,
                    shapes[fragments] if fragments else NO_CODE,
                    NO_CODE if value is None else values[value],
                )
                for unit, start, end, label, fragments, value in table
            ],
            np.int64,
        ).reshape(-1, 6)
        unit_, label_, start_, end_, shape_, value_ = np.ascontiguousarray(number.T)
        return cls(
            units=units,
            space=space,
            unit=unit_,
            label=label_,
            start=start_,
            end=end_,
            labels=tuple(labels),
            shape=shape_ if len(shapes) else None,
            shapes=tuple(shapes),
            value=value_ if len(values) else None,
            values=tuple(values),
            score=score,
        )

    def rows(self) -> Iterable[tuple[int, str, int, int, Fragments | None, str | None]]:
        """Yield the claims as the rows that `build` takes."""
        shape = np.full(len(self), NO_CODE) if self.shape is None else self.shape
        value = np.full(len(self), NO_CODE) if self.value is None else self.value
        columns = (self.unit, self.label, self.start, self.end, shape, value)
        for unit, label, start, end, s, v in zip(*(c.tolist() for c in columns), strict=True):
            fragments = self.shapes[s] if s != NO_CODE else None
            yield unit, self.labels[label], start, end, fragments, self.values[v] if v != NO_CODE else None

    def first_of(self) -> Ints:
        """Return the index of each unit's first claim, with one more entry for the end of the last unit."""
        return np.searchsorted(self.unit, np.arange(len(self.units) + 1))

    def slice(self, start: int, stop: int) -> Claims:
        """Return the claims of the units from `start` to before `stop`."""
        if start == 0 and stop == len(self.units):
            return self
        low, high = np.searchsorted(self.unit, [start, stop])
        return self._with_rows(
            self.units.slice(start, stop),
            slice(low, high),
            self.unit[low:high] - start,
            tuple(layer.slice(start, stop) for layer in self.tags),
        )

    def take(self, units: Ints) -> Claims:
        """Return the claims of the named units, in that order."""
        first = self.first_of()
        counts = first[units + 1] - first[units]
        offsets = np.cumsum(counts) - counts
        rows = np.repeat(first[units] - offsets, counts) + np.arange(int(counts.sum()))
        return self._with_rows(
            self.units.take(units),
            rows,
            np.repeat(np.arange(len(units)), counts),
            tuple(layer.take(units) for layer in self.tags),
        )

    def keep(self, rows: NDArray[Any]) -> Claims:
        """Return some of the claims, with all units; the tags are dropped, as they contain the other claims too."""
        return self._with_rows(self.units, rows, self.unit[rows], ())

    def _with_rows(self, units: Units, rows: Any, unit: Ints, tags: tuple[Tags, ...]) -> Claims:
        return replace(
            self,
            units=units,
            unit=unit,
            label=self.label[rows],
            start=self.start[rows],
            end=self.end[rows],
            shape=None if self.shape is None else self.shape[rows],
            value=None if self.value is None else self.value[rows],
            word=None if self.word is None else self.word[rows],
            tags=tags,
            score=None if self.score is None else self.score[rows],
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Claims]) -> Claims:
        """Concatenate the units and claims of several batches."""
        if len(parts) == 1:
            return parts[0]
        if len({part.space for part in parts}) > 1:
            raise InputError(
                "some parts of the corpus count offsets in tokens, others in characters", source=parts[0].units.source
            )
        labels, values, words, shapes = _Numbers(), _Numbers(), _Numbers(), _Numbers()
        base = np.cumsum([0, *(len(part.units) for part in parts)])
        empty = np.zeros(0, np.int64)

        def column(one: Callable[[Claims], Ints]) -> Ints:
            return np.concatenate([empty, *map(one, parts)])

        label = column(lambda part: recode(part.label, [labels[x] for x in part.labels]))
        shape = value = word = None
        if any(part.shapes for part in parts):
            shape = column(lambda part: recode(_or_none(part.shape, len(part)), [shapes[x] for x in part.shapes]))
        if any(part.values for part in parts):
            value = column(lambda part: recode(_or_none(part.value, len(part)), [values[x] for x in part.values]))
        if any(part.words for part in parts):
            word = column(lambda part: recode(_or_none(part.word, len(part)), [words[x] for x in part.words]))
        tags = [part.tags for part in parts]
        same_layers = len(set(map(len, tags))) == 1
        return cls(
            units=Units.concatenate([part.units for part in parts]),
            space=parts[0].space if parts else "value",
            unit=np.concatenate([empty, *(part.unit + b for part, b in zip(parts, base[:-1], strict=True))]),
            label=label,
            start=column(lambda part: part.start),
            end=column(lambda part: part.end),
            labels=tuple(labels),
            shape=shape,
            shapes=tuple(shapes),
            value=value,
            values=tuple(values),
            word=word,
            words=tuple(words),
            tags=tuple(map(Tags.concatenate, zip(*tags, strict=True))) if same_layers else (),
            score=_scores(parts),
        )

    def with_values(self) -> Claims:
        """Return the claims with the text of each span as its value, unless it has one."""
        if self.space == "value" or len(self) == 0 or (self.value is not None and (self.value != NO_CODE).all()):
            return self
        texts, tokens = self.units.texts, self.units.tokens
        if texts is None if self.space == "char" else tokens is None:
            raise InputError("values are needed, but the data has neither values nor texts", source=self.units.source)
        numbers = _Numbers()
        for value in self.values:
            numbers[value]
        codes = np.full(len(self), NO_CODE, np.int64) if self.value is None else self.value.copy()
        for i, (unit, _, start, end, fragments, known) in enumerate(self.rows()):
            if known is not None:
                continue
            parts = fragments or ((start, end),)
            if self.space == "char":
                assert texts is not None  # noqa: S101  the check above
                found = " ".join(texts[unit][a:b] for a, b in parts)
            else:
                assert tokens is not None  # noqa: S101  the check above
                found = " ".join(" ".join(tokens[unit][a:b]) for a, b in parts)
            codes[i] = numbers[found]
        return replace(self, value=codes, values=tuple(numbers))


def _scores(parts: Sequence[Claims]) -> Floats | None:
    """Concatenate scores; those of a part without scores are unknown."""
    if all(part.score is None for part in parts):
        return None
    return np.concatenate([np.full(len(part), np.nan) if part.score is None else part.score for part in parts])


class _Numbers(dict[Any, int]):
    """Numbers things in the order of their first use."""

    def __missing__(self, thing: Any) -> int:
        self[thing] = len(self)
        return self[thing]


def recode(codes: Ints, numbers: Sequence[int]) -> Ints:
    """Renumber codes; -1 stays -1."""
    return np.array([*numbers, NO_CODE], np.int64)[codes]


def _or_none(column: Ints | None, count: int) -> Ints:
    return np.full(count, NO_CODE, np.int64) if column is None else column
