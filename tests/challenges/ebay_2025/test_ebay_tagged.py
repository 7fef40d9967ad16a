"""Tagged titles in blocks: the same units, tags and lines as row by row, wherever a block ends."""

from __future__ import annotations

import csv
import io
import random
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from tests.parts import parts

from karatage.challenges.ebay_2025 import tsv_blocks
from karatage.claims import join_batches
from karatage.errors import FormatError, KaratageError
from karatage.formats import ReadOptions, Source, get_format

HEADER = ["Record Number", "Category", "Title", "Token", "Tag"]
TAGS = ["O", "", "", "Hersteller", "Größe", "Oe/Oem_Referenznummer(N)"]


def encoded(rows: list[list[str]], end: str) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter="\t", lineterminator=end).writerows([HEADER, *rows])
    return out.getvalue().encode()


def random_rows(rng: random.Random) -> list[list[str]]:
    rows = []
    for record in range(1, rng.randrange(2, 40)):
        title = rng.choice(["A b", 'x "y"\tz', "N/A", "", "Ä\nÖ"])
        size = rng.randrange(1, 9)
        tags = [rng.choice([tag for tag in TAGS if tag or at]) for at in range(size)]
        tokens = [rng.choice(["a", '16"', "", "Ä", "N/A"]) for _ in tags]
        number = str(record % 25)  # the same number again, with others between, is another record
        rows += [[number, "12"[record % 2], title, token, tag] for token, tag in zip(tokens, tags, strict=True)]
    return rows


def entities(rows: list[list[str]]) -> list[tuple[str, int, int]]:
    """Read the entities off the tags of one record."""
    found: list[tuple[str, int, int]] = []
    label = "O"
    for at, row in enumerate(rows):
        if row[4]:
            label = row[4]
        if label != "O":
            if row[4]:
                found.append((label, at, at + 1))
            else:
                found[-1] = (label, found[-1][1], at + 1)
    return found


@pytest.mark.parametrize("seed", parts(40, 12))
def test_records_are_read_whole(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    rows = random_rows(rng)
    data = encoded(rows, rng.choice(["\n", "\r\n"]))
    path = tmp_path / "t.tsv"
    path.write_bytes(data)
    records = [list(own) for _, own in groupby(rows, key=lambda row: row[0])]
    for size in (1, 60, 400, 1 << 22):
        monkeypatch.setattr(tsv_blocks, "BLOCK", size)
        batches = list(get_format("ebay-tagged").read(Source(path), ReadOptions()))
        assert [batch.units.first for batch in batches] == [
            sum(len(b.units) for b in batches[:at]) for at in range(len(batches))
        ]
        claims = join_batches(batches)
        assert claims.units.ids == [own[0][0] for own in records]
        assert claims.units.attributes == {"category": [own[0][1] for own in records]}
        assert claims.units.texts == [own[0][2] for own in records]
        assert claims.units.tokens == [[row[3] for row in own] for own in records]
        assert [row[:4] for row in claims.rows()] == [
            (unit, *found) for unit, own in enumerate(records) for found in entities(own)
        ]
        starts = [sum(row[2].count("\n") + 1 for own in records[:at] for row in own) + 2 for at in range(len(records))]
        assert claims.units.lines is not None
        assert claims.units.lines.tolist() == starts


@pytest.mark.parametrize("size", [1, 1 << 22])
@pytest.mark.parametrize(
    ("change", "line", "message", "unit"),
    [
        ({(3, 1): "2"}, 5, "category or title differ", "2"),
        ({(4, 2): "X"}, 6, "category or title differ", "2"),
        ({(2, 4): ""}, 4, "the first tag is empty", "2"),
        ({(2, 4): "", (3, 2): "X"}, 5, "category or title differ", "2"),
        ({(0, 4): "", (3, 2): "X"}, 2, "the first tag is empty", "1"),
        ({(2, 4): "", (1, 2): "X"}, 3, "category or title differ", "1"),
        ({(5, 0): ""}, 7, "the record number is empty", None),
    ],
)
def test_errors_name_line_and_record(
    change: dict[Any, str],
    line: int,
    message: str,
    unit: str | None,
    size: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [[number, "1", "a b c", "a", "Größe"] for number in "112223"]
    for (row, column), value in change.items():
        rows[row][column] = value
    path = tmp_path / "t.tsv"
    path.write_bytes(encoded(rows, "\r\n"))
    monkeypatch.setattr(tsv_blocks, "BLOCK", size)
    with pytest.raises(KaratageError, match=message) as caught:
        list(get_format("ebay-tagged").read(Source(path), ReadOptions()))
    assert isinstance(caught.value, FormatError) or "tag" in message
    assert (caught.value.line, caught.value.unit) == (line, unit)  # type: ignore[attr-defined]
