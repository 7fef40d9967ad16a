"""`karatage describe DATA`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o, page_options as p
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
    html: p.Html = None,
    title: p.Title = None,
    json: o.Json = False,
    *,
    reading: ReadingKeywords,
) -> None:
    """Describe a data set: counts, lengths, ambiguous values, inconsistencies, duplicates.

    karatage describe train.conll --against test.conll

    karatage describe judged.qrels
    """
    from karatage.description import describe

    p.check_page(html, title, [data, against])
    with o.progress("read", reading=[data]) as progress:
        found = describe(data, against, progress=progress, **reading)
    if html is not None:
        p.save_page(found.page(title), html, [data, against])
    if json or html is None:
        o.show(found, json=json)
