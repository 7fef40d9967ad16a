"""Sweeps: variants of a model, each trained with several seeds, in parallel, resumable."""

from __future__ import annotations

import os
import threading
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field, fields, replace
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from karatage.comparison import Comparison, compare
from karatage.errors import InputError, KaratageError, UsageError, unknown
from karatage.inputs import Runs
from karatage.taggers import MODEL_CARD
from karatage.training.model_folder import read_card
from karatage.training.models import get_model
from karatage.training.settings import read_settings
from karatage.training.train_tagger import Outcome, checked, is_trained, outcome_of, train_into
from karatage.training.training_data import Material, Plan, prepare

_KEYS = ("model", "config", "seeds", "set", "grid", "variants")


@dataclass(frozen=True)
class Variant:
    """One choice of settings.

    Attributes:
        name: how reports call it.
        settings: what it sets.
    """

    name: str
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Grid:
    """What a sweep tries.

    Attributes:
        model: the model.
        base: the settings that all variants share.
        variants: the variants.
        seeds: the seeds that each is trained with.
    """

    model: str
    base: Mapping[str, Any]
    variants: tuple[Variant, ...]
    seeds: tuple[int, ...] = (0,)

    @classmethod
    def read(cls, place: str) -> Grid:
        """Read a sweep from a TOML file: model, config, seeds, and tables `set`, `grid` or `variants`."""
        try:
            found = tomllib.loads(Path(place).read_text("utf-8"))
        except FileNotFoundError:
            raise InputError("no such file", source=place) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(f"is not TOML ({error})", source=place) from None
        for key in found:
            if key not in _KEYS:
                raise UsageError(f"{place}: {unknown('key of a sweep', key, _KEYS)}")
        for key in ("set", "grid"):
            if not isinstance(found.get(key, {}), Mapping):
                raise UsageError(f"{place}: {key} must be a table: [{key}]")
        base = read_settings(str(found["config"])) if "config" in found else {}
        model = str(found.get("model", base.pop("model", "")))
        if not model:
            raise UsageError(f'{place}: name the model: model = "bilstm"')
        seeds = found.get("seeds", [0])
        if not isinstance(seeds, list) or not seeds or any(type(s) is not int or s < 0 for s in seeds):
            raise UsageError(f"{place}: seeds must be a list of whole numbers, such as [0, 1, 2]")
        if len(set(seeds)) < len(seeds):
            raise UsageError(f"{place}: a seed occurs twice")
        variants = tuple(_variants(found, place))
        names = [variant.name for variant in variants]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise UsageError(f"{place}: two variants are called {twice!r}")
        return cls(model, {**base, **found.get("set", {})}, variants, tuple(seeds))


def _variants(found: Mapping[str, Any], place: str) -> Iterator[Variant]:
    if "grid" in found and "variants" in found:
        raise UsageError(f"{place}: give a grid or variants, not both")
    if "variants" in found:
        tables = found["variants"]
        if not isinstance(tables, list) or not tables or not all(isinstance(own, Mapping) for own in tables):
            raise UsageError(f"{place}: variants are tables: [[variants]]")
        for number, own in enumerate(tables, 1):
            yield Variant(str(own.get("name", number)), {k: v for k, v in own.items() if k != "name"})
        return
    grid = found.get("grid", {})
    wrong = next((key for key, values in grid.items() if not isinstance(values, list) or not values), None)
    if wrong is not None:
        raise UsageError(f"{place}: {wrong} in the grid must be a list of values to try")
    for values in product(*grid.values()):
        own = dict(zip(grid, values, strict=True))
        yield Variant(" ".join(f"{key}={_short(value)}" for key, value in own.items()) or "plain", own)


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Row:
    """A variant's results.

    Attributes:
        variant: the variant.
        values: the metric of each seed's model.
        outcomes: the trainings, in the order of the seeds.
    """

    variant: Variant
    values: tuple[float, ...]
    outcomes: tuple[Outcome, ...] = field(repr=False)

    @property
    def mean(self) -> float:
        """The mean over the seeds."""
        return fmean(self.values)

    @property
    def deviation(self) -> float | None:
        """The standard deviation over the seeds; None for one seed."""
        return stdev(self.values) if len(self.values) > 1 else None


