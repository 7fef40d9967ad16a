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


_IOB2_ENDS = "IO* II! IB* BO* BI! BB*"
_INSIDE_ENDED = "BI= BE= II= IE="
_CHUNKED = "BO* BB* BS* IO* IB* IS* BI! BE! II! IE! OI* OE* EI* EE* SI* SE*"

SCHEMES: dict[str, Scheme] = {
    s.name: s
    for s in (
        Scheme(
            "IOB1",
            "IOB",
            starts="OI* II! BI* IB= BB=",
            inside="BI= II=",
            ends="II! IO* IB* BO* BI! BB=",
            invalid="OB* IB! BB!",
            about="I inside, B only after an adjacent entity of the same type (the first CoNLL task)",
        ),
        Scheme(
            "IOB2",
            "IOB",
            starts=".B*",
            inside="BI= II=",
            ends=_IOB2_ENDS,
            invalid="OI* BI! II!",
            single="B",
            first="B",
            about="B first, I inside: what most people call BIO",
        ),
        Scheme(
            "IOE1",
            "IOE",
            starts="OI* OE* II! IE! EI* EE*",
            inside="II= IE=",
            ends="II! IO* IE! E.*",
            invalid="EO* EI! EE!",
            about="I inside, E only before an adjacent entity of the same type",
        ),
        Scheme(
            "IOE2",
            "IOE",
            starts="OI* OE* EI* EE* II! IE!",
            inside="IE= II=",
            ends="E.*",
            invalid="IO* II! IE!",
            single="E",
            last="E",
            about="I inside, E last",
        ),
        Scheme(
            "IOBES",
            "IOBES",
            starts=".B* .S*",
            inside=_INSIDE_ENDED,
            ends="S.* E.*",
            invalid=_CHUNKED,
            single="S",
            first="B",
            last="E",
            about="B first, I inside, E last, S alone",
        ),
        Scheme(
            "BILOU",
            "BILOU",
            starts=".B* .S*",
            inside=_INSIDE_ENDED,
            ends="S.* E.*",
            invalid=_CHUNKED,
            single="U",
            first="B",
            last="L",
            about="B first, I inside, L last, U alone",
        ),
        Scheme(
            "IO",
            "IO",
            starts="OI* II!",
            inside="II=",
            ends="IO* II!",
            invalid="",
            about="I inside; adjacent entities of one type are merged",
        ),
        Scheme(
            "EMPTY",
            "",
            starts=".B*",
            inside="BI= II=",
            ends=_IOB2_ENDS,
            invalid="OI* BI! II!",
            about="a bare type starts an entity, an empty tag continues the previous entity (eBay)",
        ),
    )
}

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
