"""The LSTM network: embeddings, a bidirectional LSTM, and a softmax or CRF head."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from karatage.training.network.bilstm import Bilstm
from karatage.training.network.heads import TagHead
from karatage.training.network.lexicon import AFFIXES, PADDING, UNKNOWN, Lexicon
from karatage.training.network.network_settings import BilstmSettings
from karatage.training.network.token_corpus import TokenBatch, TokenCorpus

_FORMS = 16_384
"""How many words are spelled at once."""


class LstmNetwork(nn.Module):
    """Embeddings of words, characters, affixes and the category; a bidirectional LSTM; a linear layer."""

    def __init__(
        self, settings: BilstmSettings, lexicon: Lexicon, head: TagHead, vectors: Tensor | None = None
    ) -> None:
        super().__init__()
        self.word_dropout = settings.word_dropout
        dim = settings.word_dim if vectors is None else vectors.shape[1]
        self.words = nn.Embedding(len(lexicon.words) + 2, dim, padding_idx=PADDING)
        size = dim
        self.category: nn.Embedding | None = None
        if settings.category_dim and lexicon.groups:
            self.category = nn.Embedding(len(lexicon.groups) + 1, settings.category_dim)
            size += settings.category_dim
        self.chars = _characters(settings, lexicon)
        size += settings.char_hidden if self.chars is not None else 0
        self.affixes: nn.Embedding | None = None
        if lexicon.affixes:
            self.affixes = nn.Embedding(len(lexicon.affixes) + 2, settings.affixes)
            size += AFFIXES * settings.affixes
        self.dropout = nn.Dropout(settings.dropout)
        self.lstm = Bilstm(size, settings.hidden, settings.layers, settings.dropout)
        self.out = nn.Linear(settings.hidden, len(head.tags))
        self.head = head
        if vectors is not None:
            self.words.weight.data[2:] = vectors
            self.words.weight.requires_grad_(settings.tune_vectors)

    def spellings(self, corpus: TokenCorpus) -> Tensor | None:
        """Return what the characters and affixes of each distinct word say; None if neither are read.

        Taggers read each word once, instead of once per batch.
        """
        parts = []
        if self.chars is not None and corpus.chars is not None:
            parts.append(torch.cat([self.chars(part) for part in torch.split(corpus.chars, _FORMS)]))
        if self.affixes is not None and corpus.affixes is not None:
            parts.append(self.affixes(corpus.affixes).flatten(1))
        return torch.cat(parts, -1) if parts else None

    def emissions(self, batch: TokenBatch, corpus: TokenCorpus, spellings: Tensor | None = None) -> Tensor:
        """Return the score of each tag at each token.

        Args:
            spellings: the spellings of the corpus. Default: read here.
        """
        words = batch.words
        if self.training and self.word_dropout:
            lost = torch.rand(words.shape, device=words.device) < self.word_dropout
            words = torch.where(lost & (words != PADDING), UNKNOWN, words)
        parts = [self.words(words)]
        if self.category is not None:
            parts.append(self.category(batch.groups).unsqueeze(1).expand(-1, words.shape[1], -1))
        if spellings is not None:
            parts.append(spellings[batch.forms])
        else:
            parts += self._spelled(batch, corpus)
        found = self.lstm(self.dropout(torch.cat(parts, -1)), batch.sizes)
        return self.head.restricted(self.out(self.dropout(found)), batch.groups)

    def _spelled(self, batch: TokenBatch, corpus: TokenCorpus) -> Iterator[Tensor]:
        if self.chars is not None and corpus.chars is not None:
            yield _by_form(self.chars, corpus.chars, batch.forms)
        if self.affixes is not None and corpus.affixes is not None:
            yield self.affixes(corpus.affixes[batch.forms]).flatten(2)

    def loss(self, batch: TokenBatch, corpus: TokenCorpus) -> Tensor:
        """Return the loss of a batch."""
        return self.head.loss(self.emissions(batch, corpus), batch)


def _characters(settings: BilstmSettings, lexicon: Lexicon) -> nn.Module | None:
    kinds = {"none": None, "cnn": CharacterCnn, "lstm": CharacterLstm}
    kind = kinds[settings.chars]
    return None if kind is None else kind(len(lexicon.characters) + 2, settings.char_dim, settings.char_hidden)


def _by_form(reader: nn.Module, table: Tensor, forms: Tensor) -> Tensor:
    """Read the characters of each word: on a CPU of each distinct word once, on a GPU of all (fixed shapes)."""
    if forms.is_cuda:
        found: Tensor = reader(table[forms.flatten()])
        return found.view(*forms.shape, -1)
    used, positions = torch.unique(forms, return_inverse=True)
    out: Tensor = reader(table[used])[positions]
    return out


class CharacterCnn(nn.Module):
    """Convolutions of width 3 over the characters of a word, with max pooling."""

    def __init__(self, count: int, dim: int, size: int) -> None:
        super().__init__()
        self.letters = nn.Embedding(count, dim, padding_idx=PADDING)
        self.window = nn.Conv1d(dim, size, 3, padding=1)

    def forward(self, chars: Tensor) -> Tensor:
        """Return a vector for each row of characters."""
        found: Tensor = self.window(self.letters(chars).transpose(1, 2))
        padding = (chars == PADDING).unsqueeze(1)
        return found.masked_fill(padding, 0.0).relu().amax(2)


class CharacterLstm(nn.Module):
    """A bidirectional LSTM over the characters of a word: the last output of each direction."""

    def __init__(self, count: int, dim: int, size: int) -> None:
        super().__init__()
        self.letters = nn.Embedding(count, dim, padding_idx=PADDING)
        self.lstm = Bilstm(dim, size - size % 2, 1, 0.0)
        self.spread = nn.Linear(size - size % 2, size)

    def forward(self, chars: Tensor) -> Tensor:
        """Return a vector for each row of characters."""
        sizes = (chars != PADDING).sum(1)
        found = self.lstm(self.letters(chars), sizes)
        half = found.shape[2] // 2
        last = (sizes - 1).clamp(min=0).view(-1, 1, 1).expand(-1, 1, half)
        ends = torch.cat([found[:, :, :half].gather(1, last).squeeze(1), found[:, 0, half:]], -1)
        out: Tensor = self.spread(ends)
        return out
