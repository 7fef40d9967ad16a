"""Texts that look the same and are not: Unicode writes é as one character (NFC) or as e and an accent (NFD)."""

from __future__ import annotations

from typing import Literal
from unicodedata import is_normalized, normalize

_FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")


def composed(text: str) -> str:
    """Return a text in the normal form NFC, in which the same letters are equal."""
    return text if text.isascii() else normalize("NFC", text)


def form_of(text: str) -> str:
    """Name the normal form of a text."""
    return next((form for form in _FORMS if is_normalized(form, text)), "no normal form")


def form_difference(gold: str, pred: str) -> str:
    """Say that two texts differ in their normal form only, to be put behind both; empty where that is not so."""
    if gold == pred or gold.isascii() or pred.isascii() or composed(gold) != composed(pred):
        return ""
    return f"; only the Unicode normal form differs: {form_of(gold)} in gold, {form_of(pred)} in the predictions"
