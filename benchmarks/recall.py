"""Do intervals of a recall from samples hold the true recall as often as they say? `python -m benchmarks.recall`.

A benchmark is simulated as it comes about: a corpus has so many positives in each stratum and the tagger finds so many
of them, and candidates are drawn without replacement. The truth is the recall on all positives of that corpus, also on
those of strata whose sample has none. `--only` runs one part: kind, unkind, assisted, f1 or plans.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from karatage.recall import RECALL, StratumGuess, plan_labels
from karatage.recall.precision import PrecisionSample, with_precision
from karatage.stats.assisted_recall import Assisted, assisted
from karatage.stats.stratified import DEFAULT, METHODS, Interval, Strata, interval, posterior

LEVEL = 0.95
LABELLED = 1000
BENCHMARKS = 2000
FEWER = {"convolution": 400}
"""Benchmarks for methods that take long."""
DRAWS = 4000
"""Draws of `bayes`, a fifth of the usual: an end is then sure to about a hundredth of the width."""
LOOKED_AT = 500
"""Predictions whose labels give the precision."""


class Shape(NamedTuple):
    """Candidates of each stratum, the share of positives among them, and how many are labelled."""

    sizes: tuple[int, ...]
    shares: tuple[float, ...]
    labelled: tuple[int, ...] | int = LABELLED


SHAPES = {
    "_01": Shape((84_822, 81_893, 185_897), (0.35, 0.013, 0.172)),
    "_02": Shape(
        (314, 1200, 3000, 5000, 9000, 20_000, 40_000, 60_000, 110_000),
        (0.05, 0.004, 0.02, 0.8, 0.1, 0.3, 0.006, 0.05, 0.25),
    ),
    "rare": Shape((300_000, 250_000), (0.004, 0.006)),  # about 4 and 6 positives in the samples
    "heavy": Shape((1_000_000, 60_000), (0.03, 0.4)),  # about 30 positives weigh more than 400
}
UNKIND = {
    "3 of ½": Shape((1_000_000, 60_000), (0.003, 0.05)),  # about 3 positives in the sample are half of the corpus
    "1 of ¼": Shape((1_000_000, 60_000), (0.001, 0.05)),
    "½ of ⅐": Shape((1_000_000, 60_000), (0.0005, 0.05)),  # none in six of ten samples
    "1 of 1/25": Shape((1_000_000, 60_000), (0.001, 0.4)),
    "0.6 of 0.4": Shape((1_000_000, 60_000), (0.002, 0.05), (300, 1000)),
    "20 light": Shape((60_000, *[20_000] * 20), (0.2, *[0.002] * 20), (1000, *[100] * 20)),
    "pilots": Shape((60_000, 110_000, *[12_000] * 8), (0.05, 0.25, *[0.0005] * 8), (1000, 1000, *[100] * 8)),
    "mostly labelled": Shape((1000, 3000), (0.05, 0.002), (900, 2500)),
}


def _all(recall: float, strata: int) -> list[float]:
    return [recall] * strata


RECALLS: dict[str, Callable[[int], Iterable[float]] | None] = {
    **{f"all .{digits}": partial(_all, float(f".{digits}")) for digits in ("1", "5", "75", "9", "98")},
    "as EstNLTK": lambda n: np.resize((0.76, 0.08, 0.45), n),
    "rising": lambda n: np.linspace(0.2, 0.95, n),
    "falling": lambda n: np.linspace(0.95, 0.2, n),
    "random": None,  # new ones for every benchmark
    "first 0": lambda n: [0.0, *[0.95] * (n - 1)],
    "first 1": lambda n: [1.0, *[0.5] * (n - 1)],
}
KIND = tuple(name for name in RECALLS if not name.startswith("first"))


class Case(NamedTuple):
    """A benchmark, and the truth about its corpus."""

    strata: Strata
    samples: tuple[Assisted, ...]
    recall: float
    found: int


class Helper(NamedTuple):
    """How an existing tagger predicts: for how many positives and for how many others it says yes.

    `tie` is how much more often it says so of a positive that the tagger under test finds than of one that it misses.
    """

    sensitivity: float
    alarms: float
    tie: float

    def of_positives(self, recall: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return how often it says yes to found and to missed positives; on average as often as its sensitivity."""
        room = np.minimum((1 - self.sensitivity) / (1 - recall), self.sensitivity / recall)
        tie = np.minimum(self.tie, room)
        return self.sensitivity + (1 - recall) * tie, self.sensitivity - recall * tie


