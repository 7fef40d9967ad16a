"""`karatage recall pool BENCHMARK BENCHMARK…`."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from typing import TYPE_CHECKING, Annotated

import typer

from karatage.cli import completion, options as o
from karatage.cli.recall import recall_options as r
from karatage.stats import LEVEL

if TYPE_CHECKING:
    from karatage.recall import BoardResult


def run(
    benchmarks: Annotated[
        list[str], typer.Argument(metavar="BENCHMARK…", help="Two or more benchmarks drawn from the same corpus.")
    ],
    tagger: Annotated[
        str | None,
        typer.Option(
            autocompletion=completion.tagger,
            help="Run a tagger: estnltk, hf:FOLDER, hf:OWNER/MODEL, spacy:NAME or MODULE:FUNCTION.",
        ),
    ] = None,
    predictions: Annotated[
        str | None, typer.Option(metavar="FILE", help="Score predictions from a file with texts and character offsets.")
    ] = None,
    stored: Annotated[bool, typer.Option("--stored", help="Score the results stored in the benchmarks.")] = False,
    results: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RESULT",
            help="Result on one of the benchmarks: output of `karatage recall estimate --json`. Repeatable.",
        ),
    ] = None,
    words: Annotated[
        str | None,
        typer.Option(
            autocompletion=completion.words,
            help="Expand predictions to whole words: estnltk or spaces.  [default: own, i.e. unchanged]",
        ),
    ] = None,
    label_map: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="FROM=TO", help="Rename a label, e.g. GPE=LOC. Repeatable."),
    ] = None,
    fresh: r.Fresh = False,
    name: Annotated[str | None, typer.Option(help="Name of the system.")] = None,
    level: o.Level = LEVEL,
    cite: o.Cite = False,
    json: o.Json = False,
) -> None:
    """Estimate one recall from several benchmarks that were drawn from the same corpus.

    karatage recall pool first/ second/ --tagger estnltk
    """
    from karatage.errors import UsageError
    from karatage.recall import check_pool, estimate, pool, read_benchmark, read_result

    given = [read_benchmark(one) for one in benchmarks]
    check_pool(given)  # before a tagger runs
    known: dict[str, BoardResult] = {}
    for result in map(read_result, results or ()):
        if result.items not in {one.hash for one in given}:
            raise UsageError(f"the result of {result.system!r} is not about one of these benchmarks")
        if result.items in known:
            both = f"{known[result.items].system!r} and {result.system!r}"
            raise UsageError(f"the results of {both} are about the same benchmark. Pass one for each benchmark")
        known[result.items] = result
    marks = {"1": True, "0": False, "-": None}
    found, names, warnings = [], [], list[str]()
    with redirect_stdout(sys.stderr), o.progress("texts tagged") if tagger is not None else nullcontext() as bar:
        for one in given:
            if one.hash in known:
                found.append([marks[mark] for mark in known[one.hash].found])
                names.append(known[one.hash].system)
                continue
            made = estimate(
                one,
                tagger=tagger,
                predictions=predictions,
                stored=stored,
                words=words,
                label_map=r.pairs("--map", label_map, "LABEL"),
                fresh=fresh,
                progress=bar,
            )
            found.append(list(made.results))
            names.append(made.system)
            warnings += [f"{one.name}: {text}" for text in made.warnings]
    system = name or " and ".join(dict.fromkeys(names))
    pooled = pool(given, found, system=system, level=level, warnings=warnings)
    o.show(pooled, json=json, cited=pooled.cite() if cite else None)
