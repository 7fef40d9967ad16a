"""The demonstration's gold: made-up listing titles for brake kits and timing kits, each with its aspects.

Nothing here comes from anybody's listings. The makers, makes and models exist; part numbers, sizes and the
way that they are put together are drawn from the tables below by a seeded generator, so the same titles come
out every time.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

SEED = 750
COUNT = 320

Part = tuple[str, str]
"""Some words of a title and their aspect; the empty aspect is none."""

NO = ""
MAKER, PRODUCT = "Hersteller", "Produktart"
MAKE, MODEL, YEAR = "Kompatible_Fahrzeug_Marke", "Kompatibles_Fahrzeug_Modell", "Kompatibles_Fahrzeug_Jahr"
NUMBER, OE_NUMBER = "Herstellernummer", "Oe/Oem_Referenznummer(N)"
POSITION, UNITS, INCLUDED = "Einbauposition", "Anzahl_Der_Einheiten", "Im_Lieferumfang_Enthalten"
DIAMETER, DISC, FINISH = "Bremsscheiben-Aussendurchmesser", "Bremsscheibenart", "Oberflächenbeschaffenheit"
TEETH, WIDTH, SPECIAL = "Zähnezahl", "Breite", "Besonderheiten"

VEHICLES: dict[str, tuple[str, ...]] = {
    "VW": ("Golf 5", "Golf VI", "Passat 3C", "Touran", "Polo 9N", "T5", "Caddy III"),
    "AUDI": ("A3 8P", "A4 B7", "A6 C6", "TT 8J", "Q5"),
    "BMW": ("3er E90", "5er E60", "1er", "X3 E83", "Z4"),
    "MERCEDES": ("C-Klasse W204", "E-Klasse", "Vito W639", "A-Klasse W169", "Sprinter 906"),
    "OPEL": ("Astra H", "Corsa D", "Zafira B", "Vectra C", "Meriva"),
    "FORD": ("Focus II", "Fiesta VI", "Mondeo IV", "C-Max", "Transit"),
    "RENAULT": ("Clio III", "Megane II", "Scenic", "Laguna III", "Twingo"),
    "PEUGEOT": ("206", "307 SW", "308", "407"),
    "SKODA": ("Octavia II", "Fabia", "Superb 3T"),
    "SEAT": ("Leon 1P", "Ibiza IV", "Altea XL"),
    "FIAT": ("Punto", "Ducato 250", "Panda 169"),
    "TOYOTA": ("Yaris P9", "Corolla", "Avensis T25"),
    "VOLVO": ("V50", "V70 III", "S40 II", "XC60"),
    "HYUNDAI": ("i30", "Tucson", "Getz"),
    "Citroën": ("C4 Picasso", "Berlingo", "Xsara"),
    "Alfa Romeo": ("147", "159 Sportwagon", "Mito"),
}


def listed(text: str) -> tuple[str, ...]:
    """Split a table's line at its bars."""
    return tuple(entry.strip() for entry in text.split("|"))


BRAKE_MAKERS = listed(
    "ATE | BREMBO | TRW | TEXTAR | Zimmermann | FEBI BILSTEIN | Bosch | MEYLE | Ridex | BLUE PRINT | JURID"
    "| A.B.S. | NK | OPTIMAL"
)
TIMING_MAKERS = listed(
    "SKF | GATES | INA | CONTITECH | DAYCO | FEBI BILSTEIN | Bosch | MEYLE | Hepu | BLUE PRINT | SNR"
    "| Magneti Marelli | NTN | GK"
)
BRAKE_PRODUCTS = listed(
    "Bremsscheiben | Bremsbeläge | Bremssatz | Bremsenset | Bremsscheibensatz | Bremsklötze | Bremsen Set"
    "| Bremsen Kit | Bremstrommeln"
)
TIMING_PRODUCTS = listed(
    "Zahnriemensatz | Zahnriemen | Steuerkettensatz | Zahnriemen Kit | Steuerkette | Zahnriemen Satz"
    "| Steuerketten Kit | Zahnriemenkit"
)
POSITIONS = listed(
    "vorne | hinten | Vorderachse | Hinterachse | VA | HA | vorn + hinten | vorne und hinten | VORNE | HINTEN"
)
EXTRAS = listed("Wasserpumpe | Bremsbeläge | Warnkontakt | Spannrolle | Umlenkrolle | Radlager | Thermostat")
PRAISE = listed("NEU | TOP | Qualität | OVP | Angebot | günstig | Versand | 1A | original verpackt | passend")
SPECIALS = listed(
    "verstärkt | Sportbremse | leise | wartungsfrei | HD | langlebig | für Anhängerbetrieb | Premium Line"
)


