"""A Hugging Face encoder over words: subwords in windows, and the encoder's output for each first subword."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from karatage.errors import UsageError
from karatage.taggers import import_optional, one_line, quiet
from karatage.training.network.heads import TagHead
from karatage.training.network.network_settings import TransformerSettings

_SHORTEST = 8


class SubwordBatch(NamedTuple):
    """Several windows of words, padded.

    Attributes:
        mask: 1 for a subword, 0 for padding.
        firsts: the position of each word's first subword.
    """

    subwords: Tensor
    mask: Tensor
    firsts: Tensor
    groups: Tensor
    sizes: Tensor
    tags: Tensor

    @property
    def inside(self) -> Tensor:
        """Whether each position has a word."""
        return torch.arange(self.firsts.shape[1], device=self.firsts.device) < self.sizes.unsqueeze(1)


@dataclass(frozen=True)
class WordWindow:
    """Some words of a unit that the encoder takes at once.

    Attributes:
        first: the index of its first word in the unit.
        subwords: the numbers of its subwords, including special tokens.
        firsts: the position of each word's first subword.
    """

    unit: int
    first: int
    subwords: list[int]
    firsts: list[int]


class SubwordTokenizer:
    """Splits words into subwords, and units into windows that fit the encoder; the limit includes special tokens."""

    def __init__(self, hf_tokenizer: Any, limit: int) -> None:
        self.hf_tokenizer, self.limit = hf_tokenizer, limit
        inner = hf_tokenizer.backend_tokenizer.pre_tokenizer
        if getattr(inner, "add_prefix_space", True) is False:
            # A byte-level tokenizer whose class ignores `tokenizer_options`.
            inner.add_prefix_space = True
        self.padding = int(hf_tokenizer.pad_token_id or 0)
        alone = hf_tokenizer([["x"]], is_split_into_words=True)
        ids, words = alone["input_ids"][0], alone.word_ids(0)
        inside = [at for at, word in enumerate(words) if word is not None]
        self._prefix, self._suffix = ids[: inside[0]], ids[inside[-1] + 1 :]
        self._known: dict[str, list[int]] = {}
        if limit - len(self._prefix) - len(self._suffix) < _SHORTEST:
            raise UsageError(f"the encoder takes only {limit} subwords at once, which is too few for words")

    def windows(self, tokens: Sequence[Sequence[str]]) -> list[WordWindow]:
        """Split units into windows. Those of a long unit share a quarter of their words with the next one."""
        self._learn(tokens)
        room = self.limit - len(self._prefix) - len(self._suffix)
        out = []
        for unit, words in enumerate(tokens):
            # A word with too many subwords keeps its first ones: its tag is that of the first.
            subwords = [self._known[word][: room // 2] for word in words]
            at = 0
            while at < len(words):
                end, used = at, 0
                while end < len(words) and used + len(subwords[end]) <= room:
                    used += len(subwords[end])
                    end += 1
                out.append(self._window(unit, at, subwords[at:end]))
                if end == len(words):
                    break
                at = max(end - (end - at) // 4, at + 1)
        return out

    def _window(self, unit: int, first: int, subwords: list[list[int]]) -> WordWindow:
        numbers = list(self._prefix)
        firsts = []
        for own in subwords:
            firsts.append(len(numbers))
            numbers += own
        return WordWindow(unit, first, numbers + list(self._suffix), firsts)

    def _learn(self, tokens: Sequence[Sequence[str]]) -> None:
        """Split words that are new; a word without subwords is unknown."""
        new = list(dict.fromkeys(word for words in tokens for word in words if word not in self._known))
        if len(self._known) > 1_000_000:
            self._known.clear()
            new = list(dict.fromkeys(word for words in tokens for word in words))
        if not new:
            return
        # Each word by itself, as the second of two, so that tokenizers that mark a space before a word do so.
        found = self.hf_tokenizer(
            [["x", word] for word in new], is_split_into_words=True, add_special_tokens=False, verbose=False
        )
        unknown = self.hf_tokenizer.unk_token_id or 0
        for at, word in enumerate(new):
            own = [subword for subword, of in zip(found["input_ids"][at], found.word_ids(at), strict=True) if of == 1]
            self._known[word] = own or [int(unknown)]


@dataclass(frozen=True)
class SubwordCorpus:
    """Windows of words, with their groups and tags. The number after the last one stands for none."""

    windows: list[WordWindow]
    groups: NDArray[np.int64]
    tags: list[NDArray[np.int64]]
    padding: int
    device: torch.device

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of subwords of each window."""
        return np.array([len(window.subwords) for window in self.windows], np.int64)

    def batch(self, rows: Sequence[int]) -> SubwordBatch:
        """Return the windows with these numbers, padded to the longest."""
        chosen = [row for row in rows if row < len(self.windows)]
        width = max((len(self.windows[row].subwords) for row in chosen), default=1)
        words = max((len(self.windows[row].firsts) for row in chosen), default=1)
        subwords = np.full((len(chosen), width), self.padding, np.int64)
        mask = np.zeros((len(chosen), width), np.int64)
        firsts, tags = np.zeros((len(chosen), words), np.int64), np.zeros((len(chosen), words), np.int64)
        sizes = np.zeros(len(chosen), np.int64)
        for at, row in enumerate(chosen):
            window = self.windows[row]
            subwords[at, : len(window.subwords)], mask[at, : len(window.subwords)] = window.subwords, 1
            sizes[at] = len(window.firsts)
            firsts[at, : sizes[at]], tags[at, : sizes[at]] = window.firsts, self.tags[row]
        columns = (subwords, mask, firsts, self.groups[chosen], sizes, tags)
        return SubwordBatch(*(torch.from_numpy(column).to(self.device) for column in columns))


