"""Attributes that scores depend on: gold's are used, and predictions with others are counted."""

from __future__ import annotations

import json
from pathlib import Path

import karatage


def test_swapped_categories_of_a_submission_are_counted(tmp_path: Path) -> None:
    """Both values are correct, so the official score, which takes gold's categories, is 1."""
    gold, pred = tmp_path / "gold.tsv", tmp_path / "pred.tsv"
    gold.write_text("1\t1\tHersteller\tATE\n2\t2\tHersteller\tSKF\n")
    pred.write_text("1\t2\tHersteller\tATE\n2\t1\tHersteller\tSKF\n")
    result = karatage.score(gold, pred, like="ebay-2025")
    assert result["final_f0.2"].value == 1.0
    assert result.warnings == (
        "listings whose category differs, gold's is used (e.g. listing 1: '1' in gold, '2' in the predictions): 2",
    )
    assert karatage.score(gold, gold, like="ebay-2025").warnings == ()


def records(path: Path, sources: list[str]) -> Path:
    rows = [{"id": k, "fields": {"A": ["x"]}, "source": source} for k, source in enumerate(sources, 1)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_only_attributes_that_are_used_are_compared(tmp_path: Path) -> None:
    """The second record has another source; the third has none, which is not compared."""
    gold, pred = records(tmp_path / "g.jsonl", ["a", "b", "b"]), records(tmp_path / "p.jsonl", ["a", "a", ""])
    said = "records whose source differs, gold's is used (e.g. record 2: 'b' in gold, 'a' in the predictions): 1"
    assert said in karatage.score(gold, pred, like="values", group_by="source").warnings
    assert said in karatage.score(gold, pred, like="values", cluster_by="source").warnings
    assert said in karatage.score(gold, pred, like="values", stratify_by="source").warnings
    assert said not in karatage.score(gold, pred, like="values").warnings
    compared = karatage.compare(gold, {"one": pred, "two": gold}, like="values", cluster_by="source", resamples=10)
    assert f"one: {said}" in compared.warnings
