"""Tagging a corpus batch by batch: units in, the same units with claims out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from karatage.claims import Claims, Units
from karatage.errors import InputError
from karatage.taggers.protocol import Tagger, UnitTagger


def tag_units(tagger: Tagger, units: Units, *, scores: bool = False) -> Claims:
    """Tag units: in tokens if they have tokens, else in characters of their texts. Scores take extra time."""
    if isinstance(tagger, UnitTagger):
        return tagger.tag_units(units, scores=scores)
    if units.tokens is None and units.texts is None:
        raise InputError("has neither tokens nor texts to tag", source=units.source)
    found = tagger.tag(units.tokens if units.tokens is not None else units.texts or [], units.attributes)
    return replace(found, units=replace(units, texts=units.texts if units.texts is not None else found.units.texts))


def tag_batches(
    tagger: Tagger,
    batches: Iterable[Claims],
    progress: Callable[[int], None] | None = None,
    *,
    scores: bool = False,
) -> Iterator[Claims]:
    """Tag a corpus that is read batch by batch, ignoring the claims that it already has.

    `progress` is called with the number of units done so far.
    """
    done = 0
    for batch in batches:
        yield tag_units(tagger, batch.units, scores=scores)
        done += len(batch.units)
        if progress is not None:
            progress(done)
