"""A leaderboard of recalls: the CSV file of the Amundsen benchmarks, with ranks where items can be compared."""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from karatage.errors import InputError, UsageError
from karatage.formats import Source, guard, to_rows, writing
from karatage.metrics import Score
from karatage.recall.csv_tables import read_table
from karatage.recall.paired_ranks import Standing, shares_of, standings
from karatage.stats import Strata, ratio_wilson

LEVEL = 0.95
COLUMNS = ("", "Recall", "Recall-95CI%", "correct", "incorrect")


@dataclass(frozen=True)
class Entry:
    """A system on the board.

    Attributes:
        system: what it is called.
        recall: its recall and interval.
        correct: positives that it found.
        incorrect: positives that it missed.
        row: the row as it was read, where it was.
        result: the whole estimate, where it is known.
    """

    system: str
    recall: Score
    correct: int
    incorrect: int
    row: Mapping[str, str] | None = field(default=None, repr=False, compare=False)
    result: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Board:
    """A leaderboard.

    Attributes:
        entries: the systems, in the order of the file.
        columns: the columns of the file.
        weights: the strata's shares in another population, where the recalls are re-weighted to one.
    """

    entries: tuple[Entry, ...]
    columns: tuple[str, ...] = COLUMNS
    weights: Mapping[str, float] | None = None

    @property
    def standings(self) -> dict[str, Standing]:
        """The rank of each system whose items are known; two share one unless a paired test tells them apart."""
        return standings({one.system: one.result for one in self.entries if one.result is not None}, self.weights)

    def sorted(self) -> list[Entry]:
        """Return the systems, the best first; those without a number come last."""
        return sorted(self.entries, key=lambda one: (one.recall.value is None, -(one.recall.value or 0.0)))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        ranks = self.standings
        rows = []
        for one in self.sorted():
            row: dict[str, Any] = {"system": one.system, "recall": one.recall.to_dict()}
            row |= {"correct": one.correct, "incorrect": one.incorrect, "items_known": one.result is not None}
            if one.system in ranks:
                row |= {"rank": ranks[one.system].rank, "p": ranks[one.system].p}
            if one.result is not None:
                row["strata"] = {s["name"]: s["recall"] for s in one.result["strata"]}
            rows.append(row)
        return {"systems": rows, "weights": dict(self.weights) if self.weights else None}

    def to_json(self) -> str:
        """Return everything as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)

    def __str__(self) -> str:
        from karatage.reports import board_text

        return board_text(self)

    def write(self, place: str | Path) -> None:
        """Write the board's CSV file in its own layout; rows that were read stay as they were.

        The items of results are kept in a file beside it, so that ranks can be found again.
        """
        if self.weights is not None:
            raise UsageError("re-weighted recalls are not those of the board: nothing is written")
        items = {one.system: one.result for one in self.entries if one.result is not None}
        if items:
            with writing(_beside(place)) as stream:
                stream.write(json.dumps(items, ensure_ascii=False, allow_nan=False).encode())
        table = to_rows([self.columns, *(_row(one, self.columns) for one in self.entries)], ",", "\n", str(place))
        if not Path(place).is_file() or Path(place).read_bytes() != table:
            with writing(place) as stream:
                stream.write(table)


def read_board(place: str | Path) -> Board:
    """Read a board's CSV file."""
    source = Source(place)
    if source.head().lstrip().startswith(b"{"):
        raise InputError("is a result, not a board", source=source.name, hint="Name the board's CSV file first")
    header, rows = read_table(source)
    missing = [name for name in COLUMNS[1:] if name not in header]
    if missing or "" not in header:
        problem = f"has no column {', '.join(missing)}" if missing else "has no unnamed column with the systems"
        hint = "A board has an unnamed column with the system, then " + ", ".join(COLUMNS[1:])
        raise InputError(problem, source=source.name, line=1, hint=hint)
    entries = tuple(_entry(row, line, source.name) for line, row in rows)
    _refuse_twice([one.system for one in entries], source.name)
    return put(Board(entries, tuple(header)), _kept(place, {one.system: one for one in entries}))


def _beside(place: str | Path) -> Path:
    path = Path(place)
    return path.with_name(f"{path.name.removesuffix('.csv')}.items.json")


def _kept(place: str | Path, entries: Mapping[str, Entry]) -> list[Entry]:
    """Read the items that are kept beside a board, of the rows that are still as they were."""
    path = _beside(place)
    if str(place) == "-" or not path.exists():
        return []
    try:
        kept = [entry_of(result, name) for name, result in json.loads(path.read_text("utf-8")).items()]
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise InputError("does not hold the items of a board", source=str(path), hint="Delete it") from None
    return [one for one in kept if one.system in entries and _same(entries[one.system], one)]


