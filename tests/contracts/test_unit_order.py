"""What a change of the input does to the result, for every kind of input.

Shuffled units with ids change nothing; without ids they are refused, or the fingerprint of the predictions changes. One
other token is refused. A renamed label changes the row of that label and no other.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.parts import parts

import karatage
from karatage.claims import SCHEMES, Claims, Space, Units, encode
from karatage.errors import UnitError
from karatage.experiments.stored_inputs import concatenate, fingerprint
from karatage.formats import format_names, get_format
from karatage.formats.conversion import convert
from karatage.inputs import as_input

SPACES: dict[str, Space] = {"tokens": "token", "chars": "char", "values": "value"}
LABELS = ("LOC", "ORG", "PER")


@dataclass(frozen=True)
class InputKind:
    """How claims are passed to `karatage.score`.

    Attributes:
        name: for the test's name.
        space: what offsets count.
        knows: whether tokens or texts go with them.
        ids: whether ids go with them.
        make: turns claims into what is passed; the path may be written to.
        options: options of scoring that go with it.
    """

    name: str
    space: Space
    knows: bool
    ids: bool
    make: Callable[[Claims, Path], Any]
    options: dict[str, Any]


def files() -> list[InputKind]:
    """Return every format that holds claims, with and without ids where it can do without."""
    out = []
    for name in format_names():
        form = get_format(name)
        for space in (space for held, space in SPACES.items() if held in form.holds and not form.search):
            knows = space == "token" or "text" in form.holds
            needs_ids = form.folder or name.startswith("ebay") or name in ("csv", "parquet")
            for ids in {"ids" in form.holds, needs_ids}:
                kind = InputKind(f"{name}, {space}", space, knows, ids, partial(as_file, name, ids), {"format": name})
                out.append(replace(kind, name=f"{kind.name}{', ids' if ids else ''}"))
    return out


def as_file(name: str, ids: bool, claims: Claims, folder: Path) -> Path:
    form = get_format(name)
    folder.mkdir()
    path = folder / ("corpus" if form.folder else f"corpus{form.suffixes[0]}")
    units = claims.units if ids else replace(claims.units, ids=None)
    convert([replace(claims, units=units)], form, str(path))
    return path


def as_frame(library: str, claims: Claims, folder: Path) -> Any:
    """Make a data frame of claims with tokens or texts."""
    frame = pl.read_parquet(as_file("parquet", True, claims, folder))
    if library == "polars":
        return frame
    import pandas as pd

    return pd.DataFrame(frame.to_dict(as_series=False))


def as_tags(claims: Claims, folder: Path) -> list[list[str]]:  # noqa: ARG001  nothing is written
    return encode(claims, np.array([len(words) for words in claims.units.tokens or ()]), SCHEMES["IOB2"]).lists()


def as_spans(claims: Claims, folder: Path) -> list[list[tuple[str, int, int]]]:  # noqa: ARG001
    out: list[list[tuple[str, int, int]]] = [[] for _ in range(len(claims.units))]
    for unit, label, start, end, _, _ in claims.rows():
        out[unit].append((label, start, end))
    return out


def as_fields(claims: Claims, folder: Path) -> list[dict[str, list[str]]]:  # noqa: ARG001
    out: list[dict[str, list[str]]] = [{} for _ in range(len(claims.units))]
    for unit, label, _, _, _, value in claims.rows():
        out[unit].setdefault(label, []).append(value or "")
    return out


def by_id(make: Callable[[Claims, Path], list[Any]], claims: Claims, folder: Path) -> dict[str, Any]:
    return dict(zip(claims.units.ids or (), make(claims, folder), strict=True))


def as_they_are(claims: Claims, folder: Path) -> Claims:  # noqa: ARG001
    return claims


def unnamed(claims: Claims, folder: Path) -> Claims:  # noqa: ARG001
    return replace(claims, units=replace(claims.units, ids=None))


def in_memory() -> list[InputKind]:
    values = {"like": "values"}
    return [
        InputKind("tags", "token", False, False, as_tags, {}),
        InputKind("tags by id", "token", False, True, partial(by_id, as_tags), {}),
        InputKind("spans", "char", False, False, as_spans, {}),
        InputKind("spans by id", "char", False, True, partial(by_id, as_spans), {}),
        InputKind("fields", "value", False, False, as_fields, values),
        InputKind("fields by id", "value", False, True, partial(by_id, as_fields), values),
        *(
            InputKind(f"{library}, {space}", space, True, True, partial(as_frame, library), {})
            for library in ("polars", "pandas")
            for space in SPACES.values()
        ),
        *(InputKind(f"claims, {space}", space, True, False, unnamed, {}) for space in SPACES.values()),
        *(
            InputKind(f"claims, {space}, ids", space, True, True, lambda claims, _: claims, {})
            for space in SPACES.values()
        ),
    ]


KINDS = [*files(), *in_memory()]


def corpus(rng: random.Random, space: Space) -> tuple[Claims, Claims]:
    """Make gold and predictions on the same units: one entity or none in each half of a sentence of distinct tokens."""
    count = rng.randint(4, 9)
    sentences = [[f"w{unit}{letter}{rng.randint(10, 99)}" for letter in "abcdef"] for unit in range(count)]
    texts = [" ".join(words) for words in sentences]
    units = Units(
        count,
        ids=[str(101 + unit) for unit in range(count)],
        texts=texts if space != "token" else None,
        tokens=sentences if space == "token" else None,
        attributes={"category": ["1"] * count},
    )
    sides: list[list[tuple[int, str, int, int, None, str | None]]] = [[], []]
    for unit, words in enumerate(sentences):
        for first, last in ((rng.randint(0, 1), rng.randint(2, 3)), (4, rng.randint(5, 6))):
            label = rng.choice(LABELS)
            for rows, other in zip(sides, (label, rng.choice([label, label, *LABELS])), strict=True):
                if rng.random() < 0.8:
                    rows.append((unit, other, *place(space, words, first, last), None, value(space, words, first)))
    gold, pred = (Claims.build(units, space, rows) for rows in sides)
    return gold, pred


def place(space: Space, words: list[str], first: int, last: int) -> tuple[int, int]:
    if space == "value":
        return -1, -1
    if space == "token":
        return first, last
    starts = np.cumsum([0, *(len(word) + 1 for word in words)])
    return int(starts[first]), int(starts[last]) - 1


def value(space: Space, words: list[str], first: int) -> str | None:
    return words[first] if space == "value" else None


def shuffled(claims: Claims, rng: random.Random) -> Claims:
    """Return the units in another order, each under its id."""
    order = list(range(len(claims.units)))
    while order == sorted(order):
        rng.shuffle(order)
    return claims.take(np.array(order))


def with_other_token(claims: Claims, rng: random.Random) -> Claims:
    """Change a character in the middle of a unit, which is not the value of a claim."""
    unit, units = rng.randrange(len(claims.units)), claims.units
    if units.tokens is not None:
        tokens = [list(words) for words in units.tokens]
        at = rng.randrange(len(tokens[unit]))
        tokens[unit][at] = f"x{tokens[unit][at][1:]}"
        return replace(claims, units=replace(units, tokens=tokens))
    texts = list(units.texts or ())
    at = texts[unit].index(" ") + 1
    texts[unit] = f"{texts[unit][:at]}x{texts[unit][at + 1 :]}"
    return replace(claims, units=replace(units, texts=texts))


def renamed(claims: Claims, old: str, new: str) -> Claims:
    return replace(claims, labels=tuple(new if label == old else label for label in claims.labels))


def print_of(made: Any, kind: InputKind) -> str:
    """Return the fingerprint of what was passed: of a file's bytes, or of what is in memory."""
    found = concatenate(list(as_input(made, format=kind.options.get("format")).batches()))
    assert found is not None
    return fingerprint(found)


