"""From tokens to characters and back, and from spans to values."""

from __future__ import annotations

from pathlib import Path

import pytest

from karatage.claims import Claims, Tagged, Tags, Units, join_batches
from karatage.errors import FormatError, UsageError
from karatage.formats import Format, Lost, ReadOptions, Source, get_format
from karatage.formats.conversion import convert, find_words, to_chars, to_tokens

TOKENS = [["New", "York", "City", "!"], []]


def _tokens(texts: list[str] | None = None) -> Claims:
    rows = [(0, "LOC", 0, 3, None, None), (0, "X", 0, 4, ((0, 1), (3, 4)), "v")]
    return Claims.build(Units(2, tokens=TOKENS, texts=texts), "token", rows)


def test_tokens_joined() -> None:
    """Without a text, tokens are joined by one blank: New York City ! has City at 9–13 and ! at 14."""
    claims = to_chars(_tokens())
    assert claims.units.texts == ["New York City !", ""]
    assert list(claims.rows()) == [(0, "LOC", 0, 13, None, None), (0, "X", 0, 15, ((0, 3), (14, 15)), "v")]


def test_tokens_in_their_text() -> None:
    """A text that holds the tokens in order keeps its own blanks; one that does not is replaced."""
    claims = to_chars(_tokens(["In New  York City!", ""]))
    assert claims.units.texts == ["In New  York City!", ""]
    assert list(claims.rows()) == [(0, "LOC", 3, 17, None, None), (0, "X", 3, 18, ((3, 6), (17, 18)), "v")]
    assert to_chars(_tokens(["York New City!", ""])).units.texts == ["New York City !", ""]


def test_tokens_that_are_empty() -> None:
    """An empty token keeps its place between two blanks."""
    claims = Claims.build(Units(1, tokens=[["a", "", "b"]]), "token", [(0, "X", 2, 3, None, None)])
    assert [row[2:4] for row in to_chars(claims).rows()] == [(3, 4)]


def test_words_of_a_text() -> None:
    """Words, marks one by one, and letters that carry marks; blanks are no tokens."""
    text = "Straße-12, नमस्ते 😀!"
    assert [text[a:b] for a, b in find_words(text)] == ["Straße", "-", "12", ",", "नमस्ते", "😀", "!"]


def test_spans_to_tokens() -> None:
    """A span inside of a word, or with a blank at its end, has no tokens and is counted."""
    units = Units(1, texts=["New York!"])
    rows = [
        (0, "A", 0, 8, None, None),
        (0, "B", 1, 8, None, None),
        (0, "C", 0, 4, None, None),
        (0, "D", 0, 9, ((0, 3), (8, 9)), None),
    ]
    lost = Lost()
    claims = to_tokens(Claims.build(units, "char", rows), lost)
    assert claims.units.tokens == [["New", "York", "!"]]
    assert [row[1:5] for row in claims.rows()] == [("A", 0, 2, None), ("D", 0, 3, ((0, 1), (2, 3)))]
    assert lost == {"spans that do not match token boundaries": 2}


def test_known_tokens_are_kept() -> None:
    """Tokens that the source had are used, if the text holds them."""
    units = Units(1, texts=["New York!"], tokens=[["New York", "!"]])
    claims = to_tokens(Claims.build(units, "char", [(0, "A", 0, 8, None, None)]), Lost())
    assert [row[2:4] for row in claims.rows()] == [(0, 1)]


def test_there_and_back() -> None:
    """Tokens to characters to tokens gives the same spans."""
    claims = _tokens()
    assert list(to_tokens(to_chars(claims), Lost()).rows()) == list(claims.rows())


def test_values() -> None:
    """A value is what the span covers; pieces are joined by a blank; a known value stays."""
    assert [row[5] for row in _tokens().with_values().rows()] == ["New York City", "v"]


def test_what_is_unknown() -> None:
    """Without text or tokens, spans cannot be placed anew."""
    with pytest.raises(FormatError, match="without the tokens"):
        to_chars(Claims.build(Units(1), "token", [(0, "A", 0, 1, None, None)]))
    with pytest.raises(FormatError, match="without the texts"):
        to_tokens(Claims.build(Units(1), "char", [(0, "A", 0, 1, None, None)]), Lost())


def test_tags_are_decoded(tmp_path: Path) -> None:
    """A corpus may come as tags."""
    tagged = Tagged(Units(1, tokens=[["a", "b"]]), (Tags.from_lists([["B-X", "I-X"]]),))
    lost = convert([tagged], get_format("doccano"), str(tmp_path / "out.jsonl"))
    assert lost == {"tokens": 1}
    back = join_batches(get_format("doccano").read(Source(tmp_path / "out.jsonl"), ReadOptions()))
    assert list(back.rows()) == [(0, "X", 0, 3, None, None)]


def test_values_that_are_not_the_text(tmp_path: Path) -> None:
    """A format without values holds those that can be read off the text; others are lost."""
    units = Units(1, texts=["Rio"])
    claims = Claims.build(units, "char", [(0, "A", 0, 3, None, "Rio"), (0, "B", 0, 3, None, "Rio de Janeiro")])
    lost = convert([claims], get_format("doccano"), str(tmp_path / "out.jsonl"))
    assert lost == {"values that differ from the text of their span": 1}


def test_formats_that_cannot_be_written(tmp_path: Path) -> None:
    """A format without a writer says so."""
    form = Format("x", "X.", (), frozenset(), lambda _: False, lambda _s, _o: iter(()))
    with pytest.raises(UsageError, match="can be read but not written"):
        convert([], form, str(tmp_path / "out"))
