"""Units: what is resampled, and what an error is reported for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Ints


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Units:
    """The units of a batch, in order.

    Attributes:
        count: their number.
        ids: their ids; None if the source has none and units are identified by their number.
        first: how many units of the source come before this batch.
        texts: their texts, if known.
        tokens: their tokens, if known; may be a lazy view.
        attributes: columns of other facts, such as `category` or `document`.
        source: the name of the input in messages.
        lines: the line where each unit starts, counted from 1, if known.
    """

    count: int
    ids: Sequence[str] | None = None
    first: int = 0
    texts: Sequence[str] | None = None
    tokens: Sequence[Sequence[str]] | None = None
    attributes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    source: str = ""
    lines: Ints | None = None

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        known = [name for name in ("ids", "texts", "tokens") if getattr(self, name) is not None]
        return f"<Units: {self.count:,} with {', '.join([*known, *self.attributes]) or 'nothing but their number'}>"

    def name(self, index: int) -> str | int:
        """Return the name of a unit in messages: its id, or its number in the source from 1."""
        return self.ids[index] if self.ids is not None else self.first + index + 1

    def line(self, index: int) -> int | None:
        """Return the line where a unit starts, if known."""
        return int(self.lines[index]) if self.lines is not None else None

    def take(self, index: Ints) -> Units:
        """Return some units, in the given order. Without ids, their numbers become ids."""
        order = index.tolist()
        ids = self.ids if self.ids is not None else [str(self.first + i + 1) for i in range(self.count)]
        return Units(
            count=len(order),
            ids=[ids[i] for i in order],
            texts=_pick(self.texts, order),
            tokens=_pick(self.tokens, order),
            attributes={name: [column[i] for i in order] for name, column in self.attributes.items()},
            source=self.source,
            lines=None if self.lines is None else self.lines[index],
        )

    def slice(self, start: int, stop: int) -> Units:
        """Return the units from `start` to before `stop`."""
        if start == 0 and stop == self.count:
            return self
        return replace(
            self,
            count=stop - start,
            ids=None if self.ids is None else self.ids[start:stop],
            first=self.first + start,
            texts=None if self.texts is None else self.texts[start:stop],
            tokens=None if self.tokens is None else self.tokens[start:stop],
            attributes={name: column[start:stop] for name, column in self.attributes.items()},
            lines=None if self.lines is None else self.lines[start:stop],
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Units]) -> Units:
        """Concatenate units; a column that one part lacks is dropped, an attribute that one lacks is empty there."""
        if len(parts) == 1:
            return parts[0]
        names = dict.fromkeys(name for part in parts for name in part.attributes)
        return cls(
            count=sum(p.count for p in parts),
            ids=_join([p.ids for p in parts]),
            first=parts[0].first if parts else 0,
            texts=_join([p.texts for p in parts]),
            tokens=_join([p.tokens for p in parts]),
            attributes={
                name: list(chain.from_iterable(p.attributes.get(name, ("",) * p.count) for p in parts))
                for name in names
            },
            source=parts[0].source if parts else "",
            lines=_stack([p.lines for p in parts]),
        )


def _pick(column: Sequence[Any] | None, order: list[int]) -> list[Any] | None:
    return None if column is None else [column[i] for i in order]


def _join(columns: list[Any]) -> list[Any] | None:
    known = [c for c in columns if c is not None]
    return list(chain.from_iterable(known)) if known and len(known) == len(columns) else None


def _stack(columns: list[Any]) -> NDArray[Any] | None:
    known = [c for c in columns if c is not None]
    return np.concatenate(known) if known and len(known) == len(columns) else None
