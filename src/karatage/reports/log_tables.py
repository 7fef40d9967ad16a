"""All experiments as one flat table: CSV, Markdown, Parquet or JSON lines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karatage.errors import UsageError
from karatage.experiments import Experiment, to_json_values
from karatage.formats import quoted_formula, to_rows, write_lines, writing
from karatage.reports.log_markdown import markdown_table

if TYPE_CHECKING:
    import polars as pl


def experiment_row(experiment: Experiment) -> dict[str, Any]:
    """Return an experiment as one row; nested names are joined with a dot, such as `config.hidden`."""
    fields = (
        "id",
        "name",
        "date",
        "kind",
        "model",
        "note",
        "parent",
        "split",
        "best_epoch",
        "metric",
        "preset",
        "config_line",
    )
    out: dict[str, Any] = {name: getattr(experiment, name) for name in fields}
    out |= {"epochs": len(experiment.epochs), "duration": experiment.duration}
    out |= {"profile": experiment.scores.get("profile"), "headline": experiment.headline}
    for name, score in experiment.metrics.items():
        out |= {f"score.{name}": score.value, f"score.{name}.low": score.low, f"score.{name}.high": score.high}
    out |= {f"config.{name}": value for name, value in experiment.config.items()}
    for one in experiment.data:
        out |= {f"data.{one.role}.path": one.path, f"data.{one.role}.sha256": one.sha256}
        out[f"data.{one.role}.units"] = one.units
    out |= {f"machine.{name}": value for name, value in vars(experiment.machine).items()}
    out |= {"version": experiment.code.version, "commit": experiment.code.commit, "dirty": experiment.code.dirty}
    return to_json_values(out | {"model_folder": experiment.model_folder})  # type: ignore[no-any-return]  # a mapping stays one


def columns_of(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the columns of all rows, grouped by the first part of their names."""
    names = dict.fromkeys(name for row in rows for name in row)
    order = list(dict.fromkeys(_family(name) for name in names))
    return sorted(names, key=lambda name: order.index(_family(name)))


def _family(name: str) -> str:
    return name.partition(".")[0]


def experiments_csv(experiments: Sequence[Experiment]) -> bytes:
    """Return the table as CSV; a text that a spreadsheet would run as a formula gets a leading '."""
    return to_rows([list(map(quoted_formula, row)) for row in _texts(experiments)], ",", "\n", "the table")


def _texts(experiments: Sequence[Experiment]) -> list[list[str]]:
    rows = [experiment_row(experiment) for experiment in experiments]
    names = columns_of(rows) or ["id"]
    return [names, *([_cell(row.get(name)) for name in names] for row in rows)]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def to_frame(experiments: Sequence[Experiment]) -> pl.DataFrame:
    """Return the table as a Polars frame; a column with values of several types becomes text."""
    import polars as pl

    rows = [experiment_row(experiment) for experiment in experiments]
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


def write_experiments(experiments: Sequence[Experiment], path: str | Path) -> None:
    """Write the table in the format of the file's extension: .csv, .md, .parquet or .jsonl."""
    kind = Path(path).name.lower().removesuffix(".gz").removesuffix(".zst").rpartition(".")[2]
    if kind not in ("csv", "md", "parquet", "jsonl"):
        raise UsageError(f"{path}: unknown extension. Use .csv, .md, .parquet or .jsonl")
    if kind == "jsonl":
        write_lines(str(path), map(experiment_row, experiments))
        return
    with writing(path) as out:
        if kind == "csv":
            out.write(experiments_csv(experiments))
        elif kind == "md":
            header, *rows = _texts(experiments)
            out.write("\n".join([*markdown_table(header, rows), ""]).encode())
        else:
            to_frame(experiments).write_parquet(out)
