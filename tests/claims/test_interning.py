"""Strings become codes as a dictionary would make them, and the quick ways are taken where they are meant to be."""

from __future__ import annotations

import random

import numpy as np
import pytest

from karatage._arrays import Ints
from karatage.claims import Tags, interning, tags
from karatage.claims.interning import PADDING, TagVocabulary, intern

Text = tuple[np.ndarray, Ints, Ints]


def laid_out(strings: list[bytes]) -> Text:
    """Return a buffer with the strings, where each starts, and how long it is."""
    lengths = np.array([len(one) for one in strings], np.int64)
    buffer = np.frombuffer(b"".join(strings) + bytes(PADDING), np.uint8)
    return buffer, np.cumsum(lengths) - lengths, lengths


def refuse(*_: object) -> None:
    raise AssertionError("the slow way was taken")


def words(sizes: list[int], count: int, seed: int) -> list[bytes]:
    """Return words of few letters, so that many of the same length differ in one byte only."""
    rng = random.Random(seed)
    return [bytes(rng.choices(b"ab", k=rng.choice(sizes))) for _ in range(count)]


@pytest.mark.parametrize("sizes", [[0, 1, 2], [7, 8, 9], [15, 16, 17, 24], [63, 64, 65], [1023, 1024, 1025, 2]])
def test_numbers_are_those_of_a_dictionary(sizes: list[int]) -> None:
    strings = random.Random(1).choices(words(sizes, 40, 1), k=400)
    numbers, distinct = intern(*laid_out(strings))
    assert [distinct[k] for k in numbers.tolist()] == strings
    assert len(distinct) == len(set(distinct)) == len(set(strings))


def test_strings_that_differ_in_one_byte_take_the_quick_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interning, "_intern_slowly", refuse)
    plain = b"B-" + b"x" * 38
    strings = [plain[:k] + bytes([c]) + plain[k + 1 :] for k in range(40) for c in b"abcdefgh"]
    strings += [plain[:k] for k in range(1, 40)]
    numbers, distinct = intern(*laid_out(strings))
    assert [distinct[k] for k in numbers.tolist()] == strings
    strings = [b"%05d" % k for k in range(3000)]
    assert len(intern(*laid_out(strings))[1]) == 3000


@pytest.mark.parametrize("size", [1, 7, 8, 9, 16, 17, 64])
def test_what_was_seen_before_is_looked_up(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Strings of up to eight words; after a first block no string is sorted or hashed again."""
    rng = random.Random(size)
    strings = sorted({bytes(rng.choices(b"cdefgh", k=rng.randint(1, size))) for _ in range(60)} | {b"x" * size, b"y"})
    vocabulary = TagVocabulary()
    buffer, starts, lengths = laid_out(strings)
    first = vocabulary.encode(buffer, starts + lengths, lengths)
    monkeypatch.setattr(interning, "intern", refuse)
    mixed = [*rng.choices(strings, k=200), b"y"]  # the last one is shorter than what is read at once
    buffer, starts, lengths = laid_out(mixed)
    again = vocabulary.encode(buffer, starts + lengths, lengths)
    assert [vocabulary.names[k].encode() for k in again.tolist()] == mixed
    assert [vocabulary.names[k].encode() for k in first.tolist()] == strings


@pytest.mark.parametrize(("distinct", "kept"), [(255, True), (256, True), (257, False)])
def test_the_table_of_what_was_seen_holds_256_strings(distinct: int, *, kept: bool) -> None:
    """Whatever they are: where two would share a slot, other slots are tried."""
    for first in range(0, 3000, 300):
        strings = [b"%04d" % (first + k) for k in range(distinct - 1)]  # and O, which every vocabulary has
        vocabulary = TagVocabulary()
        buffer, starts, lengths = laid_out(strings)
        vocabulary.encode(buffer, starts + lengths, lengths)
        found = vocabulary._seen.codes(buffer, starts, lengths)
        assert (found is not None) == kept
        if found is not None:
            assert [vocabulary.names[k].encode() for k in found.tolist()] == strings


@pytest.mark.parametrize(
    ("names", "kind"), [(255, np.uint8), (256, np.uint16), (1 << 16, np.uint16), ((1 << 16) + 1, np.uint32)]
)
def test_codes_are_as_wide_as_their_number_asks_for(names: int, kind: type) -> None:
    strings = [b"%05d" % k for k in range(names - 2)]  # the break and O have codes too
    vocabulary = TagVocabulary()
    buffer, starts, lengths = laid_out(strings)
    codes = vocabulary.encode(buffer, starts + lengths, lengths)
    assert codes.dtype == kind
    assert len(vocabulary.names) == names
    assert [vocabulary.names[k].encode() for k in codes.tolist()] == strings


def test_strings_of_one_byte_are_o_only_where_they_are() -> None:
    strings = [b"", b"O", b"X", b"O", b"o"]
    buffer, starts, lengths = laid_out(strings)
    vocabulary = TagVocabulary()
    codes = vocabulary.encode(buffer, starts + lengths, lengths)
    assert [vocabulary.names[k] for k in codes.tolist()] == ["", "O", "X", "O", "o"]
    known = TagVocabulary().encode(buffer[1:], starts[1:4] + lengths[1:4] - 1, lengths[1:4], short_is_o=True)
    assert known.tolist() == [1, 1, 1]


def test_lists_of_ordinary_tags_are_read_as_one_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """One by one are read only those that are empty or hold a line break or a NUL."""
    lists = [["B-PER", "O"], [], ["X", "I-ORG", "O"], []]
    odd = [["a\nb", "O"], ["", "O"], ["a\0", "O"]]
    assert Tags.from_lists(odd, empty=True).lists() == odd
    monkeypatch.setattr(tags, "_encode_slowly", refuse)
    assert Tags.from_lists(lists).lists() == lists
    assert Tags.from_lists([[], []]).lists() == [[], []]
    for own in odd:
        with pytest.raises(AssertionError):
            Tags.from_lists([own], empty=True)
