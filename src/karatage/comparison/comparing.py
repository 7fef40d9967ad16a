"""Comparing systems on the same units."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Unpack, get_args

from karatage._options import takes
from karatage.comparison.assembling import compare_systems
from karatage.comparison.comparing_logs import ComparedLogs
from karatage.comparison.comparison import Comparison
from karatage.comparison.query_changes import changed_queries, per_query
from karatage.comparison.query_texts import QueryTexts
from karatage.comparison.reading_systems import SystemsReader
from karatage.comparison.significance_tests import TestName
from karatage.comparison.system_names import in_set, named_systems, runs_of
from karatage.engine import Running
from karatage.errors import UsageError, unknown
from karatage.inputs import Annotators, Input, Runs, Sets, ShardReading, as_input
from karatage.metrics import Metric
from karatage.profiles import Profile
from karatage.samples import is_log
from karatage.scoring import (
    RECORDS,
    Progress,
    ScoreKeywords,
    ScoringOptions,
    ScoringReading,
    adding_up,
    check_annotated,
    check_no_log,
    check_resampling,
    on_readable,
    resolve_annotators,
    resolve_judge,
    resolve_predictions,
    suggesting,
    usual_profile,
)


@takes(*RECORDS, Running, ShardReading)
def compare(
    gold: Any,
    systems: Mapping[str, Any] | Sequence[Any] = (),
    *,
    judge: Any = None,
    test: TestName = "t",
    margin: Mapping[str, float] | float | None = None,
    by_label: bool = True,
    diff: bool = False,
    limit: int = 10,
    queries: str | Path | None = None,
    resamples: int = 10_000,
    progress: Progress | None = None,
    **options: Unpack[ScoreKeywords],
) -> Comparison:
    """Compare systems on the same gold.

    Args:
        gold: Anything that `karatage.score` takes, such as `karatage.Annotators` of several annotators; or
            `karatage.Sets` of several test sets. Logs of other harnesses have scores already: pass nothing but
            them, by their names or as a sequence.
        systems: The predictions of each system, by its name; or a sequence of files, named by their paths. A system's
            predictions are anything that `karatage.score` takes, `karatage.Sets` with those of each test set, or
            `karatage.Runs` of one system trained several times. A log in the place of gold may have several systems.
        judge: Labels of another model for all sentences or queries, where gold has only a random part of them: scores
            and differences are then estimated from both. `karatage.Sets` where gold is.
        test: How a pair is tested: `t` divides the difference by its standard error and agrees with the interval;
            `randomisation` swaps the outputs of two systems at random, sentence by sentence; `bootstrap` resamples the
            sentences and sees how far the difference moves.
        margin: Test whether systems differ by no more than this: whether one is no worse than the other by more (non-
            inferiority), and whether both are (equivalence). A mapping has a margin for each metric.
        by_label: Compare the systems on each label too.
        diff: For search, which queries got better and worse from the first system to each other one, and which
            documents moved: see `Comparison.changes`.
        limit: Number of these queries that tables and JSON list, worst first.
        queries: For search, a table with the texts of the queries.
        resamples: Number of resamples of the bootstrap, and of rounds of the randomisation test.
        progress: Called with the number of sentences or queries scored so far.
        options: Scoring options.

    Returns:
        The comparison: prints as tables, and holds every number.
    """
    if test not in get_args(TestName):
        raise unknown("test", test, get_args(TestName))
    if resamples < 2:
        raise UsageError(f"a comparison needs at least 2 resamples, not {resamples}")
    if options.pop("skip_bad", False):
        more: dict[str, Any] = {"test": test, "margin": margin, "by_label": by_label, "progress": progress}
        more |= {"diff": diff, "limit": limit, "queries": queries}
        return _compare_readable(gold, systems, judge, resamples, options, more)
    running = Running.taken_from(options)
    engine = running.chosen
    given = ScoringOptions.of(options, resamples)
    reading = given.reading
    if judge is not None:
        check_resampling(given.resampling)
        if test != "t":
            raise UsageError(f"--test {test} does not work with --judge: use the default, t")
    if not systems and isinstance(gold, Mapping | list | tuple) and gold:
        every = gold.values() if isinstance(gold, Mapping) else gold
        if all(is_log(own, reading.format) for own in every):
            gold, systems = None, gold
    if gold is None or is_log(gold, reading.format):
        if judge is not None:
            raise UsageError("logs have scores already: leave out --judge")
        if diff or queries is not None:
            raise UsageError("--diff and --queries work for search only")
        return _compare_logs(gold, systems, given, test, margin, adding_up(progress))
    check_no_log(reading)
    if diff:
        _check_diff(gold, systems, judge, limit)
    golds = dict(gold) if isinstance(gold, Sets) else {"": gold}
    if not golds:
        raise UsageError("gold has no test sets")
    if any(isinstance(own, Annotators) for own in golds.values()):
        _check_annotators(gold, systems, judge, test, given)
    if judge is not None or any(isinstance(own, Annotators) for own in golds.values()):
        running.pass_over("several golds, or a judge, are read on this machine")
    opened = {name: _by_annotator(own, reading) for name, own in golds.items()}
    first = next(iter(next(iter(opened.values())).values()))
    profile = usual_profile(given.profile.like, first).with_options(given.profile)
    if judge is not None or profile.search:  # gold is paired with one run after the other, so it stays in memory
        opened = {name: {who: own.remembered() for who, own in by.items()} for name, by in opened.items()}
    texts = _for_search(profile, diff, queries)
    if given.profile.metrics is None:
        profile = replace(profile, metrics={profile.headline: profile.metrics[profile.headline]})
    margins = _margins(margin, profile)
    if diff:
        per_query(profile)
    systems = runs_of(named_systems(systems))
    done = adding_up(progress)
    sets = {}
    for name, own in opened.items():
        resolved = {
            system: [
                _kept(resolve_predictions(in_set(run, f"system {system}", name, golds), reading), diff) for run in runs
            ]
            for system, runs in systems.items()
        }
        reader = SystemsReader(
            name=name,
            golds=own,
            systems=resolved,
            profile=profile,
            resampling=given.resampling,
            reading=reading,
            done=done,
            engine=engine,
        )
        labels = None if judge is None else resolve_judge(in_set(judge, "judge", name, golds), reading)
        every = [run for runs in resolved.values() for run in runs]
        with suggesting(first, every) if _alone(golds, judge) else nullcontext():
            sets[name] = reader.read(labels)
    found = compare_systems(sets, profile, given.resampling, test, margins=margins, by_label=by_label)
    if profile.search:
        first_tasks = [counts.counted[0].task for counts in sets.values()]
        texts = QueryTexts.of(first_tasks) if texts is None else texts
        found = found if texts is None else texts.on(found, first_tasks)
    if not diff:
        return found
    (alone,) = sets.values()
    tasks = {system: alone.counted[runs[0]].task for system, runs in alone.systems.items()}
    return replace(found, changes=changed_queries(tasks, found.profile, limit, None if texts is None else texts.texts))


def _for_search(profile: Profile, diff: bool, queries: str | Path | None) -> QueryTexts | None:
    """Refuse for extraction what works for search only; return the texts of queries, where there are any."""
    if diff and not profile.search:
        raise UsageError("--diff in a comparison works for search only: `karatage explain --diff` works for extraction")
    if queries is not None and not profile.search:
        raise UsageError("--queries works for search only")
    return None if queries is None else QueryTexts.read(queries)


def _kept(own: Input, keep: bool) -> Input:
    """Keep what is read in memory where it is needed again."""
    return own.remembered() if keep else own


def _check_diff(gold: Any, systems: Any, judge: Any, limit: int) -> None:
    """Refuse what does not go together with a list of queries that changed."""
    if limit < 0:
        raise UsageError(f"the limit must be at least 0, not {limit}")
    every = systems.values() if isinstance(systems, Mapping) else ()
    for what, given in (
        ("several test sets", isinstance(gold, Sets)),
        ("several annotators", isinstance(gold, Annotators)),
        ("a judge", judge is not None),
        ("several runs of a system", any(isinstance(own, Runs) and len(own) > 1 for own in every)),
    ):
        if given:
            raise UsageError(f"--diff does not work with {what}")


def _alone(golds: Mapping[str, Any], judge: Any) -> bool:
    """Whether there is one gold, and no judge."""
    return judge is None and set(golds) == {""} and not isinstance(golds[""], Annotators)


def _compare_readable(
    gold: Any,
    systems: Mapping[str, Any] | Sequence[Any],
    judge: Any,
    resamples: int,
    options: ScoreKeywords,
    more: Mapping[str, Any],
) -> Comparison:
    """Compare systems on the files that can be read; one that is bad for any system is left out for all."""
    if isinstance(gold, Sets) or not _alone({"": gold}, judge):
        raise UsageError("skip_bad (--skip-bad) works with one gold and without a judge")
    scoring = options.copy()
    engine = Running.taken_from(scoring).chosen
    given = ScoringOptions.of(scoring, resamples)
    if gold is None or is_log(gold, given.reading.format):
        raise UsageError("logs have scores already: leave out --skip-bad")
    ours = _by_annotator(gold, given.reading)[""]
    runs = runs_of(named_systems(systems))
    flat = [resolve_predictions(run, given.reading) for own in runs.values() for run in own]

    def work(kept: Input, preds: Sequence[Input]) -> Comparison:
        left = iter(preds)
        named = {name: Runs(*islice(left, len(own))) for name, own in runs.items()}
        return compare(kept, named, resamples=resamples, **more, **options.copy())

    found, skipped = on_readable(ours, flat, given, engine, work)
    return found.leaving_out(skipped, len(ours.sources))


def _compare_logs(
    gold: Any,
    systems: Mapping[str, Any] | Sequence[Any],
    given: ScoringOptions,
    test: TestName,
    margin: Mapping[str, float] | float | None,
    done: Callable[[int], None],
) -> Comparison:
    """Compare logs that have scores already; what stands in the place of gold is one of them."""
    if gold is not None and not isinstance(systems, Mapping) and isinstance(gold, str | Path):
        gold, systems = None, [gold, *systems]
    logs = ComparedLogs.of(gold, named_systems(systems, 0), given.reading)
    profile = logs.profile(given)
    if given.profile.metrics is None:
        profile = replace(profile, metrics={profile.headline: profile.metrics[profile.headline]})
    counts = logs.count(profile, given.resampling, done)
    margins = _margins(margin, profile)
    found = compare_systems({"": counts}, profile, given.resampling, test, margins=margins, by_label=False)
    digests = {name: list(dict.fromkeys(own)) for name, own in found.provenance["systems"].items()}  # not by epoch
    provenance = {**found.provenance, "systems": digests}
    return replace(found, most=[_without_counts(row) for row in found.most], provenance=provenance)


def _without_counts(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a sample and its scores: nothing of it is gold, predicted or correct."""
    scores = {system: {"value": own["value"]} for system, own in row["systems"].items()}
    return {"unit": row["unit"], "systems": scores}


