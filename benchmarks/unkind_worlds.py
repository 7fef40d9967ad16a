"""Made-up worlds that were chosen to break intervals and tests: what fails, fails together, or is rare, or is large.

Two systems answer on the same units. A gold entity is found, or found with a wrong boundary, or missed; and a system
adds some that are not there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from karatage.metrics import COUNTS, KINDS, Rows

LABELS = ("A", "B", "C", "rare")
COLUMNS = (*COUNTS, *KINDS)

USUAL = (1.2, 0.7, 0.4, 0.1)
"""How many gold entities of each label a unit usually has."""

Chances = tuple[np.ndarray, np.ndarray, np.ndarray]
"""The gold counts of units and labels, and the chances of both systems to find them."""


class Unkind(NamedTuple):
    """A world.

    Attributes:
        about: what is unkind about it.
        draw: draws units.
        extra: how many entities that are not there each system adds to a unit.
        alike: on what share of the units the second system answers as the first, where its chance is the same.
        moved: what share of the entities that are not found is found with a wrong boundary.
        wrong: how many entities that are not there each system adds for each that is to be found.
    """

    about: str
    draw: Callable[[np.random.Generator, int], Chances]
    extra: float = 0.2
    alike: float = 0.0
    moved: float = 0.3
    wrong: tuple[float, float] = (0.0, 0.0)


def answers(world: Unkind, rng: np.random.Generator, units: int) -> list[np.ndarray]:
    """Let both systems answer; return the counts of each unit, label and column."""
    gold, *chances = world.draw(rng, units)
    added = [wrong * np.array(USUAL) if wrong else world.extra / gold.shape[1] for wrong in world.wrong]
    first, second = (_answer(gold, own, more, world.moved, rng) for own, more in zip(chances, added, strict=True))
    copied = (rng.random(units) < world.alike) & (chances[0] == chances[1]).all(axis=1)
    second[copied] = first[copied]
    return [first, second]


def _answer(
    gold: np.ndarray, chance: np.ndarray, more: np.ndarray | float, boundary: float, rng: np.random.Generator
) -> np.ndarray:
    correct = rng.binomial(gold, chance)
    moved = np.where(chance > 0, rng.binomial(gold - correct, boundary), 0)  # a system that fails says nothing
    added = rng.poisson(more, gold.shape)
    none = np.zeros_like(gold)
    kinds = (correct, none, moved, none, gold - correct - moved, correct, none, moved, none, added)
    return np.stack([gold, correct + moved + added, correct, correct, *kinds], axis=2)


def cells(count: int) -> tuple[tuple[str, str], ...]:
    """Return so many labels; the last is the rarest one."""
    names = LABELS[:-1] if count == len(LABELS) else tuple(f"L{k}" for k in range(count - 1))
    return tuple(("", label) for label in (*names, LABELS[-1]))


def unkind_rows(counts: np.ndarray) -> Rows:
    """Return the rows of counts that are given for every unit, label and column."""
    unit, cell = np.nonzero(counts.any(axis=2))
    starts = np.searchsorted(unit, np.arange(len(counts) + 1))
    alone = np.ones(len(counts), np.int64), np.zeros(len(counts), np.int64)
    entries = cell.astype(np.int32), counts[unit, cell].astype(np.int32)
    return Rows(COLUMNS, cells(counts.shape[1]), starts, *entries, *alone)


def _shared(rng: np.random.Generator, mean: float, alike: float, units: int) -> np.ndarray:
    """Return the chance of each unit's entities: the smaller `alike`, the more they go together."""
    return np.repeat(rng.beta(mean * alike, (1 - mean) * alike, (units, 1)), len(LABELS), axis=1)


def _usual(rng: np.random.Generator, units: int) -> np.ndarray:
    return rng.poisson(USUAL, (units, len(LABELS)))


def _many(rng: np.random.Generator, units: int) -> np.ndarray:
    return rng.poisson((4, 3, 2, 1), (units, len(LABELS)))


def _independent(rng: np.random.Generator, units: int) -> Chances:
    chance = np.full((units, len(LABELS)), 0.8)
    return _usual(rng, units), chance, chance


def _together(rng: np.random.Generator, units: int) -> Chances:
    chance = _shared(rng, 0.8, 2.0, units)
    return _usual(rng, units), chance, chance


def _bursty(rng: np.random.Generator, units: int) -> Chances:
    gold = _usual(rng, units)
    gold[:, 3] = 8 * (rng.random(units) < 0.02)
    return gold, _shared(rng, 0.85, 0.6, units), _shared(rng, 0.85, 0.6, units)


