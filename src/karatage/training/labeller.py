"""What a trainable model is: it gives each token a tag, and every tag a probability."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

from karatage.training.examples import Examples
from karatage.training.fit_context import FitContext, FitResult
from karatage.training.tagset import TagSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Labeller(Protocol):
    """A trained model, with its tags and its settings, a frozen record."""

    tags: TagSet
    settings: Any

    def label(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> NDArray[np.int64]:
        """Return the best tags: the codes of all tokens, unit after unit."""

    def marginals(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> NDArray[np.float32]:
        """Return the probability of each tag at each token."""

    def save(self, folder: Path) -> None:
        """Write its files into a folder that exists."""

    @classmethod
    def load(cls, folder: Path, tags: TagSet, settings: Any) -> Self:
        """Read what `save` wrote; a damaged file is an `InputError` that names it."""


class TrainableLabeller(Labeller, Protocol):
    """A model that can be trained."""

    @classmethod
    def fit(cls, examples: Examples, tags: TagSet, settings: Any, context: FitContext) -> FitResult:
        """Train a model."""
