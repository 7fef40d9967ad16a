"""What a trainable model is: something that gives each token a tag, and the probability of every tag."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

from karatage.training.events import Fitting
from karatage.training.examples import Examples
from karatage.training.tagset import TagSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from karatage.training.models import Fitted


class Labeller(Protocol):
    """A trained model of tags.

    Attributes:
        tags: the tags that it gives.
        settings: its settings, a frozen record.
    """

    tags: TagSet
    settings: Any

    @classmethod
    def fit(cls, examples: Examples, tags: TagSet, settings: Any, fitting: Fitting) -> Fitted:
        """Train a model."""

    def label(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> NDArray[np.int64]:
        """Return the best tags: the codes of all tokens, those of a unit behind those of the one before it."""

    def marginals(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> NDArray[np.float32]:
        """Return the probability of each tag at each token."""

    def save(self, folder: Path) -> None:
        """Write what it needs into a folder that exists."""

    @classmethod
    def load(cls, folder: Path, tags: TagSet, settings: Any) -> Self:
        """Read what `save` wrote; damage is an `InputError` that names the file."""
