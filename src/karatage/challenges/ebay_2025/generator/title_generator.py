"""Whole titles: parts in the order of different sellers, cut where eBay cuts, shouted and misspelt now and then."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from karatage.challenges.ebay_2025.aspects import MAKE
from karatage.challenges.ebay_2025.generator import part_details as d
from karatage.challenges.ebay_2025.generator.pools import Dice, Part, Parts, listed
from karatage.challenges.ebay_2025.generator.seller import Seller

LONGEST = 80
"""How many characters a title may have."""

_ASCII = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})
_DANGLING = {
    "|",
    *listed(
        "für | passend für | passt für | für den | passend f. | kompatibel mit | geeignet für | f. | fuer | fits "
        "| for | mit | inkl. | inkl | incl. | m. | samt | inklusive | + | & | und | / | - | , | oe | oem | oe: "
        "| oem: | oe-nr. | oe nr. | vergl. | ersetzt | bj. | bj | bj: | baujahr | ab | x | länge | länge: | breite "
        "| breite: | stärke | dicke | dicke: | zähnezahl | durchmesser | aus | sae | original | orig. | modell "
        "| version | ausführung | in | – | • | l: | b: | zähne: | durchm."
    ),
}
"""What no title ends with, unless it was cut off."""


@dataclass(frozen=True, slots=True)
class ListingTitle:
    """One title: its category and its parts; a part's words are parted by one blank."""

    category: str
    parts: tuple[Part, ...]
    text: str


Chances = tuple[tuple[float, d.Detail], ...]

_DISC_DETAILS: Chances = ((0.42, d.disc), (0.42, d.diameter), (0.18, d.finish), (0.09, d.thickness))
_BRAKE_DETAILS: Chances = (
    (0.06, d.material),
    (0.06, d.technology),
    (0.03, d.colour),
    (0.04, d.country),
    (0.04, d.size),
    (0.5, d.position),
    (0.13, d.special),
    (0.02, d.part_model),
)
_TIMING_DETAILS: Chances = (
    (0.15, d.teeth),
    (0.1, d.width),
    (0.06, d.length),
    (0.05, d.oil),
    (0.08, d.application),
    (0.07, d.position),
    (0.13, d.special),
    (0.04, d.part_model),
    (0.02, d.size),
)
_DETAILS = {"1": _BRAKE_DETAILS, "2": _TIMING_DETAILS}
_EXTRAS = {"1": 0.27, "2": 0.42}
_ENGINES = {"1": 0.22, "2": 0.42}
"""How often something comes with the product, and an engine is named."""


def titles(seed: int) -> Iterator[ListingTitle]:
    """Make titles without end, always the same ones for a seed."""
    dice = random.Random(seed).random  # noqa: S311  made-up data, no secret
    while True:
        category = "1" if dice() < 0.5 else "2"
        parts = _cut(_drawn(category, dice), dice)
        yield ListingTitle(category, tuple(parts), _spaced([text for text, _ in parts], dice))


