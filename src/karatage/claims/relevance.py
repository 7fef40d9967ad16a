"""Relevance: what gold or a system says of documents, query by query. A unit is a query, a claim is a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Floats, Ints
from karatage.claims.units import Units

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, repr=False)
class Relevance:
    """Documents with a grade or a score, claim by claim: TREC's qrels and runs.

    Attributes:
        units: the queries.
        unit: the query of each claim, as an index into `units`.
        document: the id of each claim's document.
        value: the grade that gold gives (relevant from 1 on), or the score that a system gives.
        what: whether the values are grades or scores; whole numbers in memory may be either.
        given: the scores as they were given, where places took the position of some to order equal ones.
    """

    units: Units
    unit: Ints
    document: pl.Series
    value: Floats
    what: Literal["grades", "scores", "numbers"]
    given: Floats | None = None

    @property
    def written(self) -> Floats:
        """The grades or scores as they were given."""
        return self.value if self.given is None else self.given

    def __len__(self) -> int:
        return len(self.unit)

    @cached_property
    def keys(self) -> pl.Series:
        """A number for each pair of query and document: equal pairs have equal ones, and others hardly ever do."""
        import polars as pl

        queries = pl.Series(self.units.ids, dtype=pl.String).hash(1).to_numpy()
        mixed = self.document.hash(0).to_numpy() * np.uint64(0x9E3779B97F4A7C15)  # odd, so nothing is lost
        return pl.Series(mixed + queries[self.unit])

    def repeats(self) -> bool:
        """Whether a document occurs twice for a query."""
        import polars as pl

        if self.keys.n_unique() == len(self):
            return False
        return bool(pl.DataFrame({"unit": self.unit, "document": self.document}).is_duplicated().any())

    def __repr__(self) -> str:
        return f"<Relevance: {len(self):,} {self.what} in {len(self.units):,} queries>"


RELEVANT, IRRELEVANT, UNJUDGED, ODD, ABSENT = 1, -1, 0, 2, 3
"""What a cell of a matrix holds: one of the three labels, another text, or nothing, as the row is too short."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Matrix:
    """A label for every document and query: the matrix of the SIGIR eCom'19 challenge.

    Attributes:
        source: what a message calls the input.
        queries: the ids in the first row.
        documents: the ids in the first column.
        labels: a row a document, a column a query.
        odd: the texts of cells that hold another text than the three labels, by row and column from 0.
        beyond: the texts of cells beyond the last query, by row.
    """

    source: str
    queries: Sequence[str]
    documents: Sequence[str]
    labels: NDArray[np.int8]
    odd: Mapping[tuple[int, int], str] = field(default_factory=dict)
    beyond: Mapping[int, Sequence[str]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Matrix: {len(self.documents):,} documents, {len(self.queries):,} queries>"

    @property
    def units(self) -> Units:
        """The queries."""
        return Units(len(self.queries), list(self.queries), source=self.source)

    @property
    def what(self) -> str:
        """A matrix holds labels."""
        return "labels"
