"""Encoders of Hugging Face as taggers need them: fine-tuned, labelling, saved and loaded."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import torch
from torch import Tensor, nn

from karatage.errors import InputError
from karatage.formats import writing
from karatage.taggers import import_optional, one_line, quiet, subword_limit
from karatage.training.events import Fitting
from karatage.training.examples import Examples, sizes_of
from karatage.training.model_folder import read_json
from karatage.training.models import Fitted
from karatage.training.network.checkpoint import read_tensors, write_tensors
from karatage.training.network.encoder import (
    EncoderNetwork,
    PieceCorpus,
    Pieces,
    Window,
    open_encoder,
    tokenizer_options,
)
from karatage.training.network.heads import CrfHead, Head, SoftmaxHead, class_weights
from karatage.training.network.lstm_labeller import WEIGHTS
from karatage.training.network.network_settings import TransformerCrfSettings, TransformerSettings
from karatage.training.network.tensors import tagging_batches
from karatage.training.network.training_loop import Training, autocast, chosen_device, seeded
from karatage.training.tagset import TagSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

ENCODER, GROUPS = "encoder", "groups.json"

_PIECES = {"cpu": 2_048, "cuda": 65_536}
"""How many pieces are read at once."""


class TransformerLabeller:
    """A fine-tuned encoder that labels words.

    Attributes:
        tags: the tags that it gives.
        settings: its settings.
        network: the encoder and what is on top of it.
        pieces: cuts words into pieces.
        groups: the groups, in the order of their numbers from 1.
    """

    def __init__(
        self,
        network: EncoderNetwork,
        pieces: Pieces,
        groups: Sequence[str],
        tags: TagSet,
        settings: TransformerSettings,
    ) -> None:
        self.network, self.pieces, self.tags, self.settings = network, pieces, tags, settings
        self.groups = tuple(groups)
        self._numbers = {group: number for number, group in enumerate(groups, 1)}

    @classmethod
    def fit(cls, examples: Examples, tags: TagSet, settings: TransformerSettings, fitting: Fitting) -> Fitted:
        """Fine-tune an encoder.

        Args:
            examples: what to learn from.
            tags: their tags.
            settings: the settings.
            fitting: the validation data, who judges, and where checkpoints go.
        """
        device = chosen_device(settings.device)
        groups = list(dict.fromkeys(examples.groups or ()))
        with seeded(settings.seed, 0, device):
            # An encoder that was saved for another task may lack weights, which are drawn then.
            encoder, tokenizer = open_encoder(settings.encoder)
            network = cls._network(encoder, tags, groups, settings, examples).to(device)
        made = cls(network, Pieces(tokenizer, subword_limit(tokenizer, encoder)), groups, tags, settings)
        task = _Task(network, made._corpus(examples), settings)
        training = Training(
            task,
            task.corpus.lengths,
            settings,
            device,
            graphs=False,
            checkpoint=fitting.checkpoint,
            every=fitting.every,
            identity=fitting.identity,
        )
        held = fitting.validation
        label = None if held is None else lambda: made.label(held.tokens, held.groups)
        training.run(label, fitting.judge, fitting.progress)
        if network.category is not None:  # a category that training never saw is like all of them
            with torch.no_grad():
                network.category.weight[0] = network.category.weight[1:].mean(0)
        return Fitted(made, tuple(training.state.history), training.state.best or training.state.epoch)

    @classmethod
    def _network(
        cls,
        encoder: nn.Module,
        tags: TagSet,
        groups: Sequence[str],
        settings: TransformerSettings,
        examples: Examples | None,
    ) -> EncoderNetwork:
        head: Head
        if isinstance(settings, TransformerCrfSettings):
            head = CrfHead(tags, groups if settings.restrict else ())
        else:
            codes = examples.codes if examples is not None else np.zeros(0, np.int64)
            head = SoftmaxHead(tags, (), class_weights(settings.class_weights, codes, len(tags)), settings.focal)
        return EncoderNetwork(
            encoder, head, dropout=settings.dropout, categories=len(groups), category_dim=settings.category_dim
        )

    def _corpus(self, examples: Examples) -> PieceCorpus:
        starts = np.cumsum(examples.sizes) - examples.sizes
        windows = self.pieces.windows(examples.tokens)
        tags = [
            examples.codes[starts[own.unit] + own.first : starts[own.unit] + own.first + len(own.firsts)]
            for own in windows
        ]
        # Where a window starts within an entity, the entity begins there.
        tags = [np.append(_begun(own[:1]), own[1:]) for own in tags]
        return PieceCorpus(
            windows, self._group_numbers(examples.groups, windows), tags, self.pieces.padding, self.device
        )

    def _group_numbers(self, groups: Sequence[str] | None, windows: Sequence[Window]) -> NDArray[np.int64]:
        if groups is None:
            return np.zeros(len(windows), np.int64)
        return np.array([self._numbers.get(groups[own.unit], 0) for own in windows], np.int64)

    @property
    def device(self) -> torch.device:
        """Where the network is."""
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
        """Run the network over units and return what the head gives for each token."""
        sizes = sizes_of(tokens)
        starts = np.cumsum(sizes) - sizes
        emissions = self._emissions(tokens, groups, sizes, starts)
        out = np.zeros((int(sizes.sum()), width), np.float32 if width > 1 else np.int64)
        with torch.no_grad():
            for rows, longest in tagging_batches(sizes, 4 * _PIECES[self.device.type]):
                steps = np.arange(longest)
                inside = steps < sizes[rows, None]
                places = np.where(inside, starts[rows, None] + steps, 0)
                given = torch.from_numpy(sizes[rows]).to(self.device)
                found = head(emissions[torch.from_numpy(places).to(self.device)], given).cpu().numpy()
                out[places[inside]] = found.reshape(*places.shape, width)[inside]
        return out

    def _emissions(
        self,
        tokens: Sequence[Sequence[str]],
        groups: Sequence[str] | None,
        sizes: NDArray[np.int64],
        starts: NDArray[np.int64],
    ) -> Tensor:
        """Return the scores of all tokens; one that is in two windows has those of the one it lies deeper in."""
        windows = self.pieces.windows(tokens)
        unlabelled = [np.zeros(len(own.firsts), np.int64) for own in windows]
        corpus = PieceCorpus(
            windows, self._group_numbers(groups, windows), unlabelled, self.pieces.padding, self.device
        )
        out = torch.zeros((int(sizes.sum()), len(self.tags)), device=self.device)
        depth = np.full(len(out), -1, np.int64)
        self.network.eval()
        with torch.no_grad(), autocast(self.settings.precision, self.device, transformer=True):
            for rows, _ in tagging_batches(corpus.lengths, _PIECES[self.device.type]):
                found = self.network.emissions(corpus.batch(rows.tolist()))
                for at, row in enumerate(rows.tolist()):
                    own = windows[row]
                    place = int(starts[own.unit]) + own.first
                    deep = _depth(own, int(sizes[own.unit]))
                    better = np.flatnonzero(deep > depth[place : place + len(deep)])
                    depth[place + better] = deep[better]
                    chosen = torch.from_numpy(better).to(self.device)
                    out[place + chosen] = found[at][chosen].float()
        return out

    def save(self, folder: Path) -> None:
        """Write weights, the encoder's configuration, its tokenizer and the groups."""
        encoder: Any = self.network.encoder
        encoder.config.save_pretrained(folder / ENCODER)
        self.pieces.tokenizer.save_pretrained(folder / ENCODER)
        write_tensors(folder / WEIGHTS, self.network.state_dict())
        with writing(folder / GROUPS) as out:
            out.write(json.dumps(list(self.groups), ensure_ascii=False).encode("utf-8", "surrogatepass"))

    @classmethod
    def load(cls, folder: Path, tags: TagSet, settings: Any) -> Self:
        """Read what `save` wrote."""
        transformers = import_optional("transformers", "hf")
        place = str(folder / ENCODER)
        groups = read_json(folder / GROUPS, lambda found: [str(one) for one in found])
        weights, _ = read_tensors(folder / WEIGHTS)
        options = {"local_files_only": True, "trust_remote_code": False}
        try:
            with quiet(transformers), seeded(0, 0, torch.device("cpu")):
                config = transformers.AutoConfig.from_pretrained(place, **options)
                tokenizer = transformers.AutoTokenizer.from_pretrained(place, **tokenizer_options(place), **options)
                encoder = transformers.AutoModel.from_config(config, trust_remote_code=False)
                network = cls._network(encoder, tags, groups, settings, None)
                network.load_state_dict(weights)
        except Exception as error:  # what transformers, tokenizers and PyTorch raise has no common root
            raise InputError(
                f"cannot be read as an encoder ({type(error).__name__}: {one_line(error)})", source=place
            ) from None
        network = network.to(chosen_device(settings.device)).eval()
        return cls(network, Pieces(tokenizer, subword_limit(tokenizer, encoder)), groups, tags, settings)


