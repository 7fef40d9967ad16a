"""`karatage log explain ID [ID …]`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage._printing import say
from karatage.cli import options as o, page_options as p
from karatage.cli.log import log_options as shared


def run(
    context: typer.Context,
    names: Annotated[list[str], typer.Argument(metavar="ID…", help="Experiments: RUN-003, or 3 for short.")],
    html: p.Html = None,
    title: p.Title = None,
    diff: Annotated[
        bool, typer.Option("--diff", help="List what the second of two experiments fixes and breaks.")
    ] = False,
    errors: Annotated[int, typer.Option(help="Number of errors to list.", min=0)] = 10,
    gold_check: Annotated[
        bool,
        typer.Option(
            "--gold-check/--no-gold-check", help="Find gold entities that look wrong; slow on large test sets."
        ),
    ] = True,
    gold: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Gold file, if the log contains only its fingerprint. It may contain more data than was scored.",
        ),
    ] = None,
    resamples: o.Resamples = 1000,
    log: shared.Log = "",
    json: o.Json = False,
) -> None:
    """Analyse the errors of logged experiments, with the profile that scored them.

    karatage log explain RUN-003

    karatage log explain RUN-003 RUN-007 --html page.html
    """
    from karatage.experiments import explain_experiments

    p.check_page(html, title, [gold])
    with o.progress() as progress:
        found = explain_experiments(
            shared.open_log(context, log),
            names,
            gold=gold,
            diff=diff,
            check=gold_check,
            resamples=resamples,
            progress=progress,
        )
    if html is not None:
        p.save_page(found.page(title), html, [gold])
    if json:
        say(found.to_json(errors=errors))
    elif html is None:
        from karatage.reports import print_parts

        print_parts(found.parts(errors=errors))
