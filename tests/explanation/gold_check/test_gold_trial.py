"""The trial: errors are planted where it says, and evidence that finds them counts for more."""

import numpy as np
import pytest
from benchmarks.gold_check import Span, World, answer, make

import karatage
from karatage.claims import Claims, TokenColumn, Units
from karatage.explanation.gold_check.entity_columns import EntityColumns, GoldData
from karatage.explanation.gold_check.gold_trial import learned, spoil, weights_of_evidence
from karatage.explanation.gold_check.token_rows import TokenRows

Places = set[tuple[int, int, int, int]]


def data_of(world: World, system: list[list[Span]], *, chars: bool = False) -> tuple[GoldData, TokenRows]:
    texts = [" ".join(own) for own in world.tokens]
    units = Units(len(texts), texts=texts, tokens=None if chars else world.tokens)
    starts = [np.cumsum([0, *(len(token) + 1 for token in own)]).tolist() for own in world.tokens]

    def claims(spans: list[list[Span]]) -> Claims:
        rows = [(unit, label, low, high, None, None) for unit, own in enumerate(spans) for label, low, high in own]
        if chars:
            rows = [(u, x, starts[u][a], starts[u][b] - 1, None, None) for u, x, a, b, _, _ in rows]
        return Claims.build(units, "char" if chars else "token", rows)

    data = GoldData.of({"s": karatage.score(claims(world.spans), claims(system), resamples=0).outcomes()})
    rows = TokenRows.of(data, None if chars else TokenColumn.of(world.tokens))
    assert rows is not None
    return data, rows


def placed(entities: EntityColumns) -> Places:
    columns = (entities.unit, entities.label, entities.start, entities.end)
    return set(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("chars", [False, True])
def test_gold_is_spoiled_where_the_trial_says_and_nowhere_else(chars: bool) -> None:
    world = make(300, 1)
    data, token_rows = data_of(world, world.spans, chars=chars)
    spoiled = spoil(data, token_rows, np.random.default_rng(0))
    old, new = placed(data.gold), placed(spoiled.data.gold)
    errors = list(zip(spoiled.unit.tolist(), spoiled.start.tolist(), spoiled.end.tolist(), strict=True))
    changed = old ^ new
    for unit, _, start, end in changed:
        assert any(unit == u and a <= start and end <= b for u, a, b in errors)
    kinds = {"label": 0, "boundary": 0, "dropped": 0, "added": 0}
    for u, a, b in errors:
        gone, come = (
            [one for one in part if one[0] == u and a <= one[2] and one[3] <= b] for part in (old - new, new - old)
        )
        assert (len(gone), len(come)) in {(1, 1), (1, 0), (0, 1)}, "each error is one change"
        if not come or not gone:
            kinds["added" if come else "dropped"] += 1
        else:
            kinds["label" if gone[0][2:] == come[0][2:] else "boundary"] += 1
            assert (gone[0][1] != come[0][1]) != (gone[0][2:] != come[0][2:])
    # A tenth of the claims, a quarter of each kind; for some the same label is drawn, for some there is no room.
    tenth = round(0.1 * len(old))
    assert kinds["dropped"] == pytest.approx(tenth / 4, abs=1)
    assert kinds["added"] == pytest.approx(tenth / 4, abs=1)
    assert tenth / 8 < kinds["label"] <= tenth / 4 + 1
    assert tenth / 8 < kinds["boundary"] <= tenth / 4 + 1
    # No two claims overlap, as none did before.
    for unit, _, start, end in new:
        assert sum(u == unit and a < end and start < b for u, _, a, b in new) == 1


def test_systems_count_for_more_if_they_are_right_more_often() -> None:
    world = make(600, 2)
    rng = np.random.default_rng(0)
    poor = [[span for span in own if rng.random() < 0.3] for own in answer(world, 3, systems=1)[0]]
    good, bad = (weights_of_evidence(*data_of(world, system), ("gold", "systems"))[1] for system in (world.spans, poor))
    assert good > bad + 0.5, "2.07 and 1.10 were measured"


def test_too_little_gold_gives_all_evidence_the_same_weight() -> None:
    world = make(60, 4)  # about 110 claims: 11 errors to plant
    assert weights_of_evidence(*data_of(world, world.spans), ("gold", "systems")).tolist() == [1, 1, 1]


def test_weights_are_learned_by_logistic_regression() -> None:
    errors = np.repeat([True, False], 200)
    signal = np.where(errors, 1.0, -1.0)
    nothing = np.zeros(400)
    # What points the wrong way counts for nothing; what says nothing keeps 0.5 and is left out of the average.
    first, wrong, silent = learned(np.stack([signal, -signal, nothing], 1), errors).tolist()
    assert (first, wrong) == (2.0, 0.0)
    assert 0 < silent < first
    # Two columns that say the same get the same weight.
    assert learned(np.stack([signal, signal], 1), errors).tolist() == [1, 1]


def test_weights_are_those_of_a_logistic_regression_that_leans_on_one_half() -> None:
    # Column x is 1 in 200 rows, 150 of them errors, and -1 in 200 rows, 50 of them errors; y is so in 400 other rows,
    # with 120 and 80 errors. The base is 0, as half of the rows are errors. With the logistic function s, the slope of
    # the loss is 400 (s(w) - 0.75) + 20 (w - 0.5) for x and 400 (s(v) - 0.6) + 20 (v - 0.5) for y: both are 0 at
    # w = 0.9755 and v = 0.4218, which is 1.40 and 0.60 on a scale with mean 1.
    sides = np.repeat([1.0, -1.0], 200)
    x, y = np.append(sides, np.zeros(400)), np.append(np.zeros(400), sides)
    errors = np.concatenate([np.arange(200) < count for count in (150, 50, 120, 80)])
    assert learned(np.stack([x, y], 1), errors).tolist() == [1.4, 0.6]


def test_a_form_is_the_same_in_any_case() -> None:
    from karatage.explanation.gold_check import check_gold

    texts = [f"we saw tartu on day {at} ." for at in range(10)] + ["TARTU is a town ."]
    units = Units(11, texts=texts, tokens=[text.split() for text in texts])
    gold = Claims.build(units, "token", [(at, "LOC", 2, 3, None, None) for at in range(10)])
    nothing = Claims.build(units, "token", [])
    found = check_gold({"s": karatage.score(gold, nothing, resamples=0).outcomes()}, evidence=["gold"])
    row = found.frame.row(0, named=True)
    assert (row["unit"], row["proposed_label"], row["proposed_text"]) == ("11", "LOC", "TARTU")
    assert row["reason"].startswith("LOC in 10 of 11 occurrences, untagged here")
