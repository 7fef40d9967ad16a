"""`karatage log compare ID ID`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage._printing import say
from karatage.cli import options as o, page_options as p
from karatage.cli.log import log_options as shared
from karatage.errors import UsageError

_HELP = "Experiment, or several runs of one system with different seeds, comma-separated."


def run(
    context: typer.Context,
    one: Annotated[str, typer.Argument(metavar="ID[,ID…]", help=_HELP)],
    other: Annotated[str, typer.Argument(metavar="ID[,ID…]", help="Experiment or runs to compare it with.")],
    gold: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Gold file, if the log contains only its fingerprint. It may contain more data than was scored.",
        ),
    ] = None,
    html: p.Html = None,
    title: p.Title = None,
    resamples: Annotated[
        int, typer.Option(help="Number of bootstrap resamples and of permutations in the test.", min=2)
    ] = 10_000,
    log: shared.Log = "",
    json: o.Json = False,
) -> None:
    """Compare two experiments: settings, scores, and whether the difference is significant.

    karatage log compare RUN-003 RUN-007

    karatage log compare RUN-003 RUN-007 --html page.html
    """
    from karatage.experiments import compare_experiments

    p.check_page(html, title, [gold])
    opened = shared.open_log(context, log)
    systems = o.listed(one), o.listed(other)
    if not all(systems):
        raise UsageError("a comparison needs two experiments, e.g. RUN-003 RUN-007")
    with o.progress() as progress:
        found = compare_experiments(opened, *systems, gold=gold, resamples=resamples, progress=progress)
    if html is not None:
        p.save_page(found.page(title), html, [gold])
    if json:
        say(found.to_json())
    if json or html is not None:
        return
    from karatage.reports import experiment_comparison_parts, print_parts

    print_parts(experiment_comparison_parts(found))
