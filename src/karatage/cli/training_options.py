"""What the commands that train share: options, settings, progress, the log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from karatage._printing import is_quiet, remark, say, tell
from karatage.cli import completion, options as o
from karatage.cli.progress_display import FollowedWork, shown_work
from karatage.errors import UsageError
from karatage.inputs import ReadingKeywords
from karatage.stats import LEVEL

if TYPE_CHECKING:
    from karatage.training import EpochResult, TrainingPlan, TrainingResult

Data = Annotated[
    str, typer.Argument(metavar="DATA", help="Training data: a file, a folder or a quoted glob pattern, in any format.")
]
Out = Annotated[Path, typer.Option("--out", help="Output folder.")]


@dataclass(frozen=True)
class TrainingOptions:
    """The shared options of the commands that train.

    Attributes:
        plan: makes a plan from the data, the model and what else a command has.
        every: minimum seconds between two checkpoints.
        log: the folder of the experiment log; None for no log.
        note: a note for the log.
    """

    plan: Callable[..., TrainingPlan]
    every: float
    log: Path | None
    note: str

    def check_log(self) -> None:
        """Find out before the work starts, not afterwards, if the log cannot be written."""
        if self.log is not None:
            from karatage.experiments import ExperimentLog

            ExperimentLog(self.log)

    def log_training(self, result: TrainingResult, out: Path, work: Path) -> str | None:
        """Add a training to the log, unless a run that was killed did so, and return its id."""
        if self.log is None:
            return None
        from karatage.experiments import ExperimentLog, Ledger, log_training

        log = ExperimentLog(self.log)
        return log_training(log, result, note=self.note, model_folder=out, ledger=Ledger(work, log.folder)).id


def options(
    validation: Annotated[
        str, typer.Option(help="Validation data. [default: a share of the training data]", show_default=False)
    ] = "",
    share: Annotated[float, typer.Option(help="Share of the training data for validation.")] = 0.1,
    split_by: Annotated[
        str,
        typer.Option(
            help="Keep texts with the same value of this attribute together, e.g. document.", show_default=False
        ),
    ] = "",
    split_seed: Annotated[int, typer.Option(help="Random seed for the split.", min=0)] = 0,
    like: Annotated[
        str,
        typer.Option(
            autocompletion=completion.profile,
            help="Profile for scoring (see `karatage profiles`). [default: ebay-2025 for eBay files, otherwise exact]",
            show_default=False,
        ),
    ] = "",
    category: Annotated[str, typer.Option(help="Attribute to use as category.")] = "category",
    format: o.Format = None,  # noqa: A002  users say format
    columns: o.Columns = None,
    unit: o.Unit = "sentence",
    scheme: o.Scheme = None,
    separator: o.Separator = None,
    suffix: o.Suffix = False,
    resamples: o.Resamples = 1000,
    level: o.Level = LEVEL,
    checkpoint: Annotated[float, typer.Option(help="Minimum time between checkpoints, in seconds.", min=0)] = 5.0,
    log: Annotated[Path, typer.Option(help="Folder of the experiment log.")] = Path("experiments"),
    no_gold: Annotated[bool, typer.Option("--no-gold", help="Store neither gold nor texts in the log.")] = False,
    no_log: Annotated[bool, typer.Option("--no-log", help="Do not log the experiment.")] = False,
    note: Annotated[str, typer.Option(help="Note for the log.", show_default=False)] = "",
) -> TrainingOptions:
    """Collect the shared options."""
    reading = ReadingKeywords(
        format=format,
        columns=o.listed(columns),
        unit=unit,
        scheme=scheme,
        suffix=suffix,
        separator=separator,
    )

    given = cast("ReadingKeywords", {name: value for name, value in reading.items() if value})

    def plan(**more: Any) -> TrainingPlan:
        from karatage.stats import Resampling
        from karatage.training import TrainingPlan

        return TrainingPlan(
            validation=validation,
            share=share,
            split_by=split_by,
            split_seed=split_seed,
            like=like,
            group_by=category,
            reading=given,
            resampling=Resampling(resamples=resamples, level=level),
            keep_gold=not no_gold,
            **more,
        )

    return TrainingOptions(plan, checkpoint, None if no_log else log, note)


def with_training(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of training; it gets them as its argument `training`."""
    return o.with_shared(command, options, "training")


