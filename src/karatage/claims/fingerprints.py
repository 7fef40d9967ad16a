"""Keys of 64 bits for sequences of words: equal sequences have equal keys, and others hardly ever do.

Two of a million different sentences share a key in one of about forty million data sets.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Ints, first_indices, ranges
from karatage.claims.byte_tokens import ByteTokens
from karatage.claims.token_column import TokenColumn
from karatage.claims.units import Units

Keys = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


def combined(hashes: Keys, numbers: NDArray[Any]) -> Keys:
    """Mix a number into each hash, e.g. the place of a word in its sequence (SplitMix64)."""
    out: Keys = hashes + (numbers.astype(np.uint64) + np.uint64(1)) * _STEP
    out = (out ^ (out >> np.uint64(30))) * _FIRST
    out = (out ^ (out >> np.uint64(27))) * _SECOND
    return out ^ (out >> np.uint64(31))


def sums(terms: Keys, sizes: Ints) -> Keys:
    """Return the sum of the terms of each part, for parts of these sizes one after another, modulo 2 to the 64."""
    total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)])
    first = first_indices(sizes)
    return np.asarray(total[first + sizes] - total[first], np.uint64)


def keys_of_units(units: Units, chosen: Ints) -> Keys | None:
    """Return a key of the tokens of some units, or else of their texts; None where neither is known."""
    import polars as pl

    if isinstance(units.tokens, ByteTokens):
        hashes, sizes = units.tokens.keys(chosen)
        return sequence_keys(hashes, first_indices(sizes), sizes)
    if units.tokens is not None:
        tokens = TokenColumn.of(units.tokens)
        return sequence_keys(tokens.flat.hash().to_numpy(), tokens.starts[chosen], tokens.sizes[chosen])
    if units.texts is None:
        return None
    return pl.Series([units.texts[unit] for unit in chosen.tolist()], dtype=pl.String).hash().to_numpy()


def sequence_keys(hashes: Keys, starts: Ints, sizes: Ints) -> Keys:
    """Return the key of each sequence of words, given the hashes of all words."""
    place = np.arange(int(sizes.sum())) - np.repeat(first_indices(sizes), sizes)
    return sums(combined(hashes[ranges(starts, sizes)], place), sizes)
