"""Judgements from clicks as files: TREC's qrels, or a table with the intervals as CSV, JSON lines or Parquet."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from karatage._writing import check_file, check_not_input, writing_all
from karatage.errors import FormatError, UsageError
from karatage.formats import to_rows

if TYPE_CHECKING:
    import polars as pl

    from karatage.clicks.click_judgements import ClickJudgements

_BLANK = r"\s"


def check_outputs(out: str | None, topics: str | None, inputs: Sequence[str]) -> None:
    """Raise an error if the files cannot be written, before any work is done."""
    if topics is not None and out is None:
        raise UsageError("--topics numbers the queries of --out: set --out too")
    for path in filter(None, (out, topics)):
        check_not_input(path, inputs)
        check_file(path)
    if out is not None:
        _writer(out)
        if topics is not None and Path(out).absolute() == Path(topics).absolute():
            raise UsageError("--out and --topics name the same file")


def write_judgements(found: ClickJudgements, out: str, topics: str | None = None) -> None:
    """Write the judgements, and the queries with their numbers if a file for topics is given.

    Args:
        found: The judgements.
        out: File for the judgements; its extension chooses the format.
        topics: File for the queries: number and text, separated by a tab. The judgements then have the numbers.
    """
    import polars as pl

    frame, write, listed = found.table, _writer(out), b""
    if topics is not None:
        queries = frame.select("query_id").unique(maintain_order=True).with_row_index("number", 1)
        queries = queries.with_columns(pl.col("number").cast(pl.String))
        frame = frame.join(queries, on="query_id", how="left", maintain_order="left")
        frame = frame.with_columns(query_id="number").drop("number")
        listed = to_rows(queries.select("number", "query_id").iter_rows(), "\t", "\n", topics)
    data = write(frame, out)
    with writing_all([out] if topics is None else [out, topics]) as streams:
        for stream, content in zip(streams, (data, listed), strict=False):
            stream.write(content)


def _writer(path: str) -> Callable[[pl.DataFrame, str], bytes]:
    ending = Path(re.sub(r"\.(gz|zst)$", "", path.lower())).suffix
    if ending not in _WRITERS:
        raise UsageError(f"{path}: cannot write judgements as {ending or 'a file without extension'!r}. "
                         f"Use {', '.join(_WRITERS)}")  # fmt: skip
    return _WRITERS[ending]


def _trec(frame: pl.DataFrame, path: str) -> bytes:
    import polars as pl

    for column, noun, hint in (
        ("query_id", "query", "Number the queries with --topics, or write .csv, .jsonl or .parquet"),
        ("doc_id", "document", "Write .csv, .jsonl or .parquet"),
    ):
        broken = frame.filter(pl.col(column).str.contains(_BLANK))[column].unique().sort()
        if len(broken):
            count = f"{len(broken):,} {'ids contain' if len(broken) > 1 else 'id contains'}"
            text = f"{count} blanks, e.g. the {noun} {broken[0]!r:.60}, which TREC's qrels cannot store"
            raise FormatError(text, source=path, hint=hint)
    lines = frame.select(pl.format("{} 0 {} {}\n", "query_id", "doc_id", "relevance")).to_series()
    return "".join(lines).encode()


def _csv(frame: pl.DataFrame, path: str) -> bytes:  # noqa: ARG001  as the others
    return frame.write_csv().encode()


def _jsonl(frame: pl.DataFrame, path: str) -> bytes:  # noqa: ARG001  as the others
    return frame.write_ndjson().encode()


def _parquet(frame: pl.DataFrame, path: str) -> bytes:  # noqa: ARG001  as the others
    out = io.BytesIO()
    frame.write_parquet(out)
    return out.getvalue()


_WRITERS: dict[str, Callable[[pl.DataFrame, str], bytes]] = {
    ".qrels": _trec,
    ".qrel": _trec,
    ".csv": _csv,
    ".jsonl": _jsonl,
    ".parquet": _parquet,
}
"""How to write files of each extension."""
