"""`karatage compare GOLD A B …`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from karatage.cli import options as o, page_options as p
from karatage.comparison import TestName
from karatage.errors import UsageError
from karatage.scoring import ScoringKeywords

Systems = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SYSTEM…]",
        help="Predictions of each system: PATH or NAME=PATH. Repeat a NAME for several runs of a system, e.g. with "
        "different random seeds. If GOLD is a log with scores, it is the first system.",
    ),
]
InSets = Annotated[
    bool,
    typer.Option(
        "--sets",
        help="Compare on several test sets: GOLD and each system are folders with a file of the same name for each.",
    ),
]
Test = Annotated[TestName, typer.Option(help="Significance test for each pair of systems.")]


@o.with_scoring
def run(
    gold: o.Gold,
    systems: Systems = None,
    metric: o.Metrics = None,
    more_gold: o.MoreGold = None,
    judge: o.Judge = None,
    sets: InSets = False,
    test: Test = "t",
    margin: Annotated[
        float | None,
        typer.Option(help="Largest difference that does not matter, e.g. 0.01: test non-inferiority and equivalence."),
    ] = None,
    by_label: Annotated[
        bool, typer.Option("--by-label/--no-by-label", help="Compare the systems on each label too.")
    ] = True,
    diff: Annotated[
        bool,
        typer.Option(
            "--diff",
            help="Show which queries got better and worse from the first system to each other one, and which documents "
            "moved (search only).",
        ),
    ] = False,
    limit: o.Limit = None,
    queries: o.Queries = None,
    html: p.Html = None,
    title: p.Title = None,
    resamples: Annotated[
        int, typer.Option(help="Number of bootstrap resamples and of permutations in the test.", min=2)
    ] = 10_000,
    jobs: o.Jobs = None,
    engine: o.EngineName = "local",
    resume: o.Resume = None,
    skip_bad: o.SkipBad = False,
    cite: o.Cite = False,
    log: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER", help="Count this look at the test set in an experiment log (see `karatage log looks`)."
        ),
    ] = None,
    json: o.Json = False,
    *,
    scoring: ScoringKeywords,
) -> None:
    """Compare and rank systems with paired significance tests.

    karatage compare gold.conll crf.conll bert.conll

    karatage compare judged.qrels bm25.run dense.run

    karatage compare judged.qrels old.run new.run --diff --queries queries.tsv

    karatage compare small.eval large.eval

    karatage compare gold.conll crf.conll bert.conll --html page.html
    """
    from karatage.comparison import compare
    from karatage.samples import is_log

    scoring["metrics"] = metric
    o.check_limit(limit, diff)
    if more_gold and (sets or log is not None):
        raise UsageError("--sets and --log work with one gold: leave out --gold")
    if skip_bad and log is not None:
        raise UsageError("--log does not work with --skip-bad: a log counts looks at whole test sets")
    has_scores = is_log(named(gold)[1], scoring.get("format"))
    if not systems and not has_scores:
        raise UsageError("a comparison needs at least two systems: name the predictions of each behind GOLD")
    if has_scores and (sets or more_gold or log is not None):
        raise UsageError("a log has scores already: leave out --sets, --gold and --log")
    inputs = (
        named_inputs(None, [gold, *(systems or ())], False) if has_scores else named_inputs(gold, systems or [], sets)
    )
    if more_gold:
        inputs = o.annotators(gold, more_gold), inputs[1]
    read = [gold, *(more_gold or ()), *(named(system)[1] for system in systems or ()), judge, queries]
    p.check_page(html, title, read)
    with o.progress(reading=files_of(gold, *(more_gold or ()), judge, *(systems or ()))) as progress:
        result = compare(
            *inputs,
            judge=judge_in_sets(judge, gold) if sets and judge is not None else judge,
            test=test,
            margin=margin,
            by_label=by_label,
            diff=diff,
            limit=o.CHANGED if limit is None else limit,
            queries=queries,
            resamples=resamples,
            progress=progress,
            jobs=jobs,
            engine=engine,
            resume=resume,
            skip_bad=skip_bad,
            **scoring,
        )
    if log is not None:
        from karatage.experiments import ExperimentLog, log_comparison

        for test_set, answers in looked_at(*inputs):
            log_comparison(ExperimentLog(log), test_set, answers)
    cited = result.cite() if cite else None
    if html is not None:
        p.save_page(result.page(title), html, read)
    if json or html is None:
        o.show(result, json=json, cited=cited)
    elif cited is not None:
        from karatage.reports import print_parts

        print_parts(cited.parts())


def named_inputs(gold: str | None, systems: list[str], sets: bool) -> tuple[Any, dict[str, Any]]:
    """Return gold, where there is any, and the named systems as `karatage.compare` takes them."""
    from karatage.comparison import short_names
    from karatage.inputs import Runs, Sets

    pairs = [named(text) for text in systems]
    paths = [path for name, path in pairs if not name]
    if len(set(paths)) < len(paths):
        raise UsageError("the same file is given twice: name the systems, e.g. a=FILE b=FILE")
    short = dict(zip(paths, short_names(paths), strict=True))
    found: dict[str, list[str]] = {}
    for name, path in pairs:
        found.setdefault(name or short[path], []).append(path)
    if not sets or gold is None:
        return gold, {name: Runs(*own) if len(own) > 1 else own[0] for name, own in found.items()}
    files = _files(gold)
    parted = {
        name: Runs(*(Sets({file: f"{folder}/{file}" for file in files}) for folder in own))
        for name, own in found.items()
    }
    for name, own in found.items():
        for folder in own:
            lacking = [file for file in files if not (Path(folder) / file).exists()]
            if lacking:
                raise UsageError(f"{folder}: the system {name} has no predictions for the test set {lacking[0]}")
    return Sets({file: f"{gold}/{file}" for file in files}), parted


def judge_in_sets(judge: str, gold: str) -> Any:
    """Return the judge's labels of each test set, from a folder with a file of the same name for each."""
    from karatage.inputs import Sets

    files = _files(gold)
    lacking = [file for file in files if not (Path(judge) / file).exists()]
    if lacking:
        raise UsageError(
            f"{judge}: the judge has no labels for the test set {lacking[0]}: --sets needs a folder of them"
        )
    return Sets({file: f"{judge}/{file}" for file in files})


def looked_at(gold: Any, systems: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """Return the file of each test set, with those of the predictions of all runs."""
    runs = [run for own in systems.values() for run in (own if isinstance(own, tuple) else [own])]
    if isinstance(gold, str):
        return [(gold, runs)]
    return [(path, [run[name] for run in runs]) for name, path in gold.items()]


def files_of(*given: str | None) -> list[str]:
    """Return the paths of what is given as PATH or NAME=PATH."""
    return [named(text)[1] for text in given if text is not None]


def named(text: str) -> tuple[str, str]:
    """Split NAME=PATH; a path that contains = and exists is a path."""
    name, sign, path = text.partition("=")
    if not sign or Path(text).exists() or "/" in name:
        return "", text
    if not name or not path:
        raise UsageError(f"{text!r}: expected NAME=PATH")
    return name, path


def _files(folder: str) -> list[str]:
    if not Path(folder).is_dir():
        raise UsageError(f"{folder}: --sets needs a folder with one file per test set as GOLD")
    files = sorted(item.name for item in Path(folder).iterdir() if not item.name.startswith("."))
    if not files:
        raise UsageError(f"{folder}: the folder has no test sets")
    return files
