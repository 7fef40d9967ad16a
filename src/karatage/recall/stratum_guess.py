"""What is known or assumed about a stratum before labelling, and the recalls and shares that it leaves open."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import median

import numpy as np

from karatage._arrays import Floats
from karatage.errors import UsageError
from karatage.recall.benchmark import Benchmark
from karatage.recall.count_defects import check_counts
from karatage.recall.labels.answers import Answer
from karatage.scoring import counted

RECALL = 0.5
"""The assumed recall, if nothing is known: the one that needs the most labels.

At 0.5, a hit and a miss count alike, so it does not matter how the recalls of strata differ.
"""

TRUST = 4.0
"""How many results an assumed recall is worth: the strata differ from it by about √(R(1-R)/5), 0.19 at 0.75."""


@dataclass(frozen=True)
class StratumGuess:
    """What is known or assumed about a stratum before labelling.

    Attributes:
        name: Name of the stratum.
        occurrences: Number of candidates in the corpus.
        share: Share of positives among them.
        recall: Assumed recall.
        labelled: Number of candidates that are labelled already.
        seconds: Time per label, if known.
        positive: Number of positives among those labelled. If it is None, the share is taken as known.
        trust: How many results the recall is worth; infinity if it is taken as known.
    """

    name: str
    occurrences: int
    share: float
    recall: float
    labelled: int = 0
    seconds: float | None = None
    positive: int | None = None
    trust: float = TRUST

    def __post_init__(self) -> None:
        if not 1 <= self.occurrences < 2**53:
            raise UsageError(f"stratum {self.name!r}: the number of occurrences must be at least 1")
        if not 0 <= self.share <= 1 or not 0 < self.recall < 1:
            problem = "the share must be between 0 and 1, and the recall above 0 and below 1"
            raise UsageError(f"stratum {self.name!r}: {problem}, got {self.share:g} and {self.recall:g}")
        if not 0 <= self.labelled <= self.occurrences:
            size = counted(self.occurrences, "occurrence")
            raise UsageError(f"stratum {self.name!r}: {self.labelled:,} labelled, but {size}")

    def shares(self, rng: np.random.Generator, draws: int) -> Floats:
        """Draw shares of positives: as the pilot leaves them open, with Jeffreys' prior."""
        if self.positive is None:
            return np.full(draws, self.share)
        return rng.beta(self.positive + 0.5, self.labelled - self.positive + 0.5, draws)

    def recalls(self, rng: np.random.Generator, draws: int) -> Floats:
        """Draw recalls around the assumed one."""
        if math.isinf(self.trust):
            return np.full(draws, self.recall)
        return rng.beta(self.trust * self.recall, self.trust * (1 - self.recall), draws)

    def to_dict(self) -> dict[str, object]:
        """Return plain data; `trust` is None for a recall that is taken as known."""
        return asdict(self) | {"trust": None if math.isinf(self.trust) else self.trust}


def guesses_from_pilot(
    benchmark: Benchmark, answers: Sequence[Answer] = (), recall: float | None = None
) -> list[StratumGuess]:
    """Take the shares of positives, the recalls of stored results and the time per label from a pilot.

    Half a positive and half a negative are added to each stratum, so that strata without positives still get labels. A
    stratum with few results has about the recall of all of them.
    """
    check_counts(benchmark)
    unknown = recall is None and all(one.correct is None for one in benchmark.positives)
    results = [one.correct for one in benchmark.positives if one.correct is not None] if recall is None else []
    guess = (sum(results) + 0.5) / (len(results) + 1) if results else RECALL if recall is None else recall
    out = []
    for stratum in benchmark.strata:
        if not stratum.occurrences:
            continue
        known = [one.correct for one in stratum.positives if one.correct is not None] if recall is None else []
        share = (len(stratum.positives) + 0.5) / (stratum.labelled + 1)
        out.append(
            StratumGuess(
                stratum.name,
                stratum.occurrences,
                share=share,
                recall=(TRUST * guess + sum(known)) / (TRUST + len(known)),
                labelled=stratum.labelled,
                seconds=_seconds([one for one in answers if one.stratum == stratum.name], share),
                positive=len(stratum.positives),
                trust=math.inf if unknown else TRUST + len(known),
            )
        )
    return out


def _seconds(answers: Iterable[Answer], share: float) -> float | None:
    """Return the time per label: the median of the first pass, plus that of a second pass times its share of items.

    The median is robust to annotators who leave the page open over lunch.
    """
    passes: dict[bool, list[float]] = {}
    for one in answers:
        if one.seconds is not None:
            passes.setdefault(one.spans_only, []).append(one.seconds)
    if False not in passes:
        return None
    return median(passes[False]) + (share * median(passes[True]) if True in passes else 0.0)
