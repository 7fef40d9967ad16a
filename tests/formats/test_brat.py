"""brat's standoff."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import karatage
from karatage.claims import Claims, Units, join_batches
from karatage.errors import FormatError, InputError, KaratageError
from karatage.formats import ReadOptions, Source, get_format, sniff
from karatage.formats.conversion import convert

ANN = """T1\tLOC 0 5\tJapan
T2\tORG 10 14;20 26\tBank Nippon
R1\tOwns Arg1:T2 Arg2:T1
E1\tMerge:T2 Org1:T2
A1\tNegated T1
M1\tNegated T1
N1\tReference T1 Wikidata:Q17\tJapan
#1\tAnnotatorNotes T1\tsure
*\tEquiv T1 T2
"""
TEXT = "Japan und Bank und\r\nNippon."  # \r\n counts as two: Nippon starts at 20


def load(place: Path) -> Claims:
    source = Source(place)
    form = sniff(source)
    assert form.name == "brat"
    return join_batches(form.read(source, ReadOptions()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "gold" / "sub").mkdir(parents=True)
    (tmp_path / "gold" / "b.txt").write_bytes(TEXT.encode())
    (tmp_path / "gold" / "b.ann").write_text(ANN)
    (tmp_path / "gold" / "sub" / "a.v1.txt").write_text("leer")
    (tmp_path / "gold" / "sub" / "a.v1.ann").write_text("")
    return tmp_path / "gold"


def test_a_folder(folder: Path) -> None:
    """Documents are known by their path without the ending; other kinds of lines are no claims."""
    claims = load(folder)
    assert claims.units.ids == ["b", "sub/a.v1"]
    assert claims.units.texts == [TEXT, "leer"]
    assert list(claims.rows()) == [
        (0, "LOC", 0, 5, None, None),
        (0, "ORG", 10, 26, ((10, 14), (20, 26)), None),
    ]
    assert claims.with_values().values == ("Japan", "Bank Nippon")


@pytest.mark.parametrize("ending", ["ann", "txt"])
def test_one_file_of_a_pair(folder: Path, ending: str) -> None:
    """Either file stands for both."""
    claims = load(folder / f"b.{ending}")
    assert (claims.units.ids, len(claims), claims.units.texts) == (["b"], 2, [TEXT])


def test_annotations_without_text(tmp_path: Path) -> None:
    """Spans can be scored without the text."""
    (tmp_path / "x.ann").write_text(ANN)
    assert load(tmp_path / "x.ann").units.texts is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("T1 LOC 0 5 Japan", "invalid line 'T1 LOC 0 5 Japan'"),
        ("T1\tLOC 0\tJapan", "invalid line"),
        ("T1\tLOC -1 5\tJapan", "invalid line"),
        ("T1\tLOC 1 6\tJapan", "the text at 1 6 is 'apan ', but the annotation says 'Japan'"),
        ("T1\tLOC 0 99\tJapan", "is outside the text of 27 characters"),
        (f"T1\tLOC 0 {'9' * 30}\tJapan", "too large"),
        ("T1\tLOC 5 5\t", "is empty or ends before it starts"),
        ("T1\tLOC 0 5;3 8\t", "overlap"),
        ("X1\tLOC 0 5\tJapan", "invalid line"),
    ],
)
def test_errors(folder: Path, line: str, message: str) -> None:
    """A line that cannot be right is named."""
    (folder / "b.ann").write_text(f"#1\tnote\n{line}\n")
    with pytest.raises(KaratageError, match=message) as caught:
        load(folder)
    assert "b" in str(caught.value)


def test_writing_never_touches_what_is_there(folder: Path) -> None:
    """A folder with something in it stays as it is."""
    before = sorted(folder.rglob("*"))
    with pytest.raises(InputError, match="not empty"):
        convert([load(folder)], get_format("brat"), str(folder))
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("unit", ["../x", "/etc/x", "a\\b", "x" * 400])
def test_ids_that_cannot_be_files(tmp_path: Path, unit: str) -> None:
    """An id never leads out of the folder."""
    claims = Claims.build(Units(1, ids=[unit], texts=["a"]), "char", [])
    with pytest.raises(KaratageError):
        convert([claims], get_format("brat"), str(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []


def test_labels_with_blanks(read: Any, tmp_path: Path) -> None:
    """brat parts the label from the offsets by a blank."""
    claims = read("doccano", '{"text": "Rio", "label": [[0, 3, "a place"]]}')
    with pytest.raises(KaratageError, match="'a place'"):
        convert([claims], get_format("brat"), str(tmp_path / "out"))


def test_texts_without_annotations_are_counted(folder: Path) -> None:
    """Endings may be in upper case; hidden folders and files are skipped; a text alone may be a forgotten file."""
    (folder / "b.ann").rename(folder / "b.ANN")
    (folder / "c.txt").write_text("Rio")
    for hidden in (folder / ".ipynb_checkpoints" / "b-checkpoint.ann", folder / "._b.ann"):
        hidden.parent.mkdir(exist_ok=True)
        hidden.write_text(ANN)
    expected = ["b", "c", "sub/a.v1"]
    notes: Counter[str] = Counter()
    claims = karatage.read(folder, notes=notes)
    assert claims.units.ids == expected
    assert [row[:4] for row in claims.rows()] == [(0, "LOC", 0, 5), (0, "ORG", 10, 26)]
    assert notes == {"texts without an .ann file, read as texts without entities": 1}
    assert len(load(folder / "b.txt")) == len(load(folder / "b.ANN")) == 2
    (folder / "b.ann").write_text("")
    with pytest.raises(FormatError, match=r"b\.(ann|ANN) and b\.(ann|ANN) differ in upper and lower case only"):
        load(folder)
