"""What looks wrong in the gold itself: a ranked list for people to review."""

from karatage.explanation.gold_check.checking import EVIDENCE, check_gold
from karatage.explanation.gold_check.suspects import Suspects

__all__ = ["EVIDENCE", "Suspects", "check_gold"]
