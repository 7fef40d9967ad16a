"""`karatage recall estimate BENCHMARK`."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karatage.cli import options as o
from karatage.cli.recall import recall_options as r
from karatage.errors import UsageError

if TYPE_CHECKING:
    from karatage.recall import Precision

NAME = "estimate"


def run(
    benchmark: r.Benchmark,
    tagger: Annotated[
        str | None,
        typer.Option(help="Run this tagger: estnltk, hf:FOLDER, spacy:NAME or MODULE:FUNCTION."),
    ] = None,
    predictions: Annotated[
        str | None, typer.Option(help="Read predictions: a file with texts and spans in characters.")
    ] = None,
    stored: Annotated[bool, typer.Option("--stored", help="Take the results that the benchmark stores.")] = False,
    method: Annotated[
        str | None,
        typer.Option(
            help="Interval: published, stratified, ratio, ratio-wilson (the default), convolution, bayes, wilson, or "
            "assisted."
        ),
    ] = None,
    words: Annotated[
        str | None,
        typer.Option(help="Snap predictions outwards to words: estnltk or spaces. Left out or own: as they are."),
    ] = None,
    tax: Annotated[
        bool,
        typer.Option("--tax", help="Score the same predictions twice: as they are, and snapped to --words (spaces)."),
    ] = False,
    label_map: r.Map = None,
    format: o.Format = None,  # noqa: A002  users say format
    name: Annotated[str | None, typer.Option(help="What to call the system.")] = None,
    failed: Annotated[
        str | None, typer.Option(help="Texts on which the tagger failed: leave-out (the default) or miss.")
    ] = None,
    unresolved: Annotated[
        str, typer.Option(help="Undecided items: count them, or widen the interval by what they may be.")
    ] = "count",
    dropped: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=N/LABELLED",
            help="A stratum that the benchmark leaves out because no positive was found: its occurrences, and how many "
            "were labelled. Repeat the option for more.",
        ),
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(
            metavar="CORRECT/SAMPLED[/TOTAL]|FOLDER",
            help="A labelled sample of the tagger's predictions on the corpus, for precision and F1 there: its counts, "
            "or the folder of a draw whose candidates are the predictions.",
        ),
    ] = None,
    save: Annotated[
        str | None, typer.Option(help="Keep what the tagger says in this file; an interrupted run goes on from it.")
    ] = None,
    html: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write everything as one page that opens without a network.")
    ] = None,
    level: r.Level = 0.95,
    seed: Annotated[int, typer.Option(help="Where the random numbers start.", min=0)] = 0,
    json: o.Json = False,
) -> None:
    """Estimate the recall of a tagger on the corpus that a benchmark was drawn from.

    karatage recall estimate places/ --tagger estnltk
    """
    from karatage.explanation import PAGES, check_paths
    from karatage.recall import estimate, tokenisation_tax, with_dropped
    from karatage.reports import estimate_parts, print_parts, tax_parts
    from karatage.taggers import open_tagger

    check_paths({"--html": (html, PAGES)}, [predictions, save])
    renamed = r.pairs("--map", label_map, "LABEL")
    shared: dict[str, Any] = {"method": method, "level": level, "seed": seed, "unresolved": unresolved}
    shared["precision"] = _precision(precision)
    if tax:
        if tagger is None:
            raise UsageError("--tax needs a --tagger")
        if html is not None:
            raise UsageError("a page shows one estimate: give --html without --tax")
        if predictions is not None or stored or save is not None:
            raise UsageError("--tax goes with a --tagger alone, without --predictions, --stored and --save")
        given = with_dropped(benchmark, _dropped(dropped))
        shared |= {"name": name, "failed": failed or "leave-out"}
        with redirect_stdout(sys.stderr), o.progress("texts tagged") as bar:  # what a tagger prints is not our output
            opened = open_tagger(tagger, label_map=renamed)
            cost = tokenisation_tax(given, opened, words or "spaces", progress=bar, **shared)
        typer.echo(cost.to_json()) if json else print_parts(tax_parts(cost))
        return
    with redirect_stdout(sys.stderr), o.progress("texts tagged") if tagger is not None else nullcontext() as bar:
        found = estimate(
            benchmark,
            tagger=tagger,
            predictions=predictions,
            stored=stored,
            words=words,
            label_map=renamed,
            format=format,
            name=name,
            failed=failed,
            dropped=_dropped(dropped),
            save=save,
            progress=bar,
            **shared,
        )
    if html is not None:
        from karatage.reports import recall_page, write_page

        write_page(recall_page(found, with_dropped(benchmark, _dropped(dropped))), html)
        typer.echo(f"karatage: page written to {html}", err=True)
    if json:
        typer.echo(found.to_json())
    elif html is None:
        print_parts(estimate_parts(found))


def _dropped(given: list[str] | None) -> dict[str, tuple[int, int]]:
    out = {}
    for name, text in r.pairs("--dropped", given, "N/LABELLED").items():
        size, sign, labelled = text.partition("/")
        if not sign or not all(part.isdecimal() and len(part) < 16 for part in (size, labelled)):
            raise UsageError(f"--dropped {name}={text}: it reads NAME=OCCURRENCES/LABELLED")
        out[name] = int(size), int(labelled)
    return out


def _precision(text: str | None) -> Precision | None:
    from pathlib import Path

    from karatage.recall import Precision, read_precision

    if text is None:
        return None
    if Path(text).is_dir():
        return read_precision(text)
    parts = text.split("/")
    if len(parts) not in (2, 3) or not all(part.isdecimal() and len(part) < 16 for part in parts):
        raise UsageError(f"--precision {text!r}: it reads CORRECT/SAMPLED or CORRECT/SAMPLED/TOTAL, or names a folder")
    correct, sampled, *total = map(int, parts)
    return Precision(correct, sampled, total[0] if total else None)