def _by_annotator(gold: Any, reading: ScoringReading) -> dict[str, Input]:
    """Return the gold of each annotator; a single one has no name."""
    if isinstance(gold, Annotators):
        return resolve_annotators(gold, reading)
    own = as_input(gold, format=reading.format, name="gold")
    return {"": own.remembered() if own.once else own}  # standard input may be read for its tagging scheme, too


def _check_annotators(gold: Any, systems: Any, judge: Any, test: TestName, given: ScoringOptions) -> None:
    """Refuse what does not go together with several annotators."""
    check_annotated(given.resampling)
    if isinstance(gold, Sets):
        raise UsageError("several test sets do not work with several annotators: compare on each set")
    if judge is not None:
        raise UsageError("a judge does not work with several annotators")
    if test != "t":
        raise UsageError(f"--test {test} does not work with several annotators: use the default, t")
    if isinstance(systems, Mapping) and any(isinstance(own, Runs) and len(own) > 1 for own in systems.values()):
        raise UsageError("several runs of a system do not work with several annotators: compare one run of each")


def _margins(given: Mapping[str, float] | float | None, profile: Profile) -> dict[Metric, float]:
    """Return the margin of each metric that has one."""
    named = given if isinstance(given, Mapping) else {} if given is None else dict.fromkeys(profile.metrics, given)
    for name, margin in named.items():
        if not isinstance(margin, int | float) or not 0 <= margin < 1:
            raise UsageError(f"a margin must be at least 0 and below 1, e.g. 0.01, not {margin!r}")
        if name not in profile.metrics:
            raise unknown("metric of this comparison", name, profile.metrics)
    return {profile.metrics[name]: float(margin) for name, margin in named.items()}
