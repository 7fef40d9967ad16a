"""`karatage recall adjudicate FOLDER` or `EXPORT…`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from karatage.cli import options as o
from karatage.errors import UsageError

if TYPE_CHECKING:
    from karatage.recall import Agreement, Conflict

NAME = "adjudicate"


def run(
    labels: Annotated[
        list[str],
        typer.Argument(metavar="FOLDER|EXPORT…", help="A folder with imported labels, or exports to compare."),
    ],
    resolve: Annotated[
        str | None,
        typer.Option(
            help="Settle conflicts by majority, by annotator:NAME, or leave them open with unanimous, and write the "
            "benchmark that follows. An adjudication that was imported always settles them."
        ),
    ] = None,
    out: Annotated[
        str | None, typer.Option(help="Write the conflicts as tasks for Label Studio, with what each annotator said.")
    ] = None,
    json: o.Json = False,
) -> None:
    """Show how far annotators agree, and settle or hand out what they do not agree on.

    karatage recall adjudicate places/ --out conflicts.json
    """
    import json as j
    from collections import Counter
    from pathlib import Path

    from karatage.recall import Export, adjudicate, agreements, conflicts, no_answers, read_answers, write_conflicts
    from karatage.reports import agreement_parts, labelled_parts, print_parts

    found: list[Agreement]
    differing: list[Conflict]
    shown: list[Any] = []
    if len(labels) == 1 and Path(labels[0]).is_dir():
        made = adjudicate(labels[0], resolve)
        found, differing, shown = made.agreements, made.conflicts, list(labelled_parts(made))
        data = made.to_dict()
    else:
        if resolve is not None:
            raise UsageError("--resolve needs a folder: import the exports first with `karatage recall import`")
        answers = [one for path in labels for one in read_answers(Export(path), None, Counter())]
        if not answers:
            raise no_answers(labels)
        found, differing = agreements(answers), conflicts(answers)
        data = {"agreement": [one.to_dict() for one in found], "conflicts": len(differing)}
    if out is not None:
        if Path(out).resolve().parent == Path(labels[0]).resolve():
            raise UsageError(f"--out {out}: the folder of the labels is not the place for further tasks")
        write_conflicts(differing, out)
    data["items"] = [{"item": one.item, "choices": one.choices, "spans": one.spans} for one in differing]
    if json:
        typer.echo(j.dumps(data, ensure_ascii=False, indent=2))
    else:
        print_parts([*shown, *agreement_parts(found, differing)])
