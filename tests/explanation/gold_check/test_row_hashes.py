import re
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from karatage.explanation.gold_check.row_hashes import Index, how_many, mix, overlaps, rows_of
from karatage.explanation.gold_check.token_rows import _words
from karatage.explanation.gold_check.votes import nearer


def test_overlaps_are_those_that_a_plain_loop_finds() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        one, two = (rng.integers(0, 30, int(rng.integers(0, 12))) for _ in range(2))
        ends = one + rng.integers(1, 9, len(one)), two + rng.integers(1, 9, len(two))
        expected = {
            (i, j) for i in range(len(one)) for j in range(len(two)) if one[i] < ends[1][j] and two[j] < ends[0][i]
        }
        rows, others = overlaps(one, ends[0], two, ends[1])
        assert sorted(zip(rows.tolist(), others.tolist(), strict=True)) == sorted(expected)
        counts = [sum(i == k for i, _ in expected) for k in range(len(one))]
        assert how_many(one, ends[0], two, ends[1]).tolist() == counts


def test_keys_stand_for_their_rows() -> None:
    pairs = np.array([(a, b) for a in range(-1, 300) for b in range(-1, 300)])
    assert len(np.unique(mix(pairs[:, 0], pairs[:, 1]))) == len(pairs)
    assert rows_of(mix(np.array([7, 9])), mix(np.array([9, 8, 9]))).tolist() == [-1, 0]
    assert Index.of(mix(np.array([3, 3, 4]))).count(mix(np.array([3, 4, 5]))).tolist() == [2, 1, 0]


@pytest.mark.parametrize("texts", [["Jüri, 5 a_b! jüri JÜRI", "", "  x  "], ["é́a 𝒳y—z\n(ok)"], [""], []])
def test_texts_are_cut_where_a_regular_expression_cuts_them(texts: list[str]) -> None:
    key, written, word, starts, low, high, *_ = _words(pl.Series(texts, dtype=pl.String))
    # Python's \w knows no combining marks, which belong to the letter before them.
    expected = [[found.span() for found in re.finditer(r"(?:\w|[\u0300-\u036f])+|[^\w\s]", text)] for text in texts]
    places = list(zip(low.tolist(), high.tolist(), strict=True))
    found = [places[a:b] for a, b in pairwise(starts.tolist())]
    assert found == expected
    forms = [text[a:b] for text, own in zip(texts, expected, strict=True) for a, b in own]
    assert len(np.unique(written)) == len(set(forms))
    assert len(np.unique(key)) == len({form.lower() for form in forms})
    assert (key == written).tolist() == [form == form.lower() for form in forms]
    assert word.tolist() == [any(c.isalnum() for c in form) for form in forms]


def test_a_share_leans_on_the_one_from_farther_away_when_keys_do_not_differ() -> None:
    # Two keys of four rows, far share 1/2: without spread beyond chance it leans with the weight of 1,000 claims.
    # With 1 of 4 and 3 of 4, expected 2: (1 - 1) + (1 - 1) is no spread either. (1 + 500) / 1004 and (3 + 500) / 1004.
    yes = np.array([1.0, 0, 0, 0, 1, 1, 1, 0])
    key = mix(np.repeat([1, 2], 4))
    np.testing.assert_allclose(nearer(key, yes, np.full(8, 0.5)), np.repeat([501 / 1004, 503 / 1004], 4))


def test_a_share_leans_little_when_keys_differ() -> None:
    # 4 of 4 and 0 of 4: all the spread there can be, so it leans with the weight of 1: (4 + 0.5) / 5 and (0 + 0.5) / 5.
    yes = np.repeat([1.0, 0.0], 4)
    np.testing.assert_allclose(nearer(mix(np.repeat([1, 2], 4)), yes, np.full(8, 0.5)), np.repeat([0.9, 0.1], 4))


def test_keys_are_those_of_splitmix64() -> None:
    """The first three numbers of the generator with the seed 0 (Steele, Lea and Flood 2014), as its authors print them.

    Its n-th number is the mix of n times the golden ratio, which `mix` adds once itself.
    """
    golden = 0x9E3779B97F4A7C15
    states = np.array([0, golden, 2 * golden % 2**64], np.uint64)
    assert mix(states).tolist() == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_a_key_of_several_columns_mixes_each_into_the_one_before() -> None:
    def plain(*row: int) -> int:
        out, full = 0, 2**64
        for number in row:
            out = ((out ^ number % full) + 0x9E3779B97F4A7C15) % full
            out = (out ^ out >> 30) * 0xBF58476D1CE4E5B9 % full
            out = (out ^ out >> 27) * 0x94D049BB133111EB % full
            out ^= out >> 31
        return out

    rows = [(3, -1, 7), (-1, 3, 7), (0, 0, 2**40)]
    assert mix(*np.array(rows).T).tolist() == [plain(*row) for row in rows]
