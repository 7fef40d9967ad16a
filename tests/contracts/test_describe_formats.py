"""`karatage describe` works for every format, also for those that a package adds."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from tests.command import run, said

from karatage.claims import Claims, Units
from karatage.formats import Lost, WriteOptions, format_names, get_format

MADE = {"brat", "docbin", "parquet"}
"""Formats whose example is not one file of text: their files are written."""


def example(name: str, folder: Path) -> Path:
    form = get_format(name)
    path = folder / ("corpus" if form.folder else f"corpus{form.suffixes[0]}")
    if name not in MADE:
        path.write_text(form.example, "utf-8", newline="")
        return path
    units = Units(2, ["1", "2"], texts=["SKF Riemen", "Riemen"], tokens=[["SKF", "Riemen"], ["Riemen"]])
    claims = Claims.build(units, "char", [(0, "X", 0, 3, None, None), (0, "Y", 4, 10, None, None)])
    assert form.write is not None
    form.write(iter([claims]), str(path), WriteOptions(), Lost())
    return path


@pytest.mark.parametrize("name", format_names())
def test_describe_works_for_every_format(name: str, tmp_path: Path) -> None:
    if name == "docbin" and importlib.util.find_spec("spacy") is None:
        pytest.skip("spaCy is not installed")
    path = example(name, tmp_path)
    arguments = ("describe", path, "--format", name, "--against", path)
    told = json.loads(said(*arguments, "--json"))
    assert told["format"] == name
    counted = told["counts"]
    units, claims = ("queries", "pairs") if get_format(name).search else ("units", "entities")
    assert counted[units] > 0
    # A data set shares all with itself.
    if get_format(name).search:
        assert told["overlap"]["shared"] == counted[claims]
        assert told["overlap"]["conflicting"] in (0, None)
    else:
        assert sum(own["count"] for own in told["labels"].values()) == counted[claims]
        assert told["overlap"]["shared"] in (counted["units"] - counted["empty"], None)
        assert all(own["same"] == own["count"] for own in told["overlap"]["values"].values())
    shown = said(*arguments)
    assert shown.startswith("karatage · ")
    done = run(*arguments, "--html", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    assert "Data set" in (tmp_path / "page.html").read_text("utf-8")
