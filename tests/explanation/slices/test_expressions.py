"""Conditions over columns: what they mean, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karatage.errors import UsageError
from karatage.explanation.slices.conditions import CodedTexts, Expression

COLUMNS: dict[str, Any] = {
    "length": np.array([1.0, 2.0, 4.0, np.nan]),
    "start": np.array([0.0, 3.0, 4.0, 1.0]),
    "label": CodedTexts(np.array([0, 1, 0, 1]), ("ORG", "PER")),
    "text": CodedTexts(np.array([0, 1, 2, -1]), ("ACME GmbH", "Ann", "PER")),
}


def where(text: str, columns: dict[str, Any] = COLUMNS) -> list[int]:
    expression = Expression.parse(text)
    expression.check(columns)
    return np.flatnonzero(expression.evaluate(columns.__getitem__)).tolist()


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("length > 1", [1, 2]),
        ("2 <= length", [1, 2]),
        ("1 < length <= 2", [1]),
        ("length == 4", [2]),
        ("length >= start", [0, 2]),
        ("start > -1 and start < +1", [0]),
        ("label == 'PER'", [1, 3]),
        ("'PER' != label", [0, 2]),
        ("label < 'P'", [0, 2]),
        ("label == 'ORG' and length > 1 or start == 3", [1, 2]),
        ("not label == 'ORG'", [1, 3]),
        ("label in ('ORG', 'LOC')", [0, 2]),
        ("label not in ['ORG']", [1, 3]),
        ("start in {0, 4}", [0, 2]),
        ("start in ()", []),
        ("'GmbH' in text", [0]),
        (r"text == '\d'", []),  # Python would warn of the backslash
        ("'n' not in text", [0, 2]),
        ("text > label", [2]),  # ACME GmbH and ORG, Ann and PER, PER and ORG
    ],
)
def test_what_a_condition_means(text: str, rows: list[int]) -> None:
    assert where(text) == rows


def test_what_is_unknown_fulfils_no_comparison() -> None:
    assert where("length != 1") == [1, 2]
    assert where("length not in (1,)") == [1, 2]
    assert where("text != 'Ann'") == [0, 2]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("length >", "cannot read the expression 'length >'"),
        ("lenght > 3", "unknown name in the expression 'lenght > 3': 'lenght'. Did you mean 'length'?"),
        ("length", "length is not a condition: compare it"),
        ("3", "3 is not a condition"),
        ("length > 'a'", "'a' is text, but length is a number: write it without quotes"),
        ("label == 3", "label is text, but 3 is a number: write '3' in quotes"),
        ("label == length", "label is text, but length is a number"),
        ("label in (PER, 'ORG')", "did you forget the quotes around 'PER'?"),
        ("label in (3,)", "label is text, but 3 is a number"),
        ("3 in length", "`in` needs a name and a list of constants"),
        ("'a' in length", "'a' is text, but length is a number"),
        ("length is 3", "`is` is not supported: use =="),
        ("1 < 2", "1 and 2 are both constants"),
        ("length == True", "'True' is not supported"),
        ("length == None", "'None' is not supported"),
        ("length + 1 > 2", "'length + 1' is not supported"),
        ("length > 10**9", "'10 ** 9' is not supported"),
        ("length > 1" + "0" * 400, "a number is too large"),
        ("label == f'{length}'", "is not supported"),
        ("len(text) > 3", "'len(text)' is not supported"),
        ("label.names == 'a'", "'label.names' is not supported"),
        ("label[0] == 'a'", "is not supported"),
        ("(lambda: 1)() == length", "is not supported"),
        ("length if length else start", "is not supported"),
        ("[x for x in (1,)] == length", "is not supported"),
        ("length > 1\nlabel", "cannot read"),
        ("length > 1\0", "cannot read"),
        ("(" * 1000 + "length > 1" + ")" * 900, "cannot read"),
        ("length > 1 " + "and length > 1 " * 200, "limited to 2,000 characters"),
    ],
)
def test_what_is_refused(text: str, says: str) -> None:
    known = COLUMNS | dict.fromkeys(("len", "x", "PER"), COLUMNS["length"])
    with pytest.raises(UsageError) as error:
        where(text, known)
    assert says in str(error.value)


def test_many_negations_are_no_crash() -> None:
    assert where("not " * 450 + "length > 1") == [1, 2]
