"""Scoring a `ray.data.Dataset`: its blocks are counted where they are, and what they gather is added up."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, NamedTuple, Unpack

import numpy as np

from karatage._arrays import Ints
from karatage._options import takes
from karatage.engine import Engine
from karatage.errors import InputError, KaratageError, UnitError, UsageError
from karatage.formats import ReadOptions
from karatage.inputs import Content, Input, as_input
from karatage.metrics import Tally
from karatage.scoring.extraction import Extraction
from karatage.scoring.extraction_counts import ExtractionCounts
from karatage.scoring.result import Result
from karatage.scoring.scoring import open_task, usual_profile
from karatage.scoring.scoring_options import RECORDS, ScoringKeywords, ScoringOptions
from karatage.scoring.task import Progress
from karatage.scoring.unit_counts import CountCollector


@takes(*RECORDS)
def score_dataset(
    dataset: Any,
    *,
    id: str = "id",  # noqa: A002  what the column is called
    gold: str = "gold",
    pred: str = "pred",
    resamples: int = 1000,
    **options: Unpack[ScoringKeywords],
) -> Result:
    """Score the rows of a Ray dataset: each is a sentence, text or record with an id, gold and predictions.

    The blocks of the dataset are counted by the workers of its cluster, which need Karatage. The result is that of
    `karatage.score` for the same rows, in any order; only which examples a warning names may depend on the order.

    Args:
        dataset: A `ray.data.Dataset`.
        id: The column of ids, which must be unique.
        gold: The column of gold: lists of tags, or lists of spans with label, start and end.
        pred: The column of predictions, in the same form.
        resamples: Number of bootstrap resamples; 0 turns intervals off.
        options: Scoring options.

    Returns:
        The result.
    """
    given = ScoringOptions.of(options, resamples)
    rows = DatasetRows(dataset, id, (gold, pred))
    ours, theirs = rows.inputs()
    profile = usual_profile(given.profile.like, ours, theirs).with_options(given.profile)
    task = open_task(ours, theirs, profile, given.reading)
    if not isinstance(task, Extraction):
        raise UsageError("a dataset is scored as entities or values, not as search results")
    return _DatasetExtraction(task, rows).score(given.resampling)


@dataclass(frozen=True)
class DatasetRows:
    """The rows of a dataset, with the names of their columns.

    Attributes:
        dataset: a `ray.data.Dataset`.
        id: the column of ids.
        sides: the columns of gold and predictions.
    """

    dataset: Any
    id: str
    sides: tuple[str, str]

    def inputs(self) -> tuple[Input, Input]:
        """Return gold and predictions as inputs, which read the dataset from the start."""
        schema = self.dataset.schema()
        known = [] if schema is None else schema.names
        for name in (self.id, *self.sides):
            if name not in known:
                raise InputError(f"no column {name!r}. Columns: {', '.join(known) or 'none'}", source="dataset")
        kinds: dict[str, Any] = {}
        for row in self.dataset.iter_rows():
            for name in self.sides:
                found = as_input([_plain(row[name])], name=name)
                if found.content != "unknown":
                    kinds.setdefault(name, found.content)
            if len(kinds) == len(self.sides):
                break
        ours, theirs = (
            Input(name=name, read=_DatasetColumn(self, name), content=kinds.get(name, "unknown")) for name in self.sides
        )
        return ours, theirs


@dataclass(frozen=True)
class _DatasetColumn:
    """Reads a column of a dataset, block by block."""

    rows: DatasetRows
    name: str

    def __call__(self, own: Input, options: ReadOptions) -> Iterator[Any]:
        for block in self.rows.dataset.iter_batches(batch_format="pyarrow", batch_size=None):
            side = _side(block, self.rows.id, _DatasetSide(own.name, own.content, options))
            yield from side.batches(options.notes)


class _DatasetSide(NamedTuple):
    """Gold or predictions: the column, what it contains, and how to read it."""

    column: str
    content: Content
    options: ReadOptions


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _side(block: Any, id_column: str, own: _DatasetSide) -> Input:
    """Return gold or the predictions of a block of rows, an Arrow table."""
    ids, values = block.column(id_column).to_pylist(), block.column(own.column).to_pylist()
    found = dict(zip(ids, values, strict=True))
    if len(found) < len(ids):
        raise UnitError("an id occurs twice", source="dataset", hint=f"Make the column {id_column!r} unique")
    if None in found.values():
        missing = next(unit for unit, value in found.items() if value is None)
        raise InputError(f"the column {own.column!r} has no value", source="dataset", unit=missing)
    return replace(as_input(found, name=own.column), content=own.content, options=own.options)


class _DatasetExtraction(Extraction):
    """A scoring whose rows are counted by the workers of a Ray cluster."""

    def __init__(self, task: Extraction, rows: DatasetRows) -> None:
        super().__init__(task.gold, task.pred, task.profile)
        self._rows = rows

    def tally(
        self,
        progress: Progress | None = None,
        collector: CountCollector | None = None,
        engine: Engine | None = None,
    ) -> tuple[Tally, list[str]]:
        """Count everything, block by block, where the blocks are."""
        del progress, engine  # Ray has its own
        found = ExtractionCounts(self.profile, self.nouns, collector)
        sides = [_DatasetSide(own.name, own.content, own.options) for own in (self.gold, self.pred)]
        counting = _BlockCounting(found.fresh(), self._rows.id, tuple(sides))
        content = _aggregated(self._rows.dataset, counting)
        if content:
            parts, ids = pickle.loads(content)  # noqa: S301  # what our own workers wrote
            if (repeated := len(ids) - len(np.unique(ids))) > 0:
                hint = f"Make the column {self._rows.id!r} unique"
                raise UnitError(f"{repeated:,} ids occur twice or more", source="dataset", hint=hint)
            found.add_part(parts)
        return self.finished(found)


@dataclass(frozen=True)
class _BlockCounting:
    """Counts blocks of rows; what it gathers is pickled, as a dataset holds only plain values."""

    empty: ExtractionCounts
    id: str
    sides: tuple[_DatasetSide, ...]

    def count(self, block: Any) -> bytes:
        """Count a block."""
        found = self.empty.fresh()
        if block.num_rows:
            gold, pred = (_side(block, self.id, own) for own in self.sides)
            found.read(gold, pred)
        ids = block.column(self.id).to_pylist() if block.num_rows else []
        return pickle.dumps((found, _hashes(ids)), pickle.HIGHEST_PROTOCOL)

    def add(self, one: bytes, other: bytes) -> bytes:
        """Add what two blocks gathered."""
        if not one or not other:
            return one or other
        (found, ids), (more, others) = pickle.loads(one), pickle.loads(other)  # noqa: S301  # what our own workers wrote
        found.add_part(more)
        return pickle.dumps((found, np.concatenate([ids, others])), pickle.HIGHEST_PROTOCOL)


def _hashes(ids: list[Any]) -> Ints:
    """Return eight bytes for each id, to find those that occur twice, in whichever blocks they are."""
    found = b"".join(blake2b(str(one).encode(errors="surrogatepass"), digest_size=8).digest() for one in ids)
    return np.frombuffer(found, np.int64)


def _aggregated(dataset: Any, counting: _BlockCounting) -> bytes:
    """Let the workers of a dataset count its blocks."""
    from ray.data.aggregate import AggregateFnV2
    from ray.data.block import BlockAccessor

    class Counting(AggregateFnV2):  # type: ignore[misc]  # Ray is imported only where it is used
        def aggregate_block(self, block: Any) -> bytes:
            return counting.count(BlockAccessor.for_block(block).to_arrow())

        def combine(self, current_accumulator: bytes, new: bytes) -> bytes:
            return counting.add(current_accumulator, new)

    try:
        found = dataset.aggregate(Counting("counts", bytes, on=None, ignore_nulls=False))
    except Exception as error:
        raise _own_error(error) or error from None
    return found["counts"] or b""


def _own_error(error: BaseException | None) -> KaratageError | None:
    """Return the error of ours that Ray wraps in several of its own."""
    while error is not None:
        cause = getattr(error, "cause", None) or error.__cause__
        if isinstance(error, KaratageError) and not hasattr(error, "cause"):
            return error
        error = cause
    return None