HELPERS = {
    "good": Helper(0.8, 0.05, 0.5),
    "its twin": Helper(0.6, 0.02, 1.0),
    "worthless": Helper(0.3, 0.3, 0.0),
}


class Held(NamedTuple):
    """How many intervals there were, how many lay below or above the truth, and the sum of their widths."""

    intervals: int = 0
    below: int = 0
    above: int = 0
    widths: float = 0.0

    def plus(self, ends: Interval, truth: float) -> Held:
        low, high = ends
        below, above = self.below + (high < truth), self.above + (low > truth)
        return Held(self.intervals + 1, below, above, self.widths + high - low)

    @property
    def share(self) -> float:
        return 1 - (self.below + self.above) / self.intervals

    @property
    def width(self) -> float:
        return self.widths / self.intervals

    def __str__(self) -> str:
        below, above = (100 * misses / self.intervals for misses in (self.below, self.above))
        return f"{100 * self.share:.1f} ({below:.1f} + {above:.1f}), {self.width:.3f}"


def cases(shape: str, recalls: str, number: int, helper: Helper | None = None) -> Iterator[Case]:
    """Draw benchmarks; with a helper also what it says of each labelled candidate."""
    shapes = SHAPES | UNKIND
    rng = np.random.default_rng([list(shapes).index(shape), list(RECALLS).index(recalls)])
    sizes, shares, numbers = (np.array(column) for column in shapes[shape])
    rule = RECALLS[recalls]
    wide = (number, len(sizes))
    given = rng.uniform(0.1, 0.98, wide) if rule is None else np.broadcast_to(np.array(list(rule(len(sizes)))), wide)
    positives = rng.binomial(sizes, shares, wide)
    found = rng.binomial(positives, given)
    # A corpus is six numbers per stratum: found, missed and other candidates, each with a yes or a no of the helper.
    kinds = np.stack([found, positives - found, sizes - positives], -1)
    yes = np.zeros_like(kinds)
    if helper is not None:
        chances = np.stack([*helper.of_positives(given), np.full(wide, helper.alarms)], -1)
        yes = rng.binomial(kinds, chances)
    cells = np.stack([yes, kinds - yes], -1).reshape(*wide, 6)
    labelled = np.minimum(sizes, numbers)
    for corpus in cells:
        drawn = np.array([rng.multivariate_hypergeometric(c, n) for c, n in zip(corpus, labelled, strict=True)])
        hits, sampled = drawn[:, :2].sum(1), drawn[:, :4].sum(1)
        if sampled.any():
            columns = (sizes, labelled, sampled, sampled, hits)
            strata = Strata(*(column.astype(float) for column in columns))
            samples: tuple[Assisted, ...] = ()
            if helper is not None:
                means = corpus[:, ::2].sum(1) / sizes
                samples = tuple(_sample(*one) for one in zip(drawn, means, strict=True))
            total = int(corpus[:, :2].sum())
            yield Case(strata, samples, total / int(corpus[:, :4].sum()), total)


def _sample(drawn: np.ndarray, mean: float) -> Assisted:
    kind = np.repeat(np.arange(6), drawn)
    return Assisted(kind < 4, kind < 2, (kind % 2 == 0).astype(float), float(mean))


def ends_of(method: str, strata: Strata) -> Interval:
    """Return the interval by a method; `bayes` with fewer draws."""
    if method == "bayes":
        low, high = np.quantile(posterior(strata, 0, DRAWS), (0.5 - LEVEL / 2, 0.5 + LEVEL / 2))
        return float(low), float(high)
    return interval(strata, method, LEVEL)


def coverage(shape: str, recalls: str, number: int = BENCHMARKS, methods: Iterable[str] = METHODS) -> dict[str, Held]:
    """Return what became of the intervals of each method."""
    out = dict.fromkeys(methods, Held())
    for done, case in enumerate(cases(shape, recalls, number)):
        for method in out:
            if done < FEWER.get(method, number):
                out[method] = out[method].plus(ends_of(method, case.strata), case.recall)
    return out


