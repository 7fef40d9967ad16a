"""Tagging schemes as tables.

A rule is three characters: the prefix of the tag before, the prefix of this tag, and how their types relate:
`=` the same, `!` different, `*` either; a `.` stands for any prefix. `"BI="` reads: an I after a B of the same type.
The edge of a unit counts as an O.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from karatage._arrays import Bools
from karatage.errors import unknown

CLASSES = "OBIES.?"
"""What a prefix can be to a table. L counts as E and U as S; `?` is any other letter."""

CLASS_OF = {letter: number for number, letter in enumerate(CLASSES)} | {"L": 3, "U": 4}
OTHER = CLASSES.index("?")

Table = Bools
"""Shape (class before, class, types equal)."""


def table(rules: str) -> Table:
    """Expand rules, separated by spaces, into a table of booleans."""
    out = np.zeros((len(CLASSES), len(CLASSES), 2), bool)
    for rule in rules.split():
        before, now, types = tuple(rule)
        row = slice(None) if before == "." else CLASS_OF[before]
        column = slice(None) if now == "." else CLASS_OF[now]
        out[row, column, {"=": slice(1, 2), "!": slice(0, 1), "*": slice(0, 2)}[types]] = True
    return out


@dataclass(frozen=True, eq=False)
class Scheme:
    """A tagging scheme that can be enforced.

    Attributes:
        name: how users call it.
        prefixes: the letters that may occur.
        starts: where a span starts.
        inside: where the span continues.
        ends: where the span is complete (the rule is about its last tag and the next one).
        invalid: transitions that no writer of this scheme produces.
        single, first, middle, last: the prefix of a span's only, first, inner and last token when writing.
    """

    name: str
    prefixes: str
    starts: str = field(repr=False)
    inside: str = field(repr=False)
    ends: str = field(repr=False)
    invalid: str = field(repr=False)
    single: str = "I"
    first: str = "I"
    middle: str = "I"
    last: str = "I"
    about: str = field(default="", repr=False)

    @property
    def splits_neighbours(self) -> bool:
        """Whether two adjacent spans of one type stay separate."""
        return self.name != "IO"


_SCHEMES = """
IOB1 IOB IIII I inside, B only after an adjacent entity of the same type (the first CoNLL task)
    OI* II! BI* IB= BB= | BI= II= | II! IO* IB* BO* BI! BB= | OB* IB! BB!
IOB2 IOB BBII B first, I inside: what most people call BIO
    .B* | BI= II= | IO* II! IB* BO* BI! BB* | OI* BI! II!
IOE1 IOE IIII I inside, E only before an adjacent entity of the same type
    OI* OE* II! IE! EI* EE* | II= IE= | II! IO* IE! E.* | EO* EI! EE!
IOE2 IOE EIIE I inside, E last
    OI* OE* EI* EE* II! IE! | IE= II= | E.* | IO* II! IE!
IOBES IOBES SBIE B first, I inside, E last, S alone
    .B* .S* | BI= BE= II= IE= | S.* E.* | BO* BB* BS* IO* IB* IS* BI! BE! II! IE! OI* OE* EI* EE* SI* SE*
BILOU BILOU UBIL B first, I inside, L last, U alone
    .B* .S* | BI= BE= II= IE= | S.* E.* | BO* BB* BS* IO* IB* IS* BI! BE! II! IE! OI* OE* EI* EE* SI* SE*
IO IO IIII I inside; adjacent entities of one type are merged
    OI* II! | II= | IO* II! |
EMPTY - IIII a bare type starts an entity, an empty tag continues the previous entity (eBay)
    .B* | BI= II= | IO* II! IB* BO* BI! BB* | OI* BI! II!
"""
"""Name, prefixes, the letters of single, first, middle and last token, and a description; below them the rules for
starts, inside, ends and what is invalid."""


def _scheme(head: str, rules: str) -> Scheme:
    name, prefixes, letters, about = head.split(maxsplit=3)
    starts, inside, ends, invalid = (part.strip() for part in rules.split("|"))
    single, first, middle, last = tuple(letters)
    return Scheme(
        name, prefixes.strip("-"), starts, inside, ends, invalid,
        single=single, first=first, middle=middle, last=last, about=about,
    )  # fmt: skip


_LINES = _SCHEMES.strip().splitlines()
SCHEMES = {one.name: one for one in map(_scheme, _LINES[::2], _LINES[1::2])}

LENIENT_STARTS = ".B* .S* EE* EI* SE* SI* OE* OI* .B! .I! .E! .S! .?!"
LENIENT_ENDS = "E.* S.* BB* BS* BO* IB* IS* IO* B.! I.! E.! S.! ?.!"
"""conlleval's two rules: a change of type always starts a new span, and I continues the previous one."""


def scheme(name: str) -> Scheme:
    """Look up a scheme by its name, in any case; `BIO` and `IOBES`' other names are known."""
    key = _ALIASES.get(name.upper(), name.upper())
    if key not in SCHEMES:
        raise unknown("scheme", name, SCHEMES)
    return SCHEMES[key]


_ALIASES = {"BIO": "IOB2", "BIO2": "IOB2", "IOB": "IOB1", "BIOES": "IOBES", "BILUO": "BILOU"}
