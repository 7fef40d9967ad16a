"""`karatage recall import FOLDER EXPORT…`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o
from karatage.cli.recall import recall_options as r


def run(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="Folder of the draw, or of a benchmark.")],
    exports: Annotated[
        list[str],
        typer.Argument(metavar="[STRATUM=]EXPORT…", help="JSON exports of Label Studio, or filled-in CSV files."),
    ],
    spans: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[STRATUM=]EXPORT",
            help="Export of a second pass that marked the spans of the positives. Repeatable.",
        ),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(help="Label of the entities, e.g. LOC. Repeatable.  [default: that of the draw]"),
    ] = None,
    positive: Annotated[
        list[str] | None,
        typer.Option(
            help="Choice that means that the candidate is an entity or part of one. Repeatable.  [default: yes]"
        ),
    ] = None,
    negative: Annotated[
        list[str] | None,
        typer.Option(
            help="Choice that means that it is not an entity; other choices leave the item undecided. Repeatable.  "
            "[default: no]"
        ),
    ] = None,
    label_map: r.LabelMap = None,
    occurrences: Annotated[
        list[str] | None,
        typer.Option(metavar="STRATUM=N", help="Number of candidates of a stratum in the corpus, if there is no draw."),
    ] = None,
    adjudication: Annotated[
        bool, typer.Option("--adjudication", help="These answers resolve conflicts between annotators.")
    ] = False,
    annotator: Annotated[str | None, typer.Option(help="Name of the annotator, if the file does not have it.")] = None,
    json: o.Json = False,
) -> None:
    """Import labels into the folder of a draw, and write the resulting benchmark.

    karatage recall import places/ export.json
    """
    from karatage.recall import Export, import_labels
    from karatage.reports import agreement_parts, labelled_parts, print_parts

    files = [
        Export(path, stratum, spans_only=spans_only, adjudication=adjudication, annotator=annotator)
        for given, spans_only in ((exports, False), (spans, True))
        for stratum, path in r.named_files(given)
    ]
    sizes = r.counts("--occurrences", occurrences)
    made = import_labels(
        folder,
        files,
        labels=label,
        positive=positive,
        negative=negative,
        label_map=r.pairs("--map", label_map, "LABEL"),
        occurrences=sizes,
    )
    if json:
        o.print_json(made.to_dict())
        return
    print_parts([*labelled_parts(made), *(agreement_parts(made.agreements, made.conflicts) if made.agreements else ())])
