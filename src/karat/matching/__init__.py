"""Matching: units side by side, then who answers whom."""

from karat.matching.alignment import Alignment, Kind, Sides
from karat.matching.pairing import Pair, Pairing, TaggedPair, UnitPolicy
from karat.matching.rules import RULES, Rule

__all__ = ["RULES", "Alignment", "Kind", "Pair", "Pairing", "Rule", "Sides", "TaggedPair", "UnitPolicy"]
