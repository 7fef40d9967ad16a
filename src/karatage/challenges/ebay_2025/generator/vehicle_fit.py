"""What a part fits: makes, models, engines and years, and the numbers that a make has for it."""

from __future__ import annotations

from karatage.challenges.ebay_2025.aspects import MAKE, MODEL, OE_NUMBER, YEAR
from karatage.challenges.ebay_2025.generator.pools import NO, Dice, Parts, Pool, number, one_of
from karatage.challenges.ebay_2025.generator.vehicles import MAKES, Make, VehicleModel
from karatage.challenges.ebay_2025.generator.word_pools import POOLS

_MAKES, _MODELS = Pool(MAKES, 0.85), {make: Pool(make.models, 0.55) for make in MAKES}
_BY_NAME = {make.spellings[0]: make for make in MAKES}
_ENGINES = {make: Pool(make.engines, 0.7) for make in MAKES}
_CODES = ("@##", "@@#", "@#@", "##@", "@@_", "@##_", "@###", "#@#")
"""Shapes of the codes of models that nobody has listed."""

_OE_SIGNS = Pool(("OE", "OEM", "OE-Nr.", "OE:", "OEM:", "OE Nr.", "Vergl.", "ersetzt"), 0.8)


def first_of(spellings: tuple[str, ...], dice: Dice) -> str:
    """Draw a spelling, mostly the first."""
    return spellings[0] if dice() < 0.6 else one_of(spellings, dice)


class Vehicle:
    """One vehicle.

    Attributes:
        make: its make.
        models: whether models were named, and not only makes.
    """

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self.make: Make = _MAKES.draw(dice)
        self._model: VehicleModel = _MODELS[self.make].draw(dice)
        self.models = True

    def name(self) -> str:
        """Draw how the make is written."""
        return first_of(self.make.spellings, self._dice)

    def fits(self, sign: bool) -> Parts:
        """What it fits: a make and its models, each its own entity; or several makes that share parts."""
        out: Parts = [(POOLS["for signs"].draw(self._dice), NO)] if sign and self._dice() < 0.88 else []
        draw = self._dice()
        relatives = self.make.relatives
        if draw < 0.11 and relatives:
            others = relatives[: 1 + int(self._dice() * len(relatives))]
            self.models = False
            if draw < 0.03:
                return [*out, ("/".join((self.make.spellings[0], *others)), MAKE)]
            return [*out, (self.name(), MAKE), *(part for name in others for part in self._joined(name, MAKE))]
        if draw < 0.93:
            out.append((self.name(), MAKE))
        if draw < 0.19 and self.make.spellings[0] == "VW":  # Golf 4 5 6
            return [
                *out,
                (one_of(("Golf 4", "Golf 3", "Polo 4"), self._dice), MODEL),
                *((n, MODEL) for n in "56"[: 1 + (draw < 0.16)]),
            ]
        out += self._written(self._model)
        seen = [self._model]
        while self._dice() < 0.2:
            other = _MODELS[self.make].draw(self._dice)
            if other not in seen:
                seen.append(other)
                out += self._written(other, joined=True)
        if self._dice() < 0.06 and relatives:
            self.make = _BY_NAME[one_of(relatives, self._dice)]
            out += [*self._joined(self.make.spellings[0], MAKE), *self._written(_MODELS[self.make].draw(self._dice))]
        return out

    def _joined(self, text: str, aspect: str) -> Parts:
        """Set something beside what came before it, with a mark between them or at its end now and then."""
        draw = self._dice()
        if draw < 0.09:
            return [(one_of(("/", "+", ",", "&", "und"), self._dice), NO), (text, aspect)]
        return [(f"{text}," if draw < 0.12 else text, aspect)]

    def _written(self, model: VehicleModel, joined: bool = False) -> Parts:
        name = first_of(model.spellings, self._dice)
        draw = self._dice()
        if draw < 0.06:
            name += f" {one_of(self.make.bodies, self._dice)}"
        elif draw < 0.34 and model.codes and model.codes[-1] not in name:
            name += f" {one_of(model.codes, self._dice)}"
        out = self._joined(name, MODEL) if joined else [(name, MODEL)]
        if draw > 0.86:
            code = (
                one_of(model.codes, self._dice)
                if model.codes and draw > 0.96
                else number(one_of(_CODES, self._dice), self._dice)
            )
            out.append((f"({code})" if draw > 0.93 else code, MODEL))
        return out

    def engine(self) -> Parts:
        """An engine, which is written behind the model and counts as one; or its power, which does not."""
        if self._dice() < 0.15:
            power = int(40 + self._dice() * 160)
            return [(one_of((f"{power} PS", f"{power}PS", f"{power}kW", f"{power} KW"), self._dice), NO)]
        return [(_ENGINES[self.make].draw(self._dice), MODEL)]

    def year(self) -> Parts:
        """Years, of the model's own mostly."""
        span = self._model.last - self._model.first
        low = self._model.first + int(self._dice() * span * 0.6)
        high = min(low + 1 + int(self._dice() * 8), 2024)
        short = f"{low % 100:02d}-{high % 100:02d}"
        long = (f"{low}-{high}", f"{low}-{high}", f"{low} - {high}", f"{low}-0{1 + high % 9}/{high}")
        since = (f"ab {low}", f"ab {low}", f"{low}-", f"{low}>", f"0{1 + low % 9}/{low}-", f"{low}")
        text = one_of((*long, *since, short, short, f"bis {high}"), self._dice)
        if self._dice() < 0.28:
            return [(one_of(("Bj.", "BJ", "Bj", "Baujahr", "Bj:"), self._dice), NO), (text, YEAR)]
        return [(text, YEAR)]

    def oe_number(self) -> Parts:
        """The number that the vehicle's make has for the part."""
        out: Parts = [(_OE_SIGNS.draw(self._dice), NO)] if self._dice() < 0.5 else []
        text = number(one_of(self.make.numbers, self._dice), self._dice)
        out.append((text.replace(" ", "") if self._dice() < 0.4 else text, OE_NUMBER))
        return out
