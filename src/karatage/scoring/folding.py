"""Folding large files in parts, on an engine: gold and predictions are cut after the same units, or come in shards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, Self, TypeVar, runtime_checkable

from karatage.engine import LARGE, Engine, WorkLost
from karatage.errors import EngineError, KaratageError
from karatage.formats import SourcePart, guard
from karatage.inputs import Input, InputParts, are_shards, can_be_cut, cut_alike, shard_sizes, shards_alike
from karatage.scoring.undivided import why_undivided

_LEAST = LARGE
"""The size of gold, in bytes, from which work is shared."""

_SLOWER = 8
"""How many times longer it takes, at least, to read a byte of a compressed file or of another format than columns."""


class Fold(Protocol):
    """What is gathered of gold and predictions while they are read. What parts gather adds up to the whole.

    It must be picklable, and its result must not depend on where a part ends.
    """

    def fresh(self) -> Self:
        """Return one that has gathered nothing."""

    def read_part(self, part: InputParts) -> None:
        """Read a part; refuse one whose gold and predictions do not have the same units, as many as it says."""

    def add_part(self, other: Self) -> None:
        """Add the part that follows."""

    @property
    def units(self) -> int:
        """How many units were read."""


@runtime_checkable
class ShardFold(Fold, Protocol):
    """A fold that can read whole files as parts, whose units are numbered from 1 in each part.

    Attributes:
        takes_shards: whether it can, with what it gathers now.
    """

    takes_shards: bool

    def shift(self, before: int) -> None:
        """Count the numbers of units that were noted, where units have no ids, from behind so many others."""

    def check_whole(self) -> None:
        """Refuse what shows only when all parts are known, such as an id in two of them."""


F = TypeVar("F", bound=Fold)
Plan = Callable[[int], Iterable[InputParts]]
"""Finds the parts for so many processes."""


@dataclass(frozen=True)
class FoldPart(Generic[F]):
    """A part of some work, with all that it takes to do it.

    Attributes:
        fold: gathers what is wanted; it is empty.
        part: what to read.
    """

    fold: F
    part: InputParts


@dataclass(frozen=True)
class NumberedPart(Generic[F]):
    """What was gathered of a part.

    Attributes:
        fold: what was gathered.
        numbered: whether units have the numbers that they have in the whole.
    """

    fold: F
    numbered: bool

    @property
    def units(self) -> int:
        """How many units were read."""
        return self.fold.units


def folded(
    fold: F, inputs: Sequence[Input], engine: Engine | None, progress: Callable[[int], None] | None = None
) -> F | None:
    """Fold the parts of large files on an engine, and add them up in their order; None where that cannot be done.

    Whatever is wrong with a part is not an error here: when the files are read as a whole, the message has the line.

    Args:
        fold: what to gather; it stays as it is.
        inputs: gold, and the predictions of each system.
        engine: where parts are read; None for nowhere but here.
        progress: called with the number of units done so far.
    """
    if engine is None:
        return None
    plan = _plan(fold, inputs, engine)
    if plan is None:
        engine.pass_over(why_undivided(inputs, _least(inputs[0])))
        return None
    return folded_parts(fold, _found(inputs, plan, engine.jobs), engine, progress)


def folded_parts(
    fold: F, parts: Iterable[InputParts], engine: Engine, progress: Callable[[int], None] | None = None
) -> F | None:
    """Fold parts on an engine, and add them up in their order; None where that cannot be done."""
    whole, empty = fold.fresh(), fold.fresh()
    try:
        found = engine.reduce(fold_part, add_up, (FoldPart(empty, part) for part in parts), progress)
        if found is not None:
            whole.add_part(found.fold)
        if isinstance(whole, ShardFold):
            whole.check_whole()
    except EngineError:
        raise
    except (KaratageError, WorkLost) as error:
        engine.pass_over(f"not all parts could be read, so this machine reads everything ({error})")
        return None
    return whole


def add_up(whole: NumberedPart[F], part: NumberedPart[F]) -> NumberedPart[F]:
    """Add the part that follows, whose units may be numbered from 1."""
    if not part.numbered and isinstance(part.fold, ShardFold):
        part.fold.shift(whole.units)
    whole.fold.add_part(part.fold)
    return whole


def fold_part(part: FoldPart[F]) -> NumberedPart[F]:
    """Fold a part."""
    found = part.fold.fresh()
    found.read_part(part.part)
    return NumberedPart(found, part.part.units is not None)


def _found(inputs: Sequence[Input], plan: Plan, jobs: int) -> Iterator[InputParts]:
    """Find the parts of inputs, when they are asked for."""
    with guard(inputs[0].sources[0]):
        yield from plan(jobs)


def _plan(fold: Fold, inputs: Sequence[Input], engine: Engine) -> Plan | None:
    """Say how to find parts of inputs; None where it does not pay, or cannot be done.

    Shards are parts by themselves. Where one of them is much larger than its share, they are cut if that is possible.
    """
    gold = inputs[0]
    try:
        if any(source.once or source.is_folder for own in inputs for source in own.sources) or not gold.sources:
            return None
        sizes = shard_sizes(gold)
        if sum(sizes) < _least(gold):
            return None
        in_shards = isinstance(fold, ShardFold) and fold.takes_shards and _are_parts(inputs)
        if in_shards and max(sizes) * 2 * engine.jobs <= sum(sizes):
            return partial(shards_alike, inputs)
        if can_be_cut(inputs) and all(map(_can_be_read_in_parts, inputs)):
            return partial(cut_alike, inputs)
    except (KaratageError, OSError):
        return None
    return partial(shards_alike, inputs) if in_shards else None


def _least(gold: Input) -> int:
    """Return the size of gold, in bytes, from which work is shared."""
    try:
        quick = gold.content == "files" and gold.format.cuts is not None and gold.sources[0].plain
    except (KaratageError, OSError):
        quick = False  # who reads it says what is wrong
    return _LEAST if quick else _LEAST // _SLOWER


def _are_parts(inputs: Sequence[Input]) -> bool:
    """Whether shards can be read one by one, and what was read is not kept for the next time."""
    return are_shards(inputs) and not any(own.remembers for own in inputs)


def _can_be_read_in_parts(own: Input) -> bool:
    """Read the first batch as that of a part: a reader that refuses parts often does so at the start of a file."""
    whole = own.sources[0]
    part = own.part([SourcePart(whole, 0, whole.size, 0)])
    return next(iter(part.batches()), None) is not None
