"""Scoring a search engine: the same tally as for an extractor, with queries as units and documents as claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.claims import Units
from karat.claims.relevance import Matrix, Relevance
from karat.errors import InputError, UnitError, UsageError
from karat.formats import Source
from karat.formats.matrix import read_prices
from karat.formats.trec import WHOLE
from karat.keeping import Keep
from karat.matching.ranking import Ranking, rank
from karat.matching.verdicts import Verdicts, judged_documents, verdicts
from karat.metrics import (
    COUNTS,
    MEASURES_OF_LISTS,
    NEGATIVES,
    Metric,
    Rows,
    Tally,
    exported,
    mean_rows,
    sums,
    unit_values,
)
from karat.metrics.prices import price_ndcg
from karat.metrics.ranked import ranked_values
from karat.profiles import Profile
from karat.run import Progress, Run, Side

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    Values = dict[Metric, NDArray[np.float64]]


class Search(Run):
    """One scoring of relevance.

    Args:
        gold: the judgements.
        pred: the results.
        profile: how to score them.
        documents: a table of documents with their prices.
    """

    def __init__(self, gold: Side, pred: Side, profile: Profile, documents: Source | None = None) -> None:
        super().__init__(gold, pred, profile)
        self._documents = documents
        self._read: Ranked | Labelled | None = None

    def _aligned(self) -> Ranked | Labelled:
        """Read both sides, once."""
        if self._read is None:
            gold, pred = _whole(self.gold, "gold"), _whole(self.pred, "predictions")
            if isinstance(gold, Matrix) != isinstance(pred, Matrix):
                kinds = [_noun(side) for side in (gold, pred)]
                raise InputError(
                    f"gold is {kinds[0]}, but the predictions are {kinds[1]}", source=self.pred.corpus.name
                )
            if isinstance(gold, Matrix) and isinstance(pred, Matrix):
                self._read = Labelled.of(gold, pred, self.profile, self._documents)
            else:
                if self._documents is not None:
                    raise UsageError("prices of documents are for matrices of labels, as those of SIGIR eCom'19")
                self._read = Ranked.of(gold, pred, self.profile)
        return self._read

    @property
    def _in_turn(self) -> bool:
        """Whether values are added up as the challenge's script does."""
        return not self.profile.strict

    def tally(self, progress: Progress | None = None, keep: Keep | None = None) -> tuple[Tally, list[str]]:
        """Count everything; return the counts and what a reader of them should know."""
        read = self._aligned()
        for name, metric in self.profile.metrics.items():
            if metric.measure in ("accuracy", "fpr") and NEGATIVES[0] not in read.columns:
                raise UsageError(f"{name} is for documents that are all labelled as relevant or not, {_NOT_RANKED}")
        metrics = [metric for metric in dict.fromkeys(self.profile.metrics.values()) if metric.per_unit]
        values = self.values(metrics)
        counts, columns = read.counts, read.columns
        total = Tally(
            columns,
            (("", ""),),
            counts.sum(axis=0)[None],
            Counter({"units": len(counts)}),
            values=sums(values, in_turn=self._in_turn),
        )
        total.check()
        if keep is not None:
            rows = Rows.of_values(columns, counts)
            keep.add(read.units, replace(total, rows=rows, means=mean_rows(values) if values else None))
        if progress is not None:
            progress(len(counts))
        return total, [*read.warnings(), *self.undefined_means(total, "queries")]

    def values(self, metrics: Iterable[Metric]) -> Values:
        """Return the values of each query; NaN where there is none."""
        read = self._aligned()
        out: Values = {}
        for metric in metrics:
            if metric.ranked:
                own, stands = read.values(metric), exported(metric, self.profile.undefined)
                out[metric] = own if stands is None else np.where(np.isnan(own), stands, own)
            else:
                out[metric] = unit_values(metric, read.columns, read.counts, self.profile.undefined)
        return out

    def with_metrics(self, tally: Tally, metrics: Sequence[Metric]) -> Tally:
        """Return the tally with further means over units."""
        values = self.values([*tally.values, *metrics])
        return replace(
            tally, values=sums(values, in_turn=self._in_turn), means=None if tally.rows is None else mean_rows(values)
        )

    def by_unit(self, metrics: Mapping[str, Metric]) -> pl.DataFrame:
        """Return a row for each query, with its counts and the values of the metrics that belong to a query."""
        import polars as pl

        read = self._aligned()
        columns: dict[str, Any] = {"unit": read.units.ids}
        shown = [name for name in read.columns if name != "hits"]
        columns |= {name: read.counts[:, read.columns.index(name)] for name in shown}
        values = self.values([metric for metric in metrics.values() if metric.per_unit])
        columns |= {name: values[metric] for name, metric in metrics.items() if metric.per_unit}
        return pl.DataFrame(columns, nan_to_null=True)


