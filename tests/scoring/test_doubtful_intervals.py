"""Warnings where an interval may be too narrow: the sizes of units have a long tail, or labels are in few units."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

import karatage as kg

SMALL, LARGE = ["B-A"], ["B-A", "O"] * 40


def doubtful(warnings: tuple[str, ...]) -> list[str]:
    return [warning for warning in warnings if "too narrow" in warning]


def test_units_that_carry_most_of_the_variance_are_named() -> None:
    """Of 51 entities one sentence has 40: as many as (40 + 11)²/(40² + 11) = 1.6 sentences of the same size, of 12."""
    gold = {f"s{k}": LARGE if k == 7 else SMALL for k in range(12)}
    pred = gold | {"s7": LARGE[:40] + ["O"] * 40}
    assert doubtful(kg.score(gold, pred).warnings) == [
        "the sizes of sentences differ widely: 1 of 12 sentences account for half of the variance of f1 (s7), so "
        "intervals may be too narrow"
    ]
    compared = kg.compare(gold, {"half": pred, "all": gold})
    assert [warning.split(" of f1")[1] for warning in doubtful(compared.warnings)] == [
        " (s7), so intervals may be too narrow"
    ]


def test_without_intervals_or_with_equal_sizes_there_is_no_doubt() -> None:
    gold = [LARGE] * 8 + [SMALL] * 4
    assert doubtful(kg.score(gold, [["O"] * 80, *gold[1:]], resamples=0).warnings) == []
    # Gold and predictions: (40 + 7 · 80 + 4 · 2)²/(40² + 7 · 80² + 4 · 2²) = 8.0 of 12 sentences, above 60 %.
    assert doubtful(kg.score(gold, [["O"] * 80, *gold[1:]]).warnings) == []
    # (40 + 6 · 80 + 5 · 2)²/(40² + 6 · 80² + 5 · 2²) = 7.0 of 12.
    assert len(doubtful(kg.score([*gold[1:], SMALL], [["O"] * 80, *gold[2:], SMALL]).warnings)) == 1


def test_labels_in_few_units_are_named_with_the_averages_that_they_weigh_in() -> None:
    gold = [["B-A"]] * 98 + [["B-B"] * 8] * 2
    assert doubtful(kg.score(gold, gold).warnings) == [
        # In the weighted average B has 16 of 114 entities, more than a tenth.
        "labels that depend on fewer than 5 sentences, so intervals of macro_f1, weighted_f1 may be too narrow: 1 (B)"
    ]
    gold = [["B-A"]] * 98 + [["B-B"]] * 4
    assert doubtful(kg.score(gold, gold).warnings) == [
        "labels that depend on fewer than 5 sentences, so intervals of macro_f1 may be too narrow: 1 (B)"
    ]
    gold = [["B-A"]] * 98 + [["B-B"]] * 5
    assert doubtful(kg.score(gold, gold).warnings) == []


def test_one_large_unit_among_small_ones_is_not_many_units() -> None:
    """B is in 7 sentences, but (8 + 6)²/(64 + 6) = 2.8 of the same size would tell as much."""
    gold = [["B-A"]] * 90 + [["B-B"] * 8] + [["B-B"]] * 6
    assert len(doubtful(kg.score(gold, gold).warnings)) == 1


def test_clusters_are_named_by_what_they_are(tmp_path: Path) -> None:
    towns = [*(f"t{k}" for k in range(10)), *["Rom"] * 30]
    for name, wrong in (("gold", ()), ("pred", range(20, 40))):
        rows = [
            {"id": k, "text": "x", "label": [] if k in wrong else [[0, 1, "A"]], "town": t} for k, t in enumerate(towns)
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = doubtful(kg.score(tmp_path / "gold.jsonl", tmp_path / "pred.jsonl", cluster_by="town").warnings)
    assert [warning.split(", so")[0] for warning in found] == [
        "the sizes of clusters differ widely: 1 of 11 clusters account for half of the variance of f1 (Rom)"
    ]


def test_standard_input_is_not_read_twice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rows = ["\n".join("w B-A" for _ in range(40 if k == 7 else 1)) + "\n" for k in range(12)]
    gold = tmp_path / "gold.conll"
    gold.write_text("\n".join(rows))
    pred = "\n".join(rows).replace("w B-A\n" * 3, "w B-A\nw O\nw O\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pred.encode())))
    assert [warning.split(", so")[0] for warning in doubtful(kg.score(gold, "-", format="conll").warnings)] == [
        "the sizes of sentences differ widely: 1 of 12 sentences account for half of the variance of f1"
    ]


def test_labels_with_a_long_tail_are_named() -> None:
    """Of the 40 entities of B, 30 are in one of eleven sentences: 40²/(30² + 10) = 1.8 of the same size, of 11."""
    gold = [["B-A"]] * 200 + [["B-B"] * 30] + [["B-B"]] * 10
    pred = [*gold[:200], ["B-B"] * 20 + ["O"] * 10, *gold[201:]]
    uneven = kg.score(gold, pred).warnings  # all sentences together are
    assert [text for text in doubtful(uneven) if text.startswith("labels most")] == []
    even = [["B-A"] * 3] * 200 + gold[200:]
    wrong = [*even[:200], *pred[200:]]
    named = "labels whose scores depend mostly on some of their sentences, so their intervals may be too narrow: 1 (B)"
    assert named in doubtful(kg.score(even, wrong).warnings)


def test_units_that_fail_as_a_whole_may_be_hidden_where_all_are_a_little_wrong() -> None:
    """In 50 sentences one or two entities of twenty are missed. Wilson's interval of 50 of 50 starts at 0.9287.

    If 7 % of all sentences scored 0, a recall of 0.925 would be 0.925 · 0.9287 = 0.86.
    """
    gold = [["B-A"] * 20] * 50
    pred = [["O"] * (1 + k % 2) + ["B-A"] * (19 - k % 2) for k in range(50)]
    found = kg.score(gold, pred, metrics=["recall"])
    assert found["recall"].value == pytest.approx(0.925)
    assert doubtful(found.warnings) == [
        "50 sentences do not rule out that 7 % of all sentences score 0, and recall would then be 0.86, so its "
        "interval may be too narrow"
    ]
    assert doubtful(kg.score(gold * 10, pred * 10, metrics=["recall"]).warnings) == []
    # Where one has failed, the interval allows for others.
    failed = kg.score(gold, [*pred[1:], ["O"] * 20], metrics=["recall"])
    assert doubtful(failed.warnings) == []
    # A score below 0.5 may hide units that are right.
    other = [["B-A"] * (1 + k % 2) + ["O"] * (19 - k % 2) for k in range(50)]
    low = kg.score(gold, other, metrics=["recall"])
    assert ["score 1, and recall would then be 0.14" in text for text in doubtful(low.warnings)] == [True]
