"""spaCy pipelines as taggers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.taggers.plain import found

from karatage.errors import UsageError
from karatage.taggers import open_tagger

spacy = pytest.importorskip("spacy")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    pipeline = spacy.blank("et")
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "GPE", "pattern": "Tartu"}, {"label": "PER", "pattern": "Lennart Meri"}])
    place: Path = tmp_path_factory.mktemp("spacy") / "ruler"
    pipeline.to_disk(place)
    return str(place)


def test_entities(folder: str) -> None:
    tagger = open_tagger(f"spacy:{folder}")
    assert tagger.name == f"spacy:{folder}"
    assert tagger.labels == frozenset({"GPE", "PER"})
    texts = ["👩‍👩 Lennart Meri oli Tartu", "", "Tallinn"]
    assert found(tagger.tag(texts)) == [[("Lennart Meri", "PER"), ("Tartu", "GPE")], [], []]


def test_words_and_labels(folder: str) -> None:
    tagger = open_tagger(f"spacy:{folder}", words="spaces", label_map={"GPE": "LOC"})
    assert tagger.labels == frozenset({"LOC", "PER"})
    assert found(tagger.tag(["(Tartu), oli"])) == [[("(Tartu),", "LOC")]]
    with pytest.raises(UsageError, match="unknown label of the tagger 'GEP'. Did you mean 'GPE'\\? Known: GPE, PER"):
        open_tagger(f"spacy:{folder}", label_map={"GEP": "LOC"})


def test_version_is_that_of_the_files(folder: str, tmp_path: Path) -> None:
    first: Any = open_tagger(f"spacy:{folder}")
    spacy.blank("et").to_disk(tmp_path / "ruler")
    other: Any = open_tagger(f"spacy:{tmp_path / 'ruler'}")
    assert first.version != other.version
    assert other.labels is None  # nothing in it sets entities


@pytest.mark.parametrize("name", ["no_such_pipeline", "."])
def test_no_pipeline(name: str) -> None:
    with pytest.raises(UsageError, match=f"spaCy cannot load the pipeline '{name}'.* Name an installed package"):
        open_tagger(f"spacy:{name}")
