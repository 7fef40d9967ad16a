"""Lists of files, in Python and as text files."""

from __future__ import annotations

from pathlib import Path

import pytest

import karatage
from karatage.errors import InputError
from karatage.inputs import as_input


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        Path(f"{name}.conll").write_text(f"{name} B-X\n")
    return ["b.conll", "a.conll"]


def test_files_are_sorted_by_name(files: list[str]) -> None:
    assert [source.name for source in as_input(files).sources] == ["a.conll", "b.conll"]
    assert as_input(files).name == "b.conll and 1 more file"


def test_a_text_file_lists_paths_folders_and_patterns(files: list[str]) -> None:
    Path("c").mkdir()
    Path("c/d.conll").write_text("d B-X\n")
    Path("shards.txt").write_text(f"{files[0]}\n\n  c  \na*.conll\r\n")
    own = as_input("@shards.txt")
    assert [source.name for source in own.sources] == ["a.conll", "b.conll", "c/d.conll"]
    assert own.name == "@shards.txt"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "shards.txt: the list of files is empty. Write one path per line"),
        ("a.conll\nz.conll\n", "z.conll: listed in shards.txt:2: no such file or folder"),
        ("a.conll\n./a.conll\n", "the file is listed twice. Remove one of the two"),
        ("a.conll\n-\n", "shards.txt:2: expected a file, a folder or a pattern, got '-'"),
        ("a.conll\n@more.txt\n", "shards.txt:2: expected a file, a folder or a pattern, got '@more.txt'"),
    ],
)
@pytest.mark.usefixtures("files")
def test_wrong_lists(text: str, message: str) -> None:
    Path("shards.txt").write_text(text)
    with pytest.raises(InputError) as error:
        as_input("@shards.txt")
    assert message in str(error.value)


@pytest.mark.usefixtures("files")
def test_no_list() -> None:
    with pytest.raises(InputError, match=r"nowhere.txt: no such file"):
        as_input("@nowhere.txt")


@pytest.mark.usefixtures("files")
def test_a_file_whose_name_starts_with_the_sign_is_itself() -> None:
    Path("@x.conll").write_text("a B-X\n")
    assert [source.name for source in as_input("@x.conll").sources] == ["@x.conll"]


def test_a_flat_list_of_tags_is_not_a_list_of_files() -> None:
    """The message is about tags, as ever."""
    with pytest.raises(InputError) as error:
        karatage.score(["O", "B-PER"], ["O", "O"])
    assert "no such file" not in str(error.value)


@pytest.mark.usefixtures("files")
def test_files_that_do_not_exist_are_named() -> None:
    with pytest.raises(InputError, match="x.conll: listed in gold: no such file"):
        karatage.score(["x.conll", "y.conll"], "a.conll")
