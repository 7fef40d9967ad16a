"""Engines for tests: everything is done in this process, but sent as if it were another one."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterable
from typing import Any

import pytest

from karatage.engine import Engine, Running
from karatage.inputs import cutting
from karatage.scoring import folding


class Here(Engine):
    """An engine that does everything in this process, and sends all there is to send.

    Attributes:
        parts: how many parts were begun.
    """

    jobs = 3

    def __init__(self) -> None:
        self.parts = 0

    def map(self, function: Callable[[Any], Any], parts: Iterable[Any]) -> Generator[Any, None, None]:
        for part in parts:
            sent, own = pickle.loads(pickle.dumps((function, part)))  # noqa: S301  our own
            self.parts += 1
            yield pickle.loads(pickle.dumps(sent(own)))  # noqa: S301  our own


def use_here(patch: pytest.MonkeyPatch) -> Here:
    """Let files of any size be read in parts by this engine; one process is asked for as ever."""
    engine = Here()
    patch.setattr(folding, "_LEAST", 0)
    patch.setattr(cutting, "_LEAST", 1)
    patch.setattr(Running, "chosen", property(lambda own: None if own.jobs == 1 else engine))
    return engine
