"""Fine-tuned encoders: pieces, windows, training, folders; on a tiny BERT and a tiny RoBERTa."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.training.corpora import Title, claims_of, examples, spans_of, titles, valid

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tests.training.encoders import LIMIT  # noqa: E402  the packages above are optional

from karatage.errors import InputError, UsageError  # noqa: E402
from karatage.taggers.hf_models import subword_limit  # noqa: E402
from karatage.training.fit_context import Checkpointing, EpochResult, FitContext, FitResult  # noqa: E402
from karatage.training.models import get_model  # noqa: E402
from karatage.training.network.subword_encoder import SubwordCorpus, SubwordTokenizer, open_encoder  # noqa: E402
from karatage.training.network.transformer_labeller import TransformerLabeller  # noqa: E402
from karatage.training.settings import settings_from  # noqa: E402
from karatage.training.trained_tagger import TrainedTagger  # noqa: E402

MADE = titles(20)
GIVEN, TAGS = examples(20)
NEW = titles(10, seed=6)
TOKENS, GROUPS = [list(title.tokens) for title in NEW], [title.category for title in NEW]
TINY: dict[str, Any] = {
    "epochs": 2,
    "batch": 8,
    "category_dim": 2,
    "learning_rate": 0.01,
    "head_rate": 0.05,
    "device": "cpu",
}


def fit(encoder: str, model: str = "transformer-crf", context: FitContext | None = None, **settings: Any) -> FitResult:
    kind = get_model(model)
    given = settings_from(kind.settings, {**TINY, "encoder": encoder, **settings}, "here")
    return kind.labeller.fit(GIVEN, TAGS, given, context or FitContext())


def same(left: FitResult, right: FitResult) -> bool:
    a, b = (one.labeller.network.state_dict() for one in (left, right))  # type: ignore[attr-defined]
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


@pytest.fixture(params=["bert", "roberta"])
def encoder(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(request.param)
    return found


def pieces_of(place: str) -> SubwordTokenizer:
    encoder, tokenizer = open_encoder(place)
    return SubwordTokenizer(tokenizer, subword_limit(tokenizer, encoder))


def test_short_titles_are_cut_as_the_tokenizer_cuts_them(encoder: str) -> None:
    """One window for each; a word's first piece is where the tokenizer says that the word begins."""
    pieces = pieces_of(encoder)
    short = [own[:3] for own in TOKENS]
    windows = pieces.windows([*short, []])
    assert [(own.unit, own.first) for own in windows] == [(unit, 0) for unit in range(len(short))]
    for own, words in zip(windows, short, strict=True):
        theirs = pieces.hf_tokenizer([words], is_split_into_words=True)
        assert own.subwords == theirs["input_ids"][0]
        assert own.firsts == [theirs.word_ids(0).index(at) for at in range(len(words))]
    assert any(len(own.subwords) > len(own.firsts) + 2 for own in windows)  # some words are several pieces


def test_a_tokenizer_over_bytes_marks_the_blank_before_each_word(roberta: str) -> None:
    """As in the texts that the encoder learned from: `BMW` there is the piece of the word with its blank."""
    pieces = pieces_of(roberta)
    window = pieces.windows([["BMW", "SKF", "Zahn"]])[0]
    assert pieces.hf_tokenizer.convert_ids_to_tokens(window.subwords) == ["<s>", "ĠBMW", "ĠSKF", "ĠZahn", "</s>"]


def test_words_without_pieces_and_words_with_too_many(bert: str) -> None:
    pieces = pieces_of(bert)
    unknown = pieces.hf_tokenizer.unk_token_id
    window = pieces.windows([["SKF", "", "\u200b", "日本"]])[0]
    assert len(window.firsts) == 4
    assert [window.subwords[at] for at in window.firsts[1:]] == [unknown] * 3
    long = pieces.windows([["SKF", "Zah" + "-" * 500, "BMW"]])
    assert len(long) == 1
    assert long[0].firsts[2] == long[0].firsts[1] + (LIMIT - 2) // 2
    assert len(long[0].subwords) <= LIMIT


