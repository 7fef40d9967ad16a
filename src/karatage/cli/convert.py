"""`karatage convert IN OUT`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o


def run(
    source: Annotated[
        str,
        typer.Argument(metavar="IN", help="File, folder or quoted pattern to read; - is standard input."),
    ],
    target: Annotated[
        str,
        typer.Argument(metavar="OUT", help="File to write; .gz and .zst are compressed; - is standard output."),
    ],
    format: o.Format = None,  # noqa: A002  users say format
    to: Annotated[str | None, typer.Option(help="Format to write. [default: by the file extension of OUT]")] = None,
    columns: o.Columns = None,
    unit: o.Unit = "sentence",
    scheme: o.Scheme = None,
    separator: o.Separator = None,
    suffix: o.Suffix = False,
    to_scheme: Annotated[str, typer.Option(help="Tagging scheme to write.")] = "IOB2",
    to_separator: Annotated[str, typer.Option(help="Separator between prefix and type to write.")] = "-",
    to_suffix: Annotated[bool, typer.Option("--to-suffix", help="Write the prefix last: PER-B.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Fail and write nothing if anything would be lost.")] = False,
    json: o.Json = False,
) -> None:
    """Convert between file formats and report what was lost.

    karatage convert gold.conll gold.jsonl --to doccano
    """
    from karatage.inputs import convert

    lost = convert(
        source,
        target,
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

        typer.echo(library.dumps({"lost": lost}, ensure_ascii=False, indent=2), err=target == "-")
        return
    for what, count in lost.items():
        typer.echo(f"lost: {what} ({count:,})", err=True)
