"""Units with tags that are not decoded yet, and what a reader yields."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from karatage._arrays import Ints
from karatage.claims.building import Space
from karatage.claims.claims import Claims, recode
from karatage.claims.decoding import LENIENT, Spans, TagDecoder
from karatage.claims.tags import Tags
from karatage.claims.units import Units
from karatage.errors import TagError


@dataclass(frozen=True, slots=True, eq=False)
class Tagged:
    """Units with their tags, which the profile decides how to decode.

    Attributes:
        units: the units.
        layers: one stream of tags per layer of nesting, all over the same tokens.
    """

    units: Units
    layers: tuple[Tags, ...]

    def __len__(self) -> int:
        """Count the units."""
        return len(self.units)

    def decode(self, decoder: TagDecoder = LENIENT) -> Claims:
        """Decode the tags to claims."""
        spans = self.spans(decoder)
        found = [_with_units(layer, own) for layer, own in zip(self.layers, spans, strict=True)]
        names: dict[str, int] = {}
        for layer in found:
            for name in layer[4]:
                names.setdefault(name, len(names))
        unit, start, end = (np.concatenate([layer[k] for layer in found]) for k in range(3))
        label = np.concatenate([recode(layer[3], [names[x] for x in layer[4]]) for layer in found])
        if len(found) > 1:
            # By name: the code of a label depends on the layer where it occurs first.
            ranks = np.argsort(np.argsort(np.array(list(names), dtype=object), kind="stable"), kind="stable")
            order = np.lexsort((ranks[label], end, start, unit))
            unit, start, end, label = unit[order], start[order], end[order], label[order]
        return Claims(
            units=self.units,
            space="token",
            unit=unit,
            label=label,
            start=start,
            end=end,
            labels=tuple(names),
            tags=self.layers,
        )

    @property
    def space(self) -> Space:
        """Tags count tokens."""
        return "token"

    @property
    def tags(self) -> tuple[Tags, ...]:
        """The layers, under the name that claims have for them."""
        return self.layers

    def spans(self, decoder: TagDecoder) -> list[Spans]:
        """Find the spans of each layer; an invalid tag is an error that names its line and unit."""
        try:
            return [decoder(layer) for layer in self.layers]
        except TagError as error:
            index = int(error.unit) - 1 if error.unit is not None else 0
            raise TagError(
                error.message,
                source=self.units.source,
                line=self.units.line(index),
                unit=self.units.name(index),
                hint=error.hint,
            ) from None

    def slice(self, start: int, stop: int) -> Tagged:
        """Return the units from `start` to before `stop`."""
        if start == 0 and stop == len(self):
            return self
        return Tagged(self.units.slice(start, stop), tuple(layer.slice(start, stop) for layer in self.layers))

    def take(self, units: Ints) -> Tagged:
        """Return some units, in the given order."""
        return Tagged(self.units.take(units), tuple(layer.take(units) for layer in self.layers))

    @classmethod
    def concatenate(cls, parts: Sequence[Tagged]) -> Tagged:
        """Concatenate the units of several batches."""
        if len(parts) == 1:
            return parts[0]
        layers = zip(*(part.layers for part in parts), strict=True)
        return cls(Units.concatenate([part.units for part in parts]), tuple(Tags.concatenate(x) for x in layers))


Batch = Claims | Tagged
"""What a reader yields: whole units, with claims or with tags that will become claims."""


def _with_units(tags: Tags, spans: Spans) -> tuple[Any, Any, Any, Any, tuple[str, ...]]:
    """Return unit, start, end and type of each span, and the types' names."""
    unit = units_of(tags, spans)
    base = tags.starts[unit]
    return unit, spans.starts - base, spans.ends - base, spans.types, spans.names


def units_of(tags: Tags, spans: Spans) -> Ints:
    """Return the unit of each span."""
    before = np.searchsorted(spans.ends, tags.starts)  # how many spans end before each unit
    return np.repeat(np.arange(len(tags)), np.diff(before))


def join_batches(batches: Iterable[Batch], decoder: TagDecoder = LENIENT) -> Claims:
    """Decode all batches and concatenate them."""
    parts = [batch.decode(decoder) if isinstance(batch, Tagged) else batch for batch in batches]
    return Claims.concatenate(parts) if parts else Claims.build(Units(0), "value", ())
