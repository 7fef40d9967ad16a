"""Output heads: from tag scores to a loss, tags and probabilities, by a softmax per token or a CRF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from karatage.training.network.crf_layer import FORBIDDEN, CrfLayer
from karatage.training.network.network_settings import (
    BilstmCrfSettings,
    BilstmSettings,
    ClassWeights,
    TransformerCrfSettings,
    TransformerSettings,
)
from karatage.training.tagset import TagSet


class GoldTags(Protocol):
    """The gold tags of a batch."""

    @property
    def tags(self) -> Tensor:
        """The gold tags, padded."""

    @property
    def sizes(self) -> Tensor:
        """The number of tokens of each unit."""

    @property
    def inside(self) -> Tensor:
        """Whether each position has a token."""


class TagHead(nn.Module):
    """The last part of a network.

    Args:
        tags: the tags.
        groups: the groups in the order of their numbers from 1; a group has only its labels of the training data.
    """

    permitted: Tensor

    def __init__(self, tags: TagSet, groups: Sequence[str] = ()) -> None:
        super().__init__()
        self.tags = tags
        allowed = np.stack([tags.permitted(None), *(tags.permitted(group) for group in groups)])
        self.restricting = not bool(allowed.all())
        scores = torch.where(torch.from_numpy(allowed), 0.0, FORBIDDEN)
        self.register_buffer("permitted", scores, persistent=False)

    def restricted(self, emissions: Tensor, groups: Tensor) -> Tensor:
        """Return scores that rule out the tags that a unit's group may not have."""
        return emissions + self.permitted[groups].unsqueeze(1) if self.restricting else emissions

    def loss(self, emissions: Tensor, batch: GoldTags) -> Tensor:
        """Return the loss of a batch."""
        raise NotImplementedError

    def decode(self, emissions: Tensor, sizes: Tensor) -> Tensor:
        """Return the best tags."""
        raise NotImplementedError

    def marginals(self, emissions: Tensor, sizes: Tensor) -> Tensor:
        """Return the probability of each tag at each token."""
        raise NotImplementedError


class SoftmaxHead(TagHead):
    """Each token by itself: cross-entropy, optionally with class weights or focal loss (Lin et al. 2017)."""

    def __init__(
        self,
        tags: TagSet,
        groups: Sequence[str] = (),
        weights: NDArray[np.float32] | None = None,
        focal: float = 0.0,
    ) -> None:
        super().__init__(tags, groups)
        self.focal = focal
        found = torch.ones(len(tags)) if weights is None else torch.from_numpy(weights)
        self.register_buffer("weights", found, persistent=False)
        self.weights: Tensor

    def loss(self, emissions: Tensor, batch: GoldTags) -> Tensor:
        """Return the mean over the tokens, weighted."""
        each = -torch.log_softmax(emissions.float(), -1).gather(2, batch.tags.unsqueeze(2)).squeeze(2)
        weights = self.weights[batch.tags] * batch.inside
        if self.focal:
            # Not 0 for a certain tag: a power below 1 has an infinite slope there.
            each = each * (1 - (-each).exp()).clamp(min=1e-8) ** self.focal
        return (each * weights).sum() / weights.sum().clamp(min=1e-9)

    def decode(self, emissions: Tensor, sizes: Tensor) -> Tensor:  # noqa: ARG002  each token by itself
        """Return the best tag of each token."""
        return emissions.argmax(-1)

    def marginals(self, emissions: Tensor, sizes: Tensor) -> Tensor:  # noqa: ARG002
        """Return the softmax."""
        return torch.softmax(emissions.float(), -1)


class CrfHead(TagHead):
    """Whole sequences: a linear-chain CRF."""

    def __init__(self, tags: TagSet, groups: Sequence[str] = ()) -> None:
        super().__init__(tags, groups)
        self.chain = CrfLayer(tags)

    def loss(self, emissions: Tensor, batch: GoldTags) -> Tensor:
        """Return minus the mean log-likelihood."""
        return self.chain.loss(emissions.float(), batch.tags, batch.sizes)

    def decode(self, emissions: Tensor, sizes: Tensor) -> Tensor:
        """Return the best tags."""
        return self.chain.decode(emissions.float(), sizes)

    def marginals(self, emissions: Tensor, sizes: Tensor) -> Tensor:
        """Return the marginal probabilities."""
        return self.chain.marginals(emissions.float(), sizes)


def head_for(
    tags: TagSet,
    settings: BilstmSettings | TransformerSettings,
    groups: Sequence[str],
    codes: NDArray[np.int64] | None,
) -> TagHead:
    """Return the head that the settings ask for; `codes` are the tags of the training data, None to load a model."""
    if isinstance(settings, BilstmCrfSettings | TransformerCrfSettings):
        return CrfHead(tags, groups if settings.restrict else ())
    weights = None if codes is None else class_weights(settings.class_weights, codes, len(tags))
    return SoftmaxHead(tags, (), weights, settings.focal)


def average_unseen(category: nn.Embedding | None) -> None:
    """Make an unseen category like the mean of all."""
    if category is not None:
        with torch.no_grad():
            category.weight[0] = category.weight[1:].mean(0)


def class_weights(kind: ClassWeights, codes: NDArray[np.int64], count: int) -> NDArray[np.float32] | None:
    """Return the weight of each tag: its inverse frequency or the square root of that; None for equal weights."""
    if kind == "none" or not len(codes):
        return None
    found = np.bincount(codes, minlength=count)
    rarity = found.sum() / (np.count_nonzero(found) * np.maximum(found, 1))
    weights = rarity if kind == "balanced" else np.sqrt(rarity)
    return np.asarray(weights, np.float32)