@pytest.mark.parametrize("size", [1, 11, 12, 23, 60, 500])
def test_windows_cover_a_long_title(encoder: str, size: int) -> None:
    """Each word is in one window at least, no window is too long, and neighbours share a quarter of their words."""
    pieces = pieces_of(encoder)
    dice = np.random.default_rng(size)
    words = dice.choice(sorted({word for own in TOKENS for word in own}), size).tolist()
    windows = pieces.windows([["x"], words])[1:]
    assert all(own.unit == 1 for own in windows)
    assert all(len(own.subwords) <= LIMIT for own in windows)
    reach = 0
    for own in windows:
        assert own.first <= reach
        reach = own.first + len(own.firsts)
    for left, right in pairwise(windows):
        assert 0 <= left.first + len(left.firsts) - right.first <= len(left.firsts) / 4
    assert reach == size
    assert windows[0].first == 0


def test_an_encoder_that_takes_too_few_pieces(bert: str) -> None:
    _, tokenizer = open_encoder(bert)
    with pytest.raises(UsageError, match="the encoder takes only 9 subwords at once, which is too few"):
        SubwordTokenizer(tokenizer, 9)


def test_a_batch_by_hand(bert: str) -> None:
    pieces = pieces_of(bert)
    windows = pieces.windows([["SKF", "für"], ["Zahnriemen"]])
    corpus = SubwordCorpus(
        windows, np.array([2, 1]), [np.array([3, 0]), np.array([1])], pieces.padding, torch.device("cpu")
    )
    batch = corpus.batch([1, 0, 2, 2])  # 2 stands for none
    known = pieces.hf_tokenizer.convert_tokens_to_ids
    cls, sep, pad = known("[CLS]"), known("[SEP]"), known("[PAD]")
    zah, rest, skf, fur = known("Zah"), known("##nriemen"), known("SKF"), known("für")
    assert batch.subwords.tolist() == [[cls, zah, rest, sep], [cls, skf, fur, sep]]
    assert pad == 0
    assert batch.mask.tolist() == [[1, 1, 1, 1], [1, 1, 1, 1]]
    assert batch.firsts.tolist() == [[1, 0], [1, 2]]
    assert batch.sizes.tolist() == [1, 2]
    assert batch.tags.tolist() == [[1, 0], [3, 0]]
    assert batch.groups.tolist() == [1, 2]
    assert batch.inside.int().tolist() == [[1, 0], [1, 1]]


@pytest.mark.parametrize("model", ["transformer", "transformer-crf"])
def test_scores_by_hand(encoder: str, model: str) -> None:
    """The encoder over the tokenizer's own pieces, a word's first piece, the category beside it, a linear layer."""
    made: Any = (
        fit(encoder, model, epochs=1, restrict=False) if model.endswith("crf") else fit(encoder, model, epochs=1)
    )
    labeller: TransformerLabeller = made.labeller
    words, group = TOKENS[0][:4], GROUPS[0]
    theirs = labeller.tokenizer.hf_tokenizer([words], is_split_into_words=True, return_tensors="pt")
    network = labeller.network.eval()
    with torch.no_grad():
        hidden = network.encoder(**theirs).last_hidden_state[0]
        firsts = [theirs.word_ids(0).index(at) for at in range(len(words))]
        assert network.category is not None
        own = network.category.weight[labeller.groups.index(group) + 1].expand(len(words), -1)
        expected = network.out(torch.cat([hidden[firsts], own], -1))
    sizes = np.array([300, len(words)])
    found = labeller._emissions([["SKF"] * 300, words], ["1", group], sizes)
    torch.testing.assert_close(found[300:], expected, atol=1e-5, rtol=0)


