"""A linear-chain CRF layer, in batches."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from karatage.training.tagset import TagSet

FORBIDDEN = -1e4
"""The score of what is not allowed: its probability is 0 in any precision, and sums of it stay finite."""

_TINY = 1e-30


class CrfLayer(nn.Module):
    """A linear-chain CRF: scores for transitions between tags, for the first tag and for the last.

    Probabilities are those of a linear-chain CRF (Lafferty, McCallum and Pereira 2001) in which I never begins an
    entity. Methods take emissions (units, tokens, tags) and the number of tokens of each unit.
    """

    forbidden: Tensor
    barred: Tensor

    def __init__(self, tags: TagSet) -> None:
        super().__init__()
        count = len(tags)
        self.transitions = nn.Parameter(torch.zeros(count, count))
        self.first = nn.Parameter(torch.zeros(count))
        self.last = nn.Parameter(torch.zeros(count))
        self.register_buffer("forbidden", _scores(tags.follows), persistent=False)
        self.register_buffer("barred", _scores(tags.starts), persistent=False)

    def partition(self, emissions: Tensor, sizes: Tensor) -> Tensor:
        """Return the logarithm of the sum over all tag sequences of each unit."""
        weights = (self.transitions + self.forbidden).exp()
        alpha = self.first + self.barred + emissions[:, 0]
        for at in range(1, emissions.shape[1]):
            top = alpha.amax(-1, keepdim=True)
            # One matrix product instead of a sum over pairs; terms below 1e-30 of the largest do not matter.
            following = torch.log((alpha - top).exp() @ weights + _TINY) + top + emissions[:, at]
            alpha = torch.where((at < sizes).unsqueeze(1), following, alpha)
        return torch.logsumexp(alpha + self.last, -1)

    def score(self, emissions: Tensor, tags: Tensor, sizes: Tensor) -> Tensor:
        """Return the score of one tag sequence of each unit."""
        inside = torch.arange(tags.shape[1], device=tags.device) < sizes.unsqueeze(1)
        own = (emissions.gather(2, tags.unsqueeze(2)).squeeze(2) * inside).sum(1)
        steps = self.transitions[tags[:, :-1], tags[:, 1:]] * inside[:, 1:]
        final = tags.gather(1, (sizes - 1).clamp(min=0).unsqueeze(1)).squeeze(1)
        return own + steps.sum(1) + self.first[tags[:, 0]] + self.last[final]

    def loss(self, emissions: Tensor, tags: Tensor, sizes: Tensor) -> Tensor:
        """Return minus the mean log-likelihood of the units that have tokens."""
        some = sizes > 0
        each = (self.partition(emissions, sizes) - self.score(emissions, tags, sizes)) * some
        return each.sum() / some.sum().clamp(min=1)

    def marginals(self, emissions: Tensor, sizes: Tensor) -> Tensor:
        """Return the probability of each tag at each token: the gradient of the partition."""
        with torch.enable_grad():
            given = emissions.detach().clone().requires_grad_()
            return torch.autograd.grad(self.partition(given, sizes).sum(), given)[0]

    def decode(self, emissions: Tensor, sizes: Tensor) -> Tensor:
        """Return the best tag sequence of each unit."""
        steps = self.transitions + self.forbidden
        best = self.first + self.barred + emissions[:, 0]
        back = []
        stay = torch.arange(emissions.shape[2], device=emissions.device)
        for at in range(1, emissions.shape[1]):
            top, before = (best.unsqueeze(2) + steps).max(1)
            going = (at < sizes).unsqueeze(1)
            best = torch.where(going, top + emissions[:, at], best)
            back.append(torch.where(going, before, stay))
        tag = (best + self.last).argmax(-1)
        path = [tag]
        for before in reversed(back):
            tag = before.gather(1, tag.unsqueeze(1)).squeeze(1)
            path.append(tag)
        return torch.stack(path[::-1], 1)


def _scores(allowed: Any) -> Tensor:
    return torch.where(torch.from_numpy(allowed), 0.0, FORBIDDEN)
