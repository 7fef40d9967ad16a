"""Where forms occur, and what gold says of them there: the columns agree with plain loops over small random corpora."""

from typing import Any

import numpy as np
import pytest

import karatage
from karatage.claims import Claims, TokenColumn, Units
from karatage.explanation.gold_check.entity_columns import GoldData
from karatage.explanation.gold_check.occurrences import Occurrences
from karatage.explanation.gold_check.token_rows import EDGE, TokenRows

Row = tuple[int, str, int, int]


def random_rows(rng: np.random.Generator, tokens: list[list[str]], count: int) -> list[Row]:
    """Draw claims of one to three tokens; they may be nested, cross, or stand twice on one place with two labels."""
    rows = set()
    for _ in range(count):
        unit = int(rng.integers(len(tokens)))
        start = int(rng.integers(len(tokens[unit])))
        end = min(start + int(rng.integers(1, 4)), len(tokens[unit]))
        rows.add((unit, str(rng.choice(["LOC", "PER"])), start, end))
    return sorted(rows)


def plain(tokens: list[list[str]], gold: list[Row], torn: list[Row], system: list[Row]) -> dict[Any, Any]:
    """Return for each place of a form: the form, its neighbours, and what gold says."""
    forms = {tuple(tokens[unit][start:end]) for unit, _, start, end in (*gold, *system)}
    out = {}
    for unit, words in enumerate(tokens):
        for first in range(len(words)):
            for last in range(first + 1, len(words) + 1):
                if tuple(words[first:last]) not in forms:
                    continue
                here = [(label, a, b) for u, label, a, b in gold if u == unit and a < last and first < b]
                crossing = any(u == unit and a < last and first < b for u, _, a, b in torn)
                exact = [one for one in here if one[1:] == (first, last)]
                inside = [one for one in here if first <= one[1] and one[2] <= last]
                if not exact and (crossing or len(inside) < len(here)):
                    continue  # part of something longer, or across an edge of it
                said: Any = "untagged"
                longest: Any = None
                if len(exact) == 1:
                    said, longest = exact[0][0], exact[0]
                elif inside:
                    said = tuple(sorted((label, a - first, b - first) for label, a, b in exact or inside))
                    longest = max(exact or inside, key=lambda one: one[2] - one[1])  # of equals, the first
                neighbours = (words[first - 1] if first else None, words[last] if last < len(words) else None)
                out[unit, first, last] = (tuple(words[first:last]), *neighbours, said, longest)
    return out


def is_one_to_one(pairs: list[tuple[Any, Any]]) -> bool:
    return len(set(pairs)) == len({one for one, _ in pairs}) == len({other for _, other in pairs})


@pytest.mark.parametrize("seed", range(25))
def test_every_place_of_every_form_and_what_gold_says_of_it_is_what_plain_loops_find(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tokens = [[str(word) for word in rng.choice(["a", "b", "c"], int(rng.integers(1, 8)))] for _ in range(6)]
    gold, system = random_rows(rng, tokens, 7), random_rows(rng, tokens, 4)
    torn: list[Row] = []  # one entity in two pieces, which is nobody's exact place
    if seed % 2 and len(tokens[0]) >= 3:
        torn = [(0, "PER", 0, 3)]
    units = Units(len(tokens), tokens=tokens, texts=[" ".join(words) for words in tokens])
    pieces = [(*row, ((0, 1), (2, 3)), None) for row in torn]
    own = Claims.build(units, "token", [*((*row, None, None) for row in gold), *pieces])
    pred = Claims.build(units, "token", [(*row, None, None) for row in system])
    data = GoldData.of({"s": karatage.score(own, pred, resamples=0).outcomes()})
    token_rows = TokenRows.of(data, TokenColumn.of(tokens))
    assert token_rows is not None
    found = Occurrences.of(data, token_rows)

    rows = list(own.rows())
    expected = plain(tokens, [row[:4] for row in rows if row[4] is None], torn, system)
    first, last = token_rows.place(found.first, found.last)
    places = list(zip(found.unit.tolist(), first.tolist(), last.tolist(), strict=True))
    assert sorted(places) == sorted(expected)
    assert found.left is not None
    assert found.right is not None
    names = [expected[place] for place in places]
    assert is_one_to_one([(key, form) for key, (form, *_) in zip(found.form.tolist(), names, strict=True)])
    for column, at in ((found.left, 1), (found.right, 2)):
        keys = [None if key == EDGE else key for key in column.tolist()]
        assert is_one_to_one([(key, name[at]) for key, name in zip(keys, names, strict=True)])
        assert [key is None for key in keys] == [name[at] is None for name in names]
    assert is_one_to_one([(state, name[3]) for state, name in zip(found.state.tolist(), names, strict=True)])
    for place, state, at, (*_, said, longest) in zip(
        places, found.state.tolist(), found.gold.tolist(), names, strict=True
    ):
        assert (None if at < 0 else rows[at][1:4]) == longest
        if state < len(data.labels):
            assert data.labels[state] == said
        elif state > found.untagged:
            label, low, high = found.inner[state - found.untagged - 1].tolist()
            # Of several places in one state, all have the same parts, so the longest lies alike in each.
            assert (data.labels[label], low + place[1], high + place[1]) == longest
        else:
            assert (state, said, longest) == (found.untagged, "untagged", None)


def test_forms_of_more_than_twelve_tokens_are_not_looked_for() -> None:
    words = [f"w{at}" for at in range(13)]
    for length, times in ((12, 2), (13, 0)):
        tokens = [words[:length], words[:length]]
        units = Units(2, tokens=tokens, texts=[" ".join(row) for row in tokens])
        own = Claims.build(units, "token", [(0, "LOC", 0, length, None, None)])
        data = GoldData.of({"s": karatage.score(own, own, resamples=0).outcomes()})
        token_rows = TokenRows.of(data, TokenColumn.of(tokens))
        assert token_rows is not None
        assert len(Occurrences.of(data, token_rows)) == times
