"""Do rank intervals hold the true ranks? `python -m benchmarks.ranks` prints the table of the docs.

Systems of known quality answer on the same units; some copy most of their answers from the first. Where systems are
equally good, an interval has to hold all places that they share.
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv

from benchmarks.simulated_systems import Simulated
from benchmarks.simulating import GrowingTable, processes
from benchmarks.worlds import CELLS, METRICS, SCHEMA, World, rows_of, with_hits
from karatage.comparison.pairwise import PairwiseTests
from karatage.metrics import COUNTS, Layout
from karatage.stats import RankInterval, Resampling, Sampler

COMPARED = ("micro F1", "macro F1")


class Field(NamedTuple):
    """The systems of a table: the quality of each, and which share of its answers it copies from the first."""

    qualities: tuple[float, ...]
    copied: tuple[float, ...]


FIELDS = {
    "all equal": Field((0.8,) * 6, (0.0,) * 6),
    "all equal, three similar": Field((0.8,) * 6, (0.0, 0.9, 0.9, 0.0, 0.0, 0.0)),
    "pairs": Field((0.82, 0.82, 0.8, 0.8, 0.77, 0.77), (0.0,) * 6),
    "steps": Field((0.82, 0.81, 0.8, 0.79, 0.78, 0.77), (0.0, 0.9, 0.0, 0.9, 0.0, 0.9)),
    "one stands out": Field((0.86, 0.8, 0.8, 0.8, 0.8, 0.8), (0.0, 0.0, 0.5, 0.5, 0.0, 0.0)),
}
"""The systems of the tables that are simulated."""


def true_ranks(field: Field, metric: str) -> list[RankInterval]:
    """Return the places that each system has, or shares with others."""
    expected = [World(quality=quality).expected() for quality in field.qualities]
    mixed = [(1 - copied) * own + copied * expected[0] for own, copied in zip(expected, field.copied, strict=True)]
    layout = Layout(COUNTS, CELLS)
    scores = np.round([float(METRICS[metric].compute(layout, with_hits(own), SCHEMA)) for own in mixed], 9)
    return [RankInterval(1 + int((scores > own).sum()), int((scores >= own).sum())) for own in scores]


def drawn(field: Field, units: int, rng: np.random.Generator) -> Simulated:
    """Draw a test set and let all systems answer."""
    second, luck = rng.random(units) < 0.4, rng.random(units)
    gold = rng.poisson(World().rates(second))
    answers: list[np.ndarray] = []
    for quality, share in zip(field.qualities, field.copied, strict=True):
        world = World(quality=quality)
        own = world.answer(betaincinv(quality * world.spread, (1 - quality) * world.spread, luck), gold, rng)
        copied = rng.random(units) < share
        own[copied] = answers[0][copied] if answers else own[copied]
        answers.append(own)
    rows = [rows_of(second, own) for own in answers]
    return Simulated.of(Sampler(rows, schema=SCHEMA), len(rows))


class Held(NamedTuple):
    """How many tables there were, in how many all ranks hold, how many ranks do, how wide they are, what is inverted.

    Attributes:
        tables: how many tables.
        together: in how many all intervals hold the true places.
        ranks: how many intervals hold them.
        places: how many places the intervals hold in total.
        inverted: in how many tables a system with a lower score has a better rank.
        counted: in how many it would, were its rank one more than the number of significantly better systems.
    """

    tables: int = 0
    together: int = 0
    ranks: int = 0
    places: int = 0
    inverted: int = 0
    counted: int = 0

    def add(self, other: Held) -> Held:
        """Count others too."""
        return Held(*(a + b for a, b in zip(self, other, strict=True)))


def coverage(name: str, units: int, sets: range) -> dict[str, Held]:
    """Return what became of the ranks in some test sets."""
    field, out = FIELDS[name], dict.fromkeys(COMPARED, Held())
    true = {metric: true_ranks(field, metric) for metric in COMPARED}
    for number in sets:
        test = drawn(field, units, np.random.default_rng([units, number, sorted(FIELDS).index(name)]))
        tests = PairwiseTests([test], Resampling(), "t")  # type: ignore[list-item]
        for metric, contest in tests.contests({metric: METRICS[metric] for metric in COMPARED}).items():
            found = [contest.ranks[f"s{k}"] for k in range(len(field.qualities))]
            held = [
                a is not None and a.best <= b.best and b.worst <= a.worst
                for a, b in zip(found, true[metric], strict=True)
            ]
            ordered = [rank for rank in contest.ranks.values() if rank is not None]  # the best score first
            counted = [
                1 + sum(d.significant and d.other == system for d in contest.differences) for system in contest.scores
            ]
            out[metric] = out[metric].add(
                Held(
                    1,
                    all(held),
                    sum(held),
                    sum(rank.worst - rank.best + 1 for rank in ordered),
                    any(a.best > b.best or a.worst > b.worst for a, b in pairwise(ordered)),
                    counted != sorted(counted),
                )
            )
    return out


def report(sets: int) -> None:
    """Print how often ranks hold the true places, how wide they are, and how often they contradict the scores."""
    shares = ("all ranks right", "each rank right", "places", "inverted", "inverted by counting")
    table = GrowingTable("systems", "units", "metric", *shares)
    with processes() as in_parts:
        for name in FIELDS:
            for units in (50, 200, 1000):
                total = dict.fromkeys(COMPARED, Held())
                for part in in_parts(coverage, sets, name, units):
                    total = {metric: total[metric].add(part[metric]) for metric in COMPARED}
                for metric, held in total.items():
                    each = len(FIELDS[name].qualities) * held.tables
                    right = (held.together / held.tables, held.ranks / each)
                    inverted = (held.inverted / held.tables, held.counted / held.tables)
                    cells = [f"{100 * share:.1f} %" for share in (*right, *inverted)]
                    table.row(name, f"{units:,}", metric, *cells[:2], f"{held.places / each:.1f}", *cells[2:])
    table.save("ranks")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="benchmarks.ranks")
    parser.add_argument("--sets", type=int, default=1000)
    report(parser.parse_args().sets)
