"""The tokenisation tax: what it costs that a model's pieces are not the words of the benchmark."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from karat.recall.benchmark import Benchmark
from karat.recall.estimates import Estimate, estimate_results, found_by
from karat.recall.pairing import paired
from karat.taggers import Tagger, tag_both


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


def tokenisation_tax(benchmark: Benchmark, tagger: Tagger, words: str, **options: Any) -> Tax:
    """Score the predictions of one run of a tagger as they are and snapped to words.

    Args:
        benchmark: the benchmark.
        tagger: the tagger, with its own pieces.
        words: which words to snap to, as for `karat.taggers.open_tagger`.
        options: those of `estimate_results`.
    """
    found = []
    for claims in tag_both(tagger, list(benchmark.texts), words):
        spans: list[list[tuple[int, int, str]]] = [[] for _ in benchmark.texts]
        for unit, label, start, end, _, _ in claims.rows():
            spans[unit].append((start, end, label))
        results = found_by(benchmark.positives, spans)
        found.append(estimate_results(benchmark, results, system=tagger.name, **options))
    raw, snapped = found
    p, _ = paired(snapped.to_dict(), raw.to_dict())
    return Tax(raw, snapped, p)