@dataclass(frozen=True)
class Title:
    """One title: its number, its category (1 brakes, 2 timing), its tokens and their tags in IOB2."""

    number: int
    category: str
    tokens: tuple[str, ...]
    tags: tuple[str, ...]

    def entities(self, tags: Sequence[str] | None = None) -> list[tuple[str, str]]:
        """Return aspect and text of each entity, by the title's own tags or those of a tagger."""
        found: list[tuple[str, str]] = []
        for token, tag in zip(self.tokens, tags or self.tags, strict=True):
            if tag[:1] == "B":
                found.append((tag[2:], token))
            elif tag[:1] == "I":
                found[-1] = (found[-1][0], f"{found[-1][1]} {token}")
        return found


class _Writer:
    """Draws the parts of one title."""

    def __init__(self, dice: random.Random, category: str) -> None:
        self.dice, self.category = dice, category
        self.make = dice.choice(tuple(VEHICLES))

    def maybe(self, chance: float, part: Callable[[], list[Part]]) -> list[Part]:
        return part() if self.dice.random() < chance else []

    def maker(self) -> list[Part]:
        """A maker of parts; now and then the make itself, as the maker of an original part."""
        if self.dice.random() < 0.14:
            return [(self.dice.choice(("ORIGINAL", "Original", "Orig.")), NO), (self.make, MAKER)]
        return [(self.dice.choice(BRAKE_MAKERS if self.category == "1" else TIMING_MAKERS), MAKER)]

    def product(self) -> list[Part]:
        name = self.dice.choice(BRAKE_PRODUCTS if self.category == "1" else TIMING_PRODUCTS)
        if name == "Bremsscheiben" and self.dice.random() < 0.5:
            return [(name, PRODUCT), (self.dice.choice(("+", "und", "&")), NO), ("Bremsbeläge", PRODUCT)]
        return [(name, PRODUCT)]

    def units(self) -> list[Part]:
        return [(self.dice.choice(("2x", "2 Stück", "4-teilig", "1 Satz", "4x", "2er Set", "3-tlg.")), UNITS)]

    def vehicle(self) -> list[Part]:
        models = list(VEHICLES[self.make])
        self.dice.shuffle(models)
        out: list[Part] = [
            (self.dice.choice(("für", "für", "für", "passend für", "FÜR", "fits", "/")), NO),
            (self.make, MAKE),
        ]
        out += [(model, MODEL) for model in models[: self.dice.choice((1, 1, 2, 2, 3))]]
        if self.dice.random() < 0.16:
            self.make = self.dice.choice([make for make in VEHICLES if make != self.make])
            out += [(self.make, MAKE), (self.dice.choice(VEHICLES[self.make]), MODEL)]
        return out

    def year(self) -> list[Part]:
        first = self.dice.randrange(1999, 2014)
        last = first + self.dice.randrange(2, 8)
        shapes = (f"{first}-{last}", f"{first} - {last}", f"ab {first}", f"bis {last}", f"{first}-", str(first))
        return [*self.maybe(0.25, lambda: [("Bj.", NO)]), (self.dice.choice(shapes), YEAR)]

    def number(self) -> list[Part]:
        n = self.dice.randrange
        shapes = (
            f"VKMA {n(10**4, 10**5):05d}",
            f"K0{n(10, 99)}{n(10**4, 10**5)}XS",
            f"{n(10**7, 10**8)}",
            f"CT{n(800, 1200)}K{n(1, 6)}",
            f"13.046{n(0, 9)}-{n(1000, 9999)}.2",
            f"P {n(20, 90)} {n(100, 199):03d}",
            f"0 986 {n(400, 499)} {n(100, 999)}",
            f"ADG0{n(2000, 9999)}",
            f"{n(100, 999)}.{n(1000, 9999)}.20",
            f"DF{n(1000, 9999)}",
        )
        return [(self.dice.choice(shapes), NUMBER)]

    def oe_number(self) -> list[Part]:
        n, letter = self.dice.randrange, self.dice.choice
        shapes = (
            f"1K0 {n(600, 699)} {n(100, 999)} {letter('ABCK')}",
            f"0{n(3, 9)}L {n(100, 199)} 119 {letter('BDF')}",
            f"A{n(100, 999)} {n(400, 499)} {n(10, 99)} 12",
            f"34 11 6 {n(700, 999)} {n(100, 999)}",
            f"77014{n(10000, 99999)}",
        )
        mark = self.maybe(0.6, lambda: [(self.dice.choice(("OE", "OEM", "OE-Nr.")), NO)])
        return [*mark, (self.dice.choice(shapes), OE_NUMBER)]

    def position(self) -> list[Part]:
        return [(self.dice.choice(POSITIONS), POSITION)]

    def diameter(self) -> list[Part]:
        size = self.dice.choice((239, 256, 259, 272, 280, 288, 294, 300, 312, 320, 345))
        return [(self.dice.choice((f"Ø{size}", f"Ø {size} mm", f"{size}mm", f"{size} mm", f"Ø{size}mm")), DIAMETER)]

    def disc(self) -> list[Part]:
        return [(self.dice.choice(("belüftet", "innenbelüftet", "voll", "BELÜFTET", "gelocht", "massiv")), DISC)]

    def finish(self) -> list[Part]:
        return [(self.dice.choice(("beschichtet", "lackiert", "Coat Z", "verzinkt", "Carbon Look")), FINISH)]

    def teeth(self) -> list[Part]:
        n = self.dice.choice((112, 120, 137, 141, 153))
        return [(self.dice.choice((f"{n} Zähne", f"Z={n}", f"{n}Z")), TEETH)]

    def width(self) -> list[Part]:
        n = self.dice.choice((20, 23, 25, 27, 30))
        return [(self.dice.choice((f"{n} mm", f"{n}mm breit", f"Breite {n}mm")), WIDTH)]

    def extra(self) -> list[Part]:
        return [(self.dice.choice(("mit", "inkl.", "+", "incl.")), NO), (self.dice.choice(EXTRAS), INCLUDED)]

    def special(self) -> list[Part]:
        return [(self.dice.choice(SPECIALS), SPECIAL)]

    def praise(self) -> list[Part]:
        return [(self.dice.choice(PRAISE), NO)]

    def write(self) -> list[Part]:
        """Put a title together: what it is first, then what it fits, with the numbers on either side."""
        start = [*self.maybe(0.85, self.maker), *self.maybe(0.25, self.units), *self.product()]
        if self.dice.random() < 0.2:
            start = [*self.product(), *self.maybe(0.9, self.maker)]
        numbers = [*self.maybe(0.42, self.number), *self.maybe(0.22, self.oe_number)]
        detail = self.maybe(0.3, self.units) if not any(kind == UNITS for _, kind in start) else []
        if self.category == "1":
            detail += [*self.maybe(0.4, self.disc), *self.maybe(0.4, self.diameter), *self.maybe(0.16, self.finish)]
            detail += self.maybe(0.65, self.position)
        else:
            detail += [*self.maybe(0.28, self.teeth), *self.maybe(0.2, self.width), *self.maybe(0.45, self.extra)]
        detail += self.maybe(0.14, self.special)
        fits = [*self.vehicle(), *self.maybe(0.36, self.year)]
        middle = self.dice.choice(([*numbers, *detail, *fits], [*detail, *fits, *numbers], [*fits, *detail, *numbers]))
        return [*self.maybe(0.08, self.praise), *start, *middle, *self.maybe(0.2, self.praise)]


@cache
def titles(count: int = COUNT) -> list[Title]:
    """Make titles, always the same ones."""
    dice = random.Random(SEED)  # noqa: S311  made-up data, no secret
    out: list[Title] = []
    seen: set[tuple[str, ...]] = set()
    while len(out) < count:
        category = "12"[len(out) % 2]
        shout = dice.random() < 0.12
        parts = _Writer(dice, category).write()
        tokens: list[str] = []
        tags: list[str] = []
        for text, aspect in parts:
            words = (text.upper() if shout else text).split()
            tokens += words
            tags += ["O"] * len(words) if not aspect else [f"B-{aspect}", *[f"I-{aspect}"] * (len(words) - 1)]
        if tuple(tokens) not in seen and len(" ".join(tokens)) <= 110:
            seen.add(tuple(tokens))
            out.append(Title(len(out) + 1, category, tuple(tokens), tuple(tags)))
    return out
