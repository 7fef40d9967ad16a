"""Tags of labels: their codes, which may follow which, and claims made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.training.corpora import decoded, spans_of, valid

from karatage.claims import Units
from karatage.training.examples import examples_of
from karatage.training.tagset import TagSet

AB = TagSet(("a", "b"), {"1": frozenset("a"), "2": frozenset("ab"), "3": frozenset()})
OUT, B_A, I_A, B_B, I_B = range(5)
ONE = TagSet(AB.labels, AB.by_group, "IO")


def test_the_order_of_the_codes() -> None:
    assert AB.tags == ("O", "B-a", "I-a", "B-b", "I-b")
    assert len(AB) == 5
    assert len(TagSet(())) == 1


def test_what_may_follow_what() -> None:
    rows = ["11010", "11110", "11110", "11011", "11011"]
    assert AB.follows.astype(int).tolist() == [[int(sign) for sign in row] for row in rows]
    assert AB.starts.tolist() == [True, True, False, True, False]


@pytest.mark.parametrize(
    ("group", "expected"), [("1", "11100"), ("2", "11111"), ("3", "10000"), ("never seen", "11111"), (None, "11111")]
)
def test_a_group_has_the_labels_that_it_was_seen_with(group: str | None, expected: str) -> None:
    assert "".join(map(str, AB.permitted(group).astype(int))) == expected


@pytest.mark.parametrize(
    ("codes", "sizes", "expected"),
    [
        ([B_A, I_A, OUT, B_B], [4], [(0, 0, 2, "a"), (0, 3, 4, "b")]),
        ([B_A, B_A, I_A], [3], [(0, 0, 1, "a"), (0, 1, 3, "a")]),  # neighbours of one label stay two
        ([B_A, I_A], [1, 1], [(0, 0, 1, "a"), (1, 0, 1, "a")]),  # nothing goes on into the next unit
        ([I_A, I_A, I_B], [3], [(0, 0, 2, "a"), (0, 2, 3, "b")]),  # a softmax may begin with I
        ([OUT, B_A], [0, 1, 0, 1, 0], [(3, 0, 1, "a")]),  # units without tokens keep their place
        ([], [], []),
        ([], [0, 0], []),
    ],
)
def test_claims_of_codes(codes: list[int], sizes: list[int], expected: list[Any]) -> None:
    units = Units(len(sizes), tokens=[["x"] * size for size in sizes])
    found = AB.claims(np.array(codes, np.int64), units, np.array(sizes, np.int64))
    assert spans_of(found) == expected
    assert found.space == "token"
    assert found.units is units
    assert found.tags == ()


def test_codes_to_claims_and_back() -> None:
    """Codes that are valid come back as they were; others come back as what their claims say."""
    dice = np.random.default_rng(5)
    sound = 0
    for _ in range(200):
        sizes = dice.integers(0, 6, dice.integers(1, 6))
        codes = dice.integers(0, len(AB), int(sizes.sum()))
        if dice.random() < 0.5:  # make it valid: I that goes on from nothing becomes B
            codes = _repaired(codes, sizes)
        units = Units(len(sizes), tokens=[["x"] * size for size in sizes.tolist()])
        claims = AB.claims(codes, units, sizes)
        assert spans_of(claims) == decoded(codes.tolist(), sizes.tolist(), AB.labels)
        made = examples_of(claims, AB, "")
        assert made.codes.tolist() == _repaired(codes, sizes).tolist()
        assert made.sizes.tolist() == sizes.tolist()
        sound += valid(codes.tolist(), sizes.tolist())
    assert 100 <= sound < 200


def _repaired(codes: Any, sizes: Any) -> Any:
    out = codes.copy()
    starts = set(np.cumsum(sizes).tolist()) | {0}
    for at, code in enumerate(codes.tolist()):
        before = 0 if at in starts else out[at - 1]
        if code in (I_A, I_B) and before not in (code, code - 1):
            out[at] = code - 1
    return out


def test_as_plain_data() -> None:
    plain = AB.to_dict()
    assert plain == {"labels": ["a", "b"], "by_group": {"1": ["a"], "2": ["a", "b"], "3": []}, "scheme": "IOB2"}
    assert TagSet.from_dict(plain) == AB
    assert TagSet.from_dict({**plain, "scheme": "IO"}) == ONE
    del plain["scheme"]  # as older models have it
    assert TagSet.from_dict(plain) == AB


@pytest.mark.parametrize(
    "plain",
    [
        {"labels": ["a", "a"], "by_group": {}},
        {"labels": ["a", ""], "by_group": {}},
        {"labels": ["a", 1], "by_group": {}},
        {"labels": ["a"], "by_group": {"1": ["b"]}},
        {"labels": ["a"]},
        {"labels": 5, "by_group": {}},
        {"labels": ["a"], "by_group": {}, "scheme": "BILOU"},
    ],
)
def test_damaged_data_is_an_error(plain: dict[str, Any]) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        TagSet.from_dict(plain)


def test_one_tag_per_label() -> None:
    """Everything may follow everything, and adjacent entities with the same label are merged."""
    assert ONE.tags == ("O", "I-a", "I-b")
    assert len(ONE) == 3
    assert ONE.follows.all()
    assert ONE.starts.all()
    assert ONE.permitted("1").tolist() == [True, True, False]
    units = Units(2, tokens=[["x"] * 5, ["x"]])
    sizes = np.array([5, 1])
    apart = AB.claims(np.array([B_A, I_A, B_A, B_B, OUT, B_A]), units, sizes)
    codes = examples_of(apart, ONE, "").codes
    assert codes.tolist() == [1, 1, 1, 2, 0, 1]
    assert spans_of(ONE.claims(codes, units, sizes)) == [(0, 0, 3, "a"), (0, 3, 4, "b"), (1, 0, 1, "a")]
    assert ONE.continues(codes[:5]).tolist() == [False, True, True, False, False]
    assert ONE.starting(codes).tolist() == codes.tolist()
    assert AB.starting(np.array([OUT, B_A, I_A, I_B])).tolist() == [OUT, B_A, B_A, B_B]
