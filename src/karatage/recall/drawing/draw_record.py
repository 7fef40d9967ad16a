"""A draw: the strata of a corpus and the candidates that were drawn from them."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields

from karatage._printing import json_text
from karatage._version import __version__
from karatage.formats import to_rows

KIND = "karatage recall draw"
OLD_KIND = "karat recall draw"
"""What manifests say that were written before the project was renamed."""
VERSION = 1
ITEMS = "items.csv"


@dataclass(frozen=True)
class DrawnStratum:
    """A stratum of the corpus, and how much of it was drawn."""

    name: str
    occurrences: int  # candidates in the corpus
    drawn: int  # including those of the draws that this one continues
    assist: float | None = None  # mean, over all its candidates, of what an existing tagger says of them

    @property
    def probability(self) -> float | None:
        """The probability of each candidate to be drawn; None without candidates.

        A draw and those that it continues are one simple random sample, so this is the probability over all of them.
        """
        return self.drawn / self.occurrences if self.occurrences else None

    def to_dict(self) -> dict[str, object]:
        """Return the entry in the manifest."""
        counts = {"name": self.name, "occurrences": self.occurrences, "drawn": self.drawn}
        return counts | {"probability": self.probability, "assist": self.assist}


@dataclass(frozen=True)
class DrawnItem:
    """A candidate that was drawn. The attributes are the columns of `items.csv`."""

    item: str  # its id, from the stratum and the rank
    stratum: str
    rank: int  # in the random order of the stratum, starting at 1
    probability: float  # to be drawn, in this draw or those that it continues
    unit: str  # its id, or its file and line
    start: int
    end: int
    text: str
    assist: float | None = None  # what an existing tagger says of it

    @property
    def candidate(self) -> str:
        """The text of the candidate."""
        return self.text[self.start : self.end]


COLUMNS = tuple(one.name for one in fields(DrawnItem))
"""Columns of `items.csv`; the last one only with predictions of an existing tagger."""


@dataclass(frozen=True, kw_only=True)
class Draw:
    """A random sample of the candidates of each stratum.

    Attributes:
        strata: The strata, including those without candidates.
        items: The drawn candidates, by stratum and rank, including those of the draws that this one continues.
        seed: Random seed.
        label: Label of the entities.
        frame: Hash of the sampling frame.
        corpus: Names of the corpus files.
        candidates: What makes a candidate, as in the manifest.
        after: Number of items of each stratum in the draws that this one continues, if any. Tasks are written for the
            other items.
    """

    strata: tuple[DrawnStratum, ...]
    items: tuple[DrawnItem, ...] = field(repr=False)
    seed: int
    label: str
    frame: str
    corpus: tuple[str, ...]
    candidates: Mapping[str, object] = field(repr=False)
    after: Mapping[str, int] | None = None

    @property
    def new(self) -> list[DrawnItem]:
        """The items that no earlier draw has."""
        before = self.after or {}
        return [one for one in self.items if one.rank > before.get(one.stratum, 0)]

    @property
    def warnings(self) -> list[str]:
        """What the user should know."""
        empty = [one.name for one in self.strata if not one.occurrences]
        if not empty:
            return []
        shown = ", ".join(empty[:10]) + (", …" if len(empty) > 10 else "")
        return [f"{'stratum' if len(empty) == 1 else 'strata'} without candidates: {shown}"]

    def manifest(self) -> dict[str, object]:
        """Return the content of `manifest.json`."""
        return {
            "kind": KIND,
            "version": VERSION,
            "karatage": __version__,
            "seed": self.seed,
            "label": self.label,
            "frame": self.frame,
            "corpus": list(self.corpus),
            "candidates": dict(self.candidates),
            "after": None if self.after is None else dict(self.after),
            "strata": [one.to_dict() for one in self.strata],
            "items": f"sha256:{hashlib.sha256(self.items_csv()).hexdigest()}",
        }

    def to_json(self) -> str:
        """Return the manifest as JSON."""
        return json_text(self.manifest())

    def items_csv(self) -> bytes:
        """Return the content of `items.csv`."""
        width = len(COLUMNS) if any(one.assist is not None for one in self.strata) else len(COLUMNS) - 1
        rows = (list(map(str, astuple(one)[:width])) for one in self.items)
        return to_rows([COLUMNS[:width], *rows], ",", "\n", ITEMS)


def slugs(names: Sequence[str]) -> list[str]:
    """Return a unique short name for each stratum that is safe in file names."""
    out: list[str] = []
    for name in names:
        bare = "".join(c for c in unicodedata.normalize("NFKD", name.lower()) if not unicodedata.combining(c))
        slug = re.sub(r"\W+", "-", unicodedata.normalize("NFC", bare)).strip("-")[:40].strip("-") or "stratum"
        number, unique = 1, slug
        while unique in out:
            number += 1
            unique = f"{slug}-{number}"
        out.append(unique)
    return out
