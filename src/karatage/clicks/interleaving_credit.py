"""Credit for clicks: how many of them each of two interleaved systems gets in each impression."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from karatage._limits import limits
from karatage.clicks.draft_check import drafted_lists
from karatage.errors import FormatError
from karatage.formats import Source

if TYPE_CHECKING:
    import polars as pl

SHARED = ("", "-", "both", "none", "shared")
"""What stands for a document that neither team, or both, put there."""

SHAPES = "clicks_A and clicks_B, teams and clicks, or list_A, list_B and clicks"
FROM_ZERO = "positions of clicks that start at 0, raised by one"


class ClickCredit(NamedTuple):
    """What the clicks of a log say.

    Attributes:
        systems: the names of the two systems.
        method: `counts`, `team-draft` or `balanced`.
        frame: the row of an impression, and the credit of the `first` and the `second` system.
        outside: the share of clicks that are not on a document of the impression.
        doubts: what does not look like the method.
    """

    systems: tuple[str, str]
    method: str
    frame: pl.DataFrame
    outside: float = 0.0
    doubts: tuple[str, ...] = ()


def note(dropped: Counter[str], reason: str, count: int) -> None:
    """Count what was left out or repaired, if there is any."""
    if count:
        dropped[reason] += count


def credited(raw: pl.DataFrame, source: Source, dropped: Counter[str]) -> ClickCredit:
    """Give the clicks of each impression to the systems.

    Args:
        raw: the log, with the number of each `row`.
        source: the file.
        dropped: counts what is left out or repaired.
    """
    counts = [name for name in raw.columns if name.startswith("clicks_")]
    lists = [name for name in raw.columns if name.startswith("list_")]
    if len(counts) == 2:
        return ClickCredit(_named(counts, "clicks_"), "counts", _counted(raw, counts, source))
    if {"teams", "clicks"} <= set(raw.columns):
        return _team_draft(_with_lists(raw, ["teams", "clicks"], source), source, dropped)
    if len(lists) == 2 and "clicks" in raw.columns:
        return _balanced(_with_lists(raw, [*lists, "clicks"], source), lists, dropped)
    hint = f"Expected {SHAPES}. Its columns are {', '.join(c for c in raw.columns if c != 'row')[:200]}"
    raise FormatError("not a log of an interleaving experiment", source=source.name, hint=hint)


def _named(columns: list[str], prefix: str) -> tuple[str, str]:
    first, second = (name.removeprefix(prefix) for name in columns)
    return first or "A", second or "B"


def _with_lists(raw: pl.DataFrame, names: list[str], source: Source) -> pl.DataFrame:
    import polars as pl

    for name in names:
        if not isinstance(raw.schema[name], pl.List | pl.Array):
            raise FormatError(f"the column {name!r} must contain lists, got {raw.schema[name]}", source=source.name)
    return raw.with_columns(pl.col(name).cast(pl.List(pl.String), strict=False) for name in names)


def _counted(raw: pl.DataFrame, names: list[str], source: Source) -> pl.DataFrame:
    import polars as pl

    numbers = [pl.col(name).cast(pl.Float64, strict=False).fill_nan(None) for name in names]
    made = raw.select("row", first=numbers[0], second=numbers[1])
    for column, name in zip(("first", "second"), names, strict=True):
        own = pl.col(column)
        broken = made.filter(own.is_null() | (own < 0) | (own != own.floor()) | (own > limits().rows))
        if broken.height:
            row = int(broken["row"][0])
            text = f"{name} must be a number of clicks, got {raw[name][row]!r:.40} in row {row + 1}"
            raise FormatError(text, source=source.name)
    return made


def _clicked(raw: pl.DataFrame, dropped: Counter[str]) -> pl.DataFrame:
    every = raw.select("row", "clicks").explode("clicks").drop_nulls("clicks")
    once = every.unique(maintain_order=True)
    note(dropped, "further clicks on the same document", every.height - once.height)
    return once


def _team_draft(raw: pl.DataFrame, source: Source, dropped: Counter[str]) -> ClickCredit:
    import polars as pl

    names = raw["teams"].explode().drop_nulls().unique().sort().to_list()
    names = [name for name in names if name.strip().lower() not in SHARED]
    if len(names) != 2:
        text = f"expected two teams, found {len(names):,}: {', '.join(names)[:100]}"
        raise FormatError(text, source=source.name, hint=f"For a document of both, write {SHARED[1]!r} or null")
    clicks = _clicked(raw, dropped).with_columns(at=pl.col("clicks").cast(pl.Float64, strict=False))
    broken = clicks.filter(pl.col("at").is_null() | (pl.col("at") != pl.col("at").floor()))
    if broken.height:
        text = f"clicks must be positions from 1, got {broken['clicks'][0]!r:.40} in row {broken['row'][0] + 1}"
        raise FormatError(text, source=source.name)
    clicks = clicks.join(raw.select("row", "teams"), on="row", how="left", maintain_order="left")
    clicks = _from_one(clicks, source, dropped)
    inside = clicks.filter((pl.col("at") >= 1) & (pl.col("at") <= pl.col("teams").list.len()))
    note(dropped, "clicks outside of the result list", clicks.height - inside.height)
    team = pl.col("teams").list.get(pl.col("at").cast(pl.Int64) - 1, null_on_oob=True)
    inside = inside.with_columns(team=team)
    either = inside.filter(pl.col("team").is_in(names))
    note(dropped, "clicks on documents of both teams or of neither", inside.height - either.height)
    credit = either.group_by("row").agg(
        first=(pl.col("team") == names[0]).sum(), second=(pl.col("team") == names[1]).sum()
    )
    credit = credit.cast({"first": pl.Float64, "second": pl.Float64})
    systems = names[0], names[1]
    drafted = drafted_lists(raw, clicks, systems)
    drafted.check(systems, source.name)
    return ClickCredit(systems, "team-draft", credit, _share(clicks, inside), tuple(drafted.warnings(systems)))


def _share(clicks: pl.DataFrame, used: pl.DataFrame) -> float:
    """Return the share of clicks that were not used."""
    return (clicks.height - used.height) / max(clicks.height, 1)


def _from_one(clicks: pl.DataFrame, source: Source, dropped: Counter[str]) -> pl.DataFrame:
    """Return clicks whose positions count from 1: a 0 anywhere means that all of them count from 0."""
    import polars as pl

    zero = clicks.filter(pl.col("at") == 0)
    if not zero.height:
        return clicks
    last = clicks.filter((pl.col("at") == pl.col("teams").list.len()) & (pl.col("at") > 0))
    if last.height:
        at = f"{last['at'][0]:.0f}"
        raise FormatError(
            f"clicks must count positions either from 0 or from 1: row {zero['row'][0] + 1} has a click at 0, and row "
            f"{last['row'][0] + 1} one at {at} of {at}",
            source=source.name,
            hint="Count all positions from 1",
        )
    note(dropped, FROM_ZERO, clicks.height)
    return clicks.with_columns(pl.col("at") + 1)


def _balanced(raw: pl.DataFrame, lists: list[str], dropped: Counter[str]) -> ClickCredit:
    """Count the clicked documents among the first k of each ranking.

    k is the least depth at which one of the rankings has all documents that were clicked down to the lowest one
    (Joachims 2002).
    """
    import polars as pl

    clicks = _clicked(raw, dropped).rename({"clicks": "document"})
    for column, name in zip(("first", "second"), lists, strict=True):
        ranks = (
            raw.select("row", document=name)
            .with_columns(pl.int_ranges(1, pl.col("document").list.len() + 1).alias(column))
            .explode("document", column)
            .drop_nulls("document")
            .unique(["row", "document"], keep="first", maintain_order=True)
        )
        clicks = clicks.join(ranks, on=["row", "document"], how="left", maintain_order="left")
    known = clicks.filter(pl.any_horizontal(pl.col("first", "second").is_not_null()))
    note(dropped, "clicks on documents of neither ranking", clicks.height - known.height)
    depth = pl.min_horizontal("first", "second").max().over("row")
    known = known.with_columns(depth=depth)
    within = [(pl.col(name) <= pl.col("depth")).sum().cast(pl.Float64).alias(name) for name in ("first", "second")]
    credit = known.group_by("row").agg(within)
    return ClickCredit(_named(lists, "list_"), "balanced", credit, _share(clicks, known))
