"""`karatage convert IN OUT`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o

NAME = "convert"


def run(
    source: Annotated[
        str,
        typer.Argument(metavar="IN", help="A file, a folder, a pattern in quotes, or - for standard input."),
    ],
    place: Annotated[
        str,
        typer.Argument(metavar="OUT", help="Where to write; .gz and .zst compress; - is standard output."),
    ],
    format: o.Format = None,  # noqa: A002  users say format
    to: Annotated[str | None, typer.Option(help="Format to write; told from the ending of OUT if left out.")] = None,
    columns: o.Columns = None,
    unit: o.Unit = "sentence",
    scheme: o.Scheme = None,
    separator: o.Separator = None,
    suffix: o.Suffix = False,
    to_scheme: Annotated[str, typer.Option(help="Tagging scheme to write.")] = "IOB2",
    to_separator: Annotated[str, typer.Option(help="What parts prefix and type in the tags written.")] = "-",
    to_suffix: Annotated[bool, typer.Option("--to-suffix", help="Write the prefix last.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Fail, writing nothing, if anything would be lost.")] = False,
    json: o.Json = False,
) -> None:
    """Convert between formats and say what was lost.

    karatage convert gold.conll gold.jsonl --to doccano
    """
    from karatage.inputs import convert

    lost = convert(
        source,
        place,
        to=to,
        format=format,
        columns=o.listed(columns),
        unit=unit,
        scheme=scheme,
        separator=separator or "-",
        suffix=suffix,
        write_scheme=to_scheme,
        write_separator=to_separator,
        write_suffix=to_suffix,
        allow_loss=not strict,
    )
    if json:
        import json as library

        typer.echo(library.dumps({"lost": lost}, ensure_ascii=False, indent=2), err=place == "-")
        return
    for what, count in lost.items():
        typer.echo(f"lost: {what} ({count:,})", err=True)
