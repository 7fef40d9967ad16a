"""The networks over words, against PyTorch's own LSTM and against the plain network of exp-001."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.training.corpora import TINY, TINY_CRF, examples

torch = pytest.importorskip("torch")

from benchmarks.plain_loop import Network  # noqa: E402  PyTorch is optional
from torch import nn  # noqa: E402
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence  # noqa: E402

from karatage.training.network.bilstm import Bilstm  # noqa: E402
from karatage.training.network.heads import CrfHead, SoftmaxHead  # noqa: E402
from karatage.training.network.lexicon import Lexicon, distinct  # noqa: E402
from karatage.training.network.lstm_network import CharacterCnn, CharacterLstm, LstmNetwork  # noqa: E402
from karatage.training.network.network_settings import BilstmCrfSettings, BilstmSettings  # noqa: E402
from karatage.training.network.token_corpus import TokenCorpus  # noqa: E402
from karatage.training.settings import read_settings, settings_from  # noqa: E402

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def _seeded() -> Any:
    with torch.random.fork_rng([]):
        torch.manual_seed(11)
        yield


def copy_lstm(own: Bilstm, theirs: nn.LSTM) -> None:
    """Give PyTorch's LSTM the weights of ours."""
    with torch.no_grad():
        for layer, (ahead, behind) in enumerate(zip(own.forwards, own.backwards, strict=True)):
            for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                getattr(theirs, f"{kind}_l{layer}").copy_(getattr(ahead, f"{kind}_l0"))
                getattr(theirs, f"{kind}_l{layer}_reverse").copy_(getattr(behind, f"{kind}_l0"))


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_like_pytorchs_lstm_over_packed_units(layers: int) -> None:
    own = Bilstm(5, 6, layers, 0.0)
    theirs = nn.LSTM(5, 3, layers, batch_first=True, bidirectional=True)
    copy_lstm(own, theirs)
    sizes = torch.tensor([4, 1, 7, 3])
    inputs = torch.randn(4, 7, 5)
    packed = pack_padded_sequence(inputs, sizes, batch_first=True, enforce_sorted=False)
    expected, _ = pad_packed_sequence(theirs(packed)[0], batch_first=True)
    found = own(inputs, sizes)
    for unit, size in enumerate(sizes.tolist()):
        torch.testing.assert_close(found[unit, :size], expected[unit, :size], atol=1e-6, rtol=0)


def test_a_unit_does_not_depend_on_its_neighbours() -> None:
    """Nor on how wide its batch is, nor on what stands in the padding."""
    network = Bilstm(5, 6, 2, 0.0)
    sizes = torch.tensor([2, 5, 0, 3])
    inputs = torch.randn(4, 5, 5)
    found = network(inputs, sizes)
    for unit in (0, 1, 3):
        size = int(sizes[unit])
        wide = torch.full((1, 9, 5), 1e3)
        wide[0, :size] = inputs[unit, :size]
        alone = network(wide, sizes[unit : unit + 1])
        torch.testing.assert_close(found[unit, :size], alone[0, :size], atol=1e-6, rtol=0)
    assert torch.isfinite(found).all()


def corpus_of(tokens: list[list[str]], groups: list[str], lexicon: Lexicon) -> TokenCorpus:
    forms, words = distinct(tokens)
    sizes = np.array([len(own) for own in tokens], np.int64)
    numbers = lexicon.group_numbers(groups, len(tokens))
    return TokenCorpus.make(
        forms=forms, tables=lexicon.tables(words), groups=numbers, sizes=sizes, tags=None, device=CPU
    )


def test_the_network_of_exp_001() -> None:
    """Embeddings of V × 128 and C × 10, an LSTM 138 → 128 each way, a linear layer 256 → tags: nothing more."""
    made, tags = examples(30)
    given = read_settings("exp-001")
    assert given.pop("model") == "bilstm"
    settings = settings_from(BilstmSettings, given, "exp-001")
    lexicon = Lexicon.learn(made.tokens, made.groups, min_count=1, lowercase=False, chars=False, affixed=False)
    network = LstmNetwork(settings, lexicon, SoftmaxHead(tags)).eval()
    words, categories = len(lexicon.words) + 2, len(lexicon.groups) + 1
    assert (words, categories) == (len({t for own in made.tokens for t in own}) + 2, 3)
    plain = Network(words, len(tags), categories).eval()
    one_way = 4 * 128 * (138 + 128) + 2 * 4 * 128
    expected = words * 128 + categories * 10 + 2 * one_way + 256 * len(tags) + len(tags)
    assert sum(weights.numel() for weights in network.parameters()) == expected
    assert sorted(tuple(p.shape) for p in network.parameters()) == sorted(tuple(p.shape) for p in plain.parameters())

    with torch.no_grad():
        plain.words.weight.copy_(network.words.weight)
        assert network.category is not None
        plain.category.weight.copy_(network.category.weight)
        plain.out.weight.copy_(network.out.weight)
        plain.out.bias.copy_(network.out.bias)
    copy_lstm(network.lstm, plain.lstm)
    tokens = [list(own) for own in made.tokens[:7]]
    tokens[3][0] = "never-seen"
    corpus = corpus_of(tokens, list(made.groups or ())[:7], lexicon)
    sizes = torch.tensor([len(own) for own in tokens])
    batch = corpus.batch(torch.arange(7), int(sizes.max()))
    with torch.no_grad():
        found, wanted = network.emissions(batch, corpus), plain(batch.words, batch.groups, sizes)
    assert int(batch.words[3, 0]) == 1
    for unit, size in enumerate(sizes.tolist()):
        torch.testing.assert_close(found[unit, :size], wanted[unit, :size], atol=1e-5, rtol=0)


