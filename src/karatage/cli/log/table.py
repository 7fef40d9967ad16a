"""`karatage log table`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o
from karatage.cli.log import log_options as shared
from karatage.cli.log.listing import By, sorted_by

NAME = "table"


def run(
    context: typer.Context,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Where to write it: .csv, .md, .parquet or .jsonl; left out, CSV is printed."
        ),
    ] = None,
    by: By = "date",
    log: shared.Log = "",
    json: o.Json = False,
) -> None:
    """Write all experiments as one flat table, for a spreadsheet or a data frame.

    karatage log table --out experiments.parquet
    """
    from karatage.formats import writing
    from karatage.reports import flat, to_csv, write_table

    records = sorted_by(shared.records(shared.open_log(context, log)), by)
    if json:
        from json import dumps

        typer.echo(dumps([flat(record) for record in records], ensure_ascii=False, indent=2, allow_nan=False))
    elif out is not None:
        write_table(records, out)
    else:
        with writing("-") as stream:
            stream.write(to_csv(records))
