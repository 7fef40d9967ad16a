"""Broken files: whatever comes in, only Karatage's own errors come out."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import zstandard

from karatage.claims import Claims, Units, join_batches
from karatage.errors import KaratageError
from karatage.formats import Format, ReadOptions, Source, format_names, get_format, sniff
from karatage.formats.conversion import convert
from karatage.formats.io import guard

NAMES = [name for name in format_names() if name != "docbin" or find_spec("spacy")]
TURNS = 60
ODD_VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    5,
    1.5,
    1e308,
    10**30,
    "",
    "5",
    "é\ud800",
    "x" * 300,
    [],
    {},
    [[]],
    [None],
    {"a": 1},
]


def seed_corpus() -> Claims:
    texts = ["Tallinn on Eesti pealinn", "", 'Größe "10" 😀 für VOLVO', "a b"]
    rows = [
        (0, "LOC", 0, 7, None, "Tallinn"),
        (0, "LOC", 11, 16, None, None),
        (2, "Größe", 0, 5, None, None),
        (3, "X", 0, 3, ((0, 1), (2, 3)), None),
    ]
    units = Units(4, ids=list("1234"), texts=texts, attributes={"category": list("1122")})
    return Claims.build(units, "char", rows)


def seeds(form: Format, folder: Path) -> list[bytes]:
    """Return good files of a format: its example, and one that Karatage wrote."""
    if form.search:
        return [form.example.encode(), form.example.encode() * 3]
    place = folder / "seed"
    convert([seed_corpus()], form, str(place))
    written = [path.read_bytes() for path in place.glob("*.ann")] if form.folder else [place.read_bytes()]
    return [data for data in (form.example.encode(), *written) if data]


def feed(form: Format, data: bytes, place: Path) -> None:
    """Read bytes as a format, and by sniffing; anything but a KaratageError is a failure."""
    place.write_bytes(data)
    for unit in ("sentence", "document"):
        source = Source(place)
        with suppress(KaratageError), guard(source):  # as karatage.read does
            batches = form.read(source, ReadOptions(unit=unit))
            list(batches) if form.search else list(join_batches(batches).rows())
    with suppress(KaratageError):
        sniff(Source(place))


def damaged(data: bytes, rng: random.Random) -> Iterator[bytes]:
    """Yield one broken version of the bytes of each kind."""
    yield data[: rng.randrange(len(data) + 1)]
    yield data[rng.randrange(len(data)) :]
    flipped = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        flipped[rng.randrange(len(flipped))] = rng.randrange(256)
    yield bytes(flipped)
    at, length = rng.randrange(len(data)), rng.randrange(1, 30)
    yield data[:at] + data[at + length :]
    yield data[:at] + data[at : at + length] * 2 + data[at + length :]
    yield (
        data[:at] + rng.choice([b"\0", b"\xff", b"\r", b"\n", b'"', b"\t", b"[", b"{", b"}", b",", b"\\"]) + data[at:]
    )


@pytest.mark.parametrize("name", NAMES)
def test_damaged_bytes(name: str, tmp_path: Path) -> None:
    """Cuts, flipped bytes, lost and repeated stretches, stray marks."""
    form, rng = get_format(name), random.Random(name)
    place = tmp_path / f"broken{form.suffixes[0]}"
    for data in seeds(form, tmp_path):
        for _ in range(TURNS // 6):
            for broken in damaged(data, rng):
                feed(form, broken, place)


@pytest.mark.parametrize("name", NAMES)
def test_bytes_of_other_kinds(name: str, tmp_path: Path) -> None:
    """Noise, nothing at all, other encodings, other line ends, damaged compression."""
    form, rng = get_format(name), random.Random(name)
    place = tmp_path / f"other{form.suffixes[0]}"
    for data in seeds(form, tmp_path):
        text = data.decode("utf-8", "replace")
        packed, pressed = gzip.compress(data), zstandard.compress(data)
        for other in (
            *(
                b"",
                b"\n",
                b"\0" * 50,
                b"\xef\xbb\xbf",
                b"\xef\xbb\xbf" + data,
                b"[" * 5000,
                b'{"a":' * 5000,
                b"null",
                b"[]",
                b"{}",
            ),
            *(rng.randbytes(200) for _ in range(10)),
            *(text.encode(code, "replace") for code in ("utf-16", "utf-16-le", "utf-32", "latin-1")),
            *(data.replace(b"\n", b"\r\n"), data.replace(b"\n", b"\r"), data + b"\0", b"1" * 5000),
            *(whole[:at] for whole in (packed, pressed) for at in (3, 8, len(whole) // 2, len(whole) - 1, len(whole))),
            *(whole[:12] + b"\xff\xff" + whole[14:] for whole in (packed, pressed)),
        ):
            feed(form, other, place)


@pytest.mark.parametrize("name", NAMES)
def test_files_of_other_formats(name: str, tmp_path: Path) -> None:
    """Each reader meets the examples of all formats."""
    form = get_format(name)
    for other in format_names():
        if get_format(other).example:
            feed(form, get_format(other).example.encode(), tmp_path / f"other{form.suffixes[0]}")


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from _places(inner, (*path, key))


def _changed(value: Any, path: tuple[Any, ...], rng: random.Random) -> Any:
    if not path:
        return rng.choice(ODD_VALUES)
    copy = dict(value) if isinstance(value, dict) else list(value)
    if len(path) == 1 and rng.random() < 0.3:
        del copy[path[0]]
    else:
        copy[path[0]] = _changed(copy[path[0]], path[1:], rng)
    return copy


JSON_NAMES = [name for name in NAMES if get_format(name).example.lstrip().startswith(("{", "["))]


@pytest.mark.parametrize("name", JSON_NAMES)
def test_wrong_types_in_json(name: str, tmp_path: Path) -> None:
    """Any member may be missing, null, of another type, negative, huge or NaN."""
    form, rng = get_format(name), random.Random(name)
    value = json.loads(form.example)
    places = list(_places(value))
    for turn in range(6 * TURNS):
        changed = value
        for _ in range(rng.randrange(1, 3)):
            try:
                changed = _changed(changed, rng.choice(places), rng)
            except (KeyError, IndexError, TypeError, ValueError):
                continue  # an earlier change took that place away
        text = json.dumps(changed)
        if turn % 7 == 0:
            text = text.replace("1", rng.choice(["NaN", "-Infinity", "1e999", "9" * 5000]), 1)
        feed(form, text.encode(), tmp_path / f"changed{form.suffixes[0]}")


@pytest.mark.parametrize("name", ["csv", "ebay-tagged", "ebay-submission", "brat", "conll"])
def test_odd_fields_in_lines(name: str, tmp_path: Path) -> None:
    """Any field of a line may be anything."""
    form, rng = get_format(name), random.Random(name)
    odd = [
        "",
        "-1",
        "5",
        "1.5",
        "1e9",
        "nan",
        "9" * 30,
        '"',
        '""',
        "é",
        "O",
        "a b",
        "4-7;2-1",
        "4-7;9-12",
        "٣",
        "T1",
        "#",
    ]
    for _ in range(3 * TURNS):
        lines = form.example.splitlines()
        for _ in range(rng.randrange(1, 3)):
            at = rng.randrange(len(lines))
            mark = "," if name == "csv" else rng.choice(["\t", " "]) if name == "brat" else "\t"
            fields = lines[at].split(mark)
            fields[rng.randrange(len(fields))] = rng.choice(odd)
            lines[at] = mark.join(fields)
        feed(form, "\n".join(lines).encode(), tmp_path / f"changed{form.suffixes[0]}")
