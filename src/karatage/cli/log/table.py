"""`karatage log table`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o
from karatage.cli.log import log_options as shared
from karatage.cli.result_output import WRITES


def run(
    context: typer.Context,
    out: Annotated[
        str | None,
        typer.Option(
            *WRITES,
            metavar="FILE",
            help="File to write: .csv, .md, .parquet or .jsonl. [default: CSV to standard output]",
        ),
    ] = None,
    by: shared.By = "date",
    log: shared.Log = "",
    json: o.Json = False,
) -> None:
    """Write all experiments as one flat table, for a spreadsheet or a data frame.

    karatage log table --out experiments.parquet
    """
    from karatage.formats import writing
    from karatage.reports import experiment_row, experiments_csv, write_experiments

    found = shared.read_experiments(shared.open_log(context, log), by)
    if json:
        o.print_json([experiment_row(experiment) for experiment in found])
    elif out is not None:
        write_experiments(found, out)
    else:
        with writing("-") as stream:
            stream.write(experiments_csv(found))
