"""Tables of claims: CSV, tab-separated text, Parquet and frames in memory."""

from __future__ import annotations

import gc
import gzip
import io
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import zstandard

import karatage
from karatage.claims import Claims, Units, join_batches
from karatage.errors import FormatError, KaratageError
from karatage.formats import ReadOptions, Source, get_format, sniff
from karatage.formats.conversion import convert
from karatage.formats.tables import parquet
from karatage.formats.tables.claim_tables import claims_of_frame

SPANS = {
    "unit": ["a", "a", "b", "c"],
    "label": ["LOC", "ORG", None, "X"],
    "start": [0, 4, None, 4],
    "end": [3, 9, None, 16],
    "value": ["Rio", None, None, None],
    "pieces": [None, None, None, "4-7;12-16"],
    "category": ["news", "news", "sport", ""],
}
ROWS = [
    (0, "LOC", 0, 3, None, "Rio"),
    (0, "ORG", 4, 9, None, None),
    (2, "X", 4, 16, ((4, 7), (12, 16)), None),
]


def _check(claims: Claims) -> None:
    assert claims.space == "char"
    assert list(claims.rows()) == ROWS
    assert claims.units.ids == ["a", "b", "c"]
    assert claims.units.attributes == {"category": ["news", "sport", ""]}


def _parquet(frame: pl.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.write_parquet(out)
    return out.getvalue()


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_csv(read: Any, delimiter: str) -> None:
    """A row without a label keeps a unit without claims; further columns are attributes."""
    content = pl.DataFrame(SPANS).write_csv(separator=delimiter)
    claims = read("csv", content)
    _check(claims)
    assert claims.units.lines.tolist() == [2, 4, 5]


def test_parquet(read: Any) -> None:
    """The same as Parquet."""
    _check(read("parquet", _parquet(pl.DataFrame(SPANS))))


def test_frames_in_memory() -> None:
    """Polars and pandas frames; their rows need no order."""
    _check(claims_of_frame(pl.DataFrame(SPANS), "frame"))
    pandas = pytest.importorskip("pandas")
    _check(claims_of_frame(pandas.DataFrame(SPANS), "frame"))  # start and end are floats there, with NaN
    shuffled = claims_of_frame(pl.DataFrame(SPANS)[[0, 2, 3, 1]], "frame")
    _check(shuffled)


def test_pandas_floats(read: Any) -> None:
    """pandas writes whole numbers beside null as 0.0; that is still a position."""
    frame = pl.DataFrame(SPANS).with_columns(pl.col("start", "end").cast(pl.Float64))
    _check(read("parquet", _parquet(frame)))
    _check(read("csv", frame.write_csv()))


def test_values(read: Any) -> None:
    """Claims without places are values; the columns may be there and empty; "" is a value."""
    assert [row[5] for row in read("csv", "unit,label,value\n1,Marke,VW\n1,Marke,VW\n2,,\n").rows()] == [
        "VW",
        "VW",
    ]
    claims = read("csv", "unit,label,start,end,value\n0,,,,\n1,Marke,,,VW\n2,Marke,,,\n")
    assert claims.space == "value"
    assert [row[5] for row in claims.rows()] == ["VW", ""]
    assert len(claims.units) == 3


def test_tokens(read: Any) -> None:
    """A column says that spans count tokens; tokens are an array, in CSV as JSON."""
    claims = read("csv", 'unit,label,start,end,space,tokens\n1,LOC,0,2,token,"[""New"", ""York""]"\n')
    assert claims.space == "token"
    assert claims.units.tokens == [["New", "York"]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "unit,label,start,end\na,X,0,1\nb,X,0,1\na,X,2,3\n",
            ":4, unit a: its rows are not next to each other",
        ),
        ("unit,label,start,end\na,X,0\n", ":2: expected 4 columns, found 3"),
        ("unit,label,start,end\na,X,x,1\n", "'start' must contain integers from 0, got 'x'"),
        ("unit,label,start,end\na,X,0.5,1\n", "got '0.5'"),
        ("unit,label,start,end\na,X,-1,1\n", "got '-1'"),
        ("unit,label,start,end\na,X,0,\n", "must both be set"),
        ("unit,label,start,end\na,X,3,3\n", "is empty or ends before it starts"),
        ("unit,label,start,end\na,,0,3\n", "offsets or a value but no label"),
        ("unit,label,start,end\n,X,0,3\n", "the unit id is empty"),
        ("unit,label,start,end,value\na,X,0,3,\nb,X,,,v\n", "some rows have offsets and some do not"),
        ("unit,label,start,end,pieces\na,X,0,3,0-1;x\n", "invalid pieces '0-1;x'"),
        ("unit,label,start,end,pieces\na,X,0,3,0-1;2-4\n", "do not reach from 0 to 3"),
        ("unit,label,label\na,X,Y\n", "duplicate column names"),
        ("unit,label\na,X\n", "neither offsets nor a value"),
        ("unit,labels\na,X\n", "must name the columns of a table of entities"),
        ("unit,label,start,end,space\na,X,0,3,page\n", "the space 'page' is unknown"),
        ("unit,label,start,end,text\na,X,0,9,Rio\n", "is outside the text of 3 characters"),
    ],
)
def test_errors(read: Any, content: str, message: str) -> None:
    """Each names the line or the unit, and what was found."""
    with pytest.raises(KaratageError, match=message):
        read("csv", content)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"label": ["X"], "start": [0], "end": [3]}, "no column 'unit'"),
        ({"unit": ["a"], "label": ["X"], "start": ["0"], "end": [[3]]}, "'end' must contain integers"),
        ({"unit": ["a"], "label": [5], "start": [0], "end": [3]}, "'label' must contain strings, got 5"),
        ({"unit": ["a"], "label": ["X"], "value": [2.5]}, "'value' must contain strings, got 2.5"),
        ({"unit": ["a"], "label": ["X"], "start": [True], "end": [3]}, "got True"),
    ],
)
def test_errors_in_parquet(read: Any, columns: dict[str, Any], message: str) -> None:
    """Columns of the wrong type are refused."""
    with pytest.raises(FormatError, match=message):
        read("parquet", _parquet(pl.DataFrame(columns)))


