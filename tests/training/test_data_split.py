"""Setting units apart: how many, which, and what stays together."""

from __future__ import annotations

from typing import Any

import pytest

from karatage.claims import Units
from karatage.errors import InputError, UsageError
from karatage.training.data_split import split_folds, split_validation

PAGES = Units(12, attributes={"document": list("aabbccddeeff")})


def plain(parts: Any) -> list[list[int]]:
    return [part.tolist() for part in parts]


@pytest.mark.parametrize(
    ("count", "share", "held"), [(100, 0.1, 10), (14, 0.1, 1), (16, 0.1, 2), (3, 0.1, 1), (2, 0.5, 1), (5, 0.79, 4)]
)
def test_a_share_is_set_apart(count: int, share: float, held: int) -> None:
    """Rounded, but one unit at least; both sides in the order of the units."""
    train, rest = plain(split_validation(Units(count), share, 0))
    assert len(rest) == held
    assert sorted(train + rest) == list(range(count))
    assert train == sorted(train)
    assert rest == sorted(rest)


def test_the_split_hangs_on_the_seed_alone() -> None:
    first = plain(split_validation(Units(50), 0.2, 3))
    assert plain(split_validation(Units(50), 0.2, 3)) == first
    assert plain(split_validation(Units(50), 0.2, 4)) != first


def test_a_larger_share_holds_the_smaller_one() -> None:
    small, large = (set(plain(split_validation(Units(50), share, 3))[1]) for share in (0.1, 0.3))
    assert small < large


def test_units_of_a_document_stay_together() -> None:
    for seed in range(20):
        train, rest = plain(split_validation(PAGES, 0.3, seed, "document"))
        assert len(rest) == 4  # two of six documents
        sides = [{PAGES.attributes["document"][unit] for unit in side} for side in (train, rest)]
        assert not sides[0] & sides[1]


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, 1.5, float("nan")])
def test_shares_that_are_none(share: float) -> None:
    with pytest.raises(UsageError, match="must be between 0 and 1, not"):
        split_validation(Units(10), share, 0)


def test_too_little_to_part() -> None:
    for units in (Units(0, source="x"), Units(1, source="x"), Units(3, source="x")):
        with pytest.raises(InputError, match=r"x: too little data to use 90% of it for validation.*--validation"):
            split_validation(units, 0.9, 0)
    with pytest.raises(InputError, match="too little data"):
        split_validation(Units(5, attributes={"document": ["a"] * 5}), 0.1, 0, "document")
    with pytest.raises(UsageError, match="cannot split by 'page': there is no such attribute. Known: document"):
        split_validation(PAGES, 0.1, 0, "page")
    with pytest.raises(UsageError, match="Known: none"):
        split_folds(Units(5), 2, 0, "page")


@pytest.mark.parametrize(("count", "parts"), [(10, 5), (11, 5), (14, 5), (5, 5), (7, 2)])
def test_folds_part_the_units(count: int, parts: int) -> None:
    found = plain(split_folds(Units(count), parts, 0))
    assert sorted(unit for part in found for unit in part) == list(range(count))
    assert len(found) == parts
    sizes = sorted(map(len, found))
    assert sizes[-1] - sizes[0] <= 1
    assert all(part == sorted(part) for part in found)
    assert plain(split_folds(Units(count), parts, 0)) == found


def test_other_seeds_give_other_folds() -> None:
    assert plain(split_folds(Units(20), 4, 0)) != plain(split_folds(Units(20), 4, 1))


def test_a_document_is_in_one_fold() -> None:
    found = plain(split_folds(PAGES, 3, 0, "document"))
    documents = [{PAGES.attributes["document"][unit] for unit in part} for part in found]
    assert [len(own) for own in documents] == [2, 2, 2]
    assert set.union(*documents) == set("abcdef")


@pytest.mark.parametrize("count", [-1, 0, 1, 7])
def test_numbers_of_folds_that_cannot_be(count: int) -> None:
    with pytest.raises(UsageError, match=f"the number of folds must be between 2 and 6, not {count}"):
        split_folds(PAGES, count, 0, "document")
