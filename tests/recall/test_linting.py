"""What `lint` finds: each defect of the page, and what it does to the estimate."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.recall.conftest import COUNTS, ROWS, write

from karatage.errors import UsageError
from karatage.recall import LintFinding, lint, read_benchmark, write_benchmark


def codes(found: list[LintFinding]) -> set[str]:
    return {one.code for one in found}


def one(found: list[LintFinding], code: str) -> LintFinding:
    (match,) = [finding for finding in found if finding.code == code]
    return match


def edit(folder: Path, old: str, new: str) -> None:
    path = folder / "data_description.csv"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def export(path: Path, items: list[tuple[str, str, str]], annotators: int = 1) -> None:
    """Write an export: text, the candidate in it, the choice."""
    tasks: list[dict[str, Any]] = []
    for at, (text, candidate, choice) in enumerate(items):
        start = text.index(candidate)
        value = {"start": start, "end": start + len(candidate), "text": candidate, "labels": ["candidate"]}
        result = [{"type": "labels", "origin": "prediction", "value": value}]
        chosen = [{"type": "choices", "value": {"choices": [choice]}}]
        said = [{"completed_by": who, "result": result + chosen} for who in range(annotators)]
        tasks.append({"id": at, "data": {"text": text}, "annotations": said})
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(tasks), "utf-8")


def test_a_sound_benchmark_has_notes_only(benchmark_folder: Path) -> None:
    found = lint(benchmark_folder)
    assert codes(found) == {"weights-known", "no-manifest", "end-of-text"}
    assert {finding.severity for finding in found} == {"note"}
    assert one(found, "end-of-text").what == "4 of 6 positives at the end of the text"
    # Without those, one of two rivers and one of four lakes are left: (50·½ + 60·¼)/110.
    assert f"loses {1 - (25 + 15) / 110:.4f} of recall" in one(found, "end-of-text").effect


def test_more_labelled_than_occurrences(benchmark_folder: Path) -> None:
    edit(benchmark_folder, "lakes,300,20", "lakes,19,20")
    found = one(lint(benchmark_folder), "labelled-over-occurrences")
    assert (found.severity, found.stratum, found.what) == ("error", "lakes", "20 labelled, but 19 occurrences")


def test_other_positives_than_stated(benchmark_folder: Path) -> None:
    edit(benchmark_folder, "lakes,300,20,4", "lakes,300,20,5")
    found = one(lint(benchmark_folder), "positive-count")
    assert found.what == "the description states 5 positives, but the file has 4"


def test_a_missing_file(benchmark_folder: Path) -> None:
    next(benchmark_folder.rglob("lakes.csv")).unlink()
    found = lint(benchmark_folder)
    assert one(found, "file").severity == "error"
    assert "positive-count" in codes(found)


def test_labelled_counts_are_those_of_the_exports(benchmark_folder: Path) -> None:
    items = [(f"lake number {i}", "lake", "no") for i in range(18)]
    export(benchmark_folder / "labelled" / "lakes_labelled.json", items)
    found = one(lint(benchmark_folder), "labelled-count")
    assert found.what == "lakes: 20 labelled in the description, 18 in the exports"
    # lakes: 300·4/18 = 66.7 positives instead of 60
    before, after = (50 * 0.5 + 60 * 0.75) / 110, (25 + 66.6667 * 0.75) / 116.6667
    assert f"{before:.4f} (" in found.effect
    assert f"→ {after:.4f} (" in found.effect
    named = one(
        lint(benchmark_folder, exports={"lakes": [str(benchmark_folder / "labelled/lakes_labelled.json")]}),
        "labelled-count",
    )
    assert named == found
    with pytest.raises(UsageError, match="unknown stratum 'ponds'. The benchmark has rivers, lakes"):
        lint(benchmark_folder, exports={"ponds": []})


def test_draws_with_replacement(tmp_path: Path) -> None:
    folder = write(tmp_path / "waters", ROWS, COUNTS | {"lakes": (300, 100)})
    # 100 draws of 300 with replacement leave 300·(1 - (1 - 1/300)^100) ≈ 85 distinct ones.
    export(folder / "labelled" / "lakes.json", [(f"lake number {i}", "lake", "no") for i in range(86)])
    found = one(lint(folder), "with-replacement")
    assert found.what == "100 draws gave 86 items; drawing with replacement gives about 85"


def test_conflicts_and_repeats(benchmark_folder: Path) -> None:
    items = [("lake Como", "lake", "no"), ("lake Como", "lake", "yes"), ("lake Van", "lake", "no")]
    export(benchmark_folder / "labelled" / "lakes.json", items)
    path = benchmark_folder / "labelled" / "lakes.json"
    tasks = json.loads(path.read_text("utf-8"))
    tasks[2]["annotations"].append({"completed_by": 9, "result": [{"type": "choices", "value": {"choices": ["yes"]}}]})
    path.write_text(json.dumps(tasks), "utf-8")
    found = lint(benchmark_folder)
    assert one(found, "repeated-items").what == "1 labelled item with the same text and span as another"
    assert one(found, "conflicts").what == "annotators disagree on 1 item: 1 in the choice, 0 in the spans"
    assert [one(found, code).stratum for code in ("repeated-items", "conflicts")] == ["lakes", "lakes"]
    (benchmark_folder / "labelled" / "notes.json").write_text("[1, 2]", "utf-8")  # something else is passed over
    assert lint(benchmark_folder) == found


def test_an_annotator_who_answers_differently_later(benchmark_folder: Path) -> None:
    """The same task is in two exports, with another answer in the second; a second task has the same one in both."""
    folder = benchmark_folder / "labelled"
    export(folder / "lakes_1.json", [("lake Como", "lake", "no"), ("lake Van", "lake", "no")])
    export(folder / "lakes_2.json", [("lake Como", "lake", "yes"), ("lake Van", "lake", "no")])
    found = one(lint(benchmark_folder), "answered-twice")
    assert (found.what, found.stratum) == ("1 item with different answers of the same annotator", "lakes")


def test_repeats_in_a_later_pass_are_counted_once(benchmark_folder: Path) -> None:
    """The second pass over the positives has the repeated item too."""
    again = [(ROWS["lakes"][0][0], "lake", "yes")] * 2
    folder = benchmark_folder / "labelled"
    export(folder / "lakes_labelled.json", [*again, (ROWS["lakes"][1][0], "lake", "yes")])
    export(folder / "lakes_truelabelled.json", again)
    assert one(lint(benchmark_folder), "repeated-items").what.startswith("1 labelled item")


def test_strata_without_positives(tmp_path: Path) -> None:
    folder = write(tmp_path / "waters", ROWS | {"ponds": []}, COUNTS | {"ponds": (10_000, 100)})
    found = one(lint(folder), "no-positives")
    assert found.what == "no positives in ponds (10,000 occurrences)"
    assert "up to 293 positives" in found.effect


def test_strata_without_labels_are_not_said_to_have_no_positives(tmp_path: Path) -> None:
    folder = write(tmp_path / "waters", ROWS | {"ponds": []}, COUNTS | {"ponds": (10_000, 100)})
    edit(folder, "ponds,10000,100", "ponds,10000,0")
    found = lint(folder)
    assert one(found, "unlabelled").stratum == "ponds"
    assert "no-positives" not in codes(found)


def test_undecided_items_may_be_positives(tmp_path: Path) -> None:
    """All ten ponds are labelled and three of them undecided, so that they hide three positives at most, not none."""
    folder = write(tmp_path / "waters", ROWS | {"ponds": []}, COUNTS | {"ponds": (10, 10)})
    given = read_benchmark(folder)
    *others, ponds = given.strata
    write_benchmark(replace(given, strata=(*others, replace(ponds, unresolved=3))), folder)
    assert "up to 3 positives" in one(lint(folder), "no-positives").effect


def test_undecided_items_are_not_a_mistaken_quantile(benchmark_folder: Path) -> None:
    """With 4 of 20 lakes positive and 70 in the corpus, 14 are estimated ± 6.26; 8 are undecided: 14 - 0.95 · 6.26."""
    edit(benchmark_folder, "lakes,300,20", "lakes,70,20")
    given = read_benchmark(benchmark_folder)
    write_benchmark(replace(given, strata=tuple(replace(s, unresolved=8) for s in given.strata)), benchmark_folder)
    assert "unresolved" in (benchmark_folder / "data_description.csv").read_text("utf-8")
    assert "level-as-quantile" not in codes(lint(benchmark_folder))


def test_dropped_strata_show_in_the_ratios(benchmark_folder: Path) -> None:
    for stratum, size in (("rivers", 1000), ("lakes", 300)):
        text = (benchmark_folder / "data_description.csv").read_text("utf-8")
        old = repr(size / 1300)
        assert old in text, stratum
        edit(benchmark_folder, old, repr(size / 2600))
    found = one(lint(benchmark_folder), "dropped-strata")
    assert found.what == "the shares of occurrences sum to 0.5000; strata with about 1,300 are missing"


def test_a_level_where_a_quantile_belongs(benchmark_folder: Path) -> None:
    path = benchmark_folder / "data_description.csv"
    rows = list(csv.reader(path.read_text("utf-8").splitlines()))
    share = 2 / 40
    error = 1000 * (share * (1 - share) / 40) ** 0.5
    rows[0] += ["low", "high"]
    rows[1] += [repr(50 - 0.95 * error), repr(50 + 0.95 * error)]
    rows[2] += ["0", "300"]
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows)
    found = [finding for finding in lint(benchmark_folder) if finding.code == "level-as-quantile"]
    assert [(finding.stratum, finding.what.split()[0]) for finding in found] == [("rivers", "low"), ("rivers", "high")]
    assert f"± {1.96 * error:,.0f}, not ± {0.95 * error:,.0f}" in found[0].effect


def test_blank_edges_and_repeats_and_labels(tmp_path: Path) -> None:
    rows = {
        "rivers": [("by river Ob .", "river Ob ", "LOC", "no"), ("by river Don", "river Don", "GPE", "yes")],
        "lakes": [("lake Como .", "lake Como", "LOC", "yes")] * 2,
    }
    found = lint(write(tmp_path / "waters", rows))
    assert one(found, "blank-edges").what == "1 of 4 positives with leading or trailing spaces"
    assert f"is at most {1 - 25 / 80:.4f}" in one(found, "blank-edges").effect
    assert one(found, "repeated-positives").what == "1 of 4 positives duplicated"
    assert one(found, "labels").effect == "a tagger without GPE misses 1 positive"


def test_items_in_two_benchmarks(benchmark_folder: Path, tmp_path: Path) -> None:
    other = write(
        tmp_path / "other", {"rivers": [ROWS["rivers"][0], ("river Rhine", "river Rhine", "LOC", "no")]}, COUNTS
    )
    found = one(lint(benchmark_folder, against=other), "shared-items")
    assert found.what == "1 of 8 positives in both benchmarks (waters, other)"


def test_amundsen_01(real_data: Path, tmp_path: Path) -> None:
    found = lint(real_data / "amundsen_01")
    labelled = one(found, "labelled-count")
    assert [part.rsplit(", ", 1)[1] for part in labelled.what.split("; ")] == [
        "997 in the exports",
        "991 in the exports",
        "999 in the exports",
    ]
    assert labelled.effect.endswith("0.5892 (0.5443–0.6342) → 0.5893 (0.5444–0.6342)")
    assert one(found, "conflicts").what == "annotators disagree on 13 items: 2 in the choice, 13 in the spans"
    assert {"with-replacement", "weights-known", "no-manifest", "repeated-items", "end-of-text"} <= codes(found)
    copy = tmp_path / "amundsen_02"
    write_benchmark(read_benchmark(real_data / "amundsen_01"), copy)
    assert "535 of 1,070 positives" in one(lint(real_data / "amundsen_01", against=copy), "shared-items").what


def test_amundsen_02(real_data: Path) -> None:
    """Compressed exports in folders of their own: a pilot and the rest count together."""
    if not (real_data / "amundsen_02" / "labelled").is_dir():
        pytest.skip("amundsen_02 is not beside this repository")
    found = lint(real_data / "amundsen_02", against=real_data / "amundsen_01")
    counts = [int(part.rsplit(", ", 1)[1].split()[0]) for part in one(found, "labelled-count").what.split("; ")]
    assert counts == [986, 973, 991, 976, 315, 978, 981, 904, 895]
    assert one(found, "labelled-over-occurrences").stratum == "I"
    assert one(found, "shared-items").what.startswith("20 of 2,219 positives")
    # 1,000 draws with replacement from the 3,611 of G would have repeated about 126 items, not 9
    assert "G" not in {finding.stratum for finding in found if finding.code == "with-replacement"}


def test_ratios_that_contradict_the_counts(tmp_path: Path) -> None:
    """Lakes: 300 × 4/20 = 60 of 60 + 1000 × 2/40 = 110 positives, which is 0.5455; all other ratios fit."""
    folder = write(tmp_path / "bench")
    assert "ratio" not in codes(lint(folder))
    edit(folder, "0.5454545454545454", "0.9")
    found = one(lint(folder), "ratio")
    assert (found.stratum, found.what) == ("lakes", "relative_frequency is 0.9, but the counts give 0.5455")
