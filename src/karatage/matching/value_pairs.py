"""The rule that compares values, wherever they are; and which values that are not equal are paired as errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from karatage._arrays import Floats, Ints
from karatage.claims import Claims
from karatage.matching.equality import match_equal, unpaired, value_codes
from karatage.matching.overlap import assign
from karatage.matching.rules import Alignment, ClaimPair, Kind, Rule

if TYPE_CHECKING:
    import polars as pl

_WORTH = {Kind.TYPE: 2.0, Kind.BOUNDARY: 1.5}
"""What a pair is worth: as much as one of spans of that kind."""

_CONTAINED = 1 / 4
_OVERLAP = 1 / 64

_BLOCK = 16
_ALL = 1024
"""Claims that share a unit, a label and a word are all compared where that makes at most so many pairs, or where one
side has few. Of more, in the order of their content, the first 16 of either side are compared, then the second 16, and
so on: the cost of a unit with ten thousand values of one label grows with their number, not with its square."""

_BEST = 64 * 64
"""The best assignment is sought in units with at most so many pairs of claims left; larger ones take the best pair
first."""


class Left(NamedTuple):
    """The claims of one side that have no partner yet, sorted by what they are."""

    row: Ints
    unit: Ints
    label: Ints
    value: Ints


def pair_rest(pair: ClaimPair, gold_used: Ints, pred_used: Ints) -> tuple[Ints, Ints, Ints]:
    """Pair claims without an equal one: the same value under another label, or a similar value under the same one.

    Values are similar if the words of one stand next to each other in the other, which is preferred, or if they share
    a word; the case of letters makes no difference there. None of these pairs earns credit.

    Returns:
        The gold claims, the predicted claims, and the kind of each pair: TYPE or BOUNDARY.
    """
    gold = _left(pair, gold_used, of_gold=True)
    pred = _left(pair, pred_used, of_gold=False)
    none = np.zeros(0, np.int64)
    if not len(gold.row) or not len(pred.row):
        return none, none, none
    g, p, kind, worth = _edges(pair, gold, pred)
    unit = gold.unit[g]
    size = len(pair.gold.units)
    room = np.bincount(gold.unit, minlength=size) * np.bincount(pred.unit, minlength=size)
    small, large = np.flatnonzero(room[unit] <= _BEST), np.flatnonzero(room[unit] > _BEST)
    best, first = assign(g[small], p[small], worth[small]), _best_first(g[large], p[large], worth[large])
    chosen = np.concatenate([small[best], large[first]])
    return gold.row[g[chosen]], pred.row[p[chosen]], kind[chosen]


def _left(pair: ClaimPair, used: Ints, *, of_gold: bool) -> Left:
    """Return the claims that are not used, sorted by unit, value and label, so that the input's order cannot matter."""
    claims, other = (pair.gold, pair.pred) if of_gold else (pair.pred, pair.gold)
    codes = value_codes(claims, other)
    rows = unpaired(len(claims), used)
    rows = rows[codes[rows] >= 0]
    rank = np.argsort(sorted(range(len(pair.labels)), key=pair.labels.__getitem__))
    label = rank[(pair.gold_label if of_gold else pair.pred_label)[rows]]
    order = np.lexsort((claims.end[rows], claims.start[rows], label, codes[rows], claims.unit[rows]))
    rows = rows[order]
    return Left(rows, claims.unit[rows], label[order], codes[rows])


def _edges(pair: ClaimPair, gold: Left, pred: Left) -> tuple[Ints, Ints, Ints, Floats]:
    """Find the pairs to choose from, sorted, as places in `gold` and `pred`: their kinds and what they are worth."""
    import polars as pl

    ours, theirs = _frame(gold), _frame(pred)
    texts = pl.Series(sorted({*pair.gold.values, *pair.pred.values}), dtype=pl.String)
    renamed = _joined(ours, theirs, ["unit", "value"]).filter(pl.col("label") != pl.col("label_pred"))
    found = pl.concat(
        [
            renamed.select("at", "at_pred", worth=pl.lit(_WORTH[Kind.TYPE]), kind=pl.lit(int(Kind.TYPE))),
            _similar(ours, theirs, texts),
        ]
    ).sort("at", "at_pred")
    g, p, kind = (found[name].to_numpy().astype(np.int64) for name in ("at", "at_pred", "kind"))
    return g, p, kind, found["worth"].to_numpy()


def _frame(left: Left) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame({"unit": left.unit, "label": left.label, "value": left.value}).with_row_index("at")


