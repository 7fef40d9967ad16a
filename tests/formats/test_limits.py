"""Limits: what is too large is refused before it fills the memory, and the message says how to raise the limit."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import zstandard
from tests.command import refused, run

import karatage
from karatage._limits import VARIABLE, Limits, limits
from karatage.errors import FormatError, InputError, UsageError
from karatage.formats import Source
from karatage.formats.unpacking import unpacked, unpacked_head
from karatage.matching.overlap import _components, _hungarian, _many_components, _sparse_assignment

SMALL = "record=2kB,rows=5,expansion=20,pairs=10,labels=3"


def test_the_variable_is_read_and_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits() == Limits()
    monkeypatch.setenv(VARIABLE, "record=1GB, labels=7")
    assert limits() == Limits(record=1 << 30, labels=7)
    for wrong in ("records=1", "record", "record=-1", "record=1e9", "=5", "labels=many"):
        monkeypatch.setenv(VARIABLE, wrong)
        with pytest.raises(UsageError, match="the limits are record, rows, expansion, pairs, labels"):
            limits()


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.conll", "x" * 6000 + " O\n\n", "the line is larger than 2,048 bytes"),
        ("a.conll", "a O\n" * 3000, "the sentence is larger than 2,048 bytes"),
        ("a.csv", "unit,label,value\na,X," + "v" * 3000 + "\n", r"a.csv:2: the line is larger than 2,048 bytes"),
        ("a.csv", "unit,label,value\n" + "a,X,v\n" * 6, "text a: the unit has more than 5 rows"),
        ("a.tsv", "1\t2\tMarke\tATE\n1\t2\tMarke\t" + "v" * 3000 + "\n", "the line is larger than 2,048 bytes"),
    ],
)
def test_lines_sentences_and_units(
    name: str, text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same file is read where the limit is raised as the message says."""
    path = tmp_path / name
    path.write_text(text, "utf-8")
    assert len(karatage.read(path).units) == 1
    monkeypatch.setattr("karatage.formats.columns.conll.BATCH_BYTES", 256)
    monkeypatch.setenv(VARIABLE, SMALL)
    with pytest.raises(FormatError, match=words) as caught:
        karatage.read(path)
    assert f"set {VARIABLE}=" in str(caught.value)


def test_a_json_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a", "label": []}\n{"text": "' + "x" * (1 << 20) + '", "label": []}\n', "utf-8")
    assert len(karatage.read(path, format="doccano").units) == 2
    monkeypatch.setenv(VARIABLE, SMALL)
    with pytest.raises(FormatError, match=r"a.jsonl:2: the record is larger than 2,048 bytes"):
        karatage.read(path, format="doccano")


def test_one_unit_of_a_parquet_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"unit": ["a"] * 6, "label": ["X"] * 6, "value": ["v"] * 6}).write_parquet(path)
    assert len(karatage.read(path)) == 6
    monkeypatch.setenv(VARIABLE, SMALL)
    with pytest.raises(FormatError, match="the unit has more than 5 rows"):
        karatage.read(path)


