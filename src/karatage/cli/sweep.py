"""`karatage sweep GRID DATA`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from karatage.cli import options as o, training_options as t

NAME = "sweep"


@t.with_training
def run(
    grid: Annotated[
        str,
        typer.Argument(metavar="GRID", help="TOML file: model, config, seeds, and the tables set, grid or variants."),
    ],
    data: t.Data,
    out: t.Out = ...,  # type: ignore[assignment]  # Typer's sign for an option that must be given
    workers: Annotated[int, typer.Option(help="Trainings at once.", min=1)] = 1,
    json: o.Json = False,
    *,
    training: dict[str, Any],
) -> None:
    """Train variants of a model, each with several seeds, and say which differences are real.

    karatage sweep clipping.toml train.tsv.gz --out sweep --workers 2

    A sweep that was interrupted goes on when the same command is given again.
    """
    from karatage.experiments import ExperimentLog, log_sweep
    from karatage.training import Grid, Plan, run_sweep

    tried = Grid.read(grid)
    log, note, every = (training.pop(name) for name in ("log", "note", "every"))
    plan = Plan(data, tried.model, **training)
    t.check_log(log)
    with t.stoppable(), t.counted("trainings done") as told:
        found = run_sweep(tried, plan, out, workers=workers, every=every, progress=told)
    record = log_sweep(ExperimentLog(log), found, out, note=note) if log is not None else None
    if json:
        from json import dumps

        text = dumps({**found.to_dict(), "folder": str(out), "experiment": record}, ensure_ascii=False, indent=2)
        typer.echo(text)
        return
    from karatage.reports import print_sweep

    print_sweep(found, out, record)
