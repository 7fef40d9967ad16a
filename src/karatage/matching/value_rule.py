"""The rule that compares values, wherever they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from karatage.claims import Claims
from karatage.matching.alignment import Alignment, Sides
from karatage.matching.equality import match_equal, value_codes
from karatage.matching.rules import Rule
from karatage.matching.value_pairs import pair_rest


@dataclass(frozen=True)
class SameValue(Rule):
    """The same label and the same value in the same unit."""

    name = "value"
    about = "same label and same value anywhere in the same record"
    of_values = True

    def align(
        self,
        gold: Claims,
        pred: Claims,
        *,
        kinds: bool = False,
        duplicates: Literal["error", "dedupe"] = "error",  # noqa: ARG002  values are a multiset
    ) -> tuple[Sides, Alignment]:
        """Pair equal values, then similar ones where the kinds of error are wanted."""
        gold, pred = gold.with_values(), pred.with_values()
        sides = Sides.of(gold, pred)
        g, p = match_equal(
            [gold.unit, sides.gold_label, value_codes(gold, pred)],
            [pred.unit, sides.pred_label, value_codes(pred, gold)],
        )
        equal = Alignment(g, p, np.zeros(len(g), np.int64), np.ones(len(g), bool))
        if not kinds:
            return sides, equal
        more_g, more_p, kind = pair_rest(sides, g, p)
        return sides, equal.followed_by(Alignment(more_g, more_p, kind, np.zeros(len(kind), bool)))
