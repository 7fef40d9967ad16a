"""What one word tells, as attributes: its text, shape, marks and affixes."""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby, product

from karatage.training.crf.crf_settings import KINDS, CrfSettings

_LONGEST = 10
"""Lengths from here on are one."""

_SHAPE = 12
"""Characters of a word that its shape tells."""


class _Classes(dict[int, str]):
    """What stands for a character in shapes; worked out where it is met first."""

    def __missing__(self, code: int) -> str:
        one = chr(code)
        self[code] = "X" if one.isupper() else "x" if one.isalpha() else "9" if one.isdigit() else one
        return self[code]


class _Digits(dict[int, str]):
    """0 for each digit; other characters stand for themselves."""

    def __missing__(self, code: int) -> str:
        self[code] = "0" if chr(code).isdigit() else chr(code)
        return self[code]


_CLASSES, _DIGITS = _Classes(), _Digits()


def shape(word: str) -> str:
    """Return a word with X for capitals, x for other letters and 9 for digits; the rest stays."""
    return word.translate(_CLASSES)


@lru_cache(1 << 14)
def shortened(form: str) -> str:
    """Return a shape with each run of one character as one."""
    return "".join(one for one, _ in groupby(form))


class Words:
    """What words tell under some settings.

    Args:
        settings: which features there are.
    """

    def __init__(self, settings: CrfSettings) -> None:
        self._own = [at for at, kind in enumerate(KINDS) if getattr(settings, kind)]
        self._around = [at for at, kind in enumerate(KINDS) if kind in settings.neighbours]
        self._prefixes, self._suffixes = settings.prefixes, settings.suffixes
        self._affix = settings.neighbour_affixes

    def told(self, word: str) -> tuple[list[str], list[str]]:
        """Return what a word tells of itself, and what of it the words around it see."""
        low, form, size = word.lower(), shape(word), len(word)
        made = _told(word, low, form)
        own = [made[i] for i in self._own]
        own += [f"p{n}={low[:n]}" for n in range(1, min(size, self._prefixes) + 1)]
        own += [f"u{n}={low[-n:]}" for n in range(1, min(size, self._suffixes) + 1)]
        around = [made[i] for i in self._around]
        if self._affix:
            around += [f"p={low[: self._affix]}", f"u={low[-self._affix :]}"]
        return own, around


_MARKS = {told: "m=" + "".join("01"[one] for one in told) for told in product((False, True), repeat=5)}
"""Whether a word has a digit, a hyphen, a full stop and a slash, and begins with a capital."""


def _told(word: str, low: str, form: str) -> tuple[str, ...]:
    """Return an attribute for each of the kinds."""
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
