"""The LSTM models as labellers: trained, saved, loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from karatage._arrays import first_indices
from karatage.errors import InputError
from karatage.training.examples import Examples, sizes_of
from karatage.training.fit_context import FitContext, FitResult
from karatage.training.model_folder import read_json, write_json
from karatage.training.network.checkpoint import read_tensors, write_tensors
from karatage.training.network.heads import average_unseen, head_for
from karatage.training.network.lexicon import Lexicon, distinct
from karatage.training.network.lstm_network import LstmNetwork
from karatage.training.network.network_settings import BilstmSettings
from karatage.training.network.token_corpus import TokenCorpus, tagging_batches
from karatage.training.network.training_loop import TrainingLoop, autocast, chosen_device, seeded
from karatage.training.network.word_vectors import read_vectors
from karatage.training.tagset import TagSet

WEIGHTS, LEXICON = "weights.safetensors", "lexicon.json"

_LONGEST = 256
"""Units with more tokens than this are split for training."""

_TOKENS = {"cpu": 8_192, "cuda": 262_144}
"""How many tokens are labelled at once, by device."""


class LstmLabeller:
    """An LSTM network that labels tokens."""

    def __init__(self, network: LstmNetwork, lexicon: Lexicon, tags: TagSet, settings: BilstmSettings) -> None:
        self.network, self.lexicon, self.tags, self.settings = network, lexicon, tags, settings

    @classmethod
    def fit(cls, examples: Examples, tags: TagSet, settings: BilstmSettings, context: FitContext) -> FitResult:
        """Train a network."""
        device = chosen_device(settings.device)
        words, vectors = read_vectors(settings.vectors, settings.vectors_limit, lowercase=settings.lowercase)
        lexicon = Lexicon.learn(
            examples.tokens,
            examples.groups,
            min_count=settings.min_count,
            lowercase=settings.lowercase,
            chars=settings.chars != "none",
            affixed=settings.affixes > 0,
            further=words,
        )
        head = head_for(tags, settings, list(lexicon.groups), examples.codes)
        with seeded(settings.seed, 0, device):
            table = None if vectors is None else _table(lexicon, words, vectors)
            network = LstmNetwork(settings, lexicon, head, table).to(device)
        made = cls(network, lexicon, tags, settings)
        learned = made._corpus(cut(examples, tags, _LONGEST), device)
        task = _LstmTask(network, learned, settings.learning_rate)
        loop = TrainingLoop(task, learned.lengths, settings, device, context, graphs=True)
        validation = None if context.validation is None else made._corpus(context.validation, device)
        state = loop.run(None if validation is None else lambda: made._label(validation))
        average_unseen(network.category)
        return FitResult(made, tuple(state.history), state.best or state.epoch)

    def _corpus(self, examples: Examples, device: torch.device) -> TokenCorpus:
        forms, words = distinct(examples.tokens)
        groups = self.lexicon.group_numbers(examples.groups, len(examples))
        return TokenCorpus.make(
            forms=forms,
            tables=self.lexicon.tables(words),
            groups=groups,
            sizes=examples.sizes,
            tags=examples.codes,
            device=device,
        )

    @property
    def device(self) -> torch.device:
        """The device of the network."""
        return self.network.out.weight.device

    @property
    def at_once(self) -> int:
        """How many batches to label at a time: while a GPU labels one, the words of the next two are numbered."""
        return 3 if self.device.type == "cuda" else 1

    def label(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> NDArray[np.int64]:
        """Return the best tags."""
        return self._label(self._unlabelled(tokens, groups))

    def marginals(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> NDArray[np.float32]:
        """Return the probability of each tag at each token."""
        corpus = self._unlabelled(tokens, groups)
        out = torch.zeros((len(corpus.forms), len(self.tags)), device=self.device)
        return self._over(corpus, self.network.head.marginals, out).cpu().numpy()[:-1]

    def _unlabelled(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> TokenCorpus:
        sizes = sizes_of(tokens)
        return self._corpus(Examples(tokens, groups, np.zeros(int(sizes.sum()), np.int64), sizes), self.device)

    def _label(self, corpus: TokenCorpus) -> NDArray[np.int64]:
        out = torch.zeros(len(corpus.forms), dtype=torch.int16, device=self.device)
        found: NDArray[np.int64] = self._over(corpus, self.network.head.decode, out).cpu().numpy()[:-1].astype(np.int64)
        return found

    def _over(self, corpus: TokenCorpus, head: Callable[[Tensor, Tensor], Tensor], out: Tensor) -> Tensor:
        """Run the network over a corpus, and put the head's output for each token into `out`."""
        network, device = self.network, self.device
        network.eval()
        with torch.no_grad(), autocast(self.settings.precision, device, transformer=False):
            spellings = network.spellings(corpus)
            for units, width in tagging_batches(corpus.lengths, _TOKENS[device.type]):
                rows = torch.from_numpy(units).to(device)
                batch = corpus.batch(rows, width)
                found = head(network.emissions(batch, corpus, spellings), batch.sizes)
                steps = torch.arange(width, device=device)
                inside = steps < batch.sizes.unsqueeze(1)
                tokens = corpus.starts[rows].unsqueeze(1) + steps
                # Padding is written after the last token, which is not read.
                tokens = torch.where(inside, tokens, len(corpus.forms) - 1)
                out[tokens.flatten()] = found.flatten(0, 1).to(out.dtype)
        return out

    def save(self, folder: Path) -> None:
        """Write the weights and the lexicon."""
        write_tensors(folder / WEIGHTS, self.network.state_dict())
        write_json(folder / LEXICON, self.lexicon.to_dict(), indent=0)

    @classmethod
    def load(cls, folder: Path, tags: TagSet, settings: BilstmSettings) -> Self:
        """Read what `save` wrote."""
        lexicon = read_json(folder / LEXICON, Lexicon.from_dict)
        weights, _ = read_tensors(folder / WEIGHTS)
        device = chosen_device(settings.device)
        head = head_for(tags, settings, list(lexicon.groups), None)
        try:
            size = weights["words.weight"].shape
            table = torch.zeros(len(lexicon.words), size[1]) if settings.vectors else None
            with seeded(0, 0, torch.device("cpu")):
                network = LstmNetwork(settings, lexicon, head, table)
            network.load_state_dict(weights)
        except (KeyError, RuntimeError, IndexError) as error:
            raise InputError(
                f"does not fit the settings of its model ({str(error).splitlines()[0]})", source=str(folder / WEIGHTS)
            ) from None
        made = cls(network.to(device).eval(), lexicon, tags, settings)
        if device.type == "cuda":  # its libraries are loaded while the first batch is read
            Thread(target=made._warm_up, name="warm up").start()
        return made

    def _warm_up(self) -> None:
        """Label something. Whatever goes wrong here will go wrong again where it can be told."""
        with suppress(Exception):
            self.label([["a"] * 8] * 256, None)