@dataclass(frozen=True)
class Sweep:
    """What a sweep found.

    Attributes:
        grid: what was tried.
        metric: the metric that decides.
        rows: the variants, the best first.
        comparison: which differences between variants are real, over units and seeds; None for one variant.
        seconds: how long all trainings took together.
        material: the data.
    """

    grid: Grid
    metric: str
    rows: tuple[Row, ...]
    comparison: Comparison | None
    seconds: float
    material: Material = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, in the shape that `--json` prints."""
        return {
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


def run_sweep(
    grid: Grid,
    plan: Plan,
    out: Path,
    *,
    workers: int = 1,
    every: float = 5.0,
    progress: Callable[[int, int], None] | None = None,
) -> Sweep:
    """Train all variants with all seeds, and compare them.

    A run that is complete is kept; one that was interrupted goes on from its checkpoint.

    Args:
        grid: what to try.
        plan: what to train on; its model and settings are those of the grid.
        out: the folder of the sweep: a folder for each variant, and in it one model for each seed.
        workers: how many trainings run at once.
        every: seconds between two checkpoints of a training at least.
        progress: told how many trainings are done, and how many there are.
    """
    if workers < 1:
        raise UsageError(f"there must be at least 1 worker, not {workers}")
    if plan.test or plan.validation == plan.data:
        raise UsageError("a sweep chooses on validation data: score the best model on test data afterwards")
    runs = [
        (replace(plan, model=grid.model, settings=_seeded(grid, variant, seed)), out / folder)
        for variant, name in zip(grid.variants, _folders(grid.variants), strict=True)
        for seed in grid.seeds
        for folder in [Path(name) / f"seed-{seed}"]
    ]
    for own, _ in runs:
        checked(own)
    material = prepare(runs[0][0])
    _check_same(runs, material, out)
    todo = [(own, place) for own, place in runs if not (place / MODEL_CARD).exists()]
    began = time.monotonic()
    if progress is not None:
        progress(len(runs) - len(todo), len(runs))
    for done in _trained(todo, workers, every):
        if progress is not None:
            progress(len(runs) - len(todo) + done, len(runs))
    outcomes = [outcome_of(place, own, material) for own, place in runs]
    seconds = time.monotonic() - began
    metric = outcomes[0].judge.metric
    each = len(grid.seeds)
    rows = [
        Row(
            variant,
            tuple(one.result[metric].value or 0.0 for one in outcomes[at * each : (at + 1) * each]),
            tuple(outcomes[at * each : (at + 1) * each]),
        )
        for at, variant in enumerate(grid.variants)
    ]
    rows.sort(key=lambda row: -row.mean)
    return Sweep(grid, metric, tuple(rows), _compared(rows, metric, plan), seconds, material)


def _seeded(grid: Grid, variant: Variant, seed: int) -> dict[str, Any]:
    """Return the settings of a run; a model without random numbers has no seed."""
    settings = {**grid.base, **variant.settings}
    if "seed" in variant.settings or "seed" in grid.base:
        raise UsageError("the seeds of a sweep are its key seeds, such as seeds = [0, 1, 2], not a setting")
    if "seed" in {one.name for one in fields(get_model(grid.model).settings)}:
        return {**settings, "seed": seed}
    if len(grid.seeds) > 1:
        raise UsageError(f"the model {grid.model} has no random numbers: several seeds would give the same model")
    return settings


def _check_same(runs: Sequence[tuple[Plan, Path]], material: Material, out: Path) -> None:
    """Refuse a folder whose models were trained with other settings or on other data: they are another sweep's."""
    for own, place in runs:
        if (place / MODEL_CARD).exists() and not is_trained(read_card(place), own, material):
            raise InputError("is a model of another sweep", source=str(place), hint=f"Name another folder than {out}")


def _compared(rows: Sequence[Row], metric: str, plan: Plan) -> Comparison | None:
    if len(rows) < 2 or plan.resampling.get("resamples", 2) < 2:
        return None
    judge = rows[0].outcomes[0].judge
    systems = {row.variant.name: Runs(*(one.pred for one in row.outcomes)) for row in rows}
    return compare(judge.gold, systems, like=judge.profile, metrics=[metric], by_label=False, **plan.resampling)


def _folders(variants: Sequence[Variant]) -> list[str]:
    """Return a folder's name for each variant: its number, and as much of its name as any system takes."""
    kept = ["".join(c if c.isalnum() or c in "-_.=" else "-" for c in variant.name)[:60] for variant in variants]
    return [f"{number:03d}-{name}" for number, name in enumerate(kept, 1)]


def _trained(runs: Sequence[tuple[Plan, Path]], workers: int, every: float) -> Iterator[int]:
    """Train, and yield how many are done."""
    if workers == 1 or len(runs) < 2:
        for done, (own, place) in enumerate(runs, 1):
            _train_one(own, place, every)
            yield done
        return
    threads = max((os.cpu_count() or 1) // workers, 1)
    with ProcessPoolExecutor(workers, get_context("spawn"), _begin, (os.getpid(), threads)) as pool:
        waiting: set[Future[None]] = {pool.submit(_train_quietly, own, place, every) for own, place in runs}
        done = 0
        try:
            while waiting:
                ready, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for one in ready:
                    one.result()
                    done += 1
                    yield done
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _train_one(plan: Plan, place: Path, every: float) -> None:
    try:
        train_into(plan, place, every=every)
    except KaratageError as error:
        raise UsageError(f"{place.parent.name}, {place.name}: {error}") from None


def _train_quietly(plan: Plan, place: Path, every: float) -> None:
    """Train in a worker, which has nothing to say where the user stops it."""
    try:
        _train_one(plan, place, every)
    except KeyboardInterrupt:
        raise KaratageError("interrupted") from None


def _begin(parent: int, threads: int) -> None:
    """Take a share of the cores, and end with the process that started this one, however that ends."""
    os.environ["OMP_NUM_THREADS"] = str(threads)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
