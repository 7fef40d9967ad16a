"""`karatage agree FIRST SECOND`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage import stats
from karatage.cli import options as o


def run(
    first: Annotated[str, typer.Argument(metavar="FIRST", help="Judgements, e.g. those of people: TREC qrels.")],
    second: Annotated[
        str, typer.Argument(metavar="SECOND", help="Other judgements of the same queries, e.g. those of an LLM.")
    ],
    format: o.Format = None,  # noqa: A002  the option's name
    level: o.Level = stats.LEVEL,
    json: o.Json = False,
) -> None:
    """Measure how far two sets of relevance judgements agree: by grade, overall and beyond chance.

    karatage agree human.qrels llm.qrels
    """
    from karatage.description import agree

    o.show(agree(first, second, format=format, level=level), json=json)
