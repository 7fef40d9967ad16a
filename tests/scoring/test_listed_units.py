"""The first units of each kind, against a plain dictionary."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from karatage.scoring import listed_units
from karatage.scoring.listed_units import ListedUnits


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed_units, "LISTED", 3)
    monkeypatch.setattr(listed_units, "_PENDING", 10)


def keys(kinds: list[int]) -> Any:
    """Return fingerprints; some differ in one half only."""
    return np.array([(kind // 2 * 7919, kind % 2) for kind in kinds], np.uint64).reshape(-1, 2)


@pytest.mark.parametrize("named", [False, True, None])
@pytest.mark.parametrize("seed", range(8))
def test_the_first_units_of_each_kind_are_kept(seed: int, named: bool | None) -> None:
    """In batches and parts of any size; where only some units have ids, the others have their numbers."""
    rng = random.Random(seed)
    whole, known, before = ListedUnits(), dict[int, list[str]](), 0
    for _ in range(rng.randint(1, 6)):
        part, inside = ListedUnits(), 0
        for _ in range(rng.randint(0, 5)):
            kinds = [min(int(rng.expovariate(0.3)), 11) for _ in range(rng.randint(0, 30))]
            place = before + inside + np.arange(len(kinds))
            ids = [f"s{k}" for k in place.tolist()] if named or (named is None and rng.random() < 0.5) else None
            for k, kind in zip(place.tolist(), kinds, strict=True):
                known.setdefault(kind, []).append(str(k + 1) if ids is None else f"s{k}")
            (whole if named is None else part).add(keys(kinds), place - (0 if named is None else before), ids)
            inside += len(kinds)
        whole.add_part(part, before)
        before += inside
    found = whole.of(keys(list(range(12))))
    for kind in range(12):
        start, size = int(found.starts[kind]), int(found.sizes[kind])
        assert found.names(np.arange(start, start + size)) == known.get(kind, [])[:3]


def test_the_highest_values_are_listed_and_equal_ones_by_place() -> None:
    """Kinds 0 and 1 have the value 1, kind 2 has 2: its units first, then the first ones of both others."""
    units = ListedUnits()
    units.add(keys([0, 1, 2, 1, 0, 2]), np.arange(6), list("abcdef"))
    kinds, names = units.of(keys([0, 1, 2])).top(np.array([1.0, 1.0, 2.0]))
    assert (kinds.tolist(), names) == ([2, 2, 0], ["c", "f", "a"])


def test_a_kind_that_nobody_has_is_not_listed() -> None:
    units = ListedUnits()
    units.add(keys([4, 4]), np.arange(2), None)
    kinds, names = units.of(keys([9, 4, 3])).top(np.array([5.0, 1.0, 7.0]))
    assert (kinds.tolist(), names) == ([1, 1], ["1", "2"])
