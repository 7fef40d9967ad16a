"""Copies of units are counted, against a plain count of equal units."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import karatage
from karatage.claims import ByteTokens, Units, keys_of_units

COPIES = "sentences with entities that are copies of another one with the same gold, so intervals are too narrow: {}"


def conll(*sentences: str) -> str:
    return "".join("\n".join(word.replace("/", " ") for word in own.split()) + "\n\n" for own in sentences)


def test_copies_are_counted_once_each(tmp_path: Path) -> None:
    """The first sentence occurs three times: two copies. Other words, labels or a lack of entities are no copies."""
    gold = conll(
        "He/O met/O Ann/B-PER there/O",
        "He/O met/O Ann/B-PER there/O",
        "He/O met/O Eve/B-PER there/O",
        "He/O met/O Ann/B-LOC there/O",
        "He/O met/O nobody/O there/O",
        "He/O met/O nobody/O there/O",
        "He/O met/O Ann/B-PER there/O",
        "Ann/B-PER there/O",  # too short to be told
        "Ann/B-PER there/O",
    )
    (tmp_path / "gold.conll").write_text(gold)
    found = karatage.score(tmp_path / "gold.conll", tmp_path / "gold.conll")
    assert COPIES.format("2 of 5") in found.warnings
    compared = karatage.compare(tmp_path / "gold.conll", {"a": tmp_path / "gold.conll", "b": tmp_path / "gold.conll"})
    assert [w for w in compared.warnings if "copies" in w] == [COPIES.format("2 of 5")]  # once, not for each system
    # What is predicted does not matter.
    (tmp_path / "pred.conll").write_text(gold.replace("Ann B-PER\nthere", "Ann O\nthere", 1))
    assert COPIES.format("2 of 5") in karatage.score(tmp_path / "gold.conll", tmp_path / "pred.conll").warnings


def test_few_copies_among_many_are_not_worth_a_word(tmp_path: Path) -> None:
    """One of 101 sentences is less than a hundredth, one of 100 is not."""
    for count, told in ((100, []), (99, [COPIES.format("1 of 100")])):
        sentences = [f"He/O met/O Ann{k}/B-PER there/O" for k in range(count)]
        (tmp_path / "gold.conll").write_text(conll(*sentences, sentences[7]))
        assert [*karatage.score(tmp_path / "gold.conll", tmp_path / "gold.conll").warnings] == told


@pytest.mark.parametrize("length", [1, 7, 8, 9, 16, 63, 64, 65, 200])
def test_keys_of_tokens_tell_a_changed_byte(length: int) -> None:
    """At the start, at the end, and anywhere in up to 64 bytes; equal tokens have equal keys wherever they stand."""
    word = bytes(97 + k % 26 for k in range(length))
    others = {word[:at] + b"#" + word[at + 1 :] for at in {0, length // 2 if length <= 64 else 0, length - 1}}
    words = [word, *sorted(others), word + b"a", word]
    text = b"  ".join(words) + bytes(16)
    ends = np.cumsum([len(one) + 2 for one in words]) - 2
    starts = ends - [len(one) for one in words]
    tokens = ByteTokens(np.frombuffer(text, np.uint8), starts, ends, np.arange(len(words) + 1))
    keys = tokens.keys().tolist()
    assert keys[0] == keys[-1]
    assert len(set(keys)) == len(words) - 1


def test_the_order_of_words_counts() -> None:
    for units in (
        Units(3, tokens=[["a", "b"], ["b", "a"], ["a", "b"]]),
        Units(3, texts=["a b", "b a", "a b"]),
    ):
        keys = keys_of_units(units, np.arange(3))
        assert keys is not None
        assert keys[0] == keys[2] != keys[1]
    assert keys_of_units(Units(3), np.arange(3)) is None
