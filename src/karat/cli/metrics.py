"""`karat metrics`."""

from __future__ import annotations

import typer

from karat.cli import options as o

NAME = "metrics"


def run(json: o.Json = False) -> None:
    """Explain the metrics and how their names are put together."""
    from karat.metrics import AVERAGES, MEASURES, SCENARIOS

    scenarios = {name: about for name, about in SCENARIOS.items() if name}
    if json:
        import json as library

        typer.echo(
            library.dumps(
                {"measures": MEASURES, "averages": AVERAGES, "scenarios": scenarios},
                ensure_ascii=False,
                indent=2,
            )
        )
        return
    from karat.reports.terminal import print_table

    names = {"f": "f1, f0.2, f2 …"}
    print_table(("measure", "what it is"), [(names.get(k, k), v) for k, v in MEASURES.items()])
    print_table(("average", "as in macro_f1"), [(f"{k}_", v) for k, v in AVERAGES.items()])
    print_table(
        ("scenario", "as in partial_f1, with --like semeval2013"),
        [(f"{k}_", v) for k, v in scenarios.items()],
    )
    print_table(
        ("part", "as in recall[PER]"),
        [
            ("[label]", "one label only"),
            ("{group}", "one group of units only, with --group-by"),
            (
                "(over=gold)",
                "a macro average over the labels of gold; over=union (the default) and over=schema are others",
            ),
        ],
    )
