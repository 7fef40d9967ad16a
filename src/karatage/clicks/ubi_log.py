"""From a UBI log to documents that were shown and clicked: whatever cannot be used is counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from karatage.clicks.click_options import ClickOptions
from karatage.clicks.click_table import ClickTable, codes
from karatage.clicks.query_spelling import Spellings
from karatage.clicks.ubi_files import read_ubi
from karatage.errors import InputError

if TYPE_CHECKING:
    import polars as pl

HEAVY = 100
"""A session with more result lists than this is reported: it may be a bot."""


@dataclass(frozen=True)
class UbiLog:
    """The documents that were shown, and whether they were clicked.

    Attributes:
        frame: query, document, rank, session and clicked, one row for each document in a result list.
        shown_by: whether impressions are events, or the results of the queries.
        counts: events, result lists, sessions, impressions and clicks that are used.
        dropped: what was left out, repaired or looks odd, with its number.
        ignored: other actions, with the number of their events.
        warnings: what a reader should know.
    """

    frame: pl.DataFrame = field(repr=False)
    shown_by: Literal["events", "queries"]
    counts: dict[str, int]
    dropped: dict[str, int]
    ignored: dict[str, int]
    warnings: tuple[str, ...]

    def table(self) -> tuple[ClickTable, pl.DataFrame]:
        """Return the columns as numbers, and the query and document of each pair."""
        frame = self.frame
        pairs = frame.select("query", "document").unique(maintain_order=True).sort("query", "document")
        numbered = frame.join(pairs.with_row_index("pair"), on=["query", "document"], maintain_order="left")
        return (
            ClickTable(
                pair=numbered["pair"].to_numpy().astype("int64"),
                rank=numbered["rank"].to_numpy().astype("int64"),
                session=codes(numbered["session"]),
                clicked=numbered["clicked"].to_numpy().astype("float64"),
            ),
            pairs,
        )


class _Sieve:
    """Drops rows, and remembers how many and why."""

    def __init__(self) -> None:
        self.dropped: Counter[str] = Counter()

    def keep(self, frame: pl.DataFrame, condition: pl.Expr, reason: str) -> pl.DataFrame:
        kept = frame.filter(condition)
        return self.less(frame, kept, reason)

    def less(self, frame: pl.DataFrame, kept: pl.DataFrame, reason: str) -> pl.DataFrame:
        self.note(reason, frame.height - kept.height)
        return kept

    def note(self, reason: str, count: int) -> None:
        if count:
            self.dropped[reason] += count


def read_log(events: str, queries: str | None, options: ClickOptions) -> UbiLog:
    """Read a log of UBI events, and of its queries where they are in a file of their own."""
    import polars as pl

    counting, warnings = _Sieve(), list[str]()
    raw = read_ubi(events)
    if queries is not None:
        raw = pl.concat([raw, read_ubi(queries)])
    raw = _of_application(raw, options.application, events, counting, warnings)
    is_query = pl.col("action").is_null() & pl.col("hits").is_not_null()
    asked = _queries(raw.filter(is_query), counting)
    acted = raw.filter(~is_query).drop("hits")
    used, ignored = _events(acted, {*options.clicks, *options.impressions}, events, counting)
    clicked = used.filter(pl.col("action").is_in(options.clicks))
    seen = used.filter(pl.col("action").is_in(options.impressions))
    if not clicked.height:
        found = ", ".join(f"{name} ({count:,})" for name, count in ignored.items()) or "none"
        raise InputError(
            "no clicks", source=events, hint=f"Name their action with --click; other actions: {found[:200]}"
        )
    shown_by: Literal["events", "queries"] = "events" if seen.height else "queries"
    if seen.height:
        shown = _shown_events(seen, asked, counting, warnings)
    elif asked.height:
        shown = _shown_queries(asked)
    else:
        hint = "Pass ubi_queries with their query_response_hit_ids as QUERIES, or name the action with --impression"
        raise InputError("no impressions, and clicks alone say nothing about the documents", source=events, hint=hint)
    frame = _joined(shown, clicked, asked, counting)
    spellings = Spellings.of(frame["query"])
    if options.fold_queries:
        frame = frame.with_columns(pl.col("query").replace_strict(spellings.chosen, default=pl.col("query")))
        counting.note("queries joined with another way of writing them", len(spellings.others))
    elif spellings.warning:
        warnings.append(spellings.warning)
    frame = _sessions(frame, clicked, options.max_session, counting, warnings)
    if not frame.height:
        raise InputError("no usable impressions", source=events, hint=_listed(counting.dropped))
    counts = {
        "events": acted.height,
        "queries": frame["query"].n_unique(),
        "result_lists": frame["query_id"].n_unique(),
        "sessions": frame["session"].n_unique(),
        "impressions": frame.height,
        "clicks": int(frame["clicked"].sum()),
    }
    if not counts["clicks"]:
        raise InputError("no click is on a document that was shown", source=events, hint=_listed(counting.dropped))
    missed = counting.dropped[_NOT_SHOWN]
    if missed > 0.05 * (counts["clicks"] + missed):
        warnings.append(
            f"{missed:,} of {counts['clicks'] + missed:,} clicks are on documents that were not shown: "
            "are impressions or ubi_queries complete?"
        )
    columns = frame.select("query", "document", "rank", "session", "clicked")
    return UbiLog(columns, shown_by, counts, dict(counting.dropped), ignored, tuple(warnings))


_NOT_SHOWN = "clicks on documents that were not shown"


def _listed(dropped: Counter[str]) -> str:
    return "Left out: " + (", ".join(f"{what} ({count:,})" for what, count in dropped.items()) or "nothing")


def _of_application(
    raw: pl.DataFrame, application: str | None, name: str, counting: _Sieve, warnings: list[str]
) -> pl.DataFrame:
    import polars as pl

    known = raw["application"].drop_nulls().unique().sort().to_list()
    if application is None:
        if len(known) > 1:
            warnings.append(
                f"events of {len(known):,} applications are taken together: {', '.join(known)[:200]}. "
                "Choose one with --application"
            )
        return raw
    if application not in known:
        hint = f"The applications are {', '.join(known)[:200]}" if known else "No record names one"
        raise InputError(f"no records of the application {application!r}", source=name, hint=hint)
    # A log of queries need not name the application that asked.
    own = (pl.col("application") == application) | pl.col("application").is_null()
    return counting.keep(raw, own, "records of other applications")


def _queries(asked: pl.DataFrame, counting: _Sieve) -> pl.DataFrame:
    import polars as pl

    asked = counting.keep(asked, pl.col("query_id").is_not_null(), "queries without a query id")
    once = asked.unique("query_id", keep="first", maintain_order=True)
    return counting.less(asked, once, "queries with a repeated query id")


def _events(acted: pl.DataFrame, names: set[str], name: str, counting: _Sieve) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return the clicks and impressions that can be used, and the names of other actions."""
    import polars as pl

    acted = counting.keep(acted, pl.col("action").is_not_null(), "records without an action name or results")
    if not acted.height:
        raise InputError("no events", source=name, hint="Expected records of ubi_events with an action_name")
    wanted = pl.col("action").is_in(names)
    others = acted.filter(~wanted)["action"].value_counts(sort=True).sort(["count", "action"], descending=[True, False])
    used = counting.keep(acted.filter(wanted), pl.col("query_id").is_not_null(), "events without a query id")
    used = counting.keep(used, pl.col("document").is_not_null(), "events without a document")
    once = used.unique(maintain_order=True)
    used = counting.less(used, once, "duplicate events")
    position = pl.col("position").cast(pl.Float64, strict=False)
    whole = pl.when((position >= 0) & (position == position.floor()) & (position < 1e6)).then(
        position.cast(pl.Int64, strict=False)
    )
    used = used.with_columns(rank=whole)
    wrong = used.filter(pl.col("position").is_not_null() & pl.col("rank").is_null()).height
    counting.note("invalid positions, taken as missing", wrong)
    zero = used.filter(pl.col("rank") == 0).height
    if zero:
        counting.note("positions that start at 0, raised by one", used["rank"].count())
        used = used.with_columns(pl.col("rank") + 1)
    return used, dict(others.iter_rows())


