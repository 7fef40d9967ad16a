"""How long slicing takes: `python -m benchmarks.slices` slices a made-up test set every way and prints the seconds."""

from __future__ import annotations

import argparse
import tracemalloc
from typing import Any

import numpy as np
import polars as pl

from benchmarks.timing import best
from karatage.claims import Claims, TokenColumn, Units
from karatage.explanation.slices import TrainingForms, slice_outcomes
from karatage.matching import get_rule
from karatage.profiles import get_profile
from karatage.scoring import Outcomes
from karatage.stats import Resampling

LABELS = ("PER", "ORG", "LOC", "MISC")


def claims(units: int, rng: np.random.Generator) -> tuple[Claims, Claims]:
    """Make two claims a unit on average, and a system that finds most of them and adds some."""
    sizes = rng.integers(5, 45, units)
    words = np.array([f"{'W' if k % 3 else 'w'}ord{k % 7 or ''}{k}" for k in range(20_000)])
    tokens = TokenColumn(pl.Series(words[rng.zipf(1.3, int(sizes.sum())) % len(words)]), np.append(0, np.cumsum(sizes)))
    attributes = {"category": [f"c{k}" for k in rng.integers(0, 12, units)], "source": ["web", "news"] * (units // 2)}
    table = Units(units, tokens=tokens, attributes=attributes, source="made up")
    unit = np.sort(rng.integers(0, units, 2 * units))
    # One claim in each fifth of a unit at most, so that none meets another.
    place = np.unique(unit * 5 + rng.integers(0, 5, len(unit)))
    unit, start = place // 5, place % 5 * (sizes[place // 5] // 5)
    end = start + np.minimum(rng.integers(1, 6, len(unit)), np.maximum(sizes[unit] // 5, 1))
    label = rng.integers(0, len(LABELS), len(unit))
    kept = rng.random(len(unit)) < 0.9
    taken = np.where(rng.random(len(unit)) < 0.9, label, rng.integers(0, len(LABELS), len(unit)))
    gold = Claims(table, "token", unit, label, start, end, LABELS)
    return gold, Claims(table, "token", unit[kept], taken[kept], start[kept], end[kept], LABELS)


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.slices")
    parser.add_argument("--units", type=int, default=50_000)
    units = parser.parse_args().units
    gold, pred = claims(units, np.random.default_rng(0))
    outcomes = Outcomes.of([get_rule().align(gold, pred, kinds=True)])
    training = TrainingForms.of([claims(units, np.random.default_rng(1))[0]])
    profile = get_profile("exact")

    def work(known: Outcomes) -> int:
        return len(slice_outcomes(known, profile, Resampling(), training=training))

    count = work(outcomes)  # which also loads what is loaded late
    whole = best(lambda: work(Outcomes(**vars_of(outcomes))), 3)
    alone = best(lambda: work(outcomes), 3)
    tracemalloc.start()
    work(outcomes)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    print(
        f"{units:,} units, {len(gold):,} gold and {len(pred):,} predicted claims, {count} slices: {whole:.2f} s, "
        f"{alone:.2f} s of them without the surface forms; {peak:.0f} MiB of arrays at the most"
    )


def vars_of(outcomes: Outcomes) -> dict[str, Any]:
    """Return the columns alone, so that no surface form is known from an earlier run."""
    return {name: getattr(outcomes, name) for name in Outcomes.__dataclass_fields__}


if __name__ == "__main__":
    main()
