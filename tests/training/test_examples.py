"""From claims to tokens with tags: what is left out is counted."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from tests.training.corpora import claims_of, spans_of, titles

from karatage.claims import Claims, TokenColumn, Units
from karatage.errors import InputError
from karatage.training.examples import (
    NESTED,
    Examples,
    examples_of,
    flat,
    in_tokens,
    sizes_of,
    tagset_of,
)
from karatage.training.tagset import TagSet


def test_by_hand() -> None:
    units = Units(
        3, tokens=[["SKF", "VKMA", "06103"], [], ["für", "BMW", "Audi"]], attributes={"category": ["2", "1", "1"]}
    )
    rows = [(0, "number", 1, 3), (0, "maker", 0, 1), (2, "make", 1, 2), (2, "make", 2, 3)]
    claims = Claims.build(units, "token", [(*row, None, None) for row in rows])
    tags = tagset_of(claims, "category")
    assert tags == TagSet(("make", "maker", "number"), {"1": frozenset({"make"}), "2": frozenset({"maker", "number"})})
    made = examples_of(claims, tags, "category")
    # O, B-make, I-make, B-maker, I-maker, B-number, I-number
    assert made.codes.tolist() == [3, 5, 6, 0, 1, 1]
    assert made.sizes.tolist() == [3, 0, 3]
    assert list(made.groups or ()) == ["2", "1", "1"]
    assert len(made) == 3


def test_without_an_attribute_there_are_no_groups() -> None:
    claims = claims_of(titles(5), categories=False)
    assert tagset_of(claims, "category").by_group == {}
    assert examples_of(claims, tagset_of(claims, "category"), "category").groups is None
    assert examples_of(claims_of(titles(5)), tagset_of(claims, ""), "").groups is None


def test_a_label_without_claims_is_no_tag() -> None:
    """Labels may be named in a file and never used."""
    claims = claims_of(titles(30))
    assert {"colour", "number"} < set(tagset_of(claims, "category").labels)
    some = claims.keep(np.array([claims.labels[code] != "colour" for code in claims.label]))
    assert "colour" in some.labels
    assert "colour" not in tagset_of(some, "category").labels


def test_a_label_that_the_tags_lack_is_left_out() -> None:
    claims = Claims.build(
        Units(1, tokens=[["a", "b"]]), "token", [(0, "x", 0, 1, None, None), (0, "y", 1, 2, None, None)]
    )
    assert examples_of(claims, TagSet(("y",)), "").codes.tolist() == [0, 1]


def test_characters_become_tokens() -> None:
    """A span that starts inside of a word is counted as lost."""
    units = Units(2, texts=["SKF VKMA-06103 (neu)", ""])
    rows = [(0, "maker", 0, 3), (0, "number", 4, 14), (0, "state", 16, 19), (0, "half", 5, 8)]
    lost: Counter[str] = Counter()
    found = in_tokens(Claims.build(units, "char", [(*row, None, None) for row in rows]), lost)
    assert [list(own) for own in found.units.tokens or ()] == [["SKF", "VKMA", "-", "06103", "(", "neu", ")"], []]
    assert spans_of(found) == [(0, 0, 1, "maker"), (0, 1, 4, "number"), (0, 5, 6, "state")]
    assert list(lost.values()) == [1]


def test_the_same_titles_in_characters_and_in_tokens() -> None:
    made = titles(40)
    lost: Counter[str] = Counter()
    assert spans_of(in_tokens(claims_of(made, texts=True), lost)) == spans_of(claims_of(made))
    assert not lost


def test_nested_and_broken_spans_are_left_out_and_counted() -> None:
    rows = [(0, "outer", 0, 3, None, None), (0, "inner", 1, 2, None, None), (0, "next", 3, 4, None, None)]
    rows += [(1, "cut", 0, 3, ((0, 1), (2, 3)), None), (1, "half", 3, 5, None, None), (1, "over", 4, 6, None, None)]  # type: ignore[list-item]
    units = Units(2, tokens=[list("abcd"), list("abcdef")])
    lost: Counter[str] = Counter()
    found = in_tokens(Claims.build(units, "token", rows), lost)
    assert spans_of(found) == [(0, 0, 3, "outer"), (0, 3, 4, "next"), (1, 3, 5, "half")]
    assert lost == {NESTED: 3}
    assert tagset_of(found, "").labels == ("half", "next", "outer")


def test_values_and_missing_tokens_are_errors() -> None:
    values = Claims.build(Units(1, source="x.tsv"), "value", [(0, "a", -1, -1, None, "SKF")])
    with pytest.raises(InputError, match=r"x\.tsv: has values without positions.*Use a format with"):
        in_tokens(values, Counter())
    bare = Claims.build(Units(1, source="y"), "token", [(0, "a", 0, 1, None, None)])
    with pytest.raises(InputError, match="y: has no tokens"):
        in_tokens(bare, Counter())


def test_taking_units() -> None:
    given = Examples([["a", "b"], [], ["c"]], ["1", "2", "3"], np.array([5, 6, 7]), np.array([2, 0, 1]))
    found = given.take(np.array([2, 1, 0, 2]))
    assert found.tokens == [["c"], [], ["a", "b"], ["c"]]
    assert found.groups == ["3", "2", "1", "3"]
    assert found.codes.tolist() == [7, 5, 6, 7]
    assert found.sizes.tolist() == [1, 0, 2, 1]


def test_tokens_in_columns() -> None:
    """A column of tokens is like lists of them."""
    lists = [["a", "b"], [], ["c"]]
    assert sizes_of(TokenColumn.of(lists)).tolist() == sizes_of(lists).tolist() == [2, 0, 1]
    assert flat(TokenColumn.of(lists)) == flat(lists) == ["a", "b", "c"]
