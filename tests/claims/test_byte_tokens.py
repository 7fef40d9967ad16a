"""Tokens as places in bytes are the lists of strings that they stand for."""

from __future__ import annotations

import random

import numpy as np
import pytest

from karatage.claims.byte_tokens import ByteTokens
from karatage.claims.interning import PADDING


def tokens_of(units: list[list[str]], before: bytes = b"") -> ByteTokens:
    """Write units behind each other, a space after each token."""
    data = [token.encode() for unit in units for token in unit]
    sizes = np.array([len(token) for token in data], np.int64)
    starts = len(before) + np.cumsum(sizes + 1) - sizes - 1
    buffer = np.frombuffer(before + b" ".join(data) + b" " + bytes(PADDING), np.uint8)
    first = np.cumsum([0, *map(len, units)])
    return ByteTokens(buffer, starts, starts + sizes, first)


def random_units(rng: random.Random, longest: int) -> list[list[str]]:
    return [["".join(rng.choices("ab", k=rng.randint(1, longest))) for _ in range(rng.randrange(4))] for _ in range(12)]


@pytest.mark.parametrize("longest", [3, 9, 20, 90])
def test_they_read_as_their_lists(longest: int) -> None:
    units = random_units(random.Random(longest), longest)
    found = tokens_of(units, b"xyz ")
    assert list(found) == units == [found[k] for k in range(12)]
    assert (len(found), len(found[3:9]), len(found[12:])) == (12, 6, 0)
    assert found.sizes.tolist() == [len(one) for one in units]
    assert list(found[3:9]) == units[3:9]
    assert found[3:9][2] == units[5]
    words, sizes = found[3:9].flat()
    assert words == [token for one in units[3:9] for token in one]
    assert sizes.tolist() == [len(one) for one in units[3:9]]


@pytest.mark.parametrize("size", [1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 72, 73, 200])
@pytest.mark.parametrize("change", ["first", "middle", "last", "longer", "shorter"])
def test_units_that_differ_in_one_byte_are_found(size: int, change: str) -> None:
    """Wherever the byte is; only the unit that has it is named."""
    units = [["x" * size, "yes"], [], ["x" * size], ["no", "x" * size], ["x" * size]]
    other = [list(one) for one in units]
    word, where = "x" * size, {"first": 0, "middle": size // 2, "last": size - 1}
    if change in where:
        word = word[: where[change]] + "z" + word[where[change] + 1 :]
    else:
        word = word + "x" if change == "longer" else word[:-1] + " "
    other[3][1] = word.strip()
    ours, theirs = tokens_of(units), tokens_of(other, b"more before it ")
    assert ours.differing(theirs).tolist() == [3]
    assert ours.differing(tokens_of(units, b"z")).tolist() == []
    assert ours[2:].differing(theirs[2:]).tolist() == [1]
    assert ours[:3].differing(theirs[:3]).tolist() == []
