"""`karatage explain GOLD PRED …`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from karatage.cli import options as o
from karatage.errors import UsageError
from karatage.scoring import ScoringKeywords

if TYPE_CHECKING:
    from karatage.explanation import ErrorFilters, ExtractionExplanation, SearchExplanation

NAME = "explain"
SHOWN = 10


@o.with_scoring
def run(
    gold: o.Gold,
    systems: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PRED…]",
            help="Predictions of each system: PATH or NAME=PATH. Left out: the last two columns of GOLD are gold and "
            "predicted, as in conlleval.",
        ),
    ] = None,
    html: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write everything as one page that opens without a network.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="With --html: the page's title.")] = None,
    diff: Annotated[
        bool, typer.Option("--diff", help="Of two systems, an old and a new one: what was fixed, what was broken.")
    ] = False,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SLICING",
            help="Slice by this: label, length, position, sentence length, capitals, digits, entities, training "
            "frequency, seen in training; for search relevant documents, query length, price; an attribute of units; "
            "or an expression such as \"length > 3 and category == 'A'\". Repeat the option for more. Left out: all "
            "that apply.",
        ),
    ] = None,
    train: Annotated[
        str | None, typer.Option(metavar="DATA", help="Training data, for slices by what a system has seen.")
    ] = None,
    queries: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="For search: a table with the texts of queries, and what else is known."),
    ] = None,
    errors: Annotated[
        int | None, typer.Option(help="Show this many errors of each system (10; with --json none).", min=0)
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            help="Only errors of this kind: type, boundary, both, missed, spurious, or in detail too long, too short, "
            "shifted, split, merged, ungrounded; for search missed, too low, too high."
        ),
    ] = None,
    label: Annotated[str | None, typer.Option(help="Only errors with this label, in gold or predicted.")] = None,
    find: Annotated[str | None, typer.Option(help="Only errors with this in their text or unit.")] = None,
    export: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write all errors, or those chosen, to a .csv, .jsonl or .parquet file."),
    ] = None,
    review: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the claims of the gold that look wrong: .csv, .jsonl or .parquet as a list to review, .json as "
            "tasks for Label Studio.",
        ),
    ] = None,
    gold_check: Annotated[
        bool,
        typer.Option(
            "--gold-check/--no-gold-check",
            help="Whether to look for claims of the gold that look wrong, which takes longest on large test sets.",
        ),
    ] = True,
    metric: o.Metrics = None,
    resamples: o.Resamples = 1000,
    json: o.Json = False,
    *,
    scoring: ScoringKeywords,
) -> None:
    """Show where systems fail: kinds of error and their cost, slices, errors in context, and gold to check.

    karatage explain gold.conll pred.conll

    karatage explain gold.conll crf.conll bert.conll --html page.html

    karatage explain gold.conll old.conll new.conll --diff
    """
    from karatage.explanation import ENDINGS, PAGES, REVIEW_ENDINGS, check_paths, explain

    if title is not None and html is None:
        raise UsageError("--title is the title of a page: give --html FILE too")
    if review is not None and not gold_check:
        raise UsageError("--review needs the gold check: leave out --no-gold-check")
    filters: ErrorFilters = {"kind": kind, "label": label, "text": find}
    chosen = any(value is not None for value in filters.values())
    given = _systems(gold, systems or [])
    inputs = [gold, *(given or {}).values(), train, queries, scoring["documents"]]
    check_paths({"--export": (export, ENDINGS), "--review": (review, REVIEW_ENDINGS), "--html": (html, PAGES)}, inputs)
    scoring["metrics"] = metric
    with o.progress() as progress:
        found = explain(
            gold, given, by=by or (), train=train, queries=queries, diff=diff, check=gold_check,
            resamples=resamples, progress=progress, **scoring,
        )  # fmt: skip
    with o.working("writing"):
        written = _write(found, filters, export, review, html, title)
    for line in written:
        typer.echo(f"karatage: {line}", err=True)
    if json:
        listed = errors if errors is not None else SHOWN if chosen else 0
        typer.echo(found.to_json(errors=listed, **filters))
    elif html is None:
        from karatage.reports import print_parts

        print_parts(found.parts(errors=SHOWN if errors is None else errors, **filters))


def _write(
    found: ExtractionExplanation | SearchExplanation,
    filters: ErrorFilters,
    export: str | None,
    review: str | None,
    html: str | None,
    title: str | None,
) -> list[str]:
    """Write what was asked for, and say what was written; what cannot be is found before."""
    suspects = found.suspects
    if review is not None:
        if suspects is None:
            raise UsageError("--review works for extraction only")
        if review.endswith(".json"):
            suspects.to_tasks()  # which need texts
    found.errors(limit=0, **filters)  # unknown kinds and labels are found before anything is written
    told = []
    if export is not None:
        told.append(f"{found.export(export, **filters):,} errors written to {export}")
    if suspects is not None and review is not None:
        told.append(f"{suspects.write(review):,} claims to review written to {review}")
    if html is not None:
        size = len(found.to_html(html, title=title).encode())
        told.append(f"page of {size / 1e6:.1f} MB written to {html}")
    return told


def _systems(gold: str, systems: list[str]) -> Any:
    """Return systems by their names."""
    from karatage.cli.compare import sides
    from karatage.inputs import Runs

    if not systems:
        return None
    _, found = sides(gold, systems, sets=False)
    several = [name for name, own in found.items() if isinstance(own, Runs)]
    if several:
        raise UsageError(f"two systems have the name {several[0]!r}: runs of one system are explained one by one")
    return found
