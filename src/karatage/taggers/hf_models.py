"""Hugging Face models for token classification, from a local folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from karatage.claims import Claims
from karatage.errors import UsageError
from karatage.taggers.protocol import Labels, claims_of, described, fingerprint, needed, one_line, tagged
from karatage.taggers.snapping import given
from karatage.taggers.subwords import Tokenized, piece_spans, tags_of, word_spans
from karatage.taggers.windows import Windowed
from karatage.taggers.word_segmentation import Words, segmentation

_USUAL_LIMIT = 512
"""How many pieces a model takes that does not say."""

_MODEL_FILES = ("*.json", "*.safetensors", "*.bin", "*.txt", "*.model")


@dataclass(frozen=True)
class PieceTagger:
    """A model that labels the pieces of its tokenizer.

    Attributes:
        name: what reports call it.
        folder: where the model lies.
        classify: labels the pieces of texts.
        naming: how its labels are called in the end.
        words: the words that spans are made of; None makes them of pieces.
    """

    name: str
    folder: Path
    classify: Windowed = field(repr=False)
    naming: Labels = field(repr=False)
    words: Words | None = field(default=None, repr=False)

    @property
    def labels(self) -> frozenset[str] | None:
        """The labels that it can give."""
        return self.naming.given()

    @cached_property
    def version(self) -> str:
        """A hash of the model's files."""
        return fingerprint(path for pattern in _MODEL_FILES for path in self.folder.glob(pattern))

    def tag(
        self, texts: Sequence[str] | Sequence[Sequence[str]], attributes: Mapping[str, Sequence[str]] | None = None
    ) -> Claims:
        """Find the spans of each text."""
        return tagged(self._tag, texts, attributes)

    def _tag(self, texts: Sequence[str]) -> Claims:
        pieces = self.classify(texts)
        return self._raw(pieces) if self.words is None else self._whole(pieces, self.words)

    def tag_both(self, texts: Sequence[str], words: str | Words) -> tuple[Claims, Claims]:
        """Run the model once and return the spans made of pieces, and those made of whole words."""
        places = given(words)
        pieces = self.classify(texts)
        return self._raw(pieces), self._whole(pieces, places)

    def _raw(self, pieces: Sequence[Tokenized]) -> Claims:
        return claims_of([one.text for one in pieces], map(self.naming.rename, piece_spans(pieces)))

    def _whole(self, pieces: Sequence[Tokenized], words: Words) -> Claims:
        texts = [one.text for one in pieces]
        return claims_of(texts, map(self.naming.rename, word_spans(pieces, [words(text) for text in texts])))


def open_model(place: str, words: str | Words | None, label_map: Mapping[str, str]) -> PieceTagger:
    """Open the model and the tokenizer of a folder; nothing is fetched and no code of the folder runs."""
    transformers, torch = needed("transformers", "hf"), needed("torch", "hf")
    folder = Path(place)
    if not folder.is_dir():
        raise UsageError(
            f"{place}: there is no such folder. hf: takes a local folder with a model, not a name on a hub"
        )
    local = {"local_files_only": True, "trust_remote_code": False}
    with quiet(transformers):
        config = _loaded(transformers.AutoConfig, place, local)
        kinds = config.architectures or []
        if not all(kind.endswith("ForTokenClassification") for kind in kinds):
            raise _no_model(place, f"its config.json says {', '.join(kinds)}")
        tags = tags_of(config.id2label, place)
        tokenizer = _loaded(transformers.AutoTokenizer, place, local)
        options = local | {"output_loading_info": True, "weights_only": True}
        model, report = _loaded(transformers.AutoModelForTokenClassification, place, options)
    if report["missing_keys"]:
        raise _no_model(place, f"its weights lack {', '.join(sorted(report['missing_keys'])[:3])}")
    if not tokenizer.is_fast:
        raise UsageError(
            f"{place}: its tokenizer ({type(tokenizer).__name__}) does not tell where its pieces lie in the text. "
            "Save the model with a fast tokenizer"
        )
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = model.float().eval().to(device)
    called, places = segmentation(words)
    return PieceTagger(
        described(f"hf:{place}", called, label_map),
        folder,
        Windowed(tokenizer, model, tags, limit_of(tokenizer, model)),
        Labels(frozenset(tag[2:] for tag in tags if tag != "O"), label_map),
        places,
    )


def _loaded(kind: Any, place: str, options: Mapping[str, Any]) -> Any:
    try:
        return kind.from_pretrained(place, **options)
    except Exception as error:  # what transformers, tokenizers and safetensors raise has no common root
        raise _no_model(place, f"{type(error).__name__}: {one_line(error)}") from None


def _no_model(place: str, reason: str) -> UsageError:
    return UsageError(f"{place}: is not a Hugging Face model for token classification ({reason})")


def limit_of(tokenizer: Any, model: Any) -> int:
    """Return how many pieces the model takes at once, those that the tokenizer adds included.

    RoBERTa and its kin count positions from behind the padding's, so that they have fewer than the table is long.
    """
    limits = [tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", None) or _USUAL_LIMIT]
    for name, table in model.named_modules():
        if name.endswith("position_embeddings") and hasattr(table, "num_embeddings"):
            limits.append(table.num_embeddings - (0 if table.padding_idx is None else table.padding_idx + 1))
    return int(min(limits))


@contextmanager
def quiet(transformers: Any) -> Iterator[None]:
    """Keep transformers from writing bars and reports while it loads."""
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
