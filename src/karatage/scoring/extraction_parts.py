"""Counting large files in parts, on an engine: gold and predictions are cut after the same units."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from karatage.engine import Engine, WorkLost
from karatage.errors import InputError, KaratageError
from karatage.inputs import Input, InputParts, cut_alike
from karatage.profiles import Profile
from karatage.scoring.extraction_counts import ExtractionCounts
from karatage.scoring.nouns import Nouns
from karatage.scoring.unit_counts import CountCollector

if TYPE_CHECKING:
    from karatage.scoring.task import Task

_LEAST = 32 << 20
"""The size of gold, in bytes, from which other processes save more time than it takes to start them."""

_PART = 16 << 20
"""The largest part, in bytes of gold."""

_PER_JOB = 4
"""How many parts each process gets at least, so that all are done at about the same time."""


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
    profile, nouns = task.profile, task.nouns
    whole = ExtractionCounts(profile, nouns, None if collector is None else collector.fresh())
    try:
        parts = [
            ExtractionPart(own, profile, nouns, None if collector is None else collector.fresh())
            for own in _parts(task.gold, task.pred, engine.jobs)
        ]
        if len(parts) < 2:
            return None
        with closing(engine.map(count_part, parts)) as counted:
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
    found = ExtractionCounts(part.profile, part.nouns, part.collector)
    gold, pred, units = part.inputs
    found.read(gold, pred)
    if found.total.facts["units"] != units or found.units.missing or found.units.extra:
        raise InputError("a part has other units than were counted", source=gold.name)
    return found


def _parts(gold: Input, pred: Input, jobs: int) -> list[InputParts]:
    """Cut large files for so many processes; return no parts where it does not pay, or cannot be done."""
    if any(source.once or source.is_folder for source in gold.sources):
        return []
    size = sum(source.path.stat().st_size for source in gold.sources)
    if size < _LEAST:
        return []
    parts = cut_alike(gold, pred, min(_PART, size // (jobs * _PER_JOB)))
    for own in parts[0][:2] if parts else ():  # what a reader refuses, it often refuses at the start of a file
        next(iter(own.batches()), None)
    return parts
