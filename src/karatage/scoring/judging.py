"""Scoring with a judge: gold labels for a part of the units, and another model's labels for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from karatage.errors import UsageError
from karatage.metrics import JudgeEffect, Metric, Score, Tally
from karatage.scoring.doubtful_intervals import doubts
from karatage.scoring.extraction import Extraction
from karatage.scoring.judged_counts import JudgedUnits
from karatage.scoring.result import Result
from karatage.scoring.task import Progress, Task, adding_up
from karatage.scoring.unit_counts import OrderedCounts, UnitRows
from karatage.scoring.unit_identity import identified, repeated
from karatage.stats import Evidence, JudgedSampler, Powered, Resampling, Sampler, evidence_interval


@dataclass(frozen=True)
class JudgedTask:
    """The same predictions scored against gold, which has a part of the units, and against a judge.

    Attributes:
        gold: the scoring against gold.
        judge: the scoring against the judge's labels.
    """

    gold: Task
    judge: Task

    @classmethod
    def of(cls, gold: Task, judge: Task) -> JudgedTask:
        """Let units without gold labels pass, and give units ids that have none."""
        if isinstance(gold, Extraction) and isinstance(judge, Extraction):
            ours, pred, theirs, same = identified(gold.gold, gold.pred, judge.gold, judge.pred)
            gold, judge = Extraction(ours, pred, gold.profile), Extraction(theirs, same, judge.profile)
        gold.profile = replace(gold.profile, units=replace(gold.profile.units, partial=True))
        judge.profile = replace(judge.profile, units=replace(judge.profile.units, extra="ignore"))
        return cls(gold, judge)

    def score(self, resampling: Resampling, progress: Progress | None = None) -> Result:
        """Score by both; every score of the result is estimated from both."""
        check_resampling(resampling)
        done = adding_up(progress)
        ours, theirs = OrderedCounts(Resampling(), done), OrderedCounts(resampling, done)
        total, warnings, digests = self.gold.tally_and_digests(None, ours)
        judged, said_of_judge, (digest, _) = self.judge.tally_and_digests(None, theirs)
        units = JudgedUnits.of(ours.names, theirs, self.gold.nouns)
        beside = self.gold.beside_judge(self.judge)
        gold_rows, judge_rows = ours.rows(total.columns), theirs.rows(judged.columns)
        total = with_rows(total, UnitRows(*(None if rows is None else units.placed(rows) for rows in gold_rows)))  # type: ignore[arg-type]  # claims stay
        judge = Judge(units.sampler([gold_rows], [judge_rows], self.gold.profile), len(theirs.names), digest)
        said = [*warnings, *judge_warnings(said_of_judge, warnings), *beside]
        said += units.warnings(judge_rows, self.gold.nouns)
        said += theirs.warnings(self.gold.nouns) if resampling.resamples else []
        same = repeated(ours.names, theirs.names)
        if same:
            said.append(f"{self.gold.nouns.units} of gold whose text occurs several times, paired in order: {same:,}")
        result = self.gold.result_type(
            task=self.gold,
            tally=total,
            warnings=tuple(said),
            digests=digests,
            resampling=theirs.settled if resampling.resamples else None,
            judge=judge,
        )
        if resampling.resamples:
            noun = self.gold.nouns.drawn(theirs.settled.cluster_by)
            result.warnings += (*result.sampler.warnings(), *doubts(result.evidence, noun, lambda _: None))
        return result


class Judge:
    """What a result needs to know of a judge.

    Attributes:
        units: how many units it labelled.
        digest: the SHA-256 of its labels, where they are files.
    """

    def __init__(self, sampler: JudgedSampler, units: int, digest: str | None) -> None:
        self._sampler, self.units, self.digest = sampler, units, digest

    @property
    def labelled(self) -> int:
        """How many of the units have gold labels."""
        return int(self._sampler.part.labelled.sum())

    def applied(self, metric: Metric, gold: Score, sampler: Sampler, resampling: Resampling | None) -> Score:
        """Return the estimate of a score by gold and the judge; as it is where the judge cannot help.

        Args:
            metric: the metric.
            gold: its score by gold alone.
            sampler: the counts of the labelled units by gold.
            resampling: how intervals are made; None where there are none.
        """
        if gold.undefined is not None or gold.value is None:
            return gold
        by_gold = sampler.evidence(metric, 0)
        found = self._sampler.estimate(metric, 0, by_gold)
        if found is None:
            return gold
        score = Score(found.value)
        if resampling is not None:
            score = evidence_interval(metric, score, resampling, found.found)
        return replace(score, judge=judge_effect(gold, found, by_gold, self.labelled, resampling))


def judge_effect(
    gold: Score, found: Powered, by_gold: Evidence, labelled: int, resampling: Resampling | None
) -> JudgeEffect:
    """Return what the judge did to a score."""
    low, high = (None, None) if resampling is None else found.bias_ends(resampling.level)
    variances = by_gold.variance, found.found.variance
    worth = labelled * variances[0] / variances[1] if resampling is not None and all(variances) else None
    return JudgeEffect(gold, found.alone, found.bias, low, high, found.weight, worth)


def check_resampling(resampling: Resampling) -> None:
    """Refuse intervals that do not exist for estimates with a judge."""
    if resampling.interval not in ("auto", "wilson", "t"):
        raise UsageError(f"--interval {resampling.interval} does not work with --judge: use wilson or t")


def judge_warnings(by_judge: Iterable[str], by_gold: Iterable[str]) -> list[str]:
    """Return the warnings of a scoring against the judge, without those that gold has too."""
    known = set(by_gold)
    return [f"with the judge as gold: {warning}" for warning in by_judge if warning not in known]


def with_rows(total: Tally, rows: UnitRows) -> Tally:
    """Return totals with the counts of each unit."""
    typed = None if total.typed is None else replace(total.typed, rows=rows.types)
    return replace(total, rows=rows.claims, tokens=rows.tokens, typed=typed, means=rows.means)
