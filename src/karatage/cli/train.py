"""`karatage train DATA`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from karatage.cli import completion, options as o, training_options as t
from karatage.errors import UsageError
from karatage.training import ModelName

if TYPE_CHECKING:
    from karatage.training import TrainingResult


@t.with_training
def run(
    data: t.Data,
    model: Annotated[ModelName | None, typer.Option(help="Model to train. [default: the one in --config]")] = None,
    out: t.Out = ...,  # type: ignore[assignment]  # Typer's sign for a required option
    config: Annotated[
        str | None,
        typer.Option(
            autocompletion=completion.preset,
            help="Settings: a TOML file, or the preset of a published experiment, e.g. exp-001.",
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Model setting, e.g. dropout=0.4; repeatable."),
    ] = None,
    folds: Annotated[
        int, typer.Option(help="Number of folds for cross-validation; the models are saved as an ensemble.")
    ] = 0,
    test: Annotated[str, typer.Option(help="Test data, scored only at the end.", show_default=False)] = "",
    threshold: Annotated[
        str,
        typer.Option(
            metavar="FLOAT|tune",
            help="Minimum confidence of entities, from 0 to 1; tune finds the best value on the validation data.",
        ),
    ] = "0",
    force: Annotated[bool, typer.Option("--force", help="Replace an existing model.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start over instead of resuming.")] = False,
    json: o.Json = False,
    *,
    training: t.TrainingOptions,
) -> None:
    """Train a tagger and score it on validation data.

    karatage train train.tsv.gz --model bilstm-crf --out model

    karatage train train.conll --config exp-001 --set dropout=0.4 --out model

    If the training is interrupted, run the same command again to resume.
    """
    from karatage.training import train_folds, train_into

    plan = training.plan(data=data, test=test, threshold=_threshold(threshold), **t.chosen(model, config, set_))
    training.check_log()
    logged: list[str | None] = []
    same: dict[str, Any] = {"force": force, "fresh": fresh, "every": training.every}
    same["then"] = lambda result, work: logged.append(training.log_training(result, out, work))
    with t.interruptible(), t.progress() as shown:
        if folds:
            result = train_folds(plan, folds, out, progress=shown.of_fold, **same)
        else:
            result = train_into(plan, out, progress=shown, **same)
    [experiment] = logged
    if json:
        _print_json(result, out, experiment)
        return
    from karatage.reports import print_training

    print_training(result, out, experiment)


def _threshold(text: str) -> float | Literal["tune"]:
    if text == "tune":
        return "tune"
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"the threshold must be 'tune' or a number from 0 to 1, not {text!r}") from None


def _print_json(result: TrainingResult, out: Path, experiment: str | None) -> None:
    card = result.tagger.card
    found = {
        "model": card.model,
        "folder": str(out),
        "experiment": experiment,
        "metric": result.evaluator.metric,
        "best_epoch": result.best_epoch or None,
        "threshold": card.threshold,
        "seconds": result.seconds,
        "split": result.split,
        "settings": dict(card.settings),
        "scores": result.result.to_dict(),
        "epochs": [epoch.to_dict() for epoch in result.epochs],
        "warnings": list(result.warnings),
    }
    o.print_json(found)
