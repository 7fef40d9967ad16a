"""The CRF's features, worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from karatage.errors import UsageError
from karatage.training.crf.crf_settings import WORD_FEATURES, CrfSettings
from karatage.training.crf.features import Features
from karatage.training.crf.gazetteers import gazetteers_of
from karatage.training.crf.word_features import shape, shortened
from karatage.training.settings import settings_from

OFF = dict.fromkeys(WORD_FEATURES, False) | {
    "prefixes": 0,
    "suffixes": 0,
    "ends": False,
    "window": 0,
    "neighbours": (),
    "neighbour_affixes": 0,
    "pairs": False,
    "shape_pairs": False,
    "brackets": False,
    "group": False,
}


def seen(
    tokens: Sequence[Sequence[str]],
    groups: Sequence[str] | None = None,
    lists: dict[str, list[str]] | None = None,
    **wanted: object,
) -> list[list[str]]:
    """The sorted attributes of each token where only the wanted features are on."""
    settings = CrfSettings(**OFF | wanted)
    made = Features(settings, gazetteers_of(lists or {}, match_case=settings.match_case)).columns(tokens, groups)
    rows = [(column.keys, column.rows()) for column in made]
    count = sum(map(len, tokens))
    return [
        sorted(name.decode("utf-8", "surrogatepass") for keys, own in rows for name in own[keys[i]])
        for i in range(count)
    ]


def test_without_features_there_are_none() -> None:
    assert seen([["a", "b"]], ["1"]) == [[], []]


@pytest.mark.parametrize(
    ("word", "long", "short"),
    [
        ("Bremse12", "Xxxxxx99", "Xx9"),
        ("Ø259-ÄÖ", "X999-XX", "X9-X"),
        ("...", "...", "."),
        ("ß", "x", "x"),
        ("文字", "xx", "x"),
        ("", "", ""),
    ],
)
def test_shapes(word: str, long: str, short: str) -> None:
    assert shape(word) == long
    assert shortened(shape(word)) == short


def test_what_a_word_tells() -> None:
    """One attribute for each kind, and affixes up to the length of the word."""
    every = dict.fromkeys(WORD_FEATURES, True) | {"prefixes": 3, "suffixes": 2}
    assert seen([["VKMA-6"]], **every) == [
        ["c=X-9", "d=vkma-0", "l=vkma-6", "m=11001", "n=6", "p1=v", "p2=vk", "p3=vkm", "s=XXXX-9", "u1=6", "u2=-6",
         "w=VKMA-6"],
    ]  # fmt: skip
    assert seen([["x"]], prefixes=3, suffixes=2) == [["p1=x", "u1=x"]]
    assert seen([["Zahnriemensatz"]], shape=True, length=True) == [["n=10", "s=Xxxxxxxxxxxx"]]
    assert seen([["1.9/TDI"]], marks=True) == [["m=10110"]]


def test_neighbours_are_those_of_the_unit() -> None:
    """A neighbour's attributes begin with how far away it is; beyond the unit there is nobody, and that is told."""
    told = seen([["Für", "Audi"], ["A4"]], window=1, neighbours=("lower",), ends=True)
    assert told == [["+1:l=audi", "-1:none"], ["+1:none", "-1:l=für"], ["+1:none", "-1:none"]]
    assert seen([["a", "b", "c"]], window=2, neighbours=("word",))[0] == ["+1:w=b", "+2:w=c"]
    assert seen([["Satz", "a"]], window=1, neighbour_affixes=2)[1] == ["-1:p=sa", "-1:u=tz"]


def test_pairs_of_words() -> None:
    """The pair of a word and the next is seen from both, and from their neighbours."""
    told = seen([["A", "B", "C"], ["A"]], pairs=True)
    assert told == [
        ["+0:ll=a|b", "+1:ll=b|c"],
        ["+0:ll=b|c", "-1:ll=a|b"],
        ["-1:ll=b|c", "-2:ll=a|b"],
        [],
    ]


def test_pairs_of_shapes() -> None:
    assert seen([["Ab", "1", "x"]], shape_pairs=True) == [
        ["+0:cc=Xx|9"],
        ["+0:cc=9|x", "-1:cc=Xx|9", "-1:ccc=Xx|9|x"],
        ["-1:cc=9|x"],
    ]


def test_brackets() -> None:
    """What stands in brackets knows the first word in them; a bracket of the unit before is closed."""
    told = seen([["vgl", "(", "BGH", "1", ")", "."], ["x", "[", "y"], ["z", ")"]], brackets=True)
    assert told == [
        ["b=out"], ["b=open", "bl=bgh"], ["b=in", "bl=bgh"], ["b=in", "bl=bgh"], ["b=close", "bl=bgh"], ["b=out"],
        ["b=out"], ["b=open", "bl=y"], ["b=in", "bl=y"],
        ["b=out"], ["b=out"],
    ]  # fmt: skip


def test_groups() -> None:
    told = seen([["Für"], ["für", "b"]], ["1", "2"], group=True)
    assert told == [["g=1", "gl=1|für"], ["g=2", "gl=2|für"], ["g=2", "gl=2|b"]]
    assert seen([["a"]], None, group=True) == [[]]
    assert seen([["a"]], ["1"], group=True, per_group=True) == [[]]  # each group's model knows


def test_gazetteers() -> None:
    """A token knows its place in a match, and those of its neighbours."""
    told = seen([["der", "VW", "Golf", "plus", "ATE"]], lists={"models": ["vw golf plus", "ate"]})
    assert told == [
        ["+1:in models=B"],
        ["+0:in models=B", "+1:in models=I"],
        ["+0:in models=I", "+1:in models=E", "-1:in models=B"],
        ["+0:in models=E", "+1:in models=S", "-1:in models=I"],
        ["+0:in models=S", "-1:in models=E"],
    ]


def test_units_without_tokens() -> None:
    assert seen([[], ["a"], [], []], ["1", "1", "2", "2"], word=True, window=1, ends=True) == [
        ["+1:none", "-1:none", "w=a"]
    ]
    assert seen([], word=True) == []


def test_words_that_crfsuite_cannot_hold() -> None:
    """Its names end at a zero byte; half a surrogate pair, which comes of broken bytes, passes."""
    assert seen([["a\0b", "\udc80"]], word=True) == [["w=a␀b"], ["w=\udc80"]]


def test_an_unknown_feature_of_neighbours() -> None:
    with pytest.raises(UsageError, match="here: neighbours must be a list of word, lower, .*, not"):
        settings_from(CrfSettings, {"neighbours": ["words"]}, "here")
