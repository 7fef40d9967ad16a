"""What to cite for an estimate of recall, and for a plan of its labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from karatage._version import __version__
from karatage.reports.citations import Citation
from karatage.reports.terminal.result_tables import counted, percent
from karatage.stats import ALLOW_FOR_HIDDEN

if TYPE_CHECKING:
    from karatage.recall import CorrectedLabels, LabelPlan, RecallEstimate

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
    weights = "The recalls of strata are weighted by their estimated numbers of positives in the corpus [@cochran1977]."
    return f"{first}, random samples of {len(labelled):,} strata. {weights}"


def _corrected(found: CorrectedLabels) -> str:
    items = counted(found.counts.negatives + found.counts.positives, "item")
    return _CORRECTED.format(items=items, rates=_RATES[found.by_stratum])


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
