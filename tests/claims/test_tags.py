"""Tags: interning, decoding by tables, encoding back, detection."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import karatage
from karatage.claims import (
    SCHEMES,
    Claims,
    Style,
    TagDecoder,
    Tagged,
    Tags,
    Units,
    detect,
    encode,
    interning,
    layers_of,
    scheme,
)
from karatage.claims.detection import detect_like_seqeval
from karatage.claims.interning import PADDING, TagVocabulary, intern
from karatage.errors import TagError, UsageError

Span = tuple[int, str, int, int]


def decoded(rows: list[list[str]], decoder: TagDecoder | None = None) -> list[Span]:
    tags = Tags.from_lists(rows, empty=decoder is not None and decoder.scheme is SCHEMES["EMPTY"])
    claims = Tagged(Units(len(rows)), (tags,)).decode(decoder or TagDecoder())
    return [(u, label, a, b) for u, label, a, b, _, _ in claims.rows()]


def random_spans(rng: random.Random, length: int) -> list[tuple[str, int, int]]:
    out, at = [], 0
    while at < length:
        if rng.random() < 0.4:
            end = min(length, at + rng.randint(1, 3))
            out.append((rng.choice(["X", "Y", "Z-Z"]), at, end))
            at = end
        else:
            at += 1
    return out


# In a fresh checkout the first text builds Hypothesis's table of Unicode, which takes seconds on a busy machine.
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(st.text(min_size=1), max_size=6), max_size=8))
def test_any_tags_go_in_and_come_out(rows: list[list[str]]) -> None:
    """Codes and vocabulary give back the very same strings, whatever is in them."""
    assert Tags.from_lists(rows).lists() == rows


@given(st.lists(st.text(alphabet="ab", min_size=0, max_size=40), min_size=1, max_size=50))
def test_interning_tells_all_strings_apart(strings: list[str]) -> None:
    """Strings that share beginnings of eight, sixteen and more bytes."""
    text = b"".join(s.encode() for s in strings)
    buffer = np.frombuffer(text + bytes(PADDING), np.uint8)
    lengths = np.array([len(s) for s in strings])
    starts = np.cumsum(lengths) - lengths
    numbers, distinct = intern(buffer, starts, lengths)
    assert [distinct[k].decode() for k in numbers] == strings


def test_a_hash_collision_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a multiplier of 0 all long strings of one ending collide; they are still told apart."""
    monkeypatch.setattr(interning, "_MULTIPLIERS", (0, 1, 3))
    strings = ["B-first-part-then-same", "B-other-part-then-same", "B-first-part-then-same"]
    text = "".join(strings).encode()
    lengths = np.array([len(s) for s in strings])
    numbers, distinct = intern(np.frombuffer(text + bytes(PADDING), np.uint8), np.cumsum(lengths) - lengths, lengths)
    assert [distinct[k].decode() for k in numbers] == strings


@given(st.lists(st.text(alphabet="ae", min_size=1, max_size=40), min_size=1, max_size=30))
def test_strings_seen_before_are_told_apart(strings: list[str]) -> None:
    """A second block goes through the table of known strings; new ones among them must not be taken for known ones."""
    for known in (strings, strings[: len(strings) // 2]):
        vocabulary = TagVocabulary()
        for block in (known, strings, strings[::-1]):
            text = "".join(s + "\n" for s in block).encode()
            lengths = np.array([len(s) for s in block], np.int64)
            codes = vocabulary.encode(
                np.frombuffer(text + bytes(PADDING), np.uint8), np.cumsum(lengths + 1) - 1, lengths
            )
            assert [vocabulary.names[code] for code in codes] == block


def test_lengths_are_told_apart() -> None:
    """Strings whose words of eight bytes are all the same, cut at other places."""
    block = ["a" * 20, "a" * 22, "a" * 19 + "e", "a" * 9, "a" * 8, "a" * 17]
    vocabulary = TagVocabulary()
    for rows in (block, block[::-1], block * 3):
        tags = "".join(s + "\n" for s in rows).encode()
        lengths = np.array([len(s) for s in rows], np.int64)
        ends = np.cumsum(lengths + 1) - 1
        codes = vocabulary.encode(np.frombuffer(tags + bytes(PADDING), np.uint8), ends, lengths)
        assert [vocabulary.names[code] for code in codes] == rows


def test_many_distinct_tags() -> None:
    """More tags than a byte, or the small table of slots, can number."""
    rows = [[f"B-{k}"] for k in range(70_000)]
    tags = Tags.from_lists(rows)
    assert tags.lists() == rows
    assert len(TagDecoder()(tags).names) == 70_001
    vocabulary = TagVocabulary()
    assert vocabulary.code(b"B-1") == vocabulary.code(b"B-1") == 2


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("B-X I-X O B-X", [("X", 0, 2), ("X", 3, 4)]),
        ("I-X I-X B-X", [("X", 0, 2), ("X", 2, 3)]),
        ("I-X I-Y", [("X", 0, 1), ("Y", 1, 2)]),
        ("B-X E-X S-X", [("X", 0, 2), ("X", 2, 3)]),
        ("E-X E-X", [("X", 0, 1), ("X", 1, 2)]),
        ("U-X U-X L-X", [("X", 0, 1), ("X", 1, 2), ("X", 2, 3)]),
        ("B-X I-X L-X", [("X", 0, 3)]),
        ("B I O", [("_", 0, 2)]),
        ("B-X-Y I-X-Y", [("X-Y", 0, 2)]),
    ],
)
def test_lenient_decoding(tags: str, expected: list[tuple[str, int, int]]) -> None:
    assert decoded([tags.split()]) == [(0, *span) for span in expected]


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("Q-X O B-X", [("X", 0, 1), ("X", 2, 3)]),
        ("B-X I-X O Q-X I-X O", [("X", 0, 2), ("X", 3, 5)]),
        # Q ends a span that E ended before and that nothing started since: it reaches back to the last start.
        ("B-X E-X Q-X O", [("X", 0, 2), ("X", 0, 3)]),
        ("B-X E-X Q-X O B-X O", [("X", 0, 2), ("X", 0, 3), ("X", 4, 5)]),
    ],
)
def test_odd_prefixes_as_conlleval_reads_them(tags: str, expected: list[tuple[str, int, int]]) -> None:
    from seqeval.metrics.sequence_labeling import get_entities

    assert decoded([tags.split()], TagDecoder(flavour="conlleval")) == [(0, *span) for span in expected]
    with pytest.warns(UserWarning, match="NE tag"):
        theirs = get_entities(tags.split())
    assert [(label, start, last + 1) for label, start, last in theirs] == expected


