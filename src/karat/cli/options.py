"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Format = Annotated[str | None, typer.Option("--format", "-f", help="Format of the files; sniffed if left out.")]
Columns = Annotated[
    str | None,
    typer.Option(help="Columns of a column file that hold tags, by number (-1 is the last) or name, comma-separated."),
]
Unit = Annotated[str, typer.Option(help="What a unit is where the format knows both: sentence or document.")]
Scheme = Annotated[
    str | None,
    typer.Option(
        help="Enforce a scheme: IOB1, IOB2, IOE1, IOE2, IOBES, BILOU, IO, EMPTY; with score also detect, which takes "
        "the only one that fits gold. Left out: any, leniently."
    ),
]
Separator = Annotated[str | None, typer.Option(help="What parts prefix and type in tags (default '-').")]
Suffix = Annotated[bool, typer.Option("--suffix", help="The prefix comes last in tags: PER-B.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def listed(text: str | None) -> tuple[str, ...]:
    """Split a comma-separated option."""
    return tuple(part.strip() for part in text.split(",") if part.strip()) if text else ()


def terminal() -> bool:
    """Whether a person is looking at standard error."""
    import sys

    return sys.stderr.isatty()
