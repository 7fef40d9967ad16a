"""Working on the files that can be read, where some of many cannot: those are left out, and the result says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from karatage.engine import Engine, WorkLost
from karatage.errors import InputError, KaratageError, UsageError
from karatage.formats import guard
from karatage.inputs import Input, InputParts, are_shards, paired_shards
from karatage.profiles import DETECT
from karatage.scoring.extraction import Extraction
from karatage.scoring.extraction_counts import ExtractionCounts
from karatage.scoring.folding import FoldPart, fold_part
from karatage.scoring.scoring import open_task, usual_profile
from karatage.scoring.skipped_shards import SkippedShard

if TYPE_CHECKING:
    from karatage.scoring.scoring_options import ScoringOptions

T = TypeVar("T")


@dataclass(frozen=True)
class _Shards:
    """Gold and the predictions of each system, file by file; no system if gold and predictions are in the same files.

    Attributes:
        inputs: gold, and the predictions of each system.
        skipped: what was left out.
    """

    inputs: tuple[Input, ...]
    skipped: tuple[SkippedShard, ...] = ()

    def without(self, reasons: Iterable[InputError | None]) -> _Shards:
        """Leave out the files for which there is a reason, of all inputs."""
        found = list(reasons)
        kept = [number for number, reason in enumerate(found) if reason is None]
        bad = [self._skipped(number, reason) for number, reason in enumerate(found) if reason is not None]
        if not kept:
            raise InputError(
                f"none of the {len(found) + len(self.skipped):,} files can be scored. The first: {bad[0].reason}",
                source=bad[0].file,
            )
        if not bad:
            return self
        inputs = (own.restricted([own.sources[number] for number in kept]) for own in self.inputs)
        return _Shards(tuple(inputs), (*self.skipped, *bad))

    def _skipped(self, number: int, error: InputError) -> SkippedShard:
        names = list(dict.fromkeys(own.sources[number].name for own in self.inputs))
        bad = error.source if error.source in names else names[0]
        return SkippedShard(bad, tuple(name for name in names if name != bad), str(error))


def on_readable(
    gold: Input,
    preds: Sequence[Input],
    given: ScoringOptions,
    engine: Engine | None,
    work: Callable[[Input, Sequence[Input]], T],
) -> tuple[T, tuple[SkippedShard, ...]]:
    """Do some work on the files that can be read; return what it returns, and what was left out.

    Everything is tried at once. Only if that fails, files are read one by one to find those that are bad. A file that
    is bad for one system is left out for all of them, so that a comparison stays paired.

    Args:
        gold: gold.
        preds: the predictions of each system; none if they are in the files of gold.
        given: how everything is scored.
        engine: where files are read one by one.
        work: does the work with gold and predictions.
    """
    preds = [paired_shards(gold, pred) for pred in preds]
    for pred in preds:
        if len(gold.sources) != len(pred.sources):
            raise UsageError(
                "--skip-bad (in Python skip_bad=True) needs as many files of predictions as of gold, as both are left "
                f"out together: got {len(gold.sources):,} and {len(pred.sources):,}"
            )
    if not are_shards([gold, *preds]):
        return work(gold, preds), ()
    shards = _Shards((gold, *preds))
    shards = shards.without(_detected(shards))
    tasks = _tasks(shards, given)
    try:
        found = work(shards.inputs[0], shards.inputs[1:])
    except InputError:
        left = shards.without(_first_errors(tasks, engine))
        if left is shards:  # each file by itself can be read
            raise
        shards = left
        found = work(shards.inputs[0], shards.inputs[1:])
    return found, tuple(sorted(shards.skipped))


def _tasks(shards: _Shards, given: ScoringOptions) -> list[Extraction]:
    """Return the scoring of each system; a scheme that is to be detected would be looked for in bad files, too."""
    gold, *preds = shards.inputs
    profile = usual_profile(given.profile.like, gold, preds[0] if preds else None).with_options(given.profile)
    profile = replace(profile, scheme="") if profile.scheme == DETECT else profile
    others: Sequence[Input | None] = preds or [None]
    tasks = [open_task(gold, pred, profile, given.reading) for pred in others]
    found = [task for task in tasks if isinstance(task, Extraction)]
    if len(found) < len(tasks):
        raise UsageError("--skip-bad (in Python skip_bad=True) works for extraction only")
    return found


def _detected(shards: _Shards) -> Iterator[InputError | None]:
    """Yield what is wrong with the start of each file, or of its partners."""
    for number in range(len(shards.inputs[0].sources)):
        try:
            for own in shards.inputs:
                with guard(own.sources[number]):
                    own.format_of(own.sources[number])
        except InputError as error:
            yield error
        else:
            yield None


def _first_errors(tasks: Sequence[Extraction], engine: Engine | None) -> list[InputError | None]:
    """Return what is wrong with each file, or with one of its partners."""
    folds = [ExtractionCounts(task.profile, task.nouns, None) for task in tasks]
    parts = [
        FoldPart(
            fold, InputParts((task.gold.part([task.gold.sources[k]]), task.pred.part([task.pred.sources[k]])), None)
        )
        for k in range(len(tasks[0].gold.sources))
        for task, fold in zip(tasks, folds, strict=True)
    ]
    found, many = _errors(parts, engine), len(tasks)
    by_file = (found[k : k + many] for k in range(0, len(found), many))
    return [next((error for error in own if error is not None), None) for own in by_file]


def _errors(parts: Sequence[FoldPart[ExtractionCounts]], engine: Engine | None) -> list[InputError | None]:
    if engine is not None:
        try:
            with closing(engine.map(what_is_wrong, parts)) as found:
                return list(found)
        except WorkLost:
            pass
    return list(map(what_is_wrong, parts))


def what_is_wrong(part: FoldPart[ExtractionCounts]) -> InputError | None:
    """Return the error of a file that cannot be read, or does not fit its partner."""
    try:
        fold_part(part)
    except InputError as error:
        return error
    except KaratageError:  # an option that does not apply to any file
        return None
    return None
