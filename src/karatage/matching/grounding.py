"""Grounding: where values without offsets occur in the text, so that they can be scored as spans.

A value is sought in the text as it is, or in the form in which values are compared; runs of blanks are one blank in any
case. An occurrence that starts or ends within a word counts only where no other one is found, as in scripts without
blanks between words. In tokens, an occurrence starts and ends with a token.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple
from unicodedata import category

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.claims import Claims
from karatage.errors import InputError
from karatage.matching.value_forms import ValueForm, folded

Ground = Literal["none", "first", "all"]
"""Which occurrences of a value are spans."""

NOWHERE = -1
"""The start and end of a value that does not occur in the text."""


class Grounded(NamedTuple):
    """Values as spans.

    Attributes:
        claims: the claims; start and end are `NOWHERE` for a value that its text does not contain.
        repeated: how many values were left out because the same value stands for all its occurrences already.
        shared: how many values stand for the same occurrence as with another label, though there are more occurrences.
    """

    claims: Claims
    repeated: int
    shared: int = 0


class _Place(NamedTuple):
    """Where a value occurs: half-open, in characters or tokens."""

    start: int
    end: int


@dataclass(frozen=True)
class SoughtText:
    """A text in the form in which values are sought in it.

    Attributes:
        text: the form.
        start, end: which part of the original each of its characters stands for.
        form: the form.
        blanks: whether blanks are kept, as one each.
    """

    text: str
    start: tuple[int, ...]
    end: tuple[int, ...]
    form: ValueForm
    blanks: bool

    @classmethod
    def of_text(cls, text: str, form: ValueForm) -> SoughtText:
        """Fold a text; offsets count characters."""
        return cls._of(((letter, k, k + 1) for k, letter in enumerate(text)), form, blanks=True)

    @classmethod
    def of_tokens(cls, tokens: Sequence[str], form: ValueForm) -> SoughtText:
        """Fold tokens, without blanks; offsets count tokens."""
        return cls._of(((token, k, k + 1) for k, token in enumerate(tokens)), form, blanks=False)

    @classmethod
    def _of(cls, parts: Iterable[tuple[str, int, int]], form: ValueForm, *, blanks: bool) -> SoughtText:
        letters: list[str] = []
        low: list[int] = []
        high: list[int] = []
        for part, start, end in parts:
            for letter in "".join(folded(one, form) for one in part):
                blank = letter.isspace()
                if blank and (not blanks or (letters and letters[-1] == " ")):
                    continue
                letters.append(" " if blank else letter)
                low.append(start)
                high.append(end)
        return cls("".join(letters), tuple(low), tuple(high), form, blanks)

    def find(self, value: str) -> list[_Place]:
        """Return where a value occurs, from the start of the text, without overlaps."""
        words = "".join(folded(letter, self.form) for letter in value).split()
        needle = (" " if self.blanks else "").join(words)
        if not needle:
            return []
        every = [at for at in self._every(needle) if self._whole_parts(at, at + len(needle))]
        if self.blanks:
            every = [at for at in every if self._whole_words(at, at + len(needle))] or every
        chosen: list[_Place] = []
        for at in every:
            place = _Place(self.start[at], self.end[at + len(needle) - 1])
            if not chosen or place.start >= chosen[-1].end:
                chosen.append(place)
        return chosen

    def _every(self, needle: str) -> list[int]:
        found, at = [], self.text.find(needle)
        while at >= 0:
            found.append(at)
            at = self.text.find(needle, at + 1)
        return found

    def _whole_parts(self, low: int, high: int) -> bool:
        """Whether a match does not start or end within a token, or within a letter of several characters."""
        before = low == 0 or self.start[low - 1] != self.start[low]
        if high == len(self.text):
            return before
        accent = category(self.text[high]).startswith("M")
        return before and not accent and self.start[high] != self.start[high - 1]

    def _whole_words(self, low: int, high: int) -> bool:
        before = low > 0 and _in_word(self.text[low - 1]) and _in_word(self.text[low])
        behind = high < len(self.text) and _in_word(self.text[high - 1]) and _in_word(self.text[high])
        return not (before or behind)


def _in_word(letter: str) -> bool:
    return letter.isalnum() or category(letter).startswith("M")


def ground(gold: Claims, pred: Claims, how: Ground, form: ValueForm) -> Grounded:
    """Turn predicted values into spans of the text of their unit.

    Args:
        gold: gold with offsets; its texts, or those of the predictions, are searched.
        pred: predictions without offsets, of the same units.
        how: `first`: the n-th time that a unit has a value with a label, it stands for the n-th occurrence, or for the
            last one if there are fewer; the order of predictions does not matter. `all`: a value stands for all
            occurrences, however often the unit has it.
        form: the form in which values are sought.
    """
    texts = _texts(gold, pred, form)
    places: dict[tuple[int, int], list[_Place]] = {}
    used: Counter[tuple[int, int, int]] = Counter()
    rows: list[int] = []
    found: list[_Place] = []
    repeated = 0
    codes = np.full(len(pred), -1) if pred.value is None else pred.value
    for row, (unit, label, code) in enumerate(
        zip(pred.unit.tolist(), pred.label.tolist(), codes.tolist(), strict=True)
    ):
        if (unit, code) not in places:
            places[unit, code] = texts[unit].find(pred.values[code]) if code >= 0 else []
        own, again = places[unit, code], used[unit, label, code]
        used[unit, label, code] += 1
        if how == "all" and own and again:
            repeated += 1
            continue
        here = own if how == "all" else own[again : again + 1] or own[-1:]
        for place in here or [_Place(NOWHERE, NOWHERE)]:
            rows.append(row)
            found.append(place)
    ends = np.array(found, np.int64).reshape(-1, 2)
    spans = replace(pred.keep(np.array(rows, np.int64)), space=gold.space, start=ends[:, 0], end=ends[:, 1])
    order = np.lexsort((spans.label, spans.end, spans.start, spans.unit))
    return Grounded(spans.keep(order), repeated, 0 if how == "all" else _shared(used, places))


def _shared(used: Iterable[tuple[int, int, int]], places: Mapping[tuple[int, int], Sequence[_Place]]) -> int:
    """Count the values that have several labels in a unit, where there is more than one occurrence."""
    labels = Counter((unit, code) for unit, _, code in used)
    return sum(count for key, count in labels.items() if count > 1 and len(places[key]) > 1)


def _texts(gold: Claims, pred: Claims, form: ValueForm) -> list[SoughtText]:
    """Return the text of each unit as values are sought in it, gold's first."""
    count = len(gold.units)
    if gold.space == "token":
        tokens = gold.units.tokens if gold.units.tokens is not None else pred.units.tokens
        if tokens is None and count:
            raise _no_text(pred, "tokens")
        return [SoughtText.of_tokens(list(tokens[k]), form) for k in range(count)] if tokens is not None else []
    ours, theirs = gold.units.texts, pred.units.texts
    if ours is None and theirs is None and count:
        raise _no_text(pred, "texts")
    both = ((ours or [""] * count)[k] or (theirs or [""] * count)[k] for k in range(count))
    return [SoughtText.of_text(text, form) for text in both]


