"""EstNER's JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karatage.claims import join_batches
from karatage.errors import FormatError
from karatage.formats import ReadOptions, Source, sniff


def _file(*sentences: str) -> str:
    """Write sentences like `Tallinna/B-ORG/B-GPE Ülikool/I-ORG` as one document."""

    def word(text: str) -> dict[str, str]:
        parts = [*text.split("/"), "O", "O", "O"]
        return {"word": parts[0], "ner_1": parts[1], "ner_2": parts[2], "ner_3": parts[3]}

    words = [{"words": [word(w) for w in s.split()]} for s in sentences]
    return json.dumps({"documents": [{"sentences": words}]}, indent="\t")


def test_layers(read: Any) -> None:
    """Nested names come from three layers; sentences know their document."""
    claims = read("estner", _file("Tallinna/B-ORG/B-GPE Ülikool/I-ORG", "on/O"))
    assert [row[:4] for row in claims.rows()] == [(0, "GPE", 0, 1), (0, "ORG", 0, 2)]
    assert claims.units.tokens == [["Tallinna", "Ülikool"], ["on"]]
    assert claims.units.attributes == {"document": ["1", "1"]}


def test_documents(read: Any) -> None:
    """In a document, a span goes on behind the end of a sentence."""
    text = _file("in/O Rio/B-LOC", "de/I-LOC Janeiro/I-LOC")
    assert [row[:4] for row in read("estner", text).rows()] == [(0, "LOC", 1, 2), (1, "LOC", 0, 2)]
    assert [row[:4] for row in read("estner", text, unit="document").rows()] == [(0, "LOC", 1, 4)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"documents": [{"sentences": [{"words": [{"word": "a"}]}]}]}',
            r"sentences\[0\].words\[0\].ner_1 is missing",
        ),
        ('{"documents": [{"sentences": [{"words": [{"word": 1, "ner_1": "O"}]}]}]}', "word must be a string"),
        (
            '{"documents": [{"sentences": [{"words": [{"word": "a", "ner_1": ""}]}]}]}',
            "empty tag at index 0",
        ),
        ('{"documents": [{"sentences": [{}]}]}', 'needs an array "words"'),
        ('{"documents": [{}]}', 'needs an array "sentences"'),
        ('{"documents": [5]}', "must be an object"),
        ('{"documents": 5}', 'needs an array "sentences"'),
    ],
)
def test_errors(read: Any, text: str, message: str) -> None:
    """Missing parts are named by where they are missing."""
    with pytest.raises(Exception, match=message):
        read("estner", text)


def test_cut_off(read: Any) -> None:
    """A file that ends too early says so."""
    with pytest.raises(FormatError, match=r"ends|cut off"):
        read("estner", _file("Tallinna/B-ORG Ülikool/I-ORG")[:-10])


def test_the_real_corpus(real_data: Path) -> None:
    """The development part: 882 sentences in 16 documents, 587 names, of which 45 are nested.

    Counted from the file: the B- tags of ner_1 are 109 PER, 129 GPE, 64 DATE, 31 LOC, 85 ORG, 20 TITLE,
    60 PROD, 15 EVENT, 6 TIME, 11 PERCENT and 12 MONEY, 542 in all; those
    of ner_2 are 35 GPE, 1 LOC, 8 ORG and 1 PER.
    """
    source = Source(real_data / "estner" / "EstNER_new_dev.json")
    form = sniff(source)
    assert form.name == "estner"
    claims = join_batches(form.read(source, ReadOptions()))
    assert (len(claims.units), len(claims)) == (882, 542 + 45)
    documents = join_batches(form.read(source, ReadOptions(unit="document")))
    assert (len(documents.units), len(documents)) == (16, 587)