class Ranked:
    """A run beside the judgements.

    Attributes:
        units: the queries.
        columns: what is counted.
        counts: for each query the relevant, the retrieved, and those that are both, twice.
    """

    columns = COUNTS

    def __init__(self, ranking: Ranking, kept: NDArray[np.bool_], profile: Profile, missing: int, extra: int) -> None:
        self._ranking, self._kept, self._profile = ranking, kept, profile
        self._missing, self._extra = missing, extra
        self.units = ranking.units if kept.all() else ranking.units.take(np.flatnonzero(kept))
        right = ranking.grade >= 1
        relevant, found = (
            np.bincount(ranking.unit[own], minlength=ranking.count) for own in (right, right & (ranking.rank >= 0))
        )
        self.counts = np.stack([relevant, ranking.retrieved, found, found], axis=1)[kept]

    @classmethod
    def of(cls, gold: Relevance, run: Relevance, profile: Profile) -> Ranked:
        """Find the judged documents in the run."""
        if gold.what == "scores":
            swapped = " Are gold and predictions swapped?" if run.what != "scores" else ""
            raise InputError(
                "gold holds scores, not grades", source=gold.units.source, hint=f"Grades are whole numbers.{swapped}"
            )
        if run.what == "grades":
            raise InputError(
                "the predictions are judgements, not results with scores",
                source=run.units.source,
                hint="Give a run: query, Q0, document, rank, score and a name in each line",
            )
        if not len(gold):
            raise InputError("gold holds no judgement", source=gold.units.source)
        if np.abs(gold.value).max() > WHOLE:
            raise InputError("gold holds a grade beyond 2^53", source=gold.units.source)
        ours = {name: k for k, name in enumerate(gold.units.ids or ())}
        number = np.array([ours.get(name, -1) for name in run.units.ids or ()], np.int64)
        extra = int((number < 0).sum())
        if len(number) and extra == len(number):
            raise UnitError(
                "no query of the run has judgements",
                source=run.units.source,
                unit=(run.units.ids or ("",))[0],
                hint=f"Those with judgements are {', '.join(list(ours)[:3])} …",
            )
        present = np.zeros(len(gold.units), bool)
        present[number[number >= 0]] = True
        policy = profile.units
        if extra and policy.extra == "error":
            name = next(n for n in run.units.ids or () if n not in ours)
            raise UnitError("no judgements for this query of the run", source=run.units.source, unit=name, hint=_EXTRA)
        answered = np.zeros(len(gold.units), bool)
        given = number[np.bincount(run.unit, minlength=len(run.units)) > 0]
        answered[given[given >= 0]] = True
        if not answered.all() and policy.missing == "error":
            first = int(np.flatnonzero(~answered)[0])
            raise UnitError(
                "the run has no results for this query",
                source=run.units.source,
                unit=gold.units.name(first),
                hint=_MISSING,
            )
        kept = present if policy.missing == "ignore" else np.ones(len(gold.units), bool)
        relevant = np.zeros(len(gold.units), bool)
        relevant[gold.unit[gold.value >= 1]] = True
        lacking = ~present if policy.missing == "ignore" else ~answered & relevant
        return cls(rank(gold, run, number), kept, profile, int(lacking.sum()), extra)

    def values(self, metric: Metric) -> NDArray[np.float64]:
        """Return the values of each query; NaN where there is none."""
        if MEASURES_OF_LISTS[metric.measure].labels:
            raise UsageError(f"{metric} is for documents with labels and prices, {_NOT_RANKED}")
        return ranked_values(metric, self._ranking, expected=self._profile.ties == "expected")[self._kept]

    def warnings(self) -> list[str]:
        """Return what a reader of the numbers should know."""
        out = []
        if self._missing:
            how = "left out" if self._profile.units.missing == "ignore" else "scored 0"
            out.append(f"queries without results, {how}: {self._missing:,}")
        if self._extra:
            out.append(f"queries of the run without judgements, left out: {self._extra:,}")
        if self._ranking.ties:
            how = "which count in every order alike" if self._profile.ties == "expected" else _BY_ID
            out.append(f"results that have the score of another one of their query, {how}: {self._ranking.ties:,}")
        return out


