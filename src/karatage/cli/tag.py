"""`karatage tag MODEL INPUT`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage._printing import say
from karatage.cli import options as o
from karatage.taggers import WordSegmentation

_DEVICES = ("auto", "cpu", "cuda")


def run(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="Folder of a trained model, or another tagger: estnltk, hf:FOLDER, hf:OWNER/MODEL, spacy:NAME, "
            "MODULE:FUNCTION.",
        ),
    ],
    source: Annotated[
        str,
        typer.Argument(
            metavar="INPUT", help="Data to tag: a file, a folder, a quoted glob pattern, or - for standard input."
        ),
    ],
    out: Annotated[
        str, typer.Option("--out", help="Output file; its extension selects the format and the compression.")
    ],
    to: Annotated[
        str | None,
        typer.Option(help="Output format. [default: from the extension; for eBay listings, .tsv is a submission]"),
    ] = None,
    format: o.Format = None,  # noqa: A002  users say format
    columns: o.Columns = None,
    unit: o.Unit = "sentence",
    words: Annotated[
        WordSegmentation | None,
        typer.Option(help="Expand predictions of other taggers to whole words. [default: own, i.e. unchanged]"),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="Minimum confidence of entities. [default: that of the model]", min=0, max=1),
    ] = None,
    device: Annotated[
        str,
        typer.Option(
            help="Device for neural models: auto, cpu, cuda, or a specific GPU, e.g. cuda:1.",
            autocompletion=lambda incomplete: [name for name in _DEVICES if name.startswith(incomplete)],
        ),
    ] = "auto",
    json: o.Json = False,
) -> None:
    """Tag a corpus of any size with a trained model or another tagger.

    karatage tag model quiz.tsv.gz --out submission.tsv

    karatage tag model test.conll --out predicted.conll
    """
    from karatage.training import tag_file

    with o.progress("texts tagged") as progress:
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
        o.print_json(done.to_dict())
        return
    if out != "-":
        say(str(done))
    for warning in done.warnings:
        say(f"warning: {warning}", err=True)
