"""`karatage submit FILE --check`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o
from karatage.errors import UsageError


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Submission, as written by `karatage tag`.")],
    check: Annotated[bool, typer.Option("--check", help="Check for problems without sending anything.")] = False,
    listings: Annotated[
        str | None, typer.Option(help="Listings to check the records, categories and titles against.")
    ] = None,
    json: o.Json = False,
) -> None:
    """Check a submission to the eBay challenge before you send it. Exits with code 1 if it has errors.

    karatage submit submission.tsv --check --listings quiz.tsv.gz
    """
    if not check:
        raise UsageError("submit cannot send submissions yet: add --check to check one")
    from karatage.challenges.ebay_2025 import check as check_file

    found = check_file(file, listings)
    o.show(found, json=json, piped=1000)
    if not found:
        raise typer.Exit(1)
