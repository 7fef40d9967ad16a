"""`karatage recall estimate BENCHMARK`."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from karatage.cli import completion, options as o, page_options as p
from karatage.cli.recall import recall_options as r
from karatage.errors import UsageError
from karatage.recall import FailedTexts, RecallMethod, UnresolvedItems
from karatage.stats import LEVEL

if TYPE_CHECKING:
    from collections.abc import Callable

    from karatage.recall import Benchmark, EstimateOptions, LabelCheck, PrecisionSample, TokenisationTax


def run(
    benchmark: r.Benchmark,
    tagger: Annotated[
        list[str] | None,
        typer.Option(
            autocompletion=completion.tagger,
            help="Run a tagger: estnltk, hf:FOLDER, hf:OWNER/MODEL, spacy:NAME or MODULE:FUNCTION. Repeatable with "
            "--tax.",
        ),
    ] = None,
    predictions: Annotated[
        str | None, typer.Option(metavar="FILE", help="Score predictions from a file with texts and character offsets.")
    ] = None,
    stored: Annotated[bool, typer.Option("--stored", help="Score the results stored in the benchmark.")] = False,
    method: Annotated[
        RecallMethod, typer.Option(metavar="METHOD", help=f"Interval method: {', '.join(get_args(RecallMethod))}.")
    ] = "mover",
    words: Annotated[
        str | None,
        typer.Option(
            autocompletion=completion.words,
            help="Expand predictions to whole words: estnltk or spaces.  [default: own, i.e. unchanged]",
        ),
    ] = None,
    tax: Annotated[
        bool,
        typer.Option(
            "--tax",
            help="Measure the tokenisation tax: score predictions unchanged and expanded to --words (default: spaces).",
        ),
    ] = False,
    label_map: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="FROM=TO", help="Rename a label, e.g. GPE=LOC. Repeatable."),
    ] = None,
    format: o.Format = None,  # noqa: A002  users say format
    name: Annotated[str | None, typer.Option(help="Name of the system.")] = None,
    failed: Annotated[
        FailedTexts | None,
        typer.Option(help="How to handle texts on which the tagger failed.  [default: leave-out]"),
    ] = None,
    unresolved: Annotated[
        UnresolvedItems,
        typer.Option(help="Count undecided items as not positive, or widen the interval to allow for both outcomes."),
    ] = "count",
    dropped: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=N/LABELLED",
            help="Stratum that the benchmark omits because no positive was found: its occurrences, and how many were "
            "labelled. Repeatable.",
        ),
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(
            metavar="CORRECT/SAMPLED[/TOTAL]|FOLDER",
            help="Labelled sample of the tagger's predictions on the corpus, for precision and F1: its counts, or the "
            "folder of a draw whose candidates are the predictions.",
        ),
    ] = None,
    label_errors: Annotated[
        str | None,
        typer.Option(
            metavar="FALSE/NEGATIVES[,OVERLOOKED/POSITIVES]|FILE",
            help="Correct the estimate for wrong labels: a file with second labels of a random sample of the items, as "
            "for `import`, which are taken as true; or how many negative items were labelled positive, and how many "
            "positives were overlooked.",
        ),
    ] = None,
    save: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Save the tagger's predictions. Run the same command again to resume."),
    ] = None,
    fresh: r.Fresh = False,
    html: p.Html = None,
    title: p.Title = None,
    level: o.Level = LEVEL,
    seed: o.Seed = 0,
    cite: o.Cite = False,
    json: o.Json = False,
) -> None:
    """Estimate the recall of a tagger on the corpus that a benchmark was drawn from.

    karatage recall estimate places/ --tagger estnltk
    """
    from karatage.recall import estimate, with_dropped
    from karatage.reports import print_parts

    p.check_page(html, title, [predictions, save])
    renamed = r.pairs("--map", label_map, "LABEL")
    options: EstimateOptions = {"method": method, "level": level, "seed": seed, "unresolved": unresolved}
    options["precision"] = _precision(precision)
    if tax and not tagger:
        raise UsageError("--tax needs a --tagger")
    if not tax and len(tagger or ()) > 1:
        raise UsageError("choose one --tagger, or compare the tokenisation tax of several with --tax")
    if name is not None and len(tagger or ()) > 1:
        raise UsageError("--name is for one --tagger")
    if tax and (predictions is not None or stored or save is not None or fresh or html is not None or cite):
        raise UsageError("--tax cannot be combined with --predictions, --stored, --save, --fresh, --html or --cite")
    given = with_dropped(benchmark, _dropped(dropped))
    options["label_errors"] = _label_errors(label_errors, given)
    # Whatever a tagger prints does not belong to our output.
    with redirect_stdout(sys.stderr), o.progress("texts tagged") if tagger else nullcontext() as bar:
        if tax and tagger:
            costs = _taxes(given, tagger, renamed, words or "spaces", name, failed or "leave-out", bar, options)
        else:
            found = estimate(
                given,
                tagger=tagger[0] if tagger else None,
                predictions=predictions,
                stored=stored,
                words=words,
                label_map=renamed,
                format=format,
                name=name,
                failed=failed,
                save=save,
                fresh=fresh,
                progress=bar,
                **options,
            )
    if tax:
        _print_taxes(costs, json=json)
        return
    if html is not None:
        from karatage.reports import recall_page

        p.save_page(recall_page(found, given, title), html, [benchmark, predictions])
    cited = found.cite() if cite else None
    if json or html is None:
        o.show(found, json=json, cited=cited)
    elif cited is not None:
        print_parts(cited.parts())


def _taxes(
    benchmark: Benchmark,
    taggers: list[str],
    label_map: dict[str, str],
    words: str,
    name: str | None,
    failed: FailedTexts,
    progress: Callable[[int], None] | None,
    options: EstimateOptions,
) -> list[TokenisationTax]:
    from karatage.recall import tokenisation_tax
    from karatage.taggers import open_tagger

    opened = [open_tagger(one, label_map=label_map) for one in taggers]  # all, before the first of them runs
    return [
        tokenisation_tax(benchmark, one, words, name=name, failed=failed, progress=progress, **options)
        for one in opened
    ]


def _print_taxes(costs: list[TokenisationTax], *, json: bool) -> None:
    from karatage.reports import print_parts, tax_parts, taxes_parts

    if json:
        o.print_json(costs[0].to_dict() if len(costs) == 1 else [one.to_dict() for one in costs])
    else:
        print_parts(tax_parts(costs[0]) if len(costs) == 1 else taxes_parts(costs))


def _dropped(given: list[str] | None) -> dict[str, tuple[int, int]]:
    out = {}
    for name, text in r.pairs("--dropped", given, "N/LABELLED").items():
        numbers = r.whole_numbers(text)
        if numbers is None or len(numbers) != 2:
            raise UsageError(f"--dropped {name}={text}: expected NAME=OCCURRENCES/LABELLED")
        out[name] = numbers[0], numbers[1]
    return out


def _precision(text: str | None) -> PrecisionSample | None:
    from pathlib import Path

    from karatage.recall import PrecisionSample, read_precision

    if text is None:
        return None
    if Path(text).is_dir():
        return read_precision(text)
    numbers = r.whole_numbers(text)
    if numbers is None or len(numbers) not in (2, 3):
        raise UsageError(f"--precision {text!r}: expected CORRECT/SAMPLED, CORRECT/SAMPLED/TOTAL or a folder")
    return PrecisionSample.of_counts(*numbers)


def _label_errors(text: str | None, benchmark: Benchmark) -> LabelCheck | None:
    from pathlib import Path

    from karatage.recall import CheckedCounts, read_second_labels

    if text is None:
        return None
    parts = [r.whole_numbers(part) for part in text.split(",")]
    counts = [part for part in parts if part is not None and len(part) == 2]
    if len(counts) == len(parts) <= 2 and not Path(text).exists():
        return CheckedCounts.of(*(number for part in counts for number in part))
    if not Path(text).exists():
        problem = f"--label-errors {text!r}: expected FALSE/NEGATIVES, FALSE/NEGATIVES,OVERLOOKED/POSITIVES or a file"
        raise UsageError(problem)
    return read_second_labels(text, benchmark)
