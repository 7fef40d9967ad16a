"""What is known of every claim and of every unit, as columns: what slicings put into groups and expressions compare."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from keyword import iskeyword
from typing import Any, Literal

import numpy as np
import polars as pl

from karatage._arrays import Floats, Ints
from karatage.claims import Claims, TokenColumn, Units
from karatage.errors import UsageError
from karatage.explanation.slices.conditions import CodedTexts
from karatage.explanation.slices.training_forms import SEEN, TrainingForms
from karatage.scoring import Outcomes

CLAIM_NAMES: dict[str, str] = {
    "label": "label",
    "text": "text of the entity",
    "length": "number of tokens; characters for character offsets, words for values",
    "position": "position of its middle in the sentence, from 0 to 1",
    "start": "index of its first token or character, from 0",
    "capitals": "share of capitals among its letters",
    "digits": "share of digits among its characters",
    "training_count": "how often its text occurs in the training data",
    "seen": f"how its text was labelled in the training data: {', '.join(map(repr, SEEN))}",
}
UNIT_NAMES: dict[str, str] = {
    "unit_length": "number of tokens or characters of its sentence",
    "entities": "number of gold entities in its sentence",
}

NO_TEXT = "the texts are unknown: use gold or predictions that contain them"
NO_TRAINING = "this slicing needs training data: use --train (train=…)"
NO_LENGTH = "the sentence lengths are unknown: use gold or predictions that contain the words"
NO_PLACES = "values have no position in the text"


class UnknownError(UsageError):
    """Something that is not known of these claims, and why."""


@dataclass(frozen=True)
class Attributes:
    """The attributes of all units of a test set, also of those that a batch lacks.

    Attributes:
        numbers: for each attribute whether all its values are numbers.
    """

    numbers: Mapping[str, bool]

    @classmethod
    def of(cls, batches: Iterable[Units]) -> Attributes:
        """Look at all units; an attribute that some of them lack is empty there."""
        numbers: dict[str, bool] = {}
        before = 0
        for units in batches:
            for name in {**numbers, **units.attributes}:
                known = numbers.get(name, not before)
                values = units.attributes.get(name, ("",) * len(units))
                numbers[name] = known and (not len(units) or _numbers(values) is not None)
            before += len(units)
        return cls(numbers)

    @property
    def names(self) -> dict[str, str]:
        """The attributes, by names that an expression can hold."""
        return named(self.numbers, {*CLAIM_NAMES, *UNIT_NAMES})


class UnitFacts:
    """What is known of the units of a batch.

    Args:
        outcomes: what became of the claims of the batch.
        attributes: the attributes of the whole test set; None where the batch is all of it.
    """

    def __init__(self, outcomes: Outcomes, attributes: Attributes | None = None) -> None:
        self._outcomes = outcomes
        self._attributes = Attributes.of([outcomes.units]) if attributes is None else attributes
        self._columns: dict[str, Any] = {}

    @cached_property
    def names(self) -> dict[str, str]:
        """The units' attributes, by names that an expression can hold."""
        return self._attributes.names

    def _values(self, name: str) -> Sequence[Any]:
        units = self._outcomes.units
        return units.attributes.get(name, ("",) * len(units))

    def attribute(self, name: str) -> CodedTexts:
        """Return an attribute as texts, also where all are numbers: 01 and 1 may be two categories."""
        return words_of(_texts(self._values(name)))

    @cached_property
    def length(self) -> tuple[Floats, str]:
        """How long each unit is, and whether that counts tokens or characters."""
        pair = self._outcomes.claims
        both = (pair.gold.units, pair.pred.units)
        for units in both if "char" not in (pair.gold.space, pair.pred.space) else ():
            if units.tokens is not None:
                return TokenColumn.of(units.tokens).sizes.astype(float), "token"
        texts = self._outcomes.texts
        if texts is None or texts.starts is not None:
            raise UnknownError(NO_LENGTH)
        return texts.texts.str.len_chars().to_numpy().astype(float), "character"

    @cached_property
    def entities(self) -> Floats:
        """How many gold claims each unit has."""
        gold = self._outcomes.claims.gold
        return np.bincount(gold.unit, minlength=len(gold.units)).astype(float)

    def column(self, name: str) -> Any:
        """Return what a name stands for in an expression."""
        if name not in self._columns:
            if name == "unit_length":
                found: Any = self.length[0]
            elif name == "entities":
                found = self.entities
            else:
                attribute = self.names[name]
                values, numbers = self._values(attribute), None
                if self._attributes.numbers[attribute]:
                    numbers = _numbers(values)
                found = words_of(_texts(values)) if numbers is None else numbers
            self._columns[name] = found
        return self._columns[name]


