"""Pairs of query and document with a grade, a score or a label: what is counted of them, and what two files share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from karatage._arrays import Ints
from karatage.claims import ABSENT, ODD, RELEVANT, UNJUDGED, Matrix, Relevance
from karatage.description.listed_texts import LISTED, Listed
from karatage.description.search_description import (
    PairKind,
    RepeatedPair,
    RepeatedPairs,
    SearchOverlap,
)
from karatage.errors import InputError, UsageError
from karatage.inputs import Input

_KEY = ["query", "document"]


@dataclass(frozen=True, eq=False)
class SearchPairs(ABC):
    """The pairs of one data set."""

    kind: PairKind
    queries: tuple[str, ...]

    @abstractmethod
    def documents(self) -> pl.Series:
        """Return the distinct documents."""

    @abstractmethod
    def per_query(self) -> Ints:
        """Return how many pairs each query has."""

    @abstractmethod
    def relevant(self) -> Ints:
        """Return how many relevant documents each query has."""

    @abstractmethod
    def values(self) -> dict[int, int]:
        """Return how many pairs have each grade or label, highest first."""

    @abstractmethod
    def tied(self) -> Ints:
        """Return how many results of each query have the score of another one."""

    @abstractmethod
    def frame(self) -> pl.DataFrame:
        """Return the pairs as rows: query, document and value, in the order of the file."""

    @abstractmethod
    def warnings(self) -> list[str]:
        """Return what is not as it should be."""

    def repeated(self) -> RepeatedPairs:
        """Return the documents that occur several times for a query."""
        rows = self.repeatable()
        groups = rows.group_by(_KEY, maintain_order=True).agg(
            pl.len().alias("count"), pl.col("value"), pl.col("value").n_unique().alias("kinds")
        )
        groups = groups.filter(pl.col("count") > 1)
        first = groups.sort(pl.col("kinds") > 1, descending=True, maintain_order=True).head(LISTED)
        pairs = tuple(RepeatedPair(q, d, tuple(v)) for q, d, v in first.select(*_KEY, "value").iter_rows())
        extra = int(groups["count"].sum()) - len(groups)
        return RepeatedPairs(extra, int((groups["kinds"] > 1).sum()), Listed(len(groups), pairs))

    def repeatable(self) -> pl.DataFrame:
        """Return the pairs that may occur several times."""
        return self.frame()


@dataclass(frozen=True, eq=False)
class RankedPairs(SearchPairs):
    """Judgements with grades, or results with scores.

    Attributes:
        rows: query, document and value.
        number: the query of each row, as an index into the queries.
    """

    rows: pl.DataFrame
    number: Ints

    @classmethod
    def of(cls, parts: Sequence[Relevance], name: str) -> RankedPairs:
        """Put the files of a data set together."""
        kinds = {"result" if part.what == "scores" else "judgement" for part in parts}
        if len(kinds) > 1:
            raise UsageError(f"{name} contains both judgements and results: describe them separately")
        ids = [pl.Series(list(part.units.ids or ()), dtype=pl.String) for part in parts]
        frames = [
            pl.DataFrame({"query": own.gather(part.unit), "document": part.document, "value": part.value})
            for own, part in zip(ids, parts, strict=True)
        ]
        number = {query: k for k, query in enumerate(dict.fromkeys(query for own in ids for query in own.to_list()))}
        codes = [
            np.array([number[q] for q in own.to_list()], np.int64)[p.unit] for own, p in zip(ids, parts, strict=True)
        ]
        kind: PairKind = "result" if "result" in kinds else "judgement"
        return cls(kind, tuple(number), pl.concat(frames), np.concatenate(codes))

    def documents(self) -> pl.Series:
        """Return the distinct documents."""
        return self.rows["document"].unique()

    def per_query(self) -> Ints:
        """Return how many pairs each query has."""
        return np.bincount(self.number, minlength=len(self.queries))

    def relevant(self) -> Ints:
        """Return how many documents of each query have a grade of 1 or more."""
        return np.bincount(self.number[self.rows["value"].to_numpy() >= 1], minlength=len(self.queries))

    def values(self) -> dict[int, int]:
        """Return how many pairs have each grade, highest first."""
        counts = self.rows["value"].value_counts().sort("value", descending=True)
        return {int(value): int(count) for value, count in counts.iter_rows()}

    def tied(self) -> Ints:
        """Return how many results of each query have the score of another one."""
        keys = pl.DataFrame({"query": self.number, "value": self.rows["value"]})
        return np.bincount(self.number[keys.is_duplicated().to_numpy()], minlength=len(self.queries))

    def frame(self) -> pl.DataFrame:
        """Return the pairs as rows."""
        return self.rows

    def warnings(self) -> list[str]:
        """Return nothing: the reader has refused what is wrong."""
        return []


@dataclass(frozen=True, eq=False)
class MatrixPairs(SearchPairs):
    """The labels of a matrix; a cell of 0 is not a pair, and neither is one that is not a label."""

    matrix: Matrix

    @classmethod
    def of(cls, parts: Sequence[Matrix], name: str) -> MatrixPairs:
        """Take the only matrix."""
        if len(parts) > 1:
            raise UsageError(f"{name} contains {len(parts)} matrices: describe one at a time")
        return cls("label", tuple(dict.fromkeys(parts[0].queries)), parts[0])

    @cached_property
    def _columns(self) -> Ints:
        """The number of each column's query."""
        number = {query: k for k, query in enumerate(self.queries)}
        return np.array([number[query] for query in self.matrix.queries], np.int64)

    def _sums(self, *labels: int) -> Ints:
        counts = sum(np.count_nonzero(self.matrix.labels == label, axis=0) for label in labels)
        return np.bincount(self._columns, counts, minlength=len(self.queries)).astype(np.int64)

    def documents(self) -> pl.Series:
        """Return the distinct documents."""
        return pl.Series(list(self.matrix.documents), dtype=pl.String).unique()

    def per_query(self) -> Ints:
        """Return how many labels each query has."""
        return self._sums(RELEVANT, -RELEVANT)

    def relevant(self) -> Ints:
        """Return how many documents of each query are relevant."""
        return self._sums(RELEVANT)

    def values(self) -> dict[int, int]:
        """Return how many cells have each label; 0 is one of them."""
        return {label: int(np.count_nonzero(self.matrix.labels == label)) for label in (1, UNJUDGED, -1)}

    def tied(self) -> Ints:
        """Return zeros: labels do not rank."""
        return np.zeros(len(self.queries), np.int64)

    def frame(self) -> pl.DataFrame:
        """Return the labelled cells as rows."""
        return self._cells(np.arange(len(self.matrix.documents)), np.arange(len(self.matrix.queries)))

    def _cells(self, rows: Ints, columns: Ints) -> pl.DataFrame:
        labels = self.matrix.labels[np.ix_(rows, columns)]
        row, column = np.nonzero((labels == RELEVANT) | (labels == -RELEVANT))
        return pl.DataFrame(
            {
                "query": _strings(self.matrix.queries).gather(columns[column]),
                "document": _strings(self.matrix.documents).gather(rows[row]),
                "value": labels[row, column].astype(np.float64),
            }
        )

    def repeatable(self) -> pl.DataFrame:
        """Return the cells of documents and queries whose ids occur several times."""
        rows, columns = _repeated_at(self.matrix.documents), _repeated_at(self.matrix.queries)
        others = np.setdiff1d(np.arange(len(self.matrix.documents)), rows)
        every = np.arange(len(self.matrix.queries))
        return pl.concat([self._cells(rows, every), self._cells(others, columns)])

    def warnings(self) -> list[str]:
        """Return the cells that are not labels."""
        odd = int(np.count_nonzero(self.matrix.labels == ODD))
        absent = int(np.count_nonzero(self.matrix.labels == ABSENT))
        beyond = sum(map(len, self.matrix.beyond.values()))
        found = (
            ("other than 1, -1 and 0", odd),
            ("missing at the end of a row", absent),
            ("beyond the last query", beyond),
        )
        return [f"cells {what}: {count:,}" for what, count in found if count]


