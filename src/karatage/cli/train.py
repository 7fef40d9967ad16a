"""`karatage train DATA`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karatage.cli import options as o, training_options as t

if TYPE_CHECKING:
    from karatage.training import Outcome

NAME = "train"


@t.with_training
def run(
    data: t.Data,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            help="Model: crf, bilstm, bilstm-crf, transformer or transformer-crf. Left out: that of --config.",
        ),
    ] = None,
    out: t.Out = ...,  # type: ignore[assignment]  # Typer's sign for an option that must be given
    config: Annotated[
        str | None,
        typer.Option(help="Settings: a TOML file, or a preset of a published experiment, such as exp-001."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Set one setting; repeat the option for more."),
    ] = None,
    folds: Annotated[
        int,
        typer.Option(help="Train on so many folds, score what each model did not see, and save them as an ensemble."),
    ] = 0,
    test: Annotated[str | None, typer.Option(help="Data that is scored at the end, and used for nothing else.")] = None,
    threshold: Annotated[
        str,
        typer.Option(
            help="Drop claims that the model is less sure of than this, 0 to 1; tune finds the best value for the "
            "metric on the validation data."
        ),
    ] = "0",
    force: Annotated[bool, typer.Option("--force", help="Replace a model that is there.")] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start again, even if an interrupted training could go on.")
    ] = False,
    json: o.Json = False,
    *,
    training: dict[str, Any],
) -> None:
    """Train a tagger and score it on validation data.

    karatage train train.tsv.gz --model bilstm-crf --out model

    karatage train train.conll --config exp-001 --set dropout=0.4 --out model

    A training that was interrupted goes on when the same command is given again.
    """
    from karatage.training import Plan, train_folds, train_into

    name, settings = t.chosen(model, config, set_)
    log, note, every = (training.pop(name) for name in ("log", "note", "every"))
    plan = Plan(data, name, settings, test=test or "", threshold=threshold, **training)
    t.check_log(log)
    with t.stoppable(), t.progress() as told:
        if folds:
            outcome = train_folds(plan, folds, out, force=force, fresh=fresh, every=every, progress=told.of_fold)
        else:
            outcome = train_into(plan, out, force=force, fresh=fresh, every=every, progress=told)
    record = t.logged(log, outcome, note, out)
    if json:
        _print_json(outcome, out, record)
        return
    from karatage.reports import print_outcome

    print_outcome(outcome, out, record)


def _print_json(outcome: Outcome, out: Path, record: str | None) -> None:
    from json import dumps

    card = outcome.tagger.card
    found = {
        "model": card.model,
        "folder": str(out),
        "experiment": record,
        "metric": outcome.judge.metric,
        "best_epoch": outcome.best or None,
        "threshold": card.threshold,
        "seconds": outcome.seconds,
        "split": outcome.split,
        "settings": dict(card.settings),
        "scores": outcome.result.to_dict(),
        "epochs": [epoch.to_dict() for epoch in outcome.epochs],
        "warnings": list(outcome.warnings),
    }
    typer.echo(dumps(found, ensure_ascii=False, indent=2, allow_nan=False))
