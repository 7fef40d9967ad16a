"""Scoring against the gold of several annotators: the mean score, with an interval that includes how they disagree.

Every annotator labelled every unit, so annotators and units are crossed, as training runs and units are: the model of
several runs serves for both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np

from karatage.errors import InputError, UnitError, UsageError
from karatage.inputs import Annotators, Input, as_input
from karatage.metrics import AnnotatorEffect, Metric, Rows, Score, Tally, evaluate
from karatage.profiles import Profile
from karatage.scoring.doubtful_intervals import doubts
from karatage.scoring.judging import with_rows
from karatage.scoring.nouns import counted
from karatage.scoring.result import Result
from karatage.scoring.scoring_options import ScoringReading
from karatage.scoring.task import Digests, Progress, Task
from karatage.scoring.unit_counts import OrderedCounts, UnitRows
from karatage.stats import Evidence, Resampling, RunSpread, Sampler, evidence_interval, mean_of

FEW_ANNOTATORS = 3
"""So many annotators show hardly how much annotators differ."""

AGREEMENT = "f1"
"""The metric of one annotator against another (Hripcsak and Rothschild 2005)."""


def resolve_annotators(gold: Annotators, reading: ScoringReading) -> dict[str, Input]:
    """Resolve the gold of each annotator, sorted by name: in which order they were given changes nothing."""
    if len(gold) < 2:
        raise UsageError(f"a score by several annotators needs the gold of at least two, got {len(gold)}")
    return {
        str(name): as_input(gold[name], format=reading.format, name=f"gold of {name}").remembered()
        for name in sorted(gold, key=str)
    }


def check_annotated(resampling: Resampling) -> None:
    """Refuse intervals that do not exist for several annotators."""
    if resampling.interval not in ("auto", "wilson", "t"):
        raise UsageError(f"--interval {resampling.interval} does not work with several annotators: use wilson or t")


def in_common_order(tasks: Mapping[str, Task], counts: Mapping[str, OrderedCounts]) -> dict[str, OrderedCounts]:
    """Return the counts of each annotator in the order of the first one's units; other units are an error.

    Units without ids are named by their numbers, so they are taken to come in the same order. Ids help only if the
    predictions have them, too: without, those were paired with each annotator by order, and fit one order only.

    Args:
        tasks: the scoring against each annotator.
        counts: the counts of each unit, by annotator.
    """
    (first, own), *others = counts.items()
    out = {first: own}
    for name, other in others:
        if other.names != own.names:
            _check_units((first, name), (own.names, other.names), [tasks[who] for who in (first, name)])
            other = other.in_order(own.names)
        out[name] = other
    return out


def _check_units(who: tuple[str, str], names: tuple[Sequence[str], Sequence[str]], tasks: Sequence[Task]) -> None:
    """Refuse annotators whose units differ, or come in other orders and cannot be paired by id."""
    (own, others), units, by_id = names, tasks[0].nouns.units, [task.by_id for task in tasks]
    both, known, theirs = f"annotators {' and '.join(who)}", set(own), set(others)
    ids = f"Give the {units} ids in all files, those of the predictions included"
    if sorted(own) == sorted(others):
        if not all(by_id) or len(known) < len(own):
            problem = f"{both} have the same {units} in different orders"
            raise UnitError(problem, hint=f"{ids}, or put them into the same order")
        return
    strange = next((unit for unit in others if unit not in known), None)
    raise UnitError(
        f"{both} have different {units} ({len(own):,} and {len(others):,})",
        unit=strange or next((unit for unit in own if unit not in theirs), None),
        hint=f"All annotators have to label the same {units}" if by_id[0] == by_id[1] else ids,
    )


def check_files(digests: Mapping[str, Digests]) -> None:
    """Refuse copies: the predictions, or the file of another annotator, given as the gold of an annotator."""
    seen: dict[str, str] = {}
    for name, (gold, pred) in digests.items():
        if gold is not None and gold == pred:
            raise InputError("has the same content as the predictions", source=f"gold of {name}", hint="Pass gold")
        if gold in seen:
            problem = f"has the same content as the gold of {seen[gold]}"
            raise InputError(problem, source=f"gold of {name}", hint="Pass the labels of each annotator once")
        if gold is not None:
            seen[gold] = name


def agreement(pairs: Sequence[Task]) -> float | None:
    """Return the mean F1 of one annotator's labels against another's, over all pairs; None where there is none."""
    found = [evaluate(own.profile.metric(AGREEMENT), own.tally()[0], own.profile.schema) for own in pairs]
    known = [float(score) for score in found if score.value is not None]
    return float(np.mean(known)) if known else None


def annotator_effect(values: Sequence[float], spread: RunSpread, found: Evidence | None) -> AnnotatorEffect:
    """Return how a score differs between annotators; without what units tell, no share of the variance is known."""
    share = spread.of_mean / found.variance if found is not None and found.variance > 0 else None
    return AnnotatorEffect(tuple(values), spread.variance**0.5, share)


def annotator_warnings(count: int) -> Iterator[str]:
    """Warn of too few annotators."""
    if count <= FEW_ANNOTATORS:
        yield f"{counted(count, 'annotator')} hardly show how much annotators differ: intervals may be too narrow"


class AnnotatedScores:
    """What a result needs to know of several annotators.

    Attributes:
        results: the result by each annotator, with counts and errors of its own.
        agreement: the mean F1 of one annotator against another; None for search.
    """

    def __init__(self, results: Mapping[str, Result], sampler: Sampler, agreement: float | None) -> None:
        self.results, self._sampler, self.agreement = results, sampler, agreement

    @property
    def names(self) -> list[str]:
        """The names of the annotators."""
        return list(self.results)

    def score(self, metric: Metric, resampling: Resampling | None) -> Score:
        """Return the mean of a score over annotators."""
        own = [
            evaluate(metric, result.tally, result.profile.schema, result.profile.undefined)
            for result in self.results.values()
        ]
        value = None if any(score.value is None for score in own) else float(np.mean([float(score) for score in own]))
        for name, score in zip(self.results, own, strict=True):
            if score.undefined is not None:
                return Score(value, f"by {name}: {score.undefined}")
        values = [float(score) for score in own]
        parts = [self._sampler.evidence(metric, k) for k in range(len(own))]
        spread = RunSpread.of(values, parts)
        mean, found = Score(value), spread.beside(mean_of(parts))
        if resampling is not None:
            one = self._sampler.size < 2
            mean = replace(mean, withheld=ONE) if one else evidence_interval(metric, mean, resampling, found)
        return replace(mean, annotators=annotator_effect(values, spread, None if mean.low is None else found))

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {"names": self.names, "agreement": self.agreement}


ONE = "at least two units are needed"


@dataclass(frozen=True)
class AnnotatedTask:
    """The same predictions scored against the gold of several annotators.

    Attributes:
        tasks: the scoring against each annotator.
        pairs: the scoring of each annotator against each other one; none for search.
    """

    tasks: Mapping[str, Task]
    pairs: Sequence[Task]

    def score(self, resampling: Resampling, progress: Progress | None = None) -> Result:
        """Score by each annotator; every score of the result is their mean."""
        check_annotated(resampling)
        first = next(iter(self.tasks.values()))
        counts = {name: OrderedCounts(resampling, lambda _: None) for name in self.tasks}
        found: dict[str, tuple[Tally, list[str], Digests]] = {}
        for name, task in self.tasks.items():
            try:
                found[name] = task.tally_and_digests(progress, counts[name])
            except UnitError as error:
                raise error.of(f"gold of {name}") from None
        check_files({name: digests for name, (_, _, digests) in found.items()})
        counts = in_common_order(self.tasks, counts)
        placing = next(iter(counts.values()))
        settled = placing.settled if resampling.resamples else None
        rows = {name: counts[name].rows(total.columns) for name, (total, _, _) in found.items()}
        tallies = {name: with_rows(found[name][0], _placed(own, placing.placed)) for name, own in rows.items()}
        results = {
            name: self.tasks[name].result_type(
                task=self.tasks[name],
                tally=tallies[name],
                warnings=tuple(found[name][1]),
                digests=found[name][2],
                resampling=settled,
            )
            for name in self.tasks
        }
        sampler = joint_sampler(list(rows.values()), placing.placed, first.profile)
        result = first.result_type(
            task=first,
            tally=_summed(list(tallies.values())),
            warnings=tuple(_together({name: warnings for name, (_, warnings, _) in found.items()})),
            digests=(None, found[next(iter(found))][2][1]),
            resampling=settled,
            annotators=AnnotatedScores(results, sampler, agreement(self.pairs)),
        )
        if settled is not None:
            noun = first.nouns.drawn(settled.cluster_by)
            told = next(iter(results.values())).evidence
            result.warnings += (
                *annotator_warnings(len(self.tasks)),
                *placing.warnings(first.nouns),
                *result.sampler.warnings(),
                *doubts(told, noun, lambda _: None),
            )
        return result


def joint_sampler(rows: Sequence[UnitRows], placed: Callable[[Rows], Rows], profile: Profile) -> Sampler:
    """Return what tells of the scores of several scorings of the same units."""
    claims, *others = zip(*rows, strict=True)
    known = [[placed(own) for own in kind if own is not None] for kind in others]
    tokens, types, means = (own if len(own) == len(rows) else None for own in known)
    schema, undefined = profile.schema, profile.undefined
    return Sampler([placed(own) for own in claims], tokens, means, types=types, schema=schema, undefined=undefined)


def _placed(rows: UnitRows, placed: Callable[[Rows], Rows]) -> UnitRows:
    return UnitRows(*(None if own is None else placed(own) for own in rows))  # type: ignore[arg-type]  # claims stay


def _summed(tallies: Sequence[Tally]) -> Tally:
    """Add counts over annotators; units are those of one of them."""
    bare = [replace(own, rows=None, tokens=None, means=None) for own in tallies]
    total, first = reduce(add, bare), tallies[0]
    kept = replace(total, rows=first.rows, tokens=first.tokens, means=first.means)
    return replace(kept, facts=Counter(kept.facts | {"units": first.facts["units"]}))


def _together(warnings: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield warnings once that all annotators have, and others with the name of the annotator."""
    everywhere = set.intersection(*(set(own) for own in warnings.values()))
    yield from (warning for warning in next(iter(warnings.values())) if warning in everywhere)
    for name, own in warnings.items():
        yield from (f"gold of {name}: {warning}" for warning in own if warning not in everywhere)
