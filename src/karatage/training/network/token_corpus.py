"""A corpus as tensors on a device, and batches of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from karatage._arrays import first_indices
from karatage.training.network.lexicon import WordTables


class TokenBatch(NamedTuple):
    """Several units, padded to the same width.

    Attributes:
        forms: the number of each distinct word, to look up its characters and affixes.
        words: the number of each word in the lexicon.
    """

    forms: Tensor
    words: Tensor
    groups: Tensor
    sizes: Tensor
    tags: Tensor

    @property
    def inside(self) -> Tensor:
        """Whether each position has a token."""
        return torch.arange(self.words.shape[1], device=self.words.device) < self.sizes.unsqueeze(1)


@dataclass(frozen=True)
class TokenCorpus:
    """Units as tensors. After the last one comes an empty unit, to fill batches with.

    Attributes:
        forms: the number of each token's word among the distinct words.
        words: the lexicon's number of each distinct word.
        lengths: the sizes on the CPU, without the empty unit.
    """

    forms: Tensor
    words: Tensor
    chars: Tensor | None
    affixes: Tensor | None
    groups: Tensor
    starts: Tensor
    sizes: Tensor
    tags: Tensor
    lengths: NDArray[np.int64]

    @classmethod
    def make(
        cls,
        *,
        forms: NDArray[np.int64],
        tables: WordTables,
        groups: NDArray[np.int64],
        sizes: NDArray[np.int64],
        tags: NDArray[np.int64] | None,
        device: torch.device,
    ) -> TokenCorpus:
        """Move columns to a device."""

        def on_device(column: NDArray[np.int64]) -> Tensor:
            return torch.from_numpy(np.ascontiguousarray(column)).to(device)

        starts = np.append(first_indices(sizes), 0)
        return cls(
            on_device(np.append(forms, 0)),
            on_device(np.append(tables.words, 0)),
            None if tables.chars is None else on_device(tables.chars),
            None if tables.affixes is None else on_device(tables.affixes),
            on_device(np.append(groups, 0)),
            on_device(starts),
            on_device(np.append(sizes, 0)),
            on_device(np.append(np.zeros(len(forms), np.int64) if tags is None else tags, 0)),
            sizes,
        )

    def __len__(self) -> int:
        """Count the units."""
        return len(self.lengths)

    def batch(self, rows: Tensor, width: int) -> TokenBatch:
        """Return the units with these numbers, padded to a width."""
        sizes = self.sizes[rows]
        steps = torch.arange(width, device=rows.device)
        inside = steps < sizes.unsqueeze(1)
        tokens = torch.where(inside, self.starts[rows].unsqueeze(1) + steps, 0)
        forms = self.forms[tokens] * inside
        return TokenBatch(forms, self.words[forms] * inside, self.groups[rows], sizes, self.tags[tokens] * inside)


def rounded(length: int) -> int:
    """Return the width that a batch is padded to: one of a few widths, not far above the longest unit."""
    for step, until in ((4, 32), (8, 64), (16, 128), (32, 256)):
        if length <= until:
            return max(-(-length // step) * step, step)
    return -(-length // 64) * 64


def training_batches(
    lengths: NDArray[np.int64], size: int, seed: int, epoch: int
) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Yield the units of each batch of an epoch with its width: units of similar length, in random order.

    The order depends only on the seed and the epoch, so a resumed training gives the same weights. The last batch is
    filled with the empty unit. Units without tokens are skipped.
    """
    rng = np.random.default_rng([seed, epoch])
    order = rng.permutation(np.flatnonzero(lengths > 0))
    widths = np.array([rounded(n) for n in range(int(lengths.max(initial=0)) + 1)])[lengths[order]]
    order = order[np.argsort(widths, kind="stable")]
    filled = np.full(-(-len(order) // size) * size, len(lengths), np.int64)
    filled[: len(order)] = order
    batches = filled.reshape(-1, size)
    for at in rng.permutation(len(batches)).tolist():
        rows = batches[at]
        yield rows, rounded(int(lengths[rows[rows < len(lengths)]].max()))


def tagging_batches(lengths: NDArray[np.int64], tokens: int) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Yield units of similar length with their width; a batch has at most `tokens` tokens."""
    order = np.argsort(lengths, kind="stable")
    order = order[lengths[order] > 0]
    at = 0
    while at < len(order):
        # The longest unit of a batch, which is its last in sorted order, limits how many fit.
        count = max(int(tokens // max(int(lengths[order[at]]), 1)), 1)
        while count > 1 and int(lengths[order[min(at + count, len(order)) - 1]]) * count > tokens:
            count = max(tokens // int(lengths[order[min(at + count, len(order)) - 1]]), 1)
        rows = order[at : at + count]
        yield rows, int(lengths[rows[-1]])
        at += count
