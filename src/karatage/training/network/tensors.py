"""A corpus in tensors on its device, and batches cut from it there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import Tensor

from karatage.training.network.lexicon import Tables

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Batch(NamedTuple):
    """Units beside each other, padded to one width.

    Attributes:
        forms: the number of each distinct word, for looking at what is known of it.
        words: the number of each word in the lexicon.
        groups: the number of each unit's group.
        sizes: how many tokens each unit has.
        tags: the gold tags; zero where they are padding or unknown.
    """

    forms: Tensor
    words: Tensor
    groups: Tensor
    sizes: Tensor
    tags: Tensor

    @property
    def inside(self) -> Tensor:
        """Whether each place holds a token."""
        return torch.arange(self.words.shape[1], device=self.words.device) < self.sizes.unsqueeze(1)


@dataclass(frozen=True)
class Corpus:
    """Units in tensors; one more unit without tokens stands behind the last, to fill batches with.

    Attributes:
        forms: the number of each token's word among the distinct ones.
        words: the lexicon's number of each distinct word.
        chars: the characters of each distinct word; None where they are not read.
        affixes: the affixes of each distinct word; None where they are not read.
        groups: the number of each unit's group.
        starts: where each unit's tokens start.
        sizes: how many tokens each unit has.
        tags: the gold tag of each token.
        lengths: the sizes once more, on the CPU, without the last.
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
        forms: NDArray[np.int64],
        tables: Tables,
        groups: NDArray[np.int64],
        sizes: NDArray[np.int64],
        tags: NDArray[np.int64] | None,
        device: torch.device,
    ) -> Corpus:
        """Put columns onto a device."""

        def there(column: NDArray[np.int64]) -> Tensor:
            return torch.from_numpy(np.ascontiguousarray(column)).to(device)

        starts = np.append(np.cumsum(sizes) - sizes, 0)
        return cls(
            there(np.append(forms, 0)),
            there(np.append(tables.words, 0)),
            None if tables.chars is None else there(tables.chars),
            None if tables.affixes is None else there(tables.affixes),
            there(np.append(groups, 0)),
            there(starts),
            there(np.append(sizes, 0)),
            there(np.append(np.zeros(len(forms), np.int64) if tags is None else tags, 0)),
            sizes,
        )

    def __len__(self) -> int:
        """Count the units."""
        return len(self.lengths)

    def batch(self, rows: Tensor, width: int) -> Batch:
        """Return the named units, padded to a width."""
        sizes = self.sizes[rows]
        steps = torch.arange(width, device=rows.device)
        inside = steps < sizes.unsqueeze(1)
        places = torch.where(inside, self.starts[rows].unsqueeze(1) + steps, 0)
        forms = self.forms[places] * inside
        return Batch(forms, self.words[forms] * inside, self.groups[rows], sizes, self.tags[places] * inside)


def rounded(length: int) -> int:
    """Return the width that a batch is padded to: few different ones, close above the longest unit."""
    for step, until in ((4, 32), (8, 64), (16, 128), (32, 256)):
        if length <= until:
            return max(-(-length // step) * step, step)
    return -(-length // 64) * 64


def training_batches(
    lengths: NDArray[np.int64], size: int, seed: int, epoch: int
) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Yield the units of each batch of an epoch with its width: of about one length, in random order.

    The order hangs on the seed and the epoch alone, so training goes on after a stop as if there had been none. The
    last batch is filled with the unit that has no tokens. Units without tokens are left out.
    """
    dice = np.random.default_rng([seed, epoch])
    order = dice.permutation(np.flatnonzero(lengths > 0))
    widths = np.array([rounded(n) for n in range(int(lengths.max(initial=0)) + 1)])[lengths[order]]
    order = order[np.argsort(widths, kind="stable")]
    filled = np.full(-(-len(order) // size) * size, len(lengths), np.int64)
    filled[: len(order)] = order
    batches = filled.reshape(-1, size)
    for at in dice.permutation(len(batches)).tolist():
        rows = batches[at]
        yield rows, rounded(int(lengths[rows[rows < len(lengths)]].max()))


def tagging_batches(lengths: NDArray[np.int64], tokens: int) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Yield units of one length, or nearly one, with their width: so many at once that they have at most `tokens`."""
    order = np.argsort(lengths, kind="stable")
    order = order[lengths[order] > 0]
    at = 0
    while at < len(order):
        # The widest unit of the batch decides how many fit; taking them from the sorted order, it is the last.
        count = max(int(tokens // max(int(lengths[order[at]]), 1)), 1)
        while count > 1 and int(lengths[order[min(at + count, len(order)) - 1]]) * count > tokens:
            count = max(tokens // int(lengths[order[min(at + count, len(order)) - 1]]), 1)
        rows = order[at : at + count]
        yield rows, int(lengths[rows[-1]])
        at += count