class ClaimFacts:
    """What is known of the claims of one side."""

    def __init__(
        self, outcomes: Outcomes, side: Literal["gold", "pred"], units: UnitFacts, training: TrainingForms | None
    ) -> None:
        pair = outcomes.claims
        self._outcomes, self._side, self._units, self._training = outcomes, side, units, training
        self.claims: Claims = pair.gold if side == "gold" else pair.pred
        self.label = CodedTexts(pair.gold_label if side == "gold" else pair.pred_label, pair.labels)

    @cached_property
    def text(self) -> CodedTexts:
        """The surface forms."""
        surface = self._outcomes.surface(self._side)
        if len(surface) and surface.null_count() == len(surface):
            raise UnknownError(NO_TEXT)
        return words_of(surface)

    @cached_property
    def length(self) -> tuple[Floats, str]:
        """How long each claim is, and what that counts."""
        if self.claims.space == "value":
            return self._of_text(lambda text: text.str.count_matches(r"\S+")), "word"
        size = (self.claims.end - self.claims.start).astype(float)
        if self.claims.shape is not None:  # what lies between the pieces does not count
            covered = np.array([*(sum(b - a for a, b in pieces) for pieces in self.claims.shapes), 0], float)
            size = np.where(self.claims.shape >= 0, covered[self.claims.shape], size)
        return size, "token" if self.claims.space == "token" else "character"

    @cached_property
    def position(self) -> Floats:
        """Where the middle of each claim lies in its unit, from 0 to 1."""
        start = self.start
        length, _ = self._units.length
        whole = length[self.claims.unit]
        with np.errstate(invalid="ignore", divide="ignore"):
            middle = (start + self.claims.end) / 2 / whole
        return np.where(whole > 0, np.minimum(middle, 1.0), np.nan)

    @property
    def start(self) -> Floats:
        """Where each claim starts."""
        if self.claims.space == "value":
            raise UnknownError(NO_PLACES)
        return self.claims.start.astype(float)

    def _of_text(self, make: Callable[[pl.Series], pl.Series]) -> Floats:
        """Compute something once for each distinct form."""
        names = pl.Series("text", list(self.text.names), pl.String)
        return np.append(make(names).to_numpy().astype(float), np.nan)[self.text.codes]

    @cached_property
    def capitals(self) -> Floats:
        """The share of capitals among the letters of each form; 0 where it has none."""
        return self._of_text(lambda text: _share(text, r"\p{Lu}", r"\p{L}"))

    @cached_property
    def digits(self) -> Floats:
        """The share of digits among the characters of each form, blanks left out."""
        return self._of_text(lambda text: _share(text, r"\p{Nd}", r"\S"))

    @cached_property
    def inner_capitals(self) -> Floats:
        """Whether a form has a capital behind another letter or digit, as iPhone does: 1 or 0."""
        return self._of_text(lambda text: text.str.contains(r"[\p{L}\p{N}]\p{Lu}"))

    @cached_property
    def letters(self) -> Floats:
        """Whether a form has a letter: 1 or 0."""
        return self._of_text(lambda text: text.str.contains(r"\p{L}"))

    @cached_property
    def _trained(self) -> tuple[Floats, Ints]:
        if self._training is None:
            raise UnknownError(NO_TRAINING)
        text, label = self.text, self.label
        # Forms and labels repeat: each pair is looked up once.
        pairs, where = np.unique((text.codes + 1) * len(label.names) + label.codes, return_inverse=True)
        forms = pl.Series([None, *text.names], dtype=pl.String).gather(pairs // max(len(label.names), 1))
        labels = pl.Series(list(label.names), dtype=pl.String).gather(pairs % max(len(label.names), 1))
        count, seen = self._training.look_up(forms, labels)
        return count[where], seen[where]

    @property
    def training_count(self) -> Floats:
        """How often the form of each claim occurs in the training data."""
        return self._trained[0]

    @property
    def seen(self) -> CodedTexts:
        """How the form of each claim was seen in training."""
        return CodedTexts(self._trained[1], SEEN)

    def column(self, name: str) -> Any:
        """Return what a name stands for in an expression."""
        if name not in CLAIM_NAMES:
            of_unit = self._units.column(name)
            if isinstance(of_unit, CodedTexts):
                return CodedTexts(of_unit.codes[self.claims.unit], of_unit.names)
            return of_unit[self.claims.unit]
        found = getattr(self, name)
        return found[0] if name == "length" else found


def _share(text: pl.Series, part: str, whole: str) -> pl.Series:
    counts = [text.str.count_matches(pattern).cast(float) for pattern in (part, whole)]
    return (counts[0] / counts[1]).fill_nan(0.0)


def words_of(texts: pl.Series) -> CodedTexts:
    """Code texts by their distinct ones, in alphabetical order; null is unknown."""
    names = texts.drop_nulls().unique().sort()
    known = pl.DataFrame({"name": names, "code": np.arange(len(names))})
    codes = texts.alias("name").to_frame().join(known, on="name", how="left", maintain_order="left")["code"]
    return CodedTexts(codes.fill_null(-1).to_numpy().astype(np.int64), tuple(names.to_list()))


def column_of(values: Sequence[Any]) -> Any:
    """Return an attribute as numbers where all its values are numbers, else as words."""
    numbers = _numbers(values)
    return words_of(_texts(values)) if numbers is None else numbers


def _texts(values: Sequence[Any]) -> pl.Series:
    return pl.Series("value", list(values), pl.String, strict=False)


def _numbers(values: Sequence[Any]) -> Floats | None:
    """Return values as numbers; None where one is not a number, or where there are none."""
    numbers = _texts(values).cast(pl.Float64, strict=False)
    if len(numbers) and not numbers.null_count() and bool(numbers.is_finite().all()):
        return numbers.to_numpy()
    return None


def named(attributes: Iterable[str], taken: Collection[str]) -> dict[str, str]:
    """Give attributes names that an expression can hold; return the attribute of each name.

    What is no letter, digit or underscore becomes an underscore, and a name that is taken gets `attribute_` in front.
    """
    out: dict[str, str] = {}
    for name in attributes:
        own = re.sub(r"\W", "_", name)
        while own in taken or own in out or not own.isidentifier() or iskeyword(own):
            own = f"attribute_{own}"
        out[own] = name
    return out
