"""From the labelled pieces of a tokenizer to spans: of pieces, or of whole words."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from karatage.claims import Style, Tagged, Tags, Units, read_tag
from karatage.errors import TagError, UsageError
from karatage.taggers.protocol import Place, Span

_STYLES = (Style("-"), Style("_"), Style("-", suffix=True), Style("_", suffix=True))


@dataclass(frozen=True)
class Tokenized:
    """A text with its pieces and what a model calls each of them.

    Attributes:
        text: the text.
        places: where each piece lies; a place may start with blanks or be empty.
        tags: `O` or a prefix, a hyphen and a label, one per piece.
    """

    text: str
    places: Sequence[Place]
    tags: Sequence[str]


def tags_of(names: Mapping[int, str], model: str) -> tuple[str, ...]:
    """Return the tag of each class of a model: `B-LOC` for `B-LOC`, `B_LOC` and `LOC-B`, `I-LOC` for a plain `LOC`."""
    labels = [names[number] for number in sorted(names)]
    if all(re.fullmatch(r"LABEL_\d+", label) for label in labels):
        raise UsageError(
            f"{model}: the model has no names for its labels ({', '.join(labels[:3])} …). Write them into id2label of "
            'its config.json, such as {"0": "O", "1": "B-LOC", "2": "I-LOC"}'
        )
    for style in _STYLES:
        try:
            read = [read_tag(label, style) for label in labels]
        except TagError:
            continue
        return tuple("O" if letter == "O" else f"{letter}-{kind}" for letter, kind in read)
    return tuple("O" if label == "O" else f"I-{label}" for label in labels)


def piece_spans(tokenized: Sequence[Tokenized]) -> list[list[Span]]:
    """Return the spans of each text, each from the start of its first piece to the end of its last, without blanks."""
    return _decoded([one.text for one in tokenized], [(one.places, one.tags) for one in tokenized])


def word_spans(tokenized: Sequence[Tokenized], words: Sequence[Sequence[Place]]) -> list[list[Span]]:
    """Return the spans of each text, made of whole words: a word's tag is that of its first piece."""
    tagged = [_words(one, own) for one, own in zip(tokenized, words, strict=True)]
    return _decoded([one.text for one in tokenized], tagged)


def _decoded(texts: Sequence[str], tagged: Sequence[tuple[Sequence[Place], Sequence[str]]]) -> list[list[Span]]:
    """Read the tags as Karatage reads any tags: whatever the prefix, a span ends with the text at the latest."""
    tags = Tags.from_lists([list(own) for _, own in tagged], source="the model's tags")
    out: list[dict[Span, None]] = [{} for _ in texts]  # pieces of one character can make the same span twice
    for unit, label, first, behind, _, _ in Tagged(Units(len(texts)), (tags,)).decode().rows():
        places = tagged[unit][0]
        start, end = trimmed(texts[unit], (places[first][0], places[behind - 1][1]))
        if start < end:
            out[unit][start, end, label] = None
    return [list(own) for own in out]


def trimmed(text: str, place: Place) -> Place:
    """Return a place without the blanks at its ends; one of blanks only becomes empty, at its end."""
    start, end = place
    inside = text[start:end]
    start = end - len(inside.lstrip())
    return start, start + len(inside.strip())


def _words(one: Tokenized, words: Sequence[Place]) -> tuple[list[Place], list[str]]:
    """Return the words that have a piece, with the tag of the first piece that each has.

    A word without a piece was never seen by the model: it neither carries a label nor parts a span.
    """
    starts, ends = [start for start, _ in words], [end for _, end in words]
    places: list[Place] = []
    tags: list[str] = []
    free = 0
    for (start, end), tag in zip(_reaches(one), one.tags, strict=True):
        begun = bisect_right(ends, start)
        for word in range(max(begun, free), bisect_left(starts, end) if start < end else 0):
            places.append(words[word])
            # A piece that began in an earlier word goes on here: its B does not start a second span.
            tags.append(f"I{tag[1:]}" if word > begun and tag[0] == "B" else tag)
            free = word + 1
    return places, tags


def _reaches(one: Tokenized) -> list[Place]:
    """Return where each piece counts.

    A piece of blanks only is the first of the word behind it, as sentencepiece has it, if the next piece starts
    there without blanks of its own; otherwise it counts nowhere.
    """
    reaches = [trimmed(one.text, place) for place in one.places]
    for i, (start, end) in enumerate(reaches[:-1]):
        if start == end and one.places[i + 1] == reaches[i + 1] and reaches[i + 1][0] == end < reaches[i + 1][1]:
            reaches[i] = (end, end + 1)
    return reaches
