"""Writing submissions, as columns: the same bytes as a plain loop over the claims would write."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from karatage.challenges.ebay_2025 import submission_format
from karatage.claims import Claims, TextColumn, TokenColumn, Units
from karatage.errors import FormatError, InputError
from karatage.formats import get_format
from karatage.formats.format import Lost, WriteOptions

WORDS = ["SKF", "Bremsbeläge", "für", "6", "+", '16"', "Ø280mm", "N/A", "🏴", "x" * 40]
ONLY_BRAKES = "Herstellungsland_Und_-Region"
LABELS = ["Hersteller", "Größe", "Oe/Oem_Referenznummer(N)", ONLY_BRAKES]


def written(claims: Claims, folder: Path) -> bytes:
    place = folder / "out.tsv"
    get_format("ebay-submission").write(iter([claims]), str(place), WriteOptions(), Lost())  # type: ignore[misc]
    return place.read_bytes()


def looped(claims: Claims) -> bytes:
    """Write the rows one by one, without the aspect that category 2 does not have."""
    units = claims.units
    lines = []
    for unit in range(len(units)):
        start = f"{units.ids[unit] if units.ids else unit + 1}\t{units.attributes['category'][unit]}"
        foreign = ONLY_BRAKES if units.attributes["category"][unit] == "2" else ""
        rows = [row for row in claims.rows() if row[0] == unit and row[1] != foreign]
        for _, label, low, high, pieces, value in rows:
            if value is None and claims.space == "token":
                value = " ".join(" ".join(units.tokens[unit][a:b]) for a, b in pieces or [(low, high)])  # type: ignore[index]
            elif value is None and claims.space == "char":
                value = " ".join(units.texts[unit][a:b] for a, b in pieces or [(low, high)])  # type: ignore[index]
            lines.append(f"{start}\t{label}\t{value or ''}\n")
        if not rows:
            lines.append(f"{start}\tO\t\n")
    return "".join(lines).encode()


def random_claims(seed: int) -> Claims:
    """Claims in any space: nested, in pieces, with values of their own, on long units and on empty ones."""
    rng = random.Random(seed)
    space = ("token", "token", "token", "char", "value")[seed % 5]
    count = rng.randrange(40)
    tokens = [rng.choices(WORDS, k=rng.choice([0, 1, 5, 11, 30])) for _ in range(count)]
    texts = [" ".join(own) for own in tokens]
    rows: list[Any] = []
    for unit in range(count):
        size = len(tokens[unit]) if space == "token" else len(texts[unit])
        for _ in range(rng.randrange(7)):
            value = rng.choice([None, None, None, "", "eigen", "N/A"])
            if space == "value":
                rows.append((unit, rng.choice(LABELS), -1, -1, None, value))
            elif size:
                low = rng.randrange(size)
                high = rng.randrange(low + 1, min(size, low + rng.choice([1, 2, 3, 40])) + 1)
                pieces = None
                if high - low > 2 and rng.random() < 0.3:
                    pieces = ((low, low + 1), (low + 2, high))
                rows.append((unit, rng.choice(LABELS), low, high, pieces, value if rng.random() < 0.3 else None))
    lists: Any = TokenColumn.of(tokens) if seed % 2 else tokens
    ids = [str(7 * n) for n in range(count)]
    kinds = [rng.choice("12") for _ in range(count)]
    units = Units(
        count,
        ids=(TextColumn(pl.Series(ids, dtype=pl.String)) if seed % 3 else ids) if seed % 7 else None,
        texts=texts if space == "char" else None,
        tokens=lists if space == "token" else None,
        attributes={"category": TextColumn(pl.Series(kinds, dtype=pl.String)) if seed % 3 else kinds},
    )
    return Claims.build(units, space, rows)


@pytest.mark.parametrize("seed", range(120))
def test_columns_write_what_a_loop_writes(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claims = random_claims(seed)
    expected = looped(claims)
    if expected:
        monkeypatch.setattr(submission_format, "_carefully", None)  # nothing here needs it
    assert written(claims, tmp_path) == expected


def test_a_slice_and_a_choice_of_claims_are_written_as_such(tmp_path: Path) -> None:
    """Columns that are parts of others, and claims that were filtered."""
    claims = random_claims(11)
    part = claims.slice(3, 20)
    assert written(part, tmp_path) == looped(part)
    kept = claims.keep(claims.label == 0)
    assert written(kept, tmp_path) == looped(kept)


def test_the_worked_example(tmp_path: Path) -> None:
    tokens = [["SKF", "VKMA", "06103"], ["nichts"], [], ["ATE"]]
    units = Units(4, ids=["5", "7", "8", "9"], tokens=tokens, attributes={"category": ["2", "1", "1", "1"]})
    rows: list[Any] = [
        (0, "Hersteller", 0, 1, None, None),
        (0, "Herstellernummer", 1, 3, None, None),
        (0, "Modell", 0, 3, ((0, 1), (2, 3)), None),
        (3, "Hersteller", 0, 1, None, "Alfred Teves"),
    ]
    assert written(Claims.build(units, "token", rows), tmp_path).decode() == (
        "5\t2\tHersteller\tSKF\n5\t2\tModell\tSKF 06103\n5\t2\tHerstellernummer\tVKMA 06103\n"
        "7\t1\tO\t\n8\t1\tO\t\n9\t1\tHersteller\tAlfred Teves\n"
    )


@pytest.mark.parametrize(
    ("value", "label", "number", "category"),
    [
        ("a\tb", "X", "1", "1"),
        ("a\nb", "X", "1", "1"),
        ("a\rb", "X", "1", "1"),
        ("a", "X\tY", "1", "1"),
        ("a", "X", "1\n", "1"),
        ("a", "X", "1", "\t"),
    ],
)
def test_tabs_and_line_breaks_are_refused(value: str, label: str, number: str, category: str, tmp_path: Path) -> None:
    """In whichever field; the first one is named, and nothing is written."""
    units = Units(
        3, ids=["7", number, "9"], tokens=[["x"], [value], ["y\t"]], attributes={"category": ["1", category, "2"]}
    )
    claims = Claims.build(units, "token", [(0, "A", 0, 1, None, None), (1, label, 0, 1, None, None)])
    with pytest.raises(FormatError, match="must not contain tabs or line breaks, but ") as caught:
        written(claims, tmp_path)
    assert caught.value.unit == number
    assert f"{label} has {value!r}" in caught.value.message
    assert list(tmp_path.iterdir()) == []


def test_half_a_surrogate_pair_is_refused(tmp_path: Path) -> None:
    units = Units(1, ids=["1"], tokens=[["\ud800"]], attributes={"category": ["1"]})
    with pytest.raises(FormatError, match="unpaired surrogate"):
        written(Claims.build(units, "token", [(0, "A", 0, 1, None, None)]), tmp_path)


def test_without_tokens_there_are_no_values(tmp_path: Path) -> None:
    units = Units(1, ids=["1"], attributes={"category": ["1"]})
    with pytest.raises(InputError, match="neither values nor texts"):
        written(Claims.build(units, "token", [(0, "A", 0, 1, None, None)]), tmp_path)
