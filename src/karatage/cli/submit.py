"""`karatage submit FILE --check`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o
from karatage.errors import UsageError

NAME = "submit"


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The submission, as `karatage tag` writes it.")],
    check: Annotated[bool, typer.Option("--check", help="Look for what would be rejected, misread or lost.")] = False,
    listings: Annotated[
        str | None,
        typer.Option(help="The listings that it answers for: records, categories and titles are checked against them."),
    ] = None,
    json: o.Json = False,
) -> None:
    """Check a submission to eBay's challenge before it is sent; exit code 1 if there are errors in it.

    karatage submit submission.tsv --check --listings quiz.tsv.gz
    """
    if not check:
        raise UsageError("submit sends nothing yet: with --check it looks for what is wrong with a submission")
    from karatage.challenges.ebay_2025 import check as check_file
    from karatage.reports import print_parts, submission_parts

    found = check_file(file, listings)
    if json:
        typer.echo(found.to_json())
    else:
        print_parts(submission_parts(found), least=1000)
    if not found:
        raise typer.Exit(1)
