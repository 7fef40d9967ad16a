"""Spans grow outwards to whole words."""

from __future__ import annotations

import doctest
import itertools
import random
from collections.abc import Sequence

import pytest
from tests.taggers.plain import spans

import karatage.taggers.word_snapping
from karatage.claims import Claims
from karatage.errors import UsageError
from karatage.taggers import Offsets, Span, open_tagger, snap, tag_both
from karatage.taggers.protocol import claims_of

WORDS: list[Offsets] = [(0, 7), (8, 12), (12, 13)]  # "Tallinn Meri." with the full stop a word of its own


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], []),
        ([(0, 7, "LOC")], [(0, 7, "LOC")]),  # whole words stay
        ([(2, 3, "LOC")], [(0, 7, "LOC")]),
        ([(6, 9, "LOC")], [(0, 12, "LOC")]),  # touches two
        ([(7, 8, "LOC")], []),  # the blank between words
        ([(7, 9, "LOC")], [(8, 12, "LOC")]),
        ([(0, 7, "LOC"), (8, 12, "LOC")], [(0, 7, "LOC"), (8, 12, "LOC")]),  # neighbours stay apart
        ([(0, 2, "LOC"), (3, 5, "LOC")], [(0, 7, "LOC")]),  # one word, one label: joined
        ([(0, 2, "LOC"), (3, 9, "LOC")], [(0, 12, "LOC")]),
        ([(0, 2, "LOC"), (3, 5, "PER")], [(0, 7, "LOC")]),  # one word, two labels: the first wins
        ([(3, 5, "PER"), (0, 2, "LOC")], [(0, 7, "LOC")]),  # whatever the order of the input
        ([(0, 2, "LOC"), (3, 9, "PER")], [(0, 7, "LOC"), (8, 12, "PER")]),  # the later one keeps what is left
        ([(0, 12, "ORG"), (0, 7, "LOC")], [(0, 12, "ORG")]),  # the longer one first
        ([(0, 12, "ORG"), (8, 13, "ORG")], [(0, 13, "ORG")]),
    ],
)
def test_rule(given: list[Span], expected: list[Span]) -> None:
    assert snap(given, WORDS) == expected


def test_docstring() -> None:
    assert doctest.testmod(karatage.taggers.word_snapping).failed == 0


def test_result_is_flat_whole_and_stable(rng: random.Random) -> None:
    """Spans of the result are made of words, do not overlap, and snapping them again changes nothing."""
    for _ in range(500):
        cuts = sorted(rng.sample(range(40), 12))
        words = list(zip(cuts[::2], cuts[1::2], strict=True))
        given = [(a, a + rng.randint(1, 9), rng.choice("AB")) for a in rng.choices(range(35), k=rng.randint(0, 5))]
        out = snap(given, words)
        assert all(a in cuts[::2] and b in cuts[1::2] for a, b, _ in out)
        assert all(one[1] <= other[0] for one, other in itertools.pairwise(out))
        assert snap(out, words) == out
        touched = {w for w in words for a, b, _ in given if a < w[1] and w[0] < b}
        assert touched == {w for w in words for a, b, _ in out if a <= w[0] and w[1] <= b}


class Halves:
    """A tagger that knows nothing of words: the first half of each text is a span."""

    name = "halves"
    labels = None

    def tag(self, texts: Sequence[str]) -> Claims:
        return claims_of(texts, [[(0, len(text) // 2, "X")] for text in texts])


def test_any_tagger_tells_both() -> None:
    raw, whole = tag_both(Halves(), ["Tallinn Meri", "Tartu"], "spaces")
    assert spans(raw) == [[(0, 6, "X")], [(0, 2, "X")]]
    assert spans(whole) == [[(0, 7, "X")], [(0, 5, "X")]]


def test_both_needs_words() -> None:
    with pytest.raises(UsageError, match="name a segmentation other than 'own'"):
        tag_both(Halves(), ["Tartu"], "own")


def first_three(text: str) -> list[Span]:
    return [(0, 3, "X")] if len(text) > 2 else []


def test_words_of_a_function() -> None:
    name = f"{__name__}:first_three"
    tagger = open_tagger(name, words=lambda text: [(0, 4), (4, len(text))])
    assert spans(tagger.tag(["Tallinn"])) == [[(0, 4, "X")]]
    raw, whole = tag_both(tagger, ["Tallinn"], "spaces")
    assert (spans(raw), spans(whole)) == ([[(0, 3, "X")]], [[(0, 7, "X")]])
    assert open_tagger(name, words="spaces").name == f"{name} (words: spaces)"
    assert open_tagger(name, words="own").name == name


@pytest.mark.parametrize("places", [[(0, 4), (3, 5)], [(4, 5), (0, 2)], [(2, 2)], [(0, 9)], [(-1, 2)]])
def test_words_that_cannot_be(places: list[Offsets]) -> None:
    tagger = open_tagger(f"{__name__}:first_three", words=lambda _: places)
    with pytest.raises(UsageError, match="Words must be in order, not empty, inside the text"):
        tagger.tag(["Tartu"])


def test_unknown_words() -> None:
    with pytest.raises(UsageError, match="Did you mean 'spaces'\\? Known: estnltk, own, spaces"):
        open_tagger(f"{__name__}:first_three", words="space")
