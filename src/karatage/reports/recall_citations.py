"""What to cite for an estimate of recall, for one from several benchmarks, for a board, and for a plan of labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from karatage._version import __version__
from karatage.reports.citations import Citation
from karatage.reports.terminal.result_tables import counted, percent
from karatage.stats import ALLOW_FOR_HIDDEN, DEFAULT

if TYPE_CHECKING:
    from karatage.recall import Board, CorrectedLabels, LabelPlan, PooledRecall, RecallEstimate

_SUMS = "mid-p gamma limits of weighted sums of counts [@fay1997; fay2017]"

_MOVER = f"follows from limits of the hits and of the misses in the corpus [@zou2008; donner2012]: {_SUMS}"

_RATIO = "the variance of a ratio of two estimated totals in a finite population [@cochran1977]"

_INTERVALS = {
    "mover": _MOVER,
    "published": (
        "is that of the Amundsen benchmarks: normal, with weights taken as known and the same recall in all strata"
    ),
    "stratified": "is normal, with the variance of a stratified mean whose weights are taken as known [@cochran1977]",
    "ratio": f"is normal, with {_RATIO}",
    "ratio-wilson": (
        f"is Wilson's [@wilson1927], of as many independent trials [@korn1998] as have {_RATIO}, with Student's t and "
        "Satterthwaite's degrees of freedom [@satterthwaite1946]"
    ),
    "convolution": (
        "contains the recalls that an exact mid-p test does not reject: the distribution of the estimate is a "
        "convolution of binomial distributions, with weights taken as known"
    ),
    "bayes": "is the central credible interval, with Jeffreys' priors [@brown2001]",
    "wilson": (
        "is the sum of the strata's Wilson intervals [@wilson1927], with weights taken as known, at a quantile that "
        "gives the sum its confidence level [@yan2010]"
    ),
    "assisted": f"{_MOVER}, narrower by as much as the predictions explain",
}

_ASSISTED = (
    "Predictions of another tagger for all candidates correct the estimate: stratified prediction-powered inference "
    "[@angelopoulos2023ppi; angelopoulos2023plus]."
)

_PRECISION = "Those of precision and F1 are central credible intervals, with Jeffreys' priors [@brown2001]."

_WEIGHTS = "The recalls of strata are weighted by their estimated numbers of positives in the corpus [@cochran1977]."

_RANKS = (
    "Systems with results on the same items were compared by exact tests that flip the signs of their differences "
    "[@noreen1989], each item weighing as its stratum does. P-values are corrected for the number of pairs "
    "[@holm1979]. Ranks are simultaneous confidence sets [@mogstad2024]."
)

_CORRECTED = (
    "With labels corrected, the expected numbers of wrong labels are taken off the counts [@rogan1978]. Error rates "
    "are those of {items} labelled again, {rates}. The interval follows from limits of the remaining hits and misses "
    f"[@zou2008; donner2012]: {_SUMS}."
)

_RATES = {
    True: "in each stratum",
    False: "taken to be the same in all strata, and false positives to be missed by the tagger",
}
"""Where the error rates hold, by whether they are those of each stratum."""


def cite_recall(found: RecallEstimate) -> Citation:
    """Return what to cite for an estimate of recall."""

    def sentences() -> Iterator[str]:
        yield _estimate(found)
        if found.method == "assisted":
            yield _ASSISTED
        yield f"The interval ({percent(found.level)}) {_INTERVALS[found.method]}."
        if found.seen is not None:
            unseen = "strata in which no positive was seen"
            allows = found.method in ALLOW_FOR_HIDDEN
            yield f"It allows for positives in {unseen}." if allows else f"It does not include {unseen}."
        if found.widened:
            undecided = counted(found.counts["unresolved"], "undecided item")
            yield f"It is widened to allow for both outcomes of {undecided}."
        yield "Intervals of single strata are Wilson's [@wilson1927]."
        if "precision" in found.metrics:
            yield _PRECISION
        if found.corrected is not None:
            yield _corrected(found.corrected)

    return Citation.of(sentences())


def _estimate(found: RecallEstimate) -> str:
    labelled = [row.labelled for row in found.strata if row.labelled]
    first = f"Recall was estimated with Karatage {__version__} from {counted(sum(labelled), 'labelled candidate')}"
    if len(labelled) == 1:
        return f"{first}, a random sample."
    return f"{first}, random samples of {len(labelled):,} strata. {_WEIGHTS}"


def _corrected(found: CorrectedLabels) -> str:
    items = counted(found.counts.negatives + found.counts.positives, "item")
    return _CORRECTED.format(items=items, rates=_RATES[found.by_stratum])


def cite_pooled(found: PooledRecall) -> Citation:
    """Return what to cite for a recall from several benchmarks."""

    def sentences() -> Iterator[str]:
        positives = counted(found.items, "labelled positive")
        benchmarks = f"{len(found.estimates):,} benchmarks, random samples of one corpus"
        yield f"Recall was estimated with Karatage {__version__} from {benchmarks} with {positives} in all."
        if any(sum(row.labelled > 0 for row in one.strata) > 1 for one in found.estimates):
            yield _WEIGHTS
        yield (
            "The recalls of the benchmarks are weighted by their precision, which follows from the numbers of "
            "positives alone."
        )
        yield f"The interval ({percent(found.level)}) follows from theirs [@zou2008]. Each {_INTERVALS[DEFAULT]}."
        if found.shared:
            yield f"It counts {counted(found.shared, 'positive')} in several benchmarks once."

    return Citation.of(sentences())


def cite_board(board: Board) -> Citation:
    """Return what to cite for a board."""

    def sentences() -> Iterator[str]:
        yield f"The board was made with Karatage {__version__}."
        known = [one for one in board.entries if one.result is not None]
        if board.weights is None and any(len(one.result.strata) > 1 for one in known if one.result is not None):
            yield _WEIGHTS
        if board.weights is not None:
            yield "Recalls are re-weighted to another population, in which the shares of the strata are taken as known."
        for method, systems in Counter(str(one.recall.method) for one in known).items():
            how = _INTERVALS.get(method, f"is that of the method {method}")  # of another version
            yield f"The interval (95 %) of {counted(systems, 'system')} {how}."
            if method == "assisted":
                yield _ASSISTED
        if board.weights is None and len(known) < len(board.entries):
            others = counted(len(board.entries) - len(known), "system")
            yield f"Recall and interval of {others} are as published on the board."
        if board.standings:
            yield _RANKS

    return Citation.of(sentences())


def cite_label_plan(plan: LabelPlan) -> Citation:
    """Return what to cite for a plan of labels."""

    def sentences() -> Iterator[str]:
        yield f"The number of labels was planned with Karatage {__version__}."
        if len(plan.guesses) > 1:
            yield f"Labels are allocated to strata by {_allocation(plan)}."
        yield (
            f"With an assurance of {percent(plan.assurance)}, the interval ({percent(plan.level)}) is as narrow as "
            f"planned [@kelley2003]. It {_MOVER}."
        )

    return Citation.of(sentences())


def _allocation(plan: LabelPlan) -> str:
    seconds = {one.seconds for one in plan.guesses}
    if len(seconds) > 1 and all(seconds):
        return "optimum allocation, which takes the time per label into account [@neyman1934; cochran1977]"
    return "Neyman allocation [@neyman1934]"