def test_prefixes_at_the_end_as_conlleval_reads_them() -> None:
    """With the type before the prefix; a prefix alone has no type."""
    from seqeval.metrics.sequence_labeling import get_entities

    tags = ["X-B", "X-I", "O", "Y-B", "B", "O"]
    spans = decoded([tags], TagDecoder(flavour="conlleval", style=Style(suffix=True)))
    assert spans == [(0, "X", 0, 2), (0, "Y", 3, 4), (0, "_", 4, 5)]
    assert [(0, label, start, last + 1) for label, start, last in get_entities(tags, suffix=True)] == spans


@pytest.mark.parametrize(
    ("name", "tags", "expected", "invalid"),
    [
        ("IOB2", "I-X B-X I-X I-Y", [("X", 1, 3)], 2),
        ("IOB1", "I-X B-X I-X O I-Y", [("X", 0, 1), ("X", 1, 3), ("Y", 4, 5)], 0),
        ("IOB1", "O B-X", [], 1),
        ("IOE2", "I-X E-X E-X I-X O", [("X", 0, 2), ("X", 2, 3)], 1),
        ("IOE1", "E-X I-X O", [("X", 0, 1), ("X", 1, 2)], 0),
        ("IOBES", "B-X E-X S-Y B-X O I-X", [("X", 0, 2), ("Y", 2, 3)], 3),
        ("BILOU", "B-X I-X L-X U-Y", [("X", 0, 3), ("Y", 3, 4)], 0),
        ("IO", "I-X I-X I-Y O I-X", [("X", 0, 2), ("Y", 2, 3), ("X", 4, 5)], 0),
    ],
)
def test_enforced_schemes(name: str, tags: str, expected: list[tuple[str, int, int]], invalid: int) -> None:
    """Worked by hand: what counts as a span, and how many transitions the scheme forbids (the end counts as O)."""
    decoder = TagDecoder(scheme(name))
    assert decoded([tags.split()], decoder) == [(0, *span) for span in expected]
    assert len(decoder.invalid(Tags.from_lists([tags.split()]))) == invalid


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("style", [Style(), Style("_", True), Style("::")])
def test_encode_decode_round_trip(name: str, style: Style, rng: random.Random) -> None:
    """Random spans come back from every scheme in every style, and what was written is valid in it."""
    for _ in range(60):
        sizes = [rng.randint(1, 9) for _ in range(4)]
        spans = [random_spans(rng, n) for n in sizes]
        if name == "IO":  # touching spans of one type cannot be told apart
            spans = [[s for k, s in enumerate(u) if k == 0 or u[k - 1][2] < s[1]] for u in spans]
        rows = [(u, label, a, b, None, None) for u, unit in enumerate(spans) for label, a, b in unit]
        claims = karatage.Claims.build(Units(4), "token", rows)
        tags = encode(claims, np.array(sizes), scheme(name), style)
        decoder = TagDecoder(scheme(name), style)
        again = Tagged(Units(4), (tags,)).decode(decoder)
        assert list(again.rows()) == rows
        assert len(decoder.invalid(tags)) == 0
        if name not in ("EMPTY", "IOB1"):
            lenient = Tagged(Units(4), (tags,)).decode(TagDecoder(None, style))
            assert list(lenient.rows()) == rows