def test_a_long_title_has_the_scores_of_the_window_that_a_word_lies_deepest_in(bert: str) -> None:
    labeller: Any = fit(bert, restrict=False).labeller
    dice = np.random.default_rng(2)
    words = dice.choice(sorted({word for own in TOKENS for word in own}), 50).tolist()
    found = labeller._emissions([words], ["1"], np.array([50]))
    windows = labeller.tokenizer.windows([words])
    assert len(windows) > 4
    for at in range(50):
        holding = [own for own in windows if own.first <= at < own.first + len(own.firsts)]

        def depth(own: Any, at: int = at) -> int:
            left = at - own.first if own.first else 50
            right = own.first + len(own.firsts) - 1 - at if own.first + len(own.firsts) < 50 else 50
            return min(left, right)

        deepest = max(map(depth, holding))
        options = []
        for own in holding:
            if depth(own) == deepest:
                part = words[own.first : own.first + len(own.firsts)]
                alone = labeller._emissions([part], ["1"], np.array([len(part)]))
                options.append(alone[at - own.first])
        assert any(torch.allclose(found[at], option, atol=1e-5) for option in options)


def test_a_title_is_tagged_alike_in_any_company(encoder: str) -> None:
    labeller = fit(encoder).labeller
    whole = np.split(labeller.marginals(TOKENS, GROUPS), np.cumsum([len(own) for own in TOKENS])[:-1])
    np.testing.assert_allclose(np.concatenate(whole).sum(1), 1, atol=1e-4)
    for unit, own in enumerate(TOKENS):
        np.testing.assert_allclose(
            labeller.marginals([own, [], ["x"] * 40], [GROUPS[unit], "1", "2"])[: len(own)], whole[unit], atol=1e-5
        )


@pytest.mark.parametrize("model", ["transformer", "transformer-crf"])
def test_what_is_saved_and_loaded_labels_alike(encoder: str, model: str, folder: Path, tmp_path: Path) -> None:
    """Also where the encoder's own folder is gone; and no random number of the caller is drawn."""
    own = tmp_path / "encoder"
    shutil.copytree(encoder, own)
    settings = {**TINY, "encoder": str(own)}
    if model == "transformer":
        settings |= {"class_weights": "balanced", "focal": 1.0}
    made = TrainedTagger.fit(claims_of(MADE), model, settings)[0]
    made.save(folder)
    shutil.rmtree(own)
    before = torch.get_rng_state()
    again = TrainedTagger.load(folder)
    assert torch.equal(torch.get_rng_state(), before)
    assert again.card == made.card
    for groups in (GROUPS, None, ["?"] * len(TOKENS)):
        assert made.labeller.label(TOKENS, groups).tolist() == again.labeller.label(TOKENS, groups).tolist()
        np.testing.assert_array_equal(made.labeller.marginals(TOKENS, groups), again.labeller.marginals(TOKENS, groups))
    texts = [" ".join(words) for words in TOKENS]
    assert len(again.tag(texts, {"category": GROUPS}).units) == len(texts)


def test_a_crf_gives_valid_tags_that_its_category_has(bert: str) -> None:
    labeller = fit(bert, epochs=1, head_rate=0.5).labeller
    dice = np.random.default_rng(0)
    words = sorted({word for own in TOKENS for word in own})
    noise = [dice.choice(words, 7).tolist() for _ in range(60)]
    for group in ("1", "2"):
        codes = labeller.label(noise, [group] * 60)
        assert valid(codes.tolist(), [7] * 60)
        assert set(codes.tolist()) <= set(np.flatnonzero(TAGS.permitted(group)).tolist())


def test_the_same_seed_gives_the_same_weights(encoder: str) -> None:
    """Also those that the encoder's folder lacks; the caller's random numbers are left alone."""
    torch.manual_seed(1)
    before = torch.get_rng_state()
    first = fit(encoder)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    assert same(fit(encoder), first)
    assert not same(fit(encoder, seed=1), first)


class Stop(Exception):  # noqa: N818  it is no error
    """What a test kills a training with."""


