"""Scoring a search engine: the same tally as for an extractor, with queries as units and documents as claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karatage._arrays import Floats
from karatage.claims import Matrix, Relevance
from karatage.engine import Engine
from karatage.errors import InputError, UnitError, UsageError
from karatage.formats import MAGIC, Source, check_named, get_format, header_names, join_relevance, undetected_search
from karatage.inputs import Input, check_graded
from karatage.metrics import Metric, Rows, Tally, mean_rows, sums
from karatage.profiles import Profile
from karatage.scoring.extraction import SEARCH_INPUTS
from karatage.scoring.nouns import Nouns
from karatage.scoring.search.exact_repeats import without_repeats
from karatage.scoring.search.judge_depth import check_depth, judged_pairs
from karatage.scoring.search.labelled_pairs import Labelled
from karatage.scoring.search.moved_documents import moved_documents
from karatage.scoring.search.ranked_run import NOT_RANKED, Ranked
from karatage.scoring.search.result_pool import unequal_pools
from karatage.scoring.search.search_result import SearchResult
from karatage.scoring.search.streamed_run import StreamedRun, streamed_run
from karatage.scoring.search.wrong_documents import DEPTH, wrong_documents
from karatage.scoring.task import Progress, Task
from karatage.scoring.unit_counts import CountCollector
from karatage.stats import Resampling

if TYPE_CHECKING:
    import polars as pl

    from karatage.scoring.search.result_pool import ResultPool

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
        self._read: Ranked | StreamedRun | Labelled | None = None
        self._notes: dict[str, Counter[str]] = {"gold": Counter(), "predictions": Counter()}
        self._gold: Relevance | Matrix | None = None

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
        check_graded(inputs[0], gold.options.grades)
        repeats = profile.duplicates == "dedupe"
        gold = replace(inputs[0], options=replace(inputs[0].options, relevance="grades", repeats=repeats))
        options = replace(inputs[1].options, relevance="scores", repeats=repeats)
        pred = replace(inputs[1], scores_first=True, options=options)
        return cls(gold, pred, profile, prices)

    @property
    def nouns(self) -> Nouns:
        """What users call what is scored."""
        return self._aligned().nouns

    def _aligned(
        self, progress: Progress | None = None, engine: Engine | None = None
    ) -> Ranked | StreamedRun | Labelled:
        """Read both inputs, once: query by query where they are large, or as a whole."""
        if self._read is None and self._documents is None:
            found = streamed_run(self.gold, self.pred, self.profile, engine, progress)
            if found is not None:
                self._read, self._notes = found, dict(zip(self._notes, found.notes, strict=True))
        if self._read is None:
            self._read = self._whole()
        return self._read

    def _whole(self) -> Ranked | Labelled:
        """Read both inputs as a whole."""
        gold, pred = (
            _whole(own, name, self._notes[name]) for own, name in ((self.gold, "gold"), (self.pred, "predictions"))
        )
        self._gold = gold
        if isinstance(gold, Matrix) != isinstance(pred, Matrix):
            kinds = [_noun(own) for own in (gold, pred)]
            raise InputError(f"gold is {kinds[0]}, but the predictions are {kinds[1]}", source=self.pred.name)
        if isinstance(gold, Matrix) and isinstance(pred, Matrix):
            for option, given in (("depth", self.profile.depth), ("duplicates", self.gold.options.repeats)):
                if given:
                    raise UsageError(f"--{option} works for ranked results only, not for labels")
            return Labelled.of(gold, pred, self.profile, self._documents)
        if self._documents is not None:
            raise UsageError("--documents works for matrices of labels only, such as those of SIGIR eCom'19")
        try:
            return Ranked.of(gold, pred, self.profile)
        except UnitError as error:  # what the reader guessed may be the reason
            doubts = "; ".join(what for what, count in self._notes["predictions"].items() if count)
            raise error if not doubts else error.hinting(f"Noted while reading: {doubts}") from None

    def beside_judge(self, judge: Task) -> list[str]:
        """Refuse a judge that judged other documents of these queries; return what to know of it."""
        if not isinstance(judge, Search):
            return []
        return check_depth(judged_pairs(self._judgements()), judged_pairs(judge._judgements()), judge.gold.name)

    def side_by_side(self, tasks: Mapping[str, Task]) -> list[str]:
        """Say whether the results of one engine are judged more often than those of another, or one has fewer."""
        return unequal_pools(_pools(tasks))

    def judged_shares(self, tasks: Mapping[str, Task]) -> dict[str, float]:
        """Return which share of the first results of each engine is judged, where others lower its score."""
        return {name: pool.share for name, pool in _pools(tasks).items() if pool.unjudged_are_wrong}

    @property
    def caveat(self) -> str:
        """What undermines the scores: that few results are judged, or none."""
        return "; ".join(pool.caveat for pool in _pools({"": self}).values() if pool.caveat)

    def _judgements(self) -> Relevance | Matrix:
        """Return the judgements; they are read again if the run was scored while it was read."""
        self._aligned()
        if self._gold is None:
            self._gold = _whole(self.gold, "gold")
        return self._gold

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
        """Count everything; return the counts and what a reader of them should know."""
        read = self._aligned(progress, engine)
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
        self._check_columns()
        skipped = [
            f"{name}: {what}: {count:,}" for name, own in self._notes.items() for what, count in own.items() if count
        ]
        return total, [*skipped, *read.warnings(), *self.undefined_means(total)]

    def _check_columns(self) -> None:
        """Refuse a column that the user named, but that no file has."""
        named = self.pred.options.columns
        if named:
            sides = zip(self._notes.values(), (self.gold, self.pred), strict=True)
            check_named(named, [notes for notes, own in sides if _named(own)])

    @property
    def queries(self) -> list[str]:
        """The ids of the queries that are scored."""
        return [str(name) for name in self._aligned().units.ids or ()]

    def values(self, metrics: Iterable[Metric]) -> Values:
        """Return the values of each query; NaN where there is none."""
        return self._aligned().values(metrics)

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

    def moved_documents(self, new: Search, units: Collection[str], depth: int = DEPTH) -> pl.DataFrame:
        """Return the documents of some queries that stand elsewhere in a new run, reading the inputs again.

        Args:
            new: the scoring of the new run, against the same judgements.
            units: the queries to look at.
            depth: how many of the first results of either run are looked at.
        """
        for task in (self, new):
            task.check_repeatable()
        inputs = (self.gold, "gold"), (self.pred, "predictions"), (new.pred, "predictions")
        gold, *runs = (_whole(own, name) for own, name in inputs)
        return moved_documents(gold, *runs, units=units, depth=depth, last=self.profile.depth or None)

    def query_texts(self) -> pl.DataFrame | None:
        """Return the texts of the queries, where gold has texts beside the ids."""
        import polars as pl

        units = self._aligned().units
        if units.texts is None or not any(units.texts) or list(units.texts) == list(units.ids or ()):
            return None
        return pl.DataFrame({"unit": units.ids, "query": [text or None for text in units.texts]})

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
        _refuse_others(own, usual)
        own = replace(own, named_format=get_format(usual))
    if own.content == "unknown":
        own = replace(own, content="relevance")
    if not own.relevance:
        raise UsageError(
            f"{own.name} contains no search results or judgements, but the profile {profile.name} is for search. "
            f"{SEARCH_INPUTS}"
        )
    return own


def _refuse_others(own: Input, usual: str) -> None:
    """Refuse files that do not look like lines of TREC, whose reader would say what is not wrong with them."""
    if not own.sources or own.sources[0].once or not usual.startswith("trec-"):
        return
    if header_names(own.sources[0]) or not _like_trec(own.sources[0]):
        raise undetected_search(own.sources[0], results=usual == "trec-run")


def _like_trec(source: Source) -> bool:
    """Whether a file may be a damaged file of TREC: its first line has a few fields, and is neither JSON nor binary."""
    if source.is_folder or source.suffixes.endswith((".run", ".qrels", ".qrel")):
        return not source.is_folder
    data = source.head()
    line = next((own.strip() for own in data.split(b"\n") if own.strip()[:1] not in (b"", b"#")), b"")
    odd = b"\0" in data or b"\r" in line or line[:1] in (b"{", b"[", b"<")
    return not odd and 3 <= len(line.split()) <= 8


def _named(own: Input) -> bool:
    """Whether an input has columns or keys with names, as the lines of TREC's files do not."""
    if own.content != "files" or own.format.name in ("search-csv", "search-jsonl"):
        return True
    files = (source for source in own.sources if not source.once and not source.is_folder)
    return any(source.head().startswith(MAGIC) for source in files)


def _whole(own: Input, name: str, notes: Counter[str] | None = None) -> Any:
    """Read all of an input; `notes` counts what the reader skips."""
    parts = list(own.batches(notes))
    if not all(isinstance(part, Matrix | Relevance) for part in parts):
        raise UsageError(f"{own.name} contains data other than search results or judgements")
    if len(parts) > 1 and any(isinstance(part, Matrix) for part in parts):
        raise InputError(f"{name}: the files have different formats", source=own.name)
    if isinstance(parts[0], Matrix):
        return parts[0]
    found = join_relevance(parts, own.name, name, repeats=own.options.repeats)
    return without_repeats(found, Counter() if notes is None else notes) if own.options.repeats else found


def _noun(own: Matrix | Relevance) -> str:
    return "a matrix of labels" if isinstance(own, Matrix) else f"a list of {own.what}"


def _pools(tasks: Mapping[str, Task]) -> dict[str, ResultPool]:
    """Return the first results of each engine; labels of documents have none."""
    read = {name: task._aligned() for name, task in tasks.items() if isinstance(task, Search)}
    return {name: own.pool for name, own in read.items() if not isinstance(own, Labelled)}
