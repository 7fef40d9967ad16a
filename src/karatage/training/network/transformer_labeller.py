"""Fine-tuned Hugging Face encoders as labellers: trained, saved, loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from karatage._arrays import first_indices
from karatage.errors import InputError
from karatage.taggers import import_optional, one_line, quiet, subword_limit
from karatage.training.examples import Examples, sizes_of
from karatage.training.fit_context import FitContext, FitResult
from karatage.training.model_folder import read_json, write_json
from karatage.training.network.checkpoint import read_tensors, write_tensors
from karatage.training.network.heads import average_unseen, head_for
from karatage.training.network.lstm_labeller import WEIGHTS
from karatage.training.network.network_settings import TransformerSettings
from karatage.training.network.subword_encoder import (
    EncoderNetwork,
    SubwordCorpus,
    SubwordTokenizer,
    WordWindow,
    open_encoder,
    tokenizer_options,
)
from karatage.training.network.token_corpus import tagging_batches
from karatage.training.network.training_loop import TrainingLoop, autocast, chosen_device, seeded
from karatage.training.tagset import TagSet

ENCODER, GROUPS = "encoder", "groups.json"

_SUBWORDS = {"cpu": 2_048, "cuda": 65_536}
"""How many subwords are read at once, by device."""


class TransformerLabeller:
    """A fine-tuned encoder that labels words; its groups are in the order of their numbers from 1."""

    def __init__(
        self,
        network: EncoderNetwork,
        tokenizer: SubwordTokenizer,
        groups: Sequence[str],
        tags: TagSet,
        settings: TransformerSettings,
    ) -> None:
        self.network, self.tokenizer, self.tags, self.settings = network, tokenizer, tags, settings
        self.groups = tuple(groups)
        self._numbers = {group: number for number, group in enumerate(groups, 1)}

    @classmethod
    def fit(cls, examples: Examples, tags: TagSet, settings: TransformerSettings, context: FitContext) -> FitResult:
        """Fine-tune an encoder."""
        device = chosen_device(settings.device)
        groups = list(dict.fromkeys(examples.groups or ()))
        with seeded(settings.seed, 0, device):
            # An encoder that was saved for another task may lack weights, which are then drawn at random.
            encoder, tokenizer = open_encoder(settings.encoder)
            network = EncoderNetwork(
                encoder, head_for(tags, settings, groups, examples.codes), settings, len(groups)
            ).to(device)
        made = cls(network, SubwordTokenizer(tokenizer, subword_limit(tokenizer, encoder)), groups, tags, settings)
        task = _TransformerTask(network, made._corpus(examples), settings)
        loop = TrainingLoop(task, task.corpus.lengths, settings, device, context, graphs=False)
        validation = context.validation
        state = loop.run(None if validation is None else lambda: made.label(validation.tokens, validation.groups))
        average_unseen(network.category)
        return FitResult(made, tuple(state.history), state.best or state.epoch)

    def _corpus(self, examples: Examples) -> SubwordCorpus:
        starts = first_indices(examples.sizes)
        windows = self.tokenizer.windows(examples.tokens)
        tags = []
        for own in windows:
            at = starts[own.unit] + own.first
            codes = examples.codes[at : at + len(own.firsts)].copy()
            codes[:1] = self.tags.starting(codes[:1])  # a window that starts inside an entity begins it
            tags.append(codes)
        groups = np.zeros(len(windows), np.int64)
        if examples.groups is not None:
            groups = np.array([self._numbers.get(examples.groups[own.unit], 0) for own in windows], np.int64)
        return SubwordCorpus(windows, groups, tags, self.tokenizer.padding, self.device)

    @property
    def device(self) -> torch.device:
        """The device of the network."""
        return self.network.out.weight.device

    def label(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> NDArray[np.int64]:
        """Return the best tags."""
        found = self._over(tokens, groups, self.network.head.decode, 1)
        return found[:, 0].astype(np.int64)

    def marginals(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> NDArray[np.float32]:
        """Return the probability of each tag at each token."""
        return self._over(tokens, groups, self.network.head.marginals, len(self.tags)).astype(np.float32)

    def _over(
        self,
        tokens: Sequence[Sequence[str]],
        groups: Sequence[str] | None,
        head: Callable[[Tensor, Tensor], Tensor],
        width: int,
    ) -> NDArray[Any]:
        """Run the network over units, and return the head's output for each token."""
        sizes = sizes_of(tokens)
        starts = first_indices(sizes)
        emissions = self._emissions(tokens, groups, sizes)
        out = np.zeros((int(sizes.sum()), width), np.float32 if width > 1 else np.int64)
        with torch.no_grad():
            for rows, longest in tagging_batches(sizes, 4 * _SUBWORDS[self.device.type]):
                steps = np.arange(longest)
                inside = steps < sizes[rows, None]
                positions = np.where(inside, starts[rows, None] + steps, 0)
                given = torch.from_numpy(sizes[rows]).to(self.device)
                found = head(emissions[torch.from_numpy(positions).to(self.device)], given).cpu().numpy()
                out[positions[inside]] = found.reshape(*positions.shape, width)[inside]
        return out

    def _emissions(
        self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None, sizes: NDArray[np.int64]
    ) -> Tensor:
        """Return the scores of all tokens; in two windows, the one in which a token is farther from a cut counts."""
        corpus = self._corpus(Examples(tokens, groups, np.zeros(int(sizes.sum()), np.int64), sizes))
        starts = first_indices(sizes)
        out = torch.zeros((int(sizes.sum()), len(self.tags)), device=self.device)
        depth = np.full(len(out), -1, np.int64)
        self.network.eval()
        with torch.no_grad(), autocast(self.settings.precision, self.device, transformer=True):
            for rows, _ in tagging_batches(corpus.lengths, _SUBWORDS[self.device.type]):
                found = self.network.emissions(corpus.batch(rows.tolist()))
                for at, row in enumerate(rows.tolist()):
                    own = corpus.windows[row]
                    start = int(starts[own.unit]) + own.first
                    deep = _depth(own, int(sizes[own.unit]))
                    better = np.flatnonzero(deep > depth[start : start + len(deep)])
                    depth[start + better] = deep[better]
                    chosen = torch.from_numpy(better).to(self.device)
                    out[start + chosen] = found[at][chosen].float()
        return out

    def save(self, folder: Path) -> None:
        """Write the weights, the encoder's configuration, its tokenizer and the groups."""
        encoder: Any = self.network.encoder
        encoder.config.save_pretrained(folder / ENCODER)
        self.tokenizer.hf_tokenizer.save_pretrained(folder / ENCODER)
        write_tensors(folder / WEIGHTS, self.network.state_dict())
        write_json(folder / GROUPS, list(self.groups))

    @classmethod
    def load(cls, folder: Path, tags: TagSet, settings: TransformerSettings) -> Self:
        """Read what `save` wrote."""
        transformers = import_optional("transformers", "hf")
        source = str(folder / ENCODER)
        groups = read_json(folder / GROUPS, lambda found: [str(one) for one in found])
        weights, _ = read_tensors(folder / WEIGHTS)
        options = {"local_files_only": True, "trust_remote_code": False}
        try:
            with quiet(transformers), seeded(0, 0, torch.device("cpu")):
                config = transformers.AutoConfig.from_pretrained(source, **options)
                tokenizer = transformers.AutoTokenizer.from_pretrained(source, **tokenizer_options(source), **options)
                encoder = transformers.AutoModel.from_config(config, trust_remote_code=False)
                network = EncoderNetwork(encoder, head_for(tags, settings, groups, None), settings, len(groups))
                network.load_state_dict(weights)
        except Exception as error:  # transformers, tokenizers and PyTorch have no common exception
            raise InputError(
                f"cannot load the encoder ({type(error).__name__}: {one_line(error)})", source=source
            ) from None
        network = network.to(chosen_device(settings.device)).eval()
        return cls(network, SubwordTokenizer(tokenizer, subword_limit(tokenizer, encoder)), groups, tags, settings)


