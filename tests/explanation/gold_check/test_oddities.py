"""What is odd in gold by itself: every proposal and its evidence agree with plain loops over small random corpora."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import karatage
from karatage.claims import Claims, TokenColumn, Units
from karatage.explanation.gold_check.consistency import LEAN
from karatage.explanation.gold_check.entity_columns import GoldData
from karatage.explanation.gold_check.oddities import (
    OVERLAP,
    TOO_LONG,
    TOO_SHORT,
    of_blanks,
    of_copies,
    of_edges,
    of_places,
)
from karatage.explanation.gold_check.proposals import Proposals
from karatage.explanation.gold_check.token_rows import TokenRows

Row = tuple[int, str, int, int]


def corpus(seed: int) -> tuple[list[list[str]], list[Row]]:
    """Make texts of few words and signs, some of them copies of each other, with random entities."""
    rng = np.random.default_rng(seed)
    distinct = [[str(one) for one in rng.choice(list("abc("), int(rng.integers(2, 7)))] for _ in range(4)]
    tokens = [distinct[int(at)] for at in rng.integers(0, 4, 9)]
    gold = set()
    for _ in range(18):
        unit = int(rng.integers(len(tokens)))
        start = int(rng.integers(len(tokens[unit])))
        end = min(start + int(rng.integers(1, 5)), len(tokens[unit]))
        gold.add((unit, str(rng.choice(["LOC", "PER"])), start, end))
    return tokens, sorted(gold, key=lambda row: (row[0], row[2], row[3], row[1]))


def prepared(tokens: list[list[str]], gold: Sequence[Row]) -> tuple[GoldData, TokenRows, list[Row]]:
    units = Units(len(tokens), tokens=tokens, texts=[" ".join(words) for words in tokens])
    own = Claims.build(units, "token", [(*row, None, None) for row in gold])
    data = GoldData.of({"s": karatage.score(own, own, resamples=0).outcomes()})
    token_rows = TokenRows.of(data, TokenColumn.of(tokens))
    assert token_rows is not None
    return data, token_rows, [row[:4] for row in own.rows()]


def listed(data: GoldData, parts: Sequence[Proposals], column: str) -> list[Any]:
    """Return the proposals as (gold claim, unit, label, start, end, evidence)."""
    out = []
    for one in parts:
        entities = one.entities
        columns = (one.gold, entities.unit, entities.label, entities.start, entities.end, getattr(one, column))
        for gold, unit, label, start, end, evidence in zip(*(each.tolist() for each in columns), strict=True):
            out.append((gold, unit, data.labels[label] if label >= 0 else None, start, end, pytest.approx(evidence)))
    return out


def same(found: list[Any], expected: list[Any]) -> None:
    def order(row: Any) -> Any:
        return (*row[:2], str(row[2]), *row[3:5])

    assert sorted(expected, key=order) == sorted(found, key=order)


def plain_edges(tokens: list[list[str]], gold: list[Row]) -> list[Any]:
    def is_inside(unit: int, at: int) -> bool:
        return any(u == unit and start <= at < end for u, _, start, end in gold)

    outside = Counter(
        word for unit, words in enumerate(tokens) for at, word in enumerate(words) if not is_inside(unit, at)
    )

    def signs_allow(unit: int, start: int, end: int) -> bool:
        own = [word == "(" for word in tokens[unit][start:end]]
        return own[0] == own[-1] or sum(own) == 1

    out: list[Any] = []
    gains: list[list[float]] = []
    for side in (0, 1):
        edge = [(unit, (start, end - 1)[side]) for unit, _, start, end in gold]
        beside = [(unit, (start - 1, end)[side]) for unit, _, start, end in gold]
        several = [end - start > 1 for *_, start, end in gold]
        free = [0 <= at < len(tokens[unit]) and not is_inside(unit, at) for unit, at in beside]
        at_edge = Counter(tokens[unit][at] for (unit, at), many in zip(edge, several, strict=True) if many)
        next_to = Counter(tokens[unit][at] for (unit, at), there in zip(beside, free, strict=True) if there)

        def odds_of_outside(own: int, near: int, out_: int) -> float:
            general = (out_ + 0.5) / (out_ + own + 1)
            share = (near + LEAN * general) / (own + near + LEAN)
            return math.log(share / (1 - share))

        gains.append([0.0] * len(gold))
        for row, (unit, label, start, end) in enumerate(gold):
            if several[row] and signs_allow(unit, start, end):
                word = tokens[unit][edge[row][1]]
                gain = odds_of_outside(at_edge[word] - 1, next_to[word], outside[word])
                gains[side][row] = gain
                if gain > 0:
                    out.append((row, unit, label, start + (side == 0), end - (side == 1), gain))
            if free[row]:
                word = tokens[unit][beside[row][1]]
                gain = -odds_of_outside(at_edge[word], next_to[word] - 1, outside[word] - 1)
                if gain > 0:
                    out.append((row, unit, label, start - (side == 0), end + (side == 1), gain))
    for row, (unit, label, start, end) in enumerate(gold):
        left, right = gains[0][row], gains[1][row]
        if left > 0 and right > 0 and end - start > 2:
            out.append((row, unit, label, start + 1, end - 1, left + right))
    return out


@pytest.mark.parametrize("seed", range(12))
def test_edges_are_weighed_as_plain_loops_weigh_them(seed: int) -> None:
    data, token_rows, gold = prepared(*corpus(seed))
    parts = of_edges(data, token_rows)
    tokens, _ = corpus(seed)
    same(listed(data, parts, "odd"), plain_edges(tokens, gold))
    for part, what in zip(parts, (TOO_LONG, TOO_SHORT, TOO_LONG, TOO_SHORT, TOO_LONG), strict=True):
        assert set(part.what.tolist()) <= {what}


@pytest.mark.parametrize("seed", range(12))
def test_overlaps_of_one_label_are_those_that_plain_loops_find(seed: int) -> None:
    data, _, gold = prepared(*corpus(seed))
    odd = set()
    for row, (unit, label, start, end) in enumerate(gold):
        for other, (unit2, label2, low, high) in enumerate(gold):
            if other != row and (unit, label) == (unit2, label2) and start < high and low < end:
                longer = (high - low) - (end - start)
                if longer > 0 or (longer == 0 and other < row):
                    odd.add(row)
    every = (len(odd) + 0.5) / (len(gold) + 1)
    expected = []
    for row in odd:
        unit, label, *_ = gold[row]
        alike = sum(gold[one][1] == label for one in odd) - 1
        share = (alike + LEAN * every) / (sum(one[1] == label for one in gold) - 1 + LEAN)
        expected.append((row, unit, None, -1, -1, -math.log(share)))
    parts = of_places(data)
    same(listed(data, parts, "odd"), expected)
    assert set(parts[0].what.tolist()) <= {OVERLAP}


@pytest.mark.parametrize("seed", range(12))
def test_copies_of_a_text_are_compared_as_plain_loops_compare_them(seed: int) -> None:
    tokens, rows = corpus(seed)
    data, token_rows, gold = prepared(tokens, rows)
    expected: list[Any] = []
    agreeing: list[Any] = []
    for text in {tuple(words) for words in tokens if len(words) >= 3}:
        copies = [unit for unit, words in enumerate(tokens) if tuple(words) == text]
        for label, start, end in {row[1:] for row in gold if row[0] in copies}:
            have = [unit for unit in copies if (unit, label, start, end) in gold]
            lack = [unit for unit in copies if unit not in have]
            if not lack:
                continue
            for unit in have:
                row = gold.index((unit, label, start, end))
                expected.append((row, unit, None, -1, -1, math.log((len(lack) + 0.5) / (len(have) - 0.5))))
                agreeing.append((row, unit, None, -1, -1, len(lack)))
            for unit in lack:
                # Of the gold entities that it overlaps, it would replace the one that shares most; of equals the first.
                shared = [
                    (min(end, high) - max(start, low), -at)
                    for at, (own, _, low, high) in enumerate(gold)
                    if own == unit and low < end and start < high
                ]
                row = -max(shared)[1] if shared else -1
                expected.append((row, unit, label, start, end, math.log((len(have) + 0.5) / (len(lack) - 0.5))))
                agreeing.append((row, unit, label, start, end, len(have)))
    parts = of_copies(data, token_rows)
    same(listed(data, parts, "copied"), expected)
    same(listed(data, parts, "agree"), agreeing)


def test_the_shorter_of_two_overlapping_entities_is_the_suspect_however_many_edges_lie_in_it() -> None:
    # The short one holds the edges of another entity, the long one holds none: its length counts all the same.
    tokens = [["w"] * 12, ["w"] * 12]
    data, *_ = prepared(tokens, [(0, "LOC", 0, 6), (0, "LOC", 5, 9), (1, "PER", 6, 7), (1, "PER", 7, 8)])
    (part,) = of_places(data)
    assert part.gold.tolist() == [1]


def test_white_space_and_cut_words_are_found_in_texts_with_characters() -> None:
    texts = ["see Narva now", "see Narva now", "see Narva now", "see Narva now"]
    units = Units(4, texts=texts)
    spans = [(4, 9), (3, 9), (4, 10), (4, 8)]  # right; a blank before it; a blank behind it; its last letter is cut
    own = Claims.build(units, "char", [(at, "LOC", *span, None, None) for at, span in enumerate(spans)])
    data = GoldData.of({"s": karatage.score(own, own, resamples=0).outcomes()})
    token_rows = TokenRows.of(data, None)
    assert token_rows is not None
    white, cut = of_blanks(data, token_rows)
    # Two of four have white space: every = 2.5 / 5; of the other three, one: (1 + LEAN / 2) / (3 + LEAN).
    blank = -math.log((1 + LEAN * 0.5) / (3 + LEAN))
    same(listed(data, [white], "odd"), [(1, 1, "LOC", 4, 9, blank), (2, 2, "LOC", 4, 9, blank)])
    # One of four is cut: every = 1.5 / 5; of the other three, none.
    same(listed(data, [cut], "odd"), [(3, 3, "LOC", 4, 9, -math.log((0 + LEAN * 0.3) / (3 + LEAN)))])
