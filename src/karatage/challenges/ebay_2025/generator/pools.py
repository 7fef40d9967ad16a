"""Drawing words: from pools in which what comes first is drawn most often, and numbers from their shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from karatage.challenges.ebay_2025.generator.makers import ENDINGS, SYLLABLES

Thing = TypeVar("Thing")
Dice = Callable[[], float]
"""Gives the next random number from 0 to below 1."""

_SIZE = 4096
_LETTERS = "ABCDEFGHKLMNPRSTX"


class Pool(Generic[Thing]):
    """Things to draw from, the first the likeliest, as in Zipf's law.

    Args:
        things: what to draw.
        steepness: how much likelier the first are; 0 makes all alike.
    """

    def __init__(self, things: Sequence[Thing], steepness: float = 1.0) -> None:
        weights = [1 / (rank + 2) ** steepness for rank in range(len(things))]
        total = sum(weights)
        # Written out as often as it is likely, so that a draw is one look-up.
        self._written: list[Thing] = []
        due = 0.0
        for thing, weight in zip(things, weights, strict=True):
            due += weight / total * _SIZE
            self._written += [thing] * max(1, round(due) - len(self._written))
        self._size = len(self._written)

    def draw(self, dice: Dice) -> Thing:
        """Draw one."""
        return self._written[int(dice() * self._size)]


def one_of(things: Sequence[Thing], dice: Dice) -> Thing:
    """Draw one, all alike."""
    return things[int(dice() * len(things))]


def number(shape: str, dice: Dice) -> str:
    """Write a number of a shape: `#` is a digit, `@` a letter, all else stands for itself."""
    out = []
    for sign in shape:
        if sign == "#":
            out.append("0123456789"[int(dice() * 10)])
        elif sign == "@":
            out.append(_LETTERS[int(dice() * len(_LETTERS))])
        else:
            out.append(sign)
    return "".join(out)


def new_name(dice: Dice) -> str:
    """Make up the name of a small maker."""
    name = SYLLABLES[int(dice() * len(SYLLABLES))] + ENDINGS[int(dice() * len(ENDINGS))]
    if dice() < 0.3:
        name = SYLLABLES[int(dice() * len(SYLLABLES))] + name.lower()
    return name.upper() if dice() < 0.5 else name
