"""A seller: the maker, the product and all else that a title says, drawn for one vehicle."""

from __future__ import annotations

from karatage.challenges.ebay_2025.aspects import EXTRA, LINE, MAKER, NUMBER, PRODUCT, PRODUCT_MODEL, UNITS
from karatage.challenges.ebay_2025.generator.makers import BRAKE_MAKERS, OTHER_NUMBERS, TIMING_MAKERS, Maker, new_name
from karatage.challenges.ebay_2025.generator.pools import NO, Dice, Parts, Pool, number, one_of
from karatage.challenges.ebay_2025.generator.vehicle_fit import Vehicle, first_of
from karatage.challenges.ebay_2025.generator.word_pools import POOLS

_MAKERS = {"1": Pool(BRAKE_MAKERS, 0.8), "2": Pool(TIMING_MAKERS, 0.8)}
_ORIGINAL = ("ORIGINAL", "Original", "Original", "Orig.", "original", "Neu Original", "OE", "Orig")
_FIRST_SALES = Pool(POOLS["sales"].things[:14])
_BREAKS = Pool(("-", "|", "/", ",", "•", "–", "*", "!"))
"""Marks between the parts of a title."""


def _pair(text: str) -> Parts:
    """Two products: what is joined is a product too, what comes with one is contained in the delivery."""
    first, sign, second = text.split()
    return [(first, PRODUCT), (sign, NO), (second, EXTRA if sign == "mit" else PRODUCT)]


class Seller:
    """Draws the parts of one title of one category, all about one vehicle and one maker."""

    def __init__(self, dice: Dice, category: str) -> None:
        self.dice, self.category = dice, category
        self.vehicle = Vehicle(dice)
        self._maker: Maker | None = None
        self._original = False

    def draw(self, name: str) -> str:
        """Draw from the category's own pool of a name."""
        return POOLS[f"{'brake' if self.category == '1' else 'timing'} {name}"].draw(self.dice)

    def maker(self) -> Parts:
        """The maker; now and then the make itself, as the maker of an original part, or one that nobody knows."""
        draw = self.dice()
        if draw < 0.2:
            self._original = True
            if draw < 0.06:
                return [(self.vehicle.name(), MAKER)]
            return [(one_of(_ORIGINAL, self.dice), NO), (self.vehicle.name(), MAKER)]
        if draw < 0.28:
            return [(new_name(self.dice), MAKER)]
        self._maker = found = _MAKERS[self.category].draw(self.dice)
        out: Parts = [(first_of(found.spellings, self.dice), MAKER)]
        if found.lines and self.dice() < 0.3:
            line = one_of(found.lines, self.dice)
            out.append((line, LINE if self.category == "1" else PRODUCT_MODEL))
        if found.models and self.dice() < 0.5:
            out.append((one_of(found.models, self.dice), PRODUCT_MODEL))
        return out

    def product(self) -> Parts:
        """One product or two."""
        if self.dice() < 0.18:
            return _pair(self.draw("pairs"))
        name = self.draw("products")
        if self.dice() < 0.1 and " " not in name:
            start = one_of(POOLS["compound starts"].things, self.dice)
            name = f"{start}-{name}" if self.dice() < 0.4 else start + name.lower()
        return [(name, PRODUCT)]

    def units(self) -> Parts:
        """How many."""
        return [(self.draw("units"), UNITS)]

    def number(self) -> Parts:
        """The maker's number of the part; two of them now and then. That of an original part is the make's."""
        if self._original:
            return self.vehicle.oe_number()
        shapes = self._maker.numbers if self._maker is not None else OTHER_NUMBERS
        out: Parts = []
        for _ in range(2 if self.dice() < 0.08 else 1):
            text = number(one_of(shapes, self.dice), self.dice)
            out.append((text.replace(" ", "") if self.dice() < 0.3 else text, NUMBER))
        return out

    def contents(self, product: str) -> Parts:
        """What comes with it, unless it is the product already."""
        out: Parts = []
        signs = [POOLS["extra signs"].draw(self.dice), one_of(("+", "und", "&"), self.dice)]
        for sign in signs[: 2 if self.dice() < 0.2 else 1]:
            text = self.draw("extras")
            if text[-6:].lower() not in product and text[:6].lower() not in product and (text, EXTRA) not in out:
                out += [(sign, NO), (text, EXTRA)]
        return out

    def sale(self, *, first: bool = False) -> Parts:
        """Words that sell and say nothing."""
        return [((_FIRST_SALES if first else POOLS["sales"]).draw(self.dice), NO)]

    def mark(self) -> Parts:
        """A mark between two parts."""
        return [(_BREAKS.draw(self.dice), NO)]
