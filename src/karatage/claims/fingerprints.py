"""Keys of 64 bits for sequences of words: equal sequences have equal keys, and others hardly ever do.

Two of a million different sentences share a key in one of about forty million data sets.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Ints, ranges
from karatage.claims.byte_tokens import ByteTokens
from karatage.claims.token_column import TokenColumn, starts_of
from karatage.claims.units import Units

Keys = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


def combined(hashes: Keys, numbers: NDArray[Any]) -> Keys:
    """Mix a number into each hash, e.g. the place of a word in its sequence (SplitMix64)."""
    out: Keys = hashes + (numbers.astype(np.uint64) + np.uint64(1)) * _STEP
    moved = np.empty_like(out)
    for shift, factor in ((30, _FIRST), (27, _SECOND)):
        out ^= np.right_shift(out, np.uint64(shift), out=moved)
        out *= factor
    out ^= np.right_shift(out, np.uint64(31), out=moved)
    return out


def sums(terms: Keys, sizes: Ints) -> Keys:
    """Return the sum of the terms of each part, for parts of these sizes one after another, modulo 2 to the 64."""
    total = np.zeros(len(terms) + 1, np.uint64)
    np.cumsum(terms, out=total[1:])
    bounds = total[starts_of(sizes)]
    return bounds[1:] - bounds[:-1]


def keys_of_units(units: Units, chosen: Ints) -> Keys | None:
    """Return a key of the tokens of some units, or else of their texts; None where neither is known."""
    if isinstance(units.tokens, ByteTokens):
        sizes = units.tokens.sizes
        return _in_sequence(units.tokens.keys(), sizes)[chosen]
    if units.tokens is not None:
        tokens = TokenColumn.of(units.tokens)
        return sequence_keys(tokens.flat.hash().to_numpy(), tokens.starts[chosen], tokens.sizes[chosen])
    if units.texts is None:
        return None
    import polars as pl

    return pl.Series([units.texts[unit] for unit in chosen.tolist()], dtype=pl.String).hash().to_numpy()


def sequence_keys(hashes: Keys, starts: Ints, sizes: Ints) -> Keys:
    """Return the key of each sequence of words, given the hashes of all words."""
    return _in_sequence(hashes[ranges(starts, sizes)], sizes)


def _in_sequence(hashes: Keys, sizes: Ints) -> Keys:
    """Return the keys of sequences that come one after another."""
    return sums(combined(hashes, ranges(np.zeros_like(sizes), sizes)), sizes)
