"""Logs of interleaving experiments: which system's documents were clicked in each impression.

Three shapes, as JSON lines, CSV or Parquet, one row per impression, each with `query` and `session`:

- `clicks_NAME`, for two systems: the number of clicks that each got credit for.
- `teams` and `clicks` (team-draft): the system of each position, and the positions that were clicked, from 1
  (or from 0: one click at 0 means that all positions of the log count from 0).
- `list_NAME`, for two systems, and `clicks` (balanced): the two rankings, and the documents that were clicked.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from karatage.clicks.interleaving_credit import SHAPES, credited, note
from karatage.errors import FormatError, InputError
from karatage.formats import MAGIC, ParquetTable, Source, check_row, guard, read_rows, records

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class InterleavingLog:
    """Credit by impression.

    Attributes:
        frame: query, session, and the credit of the `first` and the `second` system.
        systems: the names of the two.
        method: `counts`, `team-draft` or `balanced`.
        dropped: what was left out or repaired, with its number.
        outside: the share of clicks that are not on a document of their impression.
        doubts: what does not look like the method.
    """

    frame: pl.DataFrame = field(repr=False)
    systems: tuple[str, str]
    method: str
    dropped: dict[str, int]
    outside: float = 0.0
    doubts: tuple[str, ...] = ()


def read_interleaving(path: str, *, max_session: int | None = None) -> InterleavingLog:
    """Read a log of an interleaving experiment.

    Args:
        path: The file.
        max_session: Leave out sessions with more impressions than this.
    """
    import polars as pl

    source = Source(path)
    with guard(source):
        raw = _raw(source)
    if not raw.height:
        raise InputError("no impressions", source=source.name, hint="Expected one row per impression")
    dropped: Counter[str] = Counter()
    if "impression" in raw.columns:
        once = raw.filter(pl.col("impression").is_null() | pl.col("impression").is_first_distinct())
        note(dropped, "repeated impressions", raw.height - once.height)
        raw = once
    raw = raw.with_row_index("row")
    credit = credited(raw, source, dropped)
    frame = raw.select("row", _optional(raw, "query"), _optional(raw, "session"))
    frame = frame.join(credit.frame, on="row", how="left", maintain_order="left")
    alone = frame["session"].null_count()
    note(dropped, "impressions without a session, each taken as its own", alone)
    own = pl.coalesce("session", pl.format("\0{}", "row"))  # no session has this character in its name
    frame = frame.with_columns(own.alias("session"), pl.col("first", "second").fill_null(0)).drop("row")
    if max_session is not None:
        long = frame.filter(pl.len().over("session") > max_session)
        note(dropped, f"sessions with more than {max_session:,} impressions", long["session"].n_unique())
        note(dropped, "impressions of these sessions", long.height)
        frame = frame.filter(pl.len().over("session") <= max_session)
        if not frame.height:
            raise InputError("all sessions are longer than --max-session", source=source.name, hint="Raise it")
    return InterleavingLog(frame, credit.systems, credit.method, dict(dropped), credit.outside, credit.doubts)


def _optional(raw: pl.DataFrame, name: str) -> pl.Expr:
    import polars as pl

    if name not in raw.columns:
        return pl.lit(None, pl.String).alias(name)
    text = pl.col(name).cast(pl.String, strict=False).str.strip_chars()
    return pl.when(text != "").then(text).alias(name)


def _raw(source: Source) -> pl.DataFrame:
    """Return the columns as texts, and lists of texts."""
    head = source.head()
    if not head.strip():
        raise InputError("the file is empty", source=source.name, hint="Expected one row per impression")
    if head.startswith(MAGIC):
        return ParquetTable(source).whole()
    return _from_json(source) if head.lstrip()[:1] in (b"{", b"[") else _from_csv(source)


def _from_json(source: Source) -> pl.DataFrame:
    import polars as pl

    if source.once:  # which cannot be read again
        return _by_record(source)
    _, first = next(records(source), (1, None))
    kinds = dict[str, Any]()
    if isinstance(first, dict):
        lists = {name for name in first if name in ("teams", "clicks") or name.startswith("list_")}
        kinds = {name: pl.List(pl.String) if name in lists else pl.String() for name in first}
    with source.open() as stream:
        data = stream.read()
    if kinds and source.plain and len(data) <= 2**32 and b"\0" not in data:
        try:
            quick = pl.read_ndjson(io.BytesIO(data), schema={"impression": pl.String, "session": pl.String} | kinds)
            if not quick.select(pl.all_horizontal(pl.all().is_null()).any()).item():
                return quick.select(name for name in quick.columns if name in kinds or quick[name].count())
        except BaseException as error:
            if (
                not isinstance(error, pl.exceptions.PolarsError | ValueError)
                and type(error).__name__ != "PanicException"
            ):
                raise
    return _by_record(source)


def _by_record(source: Source) -> pl.DataFrame:
    import polars as pl

    found: list[dict[str, Any]] = []
    for line, value in records(source):
        if not isinstance(value, dict):
            problem = f"expected an object, got {json.dumps(value)[:40]}"
            raise FormatError(problem, source=source.name, line=line, hint=f"Each line has {SHAPES}")
        row: dict[str, Any] = {}
        for name, own in value.items():
            if name in ("teams", "clicks") or name.startswith("list_"):
                if own is not None and not isinstance(own, list):
                    problem = f'"{name}" must be a list, got {json.dumps(own)[:40]}'
                    raise FormatError(problem, source=source.name, line=line)
                row[name] = None if own is None else [_plain(one) for one in own]
            else:
                row[name] = _plain(own)
        found.append(row)
    names = list(dict.fromkeys(name for row in found for name in row))
    lists = {name for name in names if name in ("teams", "clicks") or name.startswith("list_")}
    schema = {name: pl.List(pl.String) if name in lists else pl.String for name in names}
    try:
        return pl.DataFrame({name: [row.get(name) for row in found] for name in names}, schema=schema)
    except UnicodeEncodeError:
        raise FormatError("a text cannot be encoded as UTF-8", source=source.name) from None


def _plain(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _from_csv(source: Source) -> pl.DataFrame:
    """Read CSV; lists are separated by blanks, and a text of teams such as ABBA is one team per character."""
    import polars as pl

    with source.open() as stream:
        data = stream.read()
    first = data.split(b"\n", 1)[0]
    separator = chr(max(b",;\t", key=lambda sign: first.count(bytes([sign]))))
    try:
        frame = pl.read_csv(io.BytesIO(data), separator=separator, infer_schema=False)
    except BaseException as error:
        known = isinstance(error, pl.exceptions.PolarsError | ValueError)
        if not known and type(error).__name__ != "PanicException":
            raise
        rows = read_rows(source, separator)  # which names the line
        _, header = next(rows, (1, [""]))
        for line, row in rows:
            check_row(row, header, source, line)
        reason = (str(error) or "damaged").splitlines()[0][:120]
        raise FormatError(f"cannot read this as CSV ({reason})", source=source.name) from None
    lists = [name for name in frame.columns if name in ("teams", "clicks") or name.startswith("list_")]
    for name in lists:
        text = pl.col(name).fill_null("").str.strip_chars()
        words = pl.when(text != "").then(text.str.split(" ")).otherwise(pl.lit([], pl.List(pl.String)))
        if name == "teams" and not frame.select(text.str.contains(" ").any()).item():
            words = pl.when(text != "").then(text.str.split("")).otherwise(pl.lit([], pl.List(pl.String)))
        frame = frame.with_columns(words.list.eval(pl.element().filter(pl.element() != "")).alias(name))
    return frame
