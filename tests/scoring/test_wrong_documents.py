"""The table of documents that a search engine got wrong, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import karatage

Rows = list[tuple[str, str, str, int, int | None]]


def listed(result: karatage.Result, depth: int = 10) -> Rows:
    return result.documents(depth).rows()  # type: ignore[no-any-return]


QRELS = {"q1": {"a": 2, "b": 1, "c": 0, "d": 1, "e": 0}, "q2": {"f": 1}}
RUN = {"q1": {"c": 9.0, "b": 8.0, "x": 7.0, "a": 6.0, "e": 5.0}, "q2": {"f": 1.0}}


@pytest.mark.parametrize(
    ("depth", "wrong"),
    [
        # The ranks are c 1, b 2, x 3 (not judged), a 4, e 5; d is not retrieved. Within a query, by falling grade.
        (1, [("q1", "too low", "a", 2, 4), ("q1", "missed", "d", 1, None), ("q1", "too low", "b", 1, 2),
             ("q1", "too high", "c", 0, 1)]),
        (2, [("q1", "too low", "a", 2, 4), ("q1", "missed", "d", 1, None), ("q1", "too high", "c", 0, 1)]),
        (4, [("q1", "missed", "d", 1, None), ("q1", "too high", "c", 0, 1)]),
        (5, [("q1", "missed", "d", 1, None), ("q1", "too high", "c", 0, 1), ("q1", "too high", "e", 0, 5)]),
    ],
)  # fmt: skip
def test_ranked_results(depth: int, wrong: Rows) -> None:
    result = karatage.score(QRELS, RUN, metrics=["P@1"], resamples=0)
    assert listed(result, depth) == wrong


def test_labels(tmp_path: Path) -> None:
    """A relevant document must be labelled 1, one judged irrelevant must not; what is not judged does not matter."""
    gold, pred = tmp_path / "gold.tsv", tmp_path / "pred.tsv"
    gold.write_text("d\tq\tr\na\t1\t0\nb\t-1\t1\nc\t1\t-1\ne\t-1\t-1\n")
    pred.write_text("d\tr\tq\nb\t-1\t1\na\t1\t1\nc\t1\t-1\n")  # other order; e is not there
    result = karatage.score(gold, pred, like="sigir-ecom19", format="sigir19", resamples=0)
    # q: a is right, b should be -1, c should be 1, e has no label and needs none. r: b should be 1, c should be -1.
    assert listed(result) == [
        ("q", "missed", "c", 1, None),
        ("q", "too high", "b", -1, None),
        ("r", "missed", "b", 1, None),
        ("r", "too high", "c", -1, None),
    ]
