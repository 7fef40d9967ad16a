"""`karatage sweep GRID DATA`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o, page_options as p, training_options as t


@t.with_training
def run(
    grid: Annotated[
        str,
        typer.Argument(
            metavar="GRID",
            help="TOML file with the model or config, the seeds, and a table of settings: set, grid or variants.",
        ),
    ],
    data: t.Data,
    out: t.Out = ...,  # type: ignore[assignment]  # Typer's sign for a required option
    jobs: Annotated[
        int | None,
        typer.Option(
            help="Number of trainings at a time, one thread each. The models do not depend on it. [default: all "
            "cores, with 2 GiB of memory for each; 1 on a GPU]",
            min=1,
        ),
    ] = None,
    engine: o.EngineName = "local",
    html: p.Html = None,
    title: p.Title = None,
    json: o.Json = False,
    *,
    training: t.TrainingOptions,
) -> None:
    """Train variants of a model with several random seeds, and test which differences are significant.

    karatage sweep clipping.toml train.tsv.gz --out sweep --html page.html

    If the sweep is interrupted, run the same command again to resume.
    """
    from karatage.experiments import ExperimentLog, log_sweep
    from karatage.training import Grid, run_sweep

    p.check_page(html, title, [grid, data])
    tried = Grid.read(grid)
    plan = training.plan(data=data, model=tried.model)
    training.check_log()
    with t.interruptible(), t.counted("trainings done") as shown:
        found = run_sweep(tried, plan, out, jobs=jobs, engine=engine, every=training.every, progress=shown)
    experiment = None
    if training.log is not None:
        experiment = log_sweep(ExperimentLog(training.log), found, out, note=training.note)
    if html is not None:
        p.save_page(found.page(title), html, [grid, data])
    if json:
        o.print_json({**found.to_dict(), "folder": str(out), "experiment": experiment})
        return
    from karatage.reports import print_sweep

    print_sweep(found, out, experiment)
