"""What a model gets besides its training data, and what it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from karatage.training.examples import Examples

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from karatage.training.labeller import Labeller

TagScorer = Callable[["NDArray[np.int64]"], Mapping[str, float]]
"""Scores tags for the validation data: metrics by name. The first one selects the best epoch."""


@dataclass(frozen=True)
class EpochResult:
    """The result of an epoch: its mean loss, its scores on the validation data, and the seconds that both took."""

    number: int
    loss: float
    seconds: float
    metrics: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> EpochResult:
        """Read what `to_dict` returned."""
        return cls(int(data["number"]), float(data["loss"]), float(data["seconds"]), dict(data["metrics"]))


class Progress(Protocol):
    """Follows a training."""

    def resumed(self, epoch: int, best: float) -> None:
        """Called when a training resumes after an epoch, with the best value of the metric so far."""

    def step(self, epoch: int, epochs: int, step: int, steps: int) -> None:
        """Called after each step."""

    def epoch(self, found: EpochResult, epochs: int) -> None:
        """Called after each epoch."""


@dataclass(frozen=True)
class Checkpointing:
    """Where a training saves its state.

    Attributes:
        path: the file to resume from and write to.
        interval: minimum seconds between two checkpoints.
        identity: a hash of settings and data, which a checkpoint must have to be resumed.
    """

    path: Path
    interval: float = 5.0
    identity: str = ""


@dataclass(frozen=True, kw_only=True)
class FitContext:
    """What a model gets besides its training data.

    Attributes:
        validation: the data that selects the best epoch; None trains to the last epoch.
        score_tags: scores the tags that a model gives the validation data.
        checkpointing: where to save the state; None saves nothing.
    """

    validation: Examples | None = None
    score_tags: TagScorer | None = None
    checkpointing: Checkpointing | None = None
    progress: Progress | None = None


@dataclass(frozen=True)
class FitResult:
    """A trained model.

    Attributes:
        best_epoch: the epoch whose weights were kept; 0 for a model without epochs.
    """

    labeller: Labeller = field(repr=False)
    history: tuple[EpochResult, ...] = field(default=(), repr=False)
    best_epoch: int = 0
