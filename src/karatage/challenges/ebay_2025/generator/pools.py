"""Drawing words: from pools in which what comes first is drawn most often, and numbers from their shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Thing = TypeVar("Thing")
Dice = Callable[[], float]
"""Gives the next random number from 0 to below 1."""

Part = tuple[str, str]
"""Some words of a title and their aspect; the empty aspect is none."""

Parts = list[Part]
NO = ""

_SIZE = 4096


class Pool(Generic[Thing]):
    """Things to draw from, the first the likeliest, as in Zipf's law.

    Args:
        things: what to draw.
        steepness: how much likelier the first are; 0 makes all alike.
    """

    def __init__(self, things: Sequence[Thing], steepness: float = 1.0) -> None:
        self.things = things
        weights = [1 / (rank + 2) ** steepness for rank in range(len(things))]
        total = sum(weights)
        # Written out as often as it is likely, so that a draw is one look-up.
        self._written: list[Thing] = []
        due = 0.0
        for thing, weight in zip(things, weights, strict=True):
            due += weight / total * _SIZE
            self._written += [thing] * max(1, round(due) - len(self._written))

    def draw(self, dice: Dice) -> Thing:
        """Draw one."""
        return one_of(self._written, dice)


def one_of(things: Sequence[Thing], dice: Dice) -> Thing:
    """Draw one, all alike."""
    return things[int(dice() * len(things))]


def number(shape: str, dice: Dice) -> str:
    """Write a number of a shape: `#` is a digit, `@` a letter, all else stands for itself."""
    signs = {"#": "0123456789", "@": "ABCDEFGHKLMNPRSTX"}
    return "".join(one_of(signs[sign], dice) if sign in signs else sign for sign in shape)


def listed(text: str) -> tuple[str, ...]:
    """Split a table's line at its bars."""
    return tuple(entry.strip() for entry in text.split("|"))
