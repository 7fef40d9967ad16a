"""What a measure is: a value that owns its formula, its direction, and what to say where it is undefined."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from karatage._arrays import Bools, Ints
from karatage._plugins import Registry
from karatage.matching import Ranking, Verdicts
from karatage.metrics.named_counts import Counts, Layout, Values

COUNTS = ("gold", "predicted", "correct", "hits")
"""Columns of every tally. `correct` counts credited pairs under their gold label, `hits` under their predicted one."""

NEGATIVES = ("true_negatives",)
"""A further column where gold judges all pairs: those that are neither relevant nor predicted to be."""

TOKENS = ("tokens", "tokens_correct")
"""What is counted of each unit's tags, whatever their labels."""


LACKING = {"gold": "gold annotations", "predicted": "predictions"}
"""What there is none of where a count is 0, in words."""


@dataclass(frozen=True, kw_only=True)
class QueryEvidence:
    """What is known of each query that is scored.

    Attributes:
        columns: what is counted.
        counts: the counts of each query.
        ranking: the judged documents and their ranks, where the results are ranked.
        scored: which queries of the ranking are scored.
        expected_ties: whether to take the expectation over all orders of tied results.
        verdicts: the judged pairs, where the results are labels.
        unpriced: the value of a measure that needs prices where there are none; NaN for undefined.
    """

    columns: tuple[str, ...]
    counts: Ints
    ranking: Ranking | None = None
    scored: Bools | None = None
    expected_ties: bool = False
    verdicts: Verdicts | None = None
    unpriced: float = float("nan")