@pytest.mark.parametrize("chars", ["none", "cnn", "lstm"])
def test_a_title_has_the_same_scores_in_any_batch(chars: str) -> None:
    made, tags = examples(30)
    settings = BilstmCrfSettings(**{**TINY_CRF, "chars": chars})
    lexicon = Lexicon.learn(made.tokens, made.groups, min_count=1, lowercase=False, chars=chars != "none", affixed=True)
    network = LstmNetwork(settings, lexicon, CrfHead(tags, list(lexicon.groups))).eval()
    tokens, groups = [list(own) for own in made.tokens], list(made.groups or ())
    corpus = corpus_of(tokens, groups, lexicon)
    sizes = torch.tensor([len(own) for own in tokens])
    with torch.no_grad():
        whole = network.emissions(corpus.batch(torch.arange(len(tokens)), 12), corpus)
        for unit in (0, 7, 29):
            alone = corpus_of([tokens[unit]], [groups[unit]], lexicon)
            size = int(sizes[unit])
            found = network.emissions(alone.batch(torch.zeros(1, dtype=torch.long), size), alone)
            torch.testing.assert_close(found[0], whole[unit, :size], atol=1e-5, rtol=0)


@pytest.mark.parametrize("affixed", [True, False])
@pytest.mark.parametrize("chars", ["none", "cnn", "lstm"])
def test_words_that_are_spelled_once_have_the_same_scores(
    chars: str, affixed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All words of a corpus at once, in parts, or those of a batch."""
    monkeypatch.setattr("karatage.training.network.lstm_network._FORMS", 7)
    made, tags = examples(30)
    settings = BilstmCrfSettings(**{**TINY_CRF, "chars": chars})
    lexicon = Lexicon.learn(
        made.tokens, made.groups, min_count=1, lowercase=False, chars=chars != "none", affixed=affixed
    )
    network = LstmNetwork(settings, lexicon, CrfHead(tags, list(lexicon.groups))).eval()
    corpus = corpus_of([list(own) for own in made.tokens], list(made.groups or ()), lexicon)
    batch = corpus.batch(torch.arange(30), 12)
    with torch.no_grad():
        spellings = network.spellings(corpus)
        assert (spellings is None) == (chars == "none" and not affixed)
        torch.testing.assert_close(
            network.emissions(batch, corpus, spellings), network.emissions(batch, corpus), atol=1e-5, rtol=0
        )


@pytest.mark.parametrize("kind", [CharacterCnn, CharacterLstm])
def test_a_word_is_read_alike_whatever_pads_it(kind: type[Any]) -> None:
    """The row of a word has padding behind its characters; a longer table changes nothing, other characters do."""
    reader = kind(9, 3, 5).eval()
    short = torch.tensor([[2, 3, 4, 0, 0], [5, 0, 0, 0, 0], [0, 0, 0, 0, 0]])
    long = torch.nn.functional.pad(short, (0, 6))
    with torch.no_grad():
        found = reader(short)
        torch.testing.assert_close(found, reader(long), atol=1e-6, rtol=0)
        changed = reader(torch.tensor([[2, 3, 5, 0, 0]]))
    assert found.shape == (3, 5)
    assert torch.isfinite(found).all()
    assert not torch.allclose(found[0], changed[0])


def test_word_dropout_makes_words_unknown_in_training_only() -> None:
    made, tags = examples(10)
    settings = BilstmSettings(**{**TINY, "word_dropout": 0.95})
    lexicon = Lexicon.learn(made.tokens, made.groups, min_count=1, lowercase=False, chars=False, affixed=False)
    network = LstmNetwork(settings, lexicon, SoftmaxHead(tags))
    corpus = corpus_of([list(own) for own in made.tokens], list(made.groups or ()), lexicon)
    batch = corpus.batch(torch.arange(10), 12)
    seen: list[Any] = []
    network.words.register_forward_hook(lambda _module, given, _out: seen.append(given[0]))
    with torch.no_grad():
        network.train().emissions(batch, corpus)
        network.eval().emissions(batch, corpus)
    inside = batch.inside
    assert (seen[0][inside] == 1).float().mean() > 0.8
    assert not (seen[0][~inside]).any()
    assert torch.equal(seen[1], batch.words)


def test_vectors_are_the_first_weights_of_their_words() -> None:
    made, tags = examples(10)
    lexicon = Lexicon.learn(made.tokens, None, min_count=1, lowercase=False, chars=False, affixed=False)
    vectors = torch.randn(len(lexicon.words), 3)
    for tune in (True, False):
        network = LstmNetwork(BilstmSettings(**{**TINY, "tune_vectors": tune}), lexicon, SoftmaxHead(tags), vectors)
        assert torch.equal(network.words.weight[2:], vectors)
        assert network.words.weight.requires_grad is tune
    assert network.category is None
