"""What titles say in detail of a part: where it is built in, its sizes, what it is made of."""

from __future__ import annotations

from collections.abc import Callable

from karatage.challenges.ebay_2025 import aspects as a
from karatage.challenges.ebay_2025.generator.pools import NO, Parts, Pool, one_of
from karatage.challenges.ebay_2025.generator.seller import Seller
from karatage.challenges.ebay_2025.generator.word_pools import POOLS

Detail = Callable[[Seller], Parts]

_MILLIMETRES = ("mm", " mm", "mm", " mm", "MM")
_LENGTHS = Pool([str(114 * n // 12 * 5) for n in range(16, 60)], 0)


def _drawn(pool: str, aspect: str, sign: str = "", chance: float = 0.0) -> Detail:
    """Return what draws an entry of a pool, now and then with a word before it that has no aspect."""

    def draw(seller: Seller) -> Parts:
        before: Parts = [(sign, NO)] if sign and seller.dice() < chance else []
        return [*before, (POOLS[pool].draw(seller.dice), aspect)]

    return draw


disc = _drawn("discs", a.DISC)
material = _drawn("materials", a.MATERIAL, "aus", 0.15)
technology = _drawn("technologies", a.TECHNOLOGY)
colour = _drawn("colours", a.COLOUR, "in", 0.2)
country = _drawn("countries", a.COUNTRY)
application = _drawn("applications", a.APPLICATION, "für", 0.6)


def position(seller: Seller) -> Parts:
    """Where it is built in; front and rear side by side are two."""
    text = seller.draw("positions")
    words = text.split() if text in ("vorne hinten", "vorne links rechts") else [text]
    return [(word, a.POSITION) for word in words]


def special(seller: Seller) -> Parts:
    """What is special about it."""
    return [(seller.draw("specials"), a.SPECIAL)]


def part_model(seller: Seller) -> Parts:
    """The model of the part itself."""
    sign: Parts = [(one_of(("Ausführung", "Version", "Modell"), seller.dice), NO)] if seller.dice() < 0.3 else []
    return [*sign, (POOLS["part models"].draw(seller.dice), a.PRODUCT_MODEL)]


def size(seller: Seller) -> Parts:
    """The size of wheels that it needs, or of a chain or a bolt."""
    if seller.category == "2":
        return [(POOLS["timing sizes"].draw(seller.dice), a.SIZE)]
    inches = POOLS["wheels"].draw(seller.dice)
    sign: Parts = [("ab", NO)] if seller.dice() < 0.2 else []
    return [*sign, (one_of((f"{inches} Zoll", f'{inches}"', f"{inches}Zoll", f"{inches} ZOLL"), seller.dice), a.SIZE)]


def diameter(seller: Seller) -> Parts:
    """The disc's diameter, or with its thickness and the unit behind both."""
    size = POOLS["diameters"].draw(seller.dice)
    draw = seller.dice()
    if draw < 0.12:
        thick = POOLS["thicknesses"].draw(seller.dice)
        return [(size, a.DIAMETER), ("x", NO), (thick, a.THICKNESS), ("mm", a.UNIT_OF_MEASURE)]
    if draw < 0.2:
        sign = one_of(("Durchmesser", "Durchm."), seller.dice)
        return [(sign, NO), (f"{size}{one_of(_MILLIMETRES, seller.dice)}", a.DIAMETER)]
    unit = one_of(_MILLIMETRES, seller.dice)
    shapes = (f"Ø{size}", f"Ø {size}{unit}", f"{size}{unit}", f"{size}{unit}", f"Ø{size}{unit}")
    return [(one_of(shapes, seller.dice), a.DIAMETER)]


def thickness(seller: Seller) -> Parts:
    """The disc's thickness."""
    text = POOLS["thicknesses"].draw(seller.dice) + one_of(_MILLIMETRES, seller.dice)
    draw = seller.dice()
    if draw < 0.4:
        return [(one_of(("Stärke", "Dicke", "Dicke:"), seller.dice), NO), (text, a.THICKNESS)]
    return [(f"{text} dick" if draw < 0.6 else text, a.THICKNESS)]


def finish(seller: Seller) -> Parts:
    """The finish, with its colour now and then."""
    colour: Parts = [(POOLS["colours"].draw(seller.dice), a.COLOUR)] if seller.dice() < 0.12 else []
    return [*colour, (POOLS["finishes"].draw(seller.dice), a.FINISH)]


def teeth(seller: Seller) -> Parts:
    """How many teeth the belt has."""
    count = POOLS["teeth"].draw(seller.dice)
    if seller.dice() < 0.2:
        return [(one_of(("Zähnezahl", "Zähne:"), seller.dice), NO), (count, a.TEETH)]
    return [(one_of((f"{count} Zähne", f"Z={count}", f"{count}Z", f"{count} Z", f"Z{count}"), seller.dice), a.TEETH)]


def width(seller: Seller) -> Parts:
    """The belt's width, with its length and the unit behind both now and then."""
    size, unit = POOLS["widths"].draw(seller.dice), one_of(_MILLIMETRES, seller.dice)
    draw = seller.dice()
    if draw < 0.15:
        return [(_LENGTHS.draw(seller.dice), a.LENGTH), ("x", NO), (size, a.WIDTH), ("mm", a.UNIT_OF_MEASURE)]
    if draw < 0.5:
        return [(one_of(("Breite", "Breite:", "B:"), seller.dice), NO), (f"{size}{unit}", a.WIDTH)]
    return [(f"{size}{unit} breit" if draw < 0.65 else f"{size}{unit}", a.WIDTH)]


def length(seller: Seller) -> Parts:
    """The belt's length."""
    size, unit = _LENGTHS.draw(seller.dice), one_of(_MILLIMETRES, seller.dice)
    draw = seller.dice()
    if draw < 0.45:
        return [(one_of(("Länge", "Länge:", "L:"), seller.dice), NO), (f"{size}{unit}", a.LENGTH)]
    return [(f"{size}{unit} lang" if draw < 0.6 else f"{size}{unit}", a.LENGTH)]


def oil(seller: Seller) -> Parts:
    """Oil or coolant that comes with it."""
    out: Parts = [(one_of(("+", "inkl.", "mit", "+"), seller.dice), NO), (POOLS["amounts"].draw(seller.dice), a.AMOUNT)]
    if seller.dice() < 0.3:
        return [*out, (POOLS["coolants"].draw(seller.dice), a.EXTRA)]
    sign: Parts = [("SAE", NO)] if seller.dice() < 0.2 else []
    out.append((POOLS["oils"].draw(seller.dice), a.EXTRA))
    return [*out, *sign, (POOLS["viscosities"].draw(seller.dice), a.VISCOSITY)]
