"""Predicted offsets that can be seen to be wrong: beyond the text, next to gold's, or for other words than gold's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.claims import Claims
from karatage.formats import OffsetCauses
from karatage.matching import Pair
from karatage.scoring.nouns import Nouns
from karatage.scoring.unit_examples import UnitExample

_SHIFTS: dict[tuple[int, int], str] = {
    (0, -1): "end one {0} before a gold {1} with the same start: are the predicted ends inclusive?",
    (0, 1): "end one {0} after a gold {1} with the same start: are the ends in gold inclusive?",
    (1, 1): "are one {0} after a gold {1}: do the predicted offsets count from 1?",
    (-1, -1): "are one {0} before a gold {1}: do the offsets in gold count from 1?",
    (1, 0): "start one {0} after a gold {1} with the same end: do they count from 1, with inclusive ends?",
    (-1, 0): "start one {0} before a gold {1} with the same end: does gold count from 1, with inclusive ends?",
}
"""How a prediction may differ from a gold span in its start and end, and what that may mean."""
_ENCODINGS: dict[str, Callable[[str], int]] = {
    "bytes of UTF-8": lambda letter: len(letter.encode("utf-8", "surrogatepass")),
    "UTF-16 code units": lambda letter: 1 + (ord(letter) > 0xFFFF),
}
_LARGEST = 2**62
_SHOWN = 30


class OffsetCheck:
    """Looks at the offsets of predictions.

    Args:
        compare: whether texts and words are compared as well.
    """

    def __init__(self, *, compare: bool) -> None:
        self._compare = compare
        self._counts: Counter[str] = Counter()
        self._shifted: Counter[tuple[int, int]] = Counter()
        self._encoded: Counter[str] = Counter()
        self._examples: dict[str, UnitExample] = {}
        self._lengths = OffsetCauses()
        self._space = "char"

    def add(self, pair: Pair) -> None:
        """Look at a batch of paired units."""
        gold, pred = pair
        if gold.space != pred.space or gold.space == "value" or not len(pred):
            return
        self._space = gold.space
        self._duplicates(pred)
        keys = _keys(gold, pred)
        if keys is not None:
            self._neighbours(gold, pred, *keys)
        if self._compare:
            self._beyond(gold, pred)
            if keys is not None and gold.space == "char":
                self._words(gold, pred, *keys)

    def _note(self, what: str, unit: str | int, shown: str) -> None:
        self._counts[what] += 1
        self._examples.setdefault(what, UnitExample(unit, shown))

    def _duplicates(self, pred: Claims) -> None:
        """Count predictions that are the same as the one before them, which is where equal ones are."""
        columns = [pred.unit, pred.label, pred.start, pred.end, *([] if pred.shape is None else [pred.shape])]
        same = np.logical_and.reduce([column[1:] == column[:-1] for column in columns])
        for row in np.flatnonzero(same)[:1].tolist():
            shown = f"{pred.labels[pred.label[row]]} {pred.start[row]}–{pred.end[row]}"
            self._examples.setdefault("duplicates", UnitExample(pred.units.name(int(pred.unit[row])), shown))
        self._counts["duplicates"] += int(same.sum())

    def _neighbours(self, gold: Claims, pred: Claims, ours: Ints, theirs: Callable[[int, int], Ints]) -> None:
        """Count predictions that are at a gold span, and next to one."""
        same = np.isin(theirs(0, 0), ours)
        self._counts["predicted"] += len(pred)
        self._counts["same"] += int(same.sum())
        for shift in _SHIFTS:
            self._shifted[shift] += int(np.isin(theirs(-shift[0], -shift[1]), ours).sum())
        texts = gold.units.texts if gold.units.texts is not None else pred.units.texts
        if gold.space == "char" and texts is not None and not same.all():
            self._other_counts(gold, pred, texts, same)

    def _other_counts(self, gold: Claims, pred: Claims, texts: object, same: Bools) -> None:
        """Count predictions that are at a gold span if their offsets count bytes, or UTF-16 units."""
        wanted: dict[int, set[tuple[int, int]]] = {}
        for unit, _, start, end, _, _ in gold.rows():
            wanted.setdefault(unit, set()).add((start, end))
        places: dict[tuple[str, int], dict[int, int]] = {}
        for row in np.flatnonzero(~same).tolist():
            unit, span = int(pred.unit[row]), (int(pred.start[row]), int(pred.end[row]))
            text: str = texts[unit]  # type: ignore[index]  # a column of texts
            if text.isascii() or unit not in wanted:
                continue
            for name, size in _ENCODINGS.items():
                if (name, unit) not in places:
                    ends = np.cumsum([0, *map(size, text)]).tolist()
                    places[name, unit] = {place: at for at, place in enumerate(ends)}
                found = places[name, unit]
                self._encoded[name] += (found.get(span[0], -1), found.get(span[1], -1)) in wanted[unit]

    def _beyond(self, gold: Claims, pred: Claims) -> None:
        """Count predictions that end beyond gold's text; a side's own text was compared when it was read."""
        ours, theirs = ((c.units.texts if c.space == "char" else c.units.tokens) for c in (gold, pred))
        if ours is None or theirs is not None:
            return
        sizes = np.fromiter(map(len, ours), np.int64, len(gold.units))[pred.unit]
        for row in np.flatnonzero((pred.end > sizes) & (sizes > 0)).tolist():
            unit = "characters" if gold.space == "char" else "tokens"
            shown = f"{pred.labels[pred.label[row]]} {pred.start[row]}–{pred.end[row]} of {sizes[row]} {unit}"
            self._note("beyond", pred.units.name(int(pred.unit[row])), shown)

    def _words(self, gold: Claims, pred: Claims, ours: Ints, theirs: Callable[[int, int], Ints]) -> None:
        """Compare words at the same offsets, and the length of words with that of their spans, if no text is known."""
        if gold.units.texts is not None or pred.units.texts is not None or pred.value is None or pred.shape is not None:
            return
        wanted = {}
        if gold.value is not None:
            wanted = {
                key: gold.values[code]
                for key, code in zip(ours.tolist(), gold.value.tolist(), strict=True)
                if code >= 0
            }
        columns = (theirs(0, 0), pred.unit, pred.start, pred.end, pred.value)
        for key, unit, start, end, code in zip(*(column.tolist() for column in columns), strict=True):
            if code < 0:
                continue
            word, other = pred.values[code], wanted.get(key)
            self._counts["words"] += 1
            if other is not None:
                self._counts["quoted"] += 1
            if other is not None and other.split() != word.split():
                shown = f"{word[:_SHOWN]!r} at {start}:{end}, but {other[:_SHOWN]!r} in gold"
                self._note("differ", pred.units.name(unit), shown)
            elif other is None and len(word) != end - start:
                self._lengths.add_length(start, end, word)
                self._note("lengths", pred.units.name(unit), f"{word[:_SHOWN]!r} at {start}:{end}")

    def __iadd__(self, other: OffsetCheck) -> OffsetCheck:
        """Add what was found in the part that follows."""
        self._counts.update(other._counts)
        self._shifted.update(other._shifted)
        self._encoded.update(other._encoded)
        self._examples = other._examples | self._examples
        self._lengths += other._lengths
        self._space = other._space if other._counts["predicted"] else self._space
        return self

    def shift(self, before: int) -> None:
        """Count the numbers of units from behind so many others."""
        self._examples = {what: example.moved(before) for what, example in self._examples.items()}

    def warnings(self, nouns: Nouns) -> list[str]:
        """Say what was found, with examples."""
        counts, claims = self._counts, nouns.claims
        told = {
            "duplicates": (f"predicted {claims} that repeat another one with the same label and offsets", ""),
            "beyond": (f"predicted {claims} that end beyond the text", ""),
            "differ": (
                f"predicted {claims} whose words differ from those of gold at the same offsets",
                f" of {counts['quoted']:,}. Are both about the same texts?",
            ),
            "lengths": (
                f"predicted {claims} whose words are longer or shorter than their spans",
                f" of {counts['words']:,}{self._lengths.hint}",
            ),
        }
        out = [
            f"{text} (e.g. {nouns.unit} {self._examples[what]}): {counts[what]:,}{end}"
            for what, (text, end) in told.items()
            if counts[what]
        ]
        return [*out, *self._shift_warnings(nouns), *self._encoding_warnings(nouns)]

    def _shift_warnings(self, nouns: Nouns) -> list[str]:
        """Say that predictions are next to gold, where none is at it and at least half of them are so in one way."""
        predicted = self._counts["predicted"]
        shift, count = max(self._shifted.items(), key=lambda item: item[1], default=((0, 0), 0))
        if self._counts["same"] or 2 * count < predicted or count < 2:
            return []
        unit = "character" if self._space == "char" else "token"
        which = f"all {predicted:,}" if count == predicted else f"{count:,} of {predicted:,}"
        return [f"{which} predicted {nouns.claims} {_SHIFTS[shift].format(unit, nouns.claim)}"]

    def _encoding_warnings(self, nouns: Nouns) -> list[str]:
        name, count = max(self._encoded.items(), key=lambda item: item[1], default=("", 0))
        if not count:
            return []
        return [
            f"predicted {nouns.claims} that have the offsets of a gold {nouns.claim} if those count {name}, not "
            f"characters: {count:,}"
        ]


def _keys(gold: Claims, pred: Claims) -> tuple[Ints, Callable[[int, int], Ints]] | None:
    """Return a number for the unit and the offsets of each claim, for predictions with offsets moved by something."""
    far = max((int(own.end.max()) for own in (gold, pred) if len(own)), default=0) + 3
    if len(gold.units) * far**2 > _LARGEST:
        return None

    def key(claims: Claims, low: int = 0, high: int = 0) -> Ints:
        return (claims.unit * far + claims.start + 1 + low) * far + claims.end + 1 + high

    return key(gold), lambda low, high: key(pred, low, high)
