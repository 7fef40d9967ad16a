"""Units: what gets resampled and what an error is reported by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Units:
    """The units of a batch, in order, with what is known of them.

    Attributes:
        count: how many there are.
        ids: their ids; None where the source has none and a unit is known by its number.
        first: how many units of the source lie before this batch.
        texts: their texts, where known.
        tokens: their tokens, where known; may be a view that reads them when asked.
        prints: one fingerprint of each unit's tokens or text, to see whether gold and predictions speak of the same.
        attributes: columns of further facts, such as `category` or `document`.
        source: what a message calls the input.
        lines: the line where each unit starts, counted from 1, where known.
    """

    count: int
    ids: Sequence[str] | None = None
    first: int = 0
    texts: Sequence[str] | None = None
    tokens: Sequence[Sequence[str]] | None = None
    prints: NDArray[np.uint64] | None = None
    attributes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    source: str = ""
    lines: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        known = [name for name in ("ids", "texts", "tokens") if getattr(self, name) is not None]
        return f"<Units: {self.count:,} with {', '.join([*known, *self.attributes]) or 'nothing but their number'}>"

    def name(self, index: int) -> str | int:
        """Return what a message calls a unit: its id, or its number in the source from 1."""
        return self.ids[index] if self.ids is not None else self.first + index + 1

    def line(self, index: int) -> int | None:
        """Return the line where a unit starts, where known."""
        return int(self.lines[index]) if self.lines is not None else None

    def take(self, index: NDArray[np.int64]) -> Units:
        """Return the named units, in that order. Those of a source without ids keep their numbers as ids."""
        order = index.tolist()
        ids = self.ids if self.ids is not None else [str(self.first + i + 1) for i in range(self.count)]
        return Units(
            len(order),
            [ids[i] for i in order],
            0,
            _pick(self.texts, order),
            _pick(self.tokens, order),
            None if self.prints is None else self.prints[index],
            {name: [column[i] for i in order] for name, column in self.attributes.items()},
            self.source,
            None if self.lines is None else self.lines[index],
        )

    def slice(self, start: int, stop: int) -> Units:
        """Return the units from `start` to before `stop`."""
        if start == 0 and stop == self.count:
            return self
        return Units(
            stop - start,
            None if self.ids is None else self.ids[start:stop],
            self.first + start,
            None if self.texts is None else self.texts[start:stop],
            None if self.tokens is None else self.tokens[start:stop],
            None if self.prints is None else self.prints[start:stop],
            {name: column[start:stop] for name, column in self.attributes.items()},
            self.source,
            None if self.lines is None else self.lines[start:stop],
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Units]) -> Units:
        """Put units behind each other; a fact that one part lacks is unknown for all."""
        if len(parts) == 1:
            return parts[0]
        names = [name for name in (parts[0].attributes if parts else ()) if all(name in p.attributes for p in parts)]
        return cls(
            sum(p.count for p in parts),
            _join([p.ids for p in parts]),
            parts[0].first if parts else 0,
            _join([p.texts for p in parts]),
            _join([p.tokens for p in parts]),
            _stack([p.prints for p in parts]),
            {name: list(chain.from_iterable(p.attributes[name] for p in parts)) for name in names},
            parts[0].source if parts else "",
            _stack([p.lines for p in parts]),
        )


def _pick(column: Sequence[Any] | None, order: list[int]) -> list[Any] | None:
    return None if column is None else [column[i] for i in order]


def _join(columns: list[Any]) -> list[Any] | None:
    known = [c for c in columns if c is not None]
    return list(chain.from_iterable(known)) if known and len(known) == len(columns) else None


def _stack(columns: list[Any]) -> NDArray[Any] | None:
    known = [c for c in columns if c is not None]
    return np.concatenate(known) if known and len(known) == len(columns) else None
