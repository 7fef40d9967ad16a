"""What an engine is: it applies a function to the parts of some work, wherever that is done."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Protocol, TypeVar

Part = TypeVar("Part")
Done = TypeVar("Done")


class WorkLost(Exception):  # noqa: N818  not an error of the user's: the work is done in this process instead
    """An engine did not get a part of the work done: a worker was killed, ran out of memory or could not be started."""


class Engine(Protocol):
    """Applies functions to the parts of some work.

    A function must be importable, and it, the parts and what it returns must be picklable: it may run in another
    process. It must not depend on which parts were done before, where, or in which order.

    Attributes:
        jobs: how many parts are worked on at the same time.
    """

    jobs: int

    def map(self, function: Callable[[Part], Done], parts: Iterable[Part]) -> Generator[Done, None, None]:
        """Yield what the function returns, in the order of the parts. Close the generator to stop early.

        Workers may be started before the parts are asked for, so that finding the parts takes no time of its own.

        Raises:
            WorkLost: a part could not be done.
        """
