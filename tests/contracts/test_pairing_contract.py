"""Every pair of formats goes through the check that gold and predictions are about the same tokens or texts."""

from __future__ import annotations

import importlib.util
import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.parts import parts

import karatage
from karatage.claims import Claims, Units
from karatage.errors import InputError, UnitError
from karatage.formats import format_names, get_format
from karatage.formats.conversion import convert

SPACES = {"tokens": "token", "chars": "char", "values": "value"}
SENTENCES = (
    ("Anna", "mag", "New", "York"),
    ("Otto", "lebt", "in", "Tallinna"),
    ("Õnne", "sucht", "ein", "Überraschungsei"),
    ("Wer", "lacht", "über", "Rom"),
)


@dataclass(frozen=True)
class Kind:
    """A format with one of the kinds of claims that it holds."""

    name: str
    space: str

    @property
    def knows(self) -> bool:
        """Whether it says which tokens or which text its claims are about."""
        return self.space == "token" or "text" in get_format(self.name).holds

    @property
    def has_ids(self) -> bool:
        return "ids" in get_format(self.name).holds

    def __str__(self) -> str:
        return f"{self.name}-{self.space}"


def kinds() -> list[Kind]:
    """Return every format that is no search, those of plugins included, with every kind of claims that it holds."""
    names = [name for name in format_names() if not get_format(name).search]
    if importlib.util.find_spec("spacy") is None:
        names.remove("docbin")
    held = ((name, space) for name in names for what, space in SPACES.items() if what in get_format(name).holds)
    bare = {"text": "char", "ebay-listings": "token"}  # no claims, only units
    return [Kind(name, space) for name, space in (*held, *bare.items())]


def write(kind: Kind, sentences: Any, folder: Path, *, ids: bool = True) -> Path:
    """Write sentences whose last token is an entity, or has a value."""
    form = get_format(kind.name)
    texts = [" ".join(words) for words in sentences]
    rows: list[tuple[int, str, int, int, None, str | None]] = []
    for unit, words in enumerate(sentences):
        ends = {"token": len(words), "char": len(texts[unit]), "value": -1}
        start = {"token": len(words) - 1, "char": len(texts[unit]) - len(words[-1]), "value": -1}[kind.space]
        rows.append((unit, "LOC", start, ends[kind.space], None, words[-1] if kind.space == "value" else None))
    numbers = [
        str(SENTENCES.index(words) + 1) if words in SENTENCES else str(unit + 1) for unit, words in enumerate(sentences)
    ]
    units = Units(
        len(texts),
        ids=numbers if ids or kind.name.startswith("ebay") or form.folder else None,
        texts=texts if "text" in form.holds else None,
        tokens=sentences if kind.space == "token" else None,
        attributes={"category": ["1"] * len(texts)},
    )
    folder.mkdir()
    path = folder / ("corpus" if form.folder else f"corpus{form.suffixes[0]}")
    convert([Claims.build(units, kind.space, rows)], form, str(path))
    return path


def score(gold: tuple[Kind, Path], pred: tuple[Kind, Path], **options: Any) -> karatage.Result:
    rule = "values" if "value" in (gold[0].space, pred[0].space) else "exact"
    formats = {"format": gold[0].name, "pred_format": pred[0].name}
    return karatage.score(gold[1], pred[1], like=rule, resamples=0, **formats, **options)


KINDS = kinds()
CHANGED = (*SENTENCES[:2], ("Õnne", "sucht", "ihr", "Überraschungsei"), SENTENCES[3])
"""One token is another one, which is not part of an entity."""


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> dict[Kind, dict[str, Path]]:
    """The sentences in every format: as they are, with another token, and two of them swapped."""
    made: dict[Kind, dict[str, Path]] = {}
    for kind in KINDS:
        folder = tmp_path_factory.mktemp(str(kind))
        swapped = (SENTENCES[1], SENTENCES[0], *SENTENCES[2:])
        made[kind] = {
            "same": write(kind, SENTENCES, folder / "same"),
            "token": write(kind, CHANGED, folder / "token"),
            "swapped": write(kind, swapped, folder / "swapped"),
        }
    return made


QUICK = {Kind("conll", "token"), Kind("doccano", "char"), Kind("csv", "token"), Kind("values", "value")}
"""Kinds with which `make test` pairs all others; `make test-all` runs all pairs."""
Both = tuple[Kind, Kind]
PAIRS: list[Both] = list(itertools.product(KINDS, KINDS))
QUICK_PAIRS = [pair for pair in PAIRS if pair[0] == pair[1] or QUICK & {*pair}]


@pytest.mark.parametrize(
    "pair", parts(dict.fromkeys([*QUICK_PAIRS, *PAIRS]), len(QUICK_PAIRS)), ids=lambda pair: f"{pair[0]}, {pair[1]}"
)
def test_other_tokens_are_refused_whatever_the_formats(pair: Both, corpora: dict[Kind, dict[str, Path]]) -> None:
    """The same sentences pass, another token is refused, and so is another order where units have no ids.

    Sides that count different things, tokens and characters, are refused in any case. A side that has neither tokens
    nor texts has nothing to compare.
    """
    gold, pred = pair
    ours = (gold, corpora[gold]["same"])
    if {gold.space, pred.space} == {"token", "char"}:
        with pytest.raises(InputError, match="offsets"):
            score(ours, (pred, corpora[pred]["same"]))
        return
    same = score(ours, (pred, corpora[pred]["same"]))
    assert same.counts["units"] == len(SENTENCES)
    assert same.counts["correct"] == min(same.counts["gold"], same.counts["predicted"])
    if not (gold.knows and pred.knows):
        assert score(ours, (pred, corpora[pred]["token"])).counts == same.counts
        return
    with pytest.raises(UnitError, match=r"corpus.*3.*different (tokens|texts) here: .*(ein|ihr)"):
        score(ours, (pred, corpora[pred]["token"]))
    assert score(ours, (pred, corpora[pred]["token"]), check_text=False).counts == same.counts
    if (gold.has_ids and pred.has_ids) or get_format(pred.name).folder:  # which is read by name
        assert score(ours, (pred, corpora[pred]["swapped"])).counts == same.counts
    else:
        with pytest.raises(UnitError, match=r"different (tokens|texts) here: .*(Otto|Anna)"):
            score(ours, (pred, corpora[pred]["swapped"]))


def test_every_format_of_tokens_or_texts_reads_them_back(corpora: dict[Kind, dict[str, Path]]) -> None:
    """The check sees what a format holds only if its reader says it."""
    for kind, paths in corpora.items():
        units = karatage.read(paths["same"], format=kind.name).units
        assert kind.knows == (units.texts is not None or units.tokens is not None), kind
