"""Sweeps: variants of a model, each trained with several seeds, in parallel, resumable."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, Unpack

from karatage._options import takes
from karatage._shown import WithPage
from karatage.comparison import Comparison, compare
from karatage.engine import Running, RunningKeywords
from karatage.errors import InputError, UsageError, unknown
from karatage.inputs import Runs
from karatage.taggers import MODEL_CARD
from karatage.training.many_trainings import train_all
from karatage.training.model_folder import read_card
from karatage.training.models import get_model
from karatage.training.settings import preset_name, read_settings, read_toml
from karatage.training.train_tagger import TrainingResult, checked_settings, is_trained, score_again
from karatage.training.training_data import TrainingData, TrainingPlan, prepare_data
from karatage.training.working_folder import clear_work

if TYPE_CHECKING:
    from karatage.reports import AnswerText, Page

_KEYS = ("model", "config", "seeds", "set", "grid", "variants")


@dataclass(frozen=True)
class Variant:
    """One combination of settings, and its name in reports."""

    name: str
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Grid:
    """What a sweep tries: variants, each with the settings of `base` and with each seed."""

    model: str
    base: Mapping[str, Any]
    variants: tuple[Variant, ...]
    seeds: tuple[int, ...] = (0,)
    preset: str = ""

    @classmethod
    def read(cls, path: str) -> Grid:
        """Read a sweep from a TOML file: model, config, seeds, and the tables `set`, `grid` or `variants`."""
        found = read_toml(path)
        for key in found:
            if key not in _KEYS:
                raise UsageError(f"{path}: {unknown('key of a sweep', key, _KEYS)}")
        for key in ("set", "grid"):
            if not isinstance(found.get(key, {}), Mapping):
                raise UsageError(f"{path}: {key} must be a table: [{key}]")
        base = read_settings(str(found["config"])) if "config" in found else {}
        model = str(found.get("model", base.pop("model", "")))
        if not model:
            raise UsageError(f'{path}: name the model: model = "bilstm"')
        seeds = found.get("seeds", [0])
        if not isinstance(seeds, list) or not seeds or any(type(s) is not int or s < 0 for s in seeds):
            raise UsageError(f"{path}: seeds must be a list of whole numbers, e.g. [0, 1, 2]")
        if len(set(seeds)) < len(seeds):
            raise UsageError(f"{path}: the seeds must be different")
        variants = tuple(_variants(found, path))
        names = [variant.name for variant in variants]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise UsageError(f"{path}: there are two variants named {twice!r}")
        preset = preset_name(str(found.get("config", "")), found.get("set", {}))
        return cls(model, {**base, **found.get("set", {})}, variants, tuple(seeds), preset)


def _variants(found: Mapping[str, Any], path: str) -> Iterator[Variant]:
    if "grid" in found and "variants" in found:
        raise UsageError(f"{path}: use either a grid or variants, not both")
    if "variants" in found:
        tables = found["variants"]
        if not isinstance(tables, list) or not tables or not all(isinstance(own, Mapping) for own in tables):
            raise UsageError(f"{path}: variants must be tables: [[variants]]")
        for number, own in enumerate(tables, 1):
            yield Variant(str(own.get("name", number)), {k: v for k, v in own.items() if k != "name"})
        return
    grid = found.get("grid", {})
    wrong = next((key for key, values in grid.items() if not isinstance(values, list) or not values), None)
    if wrong is not None:
        raise UsageError(f"{path}: {wrong} in the grid must be a list of values")
    for values in product(*grid.values()):
        own = dict(zip(grid, values, strict=True))
        yield Variant(" ".join(f"{key}={_short(value)}" for key, value in own.items()) or "plain", own)


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class VariantResult:
    """The results of a variant: its trainings in the order of the seeds, and the metric of each."""

    variant: Variant
    values: tuple[float, ...]
    trainings: tuple[TrainingResult, ...] = field(repr=False)

    @property
    def mean(self) -> float:
        """The mean over the seeds."""
        return fmean(self.values)

    @property
    def deviation(self) -> float | None:
        """The standard deviation over the seeds; None for a single seed."""
        return stdev(self.values) if len(self.values) > 1 else None


@dataclass(frozen=True)
class Sweep(WithPage):
    """The results of a sweep.

    Attributes:
        rows: the variants, best first.
        comparison: which differences between variants are significant, over units and seeds; None for one variant.
    """

    grid: Grid
    metric: str
    rows: tuple[VariantResult, ...]
    comparison: Comparison | None
    seconds: float

    @property
    def answer(self) -> AnswerText:
        """Which variant is best, in one sentence."""
        from karatage.reports import sweep_answer

        return sweep_answer(self)

    def page(self, title: str | None = None) -> Page:
        """Return the page: the answer, the variants, and which differences between them are significant."""
        from karatage.reports import sweep_page

        return sweep_page(self, title)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, in the shape that `--json` prints."""
        return {
            "answer": str(self.answer),
            "model": self.grid.model,
            "metric": self.metric,
            "seeds": list(self.grid.seeds),
            "variants": [
                {
                    "name": row.variant.name,
                    "settings": dict(row.variant.settings),
                    "mean": row.mean,
                    "deviation": row.deviation,
                    "values": list(row.values),
                }
                for row in self.rows
            ],
            "comparison": None if self.comparison is None else self.comparison.to_dict(),
            "seconds": self.seconds,
        }