class _Task:
    """What the training loop sees of a network and its corpus."""

    def __init__(self, network: EncoderNetwork, corpus: PieceCorpus, settings: TransformerSettings) -> None:
        self.network, self.corpus, self.settings = network, corpus, settings

    def loss(self, rows: Tensor, width: int) -> Tensor:  # noqa: ARG002  a batch is as wide as its longest window
        """Return the loss of the named windows."""
        batch = self.corpus.batch(rows.tolist())
        return self.network.head.loss(self.network.emissions(batch), batch)

    def groups(self) -> Iterable[tuple[list[nn.Parameter], float]]:
        """Yield the encoder's parameters and the others, each with their rate."""
        inner = {id(p) for p in self.network.encoder.parameters()}
        every = [p for p in self.network.parameters() if p.requires_grad]
        yield [p for p in every if id(p) in inner], self.settings.learning_rate
        yield [p for p in every if id(p) not in inner], self.settings.head_rate


def _begun(code: NDArray[np.int64]) -> NDArray[np.int64]:
    """Turn I into B of its label."""
    return np.asarray(np.where((code > 0) & (code % 2 == 0), code - 1, code), np.int64)


def _depth(window: Window, size: int) -> NDArray[np.int64]:
    """Return how far each word of a window is from where its unit was cut."""
    places = np.arange(len(window.firsts))
    left = places if window.first else np.full(len(places), size)
    right = places[::-1] if window.first + len(places) < size else np.full(len(places), size)
    return np.asarray(np.minimum(left, right), np.int64)
