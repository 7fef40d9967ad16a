"""eBay's listings, and the blocks that they and the tagged titles are read in."""

from __future__ import annotations

import csv
import gzip
import io
import random
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import zstandard

import karatage
from karatage.challenges.ebay_2025 import tsv_blocks
from karatage.challenges.ebay_2025.title_tokens import split_titles
from karatage.challenges.ebay_2025.tsv_blocks import read_blocks
from karatage.errors import FormatError, KaratageError
from karatage.formats import ReadOptions, Source, get_format, sniff

HEADER = ("Record Number", "Category", "Title")
TOP = "\t".join(HEADER) + "\r\n"


def test_a_listing(read: Any) -> None:
    """No value is missing; a title may hold tabs, quotes and line breaks; its tokens are what blanks part."""
    text = TOP + '1\t2\tSKF  Kit\r\n2\t1\t"18"" \tvorne\r\nund hinten "\r\n3\t1\t\r\n4\tN/A\tN/A\r\n'
    claims = read("ebay-listings", text)
    assert len(claims) == 0
    assert claims.space == "token"
    units = claims.units
    assert units.ids == ["1", "2", "3", "4"]
    assert units.attributes == {"category": ["2", "1", "1", "N/A"]}
    assert units.texts == ["SKF  Kit", '18" \tvorne\r\nund hinten ', "", "N/A"]
    assert units.tokens == [["SKF", "Kit"], ['18"', "vorne", "und", "hinten"], [], ["N/A"]]
    assert units.lines is not None
    assert units.lines.tolist() == [2, 3, 5, 6]


def test_no_texts_where_nobody_wants_them(read: Any) -> None:
    claims = read("ebay-listings", TOP + "1\t2\tSKF Kit\n", texts=False)
    assert claims.units.texts is None
    assert claims.units.tokens == [["SKF", "Kit"]]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.ZstdCompressor().compress])