def test_detection() -> None:
    """One answer or none: a guess is refused."""
    for name, tags in {
        "IOB2": "B-X I-X O",
        "IOB1": "I-X B-X O",
        "IOE2": "I-X E-X O",
        "IOE1": "E-X I-X O",
        "IOBES": "B-X E-X S-Y",
        "BILOU": "B-X L-X U-Y",
    }.items():
        assert detect([Tags.from_lists([tags.split()])]).name == name
    for tags in ("O O", "I-X I-X", "B-X E-Y L-X"):
        with pytest.raises(UsageError, match="cannot detect the tagging scheme"):
            detect([Tags.from_lists([tags.split()])])
    with pytest.raises(TagError):
        detect([Tags.from_lists([["NOUN"]])])


@pytest.mark.parametrize(
    ("prefixes", "name"),
    [
        ("B", "IOB2"),
        ("O I B", "IOB2"),
        ("O I E", "IOE2"),
        ("I", None),
        ("O I", None),
        ("B E", "IOBES"),
        ("O I B E S", "IOBES"),
        ("S", "IOBES"),
        ("O S", None),  # as seqeval does: single letters alone, without O
        ("B L", "BILOU"),
        ("O I B L U", "BILOU"),
        ("U", "BILOU"),
        ("O I B E S L", None),
        ("B E U", None),
    ],
)
def test_detection_as_seqeval_does_it(prefixes: str, name: str | None) -> None:
    from seqeval.scheme import auto_detect

    found = detect_like_seqeval(set(prefixes.split()))
    assert (found.name if found else None) == name
    tags = [[letter if letter == "O" else f"{letter}-X" for letter in prefixes.split()]]
    try:
        theirs = auto_detect(tags).__name__
    except ValueError:
        theirs = None
    assert theirs == name


def test_detection_when_scoring() -> None:
    """`detect` enforces the only scheme that fits gold, and refuses to guess."""
    result = karatage.score([["B-X", "I-X"]], [["I-X", "I-X"]], scheme="detect")
    assert result.profile.scheme == "IOB2"
    assert result["f1"].value == 0.0
    with pytest.raises(UsageError, match="several schemes"):
        karatage.score([["I-X"]], [["I-X"]], scheme="detect")


def test_unknown_scheme_suggests() -> None:
    assert scheme("bio").name == "IOB2"
    with pytest.raises(UsageError, match="Did you mean 'IOB2'"):
        scheme("IOB3")


def test_a_break_ends_each_unit() -> None:
    tags = Tags.from_lists([["B-X", "O"], [], ["O", "B-X"]])
    assert tags.vocabulary[:3] == ("", "O", "B-X")
    assert tags.codes.tolist() == [2, 1, 0, 0, 1, 2, 0]


def test_slices_and_choices() -> None:
    rows = [["B-X"], ["O", "B-Y"], ["O"], ["B-X", "I-X"]]
    tags = Tags.from_lists(rows)
    assert tags.slice(1, 3).lists() == rows[1:3]
    assert tags.take(np.array([3, 0])).lists() == [rows[3], rows[0]]
    other = Tags.from_lists([["B-Z"], ["B-X"]])
    assert Tags.concatenate([tags, other]).lists() == [*rows, ["B-Z"], ["B-X"]]


def test_nested_layers(real_data: Path) -> None:
    """EstNER's three levels, counted beside a plain reading of its JSON."""
    import json

    path = real_data / "estner" / "EstNER_new_dev.json"
    documents = json.loads(path.read_text("utf-8"))["documents"]
    words = [w for d in documents for s in d["sentences"] for w in s["words"]]
    expected = sum(w[f"ner_{k}"].startswith("B-") for w in words for k in (1, 2, 3))
    assert len(karatage.read(path)) == expected


def test_what_a_reader_sees_of_tags_and_units() -> None:
    assert repr(Tags.from_lists([["B-X", "O"], ["O"]])) == "<Tags: 3 in 2 units, 2 distinct>"
    assert repr(Units(3)) == "<Units: 3 with nothing but their number>"
    assert repr(Units(1, tokens=[["a"]])) == "<Units: 1 with tokens>"


def test_layers_of_nested_claims() -> None:
    """Each claim goes to the first layer that is free where it starts: 3–5 follows 0–2, and 10–11 follows 0–10."""
    rows = [(0, 10), (0, 2), (1, 9), (3, 5), (4, 6), (10, 11)]
    claims = Claims.build(Units(1), "token", [(0, "X", start, end, None, None) for start, end in rows])
    found = {
        (start, end): layer for (_, _, start, end, *_), layer in zip(claims.rows(), layers_of(claims), strict=True)
    }
    assert found == {(0, 10): 0, (0, 2): 1, (1, 9): 2, (3, 5): 1, (4, 6): 3, (10, 11): 0}
