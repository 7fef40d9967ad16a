"""Do scores from few gold labels and many labels of a judge hold? `python -m benchmarks.judges` prints a table.

Units have entities of three labels, and two systems answer on them. Gold has a random part of the units, a judge all.
Truths are the scores on two million units, drawn once. For each cell: the share of 95 % intervals that hold the truth,
and how many labelled units it would take without the judge, relative to those there are.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import cache
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.worlds import dense_rows, with_hits
from karatage._arrays import Floats
from karatage.inputs import as_input
from karatage.metrics import COUNTS, Layout, Metric, Rows, Score, mean_rows
from karatage.profiles import get_profile
from karatage.scoring import JudgedUnits, OrderedCounts, ScoringReading, UnitRows, open_task
from karatage.stats import LabelledPart, PairedDifference, Resampling, Sampler, evidence_interval

RESULTS = Path(__file__).parent / "results"
LABELS = ("A", "B", "rare")
CELLS = tuple(("", label) for label in LABELS)
COUNTED = {name: Metric.parse(name) for name in ("f1", "macro_f1")}
MEAN = Metric.parse("nDCG@10")
SIZES = (30, 50, 100, 300)
OTHERS = 2000
RATES = (1.0, 0.5, 0.12)


class Labels(NamedTuple):
    """A judge: the chance that it labels an entity that the first system found, one that it missed, and wrong ones."""

    found: float
    missed: float
    wrong: tuple[float, float]
    more: float
    fails: float = 0.0


JUDGES = {
    "good": Labels(0.96, 0.9, (0.1, 0.1), 0.05),
    "biased": Labels(0.99, 0.5, (0.7, 0.3), 0.05),
    "middling": Labels(0.8, 0.6, (0.4, 0.4), 0.3),
    "adverse": Labels(0.3, 0.9, (0.9, 0.9), 0.1),
    "fails on 5 %": Labels(1.0, 1.0, (0.0, 0.0), 0.0, 0.05),
    "useless": Labels(0.8, 0.8, (0.4, 0.4), 0.3),
}
"""`biased` favours the first system; `fails on 5 %` is right but on some units, where it labels nothing; `useless`
labels other units than it says."""


def drawn(judge: str, world: str, rng: np.random.Generator, units: int) -> tuple[list[Floats], list[Floats]]:
    """Draw units; return gold, predicted and correct of each unit and label: of each system, by gold and judge."""
    own = JUDGES[judge]
    size = np.minimum(rng.pareto(1.8, (units, 1)) + 0.4, 60) if world == "long tail" else np.ones((units, 1))
    gold = rng.poisson(size * np.array(RATES))
    unit, label = (np.repeat(index.ravel(), gold.ravel()) for index in np.indices(gold.shape))
    key = unit * len(LABELS) + label

    def count(chosen: np.ndarray, keys: np.ndarray) -> np.ndarray:
        return np.bincount(keys[chosen], minlength=gold.size).reshape(gold.shape)

    ease = rng.beta(4, 1, units)[unit] if world == "together" else np.full(len(unit), 0.82)
    found = [rng.random(len(unit)) < ease for _ in range(2)]
    awake = rng.random(units) >= own.fails
    kept = (rng.random(len(unit)) < np.where(found[0], own.found, own.missed)) & awake[unit]
    wrong = [rng.poisson(0.25 * size * np.array(RATES)) for _ in range(2)]
    agreed = [rng.binomial(w, chance) * awake[:, None] for w, chance in zip(wrong, own.wrong, strict=True)]
    labelled = count(kept, key) + agreed[0] + agreed[1] + rng.poisson(own.more / 3, gold.shape) * awake[:, None]
    by_gold, by_judge = [], []
    for system in range(2):
        hits, right = count(found[system], key), count(found[system] & kept, key) + agreed[system]
        predicted = hits + wrong[system]
        theirs = labelled
        if judge == "useless":
            theirs = rng.permutation(labelled)
            right = rng.binomial(np.minimum(theirs, predicted), 0.6)
        by_gold.append(np.stack([gold, predicted, hits], axis=2).astype(float))
        by_judge.append(np.stack([theirs, predicted, right], axis=2).astype(float))
    return by_gold, by_judge


def values(judge: str, rng: np.random.Generator, units: int) -> tuple[list[Floats], list[Floats]]:
    """Draw queries; return the nDCG of two engines on each, by gold and by the judge."""
    hard = rng.random(units) < 0.25
    by_gold = [np.where(hard & (rng.random(units) < 0.7), 0.0, rng.beta(3, 1.5, units)) for _ in range(2)]
    noise = {"good": 0.1, "biased": 0.15, "middling": 0.3, "adverse": 0.1, "fails on 5 %": 0.0, "useless": 0.1}[judge]
    by_judge = []
    for system, own in enumerate(by_gold):
        seen = rng.permutation(own) if judge == "useless" else 1 - own if judge == "adverse" else own
        shift = (0.2 if system == 0 else 0.05) if judge == "biased" else 0.0
        noisy = np.clip(seen + shift + noise * rng.standard_normal(units), 0, 1)
        by_judge.append(np.where(rng.random(units) < JUDGES[judge].fails, 0.0, noisy))
    return by_gold, by_judge


@cache
def truth(world: str) -> dict[str, float]:
    """Return the scores of a system on endlessly many units; both systems have the same."""
    rng = np.random.default_rng(1)
    total = sum(drawn("good", world, rng, 50_000)[0][0].sum(axis=0) for _ in range(40))
    out = {name: float(metric.compute(Layout(COUNTS, CELLS), with_hits(total))) for name, metric in COUNTED.items()}
    return out | {"nDCG@10": float(np.mean([values("good", rng, 50_000)[0][0].mean() for _ in range(40)]))}


class Cell(NamedTuple):
    """What is counted of one estimate: misses on each side, the width with and without the judge, its worth."""

    below: int
    above: int
    width: float
    alone: float
    worth: float


def estimates(
    gold: list[UnitRows],
    judge: list[UnitRows],
    part: LabelledPart,
    metrics: dict[str, Metric],
    true: dict[str, float],
    apart: dict[str, float] | None = None,
) -> Iterator[tuple[str, Cell]]:
    """Estimate the scores of the first system, and how far it is `apart` from the other, from some labelled units."""
    profile, resampling = get_profile("exact"), Resampling()
    place = np.where(part.labelled, np.cumsum(part.labelled) - 1, -1)
    some = np.flatnonzero(part.labelled)
    labelled = [UnitRows(*(rows and rows.taken(some, np.ones(len(some), np.int64)) for rows in own)) for own in gold]
    sampler = JudgedUnits(place, part, None, None).sampler(labelled, judge, profile)
    means = None if labelled[0].means is None else [own.means for own in labelled]
    alone = Sampler([own.claims for own in labelled], means=means)
    for name, metric in metrics.items():
        known = [alone.evidence(metric, system) for system in range(2)]
        found = [sampler.estimate(metric, system, own) for system, own in enumerate(known)]
        if found[0] is None or found[1] is None:
            continue
        whole = alone.population(metric)
        scores = alone.values(metric, whole.layout)(whole.totals)
        one = evidence_interval(metric, Score(found[0].value), resampling, found[0].found)
        gold_only = evidence_interval(metric, Score(float(scores[0])), resampling, known[0])
        if one.low is None or one.high is None or gold_only.low is None or gold_only.high is None:
            continue
        ratio = known[0].variance / found[0].found.variance if found[0].found.variance else 1.0
        widths = one.high - one.low, gold_only.high - gold_only.low
        yield name, Cell(true[name] < one.low, true[name] > one.high, *widths, ratio)
        told = known[0].minus(known[1])
        pair = sampler.paired(found[0].value - found[1].value, [found[0]], [found[1]], len(some), told)
        plain = PairedDifference.of(float(scores[0] - scores[1]), told, len(some))
        if pair is not None and plain is not None:
            gap = 0.0 if apart is None else apart[name]
            (low, high), (other, end) = pair.ends(0.95), plain.ends(0.95)
            yield (
                f"{name} difference",
                Cell(gap < low, gap > high, high - low, end - other, plain.variance / pair.variance),
            )


def corpus(paths: tuple[str, ...]) -> tuple[list[UnitRows], list[UnitRows]]:
    """Return the counts of two systems on each unit of a corpus, by gold and by the judge."""
    reading = ScoringReading()
    gold, judge, *systems = (as_input(path, name=path) for path in paths)
    sides = []
    for labels in (gold, judge):
        rows = []
        for system in systems:
            counts = OrderedCounts(Resampling(), lambda _: None)
            total, _ = open_task(labels, system, get_profile("exact"), reading).tally(None, counts)
            rows.append(counts.rows(total.columns))
        sides.append(rows)
    return sides[0], sides[1]


def resample(task: tuple[tuple[str, ...], int, int, int]) -> list[tuple[str, Cell]]:
    """Draw test sets from a corpus, which stands for all there is, and estimate the scores of each."""
    paths, labelled, count, seed = task
    rng = np.random.default_rng([seed, labelled])
    gold, judge = corpus(paths)
    whole = Sampler([own.claims for own in gold])
    true, apart = {}, {}
    for name, metric in COUNTED.items():
        drawn_from = whole.population(metric)
        scores = whole.values(metric, drawn_from.layout)(drawn_from.totals)
        true[name], apart[name] = float(scores[0]), float(scores[0] - scores[1])
    size = len(gold[0].claims)
    part = LabelledPart(np.arange(size) < labelled, np.arange(size), np.zeros(size, np.int64))
    out: list[tuple[str, Cell]] = []
    for _ in range(count):
        chosen = rng.integers(size, size=size)
        some = [
            [UnitRows(own.claims.taken(chosen, np.ones(size, np.int64)), None, None, None) for own in side]
            for side in (gold, judge)
        ]
        out += estimates(some[0], some[1], part, COUNTED, true, apart)
    return out


def repeat(task: tuple[str, str, int, int, int]) -> list[tuple[str, Cell]]:
    """Draw some test sets of one world and judge, and estimate the scores of each."""
    judge, world, labelled, count, seed = task
    rng = np.random.default_rng([seed, labelled, len(world), list(JUDGES).index(judge)])
    units = labelled + OTHERS
    part = LabelledPart(np.arange(units) < labelled, np.arange(units), np.zeros(units, np.int64))
    out: list[tuple[str, Cell]] = []
    for _ in range(count):
        if world == "search":
            sides = values(judge, rng, units)
            empty = Rows.of_values(COUNTS, np.zeros((units, 4), np.int64))
            gold, by_judge = ([UnitRows(empty, None, None, mean_rows({MEAN: v})) for v in side] for side in sides)
            metrics = {"nDCG@10": MEAN}
        else:
            counts = drawn(judge, world, rng, units)
            gold, by_judge = (
                [UnitRows(dense_rows(CELLS, own.astype(np.int64)), None, None, None) for own in side] for side in counts
            )
            metrics = COUNTED
        out += estimates(gold, by_judge, part, metrics, truth("plain" if world == "search" else world))
    return out


def shown(cells: list[Cell]) -> str:
    """Return the coverage with misses on each side, the width relative to gold alone, and what the labels are worth."""
    if not cells:
        return ""
    below, above, width, alone, worth = np.array(cells, float).T
    missed = [100 * float(side.mean()) for side in (below, above)]
    worth = float(np.median(worth))
    return (
        f"{100 - sum(missed):.1f} ({missed[0]:.1f} + {missed[1]:.1f}), {width.mean() / alone.mean():.2f}, {worth:.1f}"
    )


def _files(paths: tuple[str, ...], sets: int, cores: int) -> None:
    """Print the table of a corpus."""
    names = [*COUNTED, *(f"{name} difference" for name in COUNTED)]
    print(f"| labelled | {' | '.join(names)} |\n|---|{'---|' * len(names)}", flush=True)
    with Pool(cores) as pool:
        for labelled in SIZES:
            cells: dict[str, list[Cell]] = {}
            for part in pool.imap_unordered(resample, [(paths, labelled, 50, seed) for seed in range(sets // 50)]):
                for name, cell in part:
                    cells.setdefault(name, []).append(cell)
            print(f"| {labelled} | {' | '.join(shown(cells.get(n, [])) for n in names)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.judges")
    parser.add_argument("--sets", type=int, default=200, help="test sets of each size")
    parser.add_argument("--worlds", default="plain,together,long tail,search")
    parser.add_argument("--judges", default=",".join(JUDGES))
    parser.add_argument("--files", nargs=4, metavar=("GOLD", "JUDGE", "ONE", "OTHER"), help="resample a corpus instead")
    parser.add_argument("--cores", type=int, default=2)
    options = parser.parse_args()
    lines: list[str] = []
    if options.files:
        _files(tuple(options.files), options.sets, options.cores)
        return
    with Pool(options.cores) as pool:
        for world in options.worlds.split(","):
            names = ["nDCG@10"] if world == "search" else list(COUNTED)
            names += [f"{name} difference" for name in names]
            lines += ["", f"| {world}: judge | labelled | {' | '.join(names)} |", f"|---|---|{'---|' * len(names)}"]
            print("\n".join(lines[-3:]), flush=True)
            for judge in options.judges.split(","):
                for labelled in SIZES:
                    jobs = [(judge, world, labelled, 25, seed) for seed in range(options.sets // 25)]
                    cells: dict[str, list[Cell]] = {}
                    for part in pool.imap_unordered(repeat, jobs):
                        for name, cell in part:
                            cells.setdefault(name, []).append(cell)
                    lines.append(f"| {judge} | {labelled} | {' | '.join(shown(cells.get(n, [])) for n in names)} |")
                    print(lines[-1], flush=True)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "judges.md").write_text("\n".join(lines).lstrip() + "\n", "utf-8")


if __name__ == "__main__":
    main()
