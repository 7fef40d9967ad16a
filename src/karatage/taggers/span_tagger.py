"""Taggers that give spans: the part that EstNLTK, spaCy and plain functions share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from karatage.claims import Claims
from karatage.taggers.protocol import Labels, Span, claims_of, described, tagged
from karatage.taggers.snapping import given, snapped
from karatage.taggers.word_segmentation import Words, segmentation


@dataclass(frozen=True)
class SpanTagger:
    """A tagger around anything that finds the spans of texts.

    Attributes:
        name: what reports call it.
        find: yields the spans of each text.
        naming: how its labels are called in the end.
        words: the words that spans are snapped to; None leaves them as they are.
        version: what the answers depend on beside the name.
    """

    name: str
    find: Callable[[Sequence[str]], Iterable[Iterable[Span]]] = field(repr=False)
    naming: Labels = field(repr=False)
    words: Words | None = field(default=None, repr=False)
    version: str = ""

    @classmethod
    def make(
        cls,
        name: str,
        find: Callable[[Sequence[str]], Iterable[Iterable[Span]]],
        *,
        labels: frozenset[str] | None,
        version: str,
        words: str | Words | None,
        label_map: Mapping[str, str],
    ) -> SpanTagger:
        """Put a tagger together from what a user may choose."""
        called, places = segmentation(words)
        return cls(described(name, called, label_map), find, Labels(labels, label_map), places, version)

    @property
    def labels(self) -> frozenset[str] | None:
        """The labels that it can give, where known."""
        return self.naming.given()

    def tag(
        self, texts: Sequence[str] | Sequence[Sequence[str]], attributes: Mapping[str, Sequence[str]] | None = None
    ) -> Claims:
        """Find the spans of each text."""
        return tagged(self._tag, texts, attributes)

    def _tag(self, texts: Sequence[str]) -> Claims:
        raw = self._raw(texts)
        return raw if self.words is None else snapped(raw, self.words)

    def tag_both(self, texts: Sequence[str], words: str | Words) -> tuple[Claims, Claims]:
        """Find the spans once and return them as they are and snapped outwards to words."""
        raw = self._raw(texts)
        return raw, snapped(raw, given(words))

    def _raw(self, texts: Sequence[str]) -> Claims:
        return claims_of(texts, map(self.naming.rename, self.find(texts)))
