"""`karatage compare GOLD A B …`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from karatage.cli import options as o
from karatage.comparison import TestName
from karatage.errors import UsageError
from karatage.scoring import ScoringKeywords

Systems = Annotated[
    list[str],
    typer.Argument(
        metavar="SYSTEM…",
        help="Predictions of each system: PATH or NAME=PATH. Repeat a NAME for several runs of a system, e.g. with "
        "different random seeds.",
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
    systems: Systems,
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
    resamples: Annotated[
        int, typer.Option(help="Number of bootstrap resamples and of permutations in the test.", min=2)
    ] = 10_000,
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
    """
    from karatage.comparison import compare

    scoring["metrics"] = metric
    if more_gold and (sets or log is not None):
        raise UsageError("--sets and --log work with one gold: leave out --gold")
    inputs = named_inputs(gold, systems, sets)
    if more_gold:
        inputs = o.annotators(gold, more_gold), inputs[1]
    with o.progress() as progress:
        result = compare(
            *inputs,
            judge=judge_in_sets(judge, gold) if sets and judge is not None else judge,
            test=test,
            margin=margin,
            by_label=by_label,
            resamples=resamples,
            progress=progress,
            **scoring,
        )
    if log is not None:
        from karatage.experiments import ExperimentLog, log_comparison

        for test_set, answers in looked_at(*inputs):
            log_comparison(ExperimentLog(log), test_set, answers)
    o.show(result, json=json, cited=result.cite() if cite else None)


def named_inputs(gold: str, systems: list[str], sets: bool) -> tuple[Any, dict[str, Any]]:
    """Return gold and the named systems as `karatage.compare` takes them."""
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
    if not sets:
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
