"""Hugging Face models: spans of pieces and of whole words, worked out by hand and beside transformers' own pipeline."""

from __future__ import annotations

import json
import random
import socket
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tests.taggers.models import LABELS, PIECES, save, save_bert, save_roberta  # noqa: E402
from tests.taggers.plain import found, spans  # noqa: E402

from karatage.errors import UsageError  # noqa: E402  the packages above are optional
from karatage.taggers import open_tagger, tag_both  # noqa: E402


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    return save_bert(tmp_path_factory.mktemp("bert"))


@pytest.mark.parametrize(
    ("text", "pieces", "words"),
    [
        # tar B-LOC, ##tu O: half a word; the word takes the label of its first piece
        ("Tartu oli", [("Tar", "LOC")], [("Tartu", "LOC")]),
        # val O, ##ga B-LOC
        ("oli Valga oli", [("ga", "LOC")], []),
        # an entity that ends with the text is closed
        ("oli New York", [("New York", "LOC")], [("New York", "LOC")]),
        ("New York", [("New York", "LOC")], [("New York", "LOC")]),
        # the full stop is a piece, and to blanks no word: mari B-PER, "." O
        ("oli Mari.", [("Mari", "PER")], [("Mari.", "PER")]),
        # the word's second piece starts the span: to whole words it never started, so only the next I does
        ("Valga york", [("ga york", "LOC")], [("york", "LOC")]),
        # two spans side by side, and a change of label without a B
        ("mari mari new meri", [("mari", "PER"), ("mari", "PER"), ("new", "LOC"), ("meri", "PER")], None),
        ("Marie Meri", [("Marie Meri", "PER")], None),
        # offsets count characters: an emoji of five, a combining ring, a capital that is two when small
        ("👩‍👩‍👧 a\u030a New York", [("New York", "LOC")], None),
        ("İ Ma\u0301ri oli", [("Ma\u0301ri", "PER")], None),
        # what the tokenizer adds is not in the text, but may be written in it
        ("[CLS] Mari [SEP] oli [PAD]", [("Mari", "PER")], None),
        ("", [], []),
        (" \n", [], []),
    ],
)
def test_by_hand(bert: str, text: str, pieces: list[Any], words: list[Any] | None) -> None:
    raw, whole = tag_both(open_tagger(f"hf:{bert}"), ["oli", text, "Mari oli"], "spaces")
    assert found(raw) == [[], pieces, [("Mari", "PER")]]
    assert found(whole) == [[], pieces if words is None else words, [("Mari", "PER")]]


def test_words_from_the_start(bert: str) -> None:
    tagger = open_tagger(f"hf:{bert}", words="spaces", label_map={"PER": "", "LOC": "GPE"})
    assert tagger.name == f"hf:{bert} (words: spaces, LOC=GPE, PER=O)"
    assert tagger.labels == frozenset({"GPE"})
    assert found(tagger.tag(["Tartu oli", "Mari"])) == [[("Tartu", "GPE")], []]
    with pytest.raises(UsageError, match="unknown label of the tagger 'LCO'. Did you mean 'LOC'"):
        open_tagger(f"hf:{bert}", label_map={"LCO": "GPE"})


def test_a_piece_across_words(bert: str) -> None:
    """A piece that reaches into a second word labels both, and they are one span."""
    tagger = open_tagger(f"hf:{bert}", words=lambda _: [(0, 2), (2, 4)])
    assert spans(tagger.tag(["Mari"])) == [[(0, 4, "PER")]]


def test_a_word_without_pieces_parts_nothing(bert: str) -> None:
    """BERT drops control characters, so the model never saw the word between."""
    assert found(open_tagger(f"hf:{bert}", words="spaces").tag(["New \u200b York"])) == [[("New \u200b York", "LOC")]]


