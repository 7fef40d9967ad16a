"""`karatage log list`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from karatage.cli import options as o
from karatage.cli.log import log_options as shared

if TYPE_CHECKING:
    from karatage.experiments import Record

NAME = "list"

By = Annotated[
    str,
    typer.Option(metavar="date|METRIC", help="Sort by date, or by a metric, such as f1, the best first."),
]


def run(context: typer.Context, log: shared.Log = "", by: By = "date", json: o.Json = False) -> None:
    """List all experiments.

    karatage log list --by f1
    """
    opened = shared.open_log(context, log)
    found = sorted_by(shared.records(opened), by)
    if json:
        print_json(found)
        return
    from karatage.reports import list_parts, print_parts

    print_parts(list_parts(found, str(opened.folder)))


def sorted_by(records: list[Record], by: str) -> list[Record]:
    """Sort by date, or by a metric; what has no number comes last."""
    from karatage.errors import unknown

    if by == "date":
        return records
    known = {name for record in records for name in record.metrics}
    if by not in known:
        raise unknown("metric of the log", by, {"date", *known})

    def key(record: Record) -> tuple[bool, float]:
        score = record.score(by)
        value = None if score is None else score.value
        return value is None, -(value or 0.0)

    return sorted(records, key=key)


def print_json(records: list[Record]) -> None:
    """Print records as JSON."""
    import json

    out = [record.to_dict() for record in records]
    typer.echo(json.dumps(out, ensure_ascii=False, indent=2, allow_nan=False))
