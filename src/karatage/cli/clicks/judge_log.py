"""`karatage clicks judge EVENTS [QUERIES]`."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from karatage.cli import options as o
from karatage.clicks import ClickKeywords, ClickOptions

_with_clicks = partial(o.with_shared, options=o.keywords(ClickOptions), name="judging")


@_with_clicks
def run(
    events: Annotated[
        str,
        typer.Argument(metavar="EVENTS", help="UBI events: JSON lines, a response of _search, CSV or Parquet."),
    ],
    queries: Annotated[
        str | None,
        typer.Argument(metavar="[QUERIES]", help="UBI queries, if they are in a file of their own."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write the judgements: .qrels for TREC's, or .csv, .jsonl or .parquet with intervals."
        ),
    ] = None,
    topics: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Number the queries in --out, and write numbers and texts to this file."),
    ] = None,
    json: o.Json = False,
    *,
    judging: ClickKeywords,
) -> None:
    """Judge documents by the clicks in a log of User Behavior Insights (UBI), corrected for position bias.

    karatage clicks judge ubi_events.jsonl ubi_queries.jsonl --out clicks.qrels
    """
    from karatage.clicks import check_outputs, judge_clicks, write_judgements

    check_outputs(out, topics, [events, *filter(None, [queries])])
    with o.working("judging", reading=[events, queries]):
        found = judge_clicks(events, queries, **judging)
    if out is not None:
        write_judgements(found, out, topics)
    o.show(found, json=json)
