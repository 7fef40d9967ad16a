"""An encoder of Hugging Face over words: pieces in windows, and what the encoder gives for each word's first piece."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from karatage.errors import UsageError
from karatage.taggers import import_optional, one_line, quiet
from karatage.training.network.heads import Head

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SHORTEST = 8


class PieceBatch(NamedTuple):
    """Windows of words beside each other, padded.

    Attributes:
        pieces: the numbers of the pieces.
        given: 1 where there is a piece.
        firsts: where each word's first piece is.
        groups: the number of each window's group.
        sizes: how many words each window has.
        tags: the gold tags of the words.
    """

    pieces: Tensor
    given: Tensor
    firsts: Tensor
    groups: Tensor
    sizes: Tensor
    tags: Tensor

    @property
    def inside(self) -> Tensor:
        """Whether each place holds a word."""
        return torch.arange(self.firsts.shape[1], device=self.firsts.device) < self.sizes.unsqueeze(1)


@dataclass(frozen=True)
class Window:
    """Some words of a unit that the encoder takes at once.

    Attributes:
        unit: the unit.
        first: the first of its words, counted in the unit.
        pieces: the numbers of its pieces, with those that the tokenizer adds.
        firsts: where the first piece of each of its words is.
    """

    unit: int
    first: int
    pieces: list[int]
    firsts: list[int]


class Pieces:
    """Cuts words into the pieces of a tokenizer, and units into windows that the encoder takes.

    Args:
        tokenizer: a fast tokenizer.
        limit: how many pieces the encoder takes at once, with those that the tokenizer adds.
    """

    def __init__(self, tokenizer: Any, limit: int) -> None:
        self.tokenizer, self.limit = tokenizer, limit
        inner = tokenizer.backend_tokenizer.pre_tokenizer
        if getattr(inner, "add_prefix_space", True) is False:
            # Of a tokenizer over bytes whose class does not pass on what `tokenizer_options` says.
            inner.add_prefix_space = True
        self.padding = int(tokenizer.pad_token_id or 0)
        alone = tokenizer([["x"]], is_split_into_words=True)
        ids, words = alone["input_ids"][0], alone.word_ids(0)
        inside = [at for at, word in enumerate(words) if word is not None]
        self._before, self._behind = ids[: inside[0]], ids[inside[-1] + 1 :]
        self._known: dict[str, list[int]] = {}
        if limit - len(self._before) - len(self._behind) < _SHORTEST:
            raise UsageError(f"the encoder takes {limit} pieces at once, which is too few to read words with")

    def windows(self, tokens: Sequence[Sequence[str]]) -> list[Window]:
        """Cut units into windows. Those of a long unit share a quarter of their words with the next."""
        self._learn(tokens)
        room = self.limit - len(self._before) - len(self._behind)
        out = []
        for unit, words in enumerate(tokens):
            # A word of more pieces than fit keeps its first ones: its tag is read off the very first.
            pieces = [self._known[word][: room // 2] for word in words]
            at = 0
            while at < len(words):
                end, used = at, 0
                while end < len(words) and used + len(pieces[end]) <= room:
                    used += len(pieces[end])
                    end += 1
                out.append(self._window(unit, at, pieces[at:end]))
                if end == len(words):
                    break
                at = max(end - (end - at) // 4, at + 1)
        return out

    def _window(self, unit: int, first: int, pieces: list[list[int]]) -> Window:
        numbers = list(self._before)
        firsts = []
        for own in pieces:
            firsts.append(len(numbers))
            numbers += own
        return Window(unit, first, numbers + list(self._behind), firsts)

    def _learn(self, tokens: Sequence[Sequence[str]]) -> None:
        """Look up the pieces of words that were not met before; a word without any is the unknown one."""
        new = list(dict.fromkeys(word for words in tokens for word in words if word not in self._known))
        if len(self._known) > 1_000_000:
            self._known.clear()
            new = list(dict.fromkeys(word for words in tokens for word in words))
        if not new:
            return
        # Each word by itself, as the second of two, so that tokenizers which mark a blank before a word do so.
        found = self.tokenizer(
            [["x", word] for word in new], is_split_into_words=True, add_special_tokens=False, verbose=False
        )
        unknown = self.tokenizer.unk_token_id or 0
        for at, word in enumerate(new):
            own = [piece for piece, of in zip(found["input_ids"][at], found.word_ids(at), strict=True) if of == 1]
            self._known[word] = own or [int(unknown)]


@dataclass(frozen=True)
class PieceCorpus:
    """Windows of words, with their groups and tags. The number behind the last stands for none."""

    windows: list[Window]
    groups: NDArray[np.int64]
    tags: list[NDArray[np.int64]]
    padding: int
    device: torch.device

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many pieces each window has."""
        return np.array([len(window.pieces) for window in self.windows], np.int64)

    def batch(self, rows: Sequence[int]) -> PieceBatch:
        """Return the named windows, padded to the longest."""
        chosen = [row for row in rows if row < len(self.windows)]
        width = max((len(self.windows[row].pieces) for row in chosen), default=1)
        words = max((len(self.windows[row].firsts) for row in chosen), default=1)
        pieces = np.full((len(chosen), width), self.padding, np.int64)
        given = np.zeros((len(chosen), width), np.int64)
        firsts, tags = np.zeros((len(chosen), words), np.int64), np.zeros((len(chosen), words), np.int64)
        sizes = np.zeros(len(chosen), np.int64)
        for at, row in enumerate(chosen):
            window = self.windows[row]
            pieces[at, : len(window.pieces)], given[at, : len(window.pieces)] = window.pieces, 1
            sizes[at] = len(window.firsts)
            firsts[at, : sizes[at]], tags[at, : sizes[at]] = window.firsts, self.tags[row]
        columns = (pieces, given, firsts, self.groups[chosen], sizes, tags)
        return PieceBatch(*(torch.from_numpy(column).to(self.device) for column in columns))


