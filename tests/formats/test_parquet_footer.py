"""Parquet is read by row groups, whoever wrote it; where the footer does not tell, in slices."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from karatage.formats import Source
from karatage.formats.tables import parquet
from karatage.formats.tables.parquet import ParquetTable
from karatage.formats.tables.parquet_footer import RowGroup, row_groups

FRAME = pl.DataFrame({"id": [f"s{k}" for k in range(100)], "n": list(range(100)), "l": [[0.5, None]] * 100})


def test_row_groups_are_those_that_another_reader_finds(tmp_path: Path) -> None:
    """Files of Polars and of PyArrow, read by PyArrow."""
    pq = pytest.importorskip("pyarrow.parquet")
    FRAME.write_parquet(tmp_path / "polars.parquet", row_group_size=30)
    pq.write_table(FRAME.to_arrow(), tmp_path / "arrow.parquet", row_group_size=40, compression="zstd")
    for name, sizes in (("polars", [30, 30, 30, 10]), ("arrow", [40, 40, 20])):
        path = tmp_path / f"{name}.parquet"
        found, known = row_groups(path), pq.ParquetFile(path).metadata
        assert found is not None
        assert [group.rows for group in found] == sizes
        every = [known.row_group(k) for k in range(known.num_row_groups)]
        assert found == [RowGroup(one.num_rows, one.total_byte_size) for one in every]


def test_a_table_without_rows(tmp_path: Path) -> None:
    FRAME.clear().write_parquet(tmp_path / "a.parquet")
    assert sum(group.rows for group in row_groups(tmp_path / "a.parquet") or ()) == 0
    assert list(ParquetTable(Source(tmp_path / "a.parquet")).rows(["n"])) == []


def test_damaged_footers_tell_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    FRAME.write_parquet(path)
    good = path.read_bytes()
    size = int.from_bytes(good[-8:-4], "little")
    for data in (b"", b"PAR1", good[:-1], good[:-8] + b"\xff\xff\xff\x7fPAR1"):
        path.write_bytes(data)
        assert row_groups(path) is None
    for at in range(len(good) - 8 - size, len(good) - 8):  # whatever it is taken for, it is no other exception
        path.write_bytes(good[:at] + b"\xff" + good[at + 1 :])
        row_groups(path)


# Groups of 30, 30, 30 and 10 rows.
@pytest.mark.parametrize(
    ("rows", "most", "large", "expected"),
    [
        (70, 70, 1 << 20, [60, 40]),  # two groups each fit into 70 rows
        (1, 70, 1 << 20, [30, 30, 30, 10]),  # a group is read as a whole
        (1000, 1000, 1 << 20, [100]),
        (70, 25, 1 << 20, [25, 5, 25, 5, 25, 5, 10]),  # unless it has more than 25 rows
        (70, 70, 100, [10, 10, 10, 10, 10, 10, 10, 10, 10, 10]),  # or more than 100 bytes: each has 300, the last 100
    ],
)
def test_what_is_read_at_a_time(
    monkeypatch: pytest.MonkeyPatch, rows: int, most: int, large: int, expected: list[int]
) -> None:
    monkeypatch.setattr(parquet, "ROWS", rows)
    monkeypatch.setattr(parquet, "_MOST", most)
    monkeypatch.setattr(parquet, "_LARGE", large)
    groups = [RowGroup(30, 300), RowGroup(30, 300), RowGroup(30, 300), RowGroup(10, 100)]
    assert list(parquet._slices(groups, 100)) == expected


def test_groups_that_are_not_known_are_read_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "ROWS", 40)
    assert list(parquet._slices(None, 100)) == [40, 40, 20]
    assert list(parquet._slices([RowGroup(99, 1)], 100)) == [40, 40, 20]  # a footer that does not fit the file


@pytest.mark.parametrize("group", [1, 7, 30, 100])
@pytest.mark.parametrize("large", [1, 200, 1 << 28])
def test_all_rows_are_read_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: int, large: int) -> None:
    monkeypatch.setattr(parquet, "ROWS", 20)
    monkeypatch.setattr(parquet, "_LARGE", large)
    FRAME.write_parquet(tmp_path / "a.parquet", row_group_size=group)
    found = list(ParquetTable(Source(tmp_path / "a.parquet")).rows(["n", "id"]))
    assert found == [(k + 1, (k, f"s{k}")) for k in range(100)]