def _shown_queries(asked: pl.DataFrame) -> pl.DataFrame:
    """Return the results of the queries, which take every result to have been shown."""
    import polars as pl

    return (
        asked.select("query_id", "text", "session", "client", "time", document="hits")
        .with_columns(rank=pl.int_ranges(1, pl.col("document").list.len() + 1))
        .explode("document", "rank")
        .drop_nulls("document")
    )


def _shown_events(seen: pl.DataFrame, asked: pl.DataFrame, counting: _Sieve, warnings: list[str]) -> pl.DataFrame:
    """Return the impressions; one without a position has that of the document in the results of its query."""
    import polars as pl

    seen = seen.select("query_id", "document", "text", "session", "client", "time", "rank")
    if seen["rank"].null_count() and asked.height:
        listed = _shown_queries(asked).select("query_id", "document", listed="rank")
        listed = listed.unique(["query_id", "document"], keep="first", maintain_order=True)
        seen = seen.join(listed, on=["query_id", "document"], how="left", maintain_order="left")
        filled = seen.filter(pl.col("rank").is_null() & pl.col("listed").is_not_null()).height
        counting.note("impressions with the position of their query's results", filled)
        seen = seen.with_columns(pl.coalesce("rank", "listed").cast(pl.Int64).alias("rank")).drop("listed")
    seen = counting.keep(seen, pl.col("rank").is_not_null(), "impressions without a position")
    if asked.height:
        unlogged = asked.join(seen, on="query_id", how="anti").filter(pl.col("hits").list.len() > 0).height
        if unlogged:
            warnings.append(f"{unlogged:,} queries with results have no impression events, and are not used")
    return seen


