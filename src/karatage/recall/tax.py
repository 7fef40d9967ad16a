"""The tokenisation tax: what it costs that a model's pieces are not the words of the benchmark."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from karatage.claims import Claims
from karatage.recall.benchmark import Benchmark
from karatage.recall.estimates import Estimate, estimate_results, found_by
from karatage.recall.paired_ranks import paired
from karatage.recall.predictions import check_labels
from karatage.taggers import Span, Tagger, spans_of, tag_both, tag_texts


@dataclass(frozen=True)
class Tax:
    """The same predictions twice: as they are, and snapped outwards to whole words.

    Attributes:
        raw: the recall of the predictions as they are.
        snapped: the recall of the predictions snapped to words.
        p: the p-value of the paired test of the difference.
    """

    raw: Estimate
    snapped: Estimate
    p: float

    @property
    def difference(self) -> float:
        """How much snapping adds to the recall."""
        return (self.snapped.recall.value or 0.0) - (self.raw.recall.value or 0.0)

    @property
    def gained(self) -> int:
        """Items that are found only by the snapped predictions."""
        return sum(bool(two) and not one for one, two in zip(self.raw.results, self.snapped.results, strict=True))

    @property
    def lost(self) -> int:
        """Items that are found only by the predictions as they are."""
        return sum(bool(one) and not two for one, two in zip(self.raw.results, self.snapped.results, strict=True))

    def to_json(self) -> str:
        """Return everything as JSON text."""
        out: dict[str, Any] = {"difference": self.difference, "p": self.p, "gained": self.gained, "lost": self.lost}
        out |= {"raw": self.raw.to_dict(), "snapped": self.snapped.to_dict()}
        return json.dumps(out, ensure_ascii=False, indent=2, allow_nan=False)


def tokenisation_tax(
    benchmark: Benchmark,
    tagger: Tagger,
    words: str,
    *,
    name: str | None = None,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> Tax:
    """Score the predictions of one run of a tagger as they are and snapped to words.

    Args:
        benchmark: the benchmark.
        tagger: the tagger, with its own pieces.
        words: which words to snap to, as for `karatage.taggers.open_tagger`.
        name: what to call the system.
        progress: gets the number of texts that are tagged.
        options: those of `estimate_results`.
    """
    check_labels(benchmark, tagger.labels, tagger.name)
    both = _Both(tagger, words)
    tag_texts(both, benchmark.texts, progress=progress)
    found = []
    for side in (0, 1):
        spans = [both.said[text][side] if text in both.said else None for text in benchmark.texts]
        results = found_by(benchmark.positives, spans)
        found.append(estimate_results(benchmark, results, system=name or tagger.name, **options))
    raw, snapped = found
    p, _ = paired(snapped.to_dict(), raw.to_dict())
    return Tax(raw, snapped, p)


class _Both:
    """A tagger that remembers both readings of what it says, so that a text that fails is its own matter."""

    def __init__(self, tagger: Tagger, words: str) -> None:
        self.name, self.labels = tagger.name, tagger.labels
        self.said: dict[str, tuple[list[Span], list[Span]]] = {}
        self._tagger, self._words = tagger, words

    def tag(self, texts: Sequence[str]) -> Claims:
        """Tag texts, and keep the spans as they are and snapped."""
        raw, snapped = tag_both(self._tagger, texts, self._words)
        both = zip(spans_of(raw), spans_of(snapped), strict=True)
        self.said |= dict(zip(texts, both, strict=True))
        return raw
