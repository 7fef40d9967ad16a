"""The files of eBay's challenge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import karatage
from karatage.claims import Claims, Units
from karatage.errors import FormatError, KaratageError
from karatage.formats import FileStart, Source, batching, get_format
from karatage.formats.conversion import convert

HEADER = "Record Number\tCategory\tTitle\tToken\tTag\r\n"
QUOTED = '"A ""B""\tC"'  # a title with quotes and a tab


def test_empty_tags_continue(read: Any) -> None:
    """An empty tag goes on; the same tag twice is two entities; O can be continued too; N/A is a token."""
    rows = [
        ("VKMA", "Herstellernummer"),
        ("06103", ""),
        ("N/A", "O"),
        ("für", ""),
        ("BMW", "Marke"),
        ("VW", "Marke"),
        ("Oe/Oem", "Oe/Oem_Referenznummer(N)"),
    ]
    title = " ".join(token for token, _ in rows)
    text = HEADER + "".join(f"7\t2\t{title}\t{token}\t{tag}\r\n" for token, tag in rows)
    claims = read("ebay-tagged", text).with_values()
    assert [(row[1], row[2], row[3], row[5]) for row in claims.rows()] == [
        ("Herstellernummer", 0, 2, "VKMA 06103"),
        ("Marke", 4, 5, "BMW"),
        ("Marke", 5, 6, "VW"),
        ("Oe/Oem_Referenznummer(N)", 6, 7, "Oe/Oem"),
    ]
    assert claims.units.ids == ["7"]
    assert claims.units.texts == [title]
    assert claims.units.attributes == {"category": ["2"]}
    assert claims.units.line(0) == 2


def test_quoting_and_the_other_header(read: Any) -> None:
    """Titles may hold tabs and quotes."""
    rows = [f"1\t1\t{QUOTED}\tA\tX", f'1\t1\t{QUOTED}\t"""B"""\tY']
    text = "\r\n".join([HEADER.replace("Category", "Category Id").rstrip(), *rows])
    claims = read("ebay-tagged", text)
    assert claims.units.texts == ['A "B"\tC']
    assert claims.units.tokens == [["A", '"B"']]


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        ("1\t1\tA\tA\n", 2, "expected 5 columns, found 4"),
        ("1\t1\tA\tA\tX\n\n", 3, "expected 5 columns, found 0"),
        ("1\t1\tA\tA\t\n", 2, "the first tag is empty"),
        ("1\t1\tA B\tA\tX\n1\t2\tA B\tB\tX\n", 3, "category or title differ"),
        ("\t1\tA\tA\tX\n", 2, "the record number is empty"),
        ('1\t1\t"A\tA\tX\n', 2, "invalid quoting"),
        ('1\t1\t"A" B\tA\tX\n', 2, "invalid quoting"),
    ],
)
def test_errors_in_tagged_titles(read: Any, rows: str, line: int, message: str) -> None:
    """Each names its line."""
    with pytest.raises(KaratageError, match=message) as caught:
        read("ebay-tagged", HEADER + rows)
    assert f":{line}" in str(caught.value)


def test_the_header_must_be_there(read: Any) -> None:
    """Without it nobody knows what the columns are."""
    with pytest.raises(FormatError, match="the first line must contain the column names"):
        read("ebay-tagged", "1\t1\tA\tA\tX\n")


def test_a_submission(read: Any) -> None:
    """Rows come in any order, duplicates count, O is nothing, and quotes are just characters."""
    claims = read(
        "ebay-submission",
        '2\t1\tMarke\tBMW\n1\t2\tO\tfür\n2\t1\tGröße\t"18"\r\n1\t2\tMarke\t\n2\t1\tMarke\tBMW\n',
    )
    assert claims.units.ids == ["2", "1"]
    assert claims.units.attributes == {"category": ["1", "2"]}
    assert [(row[0], row[1], row[5]) for row in claims.rows()] == [
        (0, "Größe", '"18"'),
        (0, "Marke", "BMW"),
        (0, "Marke", "BMW"),
        (1, "Marke", ""),
    ]


def test_a_submission_is_read_record_by_record_if_rows_lie_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first record comes before the error in the last line is found; if rows lie apart, it does not."""
    monkeypatch.setattr(batching, "BATCH_UNITS", 1)
    path = tmp_path / "submission.tsv"
    for rows, together in (
        ("1\t1\tA\tx\n1\t1\tB\ty\n2\t1\tA\tz\n", True),
        ("1\t1\tA\tx\n2\t1\tA\tz\n1\t1\tB\ty\n", False),
    ):
        path.write_text(rows + "3\t1\n")
        batches = karatage.scan(path, format="ebay-submission")
        if together:
            assert [row[1:2] + row[5:] for row in next(batches).rows()] == [("A", "x"), ("B", "y")]
        with pytest.raises(FormatError, match="4: expected 4 columns"):
            list(batches)


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        ("1\t1\tMarke\n", 2, "expected 4 columns, found 3"),
        ("1\t1\tMarke\tBMW\tVW\n", 2, "expected 4 columns, found 5"),
        ("\n", 2, "expected 4 columns, found 1"),
        ("9\t2\tMarke\tBMW\n", 2, "has category 2 here, but 1 in line 1"),
        ("\t2\tMarke\tBMW\n", 2, "the record number is empty"),
        ("1\t2\t\tBMW\n", 2, "the aspect is empty"),
    ],
)
def test_errors_in_submissions(read: Any, rows: str, line: int, message: str) -> None:
    """Each names its line."""
    with pytest.raises(KaratageError, match=message) as caught:
        read("ebay-submission", "9\t1\tMarke\tVW\n" + rows)
    assert f":{line}" in str(caught.value)


