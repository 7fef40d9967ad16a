"""Repair a benchmark: real counts from its label exports, bounds for dropped strata, and its board recomputed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePosixPath

from karatage._folders import check_place, contents, new_folder
from karatage._printing import json_text
from karatage._version import __version__
from karatage._writing import create_file
from karatage.errors import InputError, UsageError
from karatage.recall.benchmark import Benchmark, Stratum
from karatage.recall.benchmark_files import benchmark_folder, read_benchmark, write_benchmark
from karatage.recall.labels.decisions import NEGATIVE, POSITIVE, AnswerRules
from karatage.recall.leaderboard import Board, BoardEntry, read_board
from karatage.recall.repairing.export_files import find_exports
from karatage.recall.repairing.row_repairs import RowRepair, repair_rows
from karatage.recall.repairing.stratum_repairs import (
    DroppedStratum,
    StratumRepair,
    dropped_stratum,
    read_items,
    repair_stratum,
)
from karatage.stats import LEVEL, check_level

BOARD = "leaderboard.csv"
CHANGES = "CHANGES.md"


@dataclass(frozen=True, kw_only=True)
class RepairedBenchmark:
    """A repaired benchmark, and what was changed.

    Attributes:
        name: Name of the original benchmark.
        benchmark: The repaired benchmark.
        strata: The repair of each stratum.
        dropped: Strata in the exports that the benchmark omits.
        rows: The repair of each row of the board.
        board: The repaired board: the rows that are known exactly.
        level: Confidence level of the bounds.
        notes: What was skipped in the exports, as counts.
    """

    name: str
    benchmark: Benchmark = field(repr=False)
    strata: tuple[StratumRepair, ...]
    dropped: tuple[DroppedStratum, ...] = ()
    rows: tuple[RowRepair, ...] = ()
    board: Board | None = field(default=None, repr=False)
    level: float = LEVEL
    notes: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain data."""
        return {
            "benchmark": self.name,
            "level": self.level,
            "strata": [one.to_dict() for one in self.strata],
            "dropped": [asdict(one) for one in self.dropped],
            "board": [one.to_dict() for one in self.rows],
            "notes": {name: count for name, count in self.notes.items() if count},
            "provenance": {"karatage": __version__},
        }

    def to_json(self) -> str:
        """Return everything as JSON text."""
        return json_text(self.to_dict())

    def __str__(self) -> str:
        from karatage.reports import plain, repair_parts

        return plain(repair_parts(self), 110)

    def write(self, folder: str | Path) -> None:
        """Write the repaired benchmark, its board and the list of changes to a new folder."""
        from karatage.reports import repair_markdown

        name = Path(folder).resolve().name
        strata = tuple(_moved(one, self.name, name) for one in self.benchmark.strata)
        with new_folder(Path(folder), check_new) as part:
            write_benchmark(replace(self.benchmark, strata=strata), part, name=name)
            if self.board is not None:
                self.board.write(part / BOARD)
            create_file(part / CHANGES, repair_markdown(self))


def check_new(folder: Path) -> None:
    """Raise an error if a folder has any content: a repair never overwrites anything."""
    if folder.exists() and (not folder.is_dir() or contents(folder)):
        raise InputError("already exists", source=str(folder), hint="Choose a new folder")
    check_place(folder)


def _moved(stratum: Stratum, old: str, new: str) -> Stratum:
    """Return a stratum whose file lies in another folder, and whose ratios are computed again."""
    parts = PurePosixPath(stratum.file.replace("\\", "/")).parts
    inner = parts[1:] if len(parts) > 1 and parts[0] == old else parts
    return replace(stratum, file=str(PurePosixPath(new, *inner)) if inner else "")


def repair(
    benchmark: str | Path,
    exports: Sequence[str | tuple[str | None, str]],
    *,
    board: str | Path | None = None,
    results: Sequence[BoardEntry] = (),
    label_map: Mapping[str, str] | None = None,
    positive: Sequence[str] | None = None,
    negative: Sequence[str] | None = None,
    occurrences: Mapping[str, int] | None = None,
    level: float = LEVEL,
) -> RepairedBenchmark:
    """Repair the counts of a benchmark with its label exports. Nothing is written; see `RepairedBenchmark.write`.

    Args:
        benchmark: Its folder or its description.
        exports: Files, folders or glob patterns of label exports, each alone or with the name of its stratum.
        board: Its board. Default: `leaderboard.csv` beside the description, if there is one.
        results: Results on items under the names of their rows, from which rows are recomputed exactly.
        label_map: Labels in the exports that stand for those of the entities, as for `import_labels`.
        positive: Choices that mean that a candidate is an entity, for items that the benchmark lacks.
        negative: Choices that mean that a candidate is not an entity.
        occurrences: Number of candidates of strata that the benchmark omits.
        level: Confidence level of bounds.
    """
    check_level(level)
    given = read_benchmark(benchmark)
    rules = AnswerRules(
        labels=tuple(sorted(given.labels)),
        positive=tuple(positive or POSITIVE),
        negative=tuple(negative or NEGATIVE),
        label_map=label_map or {},
    )
    notes: Counter[str] = Counter(
        {
            f"positives of {one.name!r} read from {one.outside}, outside the benchmark's folder": len(one.positives)
            for one in given.strata
            if one.outside
        }
    )
    pairs = [(None, one) if isinstance(one, str) else one for one in exports]
    known = {one.name for one in given.strata}
    items = read_items(find_exports(pairs, given.strata), rules, notes, known)
    omitted = [name for name in items if name not in known]
    for name in occurrences or ():
        if name not in omitted:
            raise UsageError(f"--occurrences {name}: not a stratum of the exports that the benchmark omits")
    repairs = tuple(repair_stratum(one, items.get(one.name, ())) for one in given.strata)
    dropped = [dropped_stratum(name, items[name], (occurrences or {}).get(name), level) for name in sorted(omitted)]
    strata = [one.after for one in repairs] + [stratum for _, stratum in dropped if stratum is not None]
    repaired = replace(given, strata=tuple(strata))
    path = Path(board) if board is not None else benchmark_folder(benchmark) / BOARD
    rows: tuple[RowRepair, ...] = ()
    new_board = None
    if board is not None or path.exists():
        old = read_board(path)
        rows = tuple(repair_rows(old.entries, results, given, repaired, repairs))
        new_board = replace(old, entries=tuple(one.after for one in rows if one.after is not None))
    elif results:
        raise UsageError("results need a board: pass it with --board")
    return RepairedBenchmark(
        name=given.name,
        benchmark=repaired,
        strata=repairs,
        dropped=tuple(one for one, _ in dropped),
        rows=rows,
        board=new_board,
        level=level,
        notes=notes,
    )
