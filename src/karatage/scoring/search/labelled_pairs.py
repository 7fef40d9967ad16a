"""Labels of documents beside the judgements on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from karatage._arrays import Floats
from karatage.claims import RELEVANT, UNJUDGED, Matrix, Units
from karatage.errors import UnitError, UsageError
from karatage.formats import Source, read_prices
from karatage.matching import Verdicts, judged_documents, opposite_pairs, verdicts
from karatage.metrics import COUNTS, NEGATIVES, Metric, QueryEvidence
from karatage.profiles import Profile
from karatage.scoring.nouns import Nouns
from karatage.scoring.search.common_ids import nothing_in_common


class Labelled:
    """Labels of documents beside the judgements.

    Attributes:
        units: the queries.
        columns: what is counted.
        counts: for each query the relevant pairs, those taken as relevant, both, twice, and neither.
    """

    columns = COUNTS + NEGATIVES
    nouns = Nouns(unit="query", claim="document", gold="relevant")

    def __init__(
        self, found: Verdicts, profile: Profile, *, swapped: bool = False, noticed: Sequence[str] = ()
    ) -> None:
        self._found, self._profile, self._swapped = found, profile, swapped
        self._noticed = noticed
        self.units: Units = found.units
        relevant, taken, both, neither = found.counts().T
        self.counts = np.stack([relevant, taken, both, both, neither], axis=1)

    @classmethod
    def of(cls, gold: Matrix, pred: Matrix, profile: Profile, documents: Source | None) -> Labelled:
        """Put predictions beside gold, with prices where they are known."""
        _check_policy(gold, pred, profile)
        wanted = judged_documents(gold)
        rules = profile.label_rules
        prices = None if documents is None else read_prices(documents, wanted, repeated=rules.repeated_prices)
        found = verdicts(
            gold, pred, rules=rules, prices=prices, priced_in=None if documents is None else documents.name
        )
        swapped = not (gold.labels == UNJUDGED).any() and bool((pred.labels == UNJUDGED).any())
        noticed = [*_opposite(gold, pred), *nothing_in_common(gold, pred, found)]
        return cls(found, profile, swapped=swapped, noticed=noticed)

    def values(self, metrics: Iterable[Metric]) -> dict[Metric, Floats]:
        """Return the values of each query; NaN where there is none."""
        rule = self._profile.label_rules.unpriced
        unpriced = np.nan if rule is None else rule
        evidence = QueryEvidence(columns=self.columns, counts=self.counts, verdicts=self._found, unpriced=unpriced)
        return {metric: metric.of_queries(evidence, self._profile.undefined) for metric in metrics}

    def prices(self) -> Floats | None:
        """Return the mean price of the relevant documents of each query; NaN where it has none."""
        if self._found.prices is None:
            return None
        relevant = self._found.truth == RELEVANT
        counts = relevant.sum(axis=0)
        total = np.where(relevant, np.nan_to_num(self._found.prices)[:, None], 0.0).sum(axis=0)
        with np.errstate(invalid="ignore"):
            mean: Floats = total / counts
        return mean

    def warnings(self) -> list[str]:
        """Return what a reader of the numbers should know."""
        found = (
            ("queries without judgements, left out", self._found.unjudged),
            ("judged pairs without a prediction, counted as wrong", self._found.absent),
            ("judged pairs whose label is neither 1 nor -1, counted as wrong", self._found.odd),
        )
        out = [f"{what}: {count:,}" for what, count in found if count]
        out += self._noticed
        if self._swapped:
            out.append("the predictions contain the label 0 (not judged), but gold does not: are they swapped?")
        if self._found.prices is None and any(metric.measure.needs_prices for metric in self._profile.metrics.values()):
            unpriced = self._profile.label_rules.unpriced
            how = "undefined" if unpriced is None else f"{unpriced:g}, as in the script"
            out.append(f"price nDCG is {how}, because there are no prices: pass them with --documents")
        return out


def _opposite(gold: Matrix, pred: Matrix) -> list[str]:
    """Warn of pairs that have both labels: the rules for repeated pairs decide which one counts."""
    found = (
        ("gold pairs with opposite labels, the last of which counts", opposite_pairs(gold)),
        ("predicted pairs with opposite labels, the first of which counts", opposite_pairs(pred)),
    )
    return [f"{what}: {count:,}" for what, count in found if count]


def _check_policy(gold: Matrix, pred: Matrix, profile: Profile) -> None:
    """Obey, or refuse, what is said of queries that only one side has."""
    if profile.ties != "trec_eval":
        raise UsageError("--ties works for ranked results only: labels have no order")
    if profile.units.missing == "ignore":
        raise UsageError("--missing ignore works for ranked results only: use --missing empty or --missing error")
    for policy, names, others, side, what in (
        (profile.units.missing, gold.queries, pred.queries, pred, "the predictions have no labels for this query"),
        (
            "ignore" if profile.units.partial else profile.units.extra,
            pred.queries,
            gold.queries,
            pred,
            "this query of the predictions is not in gold",
        ),
    ):
        lacking = [name for name in names if name not in set(others)] if policy == "error" else []
        if lacking:
            raise UnitError(what, source=side.source, unit=lacking[0])
