"""How often equal systems are called different: `python -m benchmarks.false_alarms` prints the table of the docs."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product
from multiprocessing import Pool
from pathlib import Path

import numpy as np

from benchmarks.worlds import METRICS, SCHEMA, WORLDS, World, rows_of
from karatage.comparison.comparison import Contest
from karatage.comparison.pairwise import PairwiseTests
from karatage.metrics import Metric, Rows, Score
from karatage.stats import Evidence, PairedDifference, Resampling, Sampler, differing

RESULTS = Path(__file__).parent / "results"
COMPARED = {name: METRICS[name] for name in ("micro F1", "macro F1", "`final_f0.2`")}
ALIKE = {"unrelated": 0.0, "correlated": 0.7}
"""The share of units on which a system's output is a copy of the first one's."""


@dataclass
class Simulated:
    """Systems on a test set that was drawn from a world; stands in for `SystemCounts`."""

    sampler: Sampler
    systems: dict[str, list[int]]
    name: str = ""
    warnings: list[str] = field(default_factory=list)

    @property
    def runs(self) -> dict[str, list[int]]:
        """The only run of each system."""
        return self.systems

    def observed(self, metric: Metric) -> np.ndarray:
        """Return the score of each system."""
        population = self.sampler.population(metric)
        return self.sampler.values(metric, population.layout)(population.totals)

    def evidence(self, metric: Metric, run: int) -> Evidence:
        """Return what the units tell about a score."""
        return self.sampler.evidence(metric, run)

    def paired(self, metric: Metric, runs: list[int], minus: list[int], found: Evidence) -> PairedDifference | None:
        """Return the difference between two systems."""
        scores = self.observed(metric)
        units = differing(self.sampler.population(metric), [*runs, *minus])
        return PairedDifference.of(float(scores[runs[0]] - scores[minus[0]]), found, units)

    def with_judge(self, metric: Metric, run: int, score: Score, resampling: Resampling) -> Score:
        """Return a score as it is: there is no judge."""
        del metric, run, resampling
        return score

    def reason(self, metric: Metric, run: int) -> str | None:
        """Say why a metric is undefined: in these worlds none is."""
        del metric, run
        return None


def draw(world: World, units: int, systems: int, alike: float, rng: np.random.Generator) -> Simulated:
    """Draw a test set and let systems of the same quality answer, more or less alike."""
    second, ease, gold = world.gold(units, rng)
    first = world.answer(ease, gold, rng)
    rows: list[Rows] = [rows_of(second, first)]
    for _ in range(systems - 1):
        own = world.answer(ease, gold, rng)
        copied = rng.random(units) < alike
        own[copied] = first[copied]
        rows.append(rows_of(second, own))
    return Simulated(Sampler(rows, schema=SCHEMA), {f"s{k}": [k] for k in range(systems)})


def contests(
    world: World, units: int, systems: int, alike: float, number: int, test: str, resamples: int, metrics: Iterable[str]
) -> dict[str, Contest]:
    """Judge one simulated test set."""
    rng = np.random.default_rng([units, systems, round(100 * alike), number])
    drawn = draw(world, units, systems, alike, rng)
    tests = PairwiseTests([drawn], Resampling(resamples, seed=number), test)  # type: ignore[list-item]
    return tests.contests({name: COMPARED[name] for name in metrics})


def false_alarms(
    units: int,
    sets: Iterable[int],
    *,
    systems: int = 2,
    alike: float = 0.0,
    test: str = "randomisation",
    world: str = "usual",
    resamples: int = 1000,
    metrics: Iterable[str] = tuple(COMPARED),
) -> Counter[tuple[str, str]]:
    """Count, by metric, the test sets in which any two systems are called different, and intervals without 0."""
    out: Counter[tuple[str, str]] = Counter()
    for number in sets:
        found = contests(WORLDS[world], units, systems, alike, number, test, resamples, metrics)
        for name, contest in found.items():
            differences = contest.differences
            out[name, "alarms"] += any(d.significant for d in differences)
            out[name, "ranks"] += any(rank is not None and rank.best > 1 for rank in contest.ranks.values())
            first = differences[0]
            if first.low is not None and first.high is not None:
                out[name, "intervals"] += 1
                out[name, "without 0"] += not first.low <= 0 <= first.high
    return out


def _part(job: tuple[int, range, int, float, str]) -> Counter[tuple[str, str]]:
    units, sets, systems, alike, test = job
    return false_alarms(units, sets, systems=systems, alike=alike, test=test)


def _cell(total: Counter[tuple[str, str]], name: str, sets: int, systems: int) -> str:
    """Return how often there was an alarm and, for two systems, how often the interval of the difference held 0."""
    alarms = f"{100 * total[name, 'alarms'] / sets:.1f} %"
    given = total[name, "intervals"]
    return f"{alarms}, {100 * (1 - total[name, 'without 0'] / given):.1f} %" if systems == 2 and given else alarms


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.false_alarms")
    parser.add_argument("--sets", type=int, default=2000)
    sets = parser.parse_args().sets
    lines = ["| units | systems | errors | test | " + " | ".join(COMPARED) + " |", "|---|---|---|---|---|---|---|"]
    cases = [(2, "randomisation"), (2, "bootstrap"), (6, "randomisation")]
    with Pool(2) as pool:
        for (systems, test), alike, units in product(cases, ALIKE, (50, 200, 1000)):
            parts = [range(k, min(k + 50, sets)) for k in range(0, sets, 50)]
            total: Counter[tuple[str, str]] = Counter()
            for part in pool.imap_unordered(_part, [(units, p, systems, ALIKE[alike], test) for p in parts]):
                total.update(part)
            cells = (_cell(total, name, sets, systems) for name in COMPARED)
            lines.append(f"| {units:,} | {systems} | {alike} | {test} | {' | '.join(cells)} |")
            print(lines[-1], flush=True)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "false_alarms.md").write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
