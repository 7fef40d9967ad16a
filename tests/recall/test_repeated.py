"""The same text, item or system twice: the same answer counts once, different answers are ordered, said or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.command import refused
from tests.recall.conftest import ROWS, write

from karatage.errors import InputError, UsageError
from karatage.recall import Board, BoardEntry, Export, LabelledBenchmark, estimate, import_labels, lint, repair
from karatage.recall.board_results import BoardResult

TEXT = "Near lake Como and lake Erie."
OLD, NEW = "2026-01-01T10:00:00.5Z", "2026-01-01T12:00:00+01:30"  # 10:00:00.5 and 10:30 in UTC


def said(choice: str, time: str | None = None, who: Any = 7, end: int = 14) -> dict[str, Any]:
    """Return an annotation of `lake Como`, as Label Studio exports it."""
    result: list[dict[str, Any]] = [{"type": "choices", "value": {"choices": [choice]}}]
    if choice == "yes":
        result.append({"type": "labels", "value": {"start": 5, "end": end, "labels": ["LOC"]}})
    return {"completed_by": who, "result": result} | ({"updated_at": time} if time else {})


def export(path: Path, *annotations: dict[str, Any]) -> Export:
    path.write_text(json.dumps([{"id": 1, "data": {"text": TEXT}, "annotations": list(annotations)}]), "utf-8")
    return Export(str(path), "lakes")


def imported(folder: Path, *exports: Export) -> LabelledBenchmark:
    return import_labels(folder, exports, labels=["LOC"], occurrences={"lakes": 10})


def positives(made: LabelledBenchmark) -> int:
    return len(made.benchmark.positives)


REPLACED = "answers replaced by a later one of the same annotator"


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_answers_of_one_annotator_the_latest_counts(tmp_path: Path, order: int) -> None:
    annotations = [said("yes", OLD), said("no", NEW)][::order]
    made = imported(tmp_path / "w", export(tmp_path / "e.json", *annotations))
    assert (positives(made), made.notes[REPLACED]) == (0, 1)


@pytest.mark.parametrize("order", [1, -1])
def test_answers_in_two_files_are_ordered_by_time_too(tmp_path: Path, order: int) -> None:
    files = [export(tmp_path / "1.json", said("no", OLD)), export(tmp_path / "2.json", said("yes", NEW))][::order]
    made = imported(tmp_path / "w", *files)
    assert (positives(made), made.notes[REPLACED]) == (1, 1)


@pytest.mark.parametrize("other", [said("no"), said("yes", end=13), said("no", OLD)])
@pytest.mark.parametrize("first", [said("yes"), said("yes", OLD)])
def test_different_answers_without_an_order_are_refused(
    tmp_path: Path, first: dict[str, Any], other: dict[str, Any]
) -> None:
    message = (
        r"e\.json: annotator '7' has different answers to item 'lakes-1': yes \(LOC 5–14\) and (no|yes \(LOC 5–13)"
    )
    with pytest.raises(InputError, match=message):
        imported(tmp_path / "w", export(tmp_path / "e.json", first, other))
    assert not (tmp_path / "w").exists()


def test_the_same_answer_twice_counts_once(tmp_path: Path) -> None:
    made = imported(tmp_path / "w", export(tmp_path / "e.json", said("yes"), said("yes")))
    assert (positives(made), len(made.answers)) == (1, 1)
    assert made.notes["answers that repeat another one of the same annotator, counted once"] == 1


def test_an_older_export_does_not_undo_a_newer_one(tmp_path: Path) -> None:
    newer, older = export(tmp_path / "n.json", said("yes", NEW)), export(tmp_path / "o.json", said("no", OLD))
    imported(tmp_path / "w", newer)
    made = imported(tmp_path / "w", older)
    assert (positives(made), made.notes["answers older than those imported before, skipped"]) == (1, 1)
    made = imported(tmp_path / "w", export(tmp_path / "c.json", said("no")))  # at an unknown time: a correction
    assert (positives(made), made.notes[REPLACED]) == (0, 1)


def test_a_table_with_an_item_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tasks.csv"
    path.write_text(f"item,text,answer,entity\n1,{TEXT},yes,lake Como\n1,{TEXT},no,\n", "utf-8")
    with pytest.raises(InputError, match="annotator 'tasks' has different answers to item '1': yes"):
        imported(tmp_path / "w", Export(str(path), "lakes"))


def test_repair_and_lint_see_them_too(benchmark_folder: Path, tmp_path: Path) -> None:
    path = export(tmp_path / "e.json", said("yes"), said("no")).path
    with pytest.raises(InputError, match="annotator '7' has different answers"):
        repair(benchmark_folder, [("lakes", path)])
    found = [one for one in lint(benchmark_folder, exports={"lakes": [path]}) if one.code == "answered-twice"]
    assert [one.what for one in found] == ["1 item with different answers of the same annotator"]


def predictions(path: Path, *rows: tuple[str, list[tuple[int, int, str]]]) -> Path:
    lines = [json.dumps({"text": text, "label": spans}) for text, spans in rows]
    path.write_text("\n".join(lines), "utf-8")
    return path


ALL = [
    (text, [(text.index(entity), text.index(entity) + len(entity), label)])
    for own in ROWS.values()
    for text, entity, label, _ in own
]


def test_predictions_with_a_text_twice(benchmark_folder: Path, tmp_path: Path) -> None:
    """The union of two answers would find what neither found alone."""
    same = estimate(benchmark_folder, predictions=predictions(tmp_path / "same.jsonl", *ALL, ALL[0]))
    assert same.counts["correct"] == 6
    assert "1 text several times in the predictions, with the same entities" in same.warnings
    alone = estimate(benchmark_folder, predictions=predictions(tmp_path / "alone.jsonl", *ALL))
    assert not any("several times" in warning for warning in alone.warnings)
    two = predictions(tmp_path / "two.jsonl", (ALL[0][0], []), *ALL)
    message = r"two\.jsonl:2.*: the text 'by the river Ob' has other entities than in unit 1"
    with pytest.raises(InputError, match=message):
        estimate(benchmark_folder, predictions=two)


def test_predictions_that_differ_in_dropped_labels_only(benchmark_folder: Path, tmp_path: Path) -> None:
    more = (ALL[0][0], [*ALL[0][1], (0, 2, "PER")])
    path = predictions(tmp_path / "p.jsonl", *ALL, more)
    assert estimate(benchmark_folder, predictions=path, label_map={"PER": "O"}).counts["correct"] == 6


def test_positives_that_overlap_are_said(tmp_path: Path) -> None:
    """`lake Como` and `Como` in the same text: a tagger without nested entities finds one of them at most."""
    rows = {"lakes": [("lake Como again", "lake Como", "LOC", "yes"), ("lake Como again", "Como", "LOC", "no")]}
    folder = write(tmp_path / "waters", rows, {"lakes": (300, 20)})
    example = "'lake Como' LOC and 'Como' LOC"
    said = f"1 positive overlaps another one in the same text, e.g. {example}: a tagger without nested entities misses"
    assert [one for one in estimate(folder, stored=True).warnings if one.startswith(said)]
    assert [one.what for one in lint(folder) if one.code == "overlapping-positives"]


def test_apart_from_each_other_in_one_text_is_fine(tmp_path: Path) -> None:
    rows = {"lakes": [(TEXT, "lake Como", "LOC", "yes"), (TEXT, "lake Erie", "LOC", "no")]}
    folder = write(tmp_path / "waters", rows, {"lakes": (300, 20)})
    assert not [one for one in estimate(folder, stored=True).warnings if "overlap" in one]


def test_duplicates_with_different_results_are_said(tmp_path: Path) -> None:
    rows = {"lakes": [(TEXT, "lake Como", "LOC", "yes"), (TEXT, "lake Como", "LOC", "no")]}
    folder = write(tmp_path / "waters", rows, {"lakes": (300, 20)})
    found = estimate(folder, stored=True).warnings
    assert "1 duplicate positive with different results: both found and missed" in found


def test_two_results_of_one_system_are_refused(benchmark_folder: Path) -> None:
    first = BoardResult.of(estimate(benchmark_folder, stored=True, name="x"))
    other = BoardResult.of(estimate(benchmark_folder, stored=True, name="x", method="bayes"))
    with pytest.raises(UsageError, match=r"two different results of 'x'. Name one of them, e.g. NAME=RESULT"):
        Board(()).with_entries([BoardEntry.of(first), BoardEntry.of(other)], replacing=True)
    assert len(Board(()).with_entries([BoardEntry.of(first), BoardEntry.of(first)]).entries) == 1


def test_two_results_on_one_benchmark_cannot_be_pooled(benchmark_folder: Path, tmp_path: Path) -> None:
    rows = {"seas": [("sea Azov", "sea Azov", "LOC", "yes"), ("by sea Azov", "sea Azov", "LOC", "no")]}
    second = write(tmp_path / "seas", rows, {"seas": (100, 20)})
    results = []
    for name in ("one", "other"):
        results.append(tmp_path / f"{name}.json")
        results[-1].write_text(estimate(benchmark_folder, stored=True, name=name).to_json(), "utf-8")
    options = [part for path in results for part in ("--results", str(path))]
    message = refused("recall", "pool", benchmark_folder, second, "--stored", *options)
    assert "the results of 'one' and 'other' are about the same benchmark. Pass one for each benchmark" in message
