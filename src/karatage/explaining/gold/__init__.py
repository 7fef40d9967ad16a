"""What looks wrong in the gold itself: a ranked list for people to review."""

from karatage.explaining.gold.checking import EVIDENCE, check_gold
from karatage.explaining.gold.suspects import Suspects

__all__ = ["EVIDENCE", "Suspects", "check_gold"]