def test_parquet_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is written and read in parts; an attribute that turns up late is empty before."""
    monkeypatch.setattr(parquet, "ROWS", 7)
    parts = [
        Claims.build(
            Units(9, [f"{part}-{n}" for n in range(9)], attributes={"part": [str(part)] * 9} if part else {}),
            "char",
            [(n, "X", 0, n, None, None) for n in range(1, 9)],
        )
        for part in range(3)
    ]
    place = tmp_path / "out.parquet"
    assert convert(parts, get_format("parquet"), str(place)) == {}
    source = Source(place)
    back = join_batches(sniff(source).read(source, ReadOptions()))
    assert list(back.rows()) == list(Claims.concatenate(parts).rows())
    assert back.units.attributes["part"] == [""] * 9 + ["1"] * 9 + ["2"] * 9


def test_csv_by_the_ending_of_its_name(tmp_path: Path) -> None:
    """A name in .tsv, compressed or not, chooses tabs; a carriage return in a text survives."""
    claims = Claims.build(Units(1, ["a"], texts=['x\ry,"\t\nz']), "char", [(0, "X", 0, 1, None, None)])
    for name in ("out.tsv", "out.tsv.gz", "out.csv"):
        convert([claims], get_format("csv"), str(tmp_path / name))
        source = Source(tmp_path / name)
        back = join_batches(get_format("csv").read(source, ReadOptions()))
        assert back.units.texts == claims.units.texts
    assert (tmp_path / "out.tsv").read_bytes().startswith(b"unit\tlabel\tstart\tend\tvalue\tpieces\ttext\n")


@pytest.mark.parametrize("cell", ["1.000", "1.00", "1.", "1.50", "1,000"])
def test_thousands_are_not_read_as_units(read: Any, cell: str) -> None:
    """1.000 is a thousand in German, and 1 to Python; pandas writes 1.0 for a whole number, and no more zeros."""
    assert list(read("csv", "unit,label,start,end\na,X,1.0,2\n").rows()) == [(0, "X", 1, 2, None, None)]
    with pytest.raises(FormatError, match=r"corpus.csv:2.*'start' must contain integers from 0, got '1"):
        read("csv", f'unit,label,start,end\na,X,"{cell}",2000\n')


HEADER = "unit,label,start,end,value,text,space,category\n"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a,X,0,3,,Rio,,\na,X,4,7,,Ulm,,\n", r"corpus.csv:3, unit a: the text is 'Ulm', but 'Rio'"),
        ("a,X,0,3,,Rio,char,\na,X,4,7,,,token,\n", r"corpus.csv:3, unit a: the space is 'token', but 'char'"),
    ],
)
def test_rows_of_a_unit_that_contradict_each_other(read: Any, rows: str, message: str) -> None:
    """A unit has one text: of two, the second was ignored."""
    with pytest.raises(FormatError, match=message):
        read("csv", HEADER + rows)


def test_attributes_that_vary_within_a_unit_are_counted(read: Any) -> None:
    """Units a and c vary, b does not: a null says nothing, and its text stands in the second row only."""
    content = (
        f"{HEADER}a,X,0,3,,Rio,,news\na,X,0,1,,,,sport\nb,X,0,3,,,,\nb,X,0,1,,Ulm,,news\nc,X,0,1,,Bonn,,x\nc,,,,,,,y\n"
    )
    notes: Counter[str] = Counter()
    claims = read("csv", content, notes=notes)
    assert claims.units.texts == ["Rio", "Ulm", "Bonn"]
    assert claims.units.attributes == {"category": ["news", "news", "x"]}
    expected = {
        "units whose rows differ in 'category', such as 'a'; all rows count, and the first value is that of the unit": 2
    }
    assert notes == expected
    frame = pl.DataFrame(
        {"unit": ["a", "c", "a", "c"], "label": ["X"] * 4, "value": list("pqrs"), "category": [1, 2, 3, 4]}
    )
    notes.clear()
    assert claims_of_frame(frame, "frame", ReadOptions(notes=notes)).units.attributes == {"category": ["1", "2"]}
    assert notes == expected


def test_values_are_compared_with_the_text(read: Any) -> None:
    """Only Ulm is not what the text says there; blanks do not count, and Bank … Nippon has two pieces."""
    text = "Rio New York Bank und Nippon"
    rows = ("0,3,Rio,", "4,12,New  York,", "13,28,Bank Nippon,13-17;22-28", "0,1,Ulm,")
    lines = "".join(f"a,X,{row},{text}\n" for row in rows)
    notes: Counter[str] = Counter()
    read("csv", f"unit,label,start,end,value,pieces,text\n{lines}", notes=notes)
    assert notes == {"values that differ from the text at their offsets": 1}


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_repeated_header_is_no_entity(read: Any, mark: str) -> None:
    """As in `cat a.csv b.csv`, where the second file may start with a byte order mark."""
    part = "unit,label,value\na,X,Rio\n"
    with pytest.raises(FormatError, match=r"corpus.csv:3: the header is repeated here. Were several files joined"):
        read("csv", part + mark + part)


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_a_compressed_parquet_file_is_unpacked_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    """Its rows are those of the file, and nothing is left behind."""
    plain = tmp_path / "plain.parquet"
    pl.DataFrame(
        {"unit": ["a", "a", "b"], "label": ["X", "Y", "X"], "start": [0, 3, 1], "end": [2, 5, 4]}
    ).write_parquet(plain)
    data = plain.read_bytes()
    path = tmp_path / f"packed.parquet{ending}"
    path.write_bytes(gzip.compress(data) if ending == ".gz" else zstandard.compress(data))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    batches = karatage.scan(path)
    first = next(batches)
    assert list(temporary.iterdir())
    assert list(first.rows()) == list(karatage.read(plain).rows())
    assert list(batches) == []
    del batches
    gc.collect()
    assert list(temporary.iterdir()) == []
