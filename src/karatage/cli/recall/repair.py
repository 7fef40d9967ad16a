"""`karatage recall repair BENCHMARK --exports PATH --out FOLDER`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage._printing import inform, say
from karatage.cli import options as o
from karatage.cli.recall import recall_options as r
from karatage.errors import UsageError
from karatage.stats import LEVEL


def run(
    benchmark: r.Benchmark,
    exports: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[STRATUM=]PATH",
            help="Label exports: a file, a folder or a quoted glob pattern. Repeatable. Default stratum: from the name "
            "of the file.  [required]",
        ),
    ] = None,
    out: Annotated[str | None, typer.Option(metavar="FOLDER", help="New folder for the repaired benchmark.")] = None,
    board: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Board to recompute.  [default: leaderboard.csv of the benchmark]"),
    ] = None,
    results: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[ROW=]RESULT",
            help="Result of a row of the board: output of `karatage recall estimate --json`. Repeatable.",
        ),
    ] = None,
    label_map: r.LabelMap = None,
    positive: Annotated[
        list[str] | None,
        typer.Option(help="Choice that means that a candidate is an entity, with --map. Repeatable.  [default: yes]"),
    ] = None,
    negative: Annotated[
        list[str] | None,
        typer.Option(help="Choice that means that a candidate is not an entity. Repeatable.  [default: no]"),
    ] = None,
    occurrences: Annotated[
        list[str] | None,
        typer.Option(metavar="STRATUM=N", help="Number of candidates of a stratum that the benchmark omits."),
    ] = None,
    level: o.Level = LEVEL,
    json: o.Json = False,
) -> None:
    """Replace the counts of a benchmark by those of its label exports, and recompute its board.

    karatage recall repair places/ --exports exports/ --out repaired
    """
    from pathlib import Path

    from karatage.recall import BoardEntry, check_new, read_result, repair
    from karatage.reports import print_parts, repair_parts

    if not exports:
        raise UsageError("missing label exports: set --exports PATH")
    if out is not None:
        check_new(Path(out))
    made = repair(
        benchmark,
        r.named_files(exports),
        board=board,
        results=[BoardEntry.of(read_result(path), name) for name, path in r.named_files(results)],
        label_map=r.pairs("--map", label_map, "LABEL"),
        positive=positive,
        negative=negative,
        occurrences=r.counts("--occurrences", occurrences),
        level=level,
    )
    if out is not None:
        made.write(out)
    say(made.to_json()) if json else print_parts(repair_parts(made))
    if out is not None:
        inform(f"repaired benchmark written to {out}, changes in {out}/CHANGES.md")
