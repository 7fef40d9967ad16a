"""spaCy's JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karatage.claims import Claims, Units
from karatage.errors import FormatError, UsageError
from karatage.formats import get_format
from karatage.formats.conversion import convert

DOC = {
    "text": "Bank of China",
    "ents": [{"start": 0, "end": 13, "label": "ORG"}],
    "spans": {
        "sc": [{"start": 0, "end": 13, "label": "ORG", "kb_id": ""}, {"start": 8, "end": 13, "label": "GPE"}],
        "other": [{"start": 0, "end": 4, "label": "NOUN"}],
    },
    "tokens": [],
}


@pytest.mark.parametrize("text", [json.dumps(DOC), json.dumps([DOC]), json.dumps(DOC, indent=2)])
def test_entities_and_groups(read: Any, text: str) -> None:
    """All groups count; a span that is in two of them is one claim."""
    claims = read("spacy", text)
    assert [row[1:4] for row in claims.rows()] == [("NOUN", 0, 4), ("ORG", 0, 13), ("GPE", 8, 13)]


def test_chosen_groups(read: Any) -> None:
    """The user may name the groups that count; one that is not there is an error."""
    assert [row[1:4] for row in read("spacy", json.dumps(DOC), columns=("other",)).rows()] == [("NOUN", 0, 4)]
    assert [row[1:4] for row in read("spacy", json.dumps(DOC), columns=("ents",)).rows()] == [("ORG", 0, 13)]
    with pytest.raises(FormatError, match=r"no span group 'sx'. The groups are: ents, sc, other"):
        read("spacy", json.dumps(DOC), columns=("sx",))


def test_tokens_are_cut_at_spans(tmp_path: Path) -> None:
    """What is written holds tokens that start and end where spans do, so that spaCy can load it."""
    claims = Claims.build(
        Units(1, texts=["Rio-Fluss  ist"]), "char", [(0, "LOC", 0, 2, None, None), (0, "X", 0, 9, None, None)]
    )
    convert([claims], get_format("spacy"), str(tmp_path / "out.jsonl"))
    document = json.loads((tmp_path / "out.jsonl").read_text())
    assert [document["text"][t["start"] : t["end"]] for t in document["tokens"]] == [
        "Ri",
        "o",
        "-",
        "Fluss",
        " ",
        "ist",
    ]
    assert [e["label"] for e in document["ents"]] == ["X"]
    assert [e["label"] for e in document["spans"]["sc"]] == ["LOC"]


def test_docbin_by_spacy_itself(read: Any, tmp_path: Path) -> None:
    """A file that spaCy wrote is read, and one that Karatage wrote is read by spaCy."""
    spacy = pytest.importorskip("spacy")
    doc = spacy.blank("de")("Angela Merkel war in Rio")
    doc.ents = [doc.char_span(0, 13, "PER"), doc.char_span(21, 24, "LOC")]
    data = spacy.tokens.DocBin(docs=[doc]).to_bytes()
    claims = read("docbin", data, "gold.spacy")
    assert [row[1:4] for row in claims.rows()] == [("PER", 0, 13), ("LOC", 21, 24)]
    convert([claims], get_format("docbin"), str(tmp_path / "out.spacy"))
    (back,) = spacy.tokens.DocBin().from_disk(tmp_path / "out.spacy").get_docs(spacy.blank("de").vocab)
    assert back.text == doc.text
    assert [(e.text, e.label_) for e in back.ents] == [("Angela Merkel", "PER"), ("Rio", "LOC")]


def test_docbin_without_spacy(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without spaCy, the message says what to install."""
    monkeypatch.setitem(__import__("sys").modules, "spacy", None)
    with pytest.raises(UsageError, match=r"pip install '\.\[spacy\]'"):
        read("docbin", b"x", "gold.spacy")
