"""A leaderboard of recalls: the CSV file of the Amundsen benchmarks, with ranks for systems with the same items."""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from karatage._locking import locked
from karatage._printing import json_text
from karatage._writing import write_files
from karatage.errors import InputError, UsageError
from karatage.formats import Source, quoted_formula, to_rows
from karatage.metrics import Score
from karatage.recall.board_results import INVALID, BoardResult, Standing, standings, weighted_counts
from karatage.recall.csv_tables import read_table
from karatage.stats import DEFAULT, Strata, mover

if TYPE_CHECKING:
    from karatage.reports import Citation

LEVEL = 0.95
COLUMNS = ("", "Recall", "Recall-95CI%", "correct", "incorrect")


@dataclass(frozen=True)
class BoardEntry:
    """A system on the board."""

    system: str
    recall: Score
    correct: int
    incorrect: int
    row: Mapping[str, str] | None = field(default=None, repr=False, compare=False)  # of the file, if it was read
    result: BoardResult | None = field(default=None, repr=False, compare=False)  # the whole result, if known

    @classmethod
    def of(cls, result: BoardResult, name: str | None = None) -> BoardEntry:
        """Return the entry of a result, under its own name or another one."""
        if result.level != LEVEL:
            raise UsageError(
                f"the board has {LEVEL:.0%} intervals, not {result.level:.0%}. Estimate again with --level {LEVEL}"
            )
        return cls(name or result.system, result.recall, result.correct, result.incorrect, result=result)

    def same_scores(self, other: BoardEntry) -> bool:
        """Return whether two entries have the same recall, interval and counts."""
        mine, theirs = self.recall, other.recall
        same = (mine.value, mine.low, mine.high) == (theirs.value, theirs.low, theirs.high)
        return same and (self.correct, self.incorrect) == (other.correct, other.incorrect)


@dataclass(frozen=True)
class Board:
    """A leaderboard."""

    entries: tuple[BoardEntry, ...]  # in the order of the file
    columns: tuple[str, ...] = COLUMNS  # of the file
    weights: Mapping[str, float] | None = None  # of strata in another population, if the recalls are re-weighted

    @property
    def standings(self) -> dict[str, Standing]:
        """The rank of each system whose items are known: the places that it may have."""
        recalls = {one.system: one.recall for one in self.entries}
        results = {one.system: one.result for one in self.entries if one.result is not None}
        return standings(results, recalls, self.weights)

    def sorted(self) -> list[BoardEntry]:
        """Return the systems, best first; those without a recall come last."""
        return sorted(self.entries, key=lambda one: (one.recall.value is None, -(one.recall.value or 0.0)))

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain data."""
        ranks = self.standings
        rows = []
        for one in self.sorted():
            row: dict[str, object] = {"system": one.system, "recall": one.recall.to_dict()}
            row |= {"correct": one.correct, "incorrect": one.incorrect, "items_known": one.result is not None}
            if one.system in ranks:
                row |= {"rank": ranks[one.system].rank._asdict(), "p": ranks[one.system].p}
            if one.result is not None:
                row["strata"] = {stratum.name: stratum.recall.to_dict() for stratum in one.result.strata}
            rows.append(row)
        return {"systems": rows, "weights": dict(self.weights) if self.weights else None}

    def to_json(self) -> str:
        """Return everything as JSON text."""
        return json_text(self.to_dict())

    def cite(self) -> Citation:
        """Return a paragraph on the methods that were used, and BibTeX for their sources."""
        from karatage.reports import cite_board

        return cite_board(self)

    def __str__(self) -> str:
        from karatage.reports import board_parts, plain

        return plain(board_parts(self), 110)

    def with_entries(self, entries: Iterable[BoardEntry], *, replacing: bool = False) -> Board:
        """Return the board with more systems: new ones at the end, known ones replaced if `replacing`."""
        rows = {one.system: one for one in self.entries}
        added: set[str] = set()
        for one in entries:
            old = rows.get(one.system)
            same = old is not None and old.same_scores(one)
            if one.system in added and not same:
                raise UsageError(f"two different results of {one.system!r}. Name one of them, e.g. NAME=RESULT")
            added.add(one.system)
            if old is not None and not replacing and not same:
                raise UsageError(f"{one.system!r} is already on the board. Use --replace to replace it")
            # A result with the scores of an existing row adds the items to it.
            rows[one.system] = replace(one, row=old.row) if old is not None and same else one
        return replace(self, entries=tuple(rows.values()))

    def reweighted(self, population: Mapping[str, float]) -> Board:
        """Return the board for another population, in which the strata have other shares of all positives.

        The weights are taken as known. Systems whose strata are unknown have no recall.
        """
        total = sum(population.values())
        if not 0 < total < math.inf or min(population.values()) < 0:
            raise UsageError("the shares of the strata must not be negative, nor all 0")
        weights = {name: share / total for name, share in population.items()}
        return replace(self, entries=tuple(_reweighted(one, weights) for one in self.entries), weights=weights)

    def write(self, path: str | Path) -> None:
        """Write the board's CSV file in its own layout; rows that were read stay unchanged.

        The items of results are written to a file beside it, from which ranks are computed.
        """
        if self.weights is not None:
            raise UsageError("a re-weighted board cannot be written")
        files: dict[Path, bytes] = {}
        items = {one.system: one.result.data for one in self.entries if one.result is not None}
        if items:
            files[_items_file(path)] = json.dumps(items, ensure_ascii=False, allow_nan=False).encode()
        rows = [self.columns, *(_row(one, self.columns) for one in self.entries)]
        table = to_rows([list(map(quoted_formula, row)) for row in rows], ",", "\n", str(path))
        if not Path(path).is_file() or Path(path).read_bytes() != table:
            files[Path(path)] = table
        write_files(files, durable=True)


def update_board(path: str | Path, entries: Iterable[BoardEntry], *, replacing: bool = False) -> Board:
    """Add systems to the file of a board, which is created if necessary, while no other run changes it."""
    with locked(Path(path)):
        board = read_board(path) if Path(path).exists() else Board(())
        board = board.with_entries(entries, replacing=replacing)
        board.write(path)
    return board


def read_board(path: str | Path) -> Board:
    """Read a board's CSV file."""
    source = Source(path)
    if source.head().lstrip().startswith(b"{"):
        raise InputError("is a result, not a board", source=source.name, hint="Pass the board's CSV file first")
    hint = "A board has an unnamed column with the system, then " + ", ".join(COLUMNS[1:])
    header, rows = read_table(source, (*COLUMNS[1:], ""), hint=hint, for_people=True)
    entries = tuple(_entry(row, line, source.name) for line, row in rows)
    for one, other in pairwise(sorted(entry.system for entry in entries)):
        if one == other:
            raise InputError(f"duplicate system {one!r}", source=source.name)
    return Board(entries, tuple(header)).with_entries(_read_items(path, {one.system: one for one in entries}))


