"""`karatage clicks interleave LOG`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o
from karatage.stats import LEVEL


def run(
    log: Annotated[
        str,
        typer.Argument(
            metavar="LOG", help="Log of the experiment, one row per impression: JSON lines, CSV or Parquet."
        ),
    ],
    max_session: Annotated[
        int | None, typer.Option(help="Leave out sessions with more impressions than this, e.g. bots.", min=1)
    ] = None,
    level: o.Level = LEVEL,
    json: o.Json = False,
) -> None:
    """Analyse an interleaving experiment: which system users prefer, tested by session.

    karatage clicks interleave interleaving.jsonl
    """
    from karatage.clicks import interleave

    o.show(interleave(log, level=level, max_session=max_session), json=json)
