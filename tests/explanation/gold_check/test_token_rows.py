"""Which tokens an entity touches: the columns agree with plain loops over random texts and spans."""

import re

import numpy as np
import pytest

import karatage
from karatage.claims import Claims, TokenColumn, Units
from karatage.explanation.gold_check.entity_columns import EntityColumns, GoldData
from karatage.explanation.gold_check.token_rows import TokenRows

Span = tuple[int, int, int]


def columns(spans: list[Span], shape: int = -1) -> EntityColumns:
    unit, start, end = (np.array(column, np.int64) for column in zip(*spans, strict=True))
    none = np.full(len(spans), shape, np.int64)
    return EntityColumns(unit, none, start, end, none)


def rows_of(texts: list[str], *, tokens: bool) -> TokenRows:
    words = [text.split() for text in texts]
    units = Units(len(texts), texts=texts, tokens=words if tokens else None)
    nothing = Claims.build(units, "token" if tokens else "char", [])
    data = GoldData.of({"s": karatage.score(nothing, nothing, resamples=0).outcomes()})
    rows = TokenRows.of(data, TokenColumn.of(words) if tokens else None)
    assert rows is not None
    return rows


@pytest.mark.parametrize("seed", range(10))
def test_an_entity_in_characters_touches_the_words_and_signs_that_it_shares_characters_with(seed: int) -> None:
    rng = np.random.default_rng(seed)
    texts = ["".join(rng.choice(list("ab (,"), int(rng.integers(0, 12)))) for _ in range(5)]
    spans = [
        (unit, start, end)
        for unit, text in enumerate(texts)
        for start in range(len(text) + 2)
        for end in range(start, len(text) + 3)
    ]
    cut = [[found.span() for found in re.finditer(r"\w+|[^\w\s]", text)] for text in texts]
    before = np.cumsum([0, *map(len, cut)]).tolist()
    rows = rows_of(texts, tokens=False)
    low, high, whole = rows.span(columns(spans))
    for (unit, start, end), first, last, just in zip(spans, low.tolist(), high.tolist(), whole.tolist(), strict=True):
        touched = [at for at, (a, b) in enumerate(cut[unit]) if a < end and start < b]
        assert [at - before[unit] for at in range(first, last)] == touched
        # It is just these tokens if it cuts none of them; white space at its edges counts for nothing.
        assert just == (bool(touched) and start <= cut[unit][touched[0]][0] and cut[unit][touched[-1]][1] <= end)
    some = np.flatnonzero(high > low)
    starts, ends = rows.place(low[some], high[some])
    for at, start, end in zip(some.tolist(), starts.tolist(), ends.tolist(), strict=True):
        own = cut[spans[at][0]]
        first = before[spans[at][0]]
        assert (start, end) == (own[int(low[at]) - first][0], own[int(high[at]) - 1 - first][1])
    assert not rows.span(columns(spans, shape=0))[2].any(), "an entity in pieces is never just its tokens"


def test_an_entity_in_tokens_touches_these_and_nothing_beyond_its_text() -> None:
    rows = rows_of(["a b c", "d e"], tokens=True)
    # The tokens of the second text are the fourth and fifth of all. Beyond a text there is nothing to touch.
    spans = [(0, 0, 1), (0, 1, 3), (0, 3, 4), (0, 2, 9), (1, 0, 2), (1, 1, 1)]
    low, high, whole = rows.span(columns(spans))
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == [(0, 1), (1, 3), (3, 3), (2, 3), (3, 5), (4, 4)]
    assert whole.tolist() == [True, True, False, True, True, False]
    start, end = rows.place(low[:2], high[:2])
    assert (start.tolist(), end.tolist()) == ([0, 1], [1, 3])
    start, end = rows.place(low[4:5], high[4:5])
    assert (start.tolist(), end.tolist()) == ([0], [2])
    assert not rows.span(columns(spans, shape=0))[2].any()
