"""`karatage recall lint BENCHMARK`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o
from karatage.cli.recall import recall_options as r
from karatage.errors import UsageError
from karatage.stats import LEVEL


def run(
    benchmark: r.Benchmark,
    labelled: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STRATUM=EXPORT",
            help="Label export of a stratum. Repeatable.  [default: files in the folder labelled of the benchmark]",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="BENCHMARK", help="Another benchmark, which should have no items in common."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with code 1 on warnings too.")] = False,
    level: o.Level = LEVEL,
    json: o.Json = False,
) -> None:
    """Find defects in a benchmark and their effect on the estimate. Exits with code 1 on errors.

    karatage recall lint places/
    """
    from karatage.recall import benchmark_folder, lint
    from karatage.reports import finding_parts, print_parts

    exports: dict[str, list[str]] = {}
    for stratum, path in r.named_files(labelled):
        if stratum is None:
            raise UsageError(f"--labelled {path!r}: expected STRATUM=EXPORT")
        exports.setdefault(stratum, []).append(path)
    found = lint(benchmark, exports=exports or None, against=against, level=level)
    if json:
        data = {"benchmark": benchmark_folder(benchmark).resolve().name, "findings": [one.to_dict() for one in found]}
        o.print_json(data)
    else:
        print_parts(finding_parts(benchmark, found), piped=1000)
    if any(one.severity == "error" or (strict and one.severity == "warning") for one in found):
        raise typer.Exit(1)
