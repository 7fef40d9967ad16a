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
            help="Folder of a trained model; or another tagger: estnltk, hf:FOLDER, spacy:NAME, MODULE:FUNCTION.",
        ),
    ],
    source: Annotated[
        str, typer.Argument(metavar="INPUT", help="What to tag: a file, a folder, a pattern in quotes, or -.")
    ],
    out: Annotated[str, typer.Option("--out", help="File to write; its ending chooses format and compression.")],
    to: Annotated[
        str | None,
        typer.Option(help="Format to write. Left out: by the ending; for eBay's files a submission, if it is .tsv."),
    ] = None,
    format: o.Format = None,  # noqa: A002  users say format
    columns: o.Columns = None,
    unit: o.Unit = "sentence",
    words: Annotated[
        str | None,
        typer.Option(help="For taggers of others: own, spaces or estnltk: the words that spans are made of."),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="Drop claims that a trained model is less sure of. Left out: below the model's own threshold.",
            min=0,
            max=1,
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="Where a neural model runs: auto, cpu or cuda.")] = "auto",
    json: o.Json = False,
) -> None:
    """Tag a corpus with a trained model, or with another tagger, in memory that does not grow with it.

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
