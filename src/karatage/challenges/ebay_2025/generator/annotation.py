"""From titles to tags, as annotators give them: one tag per token, an empty one goes on, and mistakes at a rate."""

from __future__ import annotations

from karatage.challenges.ebay_2025 import aspects as a
from karatage.challenges.ebay_2025.generator.pools import Dice, one_of
from karatage.challenges.ebay_2025.generator.title_generator import ListingTitle

_CONFUSED = {
    a.MAKER: (a.MAKE, a.LINE, a.PRODUCT_MODEL),
    a.MAKE: (a.MAKER, a.MODEL),
    a.MODEL: (a.MAKE, a.PRODUCT_MODEL, a.OE_NUMBER),
    a.NUMBER: (a.OE_NUMBER, a.PRODUCT_MODEL),
    a.OE_NUMBER: (a.NUMBER,),
    a.PRODUCT: (a.EXTRA, a.SPECIAL),
    a.EXTRA: (a.PRODUCT, a.SPECIAL),
    a.SPECIAL: (a.TECHNOLOGY, a.EXTRA, a.APPLICATION),
    a.TECHNOLOGY: (a.SPECIAL, a.MATERIAL),
    a.MATERIAL: (a.TECHNOLOGY,),
    a.FINISH: (a.SPECIAL, a.DISC),
    a.DISC: (a.SPECIAL, a.FINISH),
    a.DIAMETER: (a.SIZE, a.THICKNESS),
    a.THICKNESS: (a.DIAMETER,),
    a.WIDTH: (a.LENGTH, a.SIZE),
    a.LENGTH: (a.WIDTH, a.SIZE),
    a.LINE: (a.PRODUCT_MODEL, a.SPECIAL),
    a.PRODUCT_MODEL: (a.LINE, a.SPECIAL),
    a.APPLICATION: (a.SPECIAL,),
    a.AMOUNT: (a.UNITS,),
    a.UNITS: (a.AMOUNT, a.SPECIAL),
}
"""Which aspects annotators take for each other."""


def tagged(title: ListingTitle, noise: float, dice: Dice) -> list[tuple[str, str]]:
    """Return the tokens of a title with their tags.

    Args:
        title: the title.
        noise: how often an annotator errs in an entity: in where it ends, in its aspect, or by not seeing it.
        dice: decides where.
    """
    tokens: list[str] = []
    tags: list[str] = []
    for text, aspect in title.parts:
        words = text.split(" ")
        tokens += words
        tags.append(aspect or a.OBSCURE)
        tags += [""] * (len(words) - 1)
    for at in [at for at, tag in enumerate(tags) if tag not in ("", a.OBSCURE)]:
        if dice() < noise:
            _err(tags, at, title.category, dice)
    return list(zip(tokens, tags, strict=True))


def _err(tags: list[str], at: int, category: str, dice: Dice) -> None:
    """Make one mistake in the entity that starts at a token."""
    aspect = tags[at]
    if aspect in ("", a.OBSCURE):
        return  # another mistake has changed it already
    end = at + 1
    while end < len(tags) and not tags[end]:
        end += 1
    kind = dice()
    others = [other for other in _CONFUSED.get(aspect, ()) if other in a.ASPECTS[category]]
    if kind < 0.35:
        tags[at] = a.OBSCURE
    elif kind < 0.65 and others:
        tags[at] = one_of(others, dice)
    elif end - at > 1:
        tags[end - 1] = a.OBSCURE if dice() < 0.5 else aspect  # one token too few, or two entities for one
    elif end < len(tags):
        follows = tags[end]
        tags[end] = ""  # one token too many
        if end + 1 < len(tags) and not tags[end + 1]:
            tags[end + 1] = follows
    else:
        tags[at] = a.OBSCURE
