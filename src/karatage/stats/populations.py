"""What a metric reads of the rows, and nothing more: the population that its resamples are drawn from.

Precision, recall and F over all claims of a selection of cells need only the sums over that selection, and there are
few different sums in any corpus. Averages over labels need all cells at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Floats, Ints
from karatage.metrics import Layout, Metric, Rows, sort_rows
from karatage.stats.share_counts import ShareCounts

_DENSE = 1 << 25
"""The largest matrix to keep with its zeros, in numbers; beyond that, or where nearly all are zeros, it is sparse."""

_KEPT = 1 << 20
"""How many counts by share are kept before they are forgotten: with many systems they would fill the memory."""


@dataclass(frozen=True, eq=False)
class Population:
    """Distinct rows of what one metric, or several that read the same, needs to know.

    Attributes:
        layout: the cells and columns that the numbers of a row belong to.
        systems: how many systems were scored on the same units.
        matrix: a row for each distinct row, with the counts of each system, cell and column side by side; dense, or
            a SciPy matrix in compressed rows.
        times: how many units have each row.
        stratum: the stratum of each row. Rows come stratum by stratum, the most frequent first.
        indexed: makes `index`, which is as long as the corpus and hardly ever asked for.
    """

    layout: Layout
    systems: int
    matrix: Any
    times: Ints
    stratum: Ints
    indexed: Callable[[], Ints]
    _by_share: dict[tuple[int, bytes], ShareCounts] = field(default_factory=dict, repr=False)

    @cached_property
    def index(self) -> Ints:
        """For each row that the population was made of, which of its own rows it became."""
        return self.indexed()

    @cached_property
    def size(self) -> int:
        """How many units, or clusters, there are."""
        return int(self.times.sum())

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape of totals: systems, cells, columns."""
        return self.systems, len(self.layout.cells), len(self.layout.columns)

    def weighted(self, weights: NDArray[Any]) -> Floats:
        """Return the totals of resamples, given how often each row was drawn in each."""
        dense = isinstance(self.matrix, np.ndarray)
        out = weights @ self.matrix if dense else (self.matrix.T @ weights.T).T
        return np.asarray(out, np.float64).reshape(len(weights), *self.shape)

    def taken(self, start: int, stop: int) -> Floats:
        """Return some rows, in the shape of totals."""
        part = self.matrix[start:stop]
        out = part if isinstance(part, np.ndarray) else part.toarray()
        return np.asarray(out, np.float64).reshape(out.shape[0], *self.shape)

    def of_system(self, number: int) -> Any:
        """Return the rows of one system: dense or sparse, as the matrix is."""
        width = len(self.layout.cells) * len(self.layout.columns)
        return self.matrix[:, number * width : (number + 1) * width]

    def change(self, one: int, other: int) -> Any:
        """Return the rows of one system minus those of another: dense or sparse, as the matrix is."""
        return self.of_system(one) - self.of_system(other)

    def by_share(self, system: int, part_of: Ints) -> ShareCounts:
        """Return the counts of one system by share; they are kept, as metrics of the same shares read the same.

        Args:
            system: the number of the system.
            part_of: the share that each cell belongs to; -1 for none.
        """
        key = system, part_of.tobytes()
        if key not in self._by_share:
            if sum(len(own.row) for own in self._by_share.values()) > _KEPT:
                self._by_share.clear()
            self._by_share[key] = ShareCounts.of(self.of_system(system), part_of, len(self.layout.columns))
        return self._by_share[key]

    @cached_property
    def totals(self) -> Floats:
        """The totals of the corpus itself."""
        times = self.times.astype(np.float64)
        # A product of matrices would wait for all cores, which takes longer than to add up on one if they are busy.
        dense = isinstance(self.matrix, np.ndarray)
        out = np.einsum("r,rc->c", times, self.matrix) if dense else self.matrix.T @ times
        return np.asarray(out, np.float64).reshape(self.shape)


def population(parts: Sequence[Rows], metric: Metric) -> Population:
    """Make the population of a metric.

    Args:
        parts: for each system its rows, all of the same units in the same order.
        metric: the metric; for the averages over labels or groups any one stands for all of them.
    """
    if metric.reads_sums:
        return _sums(parts, metric)
    order = np.lexsort((-parts[0].times, parts[0].stratum))
    return _whole([part.taken(order, part.times[order]) for part in parts], partial(np.argsort, order))


def jointly(parts: Sequence[Rows]) -> list[Rows]:
    """Keep units once that have equal rows in all systems; the rows stay those of the same units in all parts."""
    if len(parts) == 1:
        return [parts[0].distinct()]
    prints = parts[0].prints()
    for part in parts[1:]:
        prints = prints * np.uint64(0x9E3779B97F4A7C15) + part.prints()  # odd, so nothing is lost
    order, first = sort_rows(prints)
    times = np.add.reduceat(parts[0].times[order], first) if len(first) else parts[0].times[:0]
    return [part.taken(order[first], times) for part in parts]


