"""`karatage describe DATA`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage._printing import inform
from karatage.cli import options as o
from karatage.errors import UsageError
from karatage.inputs import ReadingKeywords


@o.with_reading
def run(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA", help="Data set: a file, a folder, a quoted glob pattern, or - for standard input."
        ),
    ],
    against: Annotated[
        str | None,
        typer.Option(
            metavar="DATA",
            help="Second data set, to report what both share: test data for training data, or a run for judgements.",
        ),
    ] = None,
    html: Annotated[str | None, typer.Option(metavar="FILE", help="Write a self-contained HTML page.")] = None,
    title: Annotated[str | None, typer.Option(help="Title of the HTML page.")] = None,
    json: o.Json = False,
    *,
    reading: ReadingKeywords,
) -> None:
    """Describe a data set: counts, lengths, ambiguous values, inconsistencies, duplicates.

    karatage describe train.conll --against test.conll

    karatage describe judged.qrels
    """
    from karatage.description import describe
    from karatage.explanation import PAGES, check_paths

    if title is not None and html is None:
        raise UsageError("--title needs --html FILE")
    check_paths({"--html": (html, PAGES)}, [data, against])
    with o.progress("read", reading=[data]) as progress:
        found = describe(data, against, progress=progress, **reading)
    if html is not None:
        size = len(found.to_html(html, title=title).encode())
        inform(f"{size / 1e6:.1f} MB page written to {html}")
    if json or html is None:
        o.show(found, json=json)