def chosen(model: str | None, config: str | None, assigned: list[str] | None) -> dict[str, Any]:
    """Return the model and the settings that a user named, and the preset that they come from, for a plan."""
    from karatage.training import parse_assignments, preset_name, read_settings

    settings = read_settings(config) if config else {}
    name = settings.pop("model", None)
    if not (model or name):
        raise UsageError("missing model: set --model, or --config with settings that include the model")
    changes = parse_assignments(assigned or [])
    preset = preset_name(config or "", changes)
    return {"model": str(model or name), "settings": settings | changes, "preset": preset}


@contextmanager
def interruptible() -> Iterator[None]:
    """Say how to resume when the user interrupts the work."""
    try:
        yield
    except KeyboardInterrupt:
        say("", err=True)
        tell("interrupted. Run the same command again to resume from the last checkpoint, if any")
        raise typer.Exit(130) from None


class Silent:
    """Shows no progress."""

    def resumed(self, epoch: int, best: float) -> None:
        """Ignore it."""

    def step(self, epoch: int, epochs: int, step: int, steps: int) -> None:
        """Ignore it."""

    def epoch(self, found: EpochResult, epochs: int) -> None:
        """Ignore it."""

    def of_fold(self, number: int) -> Silent:  # noqa: ARG002  all are alike
        """Ignore it for a fold, too."""
        return self


class Bar(Silent):
    """A progress bar: the epoch, the step, and the metric so far."""

    def __init__(self, work: FollowedWork) -> None:
        self.work, self.fold, self.best, self.steps = work, "", 0.0, False
        self.state = ""

    def of_fold(self, number: int) -> Bar:
        """Start over for a fold."""
        self.fold, self.best, self.state = f"fold {number}, ", 0.0, ""
        self.work.first = None
        return self

    def resumed(self, epoch: int, best: float) -> None:
        """Say after which epoch the training resumes."""
        self.best = best
        remark(f"Resuming after epoch {epoch}")

    def step(self, epoch: int, epochs: int, step: int, steps: int) -> None:
        """Move the bar."""
        self.steps = True
        self._reach(f"epoch {epoch}/{epochs}", (epoch - 1) * steps + step, epochs * steps)

    def epoch(self, found: EpochResult, epochs: int) -> None:
        """Show the loss and the metric; without steps, move the bar by iterations."""
        name, value = next(iter(found.metrics.items()), ("", 0.0))
        self.best = max(self.best, value)
        shown = f", {name} {value:.4f} (best {self.best:.4f})" if name else ""
        self.state = f", loss {found.loss:.4f}{shown}"
        if not self.steps:
            self._reach(f"iteration {found.number}/{epochs}", found.number, epochs)

    def _reach(self, position: str, done: int, of: int) -> None:
        self.work.reach(done, of)
        self.work.text = f"{self.fold}{position}{self.state}"


class Lines(Silent):
    """Plain lines for a file: one after an epoch, at most every few seconds, so that a short training prints none."""

    pause = 5.0

    def __init__(self) -> None:
        self.fold, self.best, self.last, self.began = "", 0.0, perf_counter(), perf_counter()

    def of_fold(self, number: int) -> Lines:
        """Start over for a fold."""
        self.fold, self.best = f"fold {number}, ", 0.0
        return self

    def resumed(self, epoch: int, best: float) -> None:
        """Say after which epoch the training resumes."""
        self.best = best
        remark(f"Resuming after epoch {epoch}")

    def epoch(self, found: EpochResult, epochs: int) -> None:
        """Print the loss, the metric and the time so far."""
        name, value = next(iter(found.metrics.items()), ("", 0.0))
        self.best = max(self.best, value)
        now = perf_counter()
        if now - self.last < self.pause:
            return
        self.last = now
        shown = f", {name} {value:.4f} (best {self.best:.4f})" if name else ""
        text = f"{self.fold}epoch {found.number}/{epochs}, loss {found.loss:.4f}{shown}, {now - self.began:,.0f} s"
        remark(text)


@contextmanager
def progress() -> Iterator[Silent]:
    """Show the progress of a training: as a bar in a terminal, else as plain lines."""
    with shown_work("preparing the first iteration") as work:
        yield Silent() if is_quiet() else Lines() if work is None else Bar(work)


@contextmanager
def counted(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """Show in a terminal how many of how many are done."""
    with shown_work(what) as work:
        yield None if work is None else partial(_follow_count, work)


def _follow_count(work: FollowedWork, done: int, of: int) -> None:
    work.reach(done, of)
    work.text = f"{done:,} of {of:,} {work.what}"
