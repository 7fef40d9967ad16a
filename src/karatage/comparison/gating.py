"""The gate: may this build ship? Only if the intervals of its scores are within the thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Unpack

from karatage._options import takes
from karatage.comparison.comparing import compare
from karatage.comparison.comparison import Contest, Difference
from karatage.comparison.gate_result import Check, Gate
from karatage.engine import Running
from karatage.errors import UnitError, UsageError
from karatage.inputs import Input, ShardReading
from karatage.metrics import Score
from karatage.scoring import (
    RECORDS,
    ScoreKeywords,
    ScoringOptions,
    ScoringReading,
    log_of,
    on_readable,
    resolve_inputs,
    resolve_judge,
    resolve_predictions,
    score,
    skipped_warnings,
)
from karatage.stats import level_of_look

NEW, OLD = "new", "baseline"

_SMALL = 16 << 20
"""The size of a file, in bytes, up to which it stays in memory: it takes many times that."""

_SHOWN = 0.0001
"""What two drops differ by at least that are shown apart."""


@takes(*RECORDS, Running, ShardReading)
def gate(
    gold: Any,
    pred: Any = None,
    *,
    minimum: Mapping[str, float] | float | None = None,
    maximum: Mapping[str, float] | float | None = None,
    baseline: Any = None,
    max_drop: Mapping[str, float] | float | None = None,
    judge: Any = None,
    look: int | None = None,
    resamples: int = 10_000,
    **options: Unpack[ScoreKeywords],
) -> Gate:
    """Check scores against thresholds and a baseline; intervals, not only scores, must be within them.

    Args:
        gold: Anything that `karatage.score` takes.
        pred: The predictions to check; None where gold is a log with scores.
        minimum: What the lower end of each metric's interval must reach; a single number is for the headline.
        maximum: What the upper end of each metric's interval must not exceed, for metrics where lower is better, such
            as `fpr`.
        baseline: Predictions to compare with, e.g. those of the last release.
        max_drop: How much worse than the baseline the paired difference in each metric may be, at the worse end of its
            interval; a single number is for the headline.
        judge: Labels of another model for all sentences or queries, where gold has only a random part of them.
        look: The number of this look at the test set, from 1, in a series of builds that are checked on it. The level
            then holds for the whole series: see `karatage.experiments.logged_gate`, which counts.
        resamples: Number of resamples, for intervals that need them.
        options: Scoring options.
    """
    if minimum is None and maximum is None and baseline is None and max_drop is None:
        raise UsageError("set a threshold, e.g. `--min f1=0.8`, or a baseline with `--max-drop`")
    if (baseline is None) != (max_drop is None):
        lacking, other = ("max_drop", "baseline") if max_drop is None else ("baseline", "max_drop")
        raise UsageError(f"{other} needs {lacking} too, e.g. `--baseline old.conll --max-drop 0.01`")
    if resamples == 0:
        raise UsageError("a gate needs intervals: leave out --resamples 0")
    if options.pop("skip_bad", False):
        if judge is not None:
            raise UsageError("skip_bad (--skip-bad) works with one gold and without a judge")
        limited: dict[str, Any] = {"minimum": minimum, "maximum": maximum, "max_drop": max_drop, "look": look}
        return _gate_readable(gold, pred, baseline, resamples, options, limited)
    limits = (minimum, maximum, max_drop)
    if options.get("metrics") is None and not any(isinstance(given, int | float) for given in limits):
        # All that is checked has a name, so nothing else has to be scored, or warned of.
        named = [name for given in limits if isinstance(given, Mapping) for name in given]
        options["metrics"] = named or None
    running = Running.taken_from(options)
    series_level = ScoringOptions.of(options, resamples).resampling.level
    if look is not None:
        options["level"] = level_of_look(series_level, look)
    scoring = ScoringOptions.of(options, resamples)
    options["jobs"], options["engine"], options["resume"] = running.jobs, running.engine, running.resume
    ours, theirs = _opened(gold, pred, baseline is not None, scoring.reading)
    labels = None if judge is None else resolve_judge(judge, scoring.reading)
    result = score(ours, theirs, judge=labels, resamples=resamples, **options)
    headline = result.profile.headline
    checks = []
    for given, rising in ((minimum, True), (maximum, False)):
        for name, limit in _limits(given, headline).items():
            if result.profile.metric(name).higher_is_better != rising:
                better, other = ("lower", "maximum") if rising else ("higher", "minimum")
                raise UsageError(f"{better} is better for {name}: set a {other} instead")
            checks.append(_limited(name, result[name], limit, rising))
    warnings = list(result.warnings)
    provenance: dict[str, Any] = {"gold": result.digests[0], "pred": result.digests[1]}
    if result.judge is not None:
        provenance["judge"] = result.judge.digest
    drops = _limits(max_drop, headline)
    differences: tuple[Difference, ...] = ()
    for name, drop in drops.items():
        if drop < 0:
            raise UsageError(f"max_drop must be 0 or more, not {drop:g} ({name})")
    if drops:
        # Under one name a metric is the same in both; the profile's own names stay known that way.
        systems = {NEW: ours if theirs is None else theirs, OLD: baseline}
        options["metrics"] = list(drops)
        same = None if theirs is None else ours
        more: dict[str, Any] = {"judge": labels, "margin": drops, "by_label": False, "resamples": resamples}
        with beside_baseline():
            compared = compare(same, systems, **more, **options)
        checks += [
            _not_worse(name, compared[name], drop, result.profile.metric(name).higher_is_better)
            for name, drop in drops.items()
        ]
        differences = tuple(compared[name].differences[0] for name in drops)
        warnings += [said for said in compared.warnings if OLD in said and said not in warnings]
        provenance["baseline"] = compared.provenance["systems"][OLD][0]
    return Gate(
        profile=result.profile,
        nouns=result.nouns,
        units=result.counts["units"],
        drawn=result.drawn,
        checks=tuple(checks),
        resampling=result.resampling or scoring.resampling,
        look=look,
        series_level=series_level,
        warnings=tuple(warnings),
        provenance=provenance | {"seed": scoring.resampling.seed},
        judged=None if result.judge is None else result.judge.units,
        differences=differences,
    )


@contextmanager
def beside_baseline() -> Iterator[None]:
    """Say what to do about units that a baseline lacks: counted as empty, they would hide a drop."""
    try:
        yield
    except UnitError as error:
        if f"system {OLD}" not in error.message or "--missing empty" not in (error.hint or ""):
            raise
        hint = "Run the old system on them too: counted as empty, they would make the baseline look worse than it is"
        where: dict[str, Any] = {"source": error.source, "line": error.line, "unit": error.unit, "noun": error.noun}
        raise UnitError(error.message, hint=hint, **where) from None


def _gate_readable(
    gold: Any, pred: Any, baseline: Any, resamples: int, options: ScoreKeywords, more: Mapping[str, Any]
) -> Gate:
    """Check the scores of the files that can be read, for both systems."""
    scoring = options.copy()
    engine = Running.taken_from(scoring).chosen
    given = ScoringOptions.of(scoring, resamples)
    if log_of(gold, given.reading) is not None:
        raise UsageError("logs have scores already: leave out --skip-bad")
    ours, theirs = resolve_inputs(gold, pred, given.reading)
    earlier = None if baseline is None else resolve_predictions(baseline, given.reading)

    def work(kept: Input, preds: Sequence[Input]) -> Gate:
        old = preds[1] if len(preds) > 1 else None
        return gate(kept, preds[0], baseline=old, resamples=resamples, **more, **options.copy())

    preds = [own for own in (theirs, earlier) if own is not None]
    found, skipped = on_readable(ours, preds, given, engine, work)
    warnings = found.warnings + skipped_warnings(skipped, len(ours.sources))
    return replace(found, skipped=skipped, warnings=warnings)


def _opened(gold: Any, pred: Any, twice: bool, reading: ScoringReading) -> tuple[Any, Input | None]:
    """Return gold and predictions, or a log that has scores already, ready to be read twice if need be."""
    log = log_of(gold, reading)
    if log is not None:
        if pred is not None:
            raise UsageError(f"{log.name} has scores already, so there is no gold: check one log, e.g. with --baseline")
        return log, None
    if pred is None:
        raise UsageError("a gate needs predictions to check, unless gold is a log with scores")
    ours, theirs = resolve_inputs(gold, pred, reading)
    return (_reread(ours), None if theirs is None else _reread(theirs)) if twice else (ours, theirs)


def _reread(own: Input) -> Input:
    """Let an input be read twice: what is small stays in memory, and what is large is read again."""
    if own.once or sum(source.path.stat().st_size for source in own.sources if source.path.is_file()) < _SMALL:
        return own.remembered()
    return own


def _limits(given: Mapping[str, float] | float | None, headline: str) -> dict[str, float]:
    if given is None:
        return {}
    out = dict(given) if isinstance(given, Mapping) else {headline: given}
    if not out:
        raise UsageError("set a threshold, e.g. `--min f1=0.8`")
    for name, limit in out.items():
        if not isinstance(limit, int | float) or not 0 <= limit <= 1:
            raise UsageError(f"a threshold must be between 0 and 1, not {limit!r} ({name})")
    return {str(name): float(limit) for name, limit in out.items()}


def _limited(name: str, found: Score, limit: float, rising: bool) -> Check:
    """Check that the worse end of an interval reaches a threshold, from above or, where lower is better, from below."""
    check = Check(
        name=f"{name} at {'least' if rising else 'most'} {limit:g}",
        metric=name,
        value=found.value,
        limit=limit,
        why=found.undefined or f"no interval: {found.withheld}",
    )
    end = found.low if rising else found.high
    if end is None or found.value is None:
        return check
    holds = end >= limit if rising else end <= limit
    why = f"{name} is {found.value:.4f}, its interval {'starts' if rising else 'ends'} at {end:.4f}"
    if not holds:
        beyond, within = ("below", "above") if rising else ("above", "below")
        fails = found.value < limit if rising else found.value > limit
        short = (
            f"the score itself is {beyond} the threshold"
            if fails
            else f"the score is {within} the threshold, but its interval is not"
        )
        why += f", {beyond} {limit:g}: {short}"
    return replace(check, low=found.low, high=found.high, holds=holds, why=why)


def _not_worse(name: str, contest: Contest, drop: float, rising: bool) -> Check:
    """Check that the worse end of the interval of a difference stays within the allowed drop."""
    found = contest.differences[0]
    limit = 0.0 - drop if rising else drop
    turned = found.one == OLD
    value = None if found.value is None else 0.0 - found.value if turned else found.value
    check = Check(
        name=f"{name} not more than {drop:g} {'below' if rising else 'above'} the baseline",
        metric=name,
        value=value,
        limit=limit,
        why=f"no interval: {found.withheld}",
    )
    if found.value is None or value is None:
        reasons = [score.undefined for score in contest.scores.values() if score.undefined]
        return replace(check, why=f"the difference is undefined: {reasons[0]}")
    low, high = found.low, found.high
    if low is None or high is None:
        return check
    low, high = (-high, -low) if turned else (low, high)
    test = found.margin
    assert test is not None  # noqa: S101  every metric has a margin
    no_worse, largest = (test.other_no_worse, test.other_drop) if turned else (test.one_no_worse, test.one_drop)
    holds = no_worse and (low >= limit if rising else high <= limit)
    reach = f"starts at {low:+.4f}" if rising else f"ends at {high:+.4f}"
    why = f"the difference in {name} is {value:+.4f}, its interval {reach}"
    if largest > (-low if rising else high) + _SHOWN:
        why += f", and rare failures may hide up to {-largest if rising else largest:+.4f}"
    if not holds:
        beyond, move = ("below", "drop") if rising else ("above", "rise")
        fails = value < limit if rising else value > limit
        short = f"the {move} itself is too large" if fails else f"a larger {move} cannot be ruled out"
        why += f", {beyond} {f'{limit:+g}' if limit else 0}: {short}"
    return replace(check, low=low, high=high, holds=holds, why=why)