class EncoderNetwork(nn.Module):
    """An encoder, the category beside what it gives for a word's first piece, and a linear layer."""

    def __init__(self, encoder: nn.Module, head: Head, *, dropout: float, categories: int, category_dim: int) -> None:
        super().__init__()
        self.encoder = encoder
        size = int(encoder.config.hidden_size)  # type: ignore[union-attr,arg-type]  # every encoder has one
        self.category: nn.Embedding | None = None
        if category_dim and categories:
            self.category = nn.Embedding(categories + 1, category_dim)
            size += category_dim
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(size, len(head.tags))
        self.head = head

    def emissions(self, batch: PieceBatch) -> Tensor:
        """Return the score of each tag at each word."""
        hidden = self.encoder(input_ids=batch.pieces, attention_mask=batch.given).last_hidden_state
        found = hidden.gather(1, batch.firsts.unsqueeze(2).expand(-1, -1, hidden.shape[2]))
        if self.category is not None:
            own = self.category(batch.groups).unsqueeze(1).expand(-1, found.shape[1], -1)
            found = torch.cat([found, own.to(found.dtype)], -1)
        return self.head.restricted(self.out(self.dropout(found)).float(), batch.groups)


def open_encoder(place: str) -> tuple[nn.Module, Any]:
    """Read an encoder and its tokenizer from a local folder."""
    transformers = import_optional("transformers", "hf")
    if not (Path(place) / "config.json").is_file():
        raise UsageError(f"{place}: is not the folder of a Hugging Face encoder: it has no config.json")
    options = {"local_files_only": True, "trust_remote_code": False}
    try:
        with quiet(transformers):
            tokenizer = transformers.AutoTokenizer.from_pretrained(place, **tokenizer_options(place), **options)
            encoder = transformers.AutoModel.from_pretrained(place, dtype=torch.float32, weights_only=True, **options)
    except Exception as error:  # what transformers, tokenizers and safetensors raise has no common root
        raise UsageError(
            f"{place}: is not a Hugging Face encoder ({type(error).__name__}: {one_line(error)})"
        ) from None
    if not tokenizer.is_fast:
        raise UsageError(f"{place}: has no fast tokenizer, which knows the pieces of each word")
    return encoder, tokenizer


def tokenizer_options(place: str) -> dict[str, Any]:
    """Return what a tokenizer must be told: that of RoBERTa wants to be told of words that are given apart."""
    config = json.loads((Path(place) / "config.json").read_text("utf-8"))
    byte_level = config.get("model_type") in ("roberta", "gpt2", "longformer", "bart", "deberta", "modernbert")
    return {"add_prefix_space": True} if byte_level else {}