_NOT_RANKED = "not for ranked results: choose trec with --like, or leave it out"
_BY_ID = "ordered by document id as trec_eval does (--ties expected counts every order)"
_MISSING = "Count it as 0 with --missing empty"
_EXTRA = "Leave such queries out with --extra ignore"


class Labelled:
    """Labels of documents beside the judgements.

    Attributes:
        units: the queries.
        columns: what is counted.
        counts: for each query the relevant pairs, those taken as relevant, both, twice, and neither.
    """

    columns = COUNTS + NEGATIVES

    def __init__(self, found: Verdicts, profile: Profile) -> None:
        self._found, self._profile = found, profile
        self.units: Units = found.units
        relevant, taken, both, neither = found.counts().T
        self.counts = np.stack([relevant, taken, both, both, neither], axis=1)

    @classmethod
    def of(cls, gold: Matrix, pred: Matrix, profile: Profile, documents: Source | None) -> Labelled:
        """Put predictions beside gold, with prices where they are known."""
        _check_policy(gold, pred, profile)
        wanted = judged_documents(gold)
        prices = None if documents is None else read_prices(documents, wanted, strict=profile.strict)
        place = None if documents is None else documents.name
        return cls(verdicts(gold, pred, strict=profile.strict, prices=prices, priced_in=place), profile)

    def values(self, metric: Metric) -> NDArray[np.float64]:
        """Return the values of each query; NaN where there is none."""
        if not MEASURES_OF_LISTS[metric.measure].labels:
            raise UsageError(
                f"{metric} is for ranked results, not for labels: choose sigir-ecom19 with --like, or leave it out"
            )
        if self._found.prices is None and not self._profile.strict:
            return np.zeros(len(self.units))
        return price_ndcg(self._found, rising=metric.parameter("order") == "rising", cutoff=metric.cutoff or 10)

    def warnings(self) -> list[str]:
        """Return what a reader of the numbers should know."""
        found = (
            ("queries without a judgement, left out", self._found.unjudged),
            ("judged pairs that the predictions lack, counted as wrong", self._found.absent),
            ("judged pairs whose label is neither 1 nor -1, counted as wrong", self._found.odd),
        )
        return [f"{what}: {count:,}" for what, count in found if count]


def _check_policy(gold: Matrix, pred: Matrix, profile: Profile) -> None:
    """Obey, or refuse, what is said of queries that only one side has."""
    if profile.ties != "trec_eval":
        raise UsageError("labels rank nothing, so there are no ties: leave --ties out")
    if profile.units.missing == "ignore":
        raise UsageError("a judged pair without a label is wrong here: --missing is empty or error")
    for policy, names, others, side, what in (
        (profile.units.missing, gold.queries, pred.queries, pred, "the predictions have no labels for this query"),
        (profile.units.extra, pred.queries, gold.queries, pred, "gold does not have this query of the predictions"),
    ):
        lacking = [name for name in names if name not in set(others)] if policy == "error" else []
        if lacking:
            raise UnitError(what, source=side.source, unit=lacking[0])


def _whole(side: Side, name: str) -> Any:
    """Read all of a side."""
    import polars as pl

    parts = list(side.batches())
    if not all(isinstance(part, Matrix | Relevance) for part in parts):
        raise UsageError(f"{name} holds claims about texts, not relevance: choose another profile")
    if len(parts) == 1:
        return parts[0]
    if any(isinstance(part, Matrix) for part in parts) or len({part.what for part in parts}) > 1:
        raise InputError(f"{name} are several files that do not go together", source=side.corpus.name)
    number: dict[str, int] = {}
    for part in parts:
        for query in part.units.ids:
            number.setdefault(query, len(number))
    unit = np.concatenate([np.array([number[q] for q in part.units.ids], np.int64)[part.unit] for part in parts])
    documents = pl.concat([part.document for part in parts])
    if pl.DataFrame({"unit": unit, "document": documents}).is_duplicated().any():
        raise InputError(f"{name}: a document occurs twice for a query, in different files", source=side.corpus.name)
    values = np.concatenate([part.value for part in parts])
    return Relevance(Units(len(number), list(number), source=side.corpus.name), unit, documents, values, parts[0].what)


def _noun(side: Matrix | Relevance) -> str:
    return "a matrix of labels" if isinstance(side, Matrix) else f"a list of {side.what}"
