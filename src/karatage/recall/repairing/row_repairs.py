"""Recompute the rows of a board for a repaired benchmark: from results on items, or from the digits of the row."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from karatage._arrays import Floats
from karatage.errors import UsageError
from karatage.metrics import Score
from karatage.recall.benchmark import Benchmark
from karatage.recall.board_results import BoardResult
from karatage.recall.count_defects import PUBLISHED
from karatage.recall.leaderboard import LEVEL, BoardEntry
from karatage.recall.recall_estimate import estimate_results, stratum_counts
from karatage.recall.repairing.stratum_repairs import StratumRepair

_NODES = 500
"""Nodes that the search for whole numbers of hits visits at most; beyond that, fractions are allowed."""

Found = Mapping[tuple[str, str, int, int], bool | None]
"""Whether a system found a positive, by stratum, text, start and end."""


@dataclass(frozen=True, kw_only=True)
class RowRepair:
    """A row of a board before and after the repair.

    Attributes:
        before: The row.
        after: The row for the repaired benchmark, if it is known exactly.
        lowest: Lowest recall that agrees with the row.
        highest: Highest recall that agrees with the row.
        ends: The outermost ends of the published interval between these recalls.
        how: What the row was computed from: `results` on items, results `stored` in the benchmark, or the `digits` of
            the row; or why it is unknown.
    """

    before: BoardEntry
    after: BoardEntry | None = None
    lowest: float = 0.0
    highest: float = 1.0
    ends: tuple[float, float] = (0.0, 1.0)
    how: str

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        out: dict[str, object] = {"system": self.before.system, "how": self.how}
        out |= {"before": self.before.recall.to_dict(), "lowest": self.lowest, "highest": self.highest}
        out |= {"low": self.ends[0], "high": self.ends[1]}
        return out | {"after": None if self.after is None else self.after.recall.to_dict()}


def repair_rows(
    entries: Sequence[BoardEntry],
    results: Sequence[BoardEntry],
    benchmark: Benchmark,
    repaired: Benchmark,
    repairs: Sequence[StratumRepair],
) -> Iterator[RowRepair]:
    """Yield the repair of each row.

    Args:
        entries: The rows of the board.
        results: Results with items, under the names of their rows.
        benchmark: The benchmark that the rows are about.
        repaired: The repaired benchmark.
        repairs: What was repaired in each stratum of the benchmark.
    """
    known = {one.system: one.result for one in (*entries, *results) if one.result is not None}
    for name in known.keys() - {one.system for one in entries}:
        raise UsageError(f"the board has no row {name!r}. Its rows are {', '.join(one.system for one in entries)}")
    stored = _stored(benchmark)
    for entry in entries:
        result = known.get(entry.system)
        if result is not None:
            yield _from_items(entry, _found(result, benchmark, repaired), repaired, "results")
        elif stored is not None and entry.same_scores(stored[0]):
            yield _from_items(entry, stored[1], repaired, "stored")
        else:
            yield _from_digits(entry, benchmark, repaired, repairs)


def _stored(benchmark: Benchmark) -> tuple[BoardEntry, Found] | None:
    """Return the row of the results stored in a benchmark, and the results."""
    results = [one.correct for one in benchmark.positives]
    if None in results:
        return None
    made = estimate_results(benchmark, results, method=PUBLISHED, level=LEVEL)
    return BoardEntry.of(BoardResult.of(made)), _by_key(benchmark, results)


def _by_key(benchmark: Benchmark, results: Sequence[bool | None]) -> Found:
    each = ((stratum.name, one) for stratum in benchmark.strata for one in stratum.positives)
    return {(name, *one.key): found for (name, one), found in zip(each, results, strict=True)}


def _found(result: BoardResult, benchmark: Benchmark, repaired: Benchmark) -> Found:
    for one in (benchmark, repaired):
        if result.items == one.hash:
            marks = {"1": True, "0": False, "-": None}
            return _by_key(one, [marks[mark] for mark in result.found])
    raise UsageError(f"the result of {result.system!r} is about other positives than those of {benchmark.name}")


def _from_items(entry: BoardEntry, found: Found, repaired: Benchmark, how: str) -> RowRepair:
    results = [found.get((stratum.name, *one.key)) for stratum in repaired.strata for one in stratum.positives]
    made = estimate_results(repaired, results, system=entry.system, method=PUBLISHED, level=LEVEL)
    after = BoardEntry.of(BoardResult.of(made))
    unknown = results.count(None)
    how += f", {unknown:,} unknown" if unknown else ""
    value, low, high = made.recall.value or 0.0, made.recall.low or 0.0, made.recall.high or 0.0
    return RowRepair(before=entry, after=after, lowest=value, highest=value, ends=(low, high), how=how)


def _from_digits(
    entry: BoardEntry, benchmark: Benchmark, repaired: Benchmark, repairs: Sequence[StratumRepair]
) -> RowRepair:
    """Bound the new recall by all hits per stratum that give the published recall and number of correct items."""
    total = len(benchmark.positives)
    if entry.correct + entry.incorrect != total or entry.recall.value is None:
        return RowRepair(before=entry, how=f"unknown: not about these {total:,} positives")
    old = stratum_counts(benchmark, [True] * total)
    new = stratum_counts(repaired, [True] * len(repaired.positives))
    strata = [one.name for one in repaired.strata if one.positives]
    share = dict(zip(strata, (new.weights / new.tried).tolist(), strict=True))
    own = [one for one in repairs if one.before.positives]
    each = np.array([share[one.before.name] for one in own])
    more = np.array([len(one.after.positives) - len(one.before.positives) for one in own], float)
    names = {one.before.name for one in own}
    new_strata = [one for one in repaired.strata if one.positives and one.name not in names]
    others = sum(share[one.name] * len(one.positives) for one in new_strata)
    extremes = _extremes(entry, old.estimated / old.tried, old.tried, each, more)
    if extremes is None:
        return RowRepair(before=entry, how="unknown: no hits per stratum give this recall")
    lowest, highest = max(extremes[0], 0.0), min(extremes[1] + others, 1.0)
    exact = math.isclose(lowest, highest, rel_tol=0, abs_tol=1e-9)
    spread = float((new.weights**2 / new.tried).sum())
    reach = [1.96 * math.sqrt(max(one * (1 - one), 0) * spread) for one in (lowest, highest)]
    ends = (lowest - reach[0], highest + reach[1])
    after = None
    if exact and len(repaired.positives) == total:
        score = Score(lowest, low=ends[0], high=ends[1], method=PUBLISHED)
        after = BoardEntry(entry.system, score, entry.correct, entry.incorrect)
    return RowRepair(before=entry, after=after, lowest=lowest, highest=highest, ends=ends, how="digits")


def _extremes(
    entry: BoardEntry, factors: Floats, positives: Floats, each: Floats, more: Floats
) -> tuple[float, float] | None:
    """Return the lowest and highest recall with new weights, over all whole numbers of hits that agree with a row.

    The published recall is Σ f·x / Σ f·p with the hits x of each stratum and f = occurrences/labelled, and Σ x is the
    number of correct items. Positives that are new may be found or not.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    count = len(factors)
    total = float(entry.recall) * float(factors @ positives)
    none = np.zeros(count)
    rows = np.array([np.concatenate([factors, none]), np.concatenate([np.ones(count), none])])
    slack = max(total, 1.0) * 1e-9  # far above rounding, far below the smallest step of the sum
    fits = LinearConstraint(rows, [total - slack, entry.correct], [total + slack, entry.correct])
    limits = Bounds(np.zeros(2 * count), np.concatenate([positives, more]))
    aim = np.concatenate([each, each])
    ends = []
    for sign in (1, -1):
        for whole in (1, 0):
            kinds, options = np.full(2 * count, whole), {"node_limit": _NODES}
            found = milp(sign * aim, constraints=fits, bounds=limits, integrality=kinds, options=options)
            if found.status == 0:
                break
        if found.status != 0:
            return None
        ends.append(sign * float(found.fun))
    return ends[0], ends[1]
