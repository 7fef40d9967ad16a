"""`karatage recall lint BENCHMARK`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o
from karatage.cli.recall import recall_options as r
from karatage.errors import UsageError

NAME = "lint"


def run(
    benchmark: r.Benchmark,
    labelled: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STRATUM=EXPORT",
            help="The export of a stratum's labels. Left out: those in the folder labelled beside the description.",
        ),
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="Another benchmark, which should have no item in common with this one.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with code 1 on warnings too.")] = False,
    level: r.Level = 0.95,
    json: o.Json = False,
) -> None:
    """Find what is wrong with a benchmark, and what that does to the estimate; exit code 1 if no estimate can be made.

    karatage recall lint places/
    """
    import json as j

    from karatage.recall import ERROR, WARNING, folder_of, lint
    from karatage.reports import finding_parts, print_parts

    exports: dict[str, list[str]] = {}
    for stratum, path in r.in_strata(labelled):
        if stratum is None:
            raise UsageError(f"--labelled {path!r}: it reads STRATUM=EXPORT")
        exports.setdefault(stratum, []).append(path)
    found = lint(benchmark, exports=exports or None, against=against, level=level)
    if json:
        data = {"benchmark": folder_of(benchmark).resolve().name, "findings": [one.to_dict() for one in found]}
        typer.echo(j.dumps(data, ensure_ascii=False, indent=2))
    else:
        print_parts(finding_parts(benchmark, found), least=1000)
    if any(one.severity == ERROR or (strict and one.severity == WARNING) for one in found):
        raise typer.Exit(1)
