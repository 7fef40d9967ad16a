"""EstNLTK's default named entity tagger."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from karatage.errors import UsageError
from karatage.taggers.protocol import Span, import_optional, one_line
from karatage.taggers.span_tagger import SpanTagger

if TYPE_CHECKING:
    from karatage.taggers.tagger_registry import OpenOptions


def open_estnltk(argument: str, options: OpenOptions) -> SpanTagger:
    """Open EstNLTK's `NerTagger` with its default model.

    Spans are returned as EstNLTK gives them. Version 1.7.5 misses an entity that ends with the last word of the text.
    """
    if argument:
        raise UsageError(f"estnltk takes no argument, but got {argument!r}")
    estnltk = import_optional("estnltk", "estnltk")
    _check_sentence_model()
    ner = _default_model()
    known = frozenset(tag[2:] for tag in ner.crf_model.tagger.labels() if tag != "O")

    def find(texts: Sequence[str]) -> Iterator[list[Span]]:
        for text in texts:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield _spans(ner, estnltk.Text(text))

    return SpanTagger.make("estnltk", find, labels=known, version=f"estnltk {version('estnltk')}", options=options)


@cache
def _default_model() -> Any:
    """Load the default model once: it takes seconds."""
    return import_optional("estnltk.taggers", "estnltk").NerTagger()


def _spans(ner: Any, text: Any) -> list[Span]:
    text.tag_layer(ner.input_layers)
    ner.tag(text)
    return [(span.start, span.end, span.nertag) for span in text[ner.output_layer]]


def _check_sentence_model() -> None:
    """Look for NLTK's sentence model first: EstNLTK would try to download it."""
    punkt = import_optional("nltk.tokenize.punkt", "estnltk")
    try:
        punkt.PunktTokenizer(lang="estonian")
    except LookupError:
        raise UsageError(
            "EstNLTK needs NLTK's sentence model punkt_tab, which is not installed. Run `python -m nltk.downloader "
            "punkt_tab`, or set NLTK_DATA to a folder that contains tokenizers/punkt_tab/estonian"
        ) from None
    except OSError as error:
        raise UsageError(
            f"cannot read NLTK's sentence model punkt_tab ({one_line(error)}). NLTK only reads files inside the folder "
            "NLTK_DATA: copy tokenizers/punkt_tab there instead of linking it"
        ) from None