@pytest.mark.parametrize("seed", parts(12, 1))
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_what_a_change_of_the_input_does(kind: InputKind, seed: int, tmp_path: Path) -> None:
    if "docbin" in kind.name:
        pytest.importorskip("spacy")
    if "pandas" in kind.name:
        pytest.importorskip("pandas")
    rng = random.Random(seed)
    gold, pred = corpus(rng, kind.space)
    like = {"like": "values"} if kind.space == "value" else {"like": "exact"}
    ours = kind.make(gold, tmp_path / "gold")

    def scored(given: Claims, name: str) -> dict[str, Any]:
        made = kind.make(given, tmp_path / name)
        found = karatage.score(ours, made, resamples=0, **{**like, **kind.options}).to_dict()
        found["provenance"].pop("pred")
        return found

    plain = scored(pred, "plain")
    mixed = shuffled(pred, rng)
    if kind.ids:
        assert scored(mixed, "shuffled") == plain
    elif kind.knows:
        with pytest.raises(UnitError, match=r"different (tokens|texts) here.*The order differs"):
            scored(mixed, "shuffled")
    else:
        made = (kind.make(claims, tmp_path / str(at)) for at, claims in enumerate((pred, mixed)))
        assert len({print_of(one, kind) for one in made}) == 2
    if kind.knows:
        with pytest.raises(UnitError, match=r"different (tokens|texts) here: .*x\d"):
            scored(with_other_token(pred, rng), "token")
    rows = scored(renamed(pred, "ORG", "NEW"), "renamed")["by_label"]
    before = plain["by_label"]
    assert {name: row for name, row in rows.items() if name not in ("ORG", "NEW")} == {
        name: row for name, row in before.items() if name != "ORG"
    }
    old = before.get("ORG", {"counts": {"gold": 0, "predicted": 0}})["counts"]
    counts = {name: rows.get(name, {"counts": {"gold": 0, "predicted": 0}})["counts"] for name in ("ORG", "NEW")}
    assert (counts["ORG"]["gold"], counts["ORG"]["predicted"]) == (old["gold"], 0)
    assert (counts["NEW"]["gold"], counts["NEW"]["predicted"]) == (0, old["predicted"])
