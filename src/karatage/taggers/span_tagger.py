"""Taggers that return spans: what EstNLTK, spaCy and plain functions share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from karatage.claims import Claims
from karatage.taggers.protocol import LabelMap, Span, claims_of, full_name, tag_texts_or_tokens
from karatage.taggers.word_segmentation import Segmenter, get_segmenter
from karatage.taggers.word_snapping import required_segmenter, snapped

if TYPE_CHECKING:
    from karatage.taggers.tagger_registry import OpenOptions


@dataclass(frozen=True)
class SpanTagger:
    """A tagger around anything that finds the spans of texts.

    Attributes:
        words: the words that spans are snapped to; None keeps spans as they are.
        version: what its answers depend on besides its name.
    """

    name: str
    find: Callable[[Sequence[str]], Iterable[Iterable[Span]]] = field(repr=False)
    label_map: LabelMap = field(repr=False)
    words: Segmenter | None = field(default=None, repr=False)
    version: str = ""

    @classmethod
    def make(
        cls,
        name: str,
        find: Callable[[Sequence[str]], Iterable[Iterable[Span]]],
        *,
        labels: frozenset[str] | None,
        version: str,
        options: OpenOptions,
    ) -> SpanTagger:
        """Make a tagger with the options that a user chose."""
        words_name, words = get_segmenter(options.words)
        name = full_name(name, words_name, options.label_map)
        return cls(name, find, LabelMap(labels, options.label_map), words, version)

    @property
    def labels(self) -> frozenset[str] | None:
        """The labels that it can return, if known."""
        return self.label_map.labels()

    def tag(
        self, texts: Sequence[str] | Sequence[Sequence[str]], attributes: Mapping[str, Sequence[str]] | None = None
    ) -> Claims:
        """Find the spans of each text."""
        return tag_texts_or_tokens(self._tag, texts, attributes)

    def _tag(self, texts: Sequence[str]) -> Claims:
        raw = self._raw(texts)
        return raw if self.words is None else snapped(raw, self.words)

    def tag_both(self, texts: Sequence[str], words: str | Segmenter) -> tuple[Claims, Claims]:
        """Find the spans once; return them as they are, and snapped outwards to words."""
        raw = self._raw(texts)
        return raw, snapped(raw, required_segmenter(words))

    def _raw(self, texts: Sequence[str]) -> Claims:
        return claims_of(texts, map(self.label_map.rename, self.find(texts)))
