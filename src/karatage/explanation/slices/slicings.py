"""The ways to slice a test set of claims."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from karatage._arrays import Ints
from karatage.errors import unknown
from karatage.explanation.slices.bands import OTHER, SHOWN, Groups, band_names, banded, yes_no
from karatage.explanation.slices.conditions import Expression
from karatage.explanation.slices.facts import CLAIM_NAMES, UNIT_NAMES, Attributes, ClaimFacts, UnitFacts, named
from karatage.explanation.slices.training_forms import SEEN, TrainingForms
from karatage.scoring import Outcomes

VALUES = 50
"""Values of an attribute up to which it is a slicing without being asked for; ids and the like have more."""

_LENGTHS = {"token": (1, 2, 3, 4), "word": (1, 2, 3, 4), "character": (1, 6, 11, 21)}
_UNIT_LENGTHS = {"token": (1, 6, 11, 21, 41), "character": (1, 51, 101, 201, 401)}
_ENTITIES = (0, 1, 2, 4)
LABELS = 200
"""Labels that are slices of their own; of more, the rarest are one."""

_FREQUENCIES = (0, 1, 2, 5, 20)


@dataclass(frozen=True, eq=False)
class Grouping:
    """A slicing of one test set.

    Attributes:
        by: the slicing, as users call it.
        names: its groups, in order.
        gold, pred: the group of each claim; -1 for none.
        unit: the group of each unit, where whole units are put into groups; None where claims are.
        values: whether the groups are the values of the data, in no order yet, and not those of the slicing.
    """

    by: str
    names: tuple[str, ...]
    gold: Ints
    pred: Ints
    unit: Ints | None = None
    values: bool = False


class Known:
    """Everything that is known of a batch of a test set, and of what the system was trained on.

    Args:
        outcomes: what became of the claims of the batch.
        training: what the system was trained on.
        attributes: the attributes of the whole test set; None where the batch is all of it.
        labels: the labels that are groups of their own; None for all.
    """

    def __init__(
        self,
        outcomes: Outcomes,
        training: TrainingForms | None = None,
        attributes: Attributes | None = None,
        labels: Collection[str] | None = None,
    ) -> None:
        self.outcomes, self.labels = outcomes, labels
        self.units = UnitFacts(outcomes, attributes)
        self.gold = ClaimFacts(outcomes, "gold", self.units, training)
        self.pred = ClaimFacts(outcomes, "pred", self.units, training)

    def by_claim(self, by: str, make: Callable[[ClaimFacts], Groups], *, values: bool = False) -> Grouping:
        """Group claims, gold by what gold says and predictions by what they say."""
        gold, pred = make(self.gold), make(self.pred)
        return Grouping(by, gold.names, gold.codes, pred.codes, values=values)

    def by_unit(self, by: str, groups: Groups, *, values: bool = False) -> Grouping:
        """Group units, and their claims with them."""
        gold, pred = (groups.codes[side.claims.unit] for side in (self.gold, self.pred))
        return Grouping(by, groups.names, gold, pred, groups.codes, values)


@dataclass(frozen=True)
class Slicing:
    """A way to slice a test set.

    Attributes:
        name: how users call it.
        about: what its groups are, in one sentence.
        level: whether it puts claims or whole units into groups.
        groups: finds the group of each; `UnknownError` where these claims do not tell.
        attribute: the attribute of the units that it reads, where its groups are the values of one.
    """

    name: str
    about: str
    level: Literal["claim", "unit"]
    groups: Callable[[Known], Grouping]
    attribute: str | None = None


def _claims(name: str, about: str, make: Callable[[ClaimFacts], Groups]) -> Slicing:
    return Slicing(name, about, "claim", lambda known: known.by_claim(name, make))


def _units(name: str, about: str, make: Callable[[UnitFacts], Groups]) -> Slicing:
    return Slicing(name, about, "unit", lambda known: known.by_unit(name, make(known.units)))


def _length(facts: ClaimFacts) -> Groups:
    values, noun = facts.length
    return banded(values, _LENGTHS[noun], band_names(_LENGTHS[noun], noun))


def _position(facts: ClaimFacts) -> Groups:
    return banded(facts.position, (0.0, 1 / 3, 2 / 3), ("start", "middle", "end"))


def _capitals(facts: ClaimFacts) -> Groups:
    share = facts.capitals
    codes = np.select([np.isnan(share), share == 0, share == 1, facts.inner_capitals == 0], [-1, 0, 2, 1], 3)
    return Groups(("none", "first letter", "all", "mixed"), codes.astype(np.int64))


def _digits(facts: ClaimFacts) -> Groups:
    share = facts.digits
    codes = np.select([np.isnan(share), share == 0, facts.letters == 1], [-1, 0, 1], 2)
    return Groups(("none", "some", "only"), codes.astype(np.int64))


def _unit_length(facts: UnitFacts) -> Groups:
    values, noun = facts.length
    return banded(values, _UNIT_LENGTHS[noun], band_names(_UNIT_LENGTHS[noun], noun))


def _label(known: Known) -> Grouping:
    def groups(facts: ClaimFacts) -> Groups:
        names = facts.label.names
        return Groups(tuple(name if own is None or name in own else OTHER for name in names), facts.label.codes)

    own = known.labels
    return known.by_claim("label", groups, values=True)


def _attribute(by: str, name: str) -> Slicing:
    def groups(known: Known) -> Grouping:
        column = known.units.attribute(name)
        return known.by_unit(by, Groups(column.names, column.codes), values=True)

    return Slicing(by, "", "unit", groups, name)


_ALL = (
    Slicing("label", f"label; beyond {LABELS} labels, the rarest form one group", "claim", _label),
    _claims("length", "number of tokens of the entity: 1, 2, 3, 4+; ranges for character offsets", _length),
    _claims("position", "position of the entity in the sentence, in thirds: start, middle, end", _position),
    _units("sentence length", "number of tokens of the sentence: 1–5, 6–10, 11–20, 21–40, 41+", _unit_length),
    _units(
        "entities in the unit",
        "number of gold entities in the sentence: none, 1, 2–3, 4+",
        lambda facts: banded(facts.entities, _ENTITIES, band_names(_ENTITIES, none="none")),
    ),
    _claims("capitals", "capitalisation: none, first letter of each word, all, mixed as in iPhone", _capitals),
    _claims("digits", "digits: none, some, only digits and punctuation", _digits),
    _claims(
        "training frequency",
        "frequency of the text in the training data: unseen, 1, 2–4, 5–19, 20+",
        lambda facts: banded(facts.training_count, _FREQUENCIES, band_names(_FREQUENCIES, none="unseen")),
    ),
    _claims(
        "seen in training",
        f"how the training data labels the text: {', '.join(SEEN)}",
        lambda facts: Groups(facts.seen.names, facts.seen.codes),
    ),
)
BY_NAME = {slicing.name: slicing for slicing in _ALL}

_TRAINED = ("training frequency", "seen in training")
"""The slicings that need training data."""

ALSO = {
    "entities": "entities in the unit",
    "unit_length": "sentence length",
    "training_count": "training frequency",
    "seen": "seen in training",
}
"""Names in expressions that are taken for slicings where they stand alone."""

SLICINGS: dict[str, str] = {
    **{slicing.name: slicing.about for slicing in _ALL},
    "ATTRIBUTE": f"values of an attribute, e.g. category; beyond {SHOWN} values, the rarest form one group",
    "EXPRESSION": "a condition, e.g. \"length > 3 and label in ('PER', 'ORG')\": yes or no",
}
"""The ways to slice claims, with one sentence each."""

_SIGNS = re.compile(r"[<>=!'\"()\[\]{}]")
"""Every condition has one of them."""


def is_expression(text: str) -> bool:
    """Tell a condition from a name."""
    return text not in BY_NAME and _SIGNS.search(text) is not None


def automatic(attributes: Iterable[str], *, trained: bool) -> list[Slicing]:
    """Return all slicings that may apply, if none was asked for.

    Args:
        attributes: the attributes of the units.
        trained: whether the training data is known.
    """
    slicings = [one for one in _ALL if trained or one.name not in _TRAINED]
    names = named(attributes, {*CLAIM_NAMES, *UNIT_NAMES})
    return [
        *slicings,
        *(_attribute(own if name in BY_NAME or name in ALSO else name, name) for own, name in names.items()),
    ]


def chosen(by: str, attributes: Attributes) -> Slicing:
    """Return the slicing that was asked for: one by its name, an attribute, or a condition."""
    slicing = BY_NAME.get(ALSO.get(by, by))
    if slicing is not None:
        return replace(slicing, name=by)
    names = attributes.names
    attribute = names.get(by, by)
    if attribute in attributes.numbers:
        return _attribute(by, attribute)
    if not is_expression(by):
        raise unknown("slicing", by, [*BY_NAME, *names])
    expression = Expression.parse(by)
    expression.check([*CLAIM_NAMES, *UNIT_NAMES, *names])
    if expression.names and not set(expression.names) & set(CLAIM_NAMES):
        return _units(by, "", lambda facts: yes_no(expression.evaluate(facts.column)))
    return _claims(by, "", lambda facts: yes_no(expression.evaluate(facts.column)))


def needs_attributes(by: Sequence[str]) -> bool:
    """Whether one of the slicings that were asked for may read an attribute."""
    return any(ALSO.get(text, text) not in BY_NAME for text in by)
