"""`karatage log looks`."""

from __future__ import annotations

import typer

from karatage._printing import inform
from karatage.cli import options as o
from karatage.cli.log import log_options as shared


def run(context: typer.Context, log: shared.Log = "", json: o.Json = False) -> None:
    """Show how often each test set was used.

    karatage log looks
    """
    from karatage.errors import InputError
    from karatage.experiments import used_test_sets

    opened = shared.open_log(context, log)
    defects: list[InputError] = []
    found = used_test_sets(opened, defects)
    for error in defects:
        inform(f"warning: skipped {error}")
    if json:
        o.print_json([one.to_dict() for one in found])
        return
    from karatage.reports import print_parts, used_set_parts

    print_parts(used_set_parts(found, str(opened.folder)))