def _sums(parts: Sequence[Rows], metric: Metric) -> Population:
    chosen = [part.entries(part.layout.rows(metric.group, metric.label)) for part in parts]
    rows, where = np.unique(
        np.concatenate([part.row[own] for part, own in zip(parts, chosen, strict=True)]), return_inverse=True
    )
    indices = np.split(where, np.cumsum([len(own) for own in chosen])[:-1])
    width = len(parts[0].columns)
    times, stratum = parts[0].times, parts[0].stratum
    matrix = np.zeros((len(rows), 1 + width * len(parts)), np.int64)
    matrix[:, 0] = stratum[rows]
    for k, (part, own, index) in enumerate(zip(parts, chosen, indices, strict=True)):
        for c in range(width):
            matrix[:, 1 + k * width + c] = np.bincount(index, part.counts[own, c], len(rows))
    # What is left in each stratum has no claim of the selection.
    rest = parts[0].stratum_sizes - np.bincount(stratum[rows], times[rows], len(parts[0].strata))
    empty = np.zeros((len(rest), matrix.shape[1]), np.int64)
    empty[:, 0] = np.arange(len(rest))
    matrix = np.concatenate([matrix, empty])
    distinct, kind = _distinct(matrix)
    counted = np.bincount(kind, np.concatenate([times[rows], rest]), len(distinct)).astype(np.int64)
    order = np.lexsort((-counted, distinct[:, 0]))
    order = order[counted[order] > 0]
    number = np.zeros(len(distinct), np.int64)
    number[order] = np.arange(len(order))
    indexed = partial(_index, stratum, rows, number[kind])
    distinct, counted = distinct[order], counted[order]
    layout = Layout(parts[0].columns, ((metric.group or "", metric.label or ""),))
    return Population(layout, len(parts), distinct[:, 1:].astype(float), counted, distinct[:, 0], indexed)


def _index(stratum: Ints, rows: Ints, number: Ints) -> Ints:
    """Return which number each row became: those of some rows come first, then that of all others of each stratum."""
    index = number[len(rows) + stratum]
    index[rows] = number[: len(rows)]
    return index


def _distinct(matrix: Ints) -> tuple[Ints, Ints]:
    """Return the distinct rows, sorted, and which of them each row is."""
    packed = _packed(matrix)
    if packed is None:
        distinct, where = np.unique(matrix, axis=0, return_inverse=True)
        return distinct, where.ravel()
    _, first, where = np.unique(packed, return_index=True, return_inverse=True)
    return matrix[first], where.ravel()


def _packed(matrix: Ints) -> Ints | None:
    """Write each row as one number in the order of the rows; None if it does not fit."""
    spans = matrix.max(axis=0, initial=0) + 1
    if np.prod(spans.astype(float)) > 2**62:
        return None
    out = np.zeros(len(matrix), np.int64)
    for column, span in zip(matrix.T, spans.tolist(), strict=True):
        out = out * span + column
    return out


def _whole(parts: Sequence[Rows], indexed: Callable[[], Ints]) -> Population:
    cells = tuple(sorted({cell for part in parts for cell in part.cells}))
    number = {cell: k for k, cell in enumerate(cells)}
    columns = parts[0].columns
    width, count = len(cells) * len(columns), len(parts[0])
    row, column, value = [], [], []
    for k, part in enumerate(parts):
        own = np.array([number[cell] for cell in part.cells], np.int64)
        at = k * width + own[part.cell] * len(columns)
        for c in range(len(columns)):
            some = np.flatnonzero(part.counts[:, c])
            row.append(part.row[some])
            column.append(at[some] + c)
            value.append(part.counts[some, c])
    filled = sum(map(len, value))
    shape = (count, len(parts) * width)
    largest = max((float(part.counts.max(initial=0)) for part in parts), default=0.0) * float(parts[0].times.sum())
    # Sums of whole numbers are exact, and so the same in any order, as long as they fit the mantissa.
    kind = np.float32 if largest < 2**24 else np.float64
    where, what = (np.concatenate(row), np.concatenate(column)), np.concatenate(value)
    matrix: Any
    if shape[0] * shape[1] <= _DENSE and filled * 20 >= shape[0] * shape[1]:
        matrix = np.zeros(shape, kind)
        matrix[where] = what
    else:
        from scipy.sparse import csr_array

        matrix = csr_array((what.astype(kind), where), shape=shape)
    return Population(Layout(columns, cells), len(parts), matrix, parts[0].times, parts[0].stratum, indexed)
