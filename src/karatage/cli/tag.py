"""`karatage tag MODEL INPUT`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o

NAME = "tag"


def run(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="Folder of a trained model, or another tagger: estnltk, hf:FOLDER, spacy:NAME or MODULE:FUNCTION.",
        ),
    ],
    source: Annotated[
        str,
        typer.Argument(
            metavar="INPUT", help="Corpus to tag: a file, a folder, a quoted pattern, or - for standard input."
        ),
    ],
    out: Annotated[str, typer.Option("--out", help="File to write. Its extension selects format and compression.")],
    to: Annotated[
        str | None,
        typer.Option(help="Format to write. [default: by the extension; for eBay listings and .tsv, a submission]"),
    ] = None,
    format: o.Format = None,  # noqa: A002  users say format
    columns: o.Columns = None,
    unit: o.Unit = "sentence",
    words: Annotated[
        str | None,
        typer.Option(help="Snap entities to words: own, spaces or estnltk (not for trained models)."),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="Drop entities with a lower confidence (trained models only). [default: the model's threshold]",
            min=0,
            max=1,
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="Device for neural models: auto, cpu or cuda.")] = "auto",
    json: o.Json = False,
) -> None:
    """Tag a corpus with a trained model or another tagger.

    karatage tag model quiz.tsv.gz --out submission.tsv

    karatage tag model test.conll --out predicted.conll
    """
    from karatage.training import tag_file

    with o.progress("units tagged") as progress:
        done = tag_file(
            model,
            source,
            out,
            to=to,
            format=format,
            columns=o.listed(columns),
            unit=unit,
            words=words,
            threshold=threshold,
            device=device,
            progress=progress,
        )
    if json:
        from json import dumps

        typer.echo(dumps(done.to_dict(), ensure_ascii=False, indent=2))
        return
    if out != "-":
        typer.echo(str(done))
    for warning in done.warnings:
        typer.echo(f"warning: {warning}", err=True)