def test_the_other_header_and_compression(pack: Any, tmp_path: Path) -> None:
    path = tmp_path / "listings"
    path.write_bytes(pack("\ufeffRecord Number\tCategory Id\tTitle\n7\t1\tÄ Ö\n".encode()))
    assert sniff(Source(path)).name == "ebay-listings"
    (batch,) = get_format("ebay-listings").read(Source(path), ReadOptions())
    assert batch.units.tokens == [["Ä", "Ö"]]


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        (b"1\t1\n", 3, "expected 3 columns, found 2"),
        (b"1\t1\ta\tb\n", 3, "expected 3 columns, found 4"),
        (b"1\t1\n1\t1\ta\tb\n", 3, "expected 3 columns, found 2"),
        (b"1\t1\t\n1\t1\n1\t1\ta\tb\n", 4, "expected 3 columns, found 2"),
        (b"\n", 3, "expected 3 columns, found 0"),
        (b"\t1\ta\n", 3, "the record number is empty"),
        (b'1\t1\t"a\n', 3, "invalid quoting"),
        (b'1\t1\t"a" b\n', 3, "invalid quoting"),
        (b"1\t1\ta\rb\n", 3, "invalid quoting"),
        (b"1\t1\ta\n2\t1\t\xe4\n", 4, "byte e4 at position 4 of the line is not UTF-8"),
        (b"1\t1\ta\n2\t1\ta\0\n", 4, "contains a NUL byte"),
    ],
)
def test_errors_name_the_line(read: Any, rows: bytes, line: int, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        read("ebay-listings", TOP.encode() + b"9\t1\tx\n" + rows)
    assert caught.value.line == line


def test_the_header_must_be_there(read: Any) -> None:
    for text in ("1\t1\tA\n", "", "Record Number\tTitle\tCategory\n"):
        with pytest.raises(FormatError, match="the first line must contain the column names"):
            read("ebay-listings", text)


def test_tokens_are_those_of_python() -> None:
    """Every character of Unicode that is not half of one, between two letters, doubled and at the ends."""
    signs = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    titles = [f"a{sign}b" for sign in signs]
    titles += [f"{sign}a {sign}{sign}b{sign}" for sign in signs if sign.isspace() or sign < "\u3100"]
    titles += ["", " ", "   ", "a", " a"]
    column = split_titles(pl.Series(titles))
    assert list(column) == [title.split() for title in titles]
    assert list(split_titles(pl.Series([], dtype=pl.String))) == []
    plain = ["a b", "c"]  # no blank but the plain one
    assert list(split_titles(pl.Series(plain))) == [["a", "b"], ["c"]]


@pytest.mark.parametrize("sign", [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()] + ["•", "®"])
def test_each_blank_alone_in_a_file(sign: str, read: Any) -> None:
    """A blank that only one title has parts its tokens too, also at the very end of the file."""
    titles = ["x", f"a{sign}b", f"Ä{sign}"]
    rows = [f'{number}\t1\t"{title}"' for number, title in enumerate(titles, 1)]
    for text in ("\r\n".join(rows), "\n".join(rows).replace('"', "")):
        if sign in "\t\n\r" and '"' not in text:
            continue  # not without quotes
        assert read("ebay-listings", TOP + text).units.tokens == [title.split() for title in titles]


def test_batches_of_whole_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks end at the end of a row, units are counted on, and lines too."""
    rows = [(str(n), "1", f'{n} "\n" x' if n % 7 == 0 else f"{n} x") for n in range(1, 400)]
    path = tmp_path / "l.tsv"
    path.write_bytes(encoded(rows))
    monkeypatch.setattr(tsv_blocks, "BLOCK", 100)
    batches = list(get_format("ebay-listings").read(Source(path), ReadOptions()))
    assert len(batches) > 20
    assert [n for batch in batches for n in batch.units.ids] == [row[0] for row in rows]
    assert [t for batch in batches for t in batch.units.texts] == [row[2] for row in rows]
    first = 0
    for batch in batches:
        assert batch.units.first == first
        first += len(batch.units)
    lines = [line for batch in batches for line in batch.units.lines.tolist()]
    assert lines == [1 + n + (n - 1) // 7 for n in range(1, 400)]


def encoded(rows: list[tuple[str, ...]], end: str = "\r\n") -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter="\t", lineterminator=end).writerows([HEADER, *rows])
    return out.getvalue().encode()


def expected(data: bytes) -> tuple[list[tuple[int, list[str]]], tuple[int, str] | None]:
    """Read row by row with Python's `csv`: the rows, and the line and the kind of the first error."""
    found: list[tuple[int, list[str]]] = []
    start = 1

    def lines() -> Any:
        for number, line in enumerate(io.BytesIO(data), 1):
            try:
                text = line.decode()
            except UnicodeDecodeError:
                raise KaratageError(f"{number} UTF-8") from None
            if "\0" in text:
                raise KaratageError(f"{number} NUL")
            yield text

    reader = csv.reader(lines(), delimiter="\t", strict=True)
    try:
        for row in reader:
            if start > 1 and (len(row) != 3 or not row[0]):
                return found, (start, "columns" if len(row) != 3 else "record number")
            found.append((start, row))
            start = reader.line_num + 1
    except csv.Error:
        return found, (start, "quoting")
    except KaratageError as error:
        number, kind = str(error).split()
        return found, (int(number), kind)
    return found, None


def read_all(path: Path, size: int) -> tuple[list[tuple[int, list[str]]], tuple[int, str] | None]:
    found: list[tuple[int, list[str]]] = [(1, list(HEADER))]
    try:
        for block in read_blocks(Source(path), [HEADER], size=size):
            assert len(block.lines) == block.frame.height
            found += zip(block.lines.tolist(), map(list, block.frame.iter_rows()), strict=True)
    except FormatError as error:
        kinds = ("columns", "record number", "quoting", "UTF-8", "NUL")
        kind = next(k for k in kinds if k in error.message or k.removesuffix("s") in error.message.split(" where")[0])
        return found, (error.line or 0, kind)
    return found, None


SIGNS = ["a", "Ä", " ", "\t", "\n", "\r\n", "\r", '"', '""', "N/A", "\xa0", "", "🏴"]


def field(rng: random.Random) -> str:
    return "".join(rng.choices(SIGNS, weights=[20, 5, 5, 1, 1, 1, 0.3, 2, 1, 1, 1, 3, 1], k=rng.randrange(6)))


@pytest.mark.parametrize("seed", range(150))
def test_blocks_hold_what_csv_reads(seed: int, tmp_path: Path) -> None:
    """Well quoted rows, rows that were never quoted, and damaged ones, in blocks of any size."""
    rng = random.Random(seed)
    rows = [(str(n), rng.choice("12"), field(rng)) for n in range(1, rng.randrange(2, 60))]
    if seed % 3:
        data = encoded(rows, rng.choice(["\r\n", "\n"]))
    else:
        data = TOP.encode() + b"".join("\t".join(row).encode() + b"\n" for row in rows)
    if seed % 5 == 0:
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(TOP), len(data))
            data = data[:at] + rng.choice([b'"', b"\t", b"\n", b"\r", b"\0", b"\xff", b""]) + data[at + 1 :]
    if seed % 2:
        data = data.rstrip(b"\r\n")
    path = tmp_path / "l.tsv"
    path.write_bytes(data)
    found, error = expected(data)
    for size in (1, 40, 1 << 22):
        rows_read, error_read = read_all(path, size)
        assert error_read == error
        # A block with an error yields none of its rows.
        assert rows_read == found if error is None else rows_read == found[: len(rows_read)]


