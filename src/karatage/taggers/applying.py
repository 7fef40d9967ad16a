"""Tagging a corpus: units in, the same units with claims out, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from karatage.claims import Claims, Units
from karatage.errors import InputError
from karatage.taggers.protocol import Tagger
from karatage.training import TrainedTagger


def tag_units(tagger: Tagger, units: Units, *, scores: bool = False) -> Claims:
    """Find the entities of units: in tokens where the units have them, else in the characters of their texts.

    Args:
        tagger: the tagger.
        units: the units.
        scores: whether claims should say how sure the tagger is, where it is a trained one, at the cost of some time.
    """
    if scores and isinstance(tagger, TrainedTagger):
        return tagger.tag_units(units, scores=True)
    own: Callable[[Units], Claims] | None = getattr(tagger, "tag_units", None)
    if own is not None:
        return own(units)
    if units.tokens is None and units.texts is None:
        raise InputError("holds neither tokens nor texts to tag", source=units.source or None)
    found = tagger.tag(units.tokens if units.tokens is not None else units.texts or [], units.attributes)
    return replace(found, units=replace(units, texts=units.texts if units.texts is not None else found.units.texts))


def tag_batches(
    tagger: Tagger,
    batches: Iterable[Claims],
    progress: Callable[[int], None] | None = None,
    *,
    scores: bool = False,
) -> Iterator[Claims]:
    """Tag a corpus that is read batch by batch; what it claims itself is left out.

    Args:
        tagger: the tagger.
        batches: the corpus.
        progress: told how many units are done.
        scores: whether the claims of a trained tagger should say how sure it is of them.
    """
    done = 0
    for batch in batches:
        yield tag_units(tagger, batch.units, scores=scores)
        done += len(batch.units)
        if progress is not None:
            progress(done)
