"""Words and values that are not where their offsets are: the offsets may be for another text."""

from __future__ import annotations

from collections import Counter

from karatage._arrays import Ints
from karatage.claims import Batch, Claims, Units
from karatage.formats import OffsetCauses, fits
from karatage.scoring.nouns import Nouns
from karatage.scoring.unit_examples import UnitExample

_SHOWN = 30
_KINDS = ("words", "values")


class WordCheck:
    """Compares what a side without texts says is at its offsets with the text of the other side.

    The words of a pipeline are as its tokenizer writes them, the values of a table as the text is. A side that has
    texts was compared with them by its reader.
    """

    def __init__(self) -> None:
        self._differ: Counter[str] = Counter()
        self._all: Counter[str] = Counter()
        self._example: dict[str, UnitExample] = {}
        self._causes = {what: OffsetCauses() for what in _KINDS}

    def add(self, gold: Batch, pred: Batch) -> None:
        """Compare a batch of paired units."""
        for own, other in ((pred, gold.units), (gold, pred.units)):
            if not isinstance(own, Claims) or own.space != "char" or other.texts is None or own.units.texts is not None:
                continue
            found = zip(_KINDS, (own.word, own.value), (own.words, own.values), strict=True)
            for what, codes, names in found:
                if codes is not None and own.shape is None:
                    self._compare(what, own, codes, names, other)

    def _compare(self, what: str, claims: Claims, codes: Ints, names: tuple[str, ...], other: Units) -> None:
        texts = other.texts or ()
        columns = zip(*(column.tolist() for column in (claims.unit, claims.start, claims.end, codes)), strict=True)
        self._all[what] += int((codes >= 0).sum())
        for unit, start, end, code in columns:
            there = texts[unit][start:end]
            if code < 0 or not texts[unit] or names[code] == there or fits(names[code], there):
                continue
            self._differ[what] += 1
            self._causes[what].add_word(texts[unit], start, end, names[code])
            name, shown = claims.units.name(unit), f"{names[code][:_SHOWN]!r}, but {there[:_SHOWN]!r} at {start}:{end}"
            self._example.setdefault(what, UnitExample(name, shown))

    def __iadd__(self, other: WordCheck) -> WordCheck:
        """Add what was found in the part that follows."""
        self._differ.update(other._differ)
        self._all.update(other._all)
        self._example = other._example | self._example
        for what, causes in self._causes.items():
            causes += other._causes[what]
        return self

    def shift(self, before: int) -> None:
        """Count the numbers of units from behind so many others."""
        self._example = {what: example.moved(before) for what, example in self._example.items()}

    def warnings(self, nouns: Nouns) -> list[str]:
        """Say how many differ, with an example."""
        return [
            f"{what} that differ from the text at their offsets (e.g. {nouns.unit} {self._example[what]}): "
            f"{count:,} of {self._all[what]:,}{self._causes[what].hint}"
            for what in _KINDS
            if (count := self._differ[what])
        ]
