"""EstNLTK's default tagger of named entities."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

from karatage.errors import UsageError
from karatage.taggers.protocol import Span, needed, one_line
from karatage.taggers.span_tagger import SpanTagger
from karatage.taggers.word_segmentation import Words


def open_estnltk(words: str | Words | None, label_map: Mapping[str, str]) -> SpanTagger:
    """Open EstNLTK's `NerTagger` with its default model.

    The spans are EstNLTK's own, and so is what it leaves out: version 1.7.5 does not close an entity that ends
    with the last word of the text.
    """
    estnltk = needed("estnltk", "estnltk")
    _need_sentence_model()
    ner = _default()
    known = frozenset(tag[2:] for tag in ner.crf_model.tagger.labels() if tag != "O")

    def find(texts: Sequence[str]) -> Iterator[list[Span]]:
        for text in texts:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield _spans(ner, estnltk.Text(text))

    return SpanTagger.make(
        "estnltk", find, labels=known, version=f"estnltk {version('estnltk')}", words=words, label_map=label_map
    )


@cache
def _default() -> Any:
    """Load the default model, which takes seconds, once."""
    return needed("estnltk.taggers", "estnltk").NerTagger()


def _spans(ner: Any, text: Any) -> list[Span]:
    text.tag_layer(ner.input_layers)
    ner.tag(text)
    return [(span.start, span.end, span.nertag) for span in text[ner.output_layer]]


def _need_sentence_model() -> None:
    """Look for NLTK's model first: EstNLTK would try to download it."""
    punkt = needed("nltk.tokenize.punkt", "estnltk")
    try:
        punkt.PunktTokenizer(lang="estonian")
    except LookupError:
        raise UsageError(
            "EstNLTK cuts texts into sentences with NLTK's model punkt_tab, which is not here. Run `python -m "
            "nltk.downloader punkt_tab`, or set NLTK_DATA to a folder that holds tokenizers/punkt_tab/estonian"
        ) from None
    except OSError as error:
        raise UsageError(
            f"NLTK's model punkt_tab cannot be read ({one_line(error)}). NLTK reads only files of your own that "
            "truly lie under the folder in NLTK_DATA: copy tokenizers/punkt_tab there rather than link it"
        ) from None
