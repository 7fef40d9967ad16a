"""Which occurrence speaks on a proposed change, and which changes stay: the columns agree with plain loops."""

import numpy as np
import pytest

import karatage
from karatage.claims import Claims, TokenColumn, Units
from karatage.explanation.gold_check.consistency import Consistency
from karatage.explanation.gold_check.entity_columns import EntityColumns, GoldData
from karatage.explanation.gold_check.occurrences import Occurrences
from karatage.explanation.gold_check.proposal_evidence import _free, _occurrences
from karatage.explanation.gold_check.proposals import Proposals
from karatage.explanation.gold_check.token_rows import TokenRows

Row = tuple[int, str, int, int]
Change = tuple[int, Row | None]
"""The number of a gold entity, -1 to add one; and what to put there, None to remove it."""


class Case:
    """A small random corpus with random changes to its gold."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.tokens = [[str(one) for one in rng.choice(["a", "b", "c"], 6)] for _ in range(6)]
        units = Units(6, tokens=self.tokens, texts=[" ".join(words) for words in self.tokens])
        gold, system = self._rows(rng, 12), self._rows(rng, 8)
        own = Claims.build(units, "token", [(*row, None, None) for row in gold])
        pred = Claims.build(units, "token", [(*row, None, None) for row in system])
        self.system = system
        self.gold: list[Row] = [row[:4] for row in own.rows()]
        self.data = GoldData.of({"s": karatage.score(own, pred, resamples=0).outcomes()})
        self.changes: list[Change] = [(-1, row) for row in self._rows(rng, 12)]
        for at, (unit, label, start, end) in enumerate(self.gold):
            self.changes.append((at, None))
            for low, high in (
                (start, end + 1),
                (start - 1, end),
                (start + 1, end),
                (start, end - 1),
                (start + 1, end + 1),
            ):
                if 0 <= low < high <= 6:
                    self.changes.append((at, (unit, label, low, high)))
            self.changes.append((at, (unit, "PER" if label == "LOC" else "LOC", start, end)))
        rows = [(self.gold[at][0], "", -1, -1) if new is None else new for at, new in self.changes]
        labels = list(self.data.labels)
        columns = [
            np.array(column, np.int64)
            for column in zip(*((u, labels.index(x) if x else -1, a, b, -1) for u, x, a, b in rows), strict=True)
        ]
        self.proposals = Proposals.of(np.array([at for at, _ in self.changes]), EntityColumns(*columns))

    @staticmethod
    def _rows(rng: np.random.Generator, count: int) -> list[Row]:
        rows = set()
        for _ in range(count):
            start = int(rng.integers(6))
            end = min(start + int(rng.integers(1, 4)), 6)
            rows.add((int(rng.integers(6)), str(rng.choice(["LOC", "PER"])), start, end))
        return sorted(rows)

    def hull(self, change: Change) -> tuple[int, int, int]:
        """Return the unit of a change, and from where to where it reaches."""
        at, new = change
        places = [row for row in (self.gold[at] if at >= 0 else None, new) if row is not None]
        return places[0][0], min(row[2] for row in places), max(row[3] for row in places)


@pytest.mark.parametrize("seed", range(8))
def test_the_occurrence_that_speaks_on_a_change_is_that_of_its_longer_place(seed: int) -> None:
    case = Case(seed)
    token_rows = TokenRows.of(case.data, TokenColumn.of(case.tokens))
    assert token_rows is not None
    seen = Occurrences.of(case.data, token_rows)
    row, state = _occurrences(case.data, token_rows, Consistency(seen), case.proposals)
    first, last = token_rows.place(seen.first, seen.last)
    at_place = {
        place: number
        for number, place in enumerate(zip(seen.unit.tolist(), first.tolist(), last.tolist(), strict=True))
    }
    inner = [tuple(one) for one in seen.inner.tolist()]
    labels, forms = list(case.data.labels), seen.form.tolist()
    for number, (at, new) in enumerate(case.changes):
        unit, label, low, high = case.gold[at] if at >= 0 else (-1, "", -1, -1)
        expected, wanted = -1, None
        if new is None:
            expected, wanted = at_place.get((unit, low, high), -1), seen.untagged
        elif at < 0 or (new[2] <= low and high <= new[3]):
            expected, wanted = at_place.get((new[0], *new[2:]), -1), labels.index(new[1])
        elif low <= new[2] and new[3] <= high:  # a part of the gold entity
            part = (labels.index(new[1]), new[2] - low, new[3] - low)
            expected = at_place.get((unit, low, high), -1)
            wanted = seen.untagged + 1 + (inner.index(part) if part in inner else len(inner))
        if expected >= 0:
            moved = at >= 0 and new is not None and new[2:] != (low, high)
            # That gold says just this already is no evidence, nor is the only occurrence of a form on its boundaries.
            if seen.state[expected] == wanted or (moved and forms.count(forms[expected]) == 1):
                expected = -1
        assert row[number] == expected, (case.changes[number], label)
        if expected >= 0:
            assert state[number] == wanted


@pytest.mark.parametrize("seed", range(8))
def test_of_changes_that_touch_each_other_the_best_stays(seed: int) -> None:
    case = Case(seed)
    total = np.random.default_rng(seed).permutation(len(case.changes)) / 10 - 2
    taken: list[int] = []
    for at in np.argsort(-total).tolist():
        unit, low, high = case.hull(case.changes[at])
        others = [case.hull(case.changes[other]) for other in taken]
        if total[at] > 0.5 and not any(unit == u and low < b and a < high for u, a, b in others):
            taken.append(at)
    assert case.proposals.ranked(case.data.gold, total, 0.5).tolist() == taken


def test_a_change_stays_if_what_was_better_gave_way_to_something_better_still() -> None:
    units = Units(1, tokens=[["a"] * 6])
    own = Claims.build(units, "token", [])
    data = GoldData.of(
        {"s": karatage.score(own, Claims.build(units, "token", [(0, "X", 0, 6, None, None)]), resamples=0).outcomes()}
    )
    places = [(0, 2), (1, 4), (3, 6)]  # each touches the next
    start, end = (np.array(column) for column in zip(*places, strict=True))
    zero = np.zeros(3, np.int64)
    proposals = Proposals.of(zero - 1, EntityColumns(zero, zero, start, end, zero - 1))
    assert proposals.ranked(data.gold, np.array([3.0, 2.0, 1.0]), 0.0).tolist() == [0, 2]
    assert proposals.ranked(data.gold, np.array([1.0, 3.0, 2.0]), 0.0).tolist() == [1]
    assert proposals.ranked(data.gold, np.array([1.0, 0.0, 2.0]), 1.0).tolist() == [2], (
        "as much as the least is too little"
    )


@pytest.mark.parametrize("seed", range(4))
def test_where_no_system_says_anything(seed: int) -> None:
    case = Case(seed)
    expected = []
    for change in case.changes:
        unit, low, high = case.hull(change)
        expected.append(not any(u == unit and a < high and low < b for u, _, a, b in case.system))
    assert _free(case.data, case.proposals).tolist() == expected


def test_a_change_is_proposed_once_with_its_strongest_evidence_and_only_if_it_changes_something() -> None:
    case = Case(0)
    labels = list(case.data.labels)
    own, name, low, high = case.gold[0]
    free = next(
        (0, at, at + 1) for at in range(6) if not any(row[0] == 0 and row[2:] == (at, at + 1) for row in case.gold)
    )

    def proposed(rows: list[tuple[int, int, int, int, int]], odd: list[float], copied: list[float]) -> Proposals:
        gold, *columns = (np.array(column, np.int64) for column in zip(*rows, strict=True))
        unit, label, start, end = columns
        entities = EntityColumns(unit, label, start, end, np.full(len(rows), -1, np.int64))
        number = np.arange(1, len(rows) + 1)
        return Proposals.of(gold, entities, odd=np.array(odd), copied=np.array(copied), what=number, agree=number)

    new = (-1, free[0], labels.index("LOC"), *free[1:])
    there = (1, own, labels.index(name), low, high)  # gold has it already
    gone = (0, own, -1, -1, -1)
    parts = [
        proposed([new, there, gone], [0.5, 9.0, 1.0], [0.2, 9.0, 0.1]),
        proposed([gone, new], [2.0, 0.1], [0.0, 0.3]),
    ]
    for chosen in ("LOC", "PER"):
        every = [(1, row[0], labels.index(row[1]), *row[2:]) for row in case.gold if row[1] == chosen]
        parts.append(proposed(every, [1.0] * len(every), [1.0] * len(every)))
    found = Proposals.join(parts, case.data)
    columns = (found.gold, found.entities.label, found.odd, found.what, found.copied, found.agree)
    rows = sorted(zip(*(column.tolist() for column in columns), strict=True))
    # Each kind of evidence is the stronger one of the two, with the number that belongs to it.
    assert rows == [(-1, labels.index("LOC"), 0.5, 1, 0.3, 2), (0, -1, 2.0, 1, 0.1, 3)]