def test_from_tags_to_a_submission(read: Any, tmp_path: Path) -> None:
    """The values are the tokens joined by one blank; a title without entities leaves a row tagged O."""
    text = HEADER + "1\t2\tVKMA  06103\tVKMA\tNr\r\n1\t2\tVKMA  06103\t06103\t\r\n2\t1\tx\tx\tO\r\n"
    lost = convert([read("ebay-tagged", text)], get_format("ebay-submission"), str(tmp_path / "out.tsv"))
    assert (tmp_path / "out.tsv").read_bytes() == b"1\t2\tNr\tVKMA 06103\n2\t1\tO\t\n"
    assert lost == {"positions of spans": 1, "texts": 2}


def test_what_a_submission_cannot_hold(tmp_path: Path) -> None:
    """A tab would shift the columns, and without categories nobody can score."""
    place, form = str(tmp_path / "out.tsv"), get_format("ebay-submission")
    rows = [(0, "Marke", -1, -1, None, "a\tb")]
    with pytest.raises(FormatError, match="must not contain tabs"):
        convert([Claims.build(Units(1, ["1"], attributes={"category": ["1"]}), "value", rows)], form, place)
    with pytest.raises(FormatError, match="need a category for every record"):
        convert([Claims.build(Units(1, ["1"]), "value", rows)], form, place)


def test_columns_of_numbers_are_not_a_submission(tmp_path: Path) -> None:
    """CoNLL files whose tokens are numbers have blank lines, and tags in their last column."""
    path = tmp_path / "x.conll"
    path.write_text("1\t2\tNUM\tO\n3\t4\tNUM\tB-X\n\n5\t6\tNUM\tO\n")
    assert not get_format("ebay-submission").sniff(FileStart(Source(path)))


def test_aspects_of_another_category_are_dropped_and_counted(tmp_path: Path) -> None:
    """Category 1 has no Zähnezahl and category 2 no Farbe; aspects that nobody knows, and other categories, stay."""
    units = Units(3, ["1", "2", "3"], attributes={"category": ["1", "2", "7"]})
    rows = [
        (0, "Zähnezahl", -1, -1, None, "120"),
        (0, "Hersteller", -1, -1, None, "ATE"),
        (0, "Eigenes", -1, -1, None, "x"),
        (1, "Farbe", -1, -1, None, "rot"),
        (2, "Farbe", -1, -1, None, "rot"),
    ]
    place = tmp_path / "out.tsv"
    lost = convert([Claims.build(units, "value", rows)], get_format("ebay-submission"), str(place))
    assert lost == {"aspects of another category": 2}
    assert place.read_text() == "1\t1\tEigenes\tx\n1\t1\tHersteller\tATE\n2\t2\tO\t\n3\t7\tFarbe\trot\n"
