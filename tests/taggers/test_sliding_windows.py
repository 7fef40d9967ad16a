"""Texts longer than a model takes: nothing is lost, and the window with the most context decides."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tests.taggers.models import save_bert  # noqa: E402
from tests.taggers.plain import found  # noqa: E402

from karatage.errors import UsageError  # noqa: E402  the packages above are optional
from karatage.taggers import open_tagger  # noqa: E402
from karatage.taggers.sliding_windows import WindowedModel  # noqa: E402


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A model that takes ten pieces, two of which the tokenizer adds."""
    return open_tagger("hf:" + save_bert(tmp_path_factory.mktemp("short"), limit=10))


def test_nothing_is_lost(short: Any, rng: random.Random) -> None:
    """Each word's label is its own, so a text of any length has the labels of its words."""
    for length in range(50):
        words = rng.choices(["oli", "Mari", "new", "xyz"], k=length)
        labels = {"Mari": "PER", "new": "LOC"}
        expected = [(word, labels[word]) for word in words if word in labels]
        assert found(short.tag(["oli", " ".join(words), "Mari"])) == [[], expected, [("Mari", "PER")]]


class Positions:
    """A model whose class for a piece is its position in the window."""

    device = "cpu"

    def __call__(self, input_ids: Any, **_: Any) -> Any:
        count, length = input_ids.shape
        return SimpleNamespace(logits=torch.eye(length).repeat(count, 1, 1))


def test_the_window_with_most_context_decides(short: Any) -> None:
    """Eight pieces fit, two are shared: windows 0–8, 6–14, 12–20 and so on, position 0 being [CLS].

    Piece 6 has 1 piece behind it in the first window and 0 before it in the second: the first decides, at position
    7. Piece 7 has 0 and 1: the second decides, at position 2. A text of 14 pieces ends with the second window.
    """
    labelled = WindowedModel(short.classify.tokenizer, Positions(), tuple(map(str, range(10))), 10)
    fits, longer, three = labelled(["oli " * 8, "oli " * 14, "oli " * 15])
    assert fits.tags == list("12345678")
    assert longer.tags == [*"1234567", *"2345678"]
    assert three.tags == [*"1234567", *"234567", *"23"]
    assert three.offsets == [(4 * i, 4 * i + 3) for i in range(15)]


def test_batches_change_nothing(tmp_path: Path, rng: random.Random) -> None:
    """With random weights in two layers, a text's spans are the same alone and among others of other lengths."""
    tagger = open_tagger("hf:" + save_bert(tmp_path, limit=10, layers=2, seed=5))
    texts = [" ".join(rng.choices(["oli", "Tartu", "Mari", "."], k=rng.randint(0, 30))) for _ in range(70)]
    together = found(tagger.tag(texts))
    assert together == [found(tagger.tag([text]))[0] for text in texts]
    assert sum(map(len, together)) > 100


def test_no_room(short: Any) -> None:
    with pytest.raises(UsageError, match="takes 2 subwords at once, which leaves no room for the text"):
        WindowedModel(short.classify.tokenizer, Positions(), ("O",), 2)(["oli"])
