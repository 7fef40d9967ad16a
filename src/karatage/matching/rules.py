"""The matching rules: what earns credit, and what the best assignment prefers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from karatage.claims import Claims
from karatage.errors import ClaimError, InputError, UsageError, unknown
from karatage.matching.alignment import Alignment, Kind, Sides
from karatage.matching.exact import match_equal, place, starts_ahead, value
from karatage.matching.overlap import Edges, assign, overlaps
from karatage.matching.value_pairs import pair_rest

if TYPE_CHECKING:
    from numpy.typing import NDArray

RuleName = Literal["exact", "boundary", "overlap", "overlap-any", "iou", "type", "value"]

RULES: dict[str, str] = {
    "exact": "the same place and the same label",
    "boundary": "the same place, whatever the label",
    "overlap": "an overlap and the same label",
    "overlap-any": "an overlap, whatever the label",
    "iou": "the same label, and an overlap that is at least the threshold's share of the union",
    "type": "the same label in the same unit, wherever it is",
    "value": "the same label and the same value in the same unit, wherever it is",
}

# What a pair is worth to the assignment beside the rule's own credit: the sum of its credits in the four scenarios of
# SemEval-2013, so that the kinds of error are told the same way under every rule.
_WORTH = np.array([4.0, 2.0, 1.5, 0.5])
_CREDIT = 64.0
_IOU = 1 / 64


@dataclass(frozen=True)
class Rule:
    """A matching rule.

    Attributes:
        name: one of `RULES`.
        threshold: the least overlap over union, for `iou`.
    """

    name: RuleName = "exact"
    threshold: float | None = None

    def __post_init__(self) -> None:
        if self.name not in RULES:
            raise unknown("matching rule", self.name, RULES)
        if self.name == "iou" and self.threshold is None:
            raise UsageError("the rule iou needs a threshold, such as 0.5")
        if self.name != "iou" and self.threshold is not None:
            raise UsageError(f"the rule {self.name} takes no threshold; only iou does")
        if self.threshold is not None and not 0 < self.threshold <= 1:
            raise UsageError(f"the threshold of the rule iou lies above 0 and at most at 1, not at {self.threshold}")

    def align(
        self, gold: Claims, pred: Claims, *, kinds: bool = False, duplicates: str = "error"
    ) -> tuple[Sides, Alignment]:
        """Pair gold with predictions.

        Args:
            gold: gold claims.
            pred: predicted claims on the same units.
            kinds: whether the kinds of error are wanted even where the rule itself needs equal claims only.
            duplicates: what to do with a gold claim that occurs twice: `error`, or `dedupe` to count it once.
        """
        if self.name == "value":
            return _by_value(gold, pred, kinds=kinds)
        if gold.space == "value" or pred.space == "value":
            raise InputError(
                f"the rule {self.name} needs places, but one side has only values",
                source=(gold if gold.space == "value" else pred).units.source or None,
                hint="Score values with --match value (match='value')",
            )
        gold = _without_duplicates(gold, duplicates)
        sides = Sides.of(gold, pred)
        g, p = match_equal([*place(gold, pred), sides.gold_label], [*place(pred, gold), sides.pred_label])
        paired = Alignment(g, p, np.zeros(len(g), np.int64), np.ones(len(g), bool))
        if kinds or self.name != "exact":
            paired = self._align_rest(sides, paired)
        return sides, paired

    def _align_rest(self, sides: Sides, exact: Alignment) -> Alignment:
        gold_rows = _others(len(sides.gold), exact.gold)
        pred_rows = _others(len(sides.pred), exact.pred)
        edges = overlaps(sides.gold, gold_rows, sides.pred, pred_rows)
        edges = _in_order(sides, edges)
        kind = _kinds(sides, edges)
        credit = self._credit(kind, edges.iou)
        chosen = assign(edges.gold, edges.pred, _CREDIT * credit + _WORTH[kind] + _IOU * edges.iou)
        g, p, kind, credit = edges.gold[chosen], edges.pred[chosen], kind[chosen], credit[chosen]
        if self.name == "type":
            more_g, more_p = self._same_label(
                sides, np.concatenate([exact.gold, g[credit]]), np.concatenate([exact.pred, p[credit]])
            )
            # a claim whose label is found elsewhere in the unit leaves the uncredited pair that it was in
            free = credit | ~(np.isin(g, more_g) | np.isin(p, more_p))
            g, p, kind, credit = g[free], p[free], kind[free], credit[free]
            g, p = np.concatenate([g, more_g]), np.concatenate([p, more_p])
            kind = np.concatenate([kind, np.full(len(more_g), int(Kind.BOUNDARY))])
            credit = np.concatenate([credit, np.ones(len(more_g), bool)])
        return Alignment(
            np.concatenate([exact.gold, g]),
            np.concatenate([exact.pred, p]),
            np.concatenate([exact.kind, kind]),
            np.concatenate([exact.credited, credit]),
        )

    def _credit(self, kind: NDArray[np.int64], iou: NDArray[np.float64]) -> NDArray[np.bool_]:
        credited: dict[str, tuple[Kind, ...]] = {
            "boundary": (Kind.TYPE,),
            "overlap": (Kind.BOUNDARY,),
            "iou": (Kind.BOUNDARY,),
            "type": (Kind.BOUNDARY,),
            "overlap-any": (Kind.TYPE, Kind.BOUNDARY, Kind.BOTH),
        }
        credit = np.isin(kind, credited.get(self.name, ()))
        return credit & (iou >= self.threshold) if self.threshold is not None else credit

    @staticmethod
    def _same_label(
        sides: Sides, gold_used: NDArray[np.int64], pred_used: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Pair what is left by unit and label alone, in order of place."""
        rows, columns = _others(len(sides.gold), gold_used), _others(len(sides.pred), pred_used)
        gold, pred = sides.gold, sides.pred
        rows = rows[np.lexsort((gold.end[rows], gold.start[rows], sides.gold_label[rows], gold.unit[rows]))]
        columns = columns[
            np.lexsort((pred.end[columns], pred.start[columns], sides.pred_label[columns], pred.unit[columns]))
        ]
        g, p = match_equal([gold.unit[rows], sides.gold_label[rows]], [pred.unit[columns], sides.pred_label[columns]])
        return rows[g], columns[p]


