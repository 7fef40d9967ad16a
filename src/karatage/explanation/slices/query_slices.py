"""Slices of the queries of a search engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from karatage._arrays import Bools, Floats, Ints
from karatage.claims import Units
from karatage.errors import UsageError, unknown
from karatage.explanation.slices.bands import SHOWN, Groups, band_names, banded, by_value, distinct, quartiles, yes_no
from karatage.explanation.slices.conditions import Expression
from karatage.explanation.slices.facts import UnknownError, column_of, named
from karatage.explanation.slices.slice_counts import Draws, SliceCounts, side_by_side
from karatage.explanation.slices.slices import Candidate, Scorer, Slice
from karatage.explanation.slices.slicings import is_expression
from karatage.metrics import Metric, Score, mean_rows
from karatage.stats import Resampling

COUNTED = ("gold", "predicted", "correct")

_RELEVANT = (0, 1, 2, 6, 21)
_WORDS = (1, 2, 3, 4, 6)
_VALUES = 50
_ROUNDING = 1e-9
_REPEATED = 5
"""With fewer members than these in each group on average, groups may have a value each by chance."""

QUERY_NAMES: dict[str, str] = {
    "relevant": "number of relevant documents",
    "predicted": "number of retrieved documents",
    "correct": "number of relevant documents retrieved",
    "query": "text of the query",
    "query_length": "number of words of the query",
    "price": "mean price of the relevant documents",
}


class _QueryFacts:
    """What is known of the queries: a row for each, and among the columns the metric that is sliced."""

    def __init__(self, frame: pl.DataFrame, metric: str) -> None:
        self.frame = frame
        self.values: Floats = frame[metric].cast(float).fill_null(float("nan")).to_numpy()
        others = [name for name in frame.columns if name not in {metric, "unit", "true_negatives", *_OWN}]
        # Numbers with a fraction are other metrics, which say how good the answer is and not what the query is.
        self.attributes = [name for name in others if frame[name].dtype not in (pl.Float64, pl.Float32)]
        self.names = named(others, {*QUERY_NAMES, "unit"})

    def column(self, name: str) -> Any:
        """Return what a name stands for in an expression."""
        if name == "query_length":
            return self._texts().str.count_matches(r"\S+").cast(float).to_numpy()
        if name == "query":
            return column_of(self._texts().to_list())
        own = "gold" if name == "relevant" else self.names.get(name, name)
        if own not in self.frame.columns:
            raise UnknownError(_LACKING[own])
        series = self.frame[own]
        return series.cast(float).to_numpy() if series.dtype.is_numeric() else column_of(series.to_list())

    def _texts(self) -> pl.Series:
        if "query" not in self.frame.columns:
            raise UnknownError(_LACKING["query"])
        return self.frame["query"].cast(pl.String)


_OWN = ("gold", "predicted", "correct", "query", "price")
_LACKING = {
    "query": "the texts of the queries are unknown: use --queries",
    "price": "the prices of the documents are unknown: use --documents",
    "gold": "the number of relevant documents is unknown",
    "predicted": "the number of retrieved documents is unknown",
    "correct": "the number of relevant documents retrieved is unknown",
}


def _bands(values: Floats, lows: Sequence[int], names: tuple[str, ...]) -> Groups:
    """Return the usual bands, or quarters where all queries would be in one of them."""
    usual = banded(values, lows, names)
    return usual if len(np.unique(usual.codes[usual.codes >= 0])) > 1 else quartiles(values)


_SLICINGS: dict[str, tuple[str, Callable[[_QueryFacts], Groups]]] = {
    "relevant documents": (
        "number of relevant documents: none, 1, 2–5, 6–20, 21+, or quartiles",
        lambda known: _bands(known.column("relevant"), _RELEVANT, band_names(_RELEVANT, none="none")),
    ),
    "query length": (
        "number of words of the query: 1, 2, 3, 4–5, 6+, or quartiles",
        lambda known: _bands(known.column("query_length"), _WORDS, band_names(_WORDS, "word")),
    ),
    "price": ("mean price of the relevant documents, in quartiles", lambda known: quartiles(known.column("price"))),
}

ALSO = {"relevant": "relevant documents", "query_length": "query length"}
"""Names in expressions that are taken for slicings where they stand alone."""

QUERY_SLICINGS: dict[str, str] = {
    **{name: about for name, (about, _) in _SLICINGS.items()},
    "ATTRIBUTE": f"values of an attribute of the queries; beyond {SHOWN} values, the rarest form one group",
    "EXPRESSION": 'a condition, e.g. "query_length > 3 and relevant < 5": yes or no',
}
"""The ways to slice queries, with one sentence each."""


def slice_queries(
    frame: pl.DataFrame,
    metric: str,
    resampling: Resampling,
    *,
    by: Sequence[str] = (),
    higher_is_better: bool = True,
) -> list[Slice]:
    """Average a metric over parts of the queries and say which are worse or better than the rest.

    Args:
        frame: a row for each query, as `Result.by_unit` has it, with further columns where they are known: `query`, its
            text; `price`, the mean price of the relevant documents; attributes.
        metric: the column to average; null where a query has no value.
        resampling: how intervals are made; without resamples there are no intervals and no tests.
        by: slicings, columns or expressions; left out, all slicings that apply.
        higher_is_better: the direction of the metric.
    """
    if metric not in frame.columns:
        raise unknown("metric of the queries", metric, frame.columns)
    known = _QueryFacts(frame, metric)
    values = known.values
    if (np.abs(values - 0.5) > 0.5 + _ROUNDING).any():
        raise UsageError(f"{metric} is not between 0 and 1, so slices cannot be compared by it")
    counts = {name: _whole(frame, name) for name in COUNTED if name in frame.columns}  # samples of a log have none
    drawn_by = (resampling.stratify_by, resampling.cluster_by)
    columns = {name: [str(value) for value in frame[name]] for name in frame.columns if name in drawn_by}
    draws = Draws.of(Units(len(frame), attributes=columns, source="the queries"), resampling)
    candidates: list[Candidate] = []
    for name, groups in _groupings(known, [by] if isinstance(by, str) else by):
        own = [
            _candidate(name, group, groups.codes == code, values, counts, draws)
            for code, group in enumerate(groups.names)
            if (groups.codes == code).any()
        ]
        if len(own) == 2 and own[0].units + own[1].units == len(frame):
            own[1] = replace(own[1], mirror=len(candidates))
        candidates += own
    return Scorer({metric: _MEAN}, _value, resampling, higher_is_better=higher_is_better).slices(candidates)


_MEAN = Metric.parse("units_recall")
"""Stands for whatever metric the values are of."""


def _whole(frame: pl.DataFrame, name: str) -> Ints:
    return frame[name].fill_null(0).cast(int).to_numpy()


def _groupings(known: _QueryFacts, by: Sequence[str]) -> list[tuple[str, Groups]]:
    if by:
        return [(text, _named(known, text)) for text in dict.fromkeys(by)]
    out = []
    for name, (_, make) in _SLICINGS.items():
        try:
            out.append((name, make(known)))
        except UnknownError:  # one of many, and these queries do not tell
            continue
    for own, name in known.names.items():
        if name in known.attributes and 2 <= distinct(known.column(own)) <= _VALUES:
            groups = by_value(known.column(own))
            if not _decides(groups.codes, known.values):
                out.append((name, groups))
    return [(name, groups) for name, groups in out if len(np.unique(groups.codes[groups.codes >= 0])) > 1]


def _decides(codes: Ints, values: Floats) -> bool:
    """Whether groups have a value each that none of their members misses: then they are the metric by another name.

    Such are a status or a verdict that a log has beside its score.
    """
    seen = (codes >= 0) & ~np.isnan(values)
    groups, code = np.unique(codes[seen], return_inverse=True)
    if len(groups) < 2 or len(code) < _REPEATED * len(groups):
        return False
    low, high = np.full(len(groups), np.inf), np.full(len(groups), -np.inf)
    np.minimum.at(low, code, values[seen])
    np.maximum.at(high, code, values[seen])
    return bool((high - low).max() < _ROUNDING and high.max() - low.min() > _ROUNDING)


def _named(known: _QueryFacts, text: str) -> Groups:
    slicing = ALSO.get(text, text)
    if slicing in _SLICINGS:
        return _SLICINGS[slicing][1](known)
    attributes = {name: own for own, name in known.names.items()} | {own: own for own in known.names}
    if text in attributes:
        return by_value(known.column(attributes[text]))
    if not is_expression(text):
        raise unknown("slicing", text, [*_SLICINGS, *known.names])
    expression = Expression.parse(text)
    expression.check([*QUERY_NAMES, *known.names])
    return yes_no(expression.evaluate(known.column))


def _candidate(
    by: str,
    name: str,
    inside: Bools,
    values: Floats,
    counts: Mapping[str, Ints],
    draws: Draws,
) -> Candidate:
    summed = tuple(
        draws.summed(mean_rows({_MEAN: np.where(own, values, np.nan)}).counts.T.astype(np.int64))
        for own in (inside, ~inside)
    )
    drawn = [draws.counted(np.flatnonzero(own)) > 0 for own in (inside, ~inside)]
    part, others = (SliceCounts.of(_MEAN.columns, own, draws, there) for own, there in zip(summed, drawn, strict=True))
    both = side_by_side(_MEAN.columns, summed[0], summed[1], draws)
    shown = {name: int(own[inside].sum()) for name, own in counts.items()}
    return Candidate(by, name, int(inside.sum()), shown, part=part, others=others, both=both)


def _value(metric: Metric, part: SliceCounts) -> Score:
    value = float(metric.compute(part.layout, part.totals[None]))
    return Score(None, "undefined for every query") if np.isnan(value) else Score(value)
