"""Where intervals are tried: kind worlds, unkind ones, real corpora, search. All give test sets and true scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from benchmarks import corpora
from benchmarks.query_worlds import QUERIES, QueryWorld
from benchmarks.unkind_worlds import COLUMNS, UNKIND, Unkind, answers, cells, unkind_rows, weaker
from benchmarks.worlds import CELLS as KIND_CELLS, SCHEMA, WORLDS, World, rows_of, with_hits
from karatage.inputs import as_input
from karatage.metrics import COUNTS, NO_SCHEMA, Layout, Metric, Rows, Schema, mean_rows
from karatage.metrics.metric import STEP
from karatage.profiles import get_profile
from karatage.scoring import OrderedCounts, ScoringReading, open_task
from karatage.stats import Resampling, Sampler


class Setting(NamedTuple):
    """Something to draw test sets from, on which two systems answer.

    Attributes:
        about: what it is like.
        metrics: the scores that are looked at, by the column of the table that shows them.
        draw: draws a test set of so many units.
        layout: what the true counts belong to.
        counts: the true counts of both systems, up to a factor.
        schema: the declared groups.
    """

    about: str
    metrics: Mapping[str, Metric]
    draw: Callable[[np.random.Generator, int], Sampler]
    layout: Layout
    counts: np.ndarray
    schema: Schema = NO_SCHEMA

    def true(self, metric: Metric, sampler: Sampler, system: int) -> float:
        """Return the true score; an average over labels is over those that a test set has."""
        layout, counts = self.layout, self.counts[system]
        if not metric.reads_sums and not metric.per_unit:
            drawn = sampler.population(metric)
            there = {
                cell
                for cell, own in zip(drawn.layout.cells, drawn.totals[system], strict=True)
                if own[:2].any()  # gold or predicted
            }
            kept = [k for k, cell in enumerate(layout.cells) if cell in there]
            layout, counts = Layout(layout.columns, tuple(layout.cells[k] for k in kept)), counts[kept]
        return float(metric.compute(layout, counts, self.schema))


MICRO, MACRO, WEIGHTED, LABEL, PARTIAL, MEAN = "micro F1", "macro F1", "F0.2", "a label", "partial F1", "mean"


def _parsed(**names: str) -> dict[str, Metric]:
    return {globals()[column]: Metric.parse(name) for column, name in names.items()}


def kind(world: World) -> Setting:
    """Return a kind world: units are more or less difficult, systems take labels for others."""

    def draw(rng: np.random.Generator, units: int) -> Sampler:
        second, ease, gold = world.gold(units, rng)
        return Sampler([rows_of(second, world.answer(ease, gold, rng)) for _ in range(2)], schema=SCHEMA)

    metrics = _parsed(MICRO="f1", MACRO="macro_f1", WEIGHTED="groups_weighted_f0.2", LABEL="recall[F]")
    counts = np.stack([with_hits(world.expected())] * 2)
    return Setting("", metrics, draw, Layout(COUNTS, KIND_CELLS), counts, SCHEMA)


def unkind(world: Unkind) -> Setting:
    """Return an unkind world; its true counts are those of a million units."""

    def draw(rng: np.random.Generator, units: int) -> Sampler:
        return Sampler([unkind_rows(own) for own in answers(world, rng, units)])

    rng = np.random.default_rng(1)
    counts = sum(np.stack([own.sum(axis=0) for own in answers(world, rng, 50_000)]).astype(float) for _ in range(20))
    metrics = _parsed(MICRO="f1", MACRO="macro_f1", WEIGHTED="f0.2", LABEL="recall[rare]", PARTIAL="partial_f1")
    return Setting(world.about, metrics, draw, Layout(COLUMNS, cells(np.shape(counts)[1])), np.asarray(counts))


def corpus(name: str) -> Setting:
    """Return a real corpus, from whose sentences test sets are drawn with replacement."""
    gold = as_input(corpora.gold(name), format=None, name="gold").remembered()
    profile, reading, rows = get_profile("semeval2013"), ScoringReading(), []
    for system in sorted(corpora.SYSTEMS):
        pred = as_input(corpora.answers(name, system), format=None, name=system)
        ordered = OrderedCounts(Resampling(), lambda _: None)
        total, _ = open_task(gold, pred, profile, reading).tally(None, ordered)
        rows.append(ordered.rows(total.columns).claims)
    cells = tuple(sorted({cell for own in rows for cell in own.cells}))
    label = min(_partly_right(rows[0]), key=lambda cell: abs(_gold_units(rows[0], cell) / len(rows[0]) - 0.03))[1]

    def draw(rng: np.random.Generator, units: int) -> Sampler:
        times = np.bincount(rng.integers(len(rows[0]), size=units), minlength=len(rows[0]))
        chosen = np.flatnonzero(times)
        return Sampler([own.taken(chosen, times[chosen]) for own in rows])

    counts = np.stack([_on(cells, own) for own in rows])
    metrics = _parsed(
        MICRO="f1",
        MACRO="macro_f1",
        WEIGHTED="f0.2",
        LABEL=f"recall[{label}]",
        PARTIAL="partial_f1",
    )
    return Setting(f"{len(rows[0]):,} sentences, two CRFs", metrics, draw, Layout(rows[0].columns, cells), counts)


def _partly_right(rows: Rows) -> list[tuple[str, str]]:
    """Return the labels of which some are found and some missed: an interval always holds a recall of 0."""
    gold, correct = (rows.totals[:, rows.columns.index(name)] for name in ("gold", "correct"))
    return [cell for cell, own, found in zip(rows.cells, gold, correct, strict=True) if 0 < found < own]


def _gold_units(rows: Rows, cell: tuple[str, str]) -> int:
    return int((rows.counts[rows.cell == rows.cells.index(cell), 0] > 0).sum()) if cell in rows.cells else 0


def _on(cells: tuple[tuple[str, str], ...], rows: Rows) -> np.ndarray:
    """Return the counts of rows on the cells of all systems."""
    out = np.zeros((len(cells), len(rows.columns)))
    out[[cells.index(cell) for cell in rows.cells]] = rows.totals
    return out


def queries(world: QueryWorld, share: float = 1.0) -> Setting:
    """Return a world of search: the score is a mean over queries."""
    metric = Metric.parse("nDCG@10")

    def draw(rng: np.random.Generator, units: int) -> Sampler:
        one = Rows.of_values(("gold",), np.ones((units, 1), np.int64))
        return Sampler([one, one], None, [mean_rows({metric: values}) for values in world.both(rng, units, share)])

    counts = np.array([[[mean * STEP, 1.0]] for mean in (world.mean, share * world.mean)])
    return Setting(world.about, {MEAN: metric}, draw, Layout(metric.columns, (("", ""),)), counts)


MADE: dict[str, Callable[[], Setting]] = {
    **{name: partial(kind, world) for name, world in WORLDS.items()},
    **{name: partial(unkind, world) for name, world in UNKIND.items()},
    **{name: partial(corpus, name) for name in corpora.CORPORA},
    **{f"queries, {name}": partial(queries, world) for name, world in QUERIES.items()},
}

WORSE: dict[str, Callable[[], Setting]] = {
    "together, worse": partial(unkind, weaker(UNKIND["together"], 0.95)),
    "failures, worse": partial(unkind, weaker(UNKIND["failures"], 0.98)),
    "pareto, worse": partial(unkind, weaker(UNKIND["pareto"], 0.9)),
    "labels, worse": partial(unkind, weaker(UNKIND["labels"], 0.9)),
    "traded, worse": partial(unkind, weaker(UNKIND["traded"], 0.8)),
    "queries, zeros, worse": partial(queries, QUERIES["zeros"], 0.9),
    "queries, poor, worse": partial(queries, QUERIES["poor"], 0.7),
}
"""Settings in which the second system is worse than the first."""


@cache
def setting(name: str) -> Setting:
    """Return a setting by name."""
    return (MADE | WORSE)[name]()


def available() -> list[str]:
    """Return the names of the settings; corpora only where they are there."""
    return [name for name in MADE if name not in corpora.CORPORA or name in corpora.present()]