def _failing(rng: np.random.Generator, units: int, share: float, otherwise: float) -> np.ndarray:
    return np.where(rng.random((units, 1)) < share, 0.0, np.full((units, len(LABELS)), otherwise))


def _failures(rng: np.random.Generator, units: int) -> Chances:
    return _many(rng, units), _failing(rng, units, 0.03, 0.995), _failing(rng, units, 0.03, 0.995)


def _crashes(rng: np.random.Generator, units: int) -> Chances:
    first = np.full((units, len(LABELS)), 0.9)
    return _many(rng, units), first, np.where(rng.random((units, 1)) < 0.02, 0.0, first)


def _pareto(rng: np.random.Generator, units: int) -> Chances:
    size = np.minimum(rng.pareto(1.5, (units, 1)) + 1, 1000)
    gold = rng.poisson(size * np.array([0.5, 0.3, 0.15, 0.05]))
    return gold, _shared(rng, 0.8, 2.0, units), _shared(rng, 0.8, 2.0, units)


def _harder(rng: np.random.Generator, units: int) -> Chances:
    size = np.minimum(rng.pareto(1.5, (units, 1)) + 1, 1000)
    gold = rng.poisson(size * np.array([0.5, 0.3, 0.15, 0.05]))
    mean = np.clip(0.9 - 0.12 * np.log(size + 1), 0.3, 0.95)
    first, second = (np.repeat(rng.beta(2 * mean, 2 * (1 - mean)), len(LABELS), axis=1) for _ in range(2))
    return gold, first, second


def _perfect(rng: np.random.Generator, units: int) -> Chances:
    chance = np.full((units, len(LABELS)), 0.995)
    return _many(rng, units), chance, chance


def _opposite(rng: np.random.Generator, units: int) -> Chances:
    gold = _usual(rng, units)
    easy = rng.random((units, 1)) < 0.5
    low, high = (np.full(gold.shape, chance) for chance in (0.45, 0.95))
    return gold, np.where(easy, high, low), np.where(easy, low, high)


def _labels(rng: np.random.Generator, units: int) -> Chances:
    rank = np.arange(1, 21)
    chance = np.broadcast_to(0.92 - 0.02 * rank, (units, len(rank)))
    return rng.poisson(0.6 * rank**-1.3, chance.shape), chance, chance


def _traded(rng: np.random.Generator, units: int) -> Chances:
    gold = _usual(rng, units)
    low, high = (np.full(gold.shape, chance) for chance in (0.2, 0.95))
    return gold, low, high


def _strange(rng: np.random.Generator, units: int) -> Chances:
    gold = _usual(rng, units)
    gold[:, 3] = 0
    chance = np.full(gold.shape, 0.8)
    return gold, chance, chance


def weaker(world: Unkind, share: float) -> Unkind:
    """Return the same with a second system that finds only a share of what it would find."""

    def draw(rng: np.random.Generator, units: int) -> Chances:
        gold, first, second = world.draw(rng, units)
        return gold, first, second * share

    return world._replace(draw=draw)


UNKIND = {
    "independent": Unkind("every entity is found on its own", _independent),
    "together": Unkind("entities of a unit are found or missed together", _together),
    "bursty": Unkind("the rare label is in 2 % of the units, eight times in each", _bursty),
    "failures": Unkind("each system fails wholly on 3 % of the units, all else is nearly right", _failures, 0.0),
    "crashes": Unkind("the second system is the first one, but fails on 2 % of the units", _crashes, 0.2, 1.0),
    "pareto": Unkind("the sizes of units have a long tail", _pareto),
    "harder": Unkind("the sizes of units have a long tail, and large ones are harder", _harder),
    "perfect": Unkind("1 in 200 entities is missed", _perfect, 0.02),
    "labels": Unkind("there are 20 labels, most of them rare", _labels),
    "opposite": Unkind("what one system finds easy, the other finds hard", _opposite),
    "strange": Unkind(
        "each system predicts a label that gold lacks, in 0.7 % of the units", _strange, wrong=(0.07, 0.07)
    ),
    "traded": Unkind(
        "equal F1, one system with precision 0.95 and recall 0.2, the other with 0.2 and 0.95",
        _traded,
        0.0,
        moved=0.0,
        wrong=(0.2 / 0.95 - 0.2, 0.95 / 0.2 - 0.95),
    ),
}
