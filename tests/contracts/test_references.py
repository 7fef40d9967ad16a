"""Every reader against a plain one, on mutated files: the same units, or both refuse."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.formats.test_fuzz import damaged, seeds
from tests.parts import parts
from tests.reference_readers import REFERENCES, RefusedError, Unit

from karatage.claims import Claims, Relevance, Tagged
from karatage.errors import KaratageError
from karatage.formats import ReadOptions, Source, format_names, get_format, guard

WITHOUT = {
    "parquet": "binary; `test_nulls` compares its cells with those of frames",
    "docbin": "read by spaCy",
    "entities": "`tests/formats/test_entity_records` fuzzes it; many shapes mean the same",
    "estner": "documents within one object; the fuzz tests read it",
    "hf-pipeline": "the fuzz tests read it",
    "label-studio": "the fuzz tests read it",
    "label-studio-predictions": "the fuzz tests read it",
    "search-csv": "`test_search_formats` compares its two readers",
    "beir": "`test_search_formats` compares its two readers",
    "ltr": "`test_search_formats` reads it",
    "search-jsonl": "`test_search_formats` reads it",
    "elasticsearch": "`test_search_formats` reads it",
    "rank-eval": "`test_search_formats` reads it",
    "quepid": "`test_search_formats` reads it",
    "rre": "`test_search_formats` reads it",
    "sigir19": "compared with the script of the challenge in `tests/parity`",
}
"""Formats without a plain reader, and why."""

ROUNDS = 36
"""Each mutates the seeds of a format in ten ways: 14 formats make 5,040 cases."""

QUICK = 3


def test_every_format_has_a_plain_reader_or_a_reason() -> None:
    sample = {name for name in format_names() if "sample" in type(get_format(name)).__module__}
    assert set(format_names()) - sample == REFERENCES.keys() | WITHOUT.keys()


def fast(name: str, data: bytes, place: Path) -> list[Unit]:
    """Return what the real reader says; nothing if it refuses."""
    place.write_bytes(data)
    source = Source(place)
    try:
        with guard(source):
            return [unit for batch in get_format(name).read(source, ReadOptions()) for unit in units(batch)]
    except KaratageError:
        return []


def units(batch: Any) -> Iterator[Unit]:
    """Split a batch into what the plain readers return."""
    own = batch.units
    ids = own.ids or [None] * len(own)
    if isinstance(batch, Relevance):
        for k, name in enumerate(ids):
            own_rows = np.flatnonzero(batch.unit == k)
            values = batch.value[own_rows].tolist()
            yield Unit(name, None, tuple(sorted(zip(batch.document.gather(own_rows), values, strict=True))))
        return
    texts = own.texts if own.texts is not None else [None] * len(own)
    if isinstance(batch, Tagged):
        layers = [layer.lists() for layer in batch.layers]
        for k, (name, text) in enumerate(zip(ids, texts, strict=True)):
            yield Unit(name, text, (), tuple(own.tokens[k]), tuple(tuple(layer[k]) for layer in layers))
        return
    assert isinstance(batch, Claims)
    spans: list[list[Any]] = [[] for _ in range(len(own))]
    for unit, label, start, end, _, value in batch.rows():
        spans[unit].append((label, start, end, value))
    for name, text, rows in zip(ids, texts, spans, strict=True):
        yield Unit(name, text, tuple(sorted(rows, key=repr)))


def alike(name: str, unit: Unit) -> Unit:
    """Return what both readers of a format know: texts of columns and tables are not compared."""
    return unit._replace(text=None) if name in ("conll", "csv") else unit


def mutated(data: bytes, rng: random.Random) -> Iterator[bytes]:
    """Yield ten broken versions: bytes, and whole fields and lines."""
    yield from damaged(data, rng)
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    marks = rng.choice([b"\t", b" ", b",", b": "])
    fields = lines[at].split(marks)
    fields[rng.randrange(len(fields))] = rng.choice(ODD)
    yield b"\n".join([*lines[:at], marks.join(fields), *lines[at + 1 :]])
    yield b"\n".join([*lines[:at], rng.choice(ODD), *lines[at:]])
    rng.shuffle(lines)
    yield b"\n".join(lines)
    yield data.replace(b"\n", rng.choice([b"\r\n", b"\n\n", b"\r", b" \n"]))


ODD = [b"", b"#", b"# text = a", b"#a=b O", b"null", b"1.0", b"0.5", b"true", b"NaN", b"NA", b'""', b'"', b"O", b"B-X"]
ODD += [b"-1", b"9" * 12, b"[]", b"{}", b" ", b"\t", "é".encode(), b"\xa0", b"\xc2\xa0", b"Q0", b"1e2", b"-DOCSTART- O"]


@pytest.mark.parametrize("turn", parts(ROUNDS, QUICK))
@pytest.mark.parametrize("name", REFERENCES)
def test_readers_agree_with_plain_ones(name: str, turn: int, tmp_path: Path) -> None:
    form, rng = get_format(name), random.Random(f"{name} {turn}")
    place = tmp_path / f"mutated{form.suffixes[0]}"
    files = seeds(form, tmp_path)
    for data in mutated(rng.choice(files), rng):
        try:
            expected = [alike(name, unit) for unit in REFERENCES[name](data)]
        except (RefusedError, RecursionError):
            expected = []  # nothing to read is refused, too, where the readers are called
        assert [alike(name, unit) for unit in fast(name, data, place)] == expected, data
