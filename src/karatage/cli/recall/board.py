"""`karatage recall board BOARD [RESULT…]`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o
from karatage.cli.recall import recall_options as r
from karatage.errors import UsageError

NAME = "board"


def run(
    board: Annotated[str, typer.Argument(metavar="BOARD", help="The board's CSV file; a new one if it is not there.")],
    results: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME=]RESULT…", help="Results to put on it: what `karatage recall estimate --json` printed."
        ),
    ] = None,
    published: Annotated[
        list[str] | None,
        typer.Option("--import", metavar="FILE", help="Put the rows of another board on it. Repeat for more."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Put a result in the place of one of the same name.")
    ] = False,
    write: Annotated[bool, typer.Option("--write", help="Write the board's CSV file, in its own layout.")] = False,
    strata: Annotated[bool, typer.Option("--strata", help="Show the recall in each stratum.")] = False,
    population: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STRATUM=SHARE",
            help="Re-weight to another population: the stratum's share of positives, or their number. Repeat for more.",
        ),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
    json: o.Json = False,
) -> None:
    """Show a leaderboard of recalls, and keep it.

    karatage recall board leaderboard.csv estnltk.json --write
    """
    from pathlib import Path

    from karatage.recall import Board, put, read_board, read_result, reweighted
    from karatage.reports import board_markdown, board_parts, print_parts

    if json and markdown:
        raise UsageError("--json or --markdown, not both")
    if write and population:
        raise UsageError("--population changes what is shown, --write what is kept: give one of them")
    there = Path(board).exists()
    if not there and not results and not published:
        raise UsageError(f"{board}: there is no such board, and there are no results to start one with")
    found = read_board(board) if there else Board(())
    more = [entry for path in published or () for entry in read_board(path).entries]
    more += [read_result(path, name) for name, path in r.in_strata(results)]
    found = put(found, more, replacing=replace)
    if write:
        found.write(board)
    if population:
        found = reweighted(found, r.numbers("--population", population))
    if json:
        typer.echo(found.to_json())
    elif markdown:
        typer.echo(board_markdown(found, strata=strata), nl=False)
    else:
        print_parts(board_parts(found, strata=strata))
