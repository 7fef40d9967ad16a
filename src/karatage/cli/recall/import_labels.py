"""`karatage recall import FOLDER EXPORT…`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o
from karatage.cli.recall import recall_options as r

NAME = "import"


def run(
    folder: r.Folder,
    exports: Annotated[
        list[str],
        typer.Argument(metavar="[STRATUM=]EXPORT…", help="Label Studio's JSON exports, or filled-in CSV files."),
    ],
    spans: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[STRATUM=]EXPORT",
            help="An export of a second pass, which asked for the spans of the positives. Repeat the option for more.",
        ),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(help="The label of the wanted entities, such as LOC; known from the draw if left out."),
    ] = None,
    positive: Annotated[
        list[str] | None,
        typer.Option(help="A choice that means that the candidate is (part of) an entity; yes, if left out."),
    ] = None,
    negative: Annotated[
        list[str] | None,
        typer.Option(help="A choice that means that it is not; no, if left out. Any other leaves the item undecided."),
    ] = None,
    occurrences: Annotated[
        list[str] | None,
        typer.Option(metavar="STRATUM=N", help="Candidates of a stratum in the corpus, where no draw says so."),
    ] = None,
    adjudication: Annotated[
        bool, typer.Option("--adjudication", help="These answers settle conflicts of others.")
    ] = False,
    annotator: Annotated[str | None, typer.Option(help="Who answered, where the file does not say so.")] = None,
    json: o.Json = False,
) -> None:
    """Read labels into the folder of a draw, and write the benchmark that follows from them.

    karatage recall import places/ export.json
    """
    import json as j

    from karatage.recall import Export, import_labels
    from karatage.reports import agreement_parts, labelled_parts, print_parts

    files = [Export(path, stratum, False, adjudication, annotator) for stratum, path in r.in_strata(exports)]
    files += [Export(path, stratum, True, adjudication, annotator) for stratum, path in r.in_strata(spans)]
    sizes = r.counts("--occurrences", occurrences)
    made = import_labels(folder, files, labels=label, positive=positive, negative=negative, occurrences=sizes)
    if json:
        typer.echo(j.dumps(made.to_dict(), ensure_ascii=False, indent=2))
        return
    print_parts([*labelled_parts(made), *(agreement_parts(made.agreements, made.conflicts) if made.agreements else ())])
