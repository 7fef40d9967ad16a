"""Offsets that can be seen to be wrong are told, with what they may count instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import karatage

TEXT = "Ä😀 Ann in Ulm, Eva in Köln"
"""Ä is one character, one UTF-16 unit and two bytes; the emoji is one, two and four."""
SPANS = [("PER", 3, 6), ("LOC", 10, 13), ("PER", 15, 18), ("LOC", 22, 26)]
GOLD = [{"id": 1, "text": TEXT, "entities": SPANS}]
HALF_OPEN = "Karatage counts characters from 0, and the end is the one after the last"


def in_bytes(at: int) -> int:
    return len(TEXT[:at].encode())


def in_utf16(at: int) -> int:
    return len(TEXT[:at].encode("utf-16-le")) // 2


def predicted(low: Callable[[int], int], high: Callable[[int], int], **more: Any) -> list[dict[str, Any]]:
    return [{"id": 1, "entities": [{"type": t, "start": low(a), "end": high(b), **more} for t, a, b in SPANS]}]


def quoted(low: Callable[[int], int], high: Callable[[int], int]) -> list[dict[str, Any]]:
    found = [{"type": t, "start": low(a), "end": high(b), "text": TEXT[a:b]} for t, a, b in SPANS]
    return [{"id": 1, "entities": found}]


def warnings(gold: Any, pred: Any, **options: Any) -> list[str]:
    return list(karatage.score(gold, pred, resamples=0, **options).warnings)


def test_right_offsets_are_not_questioned() -> None:
    assert warnings(GOLD, predicted(int, int)) == []
    assert warnings(GOLD, quoted(int, int)) == []


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, -1, "end one character before a gold entity with the same start: are the predicted ends inclusive?"),
        (0, 1, "end one character after a gold entity with the same start: are the ends in gold inclusive?"),
        (-1, -1, "are one character before a gold entity: do the offsets in gold count from 1?"),
        (1, 0, "start one character after a gold entity with the same end: do they count from 1, with inclusive ends?"),
    ],
)
def test_offsets_that_are_off_by_one(low: int, high: int, expected: str) -> None:
    found = warnings([{"id": 1, "entities": SPANS}], predicted(lambda at: at + low, lambda at: at + high))
    assert found == [f"all 4 predicted entities {expected}"]


def test_one_right_prediction_shows_that_offsets_are_half_open() -> None:
    pred = predicted(int, lambda at: at - 1)
    pred[0]["entities"].append({"type": "PER", "start": 3, "end": 6})
    assert warnings([{"id": 1, "entities": SPANS}], pred) == []


@pytest.mark.parametrize(("count", "what"), [(in_bytes, "bytes of UTF-8"), (in_utf16, "UTF-16 code units")])
def test_offsets_that_count_something_else(count: Callable[[int], int], what: str) -> None:
    """All four are gold's then. Köln ends beyond the text: at 31 of 26 in bytes, and at 27 in UTF-16 units."""
    found = warnings(GOLD, predicted(count, count))
    assert any(one.startswith("predicted entities that end beyond the text (e.g. text 1: ") for one in found)
    assert (
        f"predicted entities that have the offsets of a gold entity if those count {what}, not characters: 4" in found
    )


@pytest.mark.parametrize(
    ("low", "high", "what"),
    [
        (int, lambda at: at - 1, "inclusive ends"),
        (lambda at: at + 1, lambda at: at + 1, "offsets from 1 or offsets in UTF-16 code units"),
        (in_bytes, in_bytes, "offsets in bytes of UTF-8"),
        (in_utf16, in_utf16, "offsets from 1 or offsets in UTF-16 code units"),  # one emoji moves all by one
    ],
)
def test_words_that_are_elsewhere_tell_why(low: Any, high: Any, what: str) -> None:
    found = next(one for one in warnings(GOLD, quoted(low, high)) if one.startswith("values that differ"))
    assert found.endswith(f"4 of 4 ({what} would explain it; {HALF_OPEN})")


def frame(*rows: tuple[Any, ...]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["doc_id", "start", "end", "label", "value"], orient="row")


def test_other_words_at_the_same_offsets_are_told() -> None:
    gold = frame(("a", 0, 3, "PER", "Ann"), ("b", 4, 7, "LOC", "Ulm"))
    pred = frame(("a", 0, 3, "PER", "Bob"), ("b", 4, 7, "LOC", "Ulm"))
    expected = (
        "predicted entities whose words differ from those of gold at the same offsets (e.g. text a: 'Bob' at 0:3, but "
        "'Ann' in gold): 1 of 2. Are both about the same texts?"
    )
    assert warnings(gold, pred) == [expected]
    assert warnings(gold, pred, check_text=False) == []
    assert warnings(gold, gold) == []


def test_words_that_do_not_fit_their_span_are_told() -> None:
    """Without a text, their length tells: Änn has three characters and four bytes."""
    gold = frame(("a", 0, 3, "PER", "Änn"), ("b", 4, 7, "LOC", "Ulm"))
    pred = frame(("a", 0, 4, "PER", "Änn"), ("b", 5, 8, "LOC", "Ulm"))
    assert warnings(gold, pred) == [
        "predicted entities whose words are longer or shorter than their spans (e.g. text a: 'Änn' at 0:4): 1 of 2 "
        f"(offsets in bytes of UTF-8 would explain it; {HALF_OPEN})"
    ]


def test_a_table_of_texts_with_inclusive_ends_is_read_as_texts_of_entities() -> None:
    """Ulm at 4:6 ends before its entity does, so it is not the text of the whole unit."""
    pred = frame(("a", 0, 2, "PER", "Ann"), ("b", 4, 6, "LOC", "Ulm")).rename({"value": "text"})
    gold = frame(("a", 0, 3, "PER", "Ann"), ("b", 4, 7, "LOC", "Ulm")).rename({"value": "text"})
    lengths, shifted = warnings(gold, pred)
    assert "inclusive ends would explain it" in lengths
    assert shifted.endswith("are the predicted ends inclusive?")


def test_duplicates_are_counted() -> None:
    """Three times the same is two too many; another label at the same place is not the same."""
    gold = [{"id": 1, "entities": [("PER", 0, 3)]}]
    pred = [{"id": 1, "entities": [("PER", 0, 3), ("PER", 0, 3), ("LOC", 0, 3), ("PER", 0, 3)]}]
    assert warnings(gold, pred)[-1] == (
        "predicted entities that repeat another one with the same label and offsets (e.g. text 1: PER 0–3): 2"
    )


def test_counts_are_the_same_in_parts(tmp_path: Any) -> None:
    """Over several files, as over one: examples are of the first."""
    for side, low in (("gold", 0), ("pred", 1)):
        (tmp_path / side).mkdir()
        for name in "ab":
            (tmp_path / side / f"{name}.csv").write_text(f"doc_id,start,end,label\n{name},{4 + low},{7 + low},PER\n")
    found = warnings(str(tmp_path / "gold"), str(tmp_path / "pred"))
    assert found == [
        "all 2 predicted entities are one character after a gold entity: do the predicted offsets count from 1?"
    ]
