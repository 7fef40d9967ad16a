"""What a tokenizer may make of a text, and what it cannot have made of it."""

from __future__ import annotations

import pytest

from karatage.formats import fits


def in_bytes(text: str) -> str:
    """Write a text as GPT-2 does: a letter for each byte, the blank as Ġ, those without a letter from U+0100 on."""
    shown = {*range(33, 127), *range(161, 173), *range(174, 256)}
    hidden = [byte for byte in range(256) if byte not in shown]
    return "".join(chr(byte if byte in shown else 256 + hidden.index(byte)) for byte in text.encode())


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("Berlin", "Berlin"),
        ("berlin", "Berlin"),
        ("##lin", "lin"),
        ("▁New▁York", "New York"),
        ("New York", "New\n York"),
        ("U. S.", "U.S."),
        ("koln", "Köln"),  # an uncased model drops accents
        ("strasse", "Straße"),
        ("fix", "ﬁx"),
        ("[UNK]", "☃"),
        ("ĠKÃ¶ln", " Köln"),
        (in_bytes("Москва"), "Москва"),
        (in_bytes("Москва")[1:-1], "Москва"),  # cut within the first and the last letter
        (in_bytes("é")[:1], "é"),
    ],
)
def test_words_that_fit(word: str, text: str) -> None:
    assert fits(word, text)


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("Anna", "Otto"),
        ("Köln", "öln "),
        ("Köln", "ln.."),
        ("café", "kaffee"),  # é alone would be the first byte of a letter that is cut
        ("Москва", "квартал"),
        (in_bytes("Москва"), "квартал"),
        ("", "x"),
        ("x", ""),
    ],
)
def test_words_that_do_not_fit(word: str, text: str) -> None:
    assert not fits(word, text)