def hidden_coverage(shape: str, recalls: str, number: int = BENCHMARKS) -> dict[str, Held]:
    """Return what became of the default interval, with and without what strata without positives may hide."""
    out = dict.fromkeys((DEFAULT, "without hidden", "ratio-wilson"), Held())
    for case in cases(shape, recalls, number):
        ends = (
            interval(case.strata, DEFAULT, LEVEL),
            interval(case.strata.seen, DEFAULT, LEVEL),
            interval(case.strata, "ratio-wilson", LEVEL),
        )
        out = {name: held.plus(own, case.recall) for (name, held), own in zip(out.items(), ends, strict=True)}
    return out


def assisted_coverage(shape: str, recalls: str, helper: Helper, number: int = BENCHMARKS) -> tuple[Held, Held]:
    """Return what became of the intervals with predictions, and of those without on the same benchmarks."""
    plain, helped = Held(), Held()
    for case in cases(shape, recalls, number, helper):
        plain = plain.plus(ends_of(DEFAULT, case.strata), case.recall)
        helped = helped.plus(assisted(case.strata, case.samples, LEVEL)[1:], case.recall)
    return helped, plain


def f1_coverage(shape: str, recalls: str, precision: float, number: int = BENCHMARKS // 2) -> dict[str, Held]:
    """Return what became of the intervals of precision and F1, from a sample of the tagger's predictions."""
    out = dict.fromkeys(("precision", "f1"), Held())
    rng = np.random.default_rng([7, list(SHAPES | UNKIND).index(shape), list(RECALLS).index(recalls)])
    for case in cases(shape, recalls, number):
        wrong = int(rng.negative_binomial(case.found, precision))
        total = case.found + wrong
        right = int(rng.hypergeometric(case.found, wrong, min(LOOKED_AT, total)))
        sample = PrecisionSample.of_counts(right, min(LOOKED_AT, total), total)
        scores = with_precision(case.strata, case.strata.recall, sample, LEVEL, 0)
        share = case.found / total
        truths = {"precision": share, "f1": 2 * share * case.recall / (share + case.recall)}
        for name, truth in truths.items():
            low, high = scores[name].low, scores[name].high
            if low is None or high is None:
                raise AssertionError(f"{name} has no interval")
            out[name] = out[name].plus((low, high), truth)
    return out


class PlanCase(NamedTuple):
    """A pilot with so many labels per stratum, and the margin that is planned from it."""

    shape: Shape
    pilot: int
    margin: float


PLANS = {
    "one stratum": PlanCase(Shape((100_000,), (0.02,)), 100, 0.1),
    "_01": PlanCase(SHAPES["_01"], 100, 0.05),
    "_02": PlanCase(SHAPES["_02"], 100, 0.05),
    **{f"heavy, {n}": PlanCase(SHAPES["heavy"], n, m) for n, m in ((100, 0.1), (300, 0.05), (1000, 0.03))},
    **{f"rare, {n}": PlanCase(SHAPES["rare"], n, m) for n, m in ((300, 0.15), (1000, 0.15), (3000, 0.08))},
    **{f"3 of ½, {n}": PlanCase(UNKIND["3 of ½"], n, m) for n, m in ((300, 0.15), (1000, 0.1), (4000, 0.06))},
}


def planned(case: PlanCase, recall: float, number: int) -> tuple[float, float, float]:
    """Return how often a plan from a pilot reaches its margin, how often it warns, and how many labels it takes."""
    rng = np.random.default_rng(len(case.shape.sizes))
    sizes = np.array(case.shape.sizes)
    reached, warned, labels = [], [], []
    for _ in range(number):
        positives = rng.binomial(sizes, case.shape.shares)
        found = rng.binomial(positives, recall)
        corpus = np.stack([found, positives - found, sizes - positives], 1)
        first = np.minimum(case.pilot, sizes)
        pilot = _sampled(rng, corpus, first)
        guesses = [
            StratumGuess(
                str(k),
                int(size),
                share=(own[:2].sum() + 0.5) / (n + 1),
                recall=RECALL,
                labelled=int(n),
                positive=int(own[:2].sum()),
                trust=math.inf,
            )
            for k, (size, n, own) in enumerate(zip(sizes, first, pilot, strict=True))
        ]
        plan = plan_labels(guesses, margins=[case.margin])
        counts = np.array([one.labels for one in plan.allocations[0].strata])
        hits, misses, _others = (pilot + _sampled(rng, corpus - pilot, counts - first)).T.astype(float)
        tried = hits + misses
        low, high = interval(Strata(sizes.astype(float), counts.astype(float), tried, tried, hits), DEFAULT, LEVEL)
        reached.append((high - low) / 2 <= case.margin)
        warned.append(bool(plan.warnings))
        labels.append(counts.sum())
    return float(np.mean(reached)), float(np.mean(warned)), float(np.median(labels))


def _sampled(rng: np.random.Generator, corpus: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Draw so many candidates of each stratum without replacement."""
    return np.array([rng.multivariate_hypergeometric(own, n) for own, n in zip(corpus, counts, strict=True)])


def row(*cells: object) -> None:
    """Print a row of a table."""
    print(f"| {' | '.join(str(cell) for cell in cells)} |", flush=True)


def head(*names: str) -> None:
    """Print the head of a table."""
    row(*names)
    row(*("---" for _ in names))


def kind(number: int, methods: Iterable[str] = METHODS) -> None:
    """Print the coverage of every method."""
    start = time.perf_counter()
    print(", ".join(f"{method} saw {count} benchmarks" for method, count in FEWER.items()), end=".\n\n")
    head("world", "recalls", *methods)
    table = []
    for shape in SHAPES:
        for recalls in KIND:
            found = coverage(shape, recalls, number, methods)
            row(shape, recalls, *found.values())
            table.append((shape, recalls, *(f"{100 * held.share:.1f}" for held in found.values())))
            print(f"{shape}, {recalls}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    print("\nThe coverage alone:\n")
    head("world", "recalls", *methods)
    for cells in table:
        row(*cells)


def unkind(number: int) -> None:
    """Print the coverage where strata have few positives or none in their samples."""
    head("world", "recalls", DEFAULT, "without hidden", "ratio-wilson")
    for shape in UNKIND:
        for recalls in ("all .5", "all .9", "rising", "falling", "first 0", "first 1", "random"):
            row(shape, recalls, *hidden_coverage(shape, recalls, number).values())


def with_predictions(number: int) -> None:
    """Print the coverage with an existing tagger's predictions."""
    head("world", "recalls", "predictions", "assisted", DEFAULT, "width")
    for shape in SHAPES:
        for recalls in ("all .5", "all .9", "as EstNLTK", "random"):
            for name, helper in HELPERS.items():
                helped, plain = assisted_coverage(shape, recalls, helper, number)
                row(shape, recalls, name, helped, plain, f"{100 * (helped.width / plain.width - 1):+.0f} %")


def precision_and_f1(number: int) -> None:
    """Print the coverage of precision and F1."""
    head("world", "recalls", "precision of the tagger", "precision", "F1")
    for shape in (*SHAPES, "1 of ¼", "0.6 of 0.4"):
        for recalls, precision in (("all .5", 0.9), ("all .9", 0.95), ("as EstNLTK", 0.8), ("random", 0.7)):
            row(shape, recalls, precision, *f1_coverage(shape, recalls, precision, number // 2).values())


def plans(number: int) -> None:
    """Print how often a plan reaches its margin."""
    head("world, pilot", "positives in the pilot", "margin", "recall .5", "recall .9", "warned", "labels (median)")
    for name, case in PLANS.items():
        expected = ", ".join(f"{case.pilot * share:.3g}" for share in case.shape.shares)
        half, most = (planned(case, recall, number // 10) for recall in (0.5, 0.9))
        shares = (f"{100 * share:.0f} %" for share in (half[0], most[0], half[1]))
        row(name, expected, f"± {case.margin:g}", *shares, f"{half[2]:,.0f}")


def main() -> None:
    """Print all tables, or one of them."""
    parts = {
        "kind": kind,
        "unkind": unkind,
        "assisted": with_predictions,
        "f1": precision_and_f1,
        "plans": plans,
    }
    parser = argparse.ArgumentParser(prog="benchmarks.recall")
    parser.add_argument("--benchmarks", type=int, default=BENCHMARKS, help="how many to draw in each world")
    parser.add_argument("--only", choices=parts, help="run one part")
    given = parser.parse_args()
    noise = 196 * (LEVEL * (1 - LEVEL) / given.benchmarks) ** 0.5
    print(f"Coverage in % (interval below + above the truth), mean width; {given.benchmarks:,} benchmarks. ", end="")
    print(f"A coverage of 95 % is sure to ±{noise:.1f}.")
    for name, run in parts.items():
        if given.only in (None, name):
            print(f"\n{name}\n", flush=True)
            run(given.benchmarks)


if __name__ == "__main__":
    main()
