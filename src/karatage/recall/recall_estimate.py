"""The recall of a tagger on a corpus, estimated from its results on a benchmark, with an interval."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Unpack, get_args

import numpy as np

from karatage._shown import Shown
from karatage._version import __version__
from karatage.errors import InputError, UsageError, unknown
from karatage.metrics import Score
from karatage.recall.benchmark import Benchmark, Positive
from karatage.recall.contradictions import contradictions
from karatage.recall.count_defects import PUBLISHED, count_defects, usable_counts
from karatage.recall.estimate_options import EstimateOptions, FailedTexts, RecallMethod, UnresolvedItems
from karatage.recall.precision import PrecisionSample, with_precision
from karatage.recall.second_labels import SUPPOSED, CorrectedLabels, LabelCheck
from karatage.recall.stratum_estimates import StratumEstimate, stratum_estimates
from karatage.scoring import counted
from karatage.stats import (
    ALLOW_FOR_HIDDEN,
    DEFAULT,
    LEVEL,
    Assisted,
    CorrectedRecall,
    LabelErrors,
    Strata,
    assisted,
    check_level,
    corrected_recall,
    interval,
)
from karatage.taggers import Span

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.reports import AnswerText, Citation

Results = Sequence[bool | None]
"""For each positive, stratum by stratum, whether the tagger found it; None if it failed."""


@dataclass(frozen=True, kw_only=True)
class RecallEstimate(Shown):
    """The recall of a tagger on a corpus.

    Attributes:
        benchmark: Name of the benchmark.
        system: Name of the tagger.
        method: How the interval was computed.
        level: Confidence level.
        seed: Random seed.
        metrics: `recall`, and with a precision sample also `precision` and `f1`.
        strata: The estimate for each stratum.
        results: For each positive, whether it was found; None if the tagger failed.
        bounds: Lowest and highest recall if strata without positives have as many as they may.
        seen: The recall with the interval of the strata with positives alone, if others may hide some.
        items: Hash of the positives.
        corrected: The estimate if labels are wrong as often as in items that were labelled again.
        supposed: The recall if 1 % of the other candidates were labelled positive by mistake.
        widened: Whether the interval allows for both outcomes of undecided items.
        warnings: What a reader should know.
    """

    benchmark: str
    system: str
    method: str
    level: float
    seed: int
    metrics: Mapping[str, Score]
    strata: tuple[StratumEstimate, ...]
    results: tuple[bool | None, ...] = field(repr=False)
    bounds: tuple[float, float] | None
    seen: Score | None
    items: str
    corrected: CorrectedLabels | None = None
    supposed: Score | None = None
    widened: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def answer(self) -> AnswerText:
        """What was estimated, in one sentence."""
        from karatage.reports import recall_answer

        return recall_answer(self)

    @property
    def recall(self) -> Score:
        """The recall."""
        return self.metrics["recall"]

    @property
    def counts(self) -> dict[str, int]:
        """The counts summed over all strata."""
        names = ("occurrences", "labelled", "positive", "correct", "incorrect", "failed", "unresolved")
        return {name: sum(getattr(row, name) for row in self.strata) for name in names}

    @property
    def hidden(self) -> int:
        """How many positives may be hidden in strata whose sample has none."""
        return sum(row.hidden or 0 for row in self.strata)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        marks = {None: "-", True: "1", False: "0"}
        out: dict[str, Any] = {
            "answer": str(self.answer),
            "benchmark": self.benchmark,
            "system": self.system,
            "method": self.method,
            "level": self.level,
            "headline": "recall",
            "metrics": {name: score.to_dict() for name, score in self.metrics.items()},
            "counts": self.counts,
            "strata": [row.to_dict() for row in self.strata],
        }
        if self.bounds is not None:
            out["hidden"] = {"positives": self.hidden, "low": self.bounds[0], "high": self.bounds[1]}
        if self.seen is not None:
            out["without_hidden"] = self.seen.to_dict()
        if self.corrected is not None:
            out["corrected"] = self.corrected.to_dict()
        if self.supposed is not None:
            out["if_false_positives"] = {"share": SUPPOSED, "recall": self.supposed.to_dict()}
        out["items"] = {"hash": self.items, "found": "".join(marks[one] for one in self.results)}
        out["warnings"] = list(self.warnings)
        return out | {"provenance": {"karatage": __version__, "seed": self.seed}}

    def cite(self) -> Citation:
        """Return a paragraph on the methods that were used, and BibTeX for their sources."""
        from karatage.reports import cite_recall

        return cite_recall(self)

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows: the estimate, its strata, warnings."""
        from karatage.reports import estimate_parts

        return estimate_parts(self)


def found_by(positives: Iterable[Positive], spans: Iterable[Sequence[Span] | None]) -> tuple[bool | None, ...]:
    """Return for each positive whether a span on its text has exactly its start, end and label."""
    return tuple(
        None if given is None else any((one.start, one.end, label) in given for label in one.labels)
        for one, given in zip(positives, spans, strict=True)
    )


