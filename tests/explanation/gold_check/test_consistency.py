"""How gold marks a form elsewhere: chances and proposals agree with plain loops over all other occurrences."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import pytest

from karatage.explanation.gold_check.consistency import CASE_LEAN, LEAN, Consistency
from karatage.explanation.gold_check.occurrences import Occurrences
from karatage.explanation.gold_check.row_hashes import mix

UNTAGGED = 2
"""States 0 and 1 are labels, 3 and 4 ways to mark a part."""


@dataclass(frozen=True)
class Place:
    form: int
    case: int
    left: int
    right: int
    state: int


def random_places(seed: int) -> list[Place]:
    rng = np.random.default_rng(seed)
    return [Place(*(int(one) for one in rng.integers(0, (3, 2, 3, 3, 5)))) for _ in range(25)]


def counted(places: list[Place], *, valued: bool) -> Consistency:
    form, case, left, right, state = (
        np.array([getattr(one, name) for one in places]) for name in ("form", "case", "left", "right", "state")
    )
    row = np.arange(len(places))
    return Consistency(
        Occurrences(
            form=mix(form),
            written=None if valued else mix(form, case),
            unit=row,
            first=row,
            last=row + 1,
            left=None if valued else mix(left),
            right=None if valued else mix(right),
            state=state,
            gold=np.where(state == UNTAGGED, -1, row),
            untagged=UNTAGGED,
            inner=np.zeros((2, 3), np.int64),
        )
    )


def coarse(state: int) -> int:
    return min(state, UNTAGGED + 1)


def share(own: float, all_: float, before: float, lean: float = LEAN) -> float:
    return (own + lean * before) / (all_ + lean)


def plain_chance(places: list[Place], at: int, state: int, *, valued: bool) -> float:
    here, others = places[at], [one for row, one in enumerate(places) if row != at]
    sides = () if valued else ("left", "right")
    out = 1 / (UNTAGGED + 2)
    if sides:
        said = []
        for side in sides:
            kinds = {(one.form, coarse(one.state)) for one in others if getattr(one, side) == getattr(here, side)}
            said.append(share(sum(kind == coarse(state) for _, kind in kinds), len(kinds), out))
        out = sum(said) / 2
    same = [one.state for one in others if one.form == here.form]
    out = share(same.count(state), len(same), out)
    if sides:
        alike = [one.state for one in others if (one.form, one.case) == (here.form, here.case)]
        out = share(alike.count(state), len(alike), out, CASE_LEAN)
        said = []
        for side in sides:
            near = [
                one.state
                for one in others
                if one.form == here.form and getattr(one, side) == getattr(here, side)
            ]  # fmt: skip
            said.append(share(near.count(state), len(near), out))
        out = sum(said) / 2
    return out


@pytest.mark.parametrize("valued", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_chance_of_a_state_comes_from_all_other_occurrences(seed: int, valued: bool) -> None:
    places = random_places(seed)
    states = counted(places, valued=valued)
    row, state = (one.ravel() for one in np.meshgrid(np.arange(len(places)), np.arange(5)))
    expected = [plain_chance(places, at, s, valued=valued) for at, s in zip(row.tolist(), state.tolist(), strict=True)]
    np.testing.assert_allclose(states.chance(row, state), expected)
    own = np.array([plain_chance(places, at, places[at].state, valued=valued) for at in row.tolist()])
    np.testing.assert_allclose(states.evidence(row, state), np.log(np.array(expected) / own))
    often, all_ = states.counts(row, state)
    for at, one, found, total in zip(row.tolist(), state.tolist(), often.tolist(), all_.tolist(), strict=True):
        same = [other.state for other in places if other.form == places[at].form]
        assert (found, total) == (same.count(one), len(same))


def plain_proposal(places: list[Place], at: int, *, valued: bool) -> int | None:
    """Return the likeliest of the states that are most frequent for the form, alone and beside each neighbour."""
    here = places[at]

    def key(one: Place, side: str) -> Hashable:
        return (one.form, getattr(one, side, None))

    candidates = set()
    for side in ("",) if valued else ("", "left", "right"):
        counts = Counter(one.state for one in places if key(one, side) == key(here, side))
        own = counts.pop(here.state) - 1  # the place itself does not count
        if counts:
            often = max(counts.values())
            other = min(state for state, count in counts.items() if count == often)
            if often >= own and (here.state < UNTAGGED or other < UNTAGGED):
                candidates.add(other)
    return min(candidates, key=lambda one: (-plain_chance(places, at, one, valued=valued), one), default=None)


@pytest.mark.parametrize("valued", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_each_occurrence_gets_its_likeliest_frequent_other_state(seed: int, valued: bool) -> None:
    places = random_places(seed)
    row, state = counted(places, valued=valued).proposals()
    expected = {at: plain_proposal(places, at, valued=valued) for at in range(len(places))}
    found = dict(zip(row.tolist(), state.tolist(), strict=True))
    assert found == {at: one for at, one in expected.items() if one is not None}
    assert len(found) == len(row)


def test_a_form_that_is_always_alike_gets_no_proposal() -> None:
    places = [Place(form, 0, 0, 0, form % 3) for form in (0, 0, 1, 2, 2, 2)]
    row, state = counted(places, valued=False).proposals()
    assert (row.tolist(), state.tolist()) == ([], [])