class Killer:
    """Ends a training at the first step of an epoch."""

    def __init__(self, epoch: int) -> None:
        self.number = epoch

    def resumed(self, epoch: int, _: float) -> None:
        assert epoch == self.number - 1

    def step(self, epoch: int, epochs: int, step: int, steps: int) -> None:  # noqa: ARG002
        if epoch == self.number:
            raise Stop

    def epoch(self, found: EpochResult, epochs: int) -> None: ...


def test_a_training_that_was_killed_goes_on(bert: str, tmp_path: Path) -> None:
    whole = fit(bert, epochs=4)
    for epoch in (2, 4):
        place = tmp_path / f"{epoch}"
        with pytest.raises(Stop):
            fit(bert, epochs=4, context=FitContext(checkpointing=Checkpointing(place, 0.0), progress=Killer(epoch)))
        again = fit(bert, epochs=4, context=FitContext(checkpointing=Checkpointing(place, 0.0)))
        assert same(again, whole)
        assert [one.loss for one in again.history] == [one.loss for one in whole.history]


def test_it_learns(encoder: str) -> None:
    found = fit(encoder, epochs=25, learning_rate=0.003, dropout=0.0)
    assert found.history[-1].loss < 0.1 * found.history[0].loss
    right = found.labeller.label(GIVEN.tokens, GIVEN.groups) == GIVEN.codes
    assert right.mean() > 0.95


def test_encoder_and_head_have_their_own_rates(bert: str) -> None:
    """With no rate for the encoder, only what is on top of it changes."""
    encoder, _ = open_encoder(bert)
    still: Any = fit(bert, learning_rate=0.0, weight_decay=0.0).labeller
    known = encoder.state_dict()
    trained = still.network.encoder.state_dict()
    assert all(torch.equal(known[name], trained[name]) for name in known if not name.startswith("pooler"))
    moved: Any = fit(bert, weight_decay=0.0).labeller
    assert not torch.equal(
        moved.network.encoder.state_dict()["embeddings.word_embeddings.weight"],
        known["embeddings.word_embeddings.weight"],
    )


@pytest.mark.parametrize("model", ["transformer", "transformer-crf"])
def test_a_title_of_ten_thousand_tokens(bert: str, model: str) -> None:
    long = Title("1", ("für", "BMW") * 5000, tuple((at, at + 1, "make") for at in range(1, 10_000, 2)))
    tagger = TrainedTagger.fit(
        claims_of([*MADE[:5], long]), model, {**TINY, "encoder": bert, "epochs": 1, "batch": 64}
    )[0]
    found = tagger.tag([list(long.tokens), ["SKF"]], {"category": ["1", "1"]})
    assert len(found.units) == 2
    codes = tagger.labeller.label([list(long.tokens)], ["1"])
    assert len(codes) == 10_000
    # In one epoch over its hundreds of windows the model has learned the one thing that there is.
    assert (codes[1::2] == 1 + 2 * tagger.labeller.tags.labels.index("make")).mean() > 0.9
    assert (codes[::2] == 0).mean() > 0.9


def test_an_entity_that_runs_over_windows_begins_in_each(bert: str) -> None:
    long = Title("1", ("Zahnriemen",) * 40, ((0, 40, "kind"),))
    claims = claims_of([long, *MADE[:3]])
    from karatage.training.examples import examples_of, tagset_of

    tags = tagset_of(claims, "category")
    given = examples_of(claims, tags, "category")
    kind = get_model("transformer-crf")
    settings = settings_from(kind.settings, {**TINY, "encoder": bert, "epochs": 1}, "here")
    labeller: Any = kind.labeller.fit(given, tags, settings, FitContext()).labeller
    corpus = labeller._corpus(given)
    begin = 1 + 2 * tags.labels.index("kind")
    own = [tags_ for tags_, window in zip(corpus.tags, corpus.windows, strict=True) if window.unit == 0]
    assert len(own) > 2
    assert all(codes.tolist() == [begin] + [begin + 1] * (len(codes) - 1) for codes in own)


