"""A bidirectional LSTM over units of different lengths, in tensors of fixed shape."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Bilstm(nn.Module):
    """A bidirectional LSTM.

    The backward LSTM gets each unit reversed within its own length, so that padding comes last for both: the output for
    a unit does not depend on the other units in the batch. Packing would need the lengths on the CPU.
    """

    def __init__(self, size: int, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        sizes = [size] + [hidden] * (layers - 1)
        self.forwards = nn.ModuleList(nn.LSTM(n, hidden // 2, batch_first=True) for n in sizes)
        self.backwards = nn.ModuleList(nn.LSTM(n, hidden // 2, batch_first=True) for n in sizes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, inputs: Tensor, sizes: Tensor) -> Tensor:
        """Return the concatenated output of both directions."""
        mirrored = _mirrored(inputs.shape[1], sizes)
        for at, (forward, backward) in enumerate(zip(self.forwards, self.backwards, strict=True)):
            given = self.dropout(inputs) if at else inputs
            right, _ = forward(given)
            left, _ = backward(_picked(given, mirrored))
            inputs = torch.cat([right, _picked(left, mirrored)], -1)
        return inputs


def _mirrored(width: int, sizes: Tensor) -> Tensor:
    """Return the positions that reverse each unit; padding stays in place."""
    positions = torch.arange(width, device=sizes.device)
    mirrored = sizes.unsqueeze(1) - 1 - positions
    return torch.where(mirrored >= 0, mirrored, positions)


def _picked(inputs: Tensor, positions: Tensor) -> Tensor:
    return inputs.gather(1, positions.unsqueeze(2).expand(-1, -1, inputs.shape[2]))
