"""Gold check: a ranked list of gold entities that look wrong, for people to review."""

from karatage.explanation.gold_check.checking import EVIDENCE, check_gold
from karatage.explanation.gold_check.suspects import Suspects

__all__ = ["EVIDENCE", "Suspects", "check_gold"]