@takes(Running)
def run_sweep(
    grid: Grid,
    plan: TrainingPlan,
    out: Path,
    *,
    every: float = 5.0,
    progress: Callable[[int, int], None] | None = None,
    **options: Unpack[RunningKeywords],
) -> Sweep:
    """Train all variants with all seeds, and compare them.

    Complete trainings are kept, and an interrupted one resumes from its last checkpoint. The models do not depend on
    how many are trained at a time: on a CPU, each training uses one thread.

    Args:
        grid: what to try.
        plan: the data; its model and settings are replaced by those of the grid.
        out: the folder of the sweep. It has a folder for each variant, with a model for each seed.
        every: minimum seconds between two checkpoints of a training.
        progress: called with the number of finished trainings and of all trainings.
        options: Running options. By default, a training per core, as far as memory allows, or one on a GPU.
    """
    where = Running(**options)
    if plan.test or plan.validation == plan.data:
        raise UsageError("a sweep selects on validation data. Score the best model on test data afterwards")
    runs = [
        (replace(plan, model=grid.model, settings=_seeded(grid, variant, seed), preset=grid.preset), out / folder)
        for variant, name in zip(grid.variants, _folders(grid.variants), strict=True)
        for seed in grid.seeds
        for folder in [Path(name) / f"seed-{seed}"]
    ]
    for own, _ in runs:
        checked_settings(own)
    data = prepare_data(runs[0][0])
    _check_same(runs, data, out)
    todo = [(own, folder) for own, folder in runs if not (folder / MODEL_CARD).exists()]
    for _, folder in runs:
        if (folder / MODEL_CARD).exists():
            clear_work(folder)
    began = time.monotonic()
    if progress is not None:
        progress(len(runs) - len(todo), len(runs))
    for done in train_all(todo, where, every):
        if progress is not None:
            progress(len(runs) - len(todo) + done, len(runs))
    trainings = [score_again(folder, own, data) for own, folder in runs]
    seconds = time.monotonic() - began
    metric = trainings[0].evaluator.metric
    each = len(grid.seeds)
    rows = [
        VariantResult(
            variant,
            tuple(one.result[metric].value or 0.0 for one in trainings[at * each : (at + 1) * each]),
            tuple(trainings[at * each : (at + 1) * each]),
        )
        for at, variant in enumerate(grid.variants)
    ]
    rows.sort(key=lambda row: -row.mean)
    return Sweep(grid, metric, tuple(rows), _compared(rows, metric, plan), seconds)


def _seeded(grid: Grid, variant: Variant, seed: int) -> dict[str, Any]:
    """Return the settings of a training; a deterministic model has no seed."""
    settings = {**grid.base, **variant.settings}
    if "seed" in variant.settings or "seed" in grid.base:
        raise UsageError("seed is not a setting of a sweep: set seeds = [0, 1, 2] at the top of the file")
    if "seed" in {one.name for one in fields(get_model(grid.model).settings)}:
        return {**settings, "seed": seed}
    if len(grid.seeds) > 1:
        raise UsageError(f"{grid.model} is deterministic: several seeds would train the same model")
    return settings


def _check_same(runs: Sequence[tuple[TrainingPlan, Path]], data: TrainingData, out: Path) -> None:
    """Fail if the folder has models that were trained with other settings or other data."""
    for own, folder in runs:
        if (folder / MODEL_CARD).exists() and not is_trained(read_card(folder), own, data):
            hint = f"Use another folder than {out}"
            raise InputError("belongs to another sweep", source=str(folder), hint=hint)


def _compared(rows: Sequence[VariantResult], metric: str, plan: TrainingPlan) -> Comparison | None:
    if len(rows) < 2 or plan.resampling.resamples < 2:
        return None
    evaluator, how = rows[0].trainings[0].evaluator, plan.resampling
    systems = {row.variant.name: Runs(*(one.predictions for one in row.trainings)) for row in rows}
    return compare(
        evaluator.gold,
        systems,
        like=evaluator.profile,
        metrics=[metric],
        by_label=False,
        resamples=how.resamples,
        level=how.level,
        seed=how.seed,
    )


def _folders(variants: Sequence[Variant]) -> list[str]:
    """Return a folder name for each variant: its number and a safe, short form of its name."""
    kept = ["".join(c if c.isalnum() or c in "-_.=" else "-" for c in variant.name)[:60] for variant in variants]
    return [f"{number:03d}-{name}" for number, name in enumerate(kept, 1)]
