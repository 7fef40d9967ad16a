"""Measures that belong to single queries, with the parameters that their texts can set."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal

import numpy as np

from karatage.errors import UsageError
from karatage.matching import Ranking
from karatage.metrics.measure import Measure, QueryEvidence
from karatage.metrics.named_counts import Values
from karatage.metrics.result_lists import ResultLists, among_judged


@dataclass(frozen=True)
class Parameter:
    """A parameter of a measure, as its text names it.

    Attributes:
        default: its value where it is not named.
        read: reads its text; None is an error.
        what: what it may be, for messages.
        named: whether a metric's text always names it.
    """

    default: float | int | str
    read: Callable[[str], float | int | str | None]
    what: str
    named: bool = False


def parameter(own: Parameter) -> Any:
    """Return the field of a measure that a text can set."""
    return field(default=own.default, metadata={"parameter": own})


def whole(most: int) -> Callable[[str], int | None]:
    """Read a whole number from 1."""
    return lambda text: int(text) if re.fullmatch(r"[0-9]{1,9}", text) and 0 < int(text) <= most else None


def decimal(below: float) -> Callable[[str], float | None]:
    """Read a number above 0."""
    number = re.compile(r"[0-9]{0,15}\.?[0-9]{0,15}")
    return lambda text: float(text) if number.fullmatch(text) and text.strip(".") and 0 < float(text) < below else None


def share(text: str) -> float | None:
    """Read a number from 0 to 1."""
    return float(text) if re.fullmatch(r"[01]|[01]?\.[0-9]{1,15}", text) and float(text) <= 1 else None


def choice(**names: float | int | str) -> Callable[[str], float | int | str | None]:
    """Read one of some names."""
    return lambda text: names.get(text.replace("-", "_").lower())


REL = Parameter(1, whole(999_999_999), "a whole number from 1: the lowest grade that counts as relevant")
JUDGED_ONLY = Parameter(
    False, choice(true=True, false=False), "True to leave out results that were not judged, or False"
)


@dataclass(frozen=True)
class QueryMeasure(Measure):
    """A measure that belongs to a query each.

    Attributes:
        example: its value for `EXAMPLE`, as one works it out by hand.
        cutoffs: whether its text names a rank to cut at.
        aliases: other names, in lower case; `@` stands for a cutoff.
        number: the parameter that a number behind its name sets, where that is not the cutoff.
        skips_unjudged: whether results that were not judged never count as not relevant.
        cutoff: the rank up to which the list counts; None for all of it.
    """

    search_only = True
    example: ClassVar[str] = ""
    cutoffs: ClassVar[Literal["needed", "optional", "none"]] = "none"
    aliases: ClassVar[tuple[str, ...]] = ()
    number: ClassVar[str] = ""
    skips_unjudged: ClassVar[bool] = False

    cutoff: int | None = None

    def __str__(self) -> str:
        shown = [
            f"{name}={getattr(self, name)}"
            for name, own in self.parameters().items()
            if own.named or getattr(self, name) != own.default
        ]
        inside = f"({', '.join(shown)})" if shown else ""
        return self.name + inside + (f"@{self.cutoff}" if self.cutoff is not None else "")

    @property
    def ignores_unjudged(self) -> bool:
        """Whether results that were not judged are left out, and do not count as not relevant."""
        return self.skips_unjudged or bool(getattr(self, "judged_only", False))

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """Return what its text can set, beside the cutoff."""
        return {own.name: own.metadata["parameter"] for own in fields(cls) if "parameter" in own.metadata}

    @classmethod
    def written(cls) -> str:
        """Return how its text looks."""
        inside = f"({', '.join(f'{name}=' for name in cls.parameters())})" if cls.parameters() else ""
        return cls.name + inside + {"needed": "@k", "optional": "[@k]", "none": ""}[cls.cutoffs]


EXAMPLE = (
    {"q": {"a": 2, "b": 0, "d": 1, "e": 0, "f": -1, "g": 1, "h": 0}},
    {"q": {"a": 9.0, "b": 8.0, "c": 7.0, "d": 6.0, "e": 5.0, "f": 4.0}},
)
"""Judgements and results to try measures on: the results have the grades 2, 0, none, 1, 0 and -1, which is none either;
a document of grade 1 and one of grade 0 were not retrieved."""


@dataclass(frozen=True)
class RankedMeasure(QueryMeasure):
    """A measure of a query's ranked results: of the judged documents and their ranks.

    Documents that were retrieved but not judged need not be looked at: their number shows in the ranks of the others.
    Where results are tied, their order is trec_eval's, by document id, or all orders count alike: the value is then its
    expectation over them (McSherry and Najork 2008). For measures that add up discounts it is enough to spread a
    document over the ranks that it may have; the others have formulas of their own.

    Attributes:
        needs_relevant: whether a query without relevant documents has no value.
    """

    ranks = True
    needs_relevant: ClassVar[bool] = True

    @abstractmethod
    def of_lists(self, lists: ResultLists) -> Values:
        """Return the value of each query."""

    def of_queries(self, queries: QueryEvidence) -> Values:
        """Return the value of each query that is scored; NaN where it is undefined."""
        if queries.ranking is None:
            raise UsageError(
                f"{self} needs ranked results, but these are labels. See the profile sigir-ecom19 for their metrics"
            )
        return self.of_ranking(queries.ranking, expected=queries.expected_ties)[queries.scored]

    def of_ranking(self, ranking: Ranking, *, expected: bool = False) -> Values:
        """Return the value of each query of a ranking; `expected` takes the expectation over all orders of ties."""
        if getattr(self, "judged_only", False):
            ranking = among_judged(ranking)
        least = getattr(self, "rel", 1)
        lists = ResultLists(ranking, self.cutoff, least, expected=expected and bool((ranking.tied > 1).any()))
        with np.errstate(invalid="ignore", divide="ignore"):
            values = self.of_lists(lists)
        rounding = 1e-14  # sums of parts can miss the ends of the scale by their last bits
        values = np.where(np.abs(values - 1) < rounding, 1.0, values)
        values = np.where((values < 0) & (values > -rounding), 0.0, values)
        return np.where(lists.relevant > 0, values, np.nan) if self.needs_relevant else values


@dataclass(frozen=True)
class RelevanceMeasure(RankedMeasure):
    """A measure that asks only whether a document is relevant, and may leave out results that were not judged."""

    rel: int = parameter(REL)
    judged_only: bool = parameter(JUDGED_ONLY)
