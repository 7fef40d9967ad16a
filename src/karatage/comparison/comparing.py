"""Comparing systems on the same units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack, get_args

from karatage._options import takes
from karatage.comparison.assembling import compare_systems
from karatage.comparison.comparison import Comparison
from karatage.comparison.significance_tests import TestName
from karatage.comparison.system_counts import SystemCounts
from karatage.errors import UsageError, unknown
from karatage.inputs import Annotators, Input, Runs, Sets, as_input
from karatage.metrics import Metric
from karatage.profiles import Profile
from karatage.scoring import (
    RECORDS,
    Progress,
    ScoringKeywords,
    ScoringOptions,
    ScoringReading,
    adding_up,
    check_annotated,
    check_resampling,
    resolve_annotators,
    resolve_judge,
    resolve_predictions,
    usual_profile,
)


@takes(*RECORDS)
def compare(
    gold: Any,
    systems: Mapping[str, Any] | Sequence[Any],
    *,
    judge: Any = None,
    test: TestName = "t",
    margin: Mapping[str, float] | float | None = None,
    by_label: bool = True,
    resamples: int = 10_000,
    progress: Progress | None = None,
    **options: Unpack[ScoringKeywords],
) -> Comparison:
    """Compare systems on the same gold.

    Args:
        gold: Anything that `karatage.score` takes, such as `karatage.Annotators` of several annotators; or
            `karatage.Sets` of several test sets.
        systems: The predictions of each system, by its name; or a sequence of files, named by their paths. A system's
            predictions are anything that `karatage.score` takes, `karatage.Sets` with those of each test set, or
            `karatage.Runs` of one system trained several times.
        judge: Labels of another model for all sentences or queries, where gold has only a random part of them: scores
            and differences are then estimated from both. `karatage.Sets` where gold is.
        test: How a pair is tested: `t` divides the difference by its standard error and agrees with the interval;
            `randomisation` swaps the outputs of two systems at random, sentence by sentence; `bootstrap` resamples the
            sentences and sees how far the difference moves.
        margin: Test whether systems differ by no more than this: whether one is no worse than the other by more (non-
            inferiority), and whether both are (equivalence). A mapping has a margin for each metric.
        by_label: Compare the systems on each label too.
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
    given = ScoringOptions.of(options, resamples)
    reading = given.reading
    if judge is not None:
        check_resampling(given.resampling)
        if test != "t":
            raise UsageError(f"--test {test} does not work with --judge: use the default, t")
    golds = dict(gold) if isinstance(gold, Sets) else {"": gold}
    if not golds:
        raise UsageError("gold has no test sets")
    if any(isinstance(own, Annotators) for own in golds.values()):
        _check_annotators(gold, systems, judge, test, given)
    # Gold is paired with every run of every system: it is read once and stays in memory.
    opened = {name: _by_annotator(own, reading) for name, own in golds.items()}
    first = next(iter(next(iter(opened.values())).values()))
    profile = usual_profile(given.profile.like, first).with_options(given.profile)
    if given.profile.metrics is None:
        profile = replace(profile, metrics={profile.headline: profile.metrics[profile.headline]})
    margins = _margins(margin, profile)
    systems = _runs(named_systems(systems))
    done = adding_up(progress)
    sets = {
        name: SystemCounts.read(
            name=name,
            golds=own,
            systems={
                system: [resolve_predictions(_in_set(run, f"system {system}", name, golds), reading) for run in runs]
                for system, runs in systems.items()
            },
            profile=profile,
            resampling=given.resampling,
            reading=reading,
            done=done,
            judge=None if judge is None else resolve_judge(_in_set(judge, "judge", name, golds), reading),
        )
        for name, own in opened.items()
    }
    return compare_systems(sets, profile, given.resampling, test, margins=margins, by_label=by_label)


def _by_annotator(gold: Any, reading: ScoringReading) -> dict[str, Input]:
    """Return the gold of each annotator; a single one has no name."""
    if isinstance(gold, Annotators):
        return resolve_annotators(gold, reading)
    return {"": as_input(gold, format=reading.format, name="gold").remembered()}


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


def named_systems(systems: Mapping[str, Any] | Sequence[Any], least: int = 2) -> dict[str, Any]:
    """Return the predictions of each system by its name."""
    if not isinstance(systems, Mapping):
        if isinstance(systems, str | bytes) or not isinstance(systems, Sequence):
            raise UsageError("give systems as a mapping from names to predictions, or as a list of files")
        if not all(isinstance(item, str | Path) for item in systems):
            raise UsageError("systems that are not files need names: give a mapping from names to predictions")
        if len({str(item) for item in systems}) < len(systems):
            raise UsageError("the same file is given twice: name the systems to compare it with itself")
        systems = dict(zip(short_names([str(item) for item in systems]), systems, strict=True))
    if len(systems) < least:
        many = "at least two systems" if least == 2 else "a system"
        raise UsageError(f"{'a comparison' if least == 2 else 'an explanation'} needs {many}, got {len(systems)}")
    out: dict[str, Any] = {}
    for key, item in systems.items():
        # A file name that is not valid text shows as question marks.
        name = str(key).encode("utf-8", "replace").decode("utf-8")
        if name in out:
            raise UsageError(f"two systems have the name {name!r}")
        if not name:
            raise UsageError("a system needs a name")
        out[name] = item
    return out


def _runs(systems: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the runs of each system."""
    out = {name: list(item) if isinstance(item, Runs) else [item] for name, item in systems.items()}
    streams = [run for runs in out.values() for run in runs if isinstance(run, str | Path) and str(run) == "-"]
    if len(streams) > 1:
        raise UsageError("only one system can come from standard input")
    for name, runs in out.items():
        if not runs:
            raise UsageError(f"the system {name} has no runs")
        files = [str(run) for run in runs if isinstance(run, str | Path)]
        if len(set(files)) < len(files):
            raise UsageError(f"the system {name} has the same file as two runs: {files[0]}")
    return out


def short_names(paths: list[str]) -> list[str]:
    """Return the shortest distinct names of files."""
    for short in (lambda p: p.name.split(".")[0], lambda p: p.name, str):
        names = [short(Path(path)) for path in paths]
        if len(set(names)) == len(names) and all(names):
            return names
    return paths


def _in_set(given: Any, whose: str, name: str, golds: Mapping[str, Any]) -> Any:
    """Return the part of a run, or of a judge's labels, that belongs to a test set."""
    if not name and not isinstance(given, Sets):
        return given
    if not isinstance(given, Sets):
        raise UsageError(f"gold has several sets, so the {whose} must have them too: karatage.Sets(…)")
    if name not in given:
        what = f"no set {name!r}" if name else "several sets, but gold has not"
        raise UsageError(f"the {whose} has {what}; its sets are {', '.join(given)}")
    strange = [other for other in given if other not in golds]
    if strange:
        raise UsageError(f"the {whose} has a set {strange[0]!r} that gold lacks")
    return given[name]
