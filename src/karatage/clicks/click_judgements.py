"""Judgements from clicks: the attractiveness of each document for its query, and a grade."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from karatage._arrays import Bools, Ints
from karatage._options import check_names, pick, takes
from karatage._shown import Shown
from karatage._version import __version__
from karatage.clicks.attractiveness import attractiveness
from karatage.clicks.click_options import ClickKeywords, ClickOptions
from karatage.clicks.click_table import ClickTable
from karatage.clicks.position_bias import PositionBias, linked_ranks, position_based, rank_rates
from karatage.clicks.ubi_log import UbiLog, read_log
from karatage.errors import InputError
from karatage.scoring import counted

if TYPE_CHECKING:
    import polars as pl
    from rich.console import RenderableType

_MOST = 0.5
"""The share of all clicks that must be at linked ranks for the position-based model to be taken by itself."""


@dataclass(frozen=True)
class ClickJudgements(Shown):
    """Documents judged by clicks.

    Attributes:
        table: query, document, grade, attractiveness with low and high, impressions, clicks and sessions, in order.
        bias: the propensities of the ranks.
        by_rank: impressions and clicks at each rank of the log.
        identified: whether the position bias could be told from the relevance of the documents.
        certain: which rows have an interval within their grade.
        log: what was read.
        too_few: number of pairs with too few impressions.
        correlation: correlation of impressions of one document and query in one session.
        options: the options.
        warnings: what a reader should know.
    """

    table: pl.DataFrame = field(repr=False)
    bias: PositionBias = field(repr=False)
    by_rank: pl.DataFrame = field(repr=False)
    identified: bool
    certain: Bools = field(repr=False)
    log: UbiLog
    too_few: int
    correlation: float
    options: ClickOptions
    warnings: tuple[str, ...]

    @property
    def grades(self) -> dict[int, int]:
        """Number of judgements of each grade."""
        found = np.bincount(self.table["relevance"].to_numpy(), minlength=len(self.options.cuts) + 1)
        return dict(enumerate(found.tolist()))

    @property
    def ranks(self) -> list[dict[str, Any]]:
        """What is known of each rank: its propensity with an interval, or None; impressions and clicks."""
        low, high = self.bias.ends(NormalDist().inv_cdf(0.5 + self.options.level / 2))
        known = {
            rank: {"value": value, "low": a, "high": b}
            for rank, value, a, b in zip(
                self.bias.ranks.tolist(), self.bias.propensity.tolist(), low.tolist(), high.tolist(), strict=True
            )
        }
        nothing = {"value": None, "undefined": "cannot be identified"}
        return [row | {"propensity": known.get(row["rank"], nothing)} for row in self.by_rank.iter_rows(named=True)]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        options = self.options
        names = ("query", "document", "grade", "value", "low", "high", "impressions", "clicks", "sessions")
        rows = (dict(zip(names, row, strict=True)) for row in self.table.iter_rows())
        return {
            "level": options.level,
            "bias": {"method": self.bias.method, "identified": self.identified, "ranks": self.ranks},
            "cuts": list(options.cuts),
            "min_impressions": options.min_impressions,
            "grades": {str(grade): count for grade, count in self.grades.items()},
            "judgements": [
                {
                    **{key: row[key] for key in ("query", "document", "grade")},
                    "attractiveness": {key: row[key] for key in ("value", "low", "high")},
                    **{key: row[key] for key in ("impressions", "clicks", "sessions")},
                    "certain": certain,
                }
                for row, certain in zip(rows, self.certain.tolist(), strict=True)
            ],
            "counts": {**self.log.counts, "judged": self.table.height, "too_few": self.too_few},
            "shown_by": self.log.shown_by,
            "dropped": self.log.dropped,
            "other_actions": self.log.ignored,
            "correlation": self.correlation,
            "warnings": list(self.warnings),
            "provenance": {"karatage": __version__},
        }

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows: position bias, grades, what was left out."""
        from karatage.reports import click_judgement_parts

        return click_judgement_parts(self)


