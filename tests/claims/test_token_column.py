"""Texts and tokens as columns behave as the lists that they stand for."""

from __future__ import annotations

import pickle
import random

import numpy as np
import polars as pl
import pytest

from karatage.claims import Claims, TextColumn, TokenColumn, Units
from karatage.claims.token_column import _NEAR

LISTS = [["SKF", "Kit"], [], ["für"], [], ["Ä", "", "语"], ["x"]]


def test_a_column_reads_as_its_lists() -> None:
    column = TokenColumn.of(LISTS)
    assert column.flat.to_list() == ["SKF", "Kit", "für", "Ä", "", "语", "x"]
    assert column.starts.tolist() == [0, 2, 2, 3, 3, 6, 7]
    assert column.sizes.tolist() == [2, 0, 1, 0, 3, 1]
    assert list(column) == LISTS
    assert [column[i] for i in range(-6, 6)] == LISTS + LISTS
    assert column == LISTS
    assert column != LISTS[:-1]
    assert column != [*LISTS[:-1], ["y"]]
    assert TokenColumn.of(column) is column
    assert pickle.loads(pickle.dumps(column)) == LISTS  # noqa: S301  our own
    with pytest.raises(IndexError):
        _ = column[6]


@pytest.mark.parametrize("part", [slice(1, 4), slice(0, 0), slice(4, 2), slice(-2, None), slice(None, None, 2)])
def test_a_slice_is_a_column_that_starts_at_zero(part: slice) -> None:
    column = TokenColumn.of(LISTS)[part]
    assert isinstance(column, TokenColumn)
    assert list(column) == LISTS[part]
    assert column.starts[0] == 0
    assert column.flat.to_list() == [token for own in LISTS[part] for token in own]


def test_neighbours_are_read_in_blocks_and_are_the_same() -> None:
    """Whether units are asked for in order or not, and however often; what a caller changes stays the caller's."""
    rng = random.Random(3)
    lists = [[str(rng.random()) for _ in range(rng.randrange(4))] for _ in range(500)]
    column = TokenColumn.of(lists)
    for i in [*range(500), *(rng.randrange(500) for _ in range(500)), 7, 7, 7, 8]:
        assert column[i] == lists[i]
        column[i].append("changed")


def test_texts_read_as_a_list() -> None:
    texts = ["a", "", "für", "a"]
    column = TextColumn(pl.Series(texts))
    assert list(column) == texts == [column[i] for i in range(4)]
    assert column[-1] == "a"
    assert column[1:3] == ["", "für"]
    assert isinstance(column[1:3], TextColumn)
    assert column == texts
    assert column != texts[::-1]
    assert column != "a für a"
    assert "für" in column


def test_units_take_slice_and_join_columns() -> None:
    """Units treat columns as the sequences that they are."""
    column, texts = TokenColumn.of(LISTS), TextColumn(pl.Series([" ".join(own) for own in LISTS]))
    units = Units(6, ids=TextColumn(pl.Series(list("abcdef"))), texts=texts, tokens=column)
    assert units.slice(1, 3).tokens == LISTS[1:3]
    assert units.slice(1, 3).ids == ["b", "c"]
    taken = units.take(np.array([4, 0]))
    assert taken.tokens == [LISTS[4], LISTS[0]]
    assert taken.ids == ["e", "a"]
    both = Units.concatenate([units, units.slice(2, 3)])
    assert both.tokens == [*LISTS, LISTS[2]]
    assert both.texts == [*texts, "für"]


def test_claims_read_their_values_off_columns() -> None:
    claims = Claims.build(Units(6, tokens=TokenColumn.of(LISTS)), "token", [(0, "A", 0, 2, None, None)])
    assert claims.with_values().values == ("SKF Kit",)
    with pytest.raises(Exception, match="2 tokens"):
        Claims.build(Units(6, tokens=TokenColumn.of(LISTS)), "token", [(0, "A", 0, 3, None, None)])


def test_neighbours_cost_one_look_at_their_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of a block is read alone, the second reads the block, the others are there."""
    column = TokenColumn.of([[str(k)] for k in range(3 * _NEAR)])
    asked: list[tuple[int, int]] = []
    lists = TokenColumn._lists

    def noted(self: TokenColumn, at: int, count: int) -> list[list[str]]:
        asked.append((at, count))
        return lists(self, at, count)

    monkeypatch.setattr(TokenColumn, "_lists", noted)
    assert [column[k] for k in range(3 * _NEAR)] == [[str(k)] for k in range(3 * _NEAR)]
    assert asked == [call for k in range(0, 3 * _NEAR, _NEAR) for call in ((k, 1), (k, _NEAR))]