def _items_file(path: str | Path) -> Path:
    path = Path(path)
    return path.with_name(f"{path.name.removesuffix('.csv')}.items.json")


def _read_items(board: str | Path, entries: Mapping[str, BoardEntry]) -> list[BoardEntry]:
    """Read the items beside a board, for the rows that are unchanged."""
    path = _items_file(board)
    if str(board) == "-" or not path.exists():
        return []
    try:
        results = json.loads(path.read_text("utf-8")).items()
        known = [BoardEntry.of(BoardResult.parse(result), name) for name, result in results]
    except INVALID:
        raise InputError("does not contain the items of a board", source=str(path), hint="Delete it") from None
    return [one for one in known if one.system in entries and entries[one.system].same_scores(one)]


def _entry(row: dict[str, str], line: int, source: str) -> BoardEntry:
    try:
        low, high = (float(end) for end in ast.literal_eval(row["Recall-95CI%"]))
        if not all(map(math.isfinite, (low, high))):
            raise ValueError
        value, correct, incorrect = float(row["Recall"]), int(row["correct"]), int(row["incorrect"])
    except (ValueError, SyntaxError, TypeError, OverflowError, RecursionError, MemoryError):
        hint = 'Expected e.g. name,0.75,"(0.72, 0.78)",300,100'
        raise InputError("invalid row of a board", source=source, line=line, hint=hint) from None
    if not row[""]:
        raise InputError("the system has no name", source=source, line=line)
    if not 0 <= value <= 1:
        raise InputError(f"the recall must be between 0 and 1, got {value}", source=source, line=line)
    return BoardEntry(row[""], Score(value, low=low, high=high), correct, incorrect, row)


def _reweighted(entry: BoardEntry, weights: Mapping[str, float]) -> BoardEntry:
    if entry.result is None:
        return replace(entry, recall=Score(None, undefined="strata unknown"))
    rows = weighted_counts(entry.result, weights)
    share, tried, hits = (np.array(column, float) for column in zip(*rows, strict=True))
    size = np.maximum(share * 1e15, tried)  # so large that there is no finite-population correction
    strata = Strata(size, tried, tried, tried, hits)
    low, high = mover(strata, entry.result.level, 0)
    return replace(entry, recall=Score(strata.recall, low=low, high=high, method=DEFAULT))


def _row(entry: BoardEntry, columns: Sequence[str]) -> list[str]:
    if entry.row is not None:
        return [entry.row.get(name, "") for name in columns]
    ends = f"({entry.recall.low!r}, {entry.recall.high!r})"
    values = (entry.system, repr(entry.recall.value), ends, str(entry.correct), str(entry.incorrect))
    cells = dict(zip(COLUMNS, values, strict=True))
    return [cells.get(name, "") for name in columns]