def _entry(row: dict[str, str], line: int, source: str) -> Entry:
    try:
        pair = ast.literal_eval(row["Recall-95CI%"])
        low, high = (float(end) for end in pair)
        if not all(map(math.isfinite, (low, high))):
            raise ValueError
        value, correct, incorrect = float(row["Recall"]), int(row["correct"]), int(row["incorrect"])
    except (ValueError, SyntaxError, TypeError, OverflowError, RecursionError, MemoryError):
        hint = 'It reads: name,0.75,"(0.72, 0.78)",300,100'
        raise InputError("is no row of a board", source=source, line=line, hint=hint) from None
    if not row[""] or not 0 <= value <= 1:
        problem = "the system has no name" if not row[""] else f"the recall is {value}"
        raise InputError(problem, source=source, line=line)
    return Entry(row[""], Score(value, low=low, high=high), correct, incorrect, row)


def read_result(place: str, name: str | None = None) -> Entry:
    """Read what `karatage recall estimate --json` printed."""
    source = Source(place)
    with guard(source), source.open() as stream:
        text = stream.read()
    try:
        return entry_of(json.loads(text), name)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        hint = "Make one with: karatage recall estimate BENCHMARK --tagger NAME --json > result.json"
        raise InputError("is no result of an estimate", source=source.name, hint=hint) from None


def entry_of(result: Mapping[str, Any], name: str | None = None) -> Entry:
    """Make an entry of an estimate as plain data; what is none raises whatever looking into it raises."""
    score, counts = _score(result["metrics"]["recall"]), result["counts"]
    for row in result["strata"]:
        if not isinstance(row["name"], str) or not 0 <= row["weight"] <= 1:
            raise ValueError
        if row["recall"]["value"] is not None:
            _score(row["recall"])
        if min(row["correct"], row["incorrect"], row["positive"] - row["correct"] - row["incorrect"]) < 0:
            raise ValueError
    found = result["items"]["found"]
    wanted = sum(row["positive"] for row in result["strata"])
    if len(found) != wanted or set(found) - set("01-") or not isinstance(result["items"]["hash"], str):
        raise ValueError
    if result["level"] != LEVEL:
        raise UsageError(
            f"a board holds intervals of {LEVEL:.0%}, not of {result['level']:.0%}: estimate with that level"
        )
    return Entry(name or str(result["system"]), score, int(counts["correct"]), int(counts["incorrect"]), None, result)


def _score(given: Mapping[str, Any]) -> Score:
    """Take a recall with its interval from plain data; anything else raises."""
    value, low, high = (float(given[name]) for name in ("value", "low", "high"))
    if not 0 <= value <= 1 or not all(map(math.isfinite, (low, high))):
        raise ValueError
    return Score(value, low=low, high=high, method=str(given["method"]))


def put(board: Board, entries: Iterable[Entry], *, replacing: bool = False) -> Board:
    """Put systems on the board: a new one at its end, one that is there already in its place, if that is asked for."""
    rows = {one.system: one for one in board.entries}
    for one in entries:
        old = rows.get(one.system)
        if old is not None and not replacing and not _same(old, one):
            raise UsageError(f"{one.system!r} is on the board already: --replace puts the new result in its place")
        # A result that says the same as the row that is there adds the items to it.
        rows[one.system] = replace(one, row=old.row) if old is not None and _same(old, one) else one
    return replace(board, entries=tuple(rows.values()))


def _same(one: Entry, other: Entry) -> bool:
    mine, theirs = one.recall, other.recall
    same = (mine.value, mine.low, mine.high) == (theirs.value, theirs.low, theirs.high)
    return same and (one.correct, one.incorrect) == (other.correct, other.incorrect)


def reweighted(board: Board, population: Mapping[str, float]) -> Board:
    """Return the board for another population, in which the strata have other shares of all positives.

    The weights are taken as known. Systems whose strata are not known have no number then.
    """
    total = sum(population.values())
    if not 0 < total < math.inf or min(population.values()) < 0:
        raise UsageError("the strata's shares must not be negative, and not all 0")
    weights = {name: share / total for name, share in population.items()}
    return replace(board, entries=tuple(_reweighted(one, weights) for one in board.entries), weights=weights)


def _reweighted(entry: Entry, weights: Mapping[str, float]) -> Entry:
    if entry.result is None:
        return replace(entry, recall=Score(None, undefined="its strata are not known"))
    rows = shares_of(entry.result, weights)
    share, tried, hits = (np.array(column, float) for column in zip(*rows, strict=True))
    size = np.maximum(share * 1e15, tried)  # so large that no finite-population correction is left
    strata = Strata(size, tried, tried, tried, hits)
    low, high = ratio_wilson(strata, float(entry.result["level"]), 0)
    return replace(entry, recall=Score(strata.recall, low=low, high=high, method="ratio-wilson"))


def _row(entry: Entry, columns: Sequence[str]) -> list[str]:
    if entry.row is not None:
        return [entry.row.get(name, "") for name in columns]
    ends = f"({entry.recall.low!r}, {entry.recall.high!r})"
    values = ("", repr(entry.recall.value), ends, str(entry.correct), str(entry.incorrect))
    found = dict(zip(COLUMNS, values, strict=True)) | {"": entry.system}
    return [found.get(name, "") for name in columns]


def _refuse_twice(names: Sequence[str], source: str) -> None:
    for one, other in pairwise(sorted(names)):
        if one == other:
            raise InputError(f"the system {one!r} is there twice", source=source)
