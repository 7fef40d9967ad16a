"""What the commands that train share: options, settings, progress, the log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karatage.cli import options as o
from karatage.errors import UsageError

if TYPE_CHECKING:
    from karatage.training import Epoch, Outcome

Data = Annotated[
    str, typer.Argument(metavar="DATA", help="Training data: a file, a folder or a pattern in quotes, in any format.")
]
Out = Annotated[Path, typer.Option("--out", help="Folder to write.")]


def options(
    validation: Annotated[
        str | None, typer.Option(help="Validation data. Left out: a share of the training data is set apart.")
    ] = None,
    share: Annotated[float, typer.Option(help="Share of the units that is set apart for validation.")] = 0.1,
    split_by: Annotated[
        str | None, typer.Option(help="Keep units together that share this attribute, such as document.")
    ] = None,
    split_seed: Annotated[int, typer.Option(help="Where the random numbers of the split start.", min=0)] = 0,
    like: Annotated[
        str | None,
        typer.Option(
            help="Profile that scores (see `karatage profiles`). Left out: ebay-2025 for its files, else exact."
        ),
    ] = None,
    category: Annotated[str, typer.Option(help="Attribute of units that is their category.")] = "category",
    format: o.Format = None,  # noqa: A002  users say format
    columns: o.Columns = None,
    unit: o.Unit = "sentence",
    scheme: o.Scheme = None,
    separator: o.Separator = None,
    suffix: o.Suffix = False,
    resamples: o.Resamples = 1000,
    level: Annotated[float, typer.Option(help="How sure an interval is to hold the true value.")] = 0.95,
    checkpoint: Annotated[
        float,
        typer.Option(help="Seconds between two checkpoints at least, from which a stopped training goes on.", min=0),
    ] = 5.0,
    log: Annotated[Path, typer.Option(help="Folder of the log of experiments.")] = Path("experiments"),
    no_gold: Annotated[
        bool,
        typer.Option("--no-gold", help="Keep neither gold nor texts in the log, where the data may not be copied."),
    ] = False,
    no_log: Annotated[bool, typer.Option("--no-log", help="Write no record of the experiment.")] = False,
    note: Annotated[str, typer.Option(help="A remark for the log.")] = "",
) -> dict[str, Any]:
    """Return the options of training under the names that a plan has for them."""
    reading = {"format": format, "columns": o.listed(columns), "unit": unit, "scheme": scheme, "suffix": suffix}
    if separator is not None:
        reading["separator"] = separator
    return {
        "validation": validation or "",
        "share": share,
        "split_by": split_by or "",
        "split_seed": split_seed,
        "like": like or "",
        "group_by": category,
        "reading": {name: value for name, value in reading.items() if value},
        "resampling": {"resamples": resamples, "level": level},
        "keep_gold": not no_gold,
        "every": checkpoint,
        "log": None if no_log else log,
        "note": note,
    }


def with_training(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of training; it gets them as its argument `training`."""
    return o.with_shared(command, options, "training")


def chosen(model: str | None, config: str | None, assigned: list[str] | None) -> tuple[str, dict[str, Any]]:
    """Return the model and the settings that a user named."""
    from karatage.training import assigned as read_assigned, read_settings

    settings = read_settings(config) if config else {}
    named = settings.pop("model", None)
    name = model or named
    if not name:
        raise UsageError("name a model with --model, or settings that name one with --config")
    return str(name), settings | read_assigned(assigned or [])


def logged(folder: Path | None, outcome: Outcome, note: str, out: Path) -> str | None:
    """Write a record, and return its id."""
    if folder is None:
        return None
    from karatage.experiments import ExperimentLog, log_training

    return log_training(ExperimentLog(folder), outcome, note=note, model_folder=out).id


def check_log(folder: Path | None) -> None:
    """Refuse a log that cannot be written before the work starts, not when it is done."""
    if folder is None:
        return
    from karatage.experiments import ExperimentLog

    ExperimentLog(folder)


@contextmanager
def stoppable() -> Iterator[None]:
    """Say how work that the user stops goes on."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("\nkaratage: stopped. The same command goes on from the last checkpoint", err=True)
        raise typer.Exit(130) from None


class Silent:
    """Nobody looks."""

    def resumed(self, epoch: int) -> None:
        """Say nothing."""

    def step(self, epoch: int, epochs: int, step: int, steps: int) -> None:
        """Say nothing."""

    def epoch(self, found: Epoch, epochs: int) -> None:
        """Say nothing."""

    def of_fold(self, number: int) -> Silent:  # noqa: ARG002  all are alike
        """Say nothing of a fold either."""
        return self


class Bar(Silent):
    """A progress bar: the epoch, the step, and the metric so far."""

    def __init__(self, bar: Any) -> None:
        self.bar, self.fold, self.best, self.steps = bar, "", 0.0, False
        self.task = bar.add_task("reading", total=None, state="")

    def of_fold(self, number: int) -> Bar:
        """Start over for a fold."""
        self.fold, self.best = f"fold {number}, ", 0.0
        return self

    def resumed(self, epoch: int) -> None:
        """Say from where a training goes on."""
        self.bar.console.print(f"going on behind epoch {epoch}, which was done before")

    def step(self, epoch: int, epochs: int, step: int, steps: int) -> None:
        """Move the bar."""
        self.steps = True
        if step % max(steps // 20, 1) == 0 or step == steps:
            done = (epoch - 1) * steps + step
            self.bar.update(
                self.task, description=f"{self.fold}epoch {epoch}/{epochs}", completed=done, total=epochs * steps
            )

    def epoch(self, found: Epoch, epochs: int) -> None:
        """Show the loss and the metric; a model that tells of no steps moves the bar by its rounds."""
        if not self.steps:
            told = f"{self.fold}iteration {found.number}/{epochs}"
            self.bar.update(self.task, description=told, completed=found.number, total=epochs)
        name, value = next(iter(found.metrics.items()), ("", 0.0))
        self.best = max(self.best, value)
        shown = f"{name} {value:.4f} (best {self.best:.4f})" if name else ""
        self.bar.update(self.task, state=f"loss {found.loss:.4f}  {shown}")


@contextmanager
def progress() -> Iterator[Silent]:
    """Show where a training is, if a person looks."""
    if not o.terminal():
        yield Silent()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield Bar(bar)


@contextmanager
def counted(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """Show how many of how many are done, if a person looks."""
    if not o.terminal():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn(what), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
