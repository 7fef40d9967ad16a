"""Reading the outcomes of one or several systems on the same gold, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from karatage.errors import UnitError
from karatage.inputs import Input
from karatage.profiles import Profile
from karatage.scoring.extraction import Extraction
from karatage.scoring.outcomes.outcomes import Outcomes


def read_outcomes(gold: Input, preds: Sequence[Input], profiles: Sequence[Profile]) -> Iterator[tuple[Outcomes, ...]]:
    """Yield what became of the claims of each system, batch by batch; a batch has the same units for all systems.

    Args:
        gold: gold.
        preds: the predictions of each system.
        profiles: how each system is scored.
    """
    return in_step([_batches(gold, pred, own) for pred, own in zip(preds, profiles, strict=True)])


def _batches(gold: Input, pred: Input, profile: Profile) -> Iterator[Outcomes]:
    return (Outcomes.of([batch]) for batch in Extraction(gold, pred, profile).pairs(kinds=True))


def in_step(systems: Sequence[Iterator[Outcomes]]) -> Iterator[tuple[Outcomes, ...]]:
    """Cut the batches of several systems after the same units."""
    held: list[Outcomes | None] = [None] * len(systems)
    while True:
        for k, batches in enumerate(systems):
            while held[k] is None and (batch := next(batches, None)) is not None:
                held[k] = batch if len(batch.units) else None
        found = [one for one in held if one is not None]
        if not found:
            return
        if len(found) < len(systems):
            raise UnitError("the systems were scored on different sentences", source=found[0].units.source)
        count = min(len(one.units) for one in found)
        yield tuple(one.slice(0, count) for one in found)
        held = [one.slice(count, len(one.units)) if len(one.units) > count else None for one in found]
