"""One sentence that says what was found, and the numbers in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Self

from karatage._printing import named
from karatage.comparison import Difference
from karatage.metrics import Score
from karatage.stats import LEVEL

_DIGITS = range(3, 7)
"""Numbers have the first of these many decimal places with which none becomes 0 or 1 by rounding."""

NAMED = 3
"""More names than these are counted instead."""

_F_SCORE = re.compile(r"((?:(?:macro|weighted|micro|token|strict|exact|partial|type)_)*)f([0-9.]+)")


_ONE_WORD = re.compile(r"[\w.+=/@:~#-]*[^\W\d_][\w.+=/@:~#-]*")
"""Names that cannot be taken for anything else in a sentence; others, such as numbers, stand in quotation marks."""


class SystemName(str):
    """The name of a system, in an answer; in the sentence it stands in quotation marks unless it is one plain word."""

    __slots__ = ()


class LabelName(str):
    """A label or a stratum, in an answer; in the sentence it stands between backticks."""

    __slots__ = ()


class AnswerText(str):
    """What was found, in one sentence.

    Attributes:
        parts: the sentence in pieces, so that pages can link and style the names in it: each piece is plain text, a
            `SystemName` or a `LabelName`.
    """

    parts: tuple[str, ...]

    def __new__(cls, parts: Iterable[str]) -> Self:
        """Join the pieces to a sentence: the first letter becomes a capital, and a full stop is added.

        Neither a name nor the name of a metric changes its first letter.
        """
        pieces = [*parts, "."]
        if not isinstance(pieces[0], SystemName | LabelName) and pieces[0].split(" ")[0].isalpha():
            word, *rest = pieces[0].split(" ", 1)
            pieces[0] = " ".join([word.capitalize() if word.islower() else word, *rest])
        made = super().__new__(cls, "".join(f"`{named(p)}`" if isinstance(p, LabelName) else _shown(p) for p in pieces))
        made.parts = tuple(pieces)
        return made

    def __getnewargs__(self) -> tuple[tuple[str, ...]]:  # type: ignore[override]  # made of pieces, not of a string
        return (self.parts[:-1],)


def _shown(part: str) -> str:
    if not isinstance(part, SystemName):
        return part
    return named(part) if _ONE_WORD.fullmatch(part) else f"“{named(part)}”"


def metric_text(name: str) -> str:
    """Return a metric as a sentence has it: F1, macro F1, nDCG@10."""
    found = _F_SCORE.fullmatch(name)
    return f"{found[1].replace('_', ' ')}F{found[2]}" if found else named(name)


def numbers(*values: float) -> list[str]:
    """Return numbers as text, with as many decimal places as it takes to tell them from 0 and 1."""
    digits = max(map(_digits, values), default=_DIGITS[0])
    return [f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−") for value in values]


def _digits(value: float) -> int:
    if value in (0, 1, -1):
        return _DIGITS[0]
    return next((digits for digits in _DIGITS if round(value, digits) not in (0, 1, -1)), _DIGITS[0])


def score_text(score: Score, level: float | None = None) -> str:
    """Return a score that is defined, with its interval where it has one: 0.845 (0.829–0.860)."""
    if score.low is None or score.high is None:
        return numbers(float(score))[0]
    value, *ends = numbers(float(score), score.low, score.high)
    return f"{value} ({_between(ends, level)})"


def difference_texts(difference: Difference, *, higher_is_better: bool, level: float) -> tuple[str, str]:
    """Return by how much the first system is better, and the interval of that; empty where there is none."""
    sign = 1 if higher_is_better else -1
    value = sign * (difference.value or 0.0)
    if difference.low is None or difference.high is None:
        return numbers(value)[0], ""
    text, *ends = numbers(value, *sorted((sign * difference.low, sign * difference.high)))
    return text, _between(ends, level)


def _between(ends: Sequence[str], level: float | None) -> str:
    low, high = ends
    span = f"{low} to {high}" if low.startswith("−") else f"{low}–{high}"
    return span if level in (None, LEVEL) else f"{100 * (level or 0.0):.10g} % interval {span}"


def listed(names: Sequence[str], last: str = "and") -> list[str]:
    """Return the pieces of a list of systems: a, b and c."""
    out: list[str] = []
    for place, name in enumerate(names):
        joint = "" if place == 0 else f" {last} " if place == len(names) - 1 else ", "
        out += [joint, SystemName(name)] if joint else [SystemName(name)]
    return out


def labels_text(labels: Sequence[str]) -> list[str]:
    """Return the pieces for some labels: the name of a single one, or how many there are."""
    return [LabelName(labels[0])] if len(labels) == 1 else [f"{len(labels):,} labels"]
