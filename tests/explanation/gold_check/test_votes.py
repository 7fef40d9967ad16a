"""What the systems say together: patterns, shares and partners agree with plain loops over small random corpora."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import karatage
from karatage.claims import Claims, Units
from karatage.explanation.gold_check.consistency import LEAN
from karatage.explanation.gold_check.entity_columns import EntityColumns, GoldData
from karatage.explanation.gold_check.proposals import Proposals
from karatage.explanation.gold_check.reasons import votes_of
from karatage.explanation.gold_check.row_hashes import mix
from karatage.explanation.gold_check.votes import BINS, Votes, nearer

Row = tuple[int, str, int, int]
UNITS, WIDTH = 4, 12


def random_rows(rng: np.random.Generator, count: int) -> list[Row]:
    rows = set()
    for _ in range(count):
        start = int(rng.integers(WIDTH - 1))
        end = min(start + int(rng.integers(1, 7)), WIDTH)
        rows.add((int(rng.integers(UNITS)), str(rng.choice(["LOC", "PER"])), start, end))
    return sorted(rows, key=lambda row: (row[0], row[2], row[3], row[1]))


def claims(rows: list[Row], scores: list[float] | None = None) -> Claims:
    units = Units(UNITS, tokens=[["w"] * WIDTH] * UNITS)
    return Claims.build(units, "token", [(*row, None, None) for row in rows], scores)


def overlap(one: Row, other: Row) -> bool:
    return one[0] == other[0] and one[2] < other[3] and other[2] < one[3]


class Case:
    """A gold, some systems, and the votes on them."""

    def __init__(self, seed: int, systems: int) -> None:
        rng = np.random.default_rng(seed)
        self.gold = random_rows(rng, 14)
        self.systems = [random_rows(rng, 9) for _ in range(systems)]
        for system in self.systems:  # which are right now and then
            system += [row for row in self.gold if rng.random() < 0.5 and row not in system]
        own = claims(self.gold)
        self.gold = [row[:4] for row in own.rows()]
        self.data = GoldData.of(
            {
                f"s{at}": karatage.score(own, claims(rows), resamples=0).outcomes()
                for at, rows in enumerate(self.systems)
            }
        )
        self.votes = Votes.of(self.data)
        entities = self.votes.entities
        columns = (entities.unit, entities.label, entities.start, entities.end)
        self.made: list[Row] = [
            (unit, self.data.labels[label], start, end)
            for unit, label, start, end in zip(*(column.tolist() for column in columns), strict=True)
        ]
        self.unseen = [not any(overlap(row, other) for system in self.systems for other in system) for row in self.gold]

    def role(self, row: Row) -> tuple[int, ...]:
        return tuple(
            2 if row in system else int(any(overlap(row, other) for other in system)) for system in self.systems
        )


@pytest.mark.parametrize("systems", [1, 2, 3, 6])
@pytest.mark.parametrize("seed", range(3))
def test_who_makes_a_claim_and_how_often_gold_confirms_such_claims(seed: int, systems: int) -> None:
    case = Case(seed, systems)
    votes, made = case.votes, case.made
    assert sorted(made) == sorted({row for system in case.systems for row in system})
    assert votes.by.tolist() == [[row in system for system in case.systems] for row in made]
    assert votes.gold.tolist() == [case.gold.index(row) if row in case.gold else -1 for row in made]
    assert votes.of_gold.tolist() == [made.index(row) if row in made else -1 for row in case.gold]
    # Of up to four systems a pattern says which; of more, how many make the claim and how many another one there.
    roles = [case.role(row) for row in made]
    kinds: list[Any] = roles if systems <= 4 else [(one.count(2), one.count(1)) for one in roles]
    pairs = set(zip(votes.pattern.tolist(), kinds, strict=True))
    assert len(pairs) == len({pattern for pattern, _ in pairs}) == len({kind for _, kind in pairs})
    right = np.array([float(row in case.gold) for row in made])
    count = np.array([one.count(2) for one in roles])
    assert votes.count.tolist() == count.tolist()
    share = np.array([(right[count == k].sum() + 0.5) / ((count == k).sum() + 1) for k in count])
    for keys in (kinds, [(kind, row[1]) for kind, row in zip(kinds, made, strict=True)]):
        numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        share = nearer(mix(np.array([numbers[key] for key in keys])), right, share)
    np.testing.assert_allclose(votes.confirmed, share)


@pytest.mark.parametrize("systems", [1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_a_claim_that_gold_lacks_is_put_against_the_gold_entity_that_shares_most(seed: int, systems: int) -> None:
    case = Case(seed, systems)
    expected = {}
    for at, row in enumerate(case.made):
        if row in case.gold:
            continue
        rivals = [
            (min(row[3], gold[3]) - max(row[2], gold[2]), gold[1] == row[1], -number)
            for number, gold in enumerate(case.gold)
            # A system that makes both claims does not mean the one instead of the other.
            if overlap(row, gold) and not any(row in system and gold in system for system in case.systems)
        ]
        expected[at] = -max(rivals)[2] if rivals else -1
    lacking, instead = case.votes.against()
    assert dict(zip(lacking.tolist(), instead.tolist(), strict=True)) == expected


@pytest.mark.parametrize("seed", [0, 1, 6, 10])  # in the last two, no system sees some entity of gold
def test_evidence_for_adding_changing_and_removing(seed: int) -> None:
    case = Case(seed, 2)
    votes, gold, unseen = case.votes, case.gold, case.unseen
    assert votes.unseen.tolist() == unseen
    every = (sum(unseen) + 0.5) / (len(gold) + 1)

    def missed(label: str) -> float:
        own = [no for row, no in zip(gold, unseen, strict=True) if row[1] == label]
        return (sum(own) + LEAN * every) / (len(own) + LEAN)

    labels = list(case.data.labels)
    np.testing.assert_allclose(votes.missed_by_label(), [missed(label) for label in labels])
    by_label = nearer(
        mix(np.array([labels.index(row[1]) for row in gold])),
        np.array(unseen, float),
        np.full(len(gold), every),
    )
    np.testing.assert_allclose(votes.missed(None), by_label)
    # One form for all gold entities but the first, which has none.
    form = np.array([0, *[7] * (len(gold) - 1)], np.uint64)
    near = votes.missed(form)
    assert near[0] == pytest.approx(by_label[0])
    again = nearer(mix(np.array([labels.index(row[1]) for row in gold]), form), np.array(unseen, float), by_label)
    np.testing.assert_allclose(near[1:], again[1:])

    def odds(at: int) -> float:
        share = float(votes.confirmed[at])
        return math.log(share / (1 - share))

    lacking = case.votes.against()[0].tolist()[0]
    kept = next(at for at, one in enumerate(votes.of_gold.tolist()) if one >= 0)
    same = int(votes.of_gold[kept])
    alone = next((at for at, no in enumerate(unseen) if no), None)
    per = labels.index("PER")
    proposals = [  # gold entity, systems' claim, label, whether no system says anything there; what is said for it
        (-1, lacking, 0, False, odds(lacking)),  # a system makes it
        (kept, -1, -1, False, -odds(same)),  # remove what systems confirm
        (kept, lacking, 0, True, odds(lacking)),  # replace it by what a system makes
        (-1, -1, per, True, math.log(missed("PER"))),  # add what no system makes, where none says anything
        (-1, -1, per, False, 0.0),  # and where they say something else
    ]
    if alone is not None:
        proposals.append((alone, -1, -1, True, -math.log(by_label[alone])))  # remove what no system sees
        # Change its label: the systems say nothing of it.
        proposals += [(alone, -1, number, True, 0.0) for number in range(len(labels))]
    *columns, expected = (list(column) for column in zip(*proposals, strict=True))
    made = votes.evidence(*(np.array(column) for column in columns), None)  # type: ignore[call-arg]
    np.testing.assert_allclose(made, expected)


def test_systems_with_other_scales_of_confidence_are_compared_by_rank() -> None:
    rows = [(at, "LOC", 0, 1) for at in range(4)]
    own = claims(rows[:1])
    nan = float("nan")
    data = GoldData.of(
        {
            "a": karatage.score(own, claims(rows, [0.9, 0.2, 0.2, 0.1]), resamples=0).outcomes(),
            "b": karatage.score(own, claims(rows, [-7.0, nan, 3.0, -9.0]), resamples=0).outcomes(),
            "c": karatage.score(own, claims(rows[2:]), resamples=0).outcomes(),
        }
    )
    votes = Votes.of(data)
    assert votes.entities.score is not None
    # The share of its own claims that a system is less sure of; one half where it does not say.
    # a: 3/4, 1/4, 1/4, 0.  b: of three, 1/3, -, 2/3, 0.  c: 1/2 each.
    found = dict(zip(votes.entities.unit.tolist(), votes.entities.score.tolist(), strict=True))
    assert found == pytest.approx(
        {0: (3 / 4 + 1 / 3) / 2, 1: (1 / 4 + 1 / 2) / 2, 2: (1 / 4 + 2 / 3 + 1 / 2) / 3, 3: (0 + 0 + 1 / 2) / 3}
    )
    # In fifths: 2, 1, 2, 0. So the first and the third are alike in confidence, though not in who makes them.
    sure = (votes.entities.score * BINS).astype(int)
    assert dict(zip(votes.entities.unit.tolist(), sure.tolist(), strict=True)) == {0: 2, 1: 1, 2: 2, 3: 0}


def test_how_many_systems_agree_with_removing_the_first_claim() -> None:
    """Of three systems one makes it, so two agree; with adding a claim, as many as make it."""
    rows = [(at, "LOC", 0, 1) for at in range(3)]
    own = claims(rows[:2])
    systems = {"a": rows[:1], "b": rows[1:], "c": rows[1:]}
    data = GoldData.of(
        {name: karatage.score(own, claims(made), resamples=0).outcomes() for name, made in systems.items()}
    )
    votes = Votes.of(data)
    gold = np.array([0, 1, -1])
    nothing = EntityColumns.nothing(data.gold.unit[:2])
    at = votes.entities.unit.tolist().index(2)
    proposals = Proposals.of(gold, EntityColumns.join([nothing, votes.entities.take(np.array([at]))]))
    weighed = SimpleNamespace(votes=votes, proposals=proposals, voted=np.array([-1, -1, at]), total=np.zeros(3))
    assert votes_of(data, weighed).tolist() == [2, 1, 2]
    without = SimpleNamespace(votes=None, proposals=proposals, voted=np.array([-1, -1, at]), total=np.zeros(3))
    assert votes_of(data, without).tolist() == [0, 0, 0]
