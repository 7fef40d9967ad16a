"""Ids of gold and predictions that differ only in how they are written: in upper case, blanks or Unicode form."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple
from unicodedata import normalize

from karatage.matching.normal_forms import composed, form_of

_BLANKS = "blanks or underscores"
_WAYS: dict[str, Callable[[str], str]] = {
    "Unicode form": lambda text: text if text.isascii() else normalize("NFKC", text),
    "upper case": str.casefold,
    _BLANKS: lambda text: " ".join(text.replace("_", " ").split()),
}
"""What ids may differ in, and what makes them equal; in this order, as folding case makes new letters."""


class NearIds(NamedTuple):
    """Ids that each side has alone, but that differ only in how they are written.

    Attributes:
        pairs: how many there are.
        gold: an id of gold.
        pred: the id of the predictions that looks like it.
        ways: what they differ in.
    """

    pairs: int
    gold: str
    pred: str
    ways: tuple[str, ...]

    @property
    def how(self) -> str:
        """What they differ in, for messages."""
        return f"only in {' and '.join(self.ways)}"

    @property
    def example(self) -> str:
        """A pair of them, for messages; ids that look the same are told by their normal forms."""
        same = composed(self.gold) == composed(self.pred)
        forms = [f" ({form_of(name)})" if same else "" for name in (self.gold, self.pred)]
        return f"e.g. {self.gold!r}{forms[0]} in gold and {self.pred!r}{forms[1]} in the predictions"

    @property
    def blanks(self) -> bool:
        """Whether blanks or underscores are among what they differ in."""
        return _BLANKS in self.ways


def folded(name: str) -> str:
    """Return an id in a form in which ids that differ only in how they are written are equal."""
    for fold in _WAYS.values():
        name = fold(name)
    return name


def near_ids(gold: Iterable[str], pred: Iterable[str]) -> NearIds | None:
    """Find ids that only gold has and ids that only the predictions have, but that look alike; None without any."""
    theirs = {folded(name): name for name in pred}
    pairs = [(name, theirs[form]) for name in gold if (form := folded(name)) in theirs] if theirs else []
    if not pairs:
        return None
    used = {way for pair in pairs[:100] for way in ways(*pair)}
    return NearIds(len(pairs), *pairs[0], tuple(way for way in _WAYS if way in used))


def ways(one: str, other: str) -> list[str]:
    """Say in what two ids differ that look alike: in each way without which they would stay different."""
    needed = []
    for way in _WAYS:
        pair = [one, other]
        for name, fold in _WAYS.items():
            if name != way:
                pair = [fold(text) for text in pair]
        if pair[0] != pair[1]:
            needed.append(way)
    return needed or list(_WAYS)[:1]
