"""`karatage recall board BOARD [RESULT…]`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage._printing import say
from karatage.cli import options as o
from karatage.cli.recall import recall_options as r
from karatage.errors import UsageError


def run(
    board: Annotated[str, typer.Argument(metavar="BOARD", help="CSV file of the board. Created if it does not exist.")],
    results: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME=]RESULT…", help="Results to add: output of `karatage recall estimate --json`."),
    ] = None,
    published: Annotated[
        list[str] | None,
        typer.Option("--import", metavar="FILE", help="Add the rows of another board. Repeatable."),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace results that have the same name.")] = False,
    write: Annotated[bool, typer.Option("--write", help="Write the CSV file of the board.")] = False,
    strata: Annotated[bool, typer.Option("--strata", help="Show the recall in each stratum.")] = False,
    population: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STRATUM=SHARE",
            help="Re-weight to another population, given the share or the number of positives of each stratum. "
            "Repeatable.",
        ),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    cite: o.Cite = False,
    json: o.Json = False,
) -> None:
    """Show and update a leaderboard of taggers by recall.

    karatage recall board leaderboard.csv estnltk.json --write
    """
    from pathlib import Path

    from karatage.recall import Board, BoardEntry, read_board, read_result, update_board
    from karatage.reports import board_markdown, board_parts, print_parts

    if json and markdown:
        raise UsageError("choose one of --json and --markdown")
    if cite and markdown:
        raise UsageError("choose one of --cite and --markdown")
    if write and population:
        raise UsageError("--population and --write cannot be combined: a re-weighted board cannot be written")
    exists = Path(board).exists()
    if not exists and not results and not published:
        raise UsageError(f"{board}: no such board. Pass results to create it")
    more = [entry for path in published or () for entry in read_board(path).entries]
    more += [BoardEntry.of(read_result(path), name) for name, path in r.named_files(results)]
    if write:
        found = update_board(board, more, replacing=replace)
    else:
        found = (read_board(board) if exists else Board(())).with_entries(more, replacing=replace)
    if population:
        found = found.reweighted(r.numbers("--population", population))
    cited = found.cite() if cite else None
    if json:
        o.print_json(found.to_dict() | ({} if cited is None else {"citation": cited.to_dict()}))
    elif markdown:
        say(board_markdown(found, strata=strata), end="")
    else:
        print_parts([*board_parts(found, strata=strata), *(() if cited is None else cited.parts())])