class _LstmTask:
    """A network and its corpus, for the training loop."""

    def __init__(self, network: LstmNetwork, corpus: TokenCorpus, rate: float) -> None:
        self.network, self.corpus, self.rate = network, corpus, rate

    def loss(self, rows: Tensor, width: int) -> Tensor:
        """Return the loss of the units with these numbers."""
        return self.network.loss(self.corpus.batch(rows, width), self.corpus)

    def groups(self) -> Iterable[tuple[list[nn.Parameter], float]]:
        """Yield all parameters, with one learning rate."""
        yield [p for p in self.network.parameters() if p.requires_grad], self.rate


def cut(examples: Examples, tags: TagSet, longest: int) -> Examples:
    """Split long units, between entities if possible."""
    if not len(examples) or int(examples.sizes.max()) <= longest:
        return examples
    tokens: list[Sequence[str]] = []
    units: list[int] = []
    starts = first_indices(examples.sizes)
    for unit, own in enumerate(examples.tokens):
        codes = examples.codes[starts[unit] : starts[unit] + len(own)]
        borders = _borders(tags.continues(codes), longest)
        tokens += [own[a:b] for a, b in pairwise(borders)]
        units += [unit] * (len(borders) - 1)
    groups = None if examples.groups is None else [examples.groups[unit] for unit in units]
    sizes = sizes_of(tokens)
    # If a part starts inside an entity, the entity begins there.
    heads = first_indices(sizes)[sizes > 0]
    codes = examples.codes.copy()
    codes[heads] = tags.starting(codes[heads])
    return Examples(tokens, groups, codes, sizes)


def _borders(inside: NDArray[np.bool_], longest: int) -> list[int]:
    out = [0]
    while len(inside) - out[-1] > longest:
        free = np.flatnonzero(~inside[out[-1] + longest // 2 : out[-1] + longest + 1])
        out.append(out[-1] + (longest // 2 + int(free[-1]) if len(free) else longest))
    return [*out, len(inside)]


def _table(lexicon: Lexicon, words: Sequence[str], vectors: NDArray[np.float32]) -> Tensor:
    """Return a vector for each word of the lexicon: the pre-trained one, or noise of the same scale."""
    spread = float(vectors.std()) or 1.0
    table = torch.randn(len(lexicon.words), vectors.shape[1]) * spread
    rows = torch.tensor([lexicon.words[word] - 2 for word in words])
    table[rows] = torch.from_numpy(vectors)
    return table
