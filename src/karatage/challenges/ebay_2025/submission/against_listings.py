"""A submission against the listings that it is about: records, categories, and values that the titles have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karatage._arrays import Ints
from karatage.challenges.ebay_2025.aspects import OBSCURE
from karatage.challenges.ebay_2025.listings import HEADERS
from karatage.challenges.ebay_2025.submission.submission_checks import note, shown, squeezed
from karatage.challenges.ebay_2025.submission.submission_report import Findings, Occurrence
from karatage.challenges.ebay_2025.tsv_blocks import read_blocks
from karatage.formats import Source

if TYPE_CHECKING:
    import polars as pl


def compare(rows: pl.DataFrame, listings: Source, findings: Findings) -> None:
    """Hold rows against the listings, block by block of these."""
    import polars as pl

    numbers = rows["number"].to_numpy()
    order = np.argsort(numbers, kind="stable")
    sorted_numbers = numbers[order]
    known, first = np.unique(sorted_numbers, return_index=True)
    ends = np.append(first, len(order))[1:]
    seen = np.zeros(len(known), bool)
    for block in read_blocks(listings, HEADERS):
        frame = block.frame
        found = _found(frame, known)
        missing = frame.filter(found < 0)
        findings.add(
            "missing-record",
            missing.height,
            (Occurrence(None, record, title) for record, _, title in missing.iter_rows()),
        )
        here = np.flatnonzero(found >= 0)
        own = found[here]
        seen[own] = True
        counts = ends[own] - first[own]
        picked = order[_ranges(first[own], counts)]
        listed = frame[here].with_columns(_padded(squeezed(pl.col("Title"))).alias("Title"))
        _check_titles(rows[picked], listed[np.repeat(np.arange(len(here)), counts)], findings)
    unknown = order[first[~seen]]
    note(findings, "unknown-record", rows[np.sort(unknown)], shown())


def _found(frame: pl.DataFrame, known: Ints) -> Ints:
    """Return which of the known numbers each record has, -1 if none."""
    import polars as pl

    numbers = frame["Record Number"].cast(pl.Int64, strict=False).fill_null(-1).to_numpy()
    if not len(known):
        return np.full(len(numbers), -1, np.int64)
    at = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
    return np.where(known[at] == numbers, at, -1)


def _ranges(starts: Ints, counts: Ints) -> Ints:
    """Return the numbers from each start on, as many as its count says, concatenated."""
    return np.repeat(starts - (np.cumsum(counts) - counts), counts) + np.arange(int(counts.sum()))


def _check_titles(rows: pl.DataFrame, listed: pl.DataFrame, findings: Findings) -> None:
    """Check rows against the listing of each."""
    import polars as pl

    both = rows.with_columns(
        pl.col("category").cast(pl.String), listed["Category"].alias("listed"), listed["Title"].alias("title")
    )
    text = pl.concat_str("category", pl.lit(", in the listings "), "listed")
    note(findings, "other-category", both.filter(pl.col("category") != pl.col("listed")).sort("line"), text)
    inside = pl.col("title").str.contains(_padded(pl.col("value")), literal=True)
    valued = both.filter((pl.col("aspect") != OBSCURE) & (pl.col("value") != "")).with_columns(inside.alias("inside"))
    note(findings, "not-in-title", valued.filter(~pl.col("inside")).sort("line"), shown())
    repeated = valued.filter(pl.struct("number", "aspect", "value").is_duplicated() & pl.col("inside"))
    groups = repeated.group_by("number", "aspect", "value").agg(pl.len(), pl.col("title").first(), pl.col("line").max())
    for number, aspect, value, count, title, line in groups.sort("line").iter_rows():
        times = _times(value.split(" "), title.split())
        if count > times:
            what = f"{aspect}: '{value}' {count} times, but {times} in the title"
            findings.add("too-often", count - times, [Occurrence(line, str(number), what)])


def _padded(text: pl.Expr) -> pl.Expr:
    """Add a space before and after, so that only whole tokens match."""
    import polars as pl

    return pl.concat_str(pl.lit(" "), text, pl.lit(" "))


def _times(value: list[str], title: list[str]) -> int:
    """Count how often a value's tokens stand in the title in a row; they may overlap."""
    return sum(title[at : at + len(value)] == value for at in range(len(title) - len(value) + 1))
