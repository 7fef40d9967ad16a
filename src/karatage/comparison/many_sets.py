"""Comparing systems over many test sets, of which those seen are a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from karatage._arrays import Floats
from karatage.comparison.averaged_systems import SetEvidence
from karatage.comparison.comparison import Contest, Difference
from karatage.comparison.margins import MarginTest, judged
from karatage.comparison.set_contest import SetContest, SetDifference
from karatage.metrics import Score
from karatage.stats import (
    FEWEST_SETS,
    SetSample,
    critical_difference,
    fewest_sets,
    friedman,
    holm,
    mean_ends,
    minimum_detectable_difference,
    named_ranks,
    possible,
    ranked,
    signed_ranks,
)


class ManySets:
    """Compares systems over test sets like those seen.

    Args:
        runs: the runs of each system.
        level: the confidence level.
    """

    def __init__(self, runs: Mapping[str, list[int]], level: float) -> None:
        self._runs, self._level = runs, level

    def warnings(self, sets: int) -> list[str]:
        """Say whether there are too few test sets for signed-rank tests."""
        pairs = len(self._runs) * (len(self._runs) - 1) // 2
        least = fewest_sets(self._level, pairs)
        if not FEWEST_SETS <= sets < least:
            return []
        systems = f" of {len(self._runs)} systems" if pairs > 1 else ""
        return [
            f"{sets} test sets are too few for signed-rank tests{systems}: with fewer than {least}, no difference can "
            f"be significant at {1 - self._level:.2g}"
        ]

    def contest(self, found: Contest, told: SetEvidence, margin: float | None) -> SetContest | None:
        """Compare the systems in one metric; None with too few test sets.

        Args:
            found: the systems compared on the test sets seen, taken for the only ones.
            told: what the units tell.
            margin: the largest difference that does not matter.
        """
        if len(told.sets) < FEWEST_SETS:
            return None
        names = list(found.scores)
        sign = 1 if told.metric.higher_is_better else -1
        observed = [own.observed(told.metric) for own in told.sets]
        scores = {name: np.array([own[self._runs[name]].mean() for own in observed]) for name in names}
        pairs = self._corrected([self._difference(d, told, scores, margin) for d in found.differences])
        known = [name for name in names if not np.isnan(scores[name]).any()]
        table = sign * np.stack([scores[name] for name in known], axis=1) if known else np.zeros((len(told.sets), 0))
        means = dict(zip(known, ranked(table).mean(axis=0).tolist(), strict=True))
        several = len(known) > 2
        return SetContest(
            sets=len(told.sets),
            scores={name: self._score(found.scores[name], scores[name]) for name in names},
            ranks=named_ranks(
                {name: sign * float(found.scores[name]) for name in names},
                [(d.one, d.other) for d in pairs if d.significant],
            ),
            differences=tuple(pairs),
            mean_ranks=dict(sorted(means.items(), key=lambda item: item[1])),
            places=named_ranks(
                {name: -mean for name, mean in means.items()},
                [
                    (d.one, d.other) if d.ranks.balance > 0 else (d.other, d.one)
                    for d in pairs
                    if d.ranks is not None and d.ranks_significant
                ],
            ),
            friedman=friedman(table) if several else None,
            critical=critical_difference(len(known), len(told.sets), self._level) if several else None,
        )

    def _score(self, seen: Score, values: Floats) -> Score:
        """Widen the interval of a mean score by how much the test sets differ."""
        if seen.undefined is not None or seen.value is None:
            return replace(seen, low=None, high=None)
        ends = [mean_ends(values.tolist(), self._level)]
        if seen.low is not None and seen.high is not None:
            ends.append((seen.low, seen.high))
        lows, highs = zip(*ends, strict=True)
        error = float(values.std(ddof=1)) / len(values) ** 0.5
        return Score(seen.value, low=min(lows), high=max(highs), method="sets", error=error)

    def _difference(
        self, seen: Difference, told: SetEvidence, scores: Mapping[str, Floats], margin: float | None
    ) -> SetDifference:
        one, other = (self._runs[name] for name in (seen.one, seen.other))
        values = scores[seen.one] - scores[seen.other]
        better = values if told.metric.higher_is_better else -values
        known = seen.value is not None
        parts = told.parts(one, other) if known else None
        spread = [told.spread(runs) for runs in (one, other) if len(runs) > 1]
        sample = None if parts is None else SetSample.of(values.tolist(), parts, spread)
        low, high = (None, None) if sample is None else sample.ends(self._level)
        return SetDifference(
            one=seen.one,
            other=seen.other,
            value=seen.value,
            low=low,
            high=high,
            p=None if sample is None else sample.p,
            error=None if sample is None else sample.error,
            units=seen.units,
            test="test sets",
            freedom=None if sample is None or sample.sample is None else sample.sample.freedom,
            method=None if sample is None else "sets",
            withheld=seen.withheld if sample is None else None,
            margin=None if sample is None or margin is None else self._margin(sample, told, margin),
            between=None if sample is None else sample.between,
            better=int((np.round(better, 12) > 0).sum()),
            tied=int((np.round(better, 12) == 0).sum()),
            ranks=signed_ranks(better) if known else None,
        )

    def _margin(self, sample: SetSample, told: SetEvidence, margin: float) -> MarginTest:
        return MarginTest.of(margin, sample if told.metric.higher_is_better else sample.turned, self._level)

    def _corrected(self, pairs: Sequence[SetDifference]) -> list[SetDifference]:
        """Correct the p-values over all pairs, and decide."""
        by_mean, by_ranks = (
            holm([float("nan") if p is None else p for p in own]).tolist()
            for own in ([d.p for d in pairs], [d.ranks and d.ranks.p for d in pairs])
        )
        out = []
        for d, mean, ranks in zip(judged(pairs, self._level), by_mean, by_ranks, strict=True):
            detectable = d.error and minimum_detectable_difference(
                d.error, self._level, tests=len(pairs), freedom=d.freedom
            )
            out.append(
                replace(
                    d,
                    corrected=None if np.isnan(mean) else mean,
                    significant=bool(d.value) and mean <= 1 - self._level,
                    detectable=possible(detectable) if detectable else None,
                    ranks_corrected=None if np.isnan(ranks) else ranks,
                    ranks_significant=ranks <= 1 - self._level,
                )
            )
        return out