def stored_results(benchmark: Benchmark) -> tuple[bool | None, ...]:
    """Return the results stored in the benchmark."""
    found = tuple(one.correct for one in benchmark.positives)
    if None in found:
        problem = f"{found.count(None):,} of {counted(len(found), 'positive')} without a stored result"
        hint = "Fill in the column correct, or pass --tagger or --predictions"
        raise InputError(problem, source=benchmark.source, hint=hint)
    return found


def estimate_results(
    benchmark: Benchmark,
    results: Results,
    *,
    system: str = "system",
    method: RecallMethod | None = None,
    level: float = LEVEL,
    seed: int = 0,
    failed: FailedTexts = "leave-out",
    unresolved: UnresolvedItems = "count",
    precision: PrecisionSample | None = None,
    label_errors: LabelCheck | None = None,
    samples: Mapping[str, Assisted] | None = None,
) -> RecallEstimate:
    """Estimate the recall on the corpus from a tagger's results on the positives of a benchmark.

    Args:
        benchmark: The benchmark.
        results: For each positive, stratum by stratum, whether the tagger found it; None if it failed.
        system: Name of the tagger.
        method: How to compute the interval: one of `karatage.stats.METHODS`, or `assisted`. Default: `mover`.
        level: Confidence level.
        seed: Random seed of `bayes` and of the interval of F1.
        failed: Positives on which the tagger failed: `leave-out`, or count as a `miss`.
        unresolved: Undecided items: `count` them as not positive, or `widen` the interval to allow for both outcomes.
        precision: A labelled sample of the tagger's predictions, for precision and F1 on the corpus.
        label_errors: Items that were labelled again, for a second estimate that takes the errors of labels off.
        samples: Labelled candidates of each stratum with predictions, for the method `assisted`.
    """
    check_options(method=method, level=level, failed=failed, unresolved=unresolved, label_errors=label_errors)
    method = method or "mover"
    if len(results) != len(benchmark.positives):
        raise UsageError(f"{counted(len(results), 'result')} for {counted(len(benchmark.positives), 'positive')}")
    failures = sum(one is None for one in results)
    results = tuple(False if one is None and failed == "miss" else one for one in results)
    stated = benchmark
    benchmark, odd = usable_counts(stated, method)
    check_results(benchmark, results, failed)
    strata = stratum_counts(benchmark, results)
    value = strata.published_recall if method == PUBLISHED else strata.recall
    if method == "assisted":
        value, low, high = _assisted(benchmark, results, strata, samples, level)
        seen = _assisted(benchmark, results, strata.seen, samples, level)[1:]
    else:
        low, high = interval(strata, method, level, seed)
        seen = interval(strata.seen, method, level, seed)
    undecided = sum(stratum.unresolved for stratum in benchmark.strata)
    widened = undecided > 0 and unresolved == "widen"
    if widened:
        wide = _with_undecided(benchmark, strata, method if method != "assisted" else DEFAULT, level, seed)
        low, high = min(low, wide[0]), max(high, wide[1])
    metrics = {"recall": Score(value, low=low, high=high, method=method)}
    others = strata.seen is not strata
    sound = usable_counts(stated, DEFAULT)[0]
    possible = stratum_counts(sound, results)
    if precision is not None:
        metrics |= with_precision(possible, value, precision, level, seed)
    supposed = None if method == "assisted" else corrected_recall(possible, LabelErrors.known(SUPPOSED), level)
    corrected = None if label_errors is None else _corrected(sound, results, possible, label_errors, level)
    rows = tuple(stratum_estimates(benchmark, results, strata, level))
    return RecallEstimate(
        benchmark=benchmark.name,
        system=system,
        method=method,
        level=level,
        seed=seed,
        metrics=metrics,
        strata=rows,
        results=results,
        bounds=_bounds(strata, value, rows),
        seen=Score(value, low=seen[0], high=seen[1], method=method) if others else None,
        items=benchmark.hash,
        corrected=corrected,
        supposed=None if supposed is None else _recall_score(supposed),
        widened=widened,
        warnings=(
            *benchmark.warnings,
            *odd,
            *_warnings(benchmark, method, failures, failed, undecided, unresolved),
            *contradictions(benchmark, results),
            *(() if label_errors is None else label_errors.warnings),
        ),
    )


def check_options(*, failed: FailedTexts | None, **options: Unpack[EstimateOptions]) -> None:
    """Check the options of an estimate before any work is done."""
    check_level(options.get("level", LEVEL))
    for option, value, choices in (
        ("method", options.get("method"), RecallMethod),
        ("value of failed", failed, FailedTexts),
        ("value of unresolved", options.get("unresolved"), UnresolvedItems),
    ):
        if value is not None and value not in get_args(choices):
            raise unknown(option, value, get_args(choices))

    if options.get("label_errors") is not None:
        if options.get("method") == "assisted":
            raise UsageError("--label-errors does not work with --method assisted")
        if options.get("unresolved") == "widen":
            raise UsageError("--label-errors does not work with --unresolved widen: decide on all items first")


