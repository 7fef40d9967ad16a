"""What every format keeps to, whoever wrote it."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import karatage
from karatage.claims import Claims, Units, join_batches
from karatage.errors import FormatError, KaratageError
from karatage.formats import FileStart, Format, ReadOptions, Source, format_names, get_format, sniff
from karatage.formats.conversion import convert

NAMES = [name for name in format_names() if not get_format(name).search]
SPACES = {"tokens": "token", "chars": "char", "values": "value"}
PAIRS = [(name, space) for name in NAMES for held, space in SPACES.items() if held in get_format(name).holds]
ALPHABET = "aZ09äßõéЖ語한ा😀🏴\u0301_-/()\"'<>&"
NO_EMPTY_UNITS = {"conll", "ebay-tagged"}
"""Formats of one line per token: a unit without tokens leaves no trace and is counted as lost."""
LAYERS = {"estner": 3}


@pytest.fixture(params=NAMES)
def form(request: pytest.FixtureRequest) -> Format:
    found = get_format(request.param)
    if found.name == "docbin" and importlib.util.find_spec("spacy") is None:
        pytest.skip("spaCy is not installed")
    return found


def place_of(form: Format, folder: Path) -> Path:
    return folder / ("corpus" if form.folder else f"corpus{form.suffixes[0]}")


def space_of(form: Format) -> str:
    """Return a space that a format holds; listings hold titles only, which have tokens."""
    return next((space for held, space in SPACES.items() if held in form.holds), "token")


def load(form: Format, place: Path) -> Claims:
    return join_batches(form.read(Source(place), ReadOptions()))


def corpus(form: Format, space: str, seed: int, *, units: int = 40) -> Claims:
    """Make claims at random that use all that a format says it holds, and nothing more."""
    rng = random.Random(seed)
    holds = form.holds
    words = [[word(rng) for _ in range(rng.randrange(12))] for _ in range(units)]
    if form.name in NO_EMPTY_UNITS:
        words = [tokens or ["x"] for tokens in words]
    texts = [" ".join(tokens) for tokens in words]
    rows: list[tuple[int, str, int, int, Any, Any]] = []
    for unit in range(units):
        size = len(words[unit]) if space == "token" else len(texts[unit])
        found = [claim(rng, space, size, holds) for _ in range(rng.randrange(LAYERS.get(form.name, 6) + 1))]
        reach = 0
        for label, start, end, pieces, value in sorted(filter(None, found), key=lambda row: row[1:3]):
            if "nested" in holds or space == "value" or start >= reach:
                rows.append((unit, label, start, end, pieces, value))
                reach = end
    rows = list(dict.fromkeys(rows)) if space != "value" else rows
    attribute = "document" if form.name == "estner" else "category"
    return Claims.build(
        Units(
            units,
            ids=[str(7 * n + 1) for n in range(units)] if "ids" in holds else None,
            texts=texts if "text" in holds else None,
            tokens=words if space == "token" else None,
            attributes={attribute: [str(n // 5) for n in range(units)]} if "attributes" in holds else {},
        ),
        space,
        rows,
    )


def word(rng: random.Random) -> str:
    return "".join(rng.choices(ALPHABET, k=rng.randrange(1, 7)))


def claim(rng: random.Random, space: str, size: int, holds: Any) -> tuple[str, int, int, Any, Any] | None:
    label = rng.choice(["LOC", "PER", "Größe", "Oe/Oem_Referenznummer(N)", "Land_Und_-Region"])
    if space == "value":
        return label, -1, -1, None, rng.choice(["ATE", "N/A", "", "Ø259 VORNE", '18"'])
    if not size:
        return None
    start = rng.randrange(size)
    end = rng.randrange(start + 1, size + 1)
    pieces = None
    if "discontinuous" in holds and end - start > 2 and rng.random() < 0.3:
        cut = rng.randrange(start + 1, end - 1)
        pieces = ((start, cut), (cut + 1, end))
    return label, start, end, pieces, None


def content(claims: Claims) -> list[Any]:
    """Return all that a corpus says, unit by unit, so that two can be compared.

    Tokens beside spans in characters are left out: spaCy's formats need some, and cut the text where none are known.
    """
    units, rows = claims.units, list(claims.rows())
    return [
        (
            units.name(unit),
            sorted((row[1:] for row in rows if row[0] == unit), key=str),
            units.texts[unit] if units.texts is not None else None,
            list(units.tokens[unit]) if units.tokens is not None and claims.space == "token" else None,
            {name: column[unit] for name, column in units.attributes.items()},
        )
        for unit in range(len(units))
    ]


def test_the_example_is_recognised_by_its_own_format_only(form: Format, tmp_path: Path) -> None:
    """A file has one format: no two of them claim the same example."""
    place = place_of(form, tmp_path) if not form.folder else tmp_path / f"corpus{form.suffixes[0]}"
    if form.example:
        place.write_text(form.example, encoding="utf-8")
    else:  # binary formats have no example to print
        convert([corpus(form, "char", 1)], form, str(place))
    head = FileStart(Source(place))
    found = [name for name in NAMES if get_format(name).sniff(head)]
    if form.name == "text":  # any file holds text
        assert not found
        return
    assert found == [form.name]
    assert sniff(Source(place)) is form


def test_the_example_has_claims_with_places_in_the_file(form: Format, tmp_path: Path) -> None:
    """The example is read, and its units know where they come from."""
    if not form.example:
        pytest.skip("a binary format")
    place = tmp_path / f"corpus{form.suffixes[0]}"
    place.write_text(form.example, encoding="utf-8")
    claims = load(form, place)
    assert (len(claims) > 0) == bool(form.holds & SPACES.keys())
    assert len(claims.units) > 0
    assert claims.units.source == str(place)
    assert form.about.endswith(".")


def test_the_example_survives_writing(form: Format, tmp_path: Path) -> None:
    """Reading, writing and reading again gives the same claims and units."""
    if not form.example:
        pytest.skip("a binary format")
    place = tmp_path / f"first{form.suffixes[0]}"
    place.write_text(form.example, encoding="utf-8")
    claims = load(form, place)
    again = place_of(form, tmp_path)
    assert convert([claims], form, str(again)) == {}
    before, after = content(claims), content(load(form, again))
    assert [unit[1:4] for unit in after] == [unit[1:4] for unit in before]
    assert all(new[4].items() >= old[4].items() for new, old in zip(after, before, strict=True))


@pytest.mark.parametrize("compression", ["", ".gz", ".zst"])
@pytest.mark.parametrize(("name", "space"), PAIRS)
def test_random_claims_survive_writing(name: str, space: str, compression: str, tmp_path: Path) -> None:
    """What a format says it holds comes back, in the same order, with nothing lost."""
    form = get_format(name)
    if name == "docbin":
        pytest.importorskip("spacy")
    if form.folder and compression:
        pytest.skip("a folder is not compressed")
    for seed in range(3):
        claims = corpus(form, space, seed)
        place = Path(f"{place_of(form, tmp_path / str(seed))}{compression}")
        place.parent.mkdir()
        assert convert([claims.slice(0, 25), claims.slice(25, 40)], form, str(place)) == {}
        back = load(form, place)
        assert back.space == space
        assert [unit[1:4] for unit in expected(claims, back)] == [unit[1:4] for unit in content(back)]
        if "ids" in form.holds:
            assert back.units.ids == sorted(claims.units.ids or (), key=order(form))
        if "attributes" in form.holds and name != "estner":
            assert dict(back.units.attributes)["category"] == [unit[4]["category"] for unit in expected(claims, back)]
        assert sniff(Source(place)) is form


def order(form: Format) -> Any:
    """Return how a format orders its units: a folder by name, others as they came."""
    return str if form.folder else lambda _: 0


def expected(claims: Claims, back: Claims) -> list[Any]:
    found = content(claims)
    if back.units.ids is not None and claims.units.ids is not None:
        by_id = {unit[0]: unit for unit in found}
        return [by_id[unit] for unit in back.units.ids]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_held_is_counted(name: str, tmp_path: Path) -> None:
    """Nothing disappears silently: whatever a format does not hold is in the account of losses."""
    form = get_format(name)
    if name == "docbin":
        pytest.importorskip("spacy")
    claims = Claims.build(
        Units(
            2,
            ids=["1", "2"],
            texts=["New York  City", "Rio"],
            tokens=[["New", "York", "City"], ["Rio"]],
            attributes={"category": ["1", "2"], "region": ["x", "y"]},
        ),
        "char",
        [
            (0, "LOC", 0, 14, None, None),
            (0, "LOC", 4, 8, None, None),
            (0, "X", 0, 14, ((0, 3), (10, 14)), "New City"),
            (0, "LOC", 1, 2, None, "another"),
            (1, "LOC", 0, 3, None, "Rio"),
        ],
    )
    lost = convert([claims], form, str(place_of(form, tmp_path)))
    back = load(form, place_of(form, tmp_path))
    holds = form.holds
    spans = bool(holds & {"tokens", "chars"})
    limited = name in {"ebay-tagged", "ebay-listings", "ebay-submission", "estner"}
    assert ("ids" in lost) == ("ids" not in holds)
    assert ("texts" in lost) == ("text" not in holds)
    assert ("attributes" in lost) == ("attributes" not in holds or limited)
    assert ("discontinuous spans" in lost) == (spans and "discontinuous" not in holds)
    assert ("overlapping spans" in lost) == (spans and "nested" not in holds)
    assert ("spans that do not match token boundaries" in lost) == ("tokens" in holds and "chars" not in holds)
    assert ("positions of spans" in lost) == (not spans)
    missing = sum(lost[kind] for kind in lost if kind.endswith("spans") or "boundaries" in kind) if spans else 0
    missing -= lost["positions of spans"] if spans else 0
    assert ("entities" in lost) == (not holds & SPACES.keys())
    missing += lost["entities"]
    assert len(back) + missing == len(claims)


@pytest.mark.parametrize("name", [name for name in NAMES if "values" not in get_format(name).holds])
def test_values_without_places_cannot_become_spans(name: str, tmp_path: Path) -> None:
    """A format of spans says that it cannot hold values, and leaves no file behind."""
    if name == "docbin":
        pytest.importorskip("spacy")
    form = get_format(name)
    claims = Claims.build(Units(1, ids=["1"]), "value", [(0, "Hersteller", -1, -1, None, "ATE")])
    place = place_of(form, tmp_path)
    with pytest.raises(FormatError, match="values without positions"):
        convert([claims], form, str(place))
    assert list(tmp_path.iterdir()) == []


def test_large_corpora_come_in_batches_of_whole_units(form: Format, tmp_path: Path) -> None:
    """No batch has more units than it may, numbers run on, and joining them gives the corpus back."""
    if form.name == "docbin":
        pytest.skip("spaCy reads it whole")
    space = space_of(form)
    claims = corpus(form, space, 5, units=4500)
    place = place_of(form, tmp_path)
    convert([claims], form, str(place))
    batches = list(form.read(Source(place), ReadOptions()))
    assert sum(len(batch.units) for batch in batches) == 4500
    first = 0
    for batch in batches:
        assert batch.units.first == first
        first += len(batch.units)
    assert len(join_batches(batches)) == (len(claims) if form.holds & SPACES.keys() else 0)


def test_a_failed_write_leaves_nothing_behind(form: Format, tmp_path: Path) -> None:
    """Writing is whole or nothing."""
    space = space_of(form)

    def broken() -> Iterator[Claims]:
        yield corpus(form, space, 2)
        raise KaratageError("the source is broken")

    with pytest.raises(KaratageError, match="the source is broken"):
        convert(broken(), form, str(place_of(form, tmp_path)))
    assert list(tmp_path.iterdir()) == []


def test_a_corpus_without_units_can_be_written(form: Format, tmp_path: Path) -> None:
    """An empty corpus gives a file without units, or one that says it is empty."""
    place = place_of(form, tmp_path)
    assert convert([], form, str(place)) == {}
    try:
        claims = load(form, place)
    except KaratageError:
        return
    assert len(claims.units) == 0


@pytest.mark.parametrize("name", ["spacy", "docbin", "prodigy"])
def test_tokens_beside_characters_survive(name: str, tmp_path: Path) -> None:
    """The unit's own tokens go into formats that hold them and come back, with or without the text."""
    if name == "docbin":
        pytest.importorskip("spacy")
    source = tmp_path / "in.conll"
    source.write_text("www.a-b.com B-X\nis O\nU.S. B-Y\n\ndon't O\n\n", "utf-8")
    there, back = tmp_path / f"out{get_format(name).suffixes[0]}", tmp_path / "back.conll"
    assert karatage.convert(source, there, to=name) == {}
    karatage.convert(there, back, to="conll")
    assert karatage.score(source, back)["accuracy"].value == 1.0
    assert karatage.convert(source, tmp_path / "d.jsonl", to="doccano") == {"tokens": 2}