def _no_text(pred: Claims, what: str) -> InputError:
    return InputError(
        f"values cannot be found in the text: neither gold nor predictions have {what}",
        source=pred.units.source,
        hint="Add the text of each record to gold, or score values with --like values",
    )


def texts_known(gold: Claims, pred: Claims) -> Bools:
    """Return which units have a text, or tokens, to look for values in; one that is empty is unknown."""
    columns = [column for units in (gold.units, pred.units) for column in (units.texts, units.tokens)]
    return np.array(
        [any(column is not None and len(column[k]) > 0 for column in columns) for k in range(len(gold.units))], bool
    )


def absent(pred: Claims, rows: Ints, texts: Sequence[str], form: ValueForm) -> Ints:
    """Return which of some values do not occur in the text of their unit, as places in `rows`."""
    sought: dict[int, tuple[str, str]] = {}
    out = []
    codes = np.full(len(pred), -1) if pred.value is None else pred.value
    for at, (unit, code) in enumerate(zip(pred.unit[rows].tolist(), codes[rows].tolist(), strict=True)):
        if unit not in sought:
            text = form(texts[unit])
            # A value that was made of tokens has one blank where the text may have several.
            sought[unit] = text, " ".join(text.split())
        value = form(pred.values[code]) if code >= 0 else ""
        if not any(value in text for text in sought[unit]):
            out.append(at)
    return np.array(out, np.int64)
