"""Between any two formats: every claim survives, or the loss is counted, or the conversion is refused."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import karatage
from karatage.claims import Claims, Units
from karatage.errors import FormatError, UsageError
from karatage.formats import format_names, get_format

NAMES = [name for name in format_names() if get_format(name).write and not get_format(name).search]
SPAN_LOSSES = ("spans", "places", "labels", "values")


def said(claims: Claims) -> Counter[tuple[int, str, str]]:
    """Return what is claimed, whatever the places count: unit, label and text."""
    rows = claims.with_values().rows()
    return Counter((unit, label, value or "") for unit, label, _, _, _, value in rows)


def write_source(name: str, folder: Path) -> Path:
    """Write a small corpus with all that a format may ask for."""
    place = folder / f"source{get_format(name).suffixes[0]}"
    tokens = [["ATE", "Scheibe", "vorne", "und", "hinten"], ["nichts"], ["Ä", "Ößen"]]
    facts = Units(3, ["1", "2", "3"], tokens=tokens, attributes={"category": ["1", "1", "2"]})
    spans = [(0, "Marke", 0, 1), (0, "Art", 1, 3), (0, "Ort", 4, 5), (2, "Ort", 0, 1), (2, "Ort", 1, 2)]
    karatage.write(Claims.build(facts, "token", ((*span, None, None) for span in spans)), place, format=name)
    return place


@pytest.mark.parametrize("source", NAMES)
@pytest.mark.parametrize("target", NAMES)
def test_from_each_to_each(source: str, target: str, tmp_path: Path) -> None:
    for name in {source, target} & {"docbin"}:
        pytest.importorskip("spacy", reason=f"{name} needs spaCy")
    start = write_source(source, tmp_path)
    place = tmp_path / f"target{get_format(target).suffixes[0]}"
    try:
        lost = karatage.convert(start, place, format=source, to=target)
    except (FormatError, UsageError):
        # Values have no place to become spans, and eBay's files need a category for each record.
        known = karatage.read(start, format=source)
        assert known.space == "value" or (target.startswith("ebay") and "category" not in known.units.attributes)
        assert not place.exists()
        return
    before, after = said(karatage.read(start, format=source)), said(karatage.read(place, format=target))
    if not any(word in what for what in lost for word in SPAN_LOSSES):
        assert after == before
    assert sum((after - before).values()) == 0 or "positions of spans" in lost
