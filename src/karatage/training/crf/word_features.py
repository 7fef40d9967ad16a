"""The features of a word: its text, shape, punctuation and affixes."""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby, product

from karatage.training.crf.crf_settings import WORD_FEATURES, CrfSettings

_LONGEST = 10
"""Longer words have this length."""

_SHAPE = 12
"""How many characters the shape has."""


class _Classes(dict[int, str]):
    """The class of each character in shapes."""

    def __missing__(self, code: int) -> str:
        one = chr(code)
        self[code] = "X" if one.isupper() else "x" if one.isalpha() else "9" if one.isdigit() else one
        return self[code]


class _Digits(dict[int, str]):
    """0 for each digit; other characters stay."""

    def __missing__(self, code: int) -> str:
        self[code] = "0" if chr(code).isdigit() else chr(code)
        return self[code]


_CLASSES, _DIGITS = _Classes(), _Digits()


def shape(word: str) -> str:
    """Return a word with X for capitals, x for other letters and 9 for digits."""
    return word.translate(_CLASSES)


@lru_cache(1 << 14)
def shortened(form: str) -> str:
    """Return a shape with repeated characters collapsed."""
    return "".join(one for one, _ in groupby(form))


class WordFeatures:
    """Makes the features of words."""

    def __init__(self, settings: CrfSettings) -> None:
        self._own = [at for at, kind in enumerate(WORD_FEATURES) if getattr(settings, kind)]
        self._around = [at for at, kind in enumerate(WORD_FEATURES) if kind in settings.neighbours]
        self._prefixes, self._suffixes = settings.prefixes, settings.suffixes
        self._affix = settings.neighbour_affixes

    def features(self, word: str) -> tuple[list[str], list[str]]:
        """Return the features of a word for itself and for its neighbours."""
        low, form, size = word.lower(), shape(word), len(word)
        made = _plain_features(word, low, form)
        own = [made[i] for i in self._own]
        own += [f"p{n}={low[:n]}" for n in range(1, min(size, self._prefixes) + 1)]
        own += [f"u{n}={low[-n:]}" for n in range(1, min(size, self._suffixes) + 1)]
        around = [made[i] for i in self._around]
        if self._affix:
            around += [f"p={low[: self._affix]}", f"u={low[-self._affix :]}"]
        return own, around


_MARKS = {marks: "m=" + "".join("01"[one] for one in marks) for marks in product((False, True), repeat=5)}
"""Whether a word contains a digit, a hyphen, a full stop, a slash, and starts with a capital."""


def _plain_features(word: str, low: str, form: str) -> tuple[str, ...]:
    """Return the features in the order of `WORD_FEATURES`."""
    marks = ("9" in form, "-" in form, "." in form, "/" in form, form.startswith("X"))
    return (
        "w=" + word,
        "l=" + low,
        "s=" + form[:_SHAPE],
        "c=" + shortened(form),
        "d=" + low.translate(_DIGITS),
        _MARKS[marks],
        f"n={min(len(word), _LONGEST)}",
    )
