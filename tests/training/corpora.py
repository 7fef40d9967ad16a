"""Small made-up corpora: titles of parts in two categories, each with labels of its own."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from karatage.claims import Claims, Units
from karatage.training.examples import Examples, examples_of, tagset_of
from karatage.training.tagset import TagSet

TINY: dict[str, Any] = {
    "word_dim": 8,
    "hidden": 8,
    "category_dim": 2,
    "epochs": 2,
    "batch": 8,
    "learning_rate": 0.05,
    "device": "cpu",
}
"""Settings of a network that trains in a blink."""

TINY_CRF: dict[str, Any] = {**TINY, "char_dim": 3, "char_hidden": 4, "affixes": 2, "average": 0.5, "dropout": 0.1}

MAKERS = ("SKF", "ATE", "Bosch", "INA")
MAKES = ("BMW", "Audi", "VOLVO", "Opel")


class Title(NamedTuple):
    """Tokens, and spans of (start, end, label) in them."""

    category: str
    tokens: tuple[str, ...]
    spans: tuple[tuple[int, int, str], ...]


def titles(count: int, seed: int = 0) -> list[Title]:
    """Make titles: a maker, a kind, in category 1 a colour, in category 2 a number of two tokens, for makes."""
    dice = random.Random(seed)
    return [_title(dice) for _ in range(count)]


def _title(dice: random.Random) -> Title:
    category = dice.choice("12")
    tokens: list[str] = []
    spans: list[tuple[int, int, str]] = []

    def add(label: str, *words: str) -> None:
        spans.append((len(tokens), len(tokens) + len(words), label))
        tokens.extend(words)

    add("maker", dice.choice(MAKERS))
    if category == "1":
        add("kind", dice.choice(("Bremsscheiben", "Bremsbeläge")))
        if dice.random() < 0.5:
            add("colour", dice.choice(("rot", "blau")))
    else:
        add("kind", dice.choice(("Zahnriemensatz", "Zahnriemen")))
        add("number", dice.choice(("VKMA", "CT")), str(dice.randrange(1000, 1010)))
    if dice.random() < 0.8:
        tokens.append("für")
        for make in dice.sample(MAKES, dice.randint(1, 2)):  # two makes are neighbours of one label
            add("make", make)
    return Title(category, tuple(tokens), tuple(spans))


def claims_of(made: Sequence[Title], *, categories: bool = True, texts: bool = False) -> Claims:
    """Put titles into claims in tokens, or in characters of the tokens joined by blanks."""
    attributes = {"category": [title.category for title in made]} if categories else {}
    rows: list[tuple[int, str, int, int, None, None]] = []
    for unit, title in enumerate(made):
        places = [len(" ".join((*title.tokens[:at], ""))) for at in range(len(title.tokens))]
        for start, end, label in title.spans:
            if texts:
                start, end = places[start], places[end - 1] + len(title.tokens[end - 1])
            rows.append((unit, label, start, end, None, None))
    if texts:
        units = Units(len(made), texts=[" ".join(title.tokens) for title in made], attributes=attributes)
        return Claims.build(units, "char", rows)
    units = Units(len(made), tokens=[list(title.tokens) for title in made], attributes=attributes)
    return Claims.build(units, "token", rows)


def examples(count: int, seed: int = 0) -> tuple[Examples, TagSet]:
    """Make examples with their tags."""
    claims = claims_of(titles(count, seed))
    tags = tagset_of(claims, "category")
    return examples_of(claims, tags, "category"), tags


def spans_of(claims: Claims) -> list[tuple[int, int, int, str]]:
    """Return unit, start, end and label of each claim."""
    return [(unit, start, end, label) for unit, label, start, end, _, _ in claims.rows()]


def decoded(codes: Sequence[int], sizes: Sequence[int], labels: Sequence[str]) -> list[tuple[int, int, int, str]]:
    """Read tag codes one by one: an I that does not go on from its own label begins an entity."""
    out: list[tuple[int, int, int, str]] = []
    at = 0
    for unit, size in enumerate(sizes):
        open_label = ""
        for place in range(size):
            code = int(codes[at])
            at += 1
            label = labels[(code - 1) // 2] if code else ""
            goes_on = code and code % 2 == 0 and label == open_label
            if goes_on:
                _, start, _, _ = out[-1]
                out[-1] = (unit, start, place + 1, label)
            elif code:
                out.append((unit, place, place + 1, label))
            open_label = label
    return out


def valid(codes: Sequence[int], sizes: Sequence[int]) -> bool:
    """Tell whether I only goes on from its own label, within its unit."""
    at = 0
    for size in sizes:
        before = 0
        for code in codes[at : at + size]:
            if code and code % 2 == 0 and before not in (code, code - 1):
                return False
            before = code
        at += size
    return True


def write_conll(path: Path, made: Sequence[Title]) -> Path:
    """Write titles as columns of tokens and tags."""
    blocks = []
    for title in made:
        tags = ["O"] * len(title.tokens)
        for start, end, label in title.spans:
            tags[start:end] = [f"B-{label}"] + [f"I-{label}"] * (end - start - 1)
        blocks.append("".join(f"{token} {tag}\n" for token, tag in zip(title.tokens, tags, strict=True)))
    path.write_text("\n".join(blocks), "utf-8")
    return path


def write_ebay(path: Path, made: Sequence[Title]) -> Path:
    """Write titles as the challenge's tagged file: an empty tag goes on."""
    rows = ["Record Number\tCategory\tTitle\tToken\tTag"]
    for number, title in enumerate(made, 1):
        tags = ["O"] * len(title.tokens)
        for start, end, label in title.spans:
            tags[start:end] = [label] + [""] * (end - start - 1)
        text = " ".join(title.tokens)
        rows += [f"{number}\t{title.category}\t{text}\t{a}\t{b}" for a, b in zip(title.tokens, tags, strict=True)]
    path.write_text("".join(f"{row}\r\n" for row in rows), "utf-8", newline="")
    return path


def write_listings(path: Path, made: Sequence[Title]) -> Path:
    """Write titles as the challenge's listings, without tags."""
    rows = ["Record Number\tCategory\tTitle"]
    rows += [f"{number}\t{title.category}\t{' '.join(title.tokens)}" for number, title in enumerate(made, 1)]
    path.write_text("".join(f"{row}\r\n" for row in rows), "utf-8", newline="")
    return path


def sizes_of(made: Sequence[Title]) -> np.ndarray[Any, Any]:
    return np.array([len(title.tokens) for title in made], np.int64)