def test_titles_without_tokens(bert: str) -> None:
    empty = Title("1", (), ())
    tagger = TrainedTagger.fit(claims_of([empty, *MADE[:3], empty]), "transformer-crf", {**TINY, "encoder": bert})[0]
    assert len(tagger.tag([[], []], {"category": ["1", "2"]})) == 0
    assert len(tagger.tag([])) == 0
    assert spans_of(tagger.tag([[], ["SKF"]], {"category": ["1", "1"]})) == [
        (1, a, b, label) for _, a, b, label in spans_of(tagger.tag([["SKF"]], {"category": ["1"]}))
    ]


def test_encoders_that_are_none(bert: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="none: not a Hugging Face encoder: it has no config.json"):
        fit(str(tmp_path / "none"))
    for name, data in (("config.json", b"{"), ("model.safetensors", b"x"), ("tokenizer.json", b"{}")):
        place = tmp_path / name
        shutil.copytree(bert, place)
        (place / name).write_bytes(data)
        with pytest.raises(UsageError, match="not a Hugging Face encoder"):
            fit(str(place))


def test_weights_that_run_code_are_not_opened(bert: str, tmp_path: Path) -> None:
    """Old models have their weights as a pickle: it is read without running what it says."""
    import os

    class Bomb:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "exploded"),)

    place = tmp_path / "encoder"
    shutil.copytree(bert, place)
    (place / "model.safetensors").unlink()
    torch.save({"x": Bomb()}, place / "pytorch_model.bin")
    with pytest.raises(UsageError, match="not a Hugging Face encoder"):
        fit(str(place))
    assert not (tmp_path / "exploded").exists()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("encoder/config.json", b"{"),
        ("encoder/config.json", b'{"model_type": "nothing"}'),
        ("encoder/tokenizer.json", b"{}"),
        ("groups.json", b"5"),
        ("weights.safetensors", b"x"),
    ],
)
def test_a_damaged_folder(bert: str, folder: Path, name: str, data: bytes) -> None:
    from karatage.training.model_folder import read_card, write_card

    TrainedTagger.fit(claims_of(MADE[:4]), "transformer", {**TINY, "encoder": bert, "epochs": 1})[0].save(folder)
    card = read_card(folder)
    (folder / name).write_bytes(data)
    with pytest.raises(InputError, match="is damaged or was changed after the model was saved"):
        TrainedTagger.load(folder)
    write_card(folder, card)
    with pytest.raises(InputError, match="is damaged|cannot load the encoder"):
        TrainedTagger.load(folder)


def test_other_weights_than_the_settings_say(bert: str, folder: Path) -> None:
    from dataclasses import replace

    from karatage.training.model_folder import read_card, write_card

    TrainedTagger.fit(claims_of(MADE[:4]), "transformer", {**TINY, "encoder": bert, "epochs": 1})[0].save(folder)
    card = read_card(folder)
    write_card(folder, replace(card, settings={**card.settings, "category_dim": 5}))
    with pytest.raises(InputError, match="cannot load the encoder"):
        TrainedTagger.load(folder)


def test_code_in_a_folder_is_not_run(bert: str, folder: Path, tmp_path: Path) -> None:
    """A configuration may name code that lies beside it."""
    from karatage.training.model_folder import read_card, write_card

    TrainedTagger.fit(claims_of(MADE[:4]), "transformer", {**TINY, "encoder": bert, "epochs": 1})[0].save(folder)
    card = read_card(folder)
    config = json.loads((folder / "encoder" / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "code.Own", "AutoModel": "code.Own"}}
    (folder / "encoder" / "config.json").write_text(json.dumps(config))
    (folder / "encoder" / "code.py").write_text(
        f"import os\nos.mkdir({str(tmp_path / 'exploded')!r})\nclass Own: pass\n"
    )
    write_card(folder, card)
    with pytest.raises(InputError, match="cannot load the encoder"):
        TrainedTagger.load(folder)
    assert not (tmp_path / "exploded").exists()