class EncoderNetwork(nn.Module):
    """An encoder, a category embedding next to its output for each first subword, and a linear layer."""

    def __init__(self, encoder: nn.Module, head: TagHead, settings: TransformerSettings, categories: int) -> None:
        super().__init__()
        self.encoder = encoder
        size = int(encoder.config.hidden_size)  # type: ignore[union-attr,arg-type]  # every encoder has one
        self.category: nn.Embedding | None = None
        if settings.category_dim and categories:
            self.category = nn.Embedding(categories + 1, settings.category_dim)
            size += settings.category_dim
        self.dropout = nn.Dropout(settings.dropout)
        self.out = nn.Linear(size, len(head.tags))
        self.head = head

    def emissions(self, batch: SubwordBatch) -> Tensor:
        """Return the score of each tag at each word."""
        hidden = self.encoder(input_ids=batch.subwords, attention_mask=batch.mask).last_hidden_state
        found = hidden.gather(1, batch.firsts.unsqueeze(2).expand(-1, -1, hidden.shape[2]))
        if self.category is not None:
            own = self.category(batch.groups).unsqueeze(1).expand(-1, found.shape[1], -1)
            found = torch.cat([found, own.to(found.dtype)], -1)
        return self.head.restricted(self.out(self.dropout(found)).float(), batch.groups)


def open_encoder(folder: str) -> tuple[nn.Module, Any]:
    """Load an encoder and its tokenizer from a local folder."""
    transformers = import_optional("transformers", "hf")
    if not (Path(folder) / "config.json").is_file():
        raise UsageError(f"{folder}: not a Hugging Face encoder: it has no config.json")
    options = {"local_files_only": True, "trust_remote_code": False}
    try:
        with quiet(transformers):
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **tokenizer_options(folder), **options)
            encoder = transformers.AutoModel.from_pretrained(folder, dtype=torch.float32, weights_only=True, **options)
    except Exception as error:  # transformers, tokenizers and safetensors have no common exception
        raise UsageError(f"{folder}: not a Hugging Face encoder ({type(error).__name__}: {one_line(error)})") from None
    if not tokenizer.is_fast:
        raise UsageError(f"{folder}: has no fast tokenizer, which is needed to map subwords to words")
    return encoder, tokenizer


def tokenizer_options(folder: str) -> dict[str, Any]:
    """Return options of a tokenizer: RoBERTa's needs one for text that is split into words."""
    config = json.loads((Path(folder) / "config.json").read_text("utf-8"))
    byte_level = config.get("model_type") in ("roberta", "gpt2", "longformer", "bart", "deberta", "modernbert")
    return {"add_prefix_space": True} if byte_level else {}
