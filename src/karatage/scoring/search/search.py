"""Scoring a search engine: the same tally as for an extractor, with queries as units and documents as claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karatage._arrays import Floats
from karatage.claims import Matrix, Relevance, Units
from karatage.engine import Engine
from karatage.errors import InputError, UsageError
from karatage.formats import Source, get_format
from karatage.inputs import Input
from karatage.metrics import Metric, Rows, Tally, mean_rows, sums
from karatage.profiles import Profile
from karatage.scoring.extraction import SEARCH_INPUTS
from karatage.scoring.nouns import Nouns
from karatage.scoring.search.labelled_pairs import Labelled
from karatage.scoring.search.ranked_run import NOT_RANKED, Ranked
from karatage.scoring.search.search_result import SearchResult
from karatage.scoring.search.wrong_documents import DEPTH, wrong_documents
from karatage.scoring.task import Progress, Task
from karatage.scoring.unit_counts import CountCollector
from karatage.stats import Resampling

if TYPE_CHECKING:
    import polars as pl

    Values = dict[Metric, Floats]


class Search(Task):
    """A scoring of relevance.

    Args:
        gold: the judgements.
        pred: the results.
        profile: how to score them.
        documents: a table of documents with their prices.
    """

    result_type = SearchResult
    by_id = True

    def __init__(self, gold: Input, pred: Input, profile: Profile, documents: Source | None = None) -> None:
        super().__init__(gold, pred, profile)
        self._documents = documents
        self._read: Ranked | Labelled | None = None
        self._notes: dict[str, Counter[str]] = {"gold": Counter(), "predictions": Counter()}

    @classmethod
    def open(cls, gold: Input, pred: Input | None, profile: Profile, documents: str | Path | None) -> Search:
        """Check that judgements and results go together, without reading them yet."""
        if pred is None:
            raise UsageError("missing search results: pass a run to score")
        ranks = any(metric.measure.ranks for metric in profile.metrics.values())
        usual = ("trec-qrels", "trec-run") if ranks else ("sigir19", "sigir19")
        inputs = [_as_relevance(own, name, profile) for own, name in zip((gold, pred), usual, strict=True)]
        prices = None if documents is None else Source(documents)
        if prices is not None and prices.standard_input and any(own.name == "-" for own in inputs):
            raise UsageError("--documents and another file cannot both come from standard input")
        return cls(inputs[0], replace(inputs[1], scores_first=True), profile, prices)

    @property
    def nouns(self) -> Nouns:
        """What users call what is scored."""
        return self._aligned().nouns

    def _aligned(self) -> Ranked | Labelled:
        """Read both inputs, once."""
        if self._read is None:
            gold, pred = (
                _whole(own, name, self._notes[name]) for own, name in ((self.gold, "gold"), (self.pred, "predictions"))
            )
            if isinstance(gold, Matrix) != isinstance(pred, Matrix):
                kinds = [_noun(own) for own in (gold, pred)]
                raise InputError(f"gold is {kinds[0]}, but the predictions are {kinds[1]}", source=self.pred.name)
            if isinstance(gold, Matrix) and isinstance(pred, Matrix):
                if self.profile.depth:
                    raise UsageError("--depth works for ranked results only, not for labels")
                self._read = Labelled.of(gold, pred, self.profile, self._documents)
            else:
                if self._documents is not None:
                    raise UsageError("--documents works for matrices of labels only, such as those of SIGIR eCom'19")
                self._read = Ranked.of(gold, pred, self.profile)
        return self._read

    @property
    def _in_turn(self) -> bool:
        """Whether values are added up as the challenge's script does."""
        return self.profile.label_rules.sums == "in-order"

    def tally(
        self,
        progress: Progress | None = None,
        collector: CountCollector | None = None,
        engine: Engine | None = None,
    ) -> tuple[Tally, list[str]]:
        """Count everything in this process; return the counts and what a reader of them should know."""
        del engine  # all results are ranked at once
        read = self._aligned()
        for name, metric in self.profile.metrics.items():
            if not metric.measure.reads(read.columns):
                raise UsageError(f"{name} needs a label for each judged document, {NOT_RANKED}")
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
        if collector is not None:
            rows = Rows.of_values(columns, counts)
            collector.add(read.units, replace(total, rows=rows, means=mean_rows(values) if values else None))
        if progress is not None:
            progress(len(counts))
        skipped = [
            f"{name}: {what}: {count:,}" for name, own in self._notes.items() for what, count in own.items() if count
        ]
        return total, [*skipped, *read.warnings(), *self.undefined_means(total)]

    def values(self, metrics: Iterable[Metric]) -> Values:
        """Return the values of each query; NaN where there is none."""
        read = self._aligned()
        return {metric: metric.of_queries(read.evidence, self.profile.undefined) for metric in metrics}

    def with_metrics(self, tally: Tally, metrics: Sequence[Metric], resampling: Resampling | None) -> Tally:  # noqa: ARG002
        """Return the tally with further means over units."""
        values = self.values([*tally.values, *metrics])
        return replace(
            tally, values=sums(values, in_turn=self._in_turn), means=None if tally.rows is None else mean_rows(values)
        )

    def documents(self, depth: int = DEPTH) -> pl.DataFrame:
        """Return the judged documents that stand where they should not, reading the input again."""
        self.check_repeatable()
        found = wrong_documents(_whole(self.gold, "gold"), _whole(self.pred, "predictions"), depth)
        return found.filter(found["unit"].is_in(list(self._aligned().units.ids or ())))  # those that are scored

    def prices(self) -> Floats | None:
        """Return the mean price of the relevant documents of each query; None where no prices are known."""
        return self._aligned().prices()

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


def _as_relevance(own: Input, usual: str, profile: Profile) -> Input:
    """Return an input that contains relevance; where that is not known, its usual format says what is wrong."""
    if own.content == "files" and own.named_format is None and not own.looks_like_relevance:
        own = replace(own, named_format=get_format(usual))
    if own.content == "unknown":
        own = replace(own, content="relevance")
    if not own.relevance:
        raise UsageError(
            f"{own.name} contains no search results or judgements, but the profile {profile.name} is for search. "
            f"{SEARCH_INPUTS}"
        )
    return own


def _whole(own: Input, name: str, notes: Counter[str] | None = None) -> Any:
    """Read all of an input; `notes` counts what the reader skips."""
    import polars as pl

    parts = list(own.batches(notes))
    if not all(isinstance(part, Matrix | Relevance) for part in parts):
        raise UsageError(f"{own.name} contains data other than search results or judgements")
    if len(parts) == 1:
        return parts[0]
    if any(isinstance(part, Matrix) for part in parts) or len({part.what for part in parts}) > 1:
        raise InputError(f"{name}: the files have different formats", source=own.name)
    number: dict[str, int] = {}
    for part in parts:
        for query in part.units.ids:
            number.setdefault(query, len(number))
    unit = np.concatenate([np.array([number[q] for q in part.units.ids], np.int64)[part.unit] for part in parts])
    documents = pl.concat([part.document for part in parts])
    if pl.DataFrame({"unit": unit, "document": documents}).is_duplicated().any():
        raise InputError(f"{name}: a document occurs twice for a query, in different files", source=own.name)
    values = np.concatenate([part.value for part in parts])
    return Relevance(Units(len(number), list(number), source=own.name), unit, documents, values, parts[0].what)


def _noun(own: Matrix | Relevance) -> str:
    return "a matrix of labels" if isinstance(own, Matrix) else f"a list of {own.what}"
