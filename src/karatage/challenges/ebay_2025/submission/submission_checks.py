"""What can be told of a submission by itself: numbers, categories, aspects and values."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from karatage.challenges.ebay_2025.aspects import ASPECTS, OBSCURE
from karatage.challenges.ebay_2025.submission.submission_report import SHOWN, Findings, Occurrence
from karatage.challenges.ebay_2025.submission.submission_rows import COLUMNS
from karatage.challenges.ebay_2025.title_tokens import BLANKS

if TYPE_CHECKING:
    import polars as pl

_KNOWN = frozenset().union(*ASPECTS.values())
_NUMBER = r"^[1-9][0-9]{0,17}$"
_QUOTED = r'^".*"$'
_BLANKS = "[{}]+".format("".join(rf"\x{{{ord(blank):x}}}" for blank in BLANKS))


def checked(blocks: Iterable[pl.DataFrame], findings: Findings, *, titles: bool = False) -> tuple[pl.DataFrame, int]:
    """Note what is wrong with the rows; return those that speak of a record, and how many there are in all.

    The columns are `line`, `number`, `category`, `aspect` and `value`, the value with single spaces only. All rows are
    in memory together, so categories and aspects are kept as numbers, and as null where they do not exist.

    Args:
        blocks: the rows.
        findings: gets what is wrong.
        titles: whether values will be held against titles, which tells more.
    """
    import polars as pl

    schema = {
        "line": pl.UInt32(),
        "number": pl.Int64(),
        "category": pl.Enum(sorted(ASPECTS)),
        "aspect": pl.Enum(sorted({OBSCURE, *_KNOWN})),
        "value": pl.String(),
    }
    pairs: dict[tuple[str, str], tuple[int, Occurrence]] = {}
    count = 0
    kept = [pl.DataFrame(schema=schema)]
    for block in blocks:
        count += block.height
        rows = _checked(block, findings, titles)
        _count_aspects(rows, pairs)
        renamed = rows.select("line", number="record", category="category", aspect="aspect", value="bare")
        kept.append(renamed.select(pl.col(name).cast(kind, strict=False) for name, kind in schema.items()))
    if not count:
        findings.add("no-rows", 1, [])
    _check_aspects(pairs, findings)
    out = pl.concat(kept)
    _check_categories(out, findings)
    return out, count


def _checked(block: pl.DataFrame, findings: Findings, titles: bool) -> pl.DataFrame:
    """Note what is wrong with single rows; return those with a record number, with the bare value in `bare`."""
    import polars as pl

    rows = _unquoted(block, findings).with_columns(squeezed(pl.col("value")).alias("bare"))
    numbered = pl.col("record").str.contains(_NUMBER)
    note(findings, "record-number", rows.filter(~numbered), pl.col("record"))
    rows = rows.filter(numbered)
    category, value, bare = pl.col("category"), pl.col("value"), pl.col("bare")
    note(findings, "category", rows.filter(~category.is_in(list(ASPECTS))), category)
    valued = pl.col("aspect") != OBSCURE
    note(findings, "empty-value", rows.filter(valued & (bare == "")), pl.col("aspect"))
    if not titles:  # which may have the quotes themselves
        note(findings, "quoted-value", rows.filter(valued & value.str.contains(_QUOTED)), shown())
    note(findings, "blanks", rows.filter(valued & (bare != "") & (value != bare)), shown())
    return rows


def squeezed(texts: pl.Expr) -> pl.Expr:
    """Return texts with single spaces between tokens and none at the ends."""
    return texts.str.replace_all(_BLANKS, " ").str.strip_chars(" ")


def _unquoted(rows: pl.DataFrame, findings: Findings) -> pl.DataFrame:
    """Take the quotes off rows whose first columns have some, so that the rest can be checked."""
    import polars as pl

    quoted = pl.any_horizontal(pl.col(name).str.contains(_QUOTED) for name in COLUMNS[:3])
    bad = rows.filter(quoted)
    if not bad.height:
        return rows
    note(findings, "quoting", bad, pl.concat_str(COLUMNS, separator=" | "))
    return rows.with_columns(
        pl.when(quoted & pl.col(name).str.contains(_QUOTED)).then(_bare(pl.col(name))).otherwise(name).alias(name)
        for name in COLUMNS
    )


def _bare(text: pl.Expr) -> pl.Expr:
    return text.str.strip_prefix('"').str.strip_suffix('"').str.replace_all('""', '"', literal=True)


def _count_aspects(rows: pl.DataFrame, pairs: dict[tuple[str, str], tuple[int, Occurrence]]) -> None:
    """Count how often each category has each aspect, and keep the first place of both."""
    import polars as pl

    found = rows.group_by("category", "aspect").agg(pl.len(), pl.col("line").first(), pl.col("record").first())
    for category, aspect, count, line, record in found.sort("line").iter_rows():
        before, place = pairs.get((category, aspect), (0, Occurrence(line, record, "")))
        pairs[category, aspect] = before + count, place


def _check_aspects(pairs: dict[tuple[str, str], tuple[int, Occurrence]], findings: Findings) -> None:
    for (category, aspect), (count, place) in pairs.items():
        if aspect == OBSCURE or category not in ASPECTS or aspect in ASPECTS[category]:
            continue
        text = f"{aspect!r} in category {category}{f' ({count:,} times)' if count > 1 else ''}"
        if aspect in _KNOWN:
            findings.add("other-aspect", count, [Occurrence(place.line, place.record, text)])
        else:
            meant = _meant(aspect, category)
            findings.add("unknown-aspect", count, [Occurrence(place.line, place.record, text + meant)])


def _meant(aspect: str, category: str) -> str:
    """Say what was probably meant."""
    by_case = {name.lower().replace(" ", "_"): name for name in sorted(ASPECTS[category])}
    close = difflib.get_close_matches(aspect.lower().replace(" ", "_"), by_case, n=1, cutoff=0.6)
    return f": did you mean {by_case[close[0]]!r}?" if close else ""


def _check_categories(rows: pl.DataFrame, findings: Findings) -> None:
    """Note rows in another category than the first of their record."""
    import polars as pl

    several = (
        rows.group_by("number")
        .agg(pl.col("category").drop_nulls().n_unique().alias("count"))
        .filter(pl.col("count") > 1)
    )
    if several.height:
        own = rows.filter(pl.col("number").is_in(several["number"].implode()))
        own = own.drop_nulls("category").with_columns(pl.col("category").first().over("number").alias("first"))
        text = pl.concat_str(
            pl.col("category").cast(pl.String), pl.lit(", but first "), pl.col("first").cast(pl.String)
        )
        note(findings, "two-categories", own.filter(pl.col("category") != pl.col("first")), text)


def shown() -> pl.Expr:
    """Return what is shown of a row: its aspect and its value."""
    import polars as pl

    return pl.concat_str(pl.col("aspect").cast(pl.String).fill_null("?"), pl.lit(": '"), "value", pl.lit("'"))


def note(findings: Findings, kind: str, rows: pl.DataFrame, text: pl.Expr) -> None:
    """Note rows by their lines and records."""
    import polars as pl

    record = pl.col("record" if "record" in rows.columns else "number").cast(pl.String)
    first = rows.head(SHOWN).select("line", record, text.alias("text"))
    findings.add(kind, rows.height, (Occurrence(*row) for row in first.iter_rows()))
