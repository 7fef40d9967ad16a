"""Outcomes of some units, and of several parts put together."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

import karatage
from karatage.demo import data
from karatage.errors import UnitError
from karatage.scoring import Outcomes, errors_frame
from karatage.scoring.outcomes.outcome_batches import in_step


@pytest.fixture(scope="module", params=["conll", "tsv"])
def whole(request: pytest.FixtureRequest) -> Outcomes:
    name = {"conll": "{}.conll", "tsv": "{}-values.tsv"}[request.param]
    found: Outcomes = karatage.score(data(name.format("gold")), data(name.format("context")), resamples=0).outcomes()
    return found


def test_slices_join_to_the_whole(whole: Outcomes) -> None:
    rng = random.Random(0)
    cuts = [0, *sorted(rng.sample(range(1, len(whole.units)), 20)), len(whole.units)]
    joined = Outcomes.join([whole.slice(a, b) for a, b in pairwise(cuts)])
    assert errors_frame(joined, joined.wrong).equals(errors_frame(whole, whole.wrong))
    assert joined.credited.tolist() == whole.credited.tolist()


def test_some_units_keep_their_names_and_texts(whole: Outcomes) -> None:
    """The errors of the units that are taken are the same rows, with the same ids or numbers."""
    units = np.arange(3, len(whole.units), 7)
    taken = whole.take(units)
    wanted = errors_frame(whole, whole.wrong & np.isin(whole.unit, units))
    assert errors_frame(taken, taken.wrong).equals(wanted)
    again = taken.take(np.array([1, 4]))
    assert errors_frame(again, again.wrong).equals(
        errors_frame(whole, whole.wrong & np.isin(whole.unit, units[[1, 4]]))
    )


def test_systems_are_read_in_step(whole: Outcomes) -> None:
    """However their batches are cut, each step has the same units of all."""
    one = (whole.slice(a, b) for a, b in pairwise([0, 5, 100, len(whole.units)]))
    other = (whole.slice(a, b) for a, b in pairwise([0, 64, 64, 101, len(whole.units)]))
    steps = list(in_step([one, other]))
    assert (
        [len(a.units) for a, _ in steps] == [len(b.units) for _, b in steps] == [5, 59, 36, 1, len(whole.units) - 101]
    )
    with pytest.raises(UnitError, match="different sentences"):
        list(in_step([iter([whole]), iter([whole.slice(0, 3)])]))
