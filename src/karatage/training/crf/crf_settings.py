"""The settings of the CRF: which features it sees and how it is trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from karatage.errors import unknown
from karatage.training.settings import option

KINDS = ("word", "lower", "shape", "short_shape", "digits", "marks", "length")
"""What a word tells beside its affixes, by the names of the settings."""


@dataclass(frozen=True)
class CrfSettings:
    """A CRF over words, their neighbours, pairs, brackets, gazetteers and the unit's group."""

    word: bool = option(True, "The word as it stands.")
    lower: bool = option(True, "The word in lower case.")
    shape: bool = option(True, "A letter for each of the first 12 characters: `Ab-12` is `Xx-99`.")
    short_shape: bool = option(True, "The shape with each run of one letter as one: `Bremse12` is `Xx9`.")
    prefixes: int = option(6, "Beginnings of the word in lower case, up to so many characters.", least=0, most=20)
    suffixes: int = option(6, "Ends of the word in lower case, up to so many characters.", least=0, most=20)
    digits: bool = option(True, "The word in lower case with 0 for each digit.")
    marks: bool = option(True, "Whether it has a digit, hyphen, full stop or slash, and begins with a capital.")
    length: bool = option(True, "How many characters it has, 10 being the most.")
    ends: bool = option(True, "Whether the unit begins or ends within the window.")
    window: int = option(2, "How many words on either side are seen.", least=0, most=10)
    neighbours: tuple[str, ...] = option(
        ("word", "lower", "short_shape"), f"What is seen of those words, of: {', '.join(KINDS)}."
    )
    neighbour_affixes: int = option(
        3, "The beginning and the end of those words, of so many characters; 0 for neither.", least=0, most=20
    )
    pairs: bool = option(True, "The pairs of words next to each other in a window of two, in lower case.")
    shape_pairs: bool = option(True, "The short shapes of the word and the one before, behind, and both.")
    brackets: bool = option(True, "Whether a word is in brackets, and the first word in them.")
    group: bool = option(True, "The group of the unit, such as its category, alone and with the word.")
    gazetteers: Mapping[str, str] = field(
        default_factory=dict,
        metadata={"help": "Lists of names by what they are called: text files with an entry per line."},
    )
    match_case: bool = option(False, "Whether an entry of a gazetteer must have the same capitals.")
    c1: float = option(0.01, "Weight of the penalty on absolute weights; it makes small models.", least=0)
    c2: float = option(0.02, "Weight of the penalty on squared weights.", least=0)
    iterations: int = option(100, "Iterations of L-BFGS at most.", least=1)
    min_frequency: int = option(0, "Features that occur less often with a tag are left out.", least=0)
    all_transitions: bool = option(True, "Weigh every step from tag to tag, or only those that occur.")
    per_group: bool = option(False, "Train a model for each group of units instead of one for all.")

    def __post_init__(self) -> None:
        for name in self.neighbours:
            if name not in KINDS:
                raise unknown("feature of neighbours", name, KINDS)
