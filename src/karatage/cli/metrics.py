"""`karatage metrics`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from karatage.cli import options as o

if TYPE_CHECKING:
    from karatage.metrics import Measure

NAME = "metrics"


def run(json: o.Json = False) -> None:
    """Explain the metrics and how their names are put together."""
    from karatage.metrics import AVERAGES, MEASURES, MEASURES_OF_LISTS, SCENARIOS

    scenarios = {name: about for name, about in SCENARIOS.items() if name}
    if json:
        import json as library

        typer.echo(
            library.dumps(
                {
                    "measures": MEASURES,
                    "averages": AVERAGES,
                    "scenarios": scenarios,
                    "ranked": {name: measure.about for name, measure in MEASURES_OF_LISTS.items()},
                },
                ensure_ascii=False,
                indent=2,
            )
        )
        return
    from karatage.reports import print_table

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
    print_table(
        (
            "ranked list",
            "for search: as in nDCG@10 or P(rel=2)@5; trec_eval's names, such as ndcg_cut_10, are read too",
        ),
        [(_written(measure), measure.about) for measure in MEASURES_OF_LISTS.values()],
    )


def _written(measure: Measure) -> str:
    inside = f"({', '.join(f'{name}=' for name in measure.parameters)})" if measure.parameters else ""
    return measure.name + inside + {"needed": "@k", "optional": "[@k]", "none": ""}[measure.cutoff]
