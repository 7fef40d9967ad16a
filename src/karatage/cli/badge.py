"""`karatage badge RESULT BADGE`."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from karatage.cli import completion
from karatage.errors import InputError


def run(
    result: Annotated[
        str,
        typer.Argument(metavar="RESULT", help="Output of `karatage score --json`: a file, or - for standard input."),
    ],
    badge: Annotated[str, typer.Argument(metavar="BADGE", help="SVG file to write; - for standard output.")],
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="METRIC",
            autocompletion=completion.metric,
            help="Metric to show. [default: the headline]",
        ),
    ] = None,
    label: Annotated[str | None, typer.Option(help="Text at the left. [default: name of the metric]")] = None,
    minimum: Annotated[
        float | None,
        typer.Option("--min", metavar="VALUE", help="Threshold: green if the whole interval is at least this."),
    ] = None,
    maximum: Annotated[
        float | None,
        typer.Option(
            "--max", metavar="VALUE", help="Threshold if lower is better: green if the whole interval is at most this."
        ),
    ] = None,
) -> None:
    """Draw a badge: a score with its interval, as SVG.

    karatage score gold.conll pred.conll --json | karatage badge - f1.svg
    """
    from karatage._writing import check_not_input, writing
    from karatage.reports import result_badge

    check_not_input(badge, [result])
    drawn = result_badge(_read(result), metric=metric, label=label, minimum=minimum, maximum=maximum)
    with writing(badge) as out:
        out.write(drawn.to_svg().encode())


def _read(path: str) -> Any:
    import json
    from pathlib import Path

    source = "standard input" if path == "-" else path
    try:
        found = json.loads(sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes())
    except (ValueError, RecursionError) as error:
        hint = "Pass what `karatage score --json` prints"
        raise InputError(f"not JSON ({error})", source=source, hint=hint) from None
    except OSError as error:
        raise InputError(error.strerror or str(error), source=source, hint="Check the path") from None
    if not isinstance(found, dict):
        raise InputError("not a result", source=source, hint="Pass what `karatage score --json` prints")
    return found
