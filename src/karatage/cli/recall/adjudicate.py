"""`karatage recall adjudicate FOLDER` or `EXPORT…`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import completion, options as o
from karatage.errors import UsageError


def run(
    labels: Annotated[
        list[str],
        typer.Argument(metavar="FOLDER|EXPORT…", help="Folder with imported labels, or exports to compare."),
    ],
    resolve: Annotated[
        str | None,
        typer.Option(
            metavar="unanimous|majority|annotator:NAME",
            autocompletion=completion.one_of("unanimous", "majority", "annotator:"),
            help="How to resolve conflicts; writes the resulting benchmark. unanimous leaves them open. Imported "
            "adjudications always take precedence.",
        ),
    ] = None,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write conflicts as Label Studio tasks, with all answers.")
    ] = None,
    json: o.Json = False,
) -> None:
    """Show the agreement between annotators, and resolve or export their conflicts.

    karatage recall adjudicate places/ --out conflicts.json
    """
    from collections import Counter
    from pathlib import Path

    from karatage.recall import Export, adjudicate, agreements, conflicts, no_answers, read_answers, write_conflicts
    from karatage.reports import agreement_parts, labelled_parts, print_parts

    made = None
    if len(labels) == 1 and Path(labels[0]).is_dir():
        made = adjudicate(labels[0], resolve)
        found, differing = made.agreements, made.conflicts
        data = made.to_dict()
    else:
        if resolve is not None:
            raise UsageError("--resolve needs a folder. Import the exports first with `karatage recall import`")
        answers = [one for path in labels for one in read_answers(Export(path), None, Counter())]
        if not answers:
            raise no_answers(labels)
        found, differing = agreements(answers), conflicts(answers)
        data = {"agreement": [one.to_dict() for one in found], "conflicts": len(differing)}
    if out is not None:
        if Path(out).resolve().parent == Path(labels[0]).resolve():
            raise UsageError(f"--out {out}: choose a file outside the folder with the labels")
        write_conflicts(differing, out)
    data["items"] = [{"item": one.item, "choices": one.choices, "spans": one.spans} for one in differing]
    if json:
        o.print_json(data)
    else:
        print_parts([*(labelled_parts(made) if made is not None else ()), *agreement_parts(found, differing)])
