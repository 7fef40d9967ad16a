"""The layout of the Amundsen benchmarks: read, written back byte for byte, refused with a message."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from karatage.errors import InputError
from karatage.recall import estimate, lint, read_benchmark, write_benchmark
from karatage.recall.benchmark import Benchmark, Positive, Stratum


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.csv")}


def test_what_was_read_is_written_back(benchmark_folder: Path, tmp_path: Path) -> None:
    write_benchmark(read_benchmark(benchmark_folder), tmp_path / "copy" / "waters")
    assert tree(tmp_path / "copy" / "waters") == tree(benchmark_folder)


def test_the_description_names_the_benchmark_too(benchmark_folder: Path) -> None:
    by_file = read_benchmark(benchmark_folder / "data_description.csv")
    assert by_file == read_benchmark(benchmark_folder)
    assert by_file.name == "waters"
    assert [(s.name, s.occurrences, s.labelled, len(s.positives)) for s in by_file.strata] == [
        ("rivers", 1000, 40, 2),
        ("lakes", 300, 20, 4),
    ]
    first = by_file.positives[0]
    assert (first.start, first.end, first.quoted, first.labels, first.correct) == (7, 15, "river Ob", ("LOC",), True)


@pytest.mark.parametrize(("name", "files"), [("amundsen_01", 4), ("amundsen_02", 10)])
def test_published_benchmarks_are_written_back(real_data: Path, tmp_path: Path, name: str, files: int) -> None:
    if not (real_data / name).is_dir():
        pytest.skip(f"{name} is not beside this repository")
    write_benchmark(read_benchmark(real_data / name), tmp_path / name)
    there = tree(real_data / name)
    written = tree(tmp_path / name)
    assert len(written) == files
    assert written == {name: there[name] for name in written}


def test_files_without_results_keep_their_columns(benchmark_folder: Path, tmp_path: Path) -> None:
    path = next(benchmark_folder.rglob("lakes.csv"))
    lines = path.read_text("utf-8").splitlines()
    lines = ["id,text,span", *(line.rpartition(",")[0] for line in lines[1:])]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    write_benchmark(read_benchmark(benchmark_folder), tmp_path / "copy" / "waters")
    assert tree(tmp_path / "copy" / "waters") == tree(benchmark_folder)


def test_paths_may_be_relative_to_the_benchmark(benchmark_folder: Path) -> None:
    description = benchmark_folder / "data_description.csv"
    description.write_text(description.read_text("utf-8").replace("waters/data", "data"), "utf-8")
    assert len(read_benchmark(benchmark_folder).positives) == 6


def test_a_moved_benchmark_is_read(benchmark_folder: Path, tmp_path: Path) -> None:
    moved = benchmark_folder.rename(tmp_path / "renamed")
    assert len(read_benchmark(moved).positives) == 6


def test_a_new_benchmark_is_written_and_read(tmp_path: Path) -> None:
    text = 'a "quoted", café\nin two lines'
    made = Benchmark(
        "new",
        (
            Stratum("A/B: ä", 50, 10, (Positive(text, 2, 10, ("LOC",)),)),
            Stratum("none", 7, 3, (), unresolved=1),
        ),
    )
    write_benchmark(made, tmp_path / "new")
    found = read_benchmark(tmp_path / "new")
    assert [(s.name, s.occurrences, s.labelled, s.unresolved) for s in found.strata] == [
        ("A/B: ä", 50, 10, 0),
        ("none", 7, 3, 1),
    ]
    assert found.positives == made.positives
    assert found.hash == made.hash
    again = tree(tmp_path / "new")
    write_benchmark(found, tmp_path / "new")
    assert tree(tmp_path / "new") == again


def edit(folder: Path, name: str, old: str, new: str) -> None:
    path = next(folder.rglob(name))
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("data_description.csv", "occurences", "occurrences", r"data_description.csv:1: missing column occurences"),
        ("data_description.csv", "rivers,1000", "rivers,lots", r":2: occurences must be a whole number, got 'lots'"),
        ("data_description.csv", "rivers,1000", "rivers,1.000", r":2: occurences must be a whole number, got '1.000'"),
        ("data_description.csv", "rivers,1000", "rivers,-5", r":2: occurences must be a whole number, got '-5'"),
        (
            "data_description.csv",
            "rivers,1000,40",
            "rivers,1000,2.5",
            r"labelled must be a whole number, got '2.5'",
        ),
        ("data_description.csv", "1,lakes", "1,rivers", r"duplicate stratum 'rivers'"),
        ("data_description.csv", "0,rivers", "0,", r":2: the stratum has no name"),
        (
            "data_description.csv",
            "sets/lakes.csv",
            "sets/ponds.csv",
            r":3: file not found: waters/data/recall_sets/ponds",
        ),
        ("data_description.csv", "waters/data", "../data", r":2: '../data.* is not a path inside"),
        ("rivers.csv", ",text,", ",texts,", r"rivers.csv:1: missing column text"),
        ("rivers.csv", "{'start'", "{'start", r"rivers.csv:2: invalid span"),
        ("rivers.csv", "{'start': 7,", "{'start': 70,", r"rivers.csv:2: the span 70–15 is outside its text of 15"),
        (
            "rivers.csv",
            "'end': 15",
            "'end': 14",
            r"rivers.csv:2: the text at 7–14 is 'river O', but the span says",
        ),
        ("rivers.csv", "'start': 7", "'start': '7'", r"rivers.csv:2: start and end of the span must be whole"),
        ("rivers.csv", "['LOC']", "[]", r"rivers.csv:2: the span has no labels"),
        ("rivers.csv", ",yes", ",maybe", r"rivers.csv:2: correct must be yes, no or empty, got 'maybe'"),
        ("rivers.csv", ",yes", ",yes,more", r"rivers.csv:2: expected 4 columns, found 5"),
    ],
)
def test_what_cannot_be_read_is_named(benchmark_folder: Path, name: str, old: str, new: str, message: str) -> None:
    edit(benchmark_folder, name, old, new)
    with pytest.raises(InputError, match=message):
        read_benchmark(benchmark_folder)


def test_defects_of_strata_can_be_collected(benchmark_folder: Path) -> None:
    edit(benchmark_folder, "data_description.csv", "sets/lakes.csv", "sets/ponds.csv")
    defects: list[InputError] = []
    found = read_benchmark(benchmark_folder, defects)
    assert [len(s.positives) for s in found.strata] == [2, 0]
    assert len(defects) == 1
    assert "ponds" in str(defects[0])


def test_a_span_is_not_executed(benchmark_folder: Path) -> None:
    edit(benchmark_folder, "rivers.csv", "{'start': 7", "{'start': __import__('os').system('touch hacked')")
    with pytest.raises(InputError, match="invalid span"):
        read_benchmark(benchmark_folder)


def test_a_folder_without_a_description(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="data_description.csv not found"):
        read_benchmark(tmp_path)


def test_a_copy_reads_its_own_positives(benchmark_folder: Path, tmp_path: Path) -> None:
    """The description of a copy names the original folder, which may still be beside it."""
    copy = Path(shutil.copytree(benchmark_folder, tmp_path / "copy"))
    edit(copy, "rivers.csv", "Ema river", "Aru river")
    edit(copy, "rivers.csv", "'Ema river'", "'Aru river'")
    found = read_benchmark(copy)
    assert [one.quoted for one in found.positives[:2]] == ["river Ob", "Aru river"]
    assert [one.quoted for one in read_benchmark(benchmark_folder).positives[:2]] == ["river Ob", "Ema river"]
    assert not found.warnings
    original = tree(benchmark_folder)
    write_benchmark(found, copy)  # into the files that it was read from
    assert tree(copy).keys() == original.keys()
    assert tree(benchmark_folder) == original


def test_a_folder_of_the_same_name_inside_is_not_the_benchmark(benchmark_folder: Path) -> None:
    shutil.copytree(benchmark_folder / "data", benchmark_folder / "waters" / "data")
    edit(benchmark_folder / "waters", "lakes.csv", "yes", "no")
    assert [one.correct for one in read_benchmark(benchmark_folder).positives[2:]] == [True, True, False, True]


@pytest.mark.parametrize("how", ["beside", "link"])
def test_positives_outside_the_folder_are_said(benchmark_folder: Path, tmp_path: Path, how: str) -> None:
    copy = Path(shutil.copytree(benchmark_folder, tmp_path / "copy"))
    own, other = (folder / "data" / "recall_sets" / "lakes.csv" for folder in (copy, benchmark_folder))
    own.unlink()
    if how == "link":
        own.symlink_to(other)
    warning = f"the positives of stratum 'lakes' are read from {other.resolve()}, outside the benchmark's folder"
    assert read_benchmark(copy).warnings == [warning]
    assert warning in estimate(copy, stored=True).warnings
    assert [(one.stratum, one.severity) for one in lint(copy) if one.code == "file-outside"] == [("lakes", "warning")]


def test_a_linked_folder_is_its_own(benchmark_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(benchmark_folder, target_is_directory=True)
    assert not read_benchmark(tmp_path / "link").warnings


def test_two_strata_cannot_share_their_positives(benchmark_folder: Path) -> None:
    edit(benchmark_folder, "data_description.csv", "recall_sets/lakes.csv", "recall_sets/rivers.csv")
    with pytest.raises(InputError, match=r"duplicate file 'waters/data/recall_sets/rivers\.csv'"):
        read_benchmark(benchmark_folder)
