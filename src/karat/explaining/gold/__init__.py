"""What looks wrong in the gold itself: a ranked list for people to review."""

from karat.explaining.gold.checking import EVIDENCE, check_gold
from karat.explaining.gold.suspects import Suspects

__all__ = ["EVIDENCE", "Suspects", "check_gold"]