def _others(count: int, used: NDArray[np.int64]) -> NDArray[np.int64]:
    free = np.ones(count, bool)
    free[used] = False
    return np.flatnonzero(free)


def _in_order(sides: Sides, edges: Edges) -> Edges:
    """Sort edges by what the claims are, so that the order of the input cannot matter."""
    gold, pred = sides.gold, sides.pred
    names = np.array(sorted(range(len(sides.labels)), key=sides.labels.__getitem__), np.int64)
    rank = np.empty_like(names)
    rank[names] = np.arange(len(names))
    g, p = edges.gold, edges.pred
    order = np.lexsort(
        (
            rank[sides.pred_label[p]],
            pred.end[p],
            pred.start[p],
            rank[sides.gold_label[g]],
            gold.end[g],
            gold.start[g],
            gold.unit[g],
        )
    )
    return Edges(g[order], p[order], edges.iou[order])


def _kinds(sides: Sides, edges: Edges) -> NDArray[np.int64]:
    same_label = sides.gold_label[edges.gold] == sides.pred_label[edges.pred]
    same_place = edges.iou == 1.0
    # Same place and same label among claims left over by the exact match: a second copy of a prediction.
    return np.where(
        same_place,
        np.where(same_label, int(Kind.CORRECT), int(Kind.TYPE)),
        np.where(same_label, int(Kind.BOUNDARY), int(Kind.BOTH)),
    )


def _by_value(gold: Claims, pred: Claims, *, kinds: bool) -> tuple[Sides, Alignment]:
    gold, pred = gold.with_values(), pred.with_values()
    sides = Sides.of(gold, pred)
    g, p = match_equal(
        [gold.unit, sides.gold_label, value(gold, pred)], [pred.unit, sides.pred_label, value(pred, gold)]
    )
    equal = Alignment(g, p, np.zeros(len(g), np.int64), np.ones(len(g), bool))
    if not kinds:
        return sides, equal
    more_g, more_p, kind = pair_rest(sides, g, p)
    return sides, Alignment(
        np.concatenate([g, more_g]),
        np.concatenate([p, more_p]),
        np.concatenate([equal.kind, kind]),
        np.concatenate([equal.credited, np.zeros(len(kind), bool)]),
    )


def _without_duplicates(gold: Claims, duplicates: str) -> Claims:
    """Refuse, or drop, a gold claim that stands there twice."""
    if starts_ahead(gold):
        return gold
    columns = [*place(gold, gold), gold.label]
    order = np.lexsort(columns[::-1])
    again = np.ones(len(gold) - 1, bool)
    for column in columns:
        again &= column[order[1:]] == column[order[:-1]]
    if not again.any():
        return gold
    if duplicates == "dedupe":
        keep = np.ones(len(gold), bool)
        keep[order[1:][again]] = False
        return gold.keep(keep)
    row = int(order[1:][again][0])
    unit = int(gold.unit[row])
    raise ClaimError(
        f"the gold claim {gold.labels[gold.label[row]]} {gold.start[row]}–{gold.end[row]} occurs twice",
        source=gold.units.source or None,
        line=gold.units.line(unit),
        unit=gold.units.name(unit),
        hint="Remove one of the two, or use --duplicates dedupe (duplicates='dedupe') to count it once",
    )
