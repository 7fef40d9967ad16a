"""A bidirectional LSTM over units of different lengths, in tensors of fixed shape."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class BiLstm(nn.Module):
    """Layers of an LSTM that reads forwards and one that reads backwards.

    The backward one gets each unit turned round within its own length, so that padding comes last for both: what is
    found for a unit does not depend on the units beside it. Packing would need the lengths on the CPU.
    """

    def __init__(self, size: int, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        sizes = [size] + [hidden] * (layers - 1)
        self.forwards = nn.ModuleList(nn.LSTM(n, hidden // 2, batch_first=True) for n in sizes)
        self.backwards = nn.ModuleList(nn.LSTM(n, hidden // 2, batch_first=True) for n in sizes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, inputs: Tensor, sizes: Tensor) -> Tensor:
        """Return what both directions give, beside each other."""
        turned = _turned(inputs.shape[1], sizes)
        for at, (ahead, behind) in enumerate(zip(self.forwards, self.backwards, strict=True)):
            given = self.dropout(inputs) if at else inputs
            right, _ = ahead(given)
            left, _ = behind(_picked(given, turned))
            inputs = torch.cat([right, _picked(left, turned)], -1)
        return inputs


def _turned(width: int, sizes: Tensor) -> Tensor:
    """Return where each place of a turned unit comes from; padding stays."""
    places = torch.arange(width, device=sizes.device)
    mirrored = sizes.unsqueeze(1) - 1 - places
    return torch.where(mirrored >= 0, mirrored, places)


def _picked(inputs: Tensor, places: Tensor) -> Tensor:
    return inputs.gather(1, places.unsqueeze(2).expand(-1, -1, inputs.shape[2]))
