"""All experiments as one flat table: CSV, Markdown, Parquet or JSON lines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karatage.errors import UsageError
from karatage.experiments import Record, jsonable
from karatage.formats import to_rows, write_lines, writing
from karatage.reports.log_markdown import markdown_table

if TYPE_CHECKING:
    import polars as pl


def flat(record: Record) -> dict[str, Any]:
    """Return a record as one row; names with points tell where a value comes from."""
    out: dict[str, Any] = {"id": record.id, "name": record.name, "date": record.date, "kind": record.kind}
    out |= {"model": record.model, "note": record.note, "parent": record.parent, "split": record.split}
    out |= {"best_epoch": record.best_epoch, "metric": record.metric, "epochs": len(record.epochs)}
    out |= {"duration": record.duration, "profile": record.scores.get("profile"), "headline": record.headline}
    for name, score in record.metrics.items():
        out |= {f"score.{name}": score.value, f"score.{name}.low": score.low, f"score.{name}.high": score.high}
    out |= {f"config.{name}": value for name, value in record.config.items()}
    for one in record.data:
        out |= {f"data.{one.role}.path": one.path, f"data.{one.role}.sha256": one.sha256}
        out[f"data.{one.role}.units"] = one.units
    out |= {f"machine.{name}": value for name, value in vars(record.machine).items()}
    out |= {"version": record.code.version, "commit": record.code.commit, "dirty": record.code.dirty}
    return jsonable(out | {"model_folder": record.model_folder})  # type: ignore[no-any-return]  # a mapping stays one


def columns_of(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the columns of all rows; those of one kind stay together."""
    names = dict.fromkeys(name for row in rows for name in row)
    order = list(dict.fromkeys(_family(name) for name in names))
    return sorted(names, key=lambda name: order.index(_family(name)))


def _family(name: str) -> str:
    return name.partition(".")[0]


def to_csv(records: Sequence[Record]) -> bytes:
    """Return the table as CSV."""
    return to_rows(_texts(records), ",", "\n", "the table")


def to_markdown(records: Sequence[Record]) -> str:
    """Return the table as Markdown."""
    header, *rows = _texts(records)
    return "\n".join(markdown_table(header, rows)) + "\n"


def _texts(records: Sequence[Record]) -> list[list[str]]:
    rows = [flat(record) for record in records]
    names = columns_of(rows) or ["id"]
    return [names, *([_cell(row.get(name)) for name in names] for row in rows)]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def to_frame(records: Sequence[Record]) -> pl.DataFrame:
    """Return the table as a Polars frame; a column with values of several kinds holds text."""
    import polars as pl

    rows = [flat(record) for record in records]
    columns: dict[str, Any] = {}
    for name in columns_of(rows):
        values = [row.get(name) for row in rows]
        kinds = {type(value) for value in values if value is not None}
        if kinds == {int, float}:
            values = [None if value is None else float(value) for value in values]
        elif len(kinds) > 1 or kinds & {list, dict}:
            values = [None if value is None else _cell(value) for value in values]
        columns[name] = pl.Series(name, values, dtype=pl.String if not kinds else None)
    return pl.DataFrame(columns)


def write_table(records: Sequence[Record], place: str | Path) -> None:
    """Write the table; the ending says how: .csv, .md, .parquet or .jsonl."""
    kind = Path(place).name.lower().removesuffix(".gz").removesuffix(".zst").rpartition(".")[2]
    if kind == "jsonl":
        write_lines(str(place), map(flat, records))
    elif kind == "csv":
        with writing(place) as out:
            out.write(to_csv(records))
    elif kind == "md":
        with writing(place) as out:
            out.write(to_markdown(records).encode())
    elif kind == "parquet":
        with writing(place) as out:
            to_frame(records).write_parquet(out)
    else:
        raise UsageError(f"{place}: a table ends in .csv, .md, .parquet or .jsonl")
