"""`karatage agree FIRST SECOND`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage import stats
from karatage.cli import options as o
from karatage.errors import UsageError


def run(
    first: Annotated[
        str,
        typer.Argument(
            metavar="FIRST",
            help="Judgements, e.g. those of people: any format of judgements, such as TREC qrels or CSV.",
        ),
    ],
    second: Annotated[
        str, typer.Argument(metavar="SECOND", help="Other judgements of the same queries, e.g. those of an LLM.")
    ],
    format: o.Format = None,  # noqa: A002  the option's name
    columns: o.Columns = None,
    rel: Annotated[
        str,
        typer.Option(
            metavar="<grade>", help="Lowest grade that counts as relevant; for other scales, one for each file: 1,2."
        ),
    ] = "1",
    level: o.Level = stats.LEVEL,
    json: o.Json = False,
) -> None:
    """Measure how far two sets of relevance judgements agree: by grade, overall and beyond chance.

    karatage agree human.qrels llm.qrels
    """
    from karatage.description import agree

    least = _grades(rel)
    found = agree(first, second, format=format, columns=columns or (), rel=least, level=level)
    o.show(found, json=json)


def _grades(text: str) -> int | list[int]:
    """Return one grade, or one for each file."""
    parts = text.split(",")
    if len(parts) > 2 or not all(part.strip().isdecimal() for part in parts):
        raise UsageError(f"--rel must be a grade, or one for each file, e.g. 1,2, not {text!r}")
    numbers = [int(part) for part in parts]
    return numbers[0] if len(numbers) == 1 else numbers
