"""Hugging Face models for token classification, from a local folder or the local cache of the Hub."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karatage.claims import Claims
from karatage.errors import UsageError
from karatage.taggers.hub_models import model_folder
from karatage.taggers.protocol import (
    LabelMap,
    claims_of,
    fingerprint,
    full_name,
    import_optional,
    one_line,
    tag_texts_or_tokens,
)
from karatage.taggers.sliding_windows import WindowedModel
from karatage.taggers.subword_spans import LabelledSubwords, subword_spans, tags_of, word_spans
from karatage.taggers.word_segmentation import Segmenter, get_segmenter
from karatage.taggers.word_snapping import required_segmenter

if TYPE_CHECKING:
    from karatage.taggers.tagger_registry import OpenOptions

_DEFAULT_LIMIT = 512
"""How many subwords a model takes if its configuration does not say."""

_MODEL_FILES = ("*.json", "*.safetensors", "*.bin", "*.txt", "*.model")


@dataclass(frozen=True)
class HuggingFaceTagger:
    """A model that labels the subwords of its tokenizer.

    Attributes:
        words: the words that spans are made of; None makes them of subwords.
    """

    name: str
    folder: Path
    classify: WindowedModel = field(repr=False)
    label_map: LabelMap = field(repr=False)
    words: Segmenter | None = field(default=None, repr=False)

    @property
    def labels(self) -> frozenset[str] | None:
        """The labels that it can return."""
        return self.label_map.labels()

    @cached_property
    def version(self) -> str:
        """A hash of the model's files."""
        return fingerprint(path for pattern in _MODEL_FILES for path in self.folder.glob(pattern))

    def tag(
        self, texts: Sequence[str] | Sequence[Sequence[str]], attributes: Mapping[str, Sequence[str]] | None = None
    ) -> Claims:
        """Find the spans of each text."""
        return tag_texts_or_tokens(self._tag, texts, attributes)

    def _tag(self, texts: Sequence[str]) -> Claims:
        labelled = self.classify(texts)
        return self._of_subwords(labelled) if self.words is None else self._of_words(labelled, self.words)

    def tag_both(self, texts: Sequence[str], words: str | Segmenter) -> tuple[Claims, Claims]:
        """Run the model once; return the spans made of subwords, and those made of whole words."""
        segmenter = required_segmenter(words)
        labelled = self.classify(texts)
        return self._of_subwords(labelled), self._of_words(labelled, segmenter)

    def _of_subwords(self, labelled: Sequence[LabelledSubwords]) -> Claims:
        return claims_of([one.text for one in labelled], map(self.label_map.rename, subword_spans(labelled)))

    def _of_words(self, labelled: Sequence[LabelledSubwords], words: Segmenter) -> Claims:
        texts = [one.text for one in labelled]
        return claims_of(texts, map(self.label_map.rename, word_spans(labelled, [words(text) for text in texts])))


def open_hf_model(name: str, options: OpenOptions) -> HuggingFaceTagger:
    """Open a model and its tokenizer, from a folder or the cache. Nothing is downloaded and no code of a model runs."""
    transformers, torch = import_optional("transformers", "hf"), import_optional("torch", "hf")
    path = model_folder(name)
    folder = str(path)
    local = {"local_files_only": True, "trust_remote_code": False}
    with quiet(transformers):
        config = _load(transformers.AutoConfig, folder, local)
        kinds = config.architectures or []
        if not all(kind.endswith("ForTokenClassification") for kind in kinds):
            raise _not_a_model(folder, f"config.json says {', '.join(kinds)}")
        tags = tags_of(config.id2label, folder)
        tokenizer = _load(transformers.AutoTokenizer, folder, local)
        loading = local | {"output_loading_info": True, "weights_only": True}
        model, report = _load(transformers.AutoModelForTokenClassification, folder, loading)
    if report["missing_keys"]:
        raise _not_a_model(folder, f"missing weights: {', '.join(sorted(report['missing_keys'])[:3])}")
    if not tokenizer.is_fast:
        raise UsageError(
            f"{folder}: the tokenizer ({type(tokenizer).__name__}) does not report offsets. Save the model with a fast "
            "tokenizer"
        )
    model = model.float().eval().to("cuda" if torch.cuda.is_available() else "cpu")
    words_name, words = get_segmenter(options.words)
    return HuggingFaceTagger(
        full_name(f"hf:{name}", words_name, options.label_map),
        path,
        WindowedModel(tokenizer, model, tags, subword_limit(tokenizer, model)),
        LabelMap(frozenset(tag[2:] for tag in tags if tag != "O"), options.label_map),
        words,
    )


def _load(kind: Any, folder: str, options: Mapping[str, Any]) -> Any:
    try:
        return kind.from_pretrained(folder, **options)
    except Exception as error:  # transformers, tokenizers and safetensors have no common exception
        raise _not_a_model(folder, f"{type(error).__name__}: {one_line(error)}") from None


def _not_a_model(folder: str, reason: str) -> UsageError:
    return UsageError(f"{folder}: not a Hugging Face model for token classification ({reason})")


def subword_limit(tokenizer: Any, model: Any) -> int:
    """Return how many subwords the model takes at once, including special tokens.

    RoBERTa and similar models number positions after the padding index, so they have fewer than their table is long.
    """
    limits = [tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", None) or _DEFAULT_LIMIT]
    for name, table in model.named_modules():
        if name.endswith("position_embeddings") and hasattr(table, "num_embeddings"):
            limits.append(table.num_embeddings - (0 if table.padding_idx is None else table.padding_idx + 1))
    return int(min(limits))


@contextmanager
def quiet(transformers: Any) -> Iterator[None]:
    """Keep transformers from printing progress bars and reports while it loads."""
    logging = transformers.utils.logging
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