def _drawn(category: str, dice: Dice) -> Parts:
    """Draw the parts of a title and put them into an order."""
    seller = Seller(dice, category)
    maker = seller.maker() if dice() < 0.84 else []
    product = seller.product()
    named = " ".join(text for text, _ in product).lower()
    if dice() < 0.13:
        product = [*seller.units(), *product]
    elif dice() < 0.09:
        product = [*product, *seller.units()]
    details = [seller.contents(named)] if dice() < _EXTRAS[category] else []
    chances = _DETAILS[category]
    if category == "1" and not any(word in named for word in ("beläg", "belag", "klötz", "backen", "trommel")):
        chances = _DISC_DETAILS + chances
    details += [draw(seller) for chance, draw in chances if dice() < chance]
    if len(details) > 1 and dice() < 0.6:
        details.insert(0, details.pop(int(dice() * len(details))))
    detail = [part for group in details for part in group]
    numbers = seller.number() if dice() < 0.48 else []
    if dice() < 0.2:
        numbers = [*numbers, *seller.vehicle.oe_number()]
    style = dice()
    fits = seller.vehicle.fits(style < 0.2 or style >= 0.34) if dice() < 0.93 else []
    if fits and seller.vehicle.models and dice() < _ENGINES[category]:
        fits = [*fits, *seller.vehicle.engine()]
    if fits and dice() < 0.32:
        fits = [*fits, *seller.vehicle.year()]
    blocks = _ordered(style, maker=maker, product=product, detail=detail, fits=fits, numbers=numbers)
    if dice() < 0.1:
        blocks.insert(0, seller.sale(first=True))
    if dice() < 0.18:
        blocks.insert(2, seller.sale())
    if dice() < 0.6:
        blocks.append(seller.sale())
    elif dice() < 0.07:
        blocks.append([product[-1] if dice() < 0.5 else (seller.vehicle.name(), MAKE)])
    out: Parts = []
    for block in blocks:
        if out and block and dice() < 0.06:
            out += seller.mark()
        out += block
    return out


def _ordered(style: float, *, maker: Parts, product: Parts, detail: Parts, fits: Parts, numbers: Parts) -> list[Parts]:
    """Put the blocks of a title into the order of one kind of seller."""
    if style < 0.2:
        return [product, detail, fits, maker, numbers]
    if style < 0.34:
        return [fits, product, detail, maker, numbers]
    if style < 0.6:
        return [maker, product, detail, fits, numbers]
    if style < 0.8:
        return [maker, numbers, product, detail, fits]
    if style < 0.92:
        return [maker, product, numbers, fits, detail]
    return [numbers, maker, product, fits, detail]


def _cut(parts: Parts, dice: Dice) -> Parts:
    """Change the words as this seller writes, and keep what a title has room for, never a part of a word."""
    parts = _written(parts, dice)
    room = LONGEST
    out: Parts = []
    for text, aspect in parts:
        if len(text) > room:
            if dice() < 0.25:  # the rest is cut off where it stands, not left out
                head = text[: room + 1].rpartition(" ")[0]
                if head:
                    out.append((head, aspect))
            break
        out.append((text, aspect))
        room -= len(text) + 1
    while len(out) > 1 and not out[-1][1] and out[-1][0].lower() in _DANGLING and dice() < 0.9:
        out.pop()
    return out


def _written(parts: Parts, dice: Dice) -> Parts:
    """Shout, write umlauts as two letters, or misspell a word, each now and then."""
    style = dice()
    if style < 0.22:
        parts = [(text.upper(), aspect) for text, aspect in parts]
    elif style < 0.25:
        parts = [(text.lower(), aspect) for text, aspect in parts]
    elif style < 0.31:
        parts = [(text.translate(_ASCII), aspect) for text, aspect in parts]
    if dice() < 0.07:
        at = int(dice() * len(parts))
        text, aspect = parts[at]
        if len(text) > 5 and text.isalpha():
            parts = [*parts[:at], (_misspelt(text, dice), aspect), *parts[at + 1 :]]
    return parts


def _misspelt(word: str, dice: Dice) -> str:
    """Swap two letters, leave one out, or double one; the first stays."""
    at = 1 + int(dice() * (len(word) - 2))
    kind = dice()
    if kind < 0.4:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if kind < 0.75:
        return word[:at] + word[at + 1 :]
    return word[:at] + word[at] + word[at:]


def _spaced(texts: list[str], dice: Dice) -> str:
    """Join the parts by blanks; now and then by two, or by a tab."""
    draw = dice()
    if draw < 0.006 and len(texts) > 2 and len(" ".join(texts)) < LONGEST:
        at = len(texts) // 2
        sign = "\t" if draw < 0.002 else "  "
        return sign.join((" ".join(texts[:at]), " ".join(texts[at:])))
    return " ".join(texts)
