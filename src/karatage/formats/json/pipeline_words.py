"""Whether the `word` of a pipeline is the text at its offsets, although tokenizers rewrite words in their own ways."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from unicodedata import combining, normalize

_MARKS = re.compile(r"##|▁|</w>|@@|\s")
"""How subword tokenizers mark the parts of words, and blanks, which they set anew."""
_UNKNOWN = re.compile(r"\[UNK\]|<unk>", re.IGNORECASE)


def fits(word: str, text: str) -> bool:
    """Whether a word may be this text: only blanks, marks of subwords, case and accents may differ.

    A word with an unknown token may be anything. Of a word in bytes, the first and the last character may be cut.
    """
    if word == text or _UNKNOWN.search(word):
        return True
    wanted = _folded(text)
    if _folded(word) == wanted:
        return True
    try:
        raw = bytes(map(_BYTES.__getitem__, word))
        found = getincrementaldecoder("utf-8")().decode(raw.lstrip(_CONTINUED))
    except (KeyError, UnicodeDecodeError):
        return False  # not written in bytes
    cut = len(found.encode()) < len(raw)
    return _folded(found) == wanted or (cut and _folded(found) in wanted)


def _folded(text: str) -> str:
    """Return a text without what a tokenizer may change."""
    letters = normalize("NFKD", _MARKS.sub("", text))
    return "".join(letter for letter in letters.casefold() if not combining(letter))


def _byte_letters() -> dict[str, int]:
    """Return the letter that GPT-2 and its successors write for each byte: itself where it is printable."""
    shown = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {chr(byte): byte for byte in shown} | {chr(256 + k): byte for k, byte in enumerate(hidden)} | {" ": 32}


_BYTES = _byte_letters()
_CONTINUED = bytes(range(0x80, 0xC0))
"""The bytes of UTF-8 that no character starts with."""
