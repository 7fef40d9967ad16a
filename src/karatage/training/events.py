"""What a training tells while it runs, and who judges it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from karatage.training.examples import Examples

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Judge = Callable[["NDArray[np.int64]"], Mapping[str, float]]
"""Scores the tags of the validation data: metrics by name, the one that chooses the best epoch first."""


@dataclass(frozen=True)
class Epoch:
    """What was found after an epoch.

    Attributes:
        number: which epoch, from 1.
        loss: the mean loss over its batches.
        seconds: how long it took, validation included.
        metrics: the scores on the validation data.
    """

    number: int
    loss: float
    seconds: float
    metrics: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Epoch:
        """Read what `to_dict` gave."""
        return cls(int(data["number"]), float(data["loss"]), float(data["seconds"]), dict(data["metrics"]))


class Progress(Protocol):
    """Who is told where a training is."""

    def resumed(self, epoch: int) -> None:
        """Hear that a training goes on behind an epoch that was done before."""

    def step(self, epoch: int, epochs: int, step: int, steps: int) -> None:
        """Hear of a step."""

    def epoch(self, found: Epoch, epochs: int) -> None:
        """Hear of an epoch."""


@dataclass(frozen=True)
class Fitting:
    """What goes on around a training.

    Attributes:
        validation: what the best epoch is chosen on; None trains to the last epoch.
        judge: scores the tags that a model gives the validation data.
        checkpoint: the file to go on from and to write to; None for none.
        every: seconds between two checkpoints at least.
        identity: what a checkpoint must be of: a hash of settings and data.
        progress: who is told where the training is.
    """

    validation: Examples | None = None
    judge: Judge | None = None
    checkpoint: Path | None = None
    every: float = 5.0
    identity: str = ""
    progress: Progress | None = None
