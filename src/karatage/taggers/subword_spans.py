"""From labelled subwords to spans: as the subwords are, or of whole words."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from karatage.claims import Style, Tagged, Tags, Units, read_tag
from karatage.errors import TagError, UsageError
from karatage.taggers.protocol import Offsets, Span

_STYLES = (Style("-"), Style("_"), Style("-", suffix=True), Style("_", suffix=True))


@dataclass(frozen=True)
class LabelledSubwords:
    """A text with its subwords and the tag that a model gives each of them.

    Attributes:
        offsets: the offsets of each subword; they may start with white space or be empty.
        tags: `O`, or a prefix, a hyphen and a label; one per subword.
    """

    text: str
    offsets: Sequence[Offsets]
    tags: Sequence[str]


def tags_of(names: Mapping[int, str], model: str) -> tuple[str, ...]:
    """Return the tag of each class of a model: `B-LOC` for `B-LOC`, `B_LOC` and `LOC-B`, `I-LOC` for a plain `LOC`."""
    labels = [names[number] for number in sorted(names)]
    if all(re.fullmatch(r"LABEL_\d+", label) for label in labels):
        raise UsageError(
            f"{model}: the model's labels have no names ({', '.join(labels[:3])} …). Set id2label in its config.json, "
            'e.g. {"0": "O", "1": "B-LOC", "2": "I-LOC"}'
        )
    for style in _STYLES:
        try:
            read = [read_tag(label, style) for label in labels]
        except TagError:
            continue
        return tuple("O" if letter == "O" else f"{letter}-{kind}" for letter, kind in read)
    return tuple("O" if label == "O" else f"I-{label}" for label in labels)


def subword_spans(labelled: Sequence[LabelledSubwords]) -> list[list[Span]]:
    """Return the spans of each text, from the first subword to the last, without white space at the ends."""
    return _decode([one.text for one in labelled], [(one.offsets, one.tags) for one in labelled])


def word_spans(labelled: Sequence[LabelledSubwords], words: Sequence[Sequence[Offsets]]) -> list[list[Span]]:
    """Return the spans of each text, made of whole words: a word has the tag of its first subword."""
    tagged = [_tagged_words(one, own) for one, own in zip(labelled, words, strict=True)]
    return _decode([one.text for one in labelled], tagged)


def _decode(texts: Sequence[str], tagged: Sequence[tuple[Sequence[Offsets], Sequence[str]]]) -> list[list[Span]]:
    """Decode tags like any other tags: whatever the prefix, a span ends with its text at the latest."""
    tags = Tags.from_lists([list(own) for _, own in tagged], source="the model's tags")
    out: list[dict[Span, None]] = [{} for _ in texts]  # subwords of one character can make the same span twice
    for unit, label, first, stop, _, _ in Tagged(Units(len(texts)), (tags,)).decode().rows():
        offsets = tagged[unit][0]
        start, end = _trim(texts[unit], (offsets[first][0], offsets[stop - 1][1]))
        if start < end:
            out[unit][start, end, label] = None
    return [list(own) for own in out]


def _trim(text: str, offsets: Offsets) -> Offsets:
    """Return offsets without white space at the ends; if there is nothing else, they become empty, at the end."""
    start, end = offsets
    inside = text[start:end]
    start = end - len(inside.lstrip())
    return start, start + len(inside.strip())


def _tagged_words(one: LabelledSubwords, words: Sequence[Offsets]) -> tuple[list[Offsets], list[str]]:
    """Return the words that have a subword, with the tag of their first subword.

    A word without a subword was never seen by the model: it has no label and does not split a span.
    """
    starts, ends = [start for start, _ in words], [end for _, end in words]
    offsets: list[Offsets] = []
    tags: list[str] = []
    free = 0
    for (start, end), tag in zip(_reaches(one), one.tags, strict=True):
        begun = bisect_right(ends, start)
        for word in range(max(begun, free), bisect_left(starts, end) if start < end else 0):
            offsets.append(words[word])
            # A subword that began in an earlier word continues here: its B does not start a second span.
            tags.append(f"I{tag[1:]}" if word > begun and tag[0] == "B" else tag)
            free = word + 1
    return offsets, tags


def _reaches(one: LabelledSubwords) -> list[Offsets]:
    """Return the part of the text that each subword labels.

    A subword of white space only belongs to the next word, as in sentencepiece, if the next subword starts there
    without white space of its own; otherwise it labels nothing.
    """
    reaches = [_trim(one.text, offsets) for offsets in one.offsets]
    for i, (start, end) in enumerate(reaches[:-1]):
        if start == end and one.offsets[i + 1] == reaches[i + 1] and reaches[i + 1][0] == end < reaches[i + 1][1]:
            reaches[i] = (end, end + 1)
    return reaches
