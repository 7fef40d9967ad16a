"""`karatage explain GOLD PRED …`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from karatage._printing import inform, say
from karatage.cli import completion, options as o, page_options as p
from karatage.errors import UsageError
from karatage.scoring import ScoringKeywords

if TYPE_CHECKING:
    from karatage.explanation import ErrorFilters, ExtractionExplanation, SampleExplanation, SearchExplanation

NAME = "explain"
SHOWN = 10


@o.with_scoring
def run(
    gold: o.Gold,
    systems: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PRED…]",
            help="Predictions of each system: PATH or NAME=PATH. [default: the last column of GOLD; the one before it "
            "is gold, as in conlleval]",
        ),
    ] = None,
    html: p.Html = None,
    title: p.Title = None,
    diff: Annotated[
        bool,
        typer.Option(
            "--diff",
            help="Show what the second of two systems fixed and broke; for search, which queries got better and worse.",
        ),
    ] = False,
    limit: o.Limit = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SLICING",
            help="Slice by label, length, position, sentence length, capitals, digits, entities, training frequency "
            "or seen in training; for search by relevant documents, query length or price; by an attribute such as "
            "category; or by an expression such as \"length > 3 and category == 'A'\". Repeatable. [default: all that "
            "apply]",
        ),
    ] = None,
    train: Annotated[
        str | None,
        typer.Option(metavar="DATA", help="Training data, to slice by training frequency and by seen in training."),
    ] = None,
    queries: o.Queries = None,
    errors: Annotated[
        int | None, typer.Option(help="Number of errors to list for each system. [default: 10; 0 with --json]", min=0)
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            autocompletion=completion.kind,
            help="List only errors of this kind: type, boundary (too long, too short, shifted, split or merged), "
            "both, missed, spurious or ungrounded; for search missed, too low or too high.",
        ),
    ] = None,
    label: Annotated[str | None, typer.Option(help="List only errors with this label, gold or predicted.")] = None,
    find: Annotated[str | None, typer.Option(help="List only errors that contain this text.")] = None,
    export: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write all selected errors: .csv, .jsonl or .parquet."),
    ] = None,
    review: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the gold entities that look wrong: .csv, .jsonl or .parquet for a list, .json for Label Studio "
            "tasks.",
        ),
    ] = None,
    labelling: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the labelling configuration for the Label Studio tasks: .xml."),
    ] = None,
    gold_check: Annotated[
        bool,
        typer.Option(
            "--gold-check/--no-gold-check",
            help="Find gold entities that look wrong; slow on large test sets.",
        ),
    ] = True,
    metric: o.Metrics = None,
    resamples: o.Resamples = 1000,
    jobs: o.Jobs = None,
    engine: o.EngineName = "local",
    resume: o.Resume = None,
    skip_bad: o.SkipBad = False,
    json: o.Json = False,
    *,
    scoring: ScoringKeywords,
) -> None:
    """Analyse errors: their cost, confusions, slices, errors in context, gold check.

    karatage explain gold.conll pred.conll

    karatage explain gold.conll crf.conll bert.conll --html page.html

    karatage explain gold.conll old.conll new.conll --diff

    karatage explain judged.qrels old.run new.run --diff --queries queries.tsv

    karatage explain small.eval large.eval --html page.html
    """
    from karatage.explanation import ENDINGS, PAGES, REVIEW_ENDINGS, check_paths, explain

    if title is not None and html is None:
        raise UsageError("--title needs --html FILE")
    if review is not None and not gold_check:
        raise UsageError("--review needs the gold check: remove --no-gold-check")
    if labelling is not None and not (review or "").endswith(".json"):
        raise UsageError("--labelling needs --review FILE.json")
    o.check_limit(limit, diff)
    filters: ErrorFilters = {"kind": kind, "label": label, "text": find}
    chosen = any(value is not None for value in filters.values())
    given = _systems(gold, systems or [])
    inputs = [gold, *(given or {}).values(), train, queries, scoring["documents"]]
    outputs = {"--export": (export, ENDINGS), "--review": (review, REVIEW_ENDINGS), "--html": (html, PAGES)}
    check_paths(outputs | {"--labelling": (labelling, (".xml",))}, inputs)
    scoring["metrics"] = metric
    with o.progress(reading=[gold, *(given or {}).values()]) as progress:
        found = explain(
            gold, given, by=by or (), train=train, queries=queries, diff=diff, limit=limit, check=gold_check,
            resamples=resamples, progress=progress, jobs=jobs, engine=engine, resume=resume, skip_bad=skip_bad,
            **scoring,
        )  # fmt: skip
    with o.working("writing"):
        written = _write(found, filters, export, review, labelling)
        if html is not None:
            written.append(p.page_line(found.page(title), html, inputs))
    for line in written:
        inform(line)
    if json:
        listed = errors if errors is not None else SHOWN if chosen else 0
        say(found.to_json(errors=listed, **filters))
    elif html is None:
        from karatage.reports import print_parts

        print_parts(found.parts(errors=SHOWN if errors is None else errors, **filters))


def _write(
    found: ExtractionExplanation | SearchExplanation | SampleExplanation,
    filters: ErrorFilters,
    export: str | None,
    review: str | None,
    labelling: str | None,
) -> list[str]:
    """Write the files, and return a line on each; anything wrong is found before the first one is written."""
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
        told.append(f"{suspects.write(review, labelling=labelling):,} entities to review written to {review}")
    return told


def _systems(gold: str, systems: list[str]) -> Any:
    """Return systems by their names."""
    from karatage.cli.compare import named_inputs
    from karatage.inputs import Runs

    if not systems:
        return None
    _, found = named_inputs(gold, systems, sets=False)
    several = [name for name, own in found.items() if isinstance(own, Runs)]
    if several:
        raise UsageError(f"two systems are named {several[0]!r}: `explain` takes one run per system")
    return found
