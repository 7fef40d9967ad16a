"""Counting large files in parts, on an engine: gold and predictions are cut after the same units."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from karatage.engine import Engine, WorkLost
from karatage.errors import InputError, KaratageError
from karatage.formats import SourcePart, guard
from karatage.inputs import Input, InputParts, can_be_cut, cut_alike
from karatage.profiles import Profile
from karatage.scoring.extraction_counts import ExtractionCounts
from karatage.scoring.nouns import Nouns
from karatage.scoring.unit_counts import CountCollector

if TYPE_CHECKING:
    from karatage.scoring.task import Task

_LEAST = 32 << 20
"""The size of gold, in bytes, from which other processes save more time than it takes to start them."""


@dataclass(frozen=True)
class ExtractionPart:
    """A part of a scoring, with all that it takes to count it.

    Attributes:
        inputs: gold and predictions.
        profile: how they are scored.
        nouns: what users call what is scored.
        collector: an empty collector for the counts of each unit, where they are wanted.
    """

    inputs: InputParts
    profile: Profile
    nouns: Nouns
    collector: CountCollector | None


def counted_in_parts(
    task: Task, collector: CountCollector | None, engine: Engine, progress: Callable[[int], None] | None
) -> ExtractionCounts | None:
    """Count the parts of large files on an engine, and add them up in their order; None where that cannot be done.

    Whatever is wrong with a part is not an error here: when the files are read as a whole, the message has the line.
    """
    if not _pays(task.gold, task.pred):
        return None
    whole = ExtractionCounts(task.profile, task.nouns, None if collector is None else collector.fresh())
    try:
        with closing(engine.map(count_part, _parts(task, collector, engine.jobs))) as counted:
            for part in counted:
                whole += part
                if progress is not None:
                    progress(whole.total.facts["units"])
    except (KaratageError, WorkLost):
        return None
    if collector is not None and whole.collector is not None:
        collector += whole.collector
    return whole


def count_part(part: ExtractionPart) -> ExtractionCounts:
    """Count a part, and make sure that it has the units that it is said to have."""
    found = ExtractionCounts(part.profile, part.nouns, None if part.collector is None else part.collector.fresh())
    gold, pred, units = part.inputs
    found.read(gold, pred)
    if found.total.facts["units"] != units or found.units.missing or found.units.extra:
        raise InputError("a part has other units than were counted", source=gold.name)
    return found


def _parts(task: Task, collector: CountCollector | None, jobs: int) -> Iterator[ExtractionPart]:
    """Yield the parts of a scoring."""
    fresh = None if collector is None else collector.fresh()
    with guard(task.gold.sources[0]):
        parts = cut_alike(task.gold, task.pred, jobs)
    if not parts:
        raise InputError("gold and predictions do not have the same number of units", source=task.pred.name)
    for own in parts:
        yield ExtractionPart(own, task.profile, task.nouns, fresh)


def _pays(gold: Input, pred: Input) -> bool:
    """Whether files are large, and can be cut."""
    try:
        if sum(source.path.stat().st_size for source in gold.sources if not source.once) < _LEAST:
            return False
        return can_be_cut(gold, pred) and all(map(_can_be_read_in_parts, (gold, pred)))
    except (KaratageError, OSError):
        return False


def _can_be_read_in_parts(own: Input) -> bool:
    """Read the first batch as that of a part: a reader that refuses parts often does so at the start of a file."""
    whole = own.sources[0]
    part = own.part([SourcePart(whole, 0, whole.path.stat().st_size, 0)])
    return next(iter(part.batches()), None) is not None
