"""How far two sets of judgements agree: overall, by grade, and beyond chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from karatage._arrays import Floats, Ints
from karatage._shown import Shown
from karatage._version import __version__
from karatage.errors import unknown
from karatage.metrics import Score
from karatage.stats import cohen_kappa, mean_gap, share_agreed

if TYPE_CHECKING:
    from rich.console import RenderableType

SCORES = {
    "agreement": "same grade",
    "relevance": "both relevant, or both not",
    "kappa": "same grade, beyond chance (Cohen's kappa)",
    "relevance_kappa": "relevant or not, beyond chance (Cohen's kappa)",
    "weighted_kappa": "grades, beyond chance, with quadratic weights",
    "bias": "mean grade, second minus first",
}
"""What each score says."""

LISTED = 20
"""How many disagreements JSON lists."""

_UNIT = "queries"


@dataclass(frozen=True, kw_only=True)
class OneGrade:
    """How far judgements agree on one grade.

    Attributes:
        grade: the grade.
        first, second: how many documents the first judge gave it, and the second.
        both: how many documents both gave it.
        kept: the share of the first judge's documents that the second gave it, too.
        specific: specific agreement: twice the documents of both, divided by those of the first and of the second.
    """

    grade: int
    first: int
    second: int
    both: int
    kept: Score
    specific: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        counts = {"first": self.first, "second": self.second, "both": self.both}
        return {"grade": self.grade, **counts, "kept": self.kept.to_dict(), "specific": self.specific}


@dataclass(frozen=True, eq=False, kw_only=True)
class GradeAgreement(Shown):
    """How far two sets of judgements of the same queries agree. Scores are about documents that both judged.

    Attributes:
        first, second: the names of the two.
        level: the confidence level of the intervals, which rest on queries.
        rel: the lowest grade that counts as relevant, by the first and by the second.
        queries: how many queries have a document that both judged.
        judgements: how many pairs of query and document both judged.
        only_first, only_second: how many pairs only one of them judged.
        queries_only_first, queries_only_second: queries of one of them without a document that both judged.
        scores: agreement, relevance, kappa, relevance_kappa, weighted_kappa and bias; `SCORES` says what they are.
        by_grade: the agreement on each grade, highest first.
        pairs: a row for each pair that both judged: query, document, and the grade by the first and the second.
        warnings: what a reader of the numbers should know.
    """

    first: str
    second: str
    level: float
    rel: tuple[int, int]
    queries: int
    judgements: int
    only_first: int
    only_second: int
    queries_only_first: int
    queries_only_second: int
    scores: Mapping[str, Score]
    by_grade: tuple[OneGrade, ...]
    pairs: pl.DataFrame = field(repr=False)
    warnings: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Score:
        """Return one of the scores."""
        if name not in self.scores:
            raise unknown("score of an agreement", name, self.scores)
        return self.scores[name]

    @property
    def confusion(self) -> dict[int, dict[int, int]]:
        """How many documents the first judge gave each grade, by the grade that the second gave them."""
        grades = [own.grade for own in self.by_grade]
        counts = {(a, b): n for a, b, n in self.pairs.group_by("first", "second").len().iter_rows()}
        return {one: {other: counts.get((one, other), 0) for other in grades} for one in grades}

    def disagreements(self, limit: int | None = None) -> pl.DataFrame:
        """List the documents with different grades, the largest difference first.

        Of those with the same difference, one of each query comes before the second one of any query.
        """
        found = self.pairs.with_columns(gap=(pl.col("second") - pl.col("first")).abs()).filter(pl.col("gap") > 0)
        found = found.with_columns(turn=pl.int_range(pl.len()).over("query", "gap"))
        order = found.sort("gap", "turn", descending=[True, False], maintain_order=True)
        found = order.drop("gap", "turn")
        return found if limit is None else found.head(limit)

    def to_dict(self, *, limit: int = LISTED) -> dict[str, Any]:
        """Return everything as plain data, in the shape that `--json` prints.

        Args:
            limit: maximum number of disagreements.
        """
        return {
            "first": self.first,
            "second": self.second,
            "counts": {
                name: getattr(self, name)
                for name in (
                    *("queries", "judgements", "only_first", "only_second"),
                    *("queries_only_first", "queries_only_second"),
                )
            },
            "level": self.level,
            "rel": list(self.rel),
            "scores": {name: score.to_dict() for name, score in self.scores.items()},
            "confusion": {str(one): {str(b): n for b, n in row.items()} for one, row in self.confusion.items()},
            "by_grade": [own.to_dict() for own in self.by_grade],
            "disagreements": self.disagreements(limit).to_dicts(),
            "warnings": list(self.warnings),
            "provenance": {"karatage": __version__},
        }

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows."""
        from karatage.reports import grade_agreement_parts

        return grade_agreement_parts(self)

    def __repr__(self) -> str:
        value = self.scores["weighted_kappa"]
        return f"<GradeAgreement of {self.first} and {self.second}: weighted_kappa={value:.4f}>"


def agreement_scores(
    first: Floats, second: Floats, cluster: Ints, level: float, least: tuple[int, int] = (1, 1)
) -> dict[str, Score]:
    """Return the agreement on all documents, with intervals over queries; `least` are the lowest relevant grades."""
    every = np.ones(len(first), bool)
    relevant = [(own >= low).astype(float) for own, low in zip((first, second), least, strict=True)]
    how: dict[str, Any] = {"cluster": cluster, "level": level, "unit": _UNIT}
    return {
        "agreement": share_agreed(first == second, every, why="", **how),
        "relevance": share_agreed(relevant[0] == relevant[1], every, why="", **how),
        "kappa": cohen_kappa(first, second, weighted=False, **how),
        "relevance_kappa": cohen_kappa(relevant[0], relevant[1], weighted=False, **how),
        "weighted_kappa": cohen_kappa(first, second, weighted=True, **how),
        "bias": mean_gap(second - first, **how),
    }


def grade_scores(first: Floats, second: Floats, cluster: Ints, level: float) -> tuple[OneGrade, ...]:
    """Return the agreement on each grade, highest first."""
    out = []
    for grade in sorted({*first.tolist(), *second.tolist()}, reverse=True):
        one, other = first == grade, second == grade
        counts = {"first": int(one.sum()), "second": int(other.sum()), "both": int((one & other).sum())}
        why = f"the first judge did not give the grade {grade:g}"
        out.append(
            OneGrade(
                grade=int(grade),
                **counts,
                kept=share_agreed(other, one, cluster, level, why=why, unit=_UNIT),
                specific=2 * counts["both"] / (counts["first"] + counts["second"]),
            )
        )
    return tuple(out)
