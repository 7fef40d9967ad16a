"""Several trainings at a time, each in its own process."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, chdir, closing
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path

from karatage.engine import Engine, Running, WorkLost
from karatage.errors import KaratageError, UsageError
from karatage.training.models import get_model
from karatage.training.one_thread import one_thread
from karatage.training.settings import settings_from
from karatage.training.train_tagger import train_into
from karatage.training.training_data import TrainingPlan
from karatage.training.worker_count import shared_engine

_MEMORY = 2 << 30
"""How much memory a training takes, in bytes: enough for a BiLSTM, while a transformer may take more."""


@dataclass(frozen=True)
class TrainingWork:
    """A training, with all that it takes to do it anywhere.

    Attributes:
        out: the folder of the model.
        every: minimum seconds between two checkpoints.
        folder: the folder that relative paths start from.
    """

    plan: TrainingPlan
    out: Path
    every: float
    folder: str


def train_all(runs: Sequence[tuple[TrainingPlan, Path]], running: Running, every: float) -> Iterator[int]:
    """Train models into their folders, and yield the number of finished trainings.

    Raises:
        UsageError: a training failed; the message names its folder.
    """
    if not runs:
        return
    work = [TrainingWork(own, folder, every, str(Path.cwd())) for own, folder in runs]
    plans = [own for own, _ in runs]
    hints = {"on_gpu": any(map(_on_gpu, plans)), "neural": any(map(_wants_gpu, plans))}
    engine = shared_engine(running, len(work), memory=_MEMORY, **hints)
    for done, problem in enumerate(_problems(engine, work), 1):
        if problem:
            raise UsageError(problem)
        yield done


def _problems(engine: Engine | None, work: Sequence[TrainingWork]) -> Iterator[str]:
    """Do trainings, and yield what was wrong with each; nothing if it went well."""
    if engine is None:
        yield from map(train_one, work)
        return
    try:
        with closing(engine.map(train_one, work)) as found:
            yield from found
    except WorkLost as error:
        hint = "Run the same command again to resume, with fewer --jobs if memory is short"
        yield f"{error}. {hint}"


def train_one(work: TrainingWork) -> str:
    """Train a model in any process; return what is wrong, or nothing."""
    with ExitStack() as around:
        if os.getcwd() != work.folder:  # noqa: PTH109  a string
            around.enter_context(chdir(work.folder))
        if _is_neural(work.plan):
            import_module("torch")
        around.enter_context(one_thread())
        try:
            # A worker of a command that was killed may finish this very model before it notices.
            train_into(work.plan, work.out, every=work.every, keep=True)
        except KaratageError as error:
            return f"{work.out.parent.name}, {work.out.name}: {error}"
    return ""


def _is_neural(plan: TrainingPlan) -> bool:
    return "device" in {one.name for one in fields(get_model(plan.model).settings)}


def _wants_gpu(plan: TrainingPlan) -> bool:
    """Whether a training will use a GPU where there is one."""
    if not _is_neural(plan):
        return False
    model = get_model(plan.model)
    return getattr(settings_from(model.settings, plan.settings, plan.model), "device", "cpu") != "cpu"


def _on_gpu(plan: TrainingPlan) -> bool:
    """Whether a training will use a GPU of this machine."""
    return _wants_gpu(plan) and bool(import_module("torch").cuda.is_available())
