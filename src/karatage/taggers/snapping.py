"""Spans made of whole words."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from karatage.claims import Claims
from karatage.errors import UsageError
from karatage.taggers.protocol import Place, Span, Tagger, claims_of, spans_of
from karatage.taggers.word_segmentation import OWN, Words, segmentation

if TYPE_CHECKING:
    from collections.abc import Callable


def snap(spans: Iterable[Span], words: Sequence[Place]) -> list[Span]:
    """Grow each span outwards to the words that it touches.

    Spans are taken in the order of their starts, the longer one first where two start together. A word belongs to
    the first span that touches it. A later span of the same label that touches it too is joined to the first; one
    of another label keeps the words behind it, and vanishes if there are none. Spans that touch no common word
    stay apart, even side by side. A span that touches no word, such as one of a blank, vanishes. So the result is
    flat: no two spans overlap.

    >>> snap([(0, 3, "LOC"), (4, 5, "LOC"), (9, 11, "PER")], [(0, 7), (8, 12)])
    [(0, 7, 'LOC'), (8, 12, 'PER')]

    Args:
        spans: start, end and label of each.
        words: the words of the text in order.
    """
    starts, ends = [start for start, _ in words], [end for _, end in words]
    out: list[Span] = []
    free = 0  # the first word behind all that are taken
    for start, end, label in sorted(spans, key=lambda span: (span[0], -span[1], span[2])):
        first, behind = bisect_right(ends, start), bisect_left(starts, end)
        if first >= behind:
            continue
        if first < free and label == out[-1][2]:
            out[-1] = (out[-1][0], max(out[-1][1], ends[behind - 1]), label)
        elif behind > free:
            out.append((starts[max(first, free)], ends[behind - 1], label))
        free = max(free, behind)
    return out


def snapped(claims: Claims, words: Words) -> Claims:
    """Snap the spans of every text to its words."""
    texts = claims.units.texts or []
    pairs = zip(texts, spans_of(claims), strict=True)
    return claims_of(texts, [snap(own, words(text)) if own else [] for text, own in pairs])


def tag_both(tagger: Tagger, texts: Sequence[str], words: str | Words) -> tuple[Claims, Claims]:
    """Tag once and return the claims twice: as the tagger has them, and made of whole words.

    A tagger that can tell both from one run of its own, as Hugging Face models can by their pieces, is asked;
    of any other the spans are snapped outwards.
    """
    own: Callable[[Sequence[str], Any], tuple[Claims, Claims]] | None = getattr(tagger, "tag_both", None)
    if own is not None:
        return own(texts, words)
    raw = tagger.tag(texts)
    return raw, snapped(raw, given(words))


def given(words: str | Words) -> Words:
    """Return a segmentation where there must be one."""
    _, found = segmentation(words)
    if found is None:
        raise UsageError(f"to compare with whole words, name a segmentation other than {OWN!r}")
    return found
