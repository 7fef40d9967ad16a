"""`karatage log list`."""

from __future__ import annotations

import typer

from karatage.cli import options as o
from karatage.cli.log import log_options as shared


def run(context: typer.Context, log: shared.Log = "", by: shared.By = "date", json: o.Json = False) -> None:
    """List all experiments.

    karatage log list --by f1
    """
    opened = shared.open_log(context, log)
    found = shared.read_experiments(opened, by)
    if json:
        o.print_json([experiment.to_dict() for experiment in found])
        return
    from karatage.reports import experiment_list_parts, print_parts

    print_parts(experiment_list_parts(found, str(opened.folder)))
