"""What an engine is: it applies a function to the parts of some work, wherever that is done."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from typing import Protocol, TypeVar

Part = TypeVar("Part")
Done = TypeVar("Done")


class WorkLost(Exception):  # noqa: N818  not an error of the user's: the work is done in this process instead
    """An engine did not get a part of the work done: a worker could not be started, or failed in its own way."""


class PartsDone(int):
    """How many units are done so far: a number that also knows how many parts of the work that is.

    Attributes:
        parts: how many parts are done.
        of: how many there are; None if that is not known yet.
    """

    parts: int
    of: int | None

    def __new__(cls, units: int, parts: int, of: int | None) -> PartsDone:
        """Take the units, the parts that are done, and all parts."""
        own = super().__new__(cls, units)
        own.parts, own.of = parts, of
        return own


Progress = Callable[[PartsDone], None]


class Gathered(Protocol):
    """What parts of some work gather, with the number of units that they rest on."""

    @property
    def units(self) -> int:
        """How many units were read."""


G = TypeVar("G", bound=Gathered)


class Engine(Protocol):
    """Applies functions to the parts of some work.

    A function must be importable, and it, the parts and what it returns must be picklable: it may run in another
    process. It must not depend on which parts were done before, where, or in which order.

    Attributes:
        jobs: how many parts are worked on at the same time.
    """

    @property
    def jobs(self) -> int:
        """How many parts are worked on at the same time."""

    def map(self, function: Callable[[Part], Done], parts: Iterable[Part]) -> Generator[Done, None, None]:
        """Yield what the function returns, in the order of the parts. Close the generator to stop early.

        Workers may be started before the parts are asked for, so that finding the parts takes no time of its own.

        Raises:
            WorkLost: a part could not be done.
            EngineError: the engine cannot work at all, and nobody should do its work instead.
        """

    def pass_over(self, reason: str) -> None:
        """Take notice that some work is not done here, and why: an engine that users choose by name tells them."""
        del reason  # nobody asked for this engine

    def reduce(
        self, function: Callable[[Part], G], add: Callable[[G, G], G], parts: Iterable[Part], progress: Progress | None
    ) -> G | None:
        """Return what the function returns for all parts, added up in their order; None if there is no part.

        Args:
            function: does a part.
            add: adds what the parts after it gathered; it may change and return its first argument. Adjacent parts
                may be added first: the result must be the same.
            parts: the parts.
            progress: called after each part.
        """
        counted = CountedParts(parts)
        whole: G | None = None
        with closing(self.map(function, counted)) as done:
            for number, part in enumerate(done, 1):
                whole = part if whole is None else add(whole, part)
                if progress is not None:
                    progress(PartsDone(whole.units, number, counted.total))
        return whole


class CountedParts(Iterable[Part]):
    """Parts, which are counted while somebody takes them.

    Attributes:
        total: how many there are; None until all were taken.
    """

    def __init__(self, parts: Iterable[Part]) -> None:
        self._parts = parts
        self.total: int | None = None

    def __iter__(self) -> Iterator[Part]:
        taken = 0
        for part in self._parts:
            taken += 1
            yield part
        self.total = taken
