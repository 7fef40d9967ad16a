"""Words, characters, affixes and groups as numbers; vectors from files."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from karatage.claims import TokenColumn
from karatage.errors import FormatError, InputError
from karatage.training.network.lexicon import Lexicon, affixes, distinct, shape
from karatage.training.network.word_vectors import read_vectors

TOKENS = [["SKF", "für", "BMW"], [], ["BMW", "bmw"]]


def learned(**options: object) -> Lexicon:
    given: dict[str, object] = {"min_count": 1, "lowercase": False, "chars": False, "affixed": False}
    return Lexicon.learn(TOKENS, ["1", "2", "1"], **given | options)


def test_words_are_numbered_from_two() -> None:
    lexicon = learned()
    assert lexicon.words == {"SKF": 2, "für": 3, "BMW": 4, "bmw": 5}
    assert lexicon.groups == {"1": 1, "2": 2}
    assert lexicon.tables(["BMW", "Opel", "SKF"]).words.tolist() == [4, 1, 2]
    assert lexicon.group_numbers(["2", "9", "1"], 3).tolist() == [2, 0, 1]
    assert lexicon.group_numbers(None, 3).tolist() == [0, 0, 0]
    assert lexicon.tables(["x"]).chars is None
    assert lexicon.tables(["x"]).affixes is None


def test_rare_words_and_lower_case() -> None:
    assert learned(min_count=2).words == {"BMW": 2}
    small = learned(min_count=2, lowercase=True)
    assert small.words == {"bmw": 2}
    assert small.tables(["BMW", "Bmw", "SKF"]).words.tolist() == [2, 2, 1]


def test_words_from_elsewhere() -> None:
    assert learned(min_count=2, further=["Opel", "BMW"]).words == {"BMW": 2, "Opel": 3}


def test_characters() -> None:
    lexicon = learned(chars=True)
    assert lexicon.characters == {sign: at for at, sign in enumerate("SKFfürBMWbmw", 2)}
    table = lexicon.tables(["SK", "Fx", ""]).chars
    assert table is not None
    assert table.shape == (3, 24)
    assert table[:, :3].tolist() == [[2, 3, 0], [4, 1, 0], [0, 0, 0]]


def test_characters_of_any_script() -> None:
    """Also those that NumPy pads with, that take two units in other encodings, or that are half of a pair."""
    lexicon = Lexicon.learn([["a\0", "😀"]], None, min_count=1, lowercase=False, chars=True, affixed=False)
    assert lexicon.characters == {"a": 2, "\0": 3, "😀": 4}
    table = lexicon.tables(["\0a\0", "😀\U0010ffff", "\ud83d\ude00", "b"]).chars
    assert table is not None
    assert table[:, :4].tolist() == [[3, 2, 3, 0], [4, 1, 0, 0], [1, 1, 0, 0], [1, 0, 0, 0]]
    assert lexicon.tables([]).chars.shape == (0, 24)  # type: ignore[union-attr]


def test_affixes_of_no_words() -> None:
    assert learned(affixed=True).tables([]).affixes.shape == (0, 5)  # type: ignore[union-attr]


def test_of_a_long_word_front_and_end_are_read() -> None:
    lexicon = Lexicon.learn([["ab"]], None, min_count=1, lowercase=False, chars=True, affixed=False)
    table = lexicon.tables(["a" * 16 + "c" * 100 + "b" * 8, "a" * 24]).chars
    assert table is not None
    assert table.tolist() == [[2] * 16 + [3] * 8, [2] * 24]


def test_affixes_by_hand() -> None:
    assert affixes("VKMA06") == ("pvkm", "s06", "ta06", "hXXXdd", "lvkma06")
    assert affixes("a") == ("pa", "sa", "ta", "hx", "la")
    assert [shape(word) for word in ("Bremse", "1234-AB", "Ø259", "...", "")] == ["Xxxx", "ddd-XX", "Xddd", "...", ""]


def test_affixes_that_occur_once_are_unknown() -> None:
    """Of the four words two share their lower case, and all but one their last letters or shape."""
    lexicon = learned(affixed=True)
    # SKF, BMW, BMW share the shape XXX; BMW occurs twice, and bmw has its affixes but another shape.
    assert set(lexicon.affixes) == {"hXXX", "pbmw", "smw", "tbmw", "lbmw", "hxxx"}
    table = lexicon.tables(["bmw", "SKF"]).affixes
    assert table is not None
    number = lexicon.affixes
    assert table[0].tolist() == [number["pbmw"], number["smw"], number["tbmw"], number["hxxx"], number["lbmw"]]
    assert table[1].tolist() == [1, 1, 1, number["hXXX"], 1]


def test_as_plain_data() -> None:
    lexicon = learned(chars=True, affixed=True, lowercase=True)
    assert Lexicon.from_dict(lexicon.to_dict()) == lexicon
    with pytest.raises(ValueError, match="lists of strings"):
        Lexicon.from_dict({**lexicon.to_dict(), "words": [1]})


def test_distinct_words() -> None:
    for tokens in (TOKENS, TokenColumn.of(TOKENS)):
        codes, words = distinct(tokens)
        assert codes.tolist() == [0, 1, 2, 2, 3]
        assert words == ["SKF", "für", "BMW", "bmw"]
    assert distinct([[], []])[1] == []
    codes, words = distinct(TokenColumn.of([[], []]))
    assert (codes.tolist(), words) == ([], [])


def test_vectors(tmp_path: Path) -> None:
    """With or without a first line of sizes, compressed or not; the first of equal words counts."""
    rows = "BMW 1 2.5 -3\nbmw 4 5 6\nfür 7 8 9\n"
    plain, packed = tmp_path / "v.vec", tmp_path / "v.vec.gz"
    plain.write_text(rows, "utf-8")
    packed.write_bytes(gzip.compress(f"3 3\n{rows}".encode()))
    for path in (plain, packed):
        words, vectors = read_vectors(str(path), 10, lowercase=False)
        assert words == ["BMW", "bmw", "für"]
        assert vectors is not None
        assert vectors.dtype == np.float32
        assert vectors.tolist() == [[1, 2.5, -3], [4, 5, 6], [7, 8, 9]]
    words, vectors = read_vectors(str(plain), 10, lowercase=True)
    assert (words, vectors.tolist()) == (["bmw", "für"], [[1, 2.5, -3], [7, 8, 9]])  # type: ignore[union-attr]
    assert read_vectors(str(plain), 1, lowercase=False)[0] == ["BMW"]
    assert read_vectors("", 10, lowercase=False) == ([], None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a 1 2\nb 1\n", "v.vec:2: expected a word and 2 numbers"),
        ("a 1 2\nb 1 x\n", "v.vec:2: expected a word and 2 numbers"),
        ("a 1 nan\n", "v.vec:1: expected a word and 2 numbers"),
        ("a 1 2\nb 1 inf\n", "v.vec:2: expected a word and 2 numbers"),
        ("a 1 2\n\n", "v.vec:2: expected a word and 2 numbers"),
        ("word\n", "v.vec:1: expected a word and some numbers"),
        ("", "v.vec: contains no vectors"),
        ("100 300\n", "v.vec: contains no vectors"),
    ],
)
def test_damaged_vectors(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "v.vec"
    path.write_text(text, "utf-8")
    with pytest.raises(FormatError) as error:
        read_vectors(str(path), 10, lowercase=False)
    assert message in str(error.value)


def test_no_such_vectors(tmp_path: Path) -> None:
    with pytest.raises((InputError, OSError), match="No such file|no such file"):
        read_vectors(str(tmp_path / "none.vec"), 10, lowercase=False)


def test_words_that_were_asked_for_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """A word has the same rows whenever and how often it is asked for, also after all were forgotten."""
    from karatage.training.network import lexicon as room

    monkeypatch.setattr(room, "_REMEMBERED", 2)
    asked = learned(chars=True, affixed=True)
    for batch in (["BMW", "SKF", "BMW"], ["x"], ["SKF", "neu", "Opel"], [], ["neu", "BMW"]):
        fresh = learned(chars=True, affixed=True)._numbers(batch)
        found = asked.tables(batch)
        for name in ("words", "chars", "affixes"):
            assert getattr(found, name).tolist() == getattr(fresh, name).tolist()