@takes(ClickOptions)
def judge_clicks(events: str, queries: str | None = None, **options: Unpack[ClickKeywords]) -> ClickJudgements:
    """Judge documents by the clicks in a UBI log, corrected for position bias.

    Args:
        events: File with ubi_events, or with both events and queries.
        queries: File with ubi_queries.
        options: as follows.
    """
    check_names(options, ClickOptions)
    own = pick(ClickOptions, options)
    log = read_log(events, queries, own)
    table, pairs = log.table()
    warnings = list(log.warnings)
    bias, identified = _bias(table, own, events, warnings)
    found = attractiveness(table, bias, own.level)
    enough = found.impressions >= own.min_impressions
    judged = pairs[found.pair[enough]].rename({"query": "query_id", "document": "doc_id"})
    grades, low, high = (np.searchsorted(own.cuts, of[enough], "right") for of in (found.value, found.low, found.high))
    frame = judged.with_columns(
        _column("relevance", grades),
        *(
            _column(name, np.round(of[enough], 6))
            for name, of in (("attractiveness", found.value), ("low", found.low), ("high", found.high))
        ),
        *(
            _column(name, of[enough])
            for name, of in (("impressions", found.impressions), ("clicks", found.clicks), ("sessions", found.sessions))
        ),
    )
    if not frame.height:
        warnings.append(f"no document has {own.min_impressions:,} impressions: lower --min-impressions, or log more")
    if found.correlation > _ALIKE:
        warnings.append(
            f"impressions of one document in one session are alike (correlation {found.correlation:.2f}); "
            "intervals allow for it"
        )
    return ClickJudgements(
        table=frame,
        bias=bias,
        by_rank=_by_rank(log.frame),
        identified=identified,
        certain=np.asarray(low == high),
        log=log,
        too_few=pairs.height - frame.height,
        correlation=found.correlation,
        options=own,
        warnings=tuple(warnings),
    )


_ALIKE = 0.3


def _column(name: str, values: Any) -> pl.Series:
    import polars as pl

    return pl.Series(name, values)


def _by_rank(frame: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    counts = frame.group_by("rank").agg(impressions=pl.len(), clicks=pl.col("clicked").sum())
    return counts.sort("rank").cast(pl.Int64)


def _bias(table: ClickTable, options: ClickOptions, name: str, warnings: list[str]) -> tuple[PositionBias, bool]:
    """Estimate the position bias by the model that is asked for, or by what the log allows."""
    if options.bias == "ctr":
        return rank_rates(table), False
    linked = linked_ranks(table)
    inside = np.isin(table.rank, linked)
    several = len(np.unique(table.rank)) > 1
    if several and (len(linked) < 2 or table.clicked[inside].sum() < _MOST * table.clicked.sum()):
        why = "too few documents were clicked and shown at several ranks to tell position bias from relevance"
        if options.bias == "pbm":
            hint = "Log result lists with some variation, e.g. swap neighbours at random, or set --bias ctr"
            raise InputError(why, source=name, hint=hint)
        warnings.append(
            f"{why}. Click rates by rank are used instead: if better documents are on top, those further down are "
            "judged too high, and intervals do not cover the error"
        )
        return rank_rates(table), False
    if not several:
        return rank_rates(table), True  # one rank only: there is no bias to correct
    if not inside.all():
        ranks = np.unique(table.rank[~inside])
        warnings.append(
            f"position bias cannot be identified at {_ranges(ranks)}: {counted(int((~inside).sum()), 'impression')} "
            f"and {counted(int(table.clicked[~inside].sum()), 'click')} there are not used"
        )
    return position_based(table, linked), True


def _ranges(ranks: Ints) -> str:
    """Return ranks as text: rank 7, ranks 9–12 and 15."""
    runs = np.split(ranks, np.flatnonzero(np.diff(ranks) > 1) + 1)
    texts = [f"{run[0]}–{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs]
    listed = texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
    return f"rank{'s' if len(ranks) > 1 else ''} {listed}"