@dataclass(frozen=True)
class Measure(ABC):
    """What is measured, e.g. recall or nDCG@10: an immutable value that prints as its text.

    Attributes:
        name: what it is called.
        about: what it is, as the end of a sentence.
        formula: how it is computed, in one line.
        cite: where it was defined.
        higher_is_better: the direction.
        needs: the columns that it reads; where there are alternatives, the first that a tally has. Empty for a measure
            of single queries.
        search_only: whether it is of queries and documents only.
        ranks: whether it reads a ranked list.
        by_token: whether it counts tokens by their type, and not entities.
        binomial: whether it is a share of trials that are independent but for clustering.
        needs_prices: whether it reads the prices of documents.
        requirement: what a query must have for it to be defined.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    formula: ClassVar[str] = ""
    cite: ClassVar[str] = ""
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[tuple[tuple[str, ...], ...]] = ()
    search_only: ClassVar[bool] = False
    ranks: ClassVar[bool] = False
    by_token: ClassVar[bool] = False
    binomial: ClassVar[bool] = False
    needs_prices: ClassVar[bool] = False
    requirement: ClassVar[str] = ""

    def __str__(self) -> str:
        return self.name

    @classmethod
    def written(cls) -> str:
        """Return how its text looks, for overviews."""
        return cls.name

    @abstractmethod
    def of_queries(self, queries: QueryEvidence) -> Values:
        """Return the value of each query; NaN where it is undefined."""

    def remark(self, shown: str) -> str:  # noqa: ARG002  what some measures look at
        """Return what a table should say beside a name that leaves it open."""
        return ""

    def reads(self, columns: Sequence[str]) -> bool:
        """Whether these columns are all that it needs."""
        return not self.needs or any(set(need) <= set(columns) for need in self.needs)

    @property
    def counts_tokens(self) -> bool:
        """Whether it is about tokens rather than entities, where no negatives are counted."""
        return self.by_token or TOKENS in self.needs


class CountMeasure(Measure):
    """A measure of counts: of all of them, or of each label, group or unit.

    Attributes:
        by_label: whether there is a value for each label.
        share_of: the count without which it is undefined.
    """

    needs: ClassVar[tuple[tuple[str, ...], ...]] = (COUNTS,)
    by_label: ClassVar[bool] = True
    share_of: ClassVar[str] = "gold"

    @classmethod
    def parse(cls, number: str | None) -> CountMeasure | None:
        """Return the measure that its name and the number behind it stand for; None if there is none."""
        return cls() if number is None else None

    @abstractmethod
    def of(self, counts: Counts) -> Values:
        """Return the value of counts; NaN where it is undefined."""

    @abstractmethod
    def trials(self, counts: Counts) -> Values:
        """Return how many independent trials it is a share of, at most: what bounds its interval."""

    def size(self, counts: Counts) -> Values:
        """Return what it is a share of, as a sum over units: how much a unit weighs in it."""
        return self.trials(counts)

    def why_undefined(self, counts: Counts) -> str:
        """Say why it is undefined."""
        if counts["gold"] == 0 and counts["predicted"] == 0:
            return "no gold annotations and no predictions"
        return f"no {LACKING[self.share_of]}"

    def of_queries(self, queries: QueryEvidence) -> Values:
        """Return the value of each query."""
        return self.of(Counts(Layout(queries.columns, (("", ""),)), queries.counts[:, None, :], [0]))


MEASURES: Registry[type[Measure]] = Registry(
    "measure",
    "karatage.metrics",
    {
        "precision": "karatage.metrics.precision_recall:Precision",
        "recall": "karatage.metrics.precision_recall:Recall",
        "f": "karatage.metrics.precision_recall:FBeta",
        "token_precision": "karatage.metrics.token_level:TokenPrecision",
        "token_recall": "karatage.metrics.token_level:TokenRecall",
        "token_f": "karatage.metrics.token_level:TokenFBeta",
        "accuracy": "karatage.metrics.precision_recall:Accuracy",
        "fpr": "karatage.metrics.precision_recall:FalsePositiveRate",
        "nDCG": "karatage.metrics.gains:NDCG",
        "AP": "karatage.metrics.average_precision:AveragePrecision",
        "RR": "karatage.metrics.precision_at_k:ReciprocalRank",
        "P": "karatage.metrics.precision_at_k:PrecisionAtK",
        "R": "karatage.metrics.precision_at_k:RecallAtK",
        "Success": "karatage.metrics.precision_at_k:Success",
        "Rprec": "karatage.metrics.precision_at_k:RPrecision",
        "Bpref": "karatage.metrics.average_precision:Bpref",
        "infAP": "karatage.metrics.average_precision:InferredAP",
        "RBP": "karatage.metrics.gains:RankBiasedPrecision",
        "ERR": "karatage.metrics.gains:ExpectedReciprocalRank",
        "SetP": "karatage.metrics.retrieved_sets:SetPrecision",
        "SetR": "karatage.metrics.retrieved_sets:SetRecall",
        "SetF": "karatage.metrics.retrieved_sets:SetF",
        "SetRelP": "karatage.metrics.retrieved_sets:SetRelativePrecision",
        "SetAP": "karatage.metrics.retrieved_sets:SetAveragePrecision",
        "RelP": "karatage.metrics.precision_at_k:RelativePrecision",
        "IPrec": "karatage.metrics.interpolated_precision:InterpolatedPrecision",
        "IAP": "karatage.metrics.interpolated_precision:InterpolatedAverage",
        "nDCGrel": "karatage.metrics.ideal_gains:RelevantNDCG",
        "RnDCG": "karatage.metrics.ideal_gains:LevelNDCG",
        "G": "karatage.metrics.ideal_gains:NormalisedGain",
        "binG": "karatage.metrics.ideal_gains:BinaryGain",
        "RBPres": "karatage.metrics.gains:RankBiasedResidual",
        "Judged": "karatage.metrics.precision_at_k:Judged",
    },
)
"""Every measure by name; packages add theirs by entry points in the group `karatage.metrics`."""


def measures() -> list[type[Measure]]:
    """Return all measures, plugins included."""
    return [MEASURES[name] for name in MEASURES.names()]