def _joined(ours: pl.DataFrame, theirs: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Join both sides on columns, in blocks where too many are equal."""
    import polars as pl

    counts = [side.group_by(keys).agg(pl.len().cast(pl.Int64).alias("len")) for side in (ours, theirs)]
    n, m = pl.col("len"), pl.col("len_pred")
    many = (
        counts[0]
        .join(counts[1], on=keys, suffix="_pred")
        .select(*keys, many=(n * m > _ALL) & (pl.min_horizontal(n, m) > _BLOCK))
    )
    if many["many"].any():
        ours, theirs = (
            side.join(many, on=keys, maintain_order="left").with_columns(
                block=pl.when("many").then(pl.int_range(pl.len()).over(keys) // _BLOCK).otherwise(0)
            )
            for side in (ours, theirs)
        )
        keys = [*keys, "block"]
    return ours.join(theirs, on=keys, suffix="_pred")


def _similar(ours: pl.DataFrame, theirs: pl.DataFrame, texts: pl.Series) -> pl.DataFrame:
    """Find pairs of values with the same unit and label that share a word."""
    import polars as pl

    used = pl.concat([ours["value"], theirs["value"]]).unique()
    known = pl.DataFrame({"value": used, "words": texts.gather(used).str.to_lowercase().str.extract_all(r"\w+")})
    # A word that comes twice in a value is two words, so that equal ones can be counted by joining.
    words = (
        known.explode("words")
        .drop_nulls()
        .with_columns(again=pl.int_range(pl.len()).over("value", "words"), word=pl.col("words").rank("dense"))
        .drop("words")
    )
    ours, theirs = (side.join(words, on="value").sort("at") for side in (ours, theirs))
    return (
        _joined(ours, theirs, ["unit", "label", "word", "again"])
        .group_by("at", "at_pred")
        .agg(pl.len().alias("shared"), pl.first("value", "value_pred"))
        .pipe(_with_worth, known)
        .select("at", "at_pred", "worth", kind=pl.lit(int(Kind.BOUNDARY)))
    )


def _with_worth(pairs: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Say what pairs of similar values are worth; each pair of values is compared once, however often it occurs."""
    import polars as pl

    keys = ["value", "value_pred", "shared"]
    line = pl.concat_str(pl.lit(" "), pl.col("words").list.join(" "), pl.lit(" "))
    ours = known.select("value", size=pl.col("words").list.len(), line=line)
    distinct = (
        pairs.select(keys)
        .unique()
        .join(ours, on="value")
        .join(ours.rename({"value": "value_pred"}), on="value_pred", suffix="_pred")
    )
    inside = pl.col("line").str.contains(pl.col("line_pred"), literal=True)
    around = pl.col("line_pred").str.contains(pl.col("line"), literal=True)
    overlap = pl.col("shared") / (pl.col("size") + pl.col("size_pred") - pl.col("shared"))
    worth = _WORTH[Kind.BOUNDARY] + _CONTAINED * (inside | around) + _OVERLAP * overlap
    return pairs.join(distinct.select(*keys, worth=worth), on=keys)


def _best_first(g: Ints, p: Ints, worth: Floats) -> Ints:
    """Choose pairs one by one, the best first, so that no claim occurs twice."""
    order = np.argsort(-worth, kind="stable")
    taken_g, taken_p = (bytearray(int(x.max(initial=-1)) + 1) for x in (g, p))
    chosen = []
    for edge, a, b in zip(order.tolist(), g[order].tolist(), p[order].tolist(), strict=True):
        if not taken_g[a] and not taken_p[b]:
            taken_g[a] = taken_p[b] = 1
            chosen.append(edge)
    return np.array(chosen, np.int64)


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
    ) -> tuple[ClaimPair, Alignment]:
        """Pair equal values, then similar ones where the kinds of error are wanted."""
        gold, pred = gold.with_values(), pred.with_values()
        pair = ClaimPair.of(gold, pred)
        g, p = match_equal(
            [gold.unit, pair.gold_label, value_codes(gold, pred)],
            [pred.unit, pair.pred_label, value_codes(pred, gold)],
        )
        equal = Alignment(g, p, np.zeros(len(g), np.int64), np.ones(len(g), bool))
        if not kinds:
            return pair, equal
        more_g, more_p, kind = pair_rest(pair, g, p)
        return pair, equal.followed_by(Alignment(more_g, more_p, kind, np.zeros(len(kind), bool)))
