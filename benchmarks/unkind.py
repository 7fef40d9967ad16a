"""Do the default intervals hold in worlds that were chosen to break them? `python -m benchmarks.unkind` prints a table.

Two systems answer on the same units. Truths are the scores on two million units, drawn once.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from functools import cache
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.coverage import observed
from benchmarks.worlds import dense_rows, with_hits
from karatage.metrics import COUNTS, Layout, Metric, Score
from karatage.stats import Resampling, Sampler, TwoSystems, difference_interval, with_intervals

RESULTS = Path(__file__).parent / "results"
LABELS = ("A", "B", "C", "rare")
CELLS = tuple(("", label) for label in LABELS)
METRICS = {name: Metric.parse(name) for name in ("f1", "f0.2", "macro_f1", "recall[rare]")}
SIZES = (50, 100, 300, 1000)

Draw = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray, np.ndarray]]
"""Returns the gold counts of units and labels, and the chances of both systems to find them."""


class Unkind(NamedTuple):
    """A world: what is unkind about it, how it draws, and how many entities that are not there a system adds."""

    about: str
    draw: Draw
    extra: float = 0.2


def _shared(rng: np.random.Generator, mean: float, alike: float, units: int) -> np.ndarray:
    """Return the chance of each unit's entities: the smaller `alike`, the more they go together."""
    return np.repeat(rng.beta(mean * alike, (1 - mean) * alike, (units, 1)), len(LABELS), axis=1)


def _usual(rng: np.random.Generator, units: int) -> np.ndarray:
    return rng.poisson((1.2, 0.7, 0.4, 0.1), (units, len(LABELS)))


def _independent(rng: np.random.Generator, units: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    chance = np.full((units, len(LABELS)), 0.8)
    return _usual(rng, units), chance, chance


def _together(rng: np.random.Generator, units: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    chance = _shared(rng, 0.8, 2.0, units)
    return _usual(rng, units), chance, chance


def _bursty(rng: np.random.Generator, units: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    gold = _usual(rng, units)
    gold[:, 3] = 8 * (rng.random(units) < 0.02)
    return gold, _shared(rng, 0.85, 0.6, units), _shared(rng, 0.85, 0.6, units)


def _failures(rng: np.random.Generator, units: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    gold = rng.poisson((4, 3, 2, 1), (units, len(LABELS)))
    chances = [np.where(rng.random((units, 1)) < 0.03, 0.0, np.full(gold.shape, 0.995)) for _ in range(2)]
    return gold, chances[0], chances[1]


def _pareto(rng: np.random.Generator, units: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    size = np.minimum(rng.pareto(1.5, (units, 1)) + 1, 1000)
    gold = rng.poisson(size * np.array([0.5, 0.3, 0.15, 0.05]))
    return gold, _shared(rng, 0.8, 2.0, units), _shared(rng, 0.8, 2.0, units)


def _perfect(rng: np.random.Generator, units: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    chance = np.full((units, len(LABELS)), 0.995)
    return rng.poisson((4, 3, 2, 1), (units, len(LABELS))), chance, chance


WORLDS = {
    "independent": Unkind("every entity is found on its own", _independent),
    "together": Unkind("entities of a unit are found or missed together", _together),
    "bursty": Unkind("the rare label is in 2 % of the units, eight times in each", _bursty),
    "failures": Unkind("3 % of the units fail wholly, all else is nearly right", _failures, 0.0),
    "pareto": Unkind("sizes of units have a heavy tail", _pareto),
    "perfect": Unkind("1 in 200 entities is missed", _perfect, 0.02),
}


def answers(world: Unkind, rng: np.random.Generator, units: int) -> list[np.ndarray]:
    """Let both systems answer; return gold, predicted and correct of each unit and label."""
    gold, *chances = world.draw(rng, units)
    out = []
    for chance in chances:
        correct = rng.binomial(gold, chance)
        added = rng.poisson(world.extra / len(LABELS), gold.shape)
        out.append(np.stack([gold, correct + added, correct], axis=2))
    return out


@cache
def truth(name: str) -> dict[str, float]:
    """Return the scores on endlessly many units."""
    rng = np.random.default_rng(1)
    total = sum(answers(WORLDS[name], rng, 50_000)[0].sum(axis=0).astype(float) for _ in range(40))
    layout = Layout(COUNTS, CELLS)
    return {text: float(metric.compute(layout, with_hits(total))) for text, metric in METRICS.items()}


class Held(NamedTuple):
    """How many intervals there were, in how many the truth lay below, and above, and how wide they were."""

    given: int = 0
    below: int = 0
    above: int = 0
    width: float = 0.0

    def plus(self, score: Score, true: float) -> Held:
        """Count one more."""
        if score.low is None or score.high is None:
            return self
        width = self.width + score.high - score.low
        return Held(self.given + 1, self.below + (true < score.low), self.above + (true > score.high), width)

    def add(self, other: Held) -> Held:
        """Count others too."""
        return Held(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def share(self) -> float:
        """In how many the truth lay inside."""
        return 1 - (self.below + self.above) / max(self.given, 1)

    def __str__(self) -> str:
        missed = (f"{100 * count / max(self.given, 1):.1f}" for count in (self.below, self.above))
        return f"{100 * self.share:.1f} % ({' + '.join(missed)})"


def coverage(name: str, units: int, sets: Iterable[int]) -> dict[str, Held]:
    """Draw test sets by their numbers; return what became of the intervals of scores and differences."""
    world, true = WORLDS[name], truth(name)
    out: dict[str, Held] = {}
    for number in sets:
        rng = np.random.default_rng([units, number, sorted(WORLDS).index(name)])
        sampler = Sampler([dense_rows(CELLS, own) for own in answers(world, rng, units)])
        values = {text: observed(sampler, metric) for text, metric in METRICS.items()}
        scores = {METRICS[text]: Score(value) for text, value in values.items() if not np.isnan(value)}
        found = with_intervals(scores, sampler, Resampling())
        for text, metric in METRICS.items():
            if metric in found:
                out[text] = out.get(text, Held()).plus(found[metric], true[text])
        for text in ("f1", "macro_f1"):
            pair = TwoSystems(sampler, 0, 1)
            drawn = sampler.population(METRICS[text])
            both = sampler.values(METRICS[text], drawn.layout)(drawn.totals)
            score = difference_interval(METRICS[text], float(both[0] - both[1]), Resampling(), pair)
            key = f"{text} difference"
            out[key] = out.get(key, Held()).plus(score, 0.0)
    return out


def _part(job: tuple[str, int, range]) -> dict[str, Held]:
    return coverage(*job)


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.unkind")
    parser.add_argument("--sets", type=int, default=2000, help="test sets of each size")
    parser.add_argument("--worlds", default=",".join(WORLDS))
    options = parser.parse_args()
    names = [*METRICS, "f1 difference", "macro_f1 difference"]
    lines = [f"| setting | units | {' | '.join(names)} |", f"|---|---|{'---|' * len(names)}"]
    print("\n".join(lines), flush=True)
    with Pool(2) as pool:
        for world in options.worlds.split(","):
            for units in SIZES:
                jobs = [(world, units, range(k, min(k + 50, options.sets))) for k in range(0, options.sets, 50)]
                total: dict[str, Held] = {}
                for part in pool.imap_unordered(_part, jobs):
                    total |= {key: total.get(key, Held()).add(held) for key, held in part.items()}
                lines.append(f"| {world} | {units:,} | {' | '.join(str(total[name]) for name in names)} |")
                print(lines[-1], flush=True)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "unkind.md").write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
