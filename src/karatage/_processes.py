"""Python processes that do not import from the current folder, where a downloaded `numpy.py` may lie.

`karatage` itself does not look there, nor do the processes that it starts. `python -m karatage` is told to by Python,
and forgets it as soon as it runs; `python -P -m karatage` never looks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_SAFE = "PYTHONSAFEPATH"
_HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120  sys.path has strings


def forget_current_folder() -> None:
    """Remove the current folder from where `python -m` makes Python look first."""
    if not sys.flags.safe_path and sys.path and _is_current(sys.path[0]):
        del sys.path[0]


def safe_environment() -> dict[str, str]:
    """Return the environment of a process that finds what this one finds, but nothing in the current folder."""
    found = [place for place in sys.path if not _is_current(place)]
    # Where Karatage itself is imported from the current folder, it must be found, after everything else.
    places = found if _HOME in found else [*found, _HOME]
    return {**os.environ, _SAFE: "1", "PYTHONPATH": os.pathsep.join(places)}


@contextmanager
def safe_spawning() -> Iterator[None]:
    """Make the processes that `multiprocessing` spawns start without the current folder."""
    before = os.environ.get(_SAFE)
    os.environ[_SAFE] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE]
        else:
            os.environ[_SAFE] = before


def _is_current(place: str) -> bool:
    return place == "" or os.path.realpath(place) == os.path.realpath(os.curdir)