def pairs_in(given: Input, notes: Counter[str]) -> SearchPairs:
    """Read the pairs of a data set; `notes` counts what the reader skips."""
    parts = list(given.batches(notes))
    if not parts:
        raise InputError("no judgements or results", source=given.name)
    return MatrixPairs.of(parts, given.name) if isinstance(parts[0], Matrix) else RankedPairs.of(parts, given.name)


def search_overlap(name: str, first: SearchPairs, second: SearchPairs) -> SearchOverlap:
    """Compare two data sets; where one repeats a pair, its first value counts."""
    if isinstance(first, MatrixPairs) != isinstance(second, MatrixPairs):
        raise UsageError("a matrix of labels can only be compared with another matrix")
    ours, theirs = (one.frame().unique(_KEY, keep="first", maintain_order=True) for one in (first, second))
    both = theirs.join(ours, on=_KEY, how="inner", suffix="_first")
    graded = "result" not in (first.kind, second.kind)
    return SearchOverlap(
        data=name,
        kind=second.kind,
        queries=len(set(first.queries) & set(second.queries)),
        only_first=_without(first.queries, second.queries),
        only_second=_without(second.queries, first.queries),
        documents=int(first.documents().is_in(second.documents().implode()).sum()),
        pairs=len(theirs),
        shared=len(both),
        conflicting=int((both["value"] != both["value_first"]).sum()) if graded else None,
    )


def _without(queries: Sequence[str], others: Sequence[str]) -> Listed[str]:
    known = set(others)
    left = [query for query in queries if query not in known]
    return Listed(len(left), tuple(left[:LISTED]))


def _strings(texts: Sequence[str]) -> pl.Series:
    return pl.Series(list(texts), dtype=pl.String)


def _repeated_at(ids: Sequence[str]) -> Ints:
    return np.flatnonzero(_strings(ids).is_duplicated().to_numpy())
