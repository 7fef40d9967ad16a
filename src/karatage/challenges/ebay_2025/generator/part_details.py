"""What titles say in detail of a part: where it is built in, its sizes, what it is made of."""

from __future__ import annotations

from karatage.challenges.ebay_2025.generator import title_parts as a, word_pools as w
from karatage.challenges.ebay_2025.generator.pools import Pool, one_of
from karatage.challenges.ebay_2025.generator.seller import Seller
from karatage.challenges.ebay_2025.generator.title_parts import NO, Parts

_MILLIMETRES = ("mm", " mm", "mm", " mm", "MM")
_MODELS_OF_PARTS = Pool(w.PRODUCT_MODELS)
_WHEELS, _TIMING_SIZES = Pool((15, 16, 17, 14, 18, 13, 19)), Pool(w.TIMING_SIZES)
_DISCS, _FINISHES, _MATERIALS = Pool(w.DISCS), Pool(w.FINISHES), Pool(w.MATERIALS, 0.8)
_TECHNOLOGIES, _COLOURS, _COUNTRIES = Pool(w.TECHNOLOGIES, 0.8), Pool(w.COLOURS, 0.8), Pool(w.COUNTRIES, 0.8)
_DIAMETERS, _THICKNESSES = Pool(w.DIAMETERS, 0.7), Pool(w.THICKNESSES, 0.7)
_TEETH, _WIDTHS, _LENGTHS = Pool(w.TEETH, 0.6), Pool(w.WIDTHS, 0.6), Pool(w.LENGTHS, 0)
_APPLICATIONS, _AMOUNTS, _VISCOSITIES = Pool(w.APPLICATIONS, 0.8), Pool(w.AMOUNTS, 0.8), Pool(w.VISCOSITIES, 0.8)
_OILS, _COOLANTS = Pool(w.OILS), Pool(w.COOLANTS)


def position(seller: Seller) -> Parts:
    """Where it is built in; front and rear side by side are two."""
    text = seller.words.positions.draw(seller.dice)
    return (
        [(word, a.POSITION) for word in text.split()]
        if text in ("vorne hinten", "vorne links rechts")
        else [(text, a.POSITION)]
    )


def special(seller: Seller) -> Parts:
    """What is special about it."""
    return [(seller.words.specials.draw(seller.dice), a.SPECIAL)]


def part_model(seller: Seller) -> Parts:
    """The model of the part itself."""
    sign: Parts = [(one_of(("Ausführung", "Version", "Modell"), seller.dice), NO)] if seller.dice() < 0.3 else []
    return [*sign, (_MODELS_OF_PARTS.draw(seller.dice), a.PRODUCT_MODEL)]


def size(seller: Seller) -> Parts:
    """The size of wheels that it needs, or of a chain or a bolt."""
    if seller.category == "2":
        return [(_TIMING_SIZES.draw(seller.dice), a.SIZE)]
    inches = _WHEELS.draw(seller.dice)
    sign: Parts = [("ab", NO)] if seller.dice() < 0.2 else []
    return [*sign, (one_of((f"{inches} Zoll", f'{inches}"', f"{inches}Zoll", f"{inches} ZOLL"), seller.dice), a.SIZE)]


def disc(seller: Seller) -> Parts:
    """The kind of disc."""
    return [(_DISCS.draw(seller.dice), a.DISC)]


def diameter(seller: Seller) -> Parts:
    """The disc's diameter, or with its thickness and the unit behind both."""
    size = _DIAMETERS.draw(seller.dice)
    draw = seller.dice()
    if draw < 0.12:
        return [
            (str(size), a.DIAMETER),
            ("x", NO),
            (_THICKNESSES.draw(seller.dice), a.THICKNESS),
            ("mm", a.UNIT_OF_MEASURE),
        ]
    if draw < 0.2:
        return [
            (one_of(("Durchmesser", "Durchm."), seller.dice), NO),
            (f"{size}{one_of(_MILLIMETRES, seller.dice)}", a.DIAMETER),
        ]
    unit = one_of(_MILLIMETRES, seller.dice)
    return [
        (
            one_of((f"Ø{size}", f"Ø {size}{unit}", f"{size}{unit}", f"{size}{unit}", f"Ø{size}{unit}"), seller.dice),
            a.DIAMETER,
        )
    ]


def thickness(seller: Seller) -> Parts:
    """The disc's thickness."""
    text = _THICKNESSES.draw(seller.dice) + one_of(_MILLIMETRES, seller.dice)
    draw = seller.dice()
    if draw < 0.4:
        return [(one_of(("Stärke", "Dicke", "Dicke:"), seller.dice), NO), (text, a.THICKNESS)]
    return [(f"{text} dick" if draw < 0.6 else text, a.THICKNESS)]


def finish(seller: Seller) -> Parts:
    """The finish, with its colour now and then."""
    colour: Parts = [(_COLOURS.draw(seller.dice), a.COLOUR)] if seller.dice() < 0.12 else []
    return [*colour, (_FINISHES.draw(seller.dice), a.FINISH)]


def material(seller: Seller) -> Parts:
    """What it is made of."""
    sign: Parts = [("aus", NO)] if seller.dice() < 0.15 else []
    return [*sign, (_MATERIALS.draw(seller.dice), a.MATERIAL)]


def technology(seller: Seller) -> Parts:
    """The technology."""
    return [(_TECHNOLOGIES.draw(seller.dice), a.TECHNOLOGY)]


def colour(seller: Seller) -> Parts:
    """The colour."""
    sign: Parts = [("in", NO)] if seller.dice() < 0.2 else []
    return [*sign, (_COLOURS.draw(seller.dice), a.COLOUR)]


def country(seller: Seller) -> Parts:
    """Where it was made."""
    return [(_COUNTRIES.draw(seller.dice), a.COUNTRY)]


def teeth(seller: Seller) -> Parts:
    """How many teeth the belt has."""
    count = _TEETH.draw(seller.dice)
    if seller.dice() < 0.2:
        return [(one_of(("Zähnezahl", "Zähne:"), seller.dice), NO), (str(count), a.TEETH)]
    return [(one_of((f"{count} Zähne", f"Z={count}", f"{count}Z", f"{count} Z", f"Z{count}"), seller.dice), a.TEETH)]


def width(seller: Seller) -> Parts:
    """The belt's width, with its length and the unit behind both now and then."""
    size, unit = _WIDTHS.draw(seller.dice), one_of(_MILLIMETRES, seller.dice)
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
    out: Parts = [(one_of(("+", "inkl.", "mit", "+"), seller.dice), NO), (_AMOUNTS.draw(seller.dice), a.AMOUNT)]
    if seller.dice() < 0.3:
        return [*out, (_COOLANTS.draw(seller.dice), a.EXTRA)]
    sign: Parts = [("SAE", NO)] if seller.dice() < 0.2 else []
    return [*out, (_OILS.draw(seller.dice), a.EXTRA), *sign, (_VISCOSITIES.draw(seller.dice), a.VISCOSITY)]


def application(seller: Seller) -> Parts:
    """What it is for."""
    sign: Parts = [("für", NO)] if seller.dice() < 0.6 else []
    return [*sign, (_APPLICATIONS.draw(seller.dice), a.APPLICATION)]
