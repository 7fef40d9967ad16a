"""Rules that compare spans: what earns credit, and what the best assignment prefers."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from karatage._arrays import Bools, Floats, Ints
from karatage.claims import Claims
from karatage.errors import ClaimError, InputError
from karatage.matching.equality import in_text_order, match_equal, span_columns, unpaired
from karatage.matching.overlap import Edges, assign, overlaps
from karatage.matching.rules import Alignment, ClaimPair, Kind, Rule

# What a pair is worth to the assignment beside the rule's own credit: the sum of its credits in the four scenarios of
# SemEval-2013, so that the kinds of error do not depend on the rule.
_WORTH = np.array([4.0, 2.0, 1.5, 0.5])
_CREDIT = 64.0
_IOU = 1 / 64


class SpanRule(Rule):
    """A rule that gives credit to pairs of spans: to equal ones with equal labels, and to further ones that overlap.

    Attributes:
        credited: the kinds of overlapping pairs that earn credit, where they reach the threshold.
    """

    credited: ClassVar[tuple[Kind, ...]] = ()

    def credit(self, kind: Ints, iou: Floats) -> Bools:
        """Return which pairs earn credit, given what each is, one of `Kind`, and its intersection over union."""
        credit = np.isin(kind, self.credited)
        return credit if self.threshold is None else credit & (iou >= self.threshold)

    def align(
        self, gold: Claims, pred: Claims, *, kinds: bool = False, duplicates: Literal["error", "dedupe"] = "error"
    ) -> tuple[ClaimPair, Alignment]:
        """Pair equal spans, then those that overlap in the best way."""
        if gold.space == "value" or pred.space == "value":
            raise InputError(
                f"entities are matched by their spans (rule {self.name}), but one side has only values",
                source=(gold if gold.space == "value" else pred).units.source,
                hint="Score values with --like values, or with --match value (match='value'). To find predicted values "
                "in the text and score them as spans, use --ground first or --ground all (ground='first')",
            )
        gold = _without_duplicates(gold, duplicates)
        pair = ClaimPair.of(gold, pred)
        columns = [*span_columns(gold, pred), pair.gold_label], [*span_columns(pred, gold), pair.pred_label]
        g, p = match_equal(*columns)
        paired = Alignment(g, p, np.zeros(len(g), np.int64), np.ones(len(g), bool))
        if kinds or not self.equal_only:
            paired = self._align_rest(pair, paired)
        return pair, paired

    def _align_rest(self, pair: ClaimPair, exact: Alignment) -> Alignment:
        gold_rows = unpaired(len(pair.gold), exact.gold)
        pred_rows = unpaired(len(pair.pred), exact.pred)
        edges = _in_order(pair, overlaps(pair.gold, gold_rows, pair.pred, pred_rows))
        kind = _kinds(pair, edges)
        credit = self.credit(kind, edges.iou)
        chosen = assign(edges.gold, edges.pred, _CREDIT * credit + _WORTH[kind] + _IOU * edges.iou)
        found = Alignment(edges.gold[chosen], edges.pred[chosen], kind[chosen], credit[chosen])
        return exact.followed_by(self.add_credit(pair, exact, found))

    def add_credit(self, pair: ClaimPair, exact: Alignment, found: Alignment) -> Alignment:  # noqa: ARG002  for subclasses
        """Return the pairs beside the exact ones, with further ones where a rule gives credit without an overlap."""
        return found


class Exact(SpanRule):
    """The same span and the same label."""

    name = "exact"
    about = "same span and same label"
    equal_only = True


class Boundary(SpanRule):
    """The same span."""

    name = "boundary"
    about = "same span, any label"
    credited = (Kind.TYPE,)


class Overlap(SpanRule):
    """An overlap and the same label."""

    name = "overlap"
    about = "overlap and same label"
    credited = (Kind.BOUNDARY,)


class OverlapAny(SpanRule):
    """Any overlap."""

    name = "overlap-any"
    about = "any overlap, any label"
    credited = (Kind.TYPE, Kind.BOUNDARY, Kind.BOTH)


class IntersectionOverUnion(SpanRule):
    """An overlap that is large enough, and the same label."""

    name = "iou"
    about = "same label, and an intersection over union of at least the threshold"
    takes_threshold = True
    credited = (Kind.BOUNDARY,)


class LabelOnly(SpanRule):
    """The same label in the same unit."""

    name = "label-only"
    about = "same label anywhere in the same sentence or document"
    credited = (Kind.BOUNDARY,)

    def add_credit(self, pair: ClaimPair, exact: Alignment, found: Alignment) -> Alignment:
        """Pair what is left by unit and label alone, in the order of the text."""
        credit = found.credited
        gold_rows = unpaired(len(pair.gold), np.concatenate([exact.gold, found.gold[credit]]))
        pred_rows = unpaired(len(pair.pred), np.concatenate([exact.pred, found.pred[credit]]))
        gold_rows = gold_rows[_text_order(pair.gold, pair.gold_label, gold_rows)]
        pred_rows = pred_rows[_text_order(pair.pred, pair.pred_label, pred_rows)]
        g, p = match_equal(
            [pair.gold.unit[gold_rows], pair.gold_label[gold_rows]],
            [pair.pred.unit[pred_rows], pair.pred_label[pred_rows]],
        )
        more = Alignment(gold_rows[g], pred_rows[p], np.full(len(g), int(Kind.BOUNDARY)), np.ones(len(g), bool))
        # A claim whose label is found elsewhere in the unit leaves the uncredited pair that it was in.
        free = credit | ~(np.isin(found.gold, more.gold) | np.isin(found.pred, more.pred))
        kept = Alignment(found.gold[free], found.pred[free], found.kind[free], credit[free])
        return kept.followed_by(more)


def _text_order(claims: Claims, label: Ints, rows: Ints) -> Ints:
    return np.lexsort((claims.end[rows], claims.start[rows], label[rows], claims.unit[rows]))


def _in_order(pair: ClaimPair, edges: Edges) -> Edges:
    """Sort edges by what the claims are, so that the order of the input cannot matter."""
    gold, pred, g, p = pair.gold, pair.pred, edges.gold, edges.pred
    rank = np.argsort(sorted(range(len(pair.labels)), key=pair.labels.__getitem__))
    of_gold = rank[pair.gold_label[g]], gold.end[g], gold.start[g], gold.unit[g]
    order = np.lexsort((rank[pair.pred_label[p]], pred.end[p], pred.start[p], *of_gold))
    return Edges(g[order], p[order], edges.iou[order])


def _kinds(pair: ClaimPair, edges: Edges) -> Ints:
    same_label = pair.gold_label[edges.gold] == pair.pred_label[edges.pred]
    same_span = edges.iou == 1.0
    # Same span and same label among claims left over by the exact match: a second copy of a prediction.
    kinds = np.array([[Kind.BOTH, Kind.BOUNDARY], [Kind.TYPE, Kind.CORRECT]], np.int64)
    out: Ints = kinds[same_span.astype(int), same_label.astype(int)]
    return out


def _without_duplicates(gold: Claims, duplicates: Literal["error", "dedupe"]) -> Claims:
    """Refuse, or drop, a gold claim that occurs twice."""
    if in_text_order(gold):
        return gold
    columns = [*span_columns(gold, gold), gold.label]
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
        f"the gold entity {gold.labels[gold.label[row]]} {gold.start[row]}–{gold.end[row]} occurs twice",
        source=gold.units.source,
        line=gold.units.line(unit),
        unit=gold.units.name(unit),
        hint="Remove one of the two, or use --duplicates dedupe (duplicates='dedupe') to count it once",
    )
