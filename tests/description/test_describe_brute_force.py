"""Counts of random data are those of plain loops over sentences."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from karatage.claims import Claims, Units
from karatage.description import ExtractionDescription, describe

Corpus = list[tuple[list[str], list[tuple[str, int, int]]]]
"""The tokens of each sentence, and its entities as label, start and end."""


def corpus(rng: random.Random, *, nested: bool) -> Corpus:
    """Make short sentences of few words, so that everything repeats."""
    out: Corpus = []
    for _ in range(rng.randrange(1, 60)):
        tokens = rng.choices(["ab", "cd", "e"], k=rng.randrange(0, 7))
        spans, at = [], 0
        while at < len(tokens):
            size = rng.randrange(1, 4)
            if rng.random() < 0.4 and at + size <= len(tokens):
                spans.append((rng.choice("XYZ"), at, at + size))
                at += 1 if nested else size
            else:
                at += 1
        out.append((tokens, sorted(set(spans), key=lambda span: span[1:])))
    return out


def as_claims(given: Corpus, space: str) -> Claims:
    tokens = [own for own, _ in given]
    texts = [" ".join(own) for own in tokens]
    starts = [[sum(len(word) + 1 for word in own[:k]) for k in range(len(own))] for own in tokens]
    rows = [
        (unit, label, a, b, None, None)
        if space == "token"
        else (unit, label, starts[unit][a], starts[unit][b - 1] + len(tokens[unit][b - 1]), None, None)
        for unit, (_, spans) in enumerate(given)
        for label, a, b in spans
    ]
    if space == "token":
        return Claims.build(Units(len(given), tokens=tokens), "token", rows)
    return Claims.build(Units(len(given), texts=texts), "char", rows)


def labelled(given: Corpus) -> dict[str, Counter[str]]:
    out: dict[str, Counter[str]] = defaultdict(Counter)
    for tokens, spans in given:
        for label, a, b in spans:
            out[" ".join(tokens[a:b])][label] += 1
    return out


def unlabelled(given: Corpus) -> Counter[str]:
    """Count values where none of their words is in an entity."""
    out: Counter[str] = Counter()
    for value in labelled(given):
        words = value.split(" ")
        for tokens, spans in given:
            taken = {k for _, a, b in spans for k in range(a, b)}
            for at in range(len(tokens) - len(words) + 1):
                here = range(at, at + len(words))
                out[value] += tokens[at : at + len(words)] == words and not taken & set(here)
    return +out


def inner_labels(given: Corpus) -> dict[str, Counter[str | None]]:
    """Count each word by the label of the shortest entity around it; of several, any."""
    out: dict[str, Counter[str | None]] = defaultdict(Counter)
    for tokens, spans in given:
        for k, token in enumerate(tokens):
            around = [(b - a, label) for label, a, b in spans if a <= k < b]
            out[token][min(around)[1] if around else None] += 1
    return out


@pytest.mark.parametrize("space", ["token", "char"])
@pytest.mark.parametrize("seed", range(12))
def test_counts_are_those_of_plain_loops(seed: int, space: str) -> None:
    rng = random.Random(seed)
    given = corpus(rng, nested=seed % 2 == 1)
    found = describe(as_claims(given, space))
    assert isinstance(found, ExtractionDescription)
    values = labelled(given)
    assert {one.label: one.count for one in found.labels} == sum(values.values(), Counter())
    assert {one.label: one.distinct for one in found.labels} == Counter(k for own in values.values() for k in own)
    assert {row.text: {one.label: one.count for one in row.labels} for row in found.ambiguous_values.rows} == {
        value: own for value, own in values.items() if len(own) > 1
    }
    outside = unlabelled(given)
    assert {row.text: row.unlabelled for row in found.partly_labelled.rows} == outside
    assert all(row.labelled == values[row.text].total() for row in found.partly_labelled.rows)
    assert found.unlabelled == outside.total()
    if seed % 2 == 0:  # of two entities on the same words, either may be the inner one
        words = {word: {k: n for k, n in own.items() if k} for word, own in inner_labels(given).items()}
        shown = {row.text: {one.label: one.count for one in row.labels} for row in found.ambiguous_tokens.rows}
        assert shown == {word: own for word, own in words.items() if len(own) > 1}
    check_duplicates(found, given)
    overlapping = sum(
        any(a < spans[k][2] and spans[k][1] < b for _, a, b in sorted(spans, key=_larger_first)[: _place(spans, k)])
        for _, spans in given
        for k in range(len(spans))
    )
    assert found.counts["overlapping"] == overlapping


def _larger_first(span: tuple[str, int, int]) -> tuple[int, int]:
    return span[1], -span[2]


def _place(spans: list[tuple[str, int, int]], k: int) -> int:
    order = sorted(range(len(spans)), key=lambda at: (_larger_first(spans[at]), at))
    return order.index(k)


def check_duplicates(found: ExtractionDescription, given: Corpus) -> None:
    groups: dict[tuple[str, ...], list[Any]] = defaultdict(list)
    for tokens, spans in given:
        if tokens:
            groups[tuple(tokens)].append(tuple(spans))
    several = {tokens: own for tokens, own in groups.items() if len(own) > 1}
    assert found.duplicates is not None
    assert found.duplicates.extra == sum(len(own) - 1 for own in several.values())
    assert found.duplicates.differing == sum(len(set(own)) > 1 for own in several.values())
    assert {row.text: (row.count, row.annotations) for row in found.duplicates.repeated.rows} == {
        " ".join(tokens): (len(own), len(set(own))) for tokens, own in several.items()
    }


@pytest.mark.parametrize("seed", range(6))
def test_overlap_is_that_of_plain_loops(seed: int) -> None:
    rng = random.Random(seed)
    train, test = corpus(rng, nested=False), corpus(rng, nested=False)
    found = describe(as_claims(train, "token"), as_claims(test, "char"))
    assert isinstance(found, ExtractionDescription)
    own = found.overlap
    assert own is not None
    known = {tuple(tokens) for tokens, _ in train if tokens}
    assert own.shared == sum(tuple(tokens) in known for tokens, _ in test)
    words = {word for tokens, _ in train for word in tokens}
    assert own.seen_tokens == sum(word in words for tokens, _ in test for word in tokens)
    seen = labelled(train)
    for row in own.labels:
        mine = [" ".join(t[a:b]) for t, spans in test for label, a, b in spans if label == row.label]
        same = sum(row.label in seen.get(value, ()) for value in mine)
        unseen = sum(value not in seen for value in mine)
        assert (row.count, row.same, row.other, row.unseen) == (len(mine), same, len(mine) - same - unseen, unseen)


def test_real_data_has_the_duplicates_that_a_loop_finds(real_data: Path) -> None:
    """WNUT-17: sentences as tuples of tokens, and entities of the development data whose text is in training."""
    path = real_data / "wnut17" / "train.conll"
    lines = path.read_text("utf-8").split("\n")
    whole = [list(own) for full, own in groupby(lines, lambda line: bool(line.strip())) if full]
    tokens = Counter(tuple(line.split("\t")[0] for line in own) for own in whole)
    found = describe(str(path), str(real_data / "wnut17" / "dev.conll"))
    assert isinstance(found, ExtractionDescription)
    assert found.duplicates is not None
    assert found.counts["units"] == len(whole)
    assert found.counts["tokens"] == sum(map(len, whole))
    assert found.duplicates.extra == len(whole) - len(tokens)
    assert found.duplicates.repeated.total == sum(count > 1 for count in tokens.values())
    assert found.overlap is not None
    assert (found.overlap.shared, found.overlap.seen.same, found.overlap.seen.other) == (0, 0, 0)
