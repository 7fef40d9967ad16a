"""Matching: units side by side, then who answers whom."""

from karatage.matching.alignment import Alignment, Kind, Sides
from karatage.matching.pairing import Pair, Pairing, TaggedPair, UnitPolicy
from karatage.matching.rules import RULES, Rule

__all__ = ["RULES", "Alignment", "Kind", "Pair", "Pairing", "Rule", "Sides", "TaggedPair", "UnitPolicy"]
