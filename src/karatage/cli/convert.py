"""`karatage convert IN OUT`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage._printing import remark
from karatage.cli import completion, options as o
from karatage.inputs import ReadingKeywords


@o.with_reading
def run(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN", help="Data to read: a file, a folder, a quoted glob pattern, or - for standard input."
        ),
    ],
    target: Annotated[
        str,
        typer.Argument(
            metavar="OUT", help="File to write, compressed if it ends in .gz or .zst; - for standard output."
        ),
    ],
    to: Annotated[
        str | None,
        typer.Option(autocompletion=completion.format_, help="Format to write. [default: from the extension of OUT]"),
    ] = None,
    to_scheme: Annotated[str, typer.Option(autocompletion=completion.scheme, help="Tagging scheme to write.")] = "IOB2",
    to_separator: Annotated[str, typer.Option(help="Separator between prefix and type in the output.")] = "-",
    to_suffix: Annotated[bool, typer.Option("--to-suffix", help="Write the prefix last: PER-B.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Fail and write nothing if anything would be lost.")] = False,
    labelling: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the labelling configuration for the Label Studio tasks: .xml."),
    ] = None,
    json: o.Json = False,
    *,
    reading: ReadingKeywords,
) -> None:
    """Convert between file formats and report what was lost.

    karatage convert gold.conll gold.jsonl --to doccano
    """
    from karatage.inputs import convert

    with o.working("converting", reading=[source]):
        lost = convert(
            source,
            target,
            to=to,
            write_scheme=to_scheme,
            write_separator=to_separator,
            write_suffix=to_suffix,
            allow_loss=not strict,
            labelling=labelling,
            **reading,
        )
    if json:
        o.print_json({"lost": lost}, err=target == "-")
        return
    for what, count in lost.items():
        remark(f"lost: {what} ({count:,})")