def test_regular_quoting_is_read_quickly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Quotes, doubled quotes and tabs inside of quoted fields need no reading row by row."""
    rows = [("1", "2", 'a "b"\tc'), ("2", "", '"'), ("3", "1", '"x" ""'), ("4", "N/A", "y")]
    path = tmp_path / "l.tsv"
    for end in ("\n", "\r\n"):
        path.write_bytes(encoded(rows, end))
        with monkeypatch.context() as patch:
            patch.setattr(tsv_blocks, "_carefully", None)
            (block,) = read_blocks(Source(path), [HEADER])
        assert block.frame.rows() == rows
        assert block.lines.tolist() == [2, 3, 4, 5]


def test_a_quote_that_nobody_closes_is_not_read_into_memory(tmp_path: Path) -> None:
    """A lone quote in an unquoted field is a quote; whatever follows is read block by block."""
    path = tmp_path / "l.tsv"
    plain = "".join(f"{n}\t1\tTitel\n" for n in range(2, 30_000))
    path.write_text(TOP + '1\t1\t18" vorne\n' + plain, "utf-8")
    blocks = list(read_blocks(Source(path), [HEADER], size=50_000))
    assert len(blocks) > 4
    assert blocks[0].frame["Title"][0] == '18" vorne'
    assert sum(block.frame.height for block in blocks) == 29_999


def test_tagged_titles_become_listings(tmp_path: Path) -> None:
    """The claims are lost and counted; titles that hold tabs and quotes come back."""
    source, place = tmp_path / "t.tsv", tmp_path / "l.tsv.gz"
    top = "Record Number\tCategory\tTitle\tToken\tTag\n"
    source.write_text(top + '1\t2\t"A\t""B"""\tA\tX\n1\t2\t"A\t""B"""\t"""B"""\tY\n2\t1\tC\tC\tO\n', "utf-8")
    assert karatage.convert(source, place, to="ebay-listings") == {"positions of spans": 2, "entities": 2}
    assert gzip.decompress(place.read_bytes()) == (TOP + '1\t2\t"A\t""B"""\r\n2\t1\tC\r\n').encode()
    assert karatage.read(place).units.tokens == [["A", '"B"'], ["C"]]


def test_tokens_make_a_title_where_there_is_none(tmp_path: Path) -> None:
    path = tmp_path / "l.tsv"
    units = karatage.claims.Units(1, tokens=[["A", "B"]], attributes={"category": ["2"]})
    karatage.write(karatage.claims.Claims.build(units, "token", []), path, format="ebay-listings")
    assert path.read_bytes() == (TOP + "1\t2\tA B\r\n").encode()
    units = karatage.claims.Units(1, attributes={"category": ["2"]})
    with pytest.raises(FormatError, match="needs the texts or the tokens"):
        karatage.write(karatage.claims.Claims.build(units, "token", []), path, format="ebay-listings")
