"""What users call what is scored: sentences and entities, or queries and documents."""

from __future__ import annotations

import re
from dataclasses import dataclass

from karatage.stats import DOCUMENT


@dataclass(frozen=True, kw_only=True)
class Nouns:
    """The nouns of a task.

    Attributes:
        unit: what is resampled: a sentence, a document, a listing, a query.
        claim: what is right or wrong: an entity, a value, a document.
        gold, predicted, correct: what the counts are called.
    """

    unit: str
    claim: str
    gold: str = "gold"
    predicted: str = "predicted"
    correct: str = "correct"

    @property
    def units(self) -> str:
        """The plural of `unit`."""
        return plural(self.unit)

    def drawn(self, cluster_by: str | None) -> str:
        """Return what intervals rest on: the unit, or the cluster of units."""
        if cluster_by is None:
            return self.unit
        return "document" if cluster_by == DOCUMENT and self.unit != DOCUMENT else "cluster"

    def worded(self, text: str, cluster_by: str | None = None) -> str:
        """Return a text about units in the words of users: at least two queries are needed."""
        return re.sub(r"\bunits\b", plural(self.drawn(cluster_by)), text).replace("query or sentence", self.unit)

    @property
    def claims(self) -> str:
        """The plural of `claim`."""
        return plural(self.claim)


def plural(noun: str) -> str:
    """Return the plural of a noun: sentences, queries, strata."""
    if noun.endswith("stratum"):
        return f"{noun[:-2]}a"
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: 1 query, 2 queries."""
    return f"{count:,} {noun if count == 1 else plural(noun)}"
