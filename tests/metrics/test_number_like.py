"""Scores where numbers are expected."""

from __future__ import annotations

import math
import operator
import pickle
from copy import deepcopy
from fractions import Fraction
from statistics import fmean

import numpy as np
import pytest

from karatage.errors import UsageError
from karatage.metrics import Score

HALF, MORE = Score(0.5, low=0.4, high=0.6), Score(0.75)
NOTHING = Score(None, "no gold entities")


@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq", "ne"])
def test_comparisons_are_those_of_the_values(name: str) -> None:
    compare = getattr(operator, name)
    for other in (0.25, 0.5, 0.75, 0, 1):
        assert compare(HALF, other) is compare(0.5, other)
        assert compare(other, HALF) is compare(other, 0.5)
    assert compare(HALF, MORE) is compare(0.5, 0.75)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "pow"])
def test_arithmetic_gives_plain_floats(name: str) -> None:
    compute = getattr(operator, name)
    for other in (0.25, 2):
        for found, wanted in ((compute(HALF, other), compute(0.5, other)), (compute(other, HALF), compute(other, 0.5))):
            assert type(found) is float
            assert found == wanted
    assert compute(HALF, MORE) == compute(0.5, 0.75)


def test_means_signs_rounding_and_formats() -> None:
    assert sum([HALF, MORE]) == 1.25
    assert fmean([HALF, MORE]) == np.mean([HALF, MORE]) == 0.625
    assert (-HALF, +HALF, abs(HALF), round(MORE, 1), round(MORE)) == (-0.5, 0.5, 0.5, 0.8, 1)
    assert max(HALF, MORE) is MORE
    assert sorted([MORE, HALF]) == [HALF, MORE]


def test_it_is_false_where_its_value_is() -> None:
    assert HALF
    assert not Score(0.0)


@pytest.mark.parametrize("spec", ["", ".3f", ">8.2%", "<10.1f", "*^9.2f", "+.1f", "08.3f", "12", "g"])
def test_formats_are_those_of_the_value(spec: str) -> None:
    assert format(MORE, spec) == format(0.75, spec)


@pytest.mark.parametrize("spec", ["", ".3f", "12.2%", ">12.2%", "<12.1f", "*^12.2f", "+12.1f", "=+12.1f"])
def test_undefined_scores_keep_the_width_of_a_column(spec: str) -> None:
    """As any number: on the right, unless the format says otherwise."""
    wanted = {"<12.1f": "undefined   ", "*^12.2f": "*undefined**"}
    assert format(NOTHING, spec) == wanted.get(spec, "   undefined" if "12" in spec else "undefined")


def test_numpy_computes_with_values() -> None:
    """Fractions and NumPy's own numbers compare like floats; where the value is missing, NumPy finds NaN."""
    assert HALF == np.float32(0.5) == Fraction(1, 2) == HALF
    assert type(operator.eq(HALF, np.float64(0.5))) is bool
    assert operator.lt(HALF, np.float32(0.75)) is True
    assert np.float32(0.25) < HALF
    for found, wanted in (
        (np.array([HALF, MORE, NOTHING]), [0.5, 0.75, math.nan]),
        (MORE - np.array([0.5, 0.25]), [0.25, 0.5]),
        (np.array([0.5, 0.25]) - MORE, [-0.25, -0.5]),
        (np.sqrt(Score(0.25)), 0.5),
        (np.add.reduce([HALF, MORE]), 1.25),
        (np.isnan([HALF, NOTHING]), [False, True]),
    ):
        assert np.asarray(found).dtype != object
        np.testing.assert_array_equal(found, wanted)
    assert (np.array([0.25, 0.75]) > HALF).tolist() == [False, True]


def test_equal_scores_have_equal_intervals_and_hashes() -> None:
    assert Score(0.5) != HALF
    assert deepcopy(HALF) == pickle.loads(pickle.dumps(HALF)) == HALF  # noqa: S301  our own
    assert {0.5: "found"}[HALF] == "found"  # type: ignore[index]


def test_what_is_undefined_is_not_ordered() -> None:
    """Neither above nor below anything: a gate must not pass or fail by accident."""
    assert math.isnan(float(NOTHING))
    assert math.isnan(NOTHING + 1)
    assert f"{NOTHING:.2f}" == "undefined"
    assert NOTHING != 0
    for compare in (lambda: NOTHING > 0.5, lambda: HALF < NOTHING, lambda: NOTHING <= 0.5, lambda: round(NOTHING),
                    lambda: bool(NOTHING), lambda: max(HALF, NOTHING), lambda: sorted([MORE, NOTHING]),
                    lambda: np.float32(0.5) < NOTHING, lambda: operator.gt(NOTHING, np.array([0.5, 0.1]))):  # fmt: skip
        with pytest.raises(UsageError, match=r"an undefined score \(no gold entities\) cannot be compared"):
            compare()


def test_other_things_are_not_numbers() -> None:
    assert HALF != "0.5"
    for compute in (lambda: HALF < "1", lambda: HALF + "1", lambda: [1] * HALF):
        with pytest.raises(TypeError):
            compute()