def _joined(shown: pl.DataFrame, clicked: pl.DataFrame, asked: pl.DataFrame, counting: _Sieve) -> pl.DataFrame:
    """Put the clicks on what was shown, and the queries' texts."""
    import polars as pl

    keys = ["query_id", "document"]
    once = shown.sort("rank", maintain_order=True).unique(keys, keep="first", maintain_order=True)
    shown = counting.less(shown, once, "documents shown again in the same result list")
    texts = asked.select(
        "query_id", asked_text="text", asked_session="session", asked_client="client", asked_time="time"
    )
    shown = shown.join(texts, on="query_id", how="left", maintain_order="left")
    shown = shown.with_columns(
        query=pl.coalesce("asked_text", "text").str.strip_chars(),
        session=pl.coalesce("session", "asked_session", "client", "asked_client"),
    )
    own = clicked.group_by(keys, maintain_order=True).agg(
        clicks=pl.len(), clicked_at=pl.col("time").first(), clicked_rank=pl.col("rank").drop_nulls().first()
    )
    counting.note("further clicks on the same result", int(own["clicks"].sum()) - own.height)
    counting.note(_NOT_SHOWN, own.join(shown, on=keys, how="anti").height)
    frame = shown.join(own, on=keys, how="left", maintain_order="left")
    frame = frame.with_columns(clicked=pl.col("clicks").is_not_null())
    hit = frame.filter("clicked")
    early = hit.filter(_moment("clicked_at") < pl.coalesce(_moment("time"), _moment("asked_time"))).height
    counting.note("clicks with a time before their impression (used)", early)
    elsewhere = hit.filter(pl.col("clicked_rank") != pl.col("rank")).height
    counting.note("clicks with another position than their impression (used)", elsewhere)
    return counting.keep(frame, pl.col("query") != "", "impressions without the text of the query")


def _moment(name: str) -> pl.Expr:
    """Parse a time: ISO 8601, or milliseconds or seconds since 1970."""
    import polars as pl

    text = pl.col(name).str.replace(" ", "T", literal=True).str.replace(r"Z$", "+00:00")
    number = pl.col(name).cast(pl.Float64, strict=False)
    zoned = text.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%#z", strict=False, time_unit="us", time_zone="UTC")
    local = text.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", strict=False, time_unit="us").dt.replace_time_zone("UTC")
    seconds = pl.when(number.abs() > 1e11).then(number / 1000).otherwise(number)
    return pl.coalesce(zoned.dt.epoch("us") / 1e6, local.dt.epoch("us") / 1e6, seconds)


def _sessions(
    frame: pl.DataFrame, clicked: pl.DataFrame, most: int | None, counting: _Sieve, warnings: list[str]
) -> pl.DataFrame:
    """Give every result list its session, leave out those that are too long, and report long ones."""
    import polars as pl

    if frame["session"].null_count():
        named = clicked.select("query_id", by_click=pl.coalesce("session", "client")).drop_nulls()
        named = named.unique("query_id", keep="first", maintain_order=True)
        frame = frame.join(named, on="query_id", how="left", maintain_order="left")
        frame = frame.with_columns(pl.coalesce("session", "by_click").alias("session"))
        alone = frame.filter(pl.col("session").is_null())["query_id"].n_unique()
        if alone:
            counting.note("result lists without a session, each taken as its own", alone)
        # A name that no session has: none contains this character.
        frame = frame.with_columns(pl.coalesce("session", pl.format("\0{}", "query_id")).alias("session"))
    # All of a result list belongs to one session, even if its events disagree.
    frame = frame.with_columns(pl.col("session").first().over("query_id"))
    lists = frame.group_by("session").agg(lists=pl.col("query_id").n_unique(), shown=pl.len())
    if most is not None:
        long = lists.filter(pl.col("lists") > most)
        counting.note(f"sessions with more than {most:,} result lists", long.height)
        counting.note("impressions of these sessions", int(long["shown"].sum()))
        return frame.join(long, on="session", how="anti")
    long = lists.filter(pl.col("lists") > HEAVY)
    if long.height:
        share = long["shown"].sum() / max(frame.height, 1)
        verb = "session has" if long.height == 1 else "sessions have"
        warnings.append(
            f"{long.height:,} {verb} more than {HEAVY} result lists, {share:.1%} of all impressions. "
            "If these are bots, leave them out with --max-session"
        )
    return frame
