"""Repair: counts from exports, bounds for omitted strata, and rows of a board by hand."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from tests.command import run
from tests.recall.conftest import ROWS

from karatage.errors import InputError, UsageError
from karatage.recall import (
    BoardEntry,
    BoardResult,
    Export,
    Stratum,
    estimate,
    estimate_results,
    import_labels,
    lint,
    read_benchmark,
    read_board,
    repair,
)
from karatage.recall.repairing.export_files import _files, _stratum
from karatage.recall.stratum_estimates import highest_share, most_positives

BOARD = """,Recall,Recall-95CI%,correct,incorrect
stored,0.6363636363636364,"(0.2, 0.9)",4,2
other,0.5,"(0.1, 0.9)",3,3
elsewhere,0.5,"(0.1, 0.9)",3,4
"""


def task(number: int, text: str, candidate: str, choice: str | None, label: str = "geo") -> dict[str, Any]:
    start = text.index(candidate)
    value = {"start": start, "end": start + len(candidate), "text": candidate, "labels": [label]}
    result: list[dict[str, Any]] = [{"type": "labels", "origin": "prediction", "value": value}]
    if choice is not None:
        result.append({"type": "choices", "value": {"choices": [choice]}})
    return {"id": number, "data": {"text": text}, "annotations": [{"completed_by": 1, "result": result}]}


def write(path: Path, tasks: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = json.dumps(tasks).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def no(first: int, count: int) -> list[dict[str, Any]]:
    return [task(first + k, f"no lake here, {first + k}", "lake", "no") for k in range(count)]


@pytest.fixture
def exports(tmp_path: Path) -> Path:
    """38 rivers; 25 lakes in a pilot and the rest, one of them twice and one undecided; 30 bays of no benchmark."""
    folder = tmp_path / "exports"
    rivers = [task(k, text, name, "full") for k, (text, name, _, _) in enumerate(ROWS["rivers"])]
    lakes = [task(k, text, name, "full") for k, (text, name, _, _) in enumerate(ROWS["lakes"])]
    write(folder / "pos_rivers.json.gz", [*rivers, *no(10, 35), task(99, "a river", "river", None)])
    write(folder / "pilot" / "pos_lakes.json", [*lakes[:2], *no(10, 8)])
    again = task(7, "old lake Van", "lake Van", "full")
    part = task(8, "the lake Van boat", "lake", "partial")
    write(folder / "rest" / "pos_lakes.json", [*lakes[2:], again, part, *no(30, 11)])
    write(folder / "pos_bays.json", no(50, 30))
    return folder


def test_by_hand(benchmark_folder: Path, exports: Path, tmp_path: Path) -> None:
    (benchmark_folder / "leaderboard.csv").write_text(BOARD, "utf-8")
    published = estimate(benchmark_folder, stored=True, method="published").recall
    stored = f'stored,{published.value!r},"({published.low!r}, {published.high!r})",4,2'
    lines = BOARD.splitlines()
    (benchmark_folder / "leaderboard.csv").write_text("\n".join([lines[0], stored, *lines[2:]]) + "\n", "utf-8")
    before = {one: one.read_bytes() for one in benchmark_folder.rglob("*") if one.is_file()}
    made = repair(benchmark_folder, [str(exports)])
    rivers, lakes = made.strata
    assert rivers.changes == {"labelled": (40, 38)}
    assert lakes.changes == {"labelled": (20, 25), "positive": (4, 5), "undecided": (0, 1)}
    assert "each counts" in lakes.remarks[0]
    assert made.notes["items without a choice, counted as no entity"] == 1
    # bays: no positive in 30, so at most 1 - 0.05^(1/30) of them
    (bays,) = made.dropped
    assert (bays.name, bays.labelled, bays.most) == ("bays", 30, None)
    assert bays.share == pytest.approx(1 - 0.05 ** (1 / 30))
    # About 1,000 · 2/38 = 52.63 rivers and 300 · 5/25 = 60 lakes. Stored: 1 of 2 and 3 of 4 are found, one of
    # them the lake that is there twice: 4 of 5.
    weight = 1000 * 2 / 38
    row, other, elsewhere = made.rows
    assert row.how == "stored"
    assert row.after is not None
    assert row.after.recall.value == pytest.approx((weight / 2 + 60 * 4 / 5) / (weight + 60))
    assert (row.after.correct, row.after.incorrect) == (5, 2)
    # The other row: 50 · x/2 + 60 · y/4 = 0.5 · 110 and x + y = 3, so x = 1 and y = 2; the repeated lake is one or not.
    assert other.after is None
    assert other.lowest == pytest.approx((weight / 2 + 60 * 2 / 5) / (weight + 60))
    assert other.highest == pytest.approx((weight / 2 + 60 * 3 / 5) / (weight + 60))
    assert elsewhere.how == "unknown: not about these 6 positives"
    made.write(tmp_path / "new")
    again = read_benchmark(tmp_path / "new")
    assert [(s.occurrences, s.labelled, len(s.positives), s.unresolved) for s in again.strata] == [
        (1000, 38, 2, 0),
        (300, 25, 5, 1),
    ]
    assert [one.system for one in read_board(tmp_path / "new" / "leaderboard.csv").entries] == ["stored"]
    assert not {one.code for one in lint(tmp_path / "new") if one.severity == "error"}
    assert {one: one.read_bytes() for one in benchmark_folder.rglob("*") if one.is_file()} == before
    with pytest.raises(InputError, match="already exists. Choose a new folder"):
        made.write(tmp_path / "new")


def test_digits_of_a_row_give_its_hits(benchmark_folder: Path, exports: Path) -> None:
    """Without the repeated lake, the row is known exactly: one river and two lakes."""
    (benchmark_folder / "leaderboard.csv").write_text(BOARD, "utf-8")
    made = repair(benchmark_folder, [("rivers", str(exports / "pos_rivers.json.gz"))])
    other = made.rows[1]
    weight = 1000 * 2 / 38
    assert other.after is not None
    assert (other.how, other.after.correct) == ("digits", 3)
    assert other.after.recall.value == pytest.approx((weight / 2 + 60 / 2) / (weight + 60))
    assert made.strata[1].remarks == ["no exports; unchanged"]
    # as if the hits were known
    hits = estimate_results(made.benchmark, [True, False, True, True, False, False], method="published").recall
    assert (other.after.recall.low, other.after.recall.high) == pytest.approx((hits.low, hits.high))


def test_results_on_items(benchmark_folder: Path, exports: Path) -> None:
    (benchmark_folder / "leaderboard.csv").write_text(BOARD, "utf-8")
    found = [True, False, True, True, False, False]
    result = BoardResult.of(estimate_results(read_benchmark(benchmark_folder), found, method="published"))
    made = repair(benchmark_folder, [str(exports)], results=[BoardEntry.of(result, "other")])
    weight = 1000 * 2 / 38
    assert made.rows[1].how == "results"
    assert made.rows[1].lowest == pytest.approx((weight / 2 + 60 * 2 / 5) / (weight + 60))  # lake Van was not found
    with pytest.raises(UsageError, match="the board has no row 'mine'. Its rows are stored, other, elsewhere"):
        repair(benchmark_folder, [str(exports)], results=[BoardEntry.of(result, "mine")])


def test_candidates_with_another_label(benchmark_folder: Path, tmp_path: Path) -> None:
    """With a map, the candidate of a positive answer is an entity; without, it is undecided."""
    lakes = [task(k, text, name, "full") for k, (text, name, _, _) in enumerate(ROWS["lakes"])]
    path = write(tmp_path / "lakes.json", [*lakes, task(9, "lake Peipus too", "lake Peipus", "full"), *no(10, 15)])
    (_, plain) = repair(benchmark_folder, [str(path)]).strata
    assert plain.changes == {"undecided": (0, 1)}
    (_, mapped) = repair(benchmark_folder, [str(path)], label_map={"geo": "LOC"}, positive=["full"]).strata
    assert mapped.changes == {"positive": (4, 5)}
    assert mapped.after.positives[-1].quoted == "lake Peipus"
    with pytest.raises(UsageError, match="--map geo=PER: the labels of the entities are LOC"):
        repair(benchmark_folder, [str(path)], label_map={"geo": "PER"})


def test_import_with_a_label_map(tmp_path: Path) -> None:
    tasks = [task(1, "lake Van", "lake Van", "full"), task(2, "lake it is", "lake", "part"), *no(10, 2)]
    path = str(write(tmp_path / "e.json", tasks))
    options: dict[str, Any] = {"labels": ["LOC"], "positive": ["full"], "occurrences": {"lakes": 3}}
    made = import_labels(tmp_path / "plain", [Export(path, "lakes")], **options)
    assert len(made.benchmark.positives) == 0
    assert made.benchmark.strata[0].unresolved == 2
    made = import_labels(tmp_path / "mapped", [Export(path, "lakes")], label_map={"geo": "LOC"}, **options)
    assert [(one.quoted, one.labels) for one in made.benchmark.positives] == [("lake Van", ("LOC",))]
    assert made.benchmark.strata[0].unresolved == 1
    # 4 labels of 3 occurrences are reported, and the map is kept
    assert made.notes["labels of stratum 'lakes' beyond its 3 occurrences, which counts as fully labelled"] == 1
    again = import_labels(tmp_path / "mapped", [Export(path, "lakes")])
    assert again.benchmark.positives == made.benchmark.positives


def test_omitted_strata_of_known_size(benchmark_folder: Path, exports: Path) -> None:
    made = repair(benchmark_folder, [str(exports)], occurrences={"bays": 500})
    (bays,) = made.dropped
    assert bays.most == most_positives(500, 30, 0, 0.95)
    assert [one.name for one in made.benchmark.strata] == ["rivers", "lakes", "bays"]
    with pytest.raises(UsageError, match="--occurrences lakes: not a stratum of the exports that the benchmark omits"):
        repair(benchmark_folder, [str(exports)], occurrences={"lakes": 500})


@pytest.mark.parametrize(("size", "n", "seen"), [(500, 30, 0), (500, 30, 1), (40, 30, 3), (10, 10, 4), (20, 5, 5)])
def test_bounds_are_those_of_the_hypergeometric_distribution(size: int, n: int, seen: int) -> None:
    """The largest number for which so few or fewer are drawn with a probability of at least 5 %."""
    from scipy.stats import beta, hypergeom

    chances = [(k, hypergeom.cdf(seen, size, k, n)) for k in range(seen, size - n + seen + 1)]
    assert most_positives(size, n, seen, 0.95) == max(k for k, chance in chances if chance >= 0.05 - 1e-9)
    if seen < n:
        assert highest_share(n, seen, 0.95) == pytest.approx(beta.ppf(0.95, seen + 1, n - seen))


def test_the_share_of_a_stratum_that_is_all_positive_is_not_bounded() -> None:
    assert highest_share(5, 5, 0.95) == 1.0
    assert highest_share(5, 0, 0.95) == pytest.approx(1 - 0.05 ** (1 / 5))


def test_exports_by_folder_by_pattern_and_by_name(tmp_path: Path) -> None:
    for name in ("a.json", "b.json.gz", "b.txt", "odd[1].json"):
        (tmp_path / name).write_text("[]")
    every = [tmp_path / name for name in ("a.json", "b.json.gz", "odd[1].json")]
    assert _files(str(tmp_path)) == every
    assert _files(str(tmp_path / "*.json")) == [every[0], every[2]]
    assert _files(str(every[2])) == [every[2]], "a file of this name is no pattern"
    with pytest.raises(InputError, match="no label exports found"):
        _files(str(tmp_path / "c*.json"))


def test_the_stratum_of_an_export_by_its_name() -> None:
    strata = [Stratum("rivers", 10, 5, (), file="sets/pos_big.csv"), Stratum("lakes", 10, 5, ())]
    # By the file of positives, which comes first; by its name as a word; else by what follows the common start.
    assert _stratum("labels_pos_big_lakes", strata, "") == "rivers"
    assert _stratum("labels_pos_big", strata, "") == "rivers"
    assert _stratum("pilot-lakes", strata, "") == "lakes"
    assert _stratum("labels_bays", strata, "labels_") == "bays"
    assert _stratum("labels_", strata, "labels_") == "labels_"


def test_repeated_items_with_another_choice_are_undecided(benchmark_folder: Path, tmp_path: Path) -> None:
    lakes = [task(k, text, name, "full") for k, (text, name, _, _) in enumerate(ROWS["lakes"])]
    text, name, *_ = ROWS["lakes"][0]
    again, other = task(60, text, name, "full"), task(61, text, name, "no")
    no_lake = [task(70, "no lake here", "lake", "no"), task(71, "no lake here", "lake", "full")]
    path = write(tmp_path / "lakes.json", [*lakes, again, other, *no_lake, *no(10, 12)])
    (_, made) = repair(benchmark_folder, [str(path)]).strata
    # The same choice again is the same positive twice. Another choice is undecided; so is a yes without an entity.
    assert (made.repeated, made.conflicting) == (1, 1)
    assert made.changes == {"positive": (4, 5), "undecided": (0, 2)}
    assert "1 repeated item with another choice than before; undecided" in made.remarks


def test_the_command(benchmark_folder: Path, exports: Path, tmp_path: Path) -> None:
    (benchmark_folder / "leaderboard.csv").write_text(BOARD, "utf-8")
    out = tmp_path / "new"
    found = run("recall", "repair", str(benchmark_folder), "--exports", str(exports), "--out", str(out))
    assert found.returncode == 0, found.stderr
    assert "lakes     labelled" in found.stdout
    text = (out / "CHANGES.md").read_text("utf-8")
    assert "| lakes | labelled | 20 | 25 |" in text
    assert "## Omitted strata" in text
    found = run("recall", "repair", str(benchmark_folder), "--exports", str(exports), "--out", str(out))
    assert found.returncode == 2
    assert "already exists" in found.stderr
    found = run("recall", "repair", str(benchmark_folder), "--exports", str(exports), "--json")
    assert json.loads(found.stdout)["strata"][0]["changes"] == {"labelled": {"before": 40, "after": 38}}
    found = run("recall", "repair", str(benchmark_folder))
    assert "missing label exports" in found.stderr


def test_amundsen(real_data: Path) -> None:
    """The counts of the exports of both benchmarks; every row of the first board follows from its digits."""
    for name in ("amundsen_01", "amundsen_02"):
        if not (real_data / name / "labelled").is_dir():
            pytest.skip(f"{name} is not beside this repository")
    first = repair(real_data / "amundsen_01", [str(real_data / "amundsen_01" / "labelled" / "koond*")])
    assert [one.after.labelled for one in first.strata] == [997, 991, 999]
    assert [one.after.unresolved for one in first.strata] == [3, 0, 5]
    assert [one.how for one in first.rows] == ["stored", *["digits"] * 5]
    assert all(one.after is not None for one in first.rows)
    second = repair(real_data / "amundsen_02", [str(real_data / "amundsen_02" / "labelled")])
    labels = {one.before.name: one.labels for one in second.strata}
    assert (labels["Z"], labels["G"], labels["I"]) == (895, 991, 315)
    assert [one.name for one in second.dropped] == list("CJKOPUVX")
    assert all(one.highest - one.lowest < 0.0035 for one in second.rows)


def test_a_file_of_items_of_other_strata_is_no_omitted_stratum(benchmark_folder: Path, exports: Path) -> None:
    """E.g. the items that two annotators labelled, exported once more on their own."""
    twice = [task(k, text, name, "full") for k, (text, name, _, _) in enumerate([*ROWS["rivers"], ROWS["lakes"][0]])]
    before = repair(benchmark_folder, [str(exports)])
    write(exports / "multiple_annotators.json", twice)
    found = repair(benchmark_folder, [str(exports)])
    assert [one.labelled for one in found.dropped] == [one.labelled for one in before.dropped] == [30]
    assert found.notes["items of 'multiple_annotators' that are all in other strata, left out"] == 3
