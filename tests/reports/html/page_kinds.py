"""One real page of every kind that Karatage makes, from the demo's files."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import polars as pl

import karatage
from karatage.demo import copy, data
from karatage.experiments import EpochEntry, Experiment, ExperimentLog, compare_experiments, log_sweep
from karatage.recall import estimate, read_benchmark
from karatage.reports import Page, recall_page
from karatage.reports.learning_curves import curves_page
from karatage.training import Grid, Sweep, TrainingPlan, run_sweep

GOLD = data("gold.conll")
TAGGERS = {name: data(f"{name}.conll") for name in ("lexicon", "context", "shape")}
ENGINES = {name: data(f"{name}.run") for name in ("bm25", "trigrams", "expanded")}
"""In this order, the best is never the first."""


def _some(files: dict[str, Path], count: int) -> dict[str, Path]:
    return dict(list(files.items())[:count])


def explained(count: int) -> Page:
    return karatage.explain(GOLD, _some(TAGGERS, count), resamples=100, diff=count == 2).page()


def searched(*, diff: bool) -> Page:
    found = karatage.explain(data("search.qrels"), ENGINES, diff=diff, queries=data("queries.tsv"), resamples=100)
    return found.page()


def sampled() -> Page:
    rng = random.Random(0)
    rows = [{"id": f"s{k}", "score": float(rng.random() < 0.5), "topic": rng.choice("abc")} for k in range(90)]
    better = pl.DataFrame(rows).with_columns(score=pl.lit(1.0))
    return karatage.explain(pl.DataFrame(rows), {"better": better}, resamples=100).page()


def compared(count: int) -> Page:
    return karatage.compare(GOLD, _some(TAGGERS, count), resamples=100).page()


def compared_search() -> Page:
    found = karatage.compare(
        data("search.qrels"), ENGINES, diff=True, queries=data("queries.tsv"), resamples=100, metrics=["nDCG@10", "AP"]
    )
    return found.page()


def compared_two_engines() -> Page:
    return karatage.compare(data("search.qrels"), _some(ENGINES, 2), resamples=100).page()


def compared_sets() -> Page:
    def sets(path: Path) -> karatage.Sets:
        sentences = path.read_text("utf-8").strip().split("\n\n")
        parts = {"web": sentences[:160], "mail and letters": sentences[160:]}
        tags = {
            name: [[line.split()[-1] for line in one.splitlines() if not line.startswith("#")] for one in own]
            for name, own in parts.items()
        }
        return karatage.Sets(**tags)

    return karatage.compare(
        sets(Path(GOLD)), {name: sets(Path(path)) for name, path in TAGGERS.items()}, resamples=100
    ).page()


def recalled(folder: Path) -> Page:
    copy(folder / "demo")
    benchmark = read_benchmark(folder / "demo" / "makers")
    return recall_page(estimate(benchmark, stored=True), benchmark)


def swept(folder: Path) -> Sweep:
    (folder / "grid.toml").write_text('model = "crf"\n[grid]\niterations = [1, 2, 9]\n')
    (folder / "gold.conll").write_bytes(Path(GOLD).read_bytes())
    grid = Grid.read(str(folder / "grid.toml"))
    plan = TrainingPlan(data=str(folder / "gold.conll"), model=grid.model)
    return run_sweep(grid, plan, folder / "sweep", jobs=1)


def experiments(folder: Path) -> Page:
    log = ExperimentLog(folder / "log")
    log_sweep(log, swept(folder), folder / "sweep")
    return compare_experiments(log, "4", "2", resamples=100).page()


def learned() -> Page:
    epochs = tuple(EpochEntry(step, 1 / step, 1.0, {"f1": 1 - 1 / step}) for step in range(1, 9))
    many = [
        Experiment(
            kind="train", id=f"RUN-{k}", name=f"RUN-{k}", date="2026-01-01T00:00:00+00:00", model="a-long-model-name",
            metric="f1", best_epoch=8, epochs=epochs,
        )
        for k in range(3)
    ]  # fmt: skip
    return curves_page(many)


KINDS: dict[str, Callable[[Path], Page]] = {
    "one extractor": lambda _: explained(1),
    "two extractors": lambda _: explained(2),
    "three extractors": lambda _: explained(3),
    "search": lambda _: searched(diff=False),
    "search, changes": lambda _: searched(diff=True),
    "samples": lambda _: sampled(),
    "data set": lambda _: karatage.describe(GOLD).page(),
    "judgements": lambda _: karatage.describe(data("search.qrels")).page(),
    "recall": recalled,
    "comparison": lambda _: compared(2),
    "comparison of three": lambda _: compared(3),
    "comparison of two engines": lambda _: compared_two_engines(),
    "comparison of three engines, changes": lambda _: compared_search(),
    "comparison on two test sets": lambda _: compared_sets(),
    "experiments": experiments,
    "learning curves": lambda _: learned(),
    "sweep": lambda folder: swept(folder).page(),
}