def check_results(benchmark: Benchmark, results: Results, failed: FailedTexts) -> None:
    """Raise an error if a tagger failed on all positives of a stratum."""
    for stratum, own in benchmark.by_stratum(results):
        if own and failed != "miss" and all(one is None for one in own):
            what = "the only positive" if len(own) == 1 else f"all {len(own):,} positives"
            raise UsageError(
                f"the tagger failed on {what} of stratum {stratum.name!r}, so its recall there is unknown."
            )


def stratum_counts(benchmark: Benchmark, results: Results) -> Strata:
    """Return the counts of the strata with labels, as stated if they contradict each other."""
    rows = []
    for stratum, own in benchmark.by_stratum(results):
        known = [one for one in own if one is not None]
        if own or stratum.labelled:
            positive = len(own) if stratum.positive is None else stratum.positive
            rows.append((stratum.occurrences, stratum.labelled, positive, len(known), sum(known)))
    found = np.array([one for one in results if one is not None], bool)
    occurrences, labelled, positives, tried, hits = np.array(rows, float).T
    odd = any(count_defects(benchmark))
    unlabelled = sum(one.occurrences for one in benchmark.strata if not one.labelled)
    return Strata(occurrences, labelled, positives, tried, hits, found, as_stated=odd, unlabelled=unlabelled)


def _assisted(
    benchmark: Benchmark, results: Results, strata: Strata, samples: Mapping[str, Assisted] | None, level: float
) -> tuple[float, float, float]:
    if samples is None:
        raise UsageError("the method 'assisted' needs a benchmark that was drawn with `karatage recall draw --assist`")
    if None in results:
        raise UsageError("the method 'assisted' needs a result for every positive. Use --failed miss")
    kept = len(strata.hits) > len(strata.seen.hits)
    named = [stratum.name for stratum in benchmark.strata if stratum.positives or (kept and stratum.labelled)]
    return assisted(strata, [samples[name] for name in named], level)


def _corrected(
    benchmark: Benchmark, results: Results, strata: Strata, check: LabelCheck, level: float
) -> CorrectedLabels:
    """Return the estimate with the errors of labels taken off."""
    errors, counts = check.errors(benchmark, results)
    found = corrected_recall(strata, errors, level)
    if not found.possible:
        problem = f"{counts.false:,} false positives of {counted(counts.negatives, 'negative')}"
        raise UsageError(f"{problem} would be more than all positive labels of {benchmark.name}: is it another one?")
    value, low, high = found.positives
    positives = Score(value, low=low, high=high, method=DEFAULT)
    return CorrectedLabels(recall=_recall_score(found), positives=positives, counts=counts, by_stratum=check.by_stratum)


def _recall_score(found: CorrectedRecall) -> Score:
    if found.recall is None:
        return Score(None, undefined="all positives may be wrong labels")
    value, low, high = found.recall
    return Score(value, low=low, high=high, method=DEFAULT)


def _with_undecided(benchmark: Benchmark, strata: Strata, method: str, level: float, seed: int) -> tuple[float, float]:
    """Return the interval's lower end if all undecided items were missed positives, and its upper end if found."""
    more = np.array([float(one.unresolved) for one in benchmark.strata if one.positives or one.labelled])
    positives = np.array([float(len(one.positives)) for one in benchmark.strata if one.positives or one.labelled])
    all_missed = replace(strata, positives=positives + more, tried=strata.tried + more, found=None)
    low, _ = interval(all_missed, method, level, seed)
    _, high = interval(replace(all_missed, hits=strata.hits + more), method, level, seed)
    return low, high


def _bounds(strata: Strata, recall: float, rows: Sequence[StratumEstimate]) -> tuple[float, float] | None:
    """Return the recall if all hidden positives were missed, and if all were found."""
    more = sum(row.hidden or 0 for row in rows)
    if not any(row.hidden is not None for row in rows):
        return None
    total = float(strata.estimated.sum())
    return recall * total / (total + more), (recall * total + more) / (total + more)


def _warnings(
    benchmark: Benchmark, method: str, failures: int, failed: FailedTexts, undecided: int, unresolved: UnresolvedItems
) -> Iterable[str]:
    if failures:
        them = "it" if failures == 1 else "them"
        fate = (
            f"left out; use --failed miss to count {them} as missed" if failed == "leave-out" else "counted as missed"
        )
        yield f"{counted(failures, 'positive')} without a result: {fate}"
    if undecided and unresolved == "count":
        what = counted(undecided, "undecided item")
        yield f"{what} counted as not positive; use --unresolved widen to allow for both outcomes"
    unlabelled = [one.name for one in benchmark.strata if one.occurrences and not one.labelled]
    if unlabelled:
        strata = "stratum" if len(unlabelled) == 1 else "strata"
        fate = "the interval allows for anything there" if method in ALLOW_FOR_HIDDEN else "the interval ignores them"
        yield f"{strata} without labels: {', '.join(unlabelled)}; the recall is that of the other strata, {fate}"
    repeats = len(benchmark.positives) - len({one.key for one in benchmark.positives})
    if repeats:
        yield f"{counted(repeats, 'duplicate positive')}; each counts"
