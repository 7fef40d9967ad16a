"""The tokenisation tax: what recall costs if a model's subwords are not the words of the benchmark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Unpack

from karatage._printing import json_text
from karatage.claims import Claims
from karatage.errors import UsageError
from karatage.recall.benchmark import Benchmark
from karatage.recall.board_results import BoardResult, paired_test
from karatage.recall.count_defects import usable_counts
from karatage.recall.estimate_options import EstimateOptions, FailedTexts
from karatage.recall.predictions import check_labels
from karatage.recall.recall_estimate import RecallEstimate, check_options, estimate_results, found_by
from karatage.stats import DEFAULT
from karatage.taggers import Span, Tagger, spans_of, tag_both, tag_texts


@dataclass(frozen=True)
class TokenisationTax:
    """The same predictions twice: unchanged, and expanded to whole words."""

    raw: RecallEstimate  # unchanged
    snapped: RecallEstimate  # expanded to words
    p: float  # of a paired test of the difference

    @property
    def difference(self) -> float:
        """How much the expansion adds to the recall."""
        return (self.snapped.recall.value or 0.0) - (self.raw.recall.value or 0.0)

    @property
    def gained(self) -> int:
        """Number of items found only by the expanded predictions."""
        return sum(bool(two) and not one for one, two in zip(self.raw.results, self.snapped.results, strict=True))

    @property
    def lost(self) -> int:
        """Number of items found only by the unchanged predictions."""
        return sum(bool(one) and not two for one, two in zip(self.raw.results, self.snapped.results, strict=True))

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain data."""
        out: dict[str, object] = {"difference": self.difference, "p": self.p, "gained": self.gained, "lost": self.lost}
        return out | {"raw": self.raw.to_dict(), "snapped": self.snapped.to_dict()}

    def to_json(self) -> str:
        """Return everything as JSON text."""
        return json_text(self.to_dict())


def tokenisation_tax(
    benchmark: Benchmark,
    tagger: Tagger,
    words: str,
    *,
    name: str | None = None,
    failed: FailedTexts = "leave-out",
    progress: Callable[[int], None] | None = None,
    **options: Unpack[EstimateOptions],
) -> TokenisationTax:
    """Score the predictions of one run of a tagger unchanged, and expanded to words.

    Args:
        tagger: The tagger, with its own subwords.
        words: Which words to expand to, as for `karatage.taggers.open_tagger`.
        failed: Texts on which the tagger failed: `leave-out`, or count as a `miss`.
        progress: Called with the number of texts tagged so far.
        options: As for `estimate_results`.
    """
    check_options(failed=failed, **options)
    if options.get("method") == "assisted":
        raise UsageError("the tokenisation tax cannot be computed with the method 'assisted'")
    usable_counts(benchmark, options.get("method") or DEFAULT)  # refuses what cannot be estimated before a tagger runs
    check_labels(benchmark, tagger.labels, tagger.name)
    both = _BothReadings(tagger, words)
    tag_texts(both, benchmark.texts, progress=progress)
    estimates = []
    for reading in (0, 1):
        spans = [both.spans[text][reading] if text in both.spans else None for text in benchmark.texts]
        results = found_by(benchmark.positives, spans)
        estimates.append(estimate_results(benchmark, results, system=name or tagger.name, failed=failed, **options))
    raw, snapped = estimates
    p, _ = paired_test(BoardResult.of(snapped), BoardResult.of(raw))
    return TokenisationTax(raw, snapped, p)


class _BothReadings:
    """A tagger that stores both readings of its predictions, so that a text that fails does not affect others."""

    def __init__(self, tagger: Tagger, words: str) -> None:
        self.name, self.labels = tagger.name, tagger.labels
        self.spans: dict[str, tuple[list[Span], list[Span]]] = {}
        self._tagger, self._words = tagger, words

    def tag(self, texts: Sequence[str]) -> Claims:
        """Tag texts, and store the spans unchanged and expanded."""
        raw, snapped = tag_both(self._tagger, texts, self._words)
        both = zip(spans_of(raw), spans_of(snapped), strict=True)
        self.spans |= dict(zip(texts, both, strict=True))
        return raw