@pytest.mark.parametrize("press", [gzip.compress, zstandard.compress])
def test_a_file_that_expands_too_far(press: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """40,000 sentences compress to less than a twentieth; with the default limits they are read."""
    path = tmp_path / "a.conll.packed"
    path.write_bytes(press(b"a B-X\n\n" * 40_000))
    assert len(karatage.read(path, format="conll").units) == 40_000
    monkeypatch.setenv(VARIABLE, SMALL)
    assert "expands to more than 20 times its size" in refused("score", path, path, "--format", "conll")
    monkeypatch.setenv(VARIABLE, "record=2kB,expansion=100000")
    assert len(karatage.read(path, format="conll").units) == 40_000


def test_a_binary_corpus_that_expands_too_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """spaCy would decompress the whole file at once."""
    pytest.importorskip("spacy")
    path = tmp_path / "a.spacy"
    path.write_bytes(zlib.compress(bytes(1 << 20)))
    with pytest.raises(FormatError, match="not a spaCy DocBin file"):
        karatage.read(path)
    monkeypatch.setenv(VARIABLE, SMALL)
    with pytest.raises(FormatError, match="expands to more than 20 times its size"):
        karatage.read(path)


def test_zstandard_is_unpacked_in_steps() -> None:
    """100 MB of one byte are 3 kB: reading the first of them must not make all of them."""
    packed = zstandard.compress(bytes(100 << 20))
    assert len(packed) < 10_000
    stream = unpacked(io.BufferedReader(io.BytesIO(packed)), "a.zst")
    assert stream.read(10) == bytes(10)
    assert len(stream.peek()) <= 1 << 20
    assert unpacked_head(packed, 100) == bytes(100)


@pytest.mark.parametrize("press", [gzip.compress, zstandard.compress])
def test_frames_in_a_row_and_cut_ones(press: object, tmp_path: Path) -> None:
    """Two compressed parts are read one after the other, and a cut one is noticed, at any byte."""
    whole = press(b"a B-X\n\n") + press(b"b B-Y\n\n")
    path = tmp_path / "a.conll"
    path.write_bytes(whole)
    assert [row[1] for row in karatage.read(path).rows()] == ["X", "Y"]
    first = len(press(b"a B-X\n\n"))
    for cut in {*range(4, len(whole))} - {first}:
        path.write_bytes(whole[:cut])
        if not first < cut < first + 4:  # a rest without the first bytes of a frame is another matter
            with pytest.raises(FormatError):
                karatage.read(path)


def test_labels_beyond_the_limit_are_counted_but_not_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """A, B and C are the most frequent of five labels; the averages are over all of them."""
    gold = [["B-A", "B-A", "B-B", "B-B", "B-C", "B-C", "B-D", "O"]]
    pred = [["B-A", "B-A", "B-B", "B-B", "B-C", "B-C", "O", "B-E"]]
    monkeypatch.setenv(VARIABLE, SMALL)
    result = karatage.score(gold, pred, resamples=0)
    assert list(result.by_label) == ["A", "B", "C"]
    assert result.labels == ["A", "B", "C", "D", "E"]
    assert result["recall"].value == 6 / 7
    assert result["recall[D]"].value == 0
    assert any("labels without scores of their own" in one and one.endswith(": 2") for one in result.warnings)
    monkeypatch.delenv(VARIABLE)
    assert list(karatage.score(gold, pred, resamples=0).by_label) == ["A", "B", "C", "D", "E"]


def test_too_many_overlapping_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four spans against four that all overlap make sixteen pairs."""
    gold = [[("A", k, k + 10) for k in range(4)]]
    pred = [[("A", k, k + 11) for k in range(4)]]
    assert karatage.score(gold, pred, match="overlap", resamples=0)["f1"].value == 1
    monkeypatch.setenv(VARIABLE, "pairs=16")
    assert karatage.score(gold, pred, match="overlap", resamples=0)["f1"].value == 1
    monkeypatch.setenv(VARIABLE, SMALL)
    with pytest.raises(InputError, match="more than 10 pairs of overlapping spans to choose from, 16 of them here"):
        karatage.score(gold, pred, match="overlap", resamples=0)


def test_both_ways_to_assign_are_equally_good() -> None:
    """Large groups of claims are solved without a table of all pairs, and found without a loop."""
    rng = np.random.default_rng(5)
    for _ in range(25):
        pairs = np.unique(rng.integers(0, rng.integers(4, 30), (rng.integers(8, 120), 2)), axis=0)
        g, p = pairs.T
        weight = rng.random(len(g)) + 0.01
        groups = _components(g.tolist(), p.tolist())
        assert _many_components(g, p) == groups
        for edges in groups:
            row, column = (np.unique(side[edges], return_inverse=True)[1] for side in (g, p))
            found = _sparse_assignment(np.array(edges), row, column, weight[edges])
            assert len({*g[found].tolist()}) == len({*p[found].tolist()}) == len(found)
            assert weight[found].sum() == pytest.approx(weight[_hungarian(edges, g, p, weight)].sum())


def test_tags_and_tokens_of_many_bytes(tmp_path: Path) -> None:
    """Long strings are compared to their last byte, beside short ones."""
    long = "x" * 5000
    path = tmp_path / "a.conll"
    path.write_text("".join(f"w B-{tag}\n\n" for tag in (long, long + "y", "Z", long, "x" * 100)), "utf-8")
    claims = karatage.read(path)
    assert [claims.labels[k] for k in claims.label] == [long, long + "y", "Z", long, "x" * 100]
    other = tmp_path / "b.conll"
    other.write_text(path.read_text("utf-8").replace("w ", "w" * 5000 + " "), "utf-8")
    assert run("score", other, other, "--resamples", "0").returncode == 0
    assert Source(other).head()


def test_a_long_table_of_labels_is_cut_in_the_terminal() -> None:
    """250 labels: 200 are shown, and the rest is counted."""
    rows = [[f"B-L{k}"] for k in range(250)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("karatage.reports.terminal.result_tables._LABELS", 200)
        shown = str(karatage.score(rows, rows, resamples=0))
    assert "labels not shown, with fewer gold entities: 50" in shown
    assert shown.count("\nL") == 200
