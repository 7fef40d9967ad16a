"""Snapping spans to whole words."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence

from karatage.claims import Claims
from karatage.errors import UsageError
from karatage.taggers.protocol import Offsets, Span, Tagger, claims_of, spans_of
from karatage.taggers.word_segmentation import OWN, Segmenter, get_segmenter


def snap(spans: Iterable[Span], words: Sequence[Offsets]) -> list[Span]:
    """Extend each span outwards to the words that it touches.

    Spans are processed by their start, the longer one first if two start together. A word belongs to the first span
    that touches it. A later span with the same label that touches the same word is merged into the first; one with
    another label keeps only its remaining words, and is dropped if it has none. Spans without a common word stay
    separate, even if they are adjacent. A span that touches no word, e.g. a space, is dropped. The result is flat: no
    two spans overlap.

    >>> snap([(0, 3, "LOC"), (4, 5, "LOC"), (9, 11, "PER")], [(0, 7), (8, 12)])
    [(0, 7, 'LOC'), (8, 12, 'PER')]
    """
    starts, ends = [start for start, _ in words], [end for _, end in words]
    out: list[Span] = []
    free = 0  # the first word after all that are taken
    for start, end, label in sorted(spans, key=lambda span: (span[0], -span[1], span[2])):
        first, stop = bisect_right(ends, start), bisect_left(starts, end)
        if first >= stop:
            continue
        if first < free and label == out[-1][2]:
            out[-1] = (out[-1][0], max(out[-1][1], ends[stop - 1]), label)
        elif stop > free:
            out.append((starts[max(first, free)], ends[stop - 1], label))
        free = max(free, stop)
    return out


def snapped(claims: Claims, words: Segmenter) -> Claims:
    """Snap the spans of every text to its words."""
    texts = claims.units.texts or []
    pairs = zip(texts, spans_of(claims), strict=True)
    return claims_of(texts, [snap(own, words(text)) if own else [] for text, own in pairs])


def tag_both(tagger: Tagger, texts: Sequence[str], words: str | Segmenter) -> tuple[Claims, Claims]:
    """Tag once and return the claims twice: as the tagger gives them, and made of whole words.

    A tagger with its own `tag_both`, e.g. a Hugging Face model, makes both from one run of the model. For others, the
    spans are snapped outwards.
    """
    own: Callable[[Sequence[str], str | Segmenter], tuple[Claims, Claims]] | None = getattr(tagger, "tag_both", None)
    if own is not None:
        return own(texts, words)
    raw = tagger.tag(texts)
    return raw, snapped(raw, required_segmenter(words))


def required_segmenter(words: str | Segmenter) -> Segmenter:
    """Return a segmenter, or fail if the name stands for none."""
    _, found = get_segmenter(words)
    if found is None:
        raise UsageError(f"to compare with whole words, name a segmentation other than {OWN!r}")
    return found