def test_both_tokenisations_from_one_run(bert: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tagger: Any = open_tagger(f"hf:{bert}")
    runs = []
    forward = type(tagger.classify.model).forward

    def counted(*args: Any, **kwargs: Any) -> Any:
        runs.append(1)
        return forward(*args, **kwargs)

    monkeypatch.setattr(type(tagger.classify.model), "forward", counted)
    tag_both(tagger, ["Tartu", "oli"], "spaces")
    assert len(runs) == 1


@pytest.mark.parametrize("trim", [False, True])
def test_blanks_in_pieces(tmp_path: Path, trim: bool) -> None:
    """A piece carries the blank before it, which is no part of a span; an emoji is four pieces in one place."""
    pieces = {"Tar": "B-LOC", "tu": "O", "ĠNew": "B-LOC", "ĠYork": "I-LOC", "Ġ": "B-PER", "Mari": "I-PER", "ð": "B-PER"}
    tagger: Any = open_tagger("hf:" + save_roberta(tmp_path, pieces, trim=trim))
    assert tagger.classify.limit == 16  # 18 positions, of which those up to the padding's are not used
    texts = ["Tartu New York", "x  New York", "x Mari", "😀", "x" * 20 + " New York"]
    raw, whole = tag_both(tagger, texts, "spaces")
    york = ("New York", "LOC")
    # "Ġ", "ĠNew": a blank alone is no span. "Ġ", "M…": the blank is the first piece of the word behind it.
    assert found(raw) == [[("Tar", "LOC"), york], [york], [("Mari", "PER")], [("😀", "PER")], [york]]
    assert found(whole) == [[("Tartu", "LOC"), york], [york], [("Mari", "PER")], [("😀", "PER")], [york]]


def test_a_blank_is_the_first_piece_of_its_word(tmp_path: Path) -> None:
    """As sentencepiece has it: the label of the word is that of the blank before it."""
    tagger = open_tagger("hf:" + save_roberta(tmp_path, {"Ġ": "B-PER", "Mari": "O"}, trim=False))
    raw, whole = tag_both(tagger, ["x Mari"], "spaces")
    assert found(raw) == [[]]
    assert found(whole) == [[("Mari", "PER")]]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_pieces_like_the_pipeline(tmp_path: Path, seed: int) -> None:
    """Random weights and texts: the same spans as transformers' pipeline with the simple strategy."""
    folder = save_bert(tmp_path, layers=2, seed=seed)
    rng = random.Random(seed)
    words = [*(piece.removeprefix("##") for piece in PIECES), "Tartu", "Valga", "Marie", "xyz", "👩‍👩"]
    texts = [" ".join(rng.choices(words, k=rng.randint(1, 15))) for _ in range(150)]
    pipeline = transformers.pipeline("token-classification", folder, aggregation_strategy="simple", device="cpu")
    expected = [[(e["start"], e["end"], e["entity_group"]) for e in pipeline(text)] for text in texts]
    assert sum(map(len, expected)) > 50
    assert spans(open_tagger(f"hf:{folder}").tag(texts)) == expected


@pytest.mark.parametrize(
    "labels",
    [
        ("O", "B_LOC", "I_LOC", "B_PER", "I_PER"),
        ("O", "LOC-B", "LOC-I", "PER-B", "PER-I"),
        ("O", "S-LOC", "I-LOC", "S-PER", "E-PER"),
    ],
)
def test_other_ways_to_write_tags(tmp_path: Path, labels: tuple[str, ...]) -> None:
    tagger = open_tagger("hf:" + save_bert(tmp_path, labels=labels))
    assert tagger.labels == frozenset({"LOC", "PER"})
    assert found(tagger.tag(["Tartu oli Mari"])) == [[("Tar", "LOC"), ("Mari", "PER")]]


def test_plain_labels(tmp_path: Path) -> None:
    """Neighbours of one plain label are one span."""
    tagger = open_tagger("hf:" + save_bert(tmp_path, labels=("O", "LOC", "CITY", "PER", "NAME")))
    assert tagger.labels == frozenset({"LOC", "CITY", "PER", "NAME"})
    assert found(tagger.tag(["new new york mari oli"])) == [[("new new", "LOC"), ("york", "CITY"), ("mari", "PER")]]


def test_labels_without_names(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="labels have no names \\(LABEL_0, LABEL_1, LABEL_2 …\\). Set id2label"):
        open_tagger("hf:" + save_bert(tmp_path, labels=[f"LABEL_{i}" for i in range(5)]))


def test_nothing_reaches_for_the_network(bert: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert found(open_tagger(f"hf:{bert}").tag(["Mari"])) == [[("Mari", "PER")]]


def test_loading_is_quiet(bert: str, capfd: pytest.CaptureFixture[str]) -> None:
    open_tagger(f"hf:{bert}").tag(["oli " * 200])
    assert capfd.readouterr() == ("", "")


def test_older_weights(tmp_path: Path) -> None:
    """Weights without safetensors are loaded as weights only: code in them is refused."""
    import torch

    folder = save_bert(tmp_path)
    model = transformers.AutoModelForTokenClassification.from_pretrained(folder)
    (tmp_path / "model.safetensors").unlink()
    torch.save(model.state_dict(), tmp_path / "pytorch_model.bin")
    assert found(open_tagger(f"hf:{folder}").tag(["Mari"])) == [[("Mari", "PER")]]
    torch.save({"bert.x": print}, tmp_path / "pytorch_model.bin")
    with pytest.raises(UsageError, match="not a Hugging Face model for token classification"):
        open_tagger(f"hf:{folder}")


def test_version_is_that_of_the_files(bert: str, tmp_path: Path) -> None:
    first: Any = open_tagger(f"hf:{bert}")
    again: Any = open_tagger(f"hf:{save_bert(tmp_path / 'same')}")
    other: Any = open_tagger(f"hf:{save_bert(tmp_path / 'other', seed=1)}")
    assert first.version == again.version != other.version


@pytest.fixture
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the Hub, and no network."""
    import huggingface_hub.constants

    def refuse(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return tmp_path / "hub"


def cached(cache: Path, owner: str, model: str, revision: str = "abc123") -> Path:
    """Return the folder of a model in a cache of the Hub; its main revision is this one."""
    base = cache / f"models--{owner}--{model}"
    (base / "refs").mkdir(parents=True, exist_ok=True)
    (base / "refs" / "main").write_text(revision)
    return base / "snapshots" / revision


def test_a_model_of_the_hub(hub_cache: Path) -> None:
    """By its name, from the cache alone; a revision can be named too."""
    save_bert(cached(hub_cache, "tartuNLP", "EstBERT_NER"))
    tagger = open_tagger("hf:tartuNLP/EstBERT_NER", words="spaces")
    assert tagger.name == "hf:tartuNLP/EstBERT_NER (words: spaces)"
    assert found(tagger.tag(["Tartu oli"])) == [[("Tartu", "LOC")]]
    assert found(open_tagger("hf:tartuNLP/EstBERT_NER@main").tag(["Tartu oli"])) == [[("Tar", "LOC")]]
    with pytest.raises(UsageError, match="run: hf download tartuNLP/EstBERT_NER --revision v9$"):
        open_tagger("hf:tartuNLP/EstBERT_NER@v9")


def test_a_model_that_is_not_in_the_cache(hub_cache: Path) -> None:
    problem = (
        "neither a folder nor a model in the local cache of the Hugging Face Hub. To download it, run: hf download"
    )
    with pytest.raises(UsageError, match=f"^tartuNLP/EstBERT_NER_v2: {problem} tartuNLP/EstBERT_NER_v2$"):
        open_tagger("hf:tartuNLP/EstBERT_NER_v2")
    folder = cached(hub_cache, "tartuNLP", "EstBERT_NER_v2")
    save_bert(folder)
    (folder / "model.safetensors").unlink()
    with pytest.raises(
        UsageError, match="its weights are not in the local cache .* hf download tartuNLP/EstBERT_NER_v2$"
    ):
        open_tagger("hf:tartuNLP/EstBERT_NER_v2")


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder. hf: takes a folder, or OWNER/MODEL"):
        open_tagger(f"hf:{tmp_path}/nothing")
    with pytest.raises(UsageError, match="not a Hugging Face model for token classification \\(") as error:
        open_tagger(f"hf:{tmp_path}")
    assert "\n" not in str(error.value)


def test_another_kind_of_model(tmp_path: Path) -> None:
    folder = save_bert(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"architectures": ["BertForMaskedLM"]}))
    with pytest.raises(UsageError, match="config.json says BertForMaskedLM"):
        open_tagger(f"hf:{folder}")
    (tmp_path / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 1, "architectures": None}))
    with pytest.raises(UsageError, match="missing weights: bert.encoder.layer.0"):
        open_tagger(f"hf:{folder}")
    (tmp_path / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(UsageError, match="not a Hugging Face model for token classification \\(Safetensor"):
        open_tagger(f"hf:{folder}")


@pytest.mark.slow
def test_tokenizer_without_places(tmp_path: Path) -> None:
    config = transformers.CanineConfig(
        hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8, id2label=dict(enumerate(LABELS))
    )
    folder = save(tmp_path, transformers.CanineForTokenClassification(config), transformers.CanineTokenizer())
    with pytest.raises(UsageError, match="CanineTokenizer\\) does not report offsets"):
        open_tagger(f"hf:{folder}")
