"""The settings of the CRF: its features and how it is trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from karatage.training.settings import option

WordFeature = Literal["word", "lower", "shape", "short_shape", "digits", "marks", "length"]
"""Features of a word besides its affixes, by the names of their settings."""

WORD_FEATURES: tuple[WordFeature, ...] = get_args(WordFeature)


@dataclass(frozen=True)
class CrfSettings:
    """A CRF over words, their neighbours, pairs, brackets, gazetteers and the category."""

    word: bool = option(True, "The word.")
    lower: bool = option(True, "The lowercased word.")
    shape: bool = option(True, "The shape of the first 12 characters: `Ab-12` is `Xx-99`.")
    short_shape: bool = option(True, "The shape with repeated characters collapsed: `Bremse12` is `Xx9`.")
    prefixes: int = option(6, "Maximum length of lowercased prefixes.", least=0, most=20)
    suffixes: int = option(6, "Maximum length of lowercased suffixes.", least=0, most=20)
    digits: bool = option(True, "The lowercased word with 0 for each digit.")
    marks: bool = option(True, "Whether it contains a digit, hyphen, full stop or slash, or starts with a capital.")
    length: bool = option(True, "The number of characters, at most 10.")
    ends: bool = option(True, "Whether the text begins or ends within the window.")
    window: int = option(2, "Number of neighbouring words on each side.", least=0, most=10)
    neighbours: tuple[WordFeature, ...] = option(
        ("word", "lower", "short_shape"), f"Features of the neighbours, of: {', '.join(WORD_FEATURES)}."
    )
    neighbour_affixes: int = option(
        3, "Length of the prefix and the suffix of neighbours; 0 for none.", least=0, most=20
    )
    pairs: bool = option(True, "Pairs of adjacent lowercased words in a window of two.")
    shape_pairs: bool = option(True, "Short shapes of the word with the previous one, the next one, and both.")
    brackets: bool = option(True, "Whether a word is in brackets, and the first word in them.")
    group: bool = option(True, "The category, alone and with the word.")
    gazetteers: Mapping[str, str] = field(
        default_factory=dict, metadata={"help": "Gazetteers by name: text files with one entry per line."}
    )
    match_case: bool = option(False, "Match the entries of gazetteers case-sensitively.")
    c1: float = option(0.01, "L1 regularisation; it makes models smaller.", least=0)
    c2: float = option(0.02, "L2 regularisation.", least=0)
    iterations: int = option(100, "Maximum number of L-BFGS iterations.", least=1)
    min_frequency: int = option(0, "Features that occur less often are dropped.", least=0)
    all_transitions: bool = option(True, "Learn weights for all transitions, not only for those in the data.")
    per_group: bool = option(False, "Train one model per category.")
