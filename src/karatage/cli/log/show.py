"""`karatage log show ID`."""

from __future__ import annotations

import typer

from karatage.cli import options as o
from karatage.cli.log import log_options as shared


def run(context: typer.Context, name: shared.Name, log: shared.Log = "", json: o.Json = False) -> None:
    """Show everything about an experiment.

    karatage log show RUN-003
    """
    experiment = shared.open_log(context, log).get(name)
    if json:
        o.print_json(experiment.to_dict())
        return
    from karatage.reports import experiment_parts, print_parts

    print_parts(experiment_parts(experiment))