class _TransformerTask:
    """A network and its corpus, for the training loop."""

    def __init__(self, network: EncoderNetwork, corpus: SubwordCorpus, settings: TransformerSettings) -> None:
        self.network, self.corpus, self.settings = network, corpus, settings

    def loss(self, rows: Tensor, width: int) -> Tensor:  # noqa: ARG002  a batch is as wide as its longest window
        """Return the loss of the windows with these numbers."""
        batch = self.corpus.batch(rows.tolist())
        return self.network.head.loss(self.network.emissions(batch), batch)

    def groups(self) -> Iterable[tuple[list[nn.Parameter], float]]:
        """Yield the encoder's parameters and the others, each with their learning rate."""
        inner = {id(p) for p in self.network.encoder.parameters()}
        every = [p for p in self.network.parameters() if p.requires_grad]
        yield [p for p in every if id(p) in inner], self.settings.learning_rate
        yield [p for p in every if id(p) not in inner], self.settings.head_rate


def _depth(window: WordWindow, size: int) -> NDArray[np.int64]:
    """Return how far each word of a window is from a cut."""
    words = np.arange(len(window.firsts))
    left = words if window.first else np.full(len(words), size)
    right = words[::-1] if window.first + len(words) < size else np.full(len(words), size)
    return np.asarray(np.minimum(left, right), np.int64)
