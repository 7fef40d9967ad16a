"""EstNLTK's tagger and its words, for real."""

from __future__ import annotations

import ast
import csv
from pathlib import Path

import pytest
from tests.taggers.plain import found

from karatage.errors import UsageError
from karatage.recall import estimate
from karatage.taggers import Tagger, open_tagger, tag_texts
from karatage.taggers.word_segmentation import get_segmenter

pytest.importorskip("estnltk")


@pytest.fixture(scope="module")
def tagger(sentence_model: None) -> Tagger:  # noqa: ARG001  it is there for what it does
    return open_tagger("estnltk")


def test_entities(tagger: Tagger) -> None:
    assert tagger.name == "estnltk"
    assert tagger.labels == frozenset({"LOC", "ORG", "PER"})
    texts = ["Lennart Meri sündis Tallinnas 29. märtsil 1929.", "", " ", "👩‍👩 Lennart Meri elas Tartus."]
    meri, tartu = ("Lennart Meri", "PER"), ("Tartus", "LOC")
    assert found(tagger.tag(texts)) == [[meri, ("Tallinnas", "LOC")], [], [], [meri, tartu]]


def test_label_map(sentence_model: None) -> None:  # noqa: ARG001
    short = open_tagger("estnltk", label_map={"PER": "O", "LOC": "GPE"})
    assert found(short.tag(["Lennart Meri sündis Tallinnas 29. märtsil."])) == [[("Tallinnas", "GPE")]]
    assert short.labels == frozenset({"GPE", "ORG"})
    with pytest.raises(UsageError, match="unknown label of the tagger 'GPE'"):
        open_tagger("estnltk", label_map={"GPE": "LOC"})


def test_words() -> None:
    """An ordinal number and its point are one word, a mark of punctuation is one of its own."""
    _, words = get_segmenter("estnltk")
    assert words is not None
    text = "Mari, 29. mail."
    assert [text[a:b] for a, b in words(text)] == ["Mari", ",", "29.", "mail", "."]


def test_sentence_model_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is looked for before EstNLTK would try to download it."""
    import nltk.data

    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    with pytest.raises(UsageError, match="punkt_tab, which is not installed.* set NLTK_DATA to a folder that contains"):
        open_tagger("estnltk")


def test_amundsen(tagger: Tagger, real_data: Path) -> None:
    """The published result of EstNLTK's default tagger on amundsen_01, item by item: 344 of 535."""
    folder = real_data / "amundsen_01" / "data" / "recall_sets"
    if not folder.is_dir():
        pytest.skip("amundsen_01 is not beside this repository")
    hits = {}
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        tagging = tag_texts(tagger, [row["text"] for row in rows])
        assert not tagging.failures
        gold = [ast.literal_eval(row["span"]) for row in rows]
        correct = [
            own is not None and (span["start"], span["end"], span["labels"][0]) in own
            for span, own in zip(gold, tagging.spans, strict=True)
        ]
        assert correct == [row["correct"] == "yes" for row in rows]
        hits[path.stem.removeprefix("koond_1000_")] = (sum(correct), len(correct))
    assert hits == {"levinumad": (266, 350), "mitmetahenduslikud": (1, 13), "ulejaanud": (77, 172)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "recall", "counts"),
    [
        ("amundsen_01", (0.5892016803782091, 0.5442531601445354, 0.6341502006118828), (344, 191)),
        ("amundsen_02", (0.5863719147123075, 0.5556871420680223, 0.6170566873565928), (775, 910)),
    ],
)
def test_published_rows(
    tagger: Tagger, real_data: Path, name: str, recall: tuple[float, ...], counts: tuple[int, int]
) -> None:
    """The published rows of EstNLTK's default tagger, to the last digit, from runs of it."""
    if not (real_data / name).is_dir():
        pytest.skip(f"{name} is not beside this repository")
    found = estimate(real_data / name, tagger=tagger, method="published")
    assert (found.recall.value, found.recall.low, found.recall.high) == recall
    assert (found.counts["correct"], found.counts["incorrect"]) == counts
