"""Two experiments compared: settings, scores, and whether the difference is significant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karatage._printing import json_text
from karatage._shown import WithPage
from karatage.comparison import compare
from karatage.errors import UsageError
from karatage.experiments.experiment import Experiment
from karatage.experiments.log import ExperimentLog, display_names
from karatage.experiments.plain_data import to_json_values
from karatage.experiments.setting_changes import SettingChange, changed_settings, profile_with_options
from karatage.experiments.stored_gold import find_gold, find_predictions

if TYPE_CHECKING:
    from karatage.comparison import Comparison
    from karatage.reports import AnswerText, Page
    from karatage.scoring import Progress

_RESAMPLING = {name: name for name in ("level", "seed", "cluster_by", "stratify_by")} | {"method": "interval"}
"""The names of options in the intervals of a result, and as `karatage.compare` takes them."""


@dataclass(frozen=True, kw_only=True)
class ExperimentComparison(WithPage):
    """Two experiments, or several runs of two systems, compared.

    Attributes:
        systems: The experiments of either system; several are runs of one system.
        names: What the two systems are called.
        changes: The settings in which any two of the experiments differ.
        test: The paired comparison; None if it is impossible.
        why_no_test: Why it is impossible.
        remarks: What a reader of the comparison should know.
    """

    systems: tuple[tuple[Experiment, ...], tuple[Experiment, ...]]
    names: tuple[str, str]
    changes: tuple[SettingChange, ...]
    test: Comparison | None
    why_no_test: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def experiments(self) -> dict[str, Experiment]:
        """The experiments of both systems, by the names they are shown with."""
        everything = [experiment for runs in self.systems for experiment in runs]
        names = display_names(experiment.name for experiment in everything)
        return {names[experiment.name]: experiment for experiment in everything}

    @property
    def metrics(self) -> list[str]:
        """The metrics that any of them reports, the headline first."""
        found = list(self.experiments.values())
        names = dict.fromkeys([found[0].headline, *(name for experiment in found for name in experiment.metrics)])
        return [name for name in names if name]

    @property
    def answer(self) -> AnswerText:
        """How the two differ, in one sentence."""
        from karatage.reports import experiments_answer

        return experiments_answer(self)

    def page(self, title: str | None = None) -> Page:
        """Return the page: the answer, scores side by side, differences with their verdicts, settings, labels."""
        from karatage.reports import experiments_page

        return experiments_page(self, title)

    @property
    def verdict(self) -> str:
        """Say whether the difference is significant."""
        if self.test is None:
            return f"No test: {self.why_no_test}"
        contest = self.test.headline
        found = contest.differences[0]
        if found.value is None:
            return f"No test: {contest.metric} is undefined"
        if not found.units:
            return "No difference: the counts are identical"
        by = f"{abs(found.value):.4f} in {contest.metric}"
        p = "" if found.p is None else f" (p = {found.p:.4f})" if found.p >= 0.00005 else " (p < 0.0001)"
        if found.significant:
            return f"Significant difference: {found.one} is better than {found.other} by {by}{p}"
        return f"No significant difference: {found.one} is ahead of {found.other} by {by}{p}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, in the shape that `--json` prints."""
        experiments = self.experiments
        scores = {name: experiment.scores.get("metrics", {}) for name, experiment in experiments.items()}
        values = {one.name: to_json_values(dict(zip(experiments, one.values, strict=True))) for one in self.changes}
        return {
            "answer": str(self.answer),
            "one": self.names[0],
            "other": self.names[1],
            "changes": values,
            "scores": {metric: {name: own.get(metric) for name, own in scores.items()} for metric in self.metrics},
            "verdict": self.verdict,
            "test": None if self.test is None else self.test.to_dict(),
            "remarks": list(self.remarks),
        }

    def to_json(self) -> str:
        """Return everything as JSON text."""
        return json_text(self.to_dict())


def compare_experiments(
    log: ExperimentLog,
    one: str | Sequence[str],
    other: str | Sequence[str],
    *,
    gold: str | Path | None = None,
    resamples: int = 10_000,
    by_label: bool = True,
    progress: Progress | None = None,
) -> ExperimentComparison:
    """Compare two experiments of a log.

    Args:
        log: The log.
        one: An experiment, or several runs of one system trained with different seeds.
        other: Another one, or several runs of another system.
        gold: The gold file, if the log has only its fingerprint. It may contain more than was scored.
        resamples: Number of resamples, and of rounds of the permutation test.
        by_label: Whether to compare on each label too.
        progress: Called with the number of units done so far.
    """
    systems = _runs(log, one), _runs(log, other)
    everything = [experiment for runs in systems for experiment in runs]
    if not all(systems) or len({experiment.name for experiment in everything}) < len(everything):
        raise UsageError("a comparison needs two different experiments")
    shown = display_names(experiment.name for experiment in everything)
    first, second = (" ".join(shown[experiment.name] for experiment in runs) for runs in systems)
    why, test, remarks = why_not_together(everything), None, list[str]()
    reference = None if why else find_gold(log, everything, gold)
    if not why and reference is None:
        why = "the log has only a fingerprint of the gold data; pass its file with --gold FILE"
    if reference is not None:
        test = compare(
            reference,
            {name: find_predictions(log, runs, reference) for name, runs in zip((first, second), systems, strict=True)},
            like=log.profile_of(everything[0]),
            resamples=resamples,
            by_label=by_label,
            progress=progress,
            **scoring_options(everything[0]),
        )
        if len({profile_with_options(experiment) for experiment in everything}) > 1:
            remarks.append(f"they were scored with different profiles; the test uses that of {everything[0].id}")
        remarks += _cautions(systems, shown)
    return ExperimentComparison(
        systems=systems,
        names=(first, second),
        changes=changed_settings(*everything),
        test=test,
        why_no_test=why,
        remarks=tuple(remarks),
    )


def _cautions(systems: Sequence[Sequence[Experiment]], shown: Mapping[str, str]) -> Iterator[str]:
    """Say what the test does not know: what was selected on the same data, and that seeds matter."""
    for run in (run for runs in systems for run in runs):
        tuned = bool(run.config.get("threshold"))
        chosen = ["its epoch"] * (run.best_epoch is not None) + ["its threshold"] * tuned
        if run.kind == "train" and chosen and not any(one.role == "test" for one in run.data):
            yield f"the score of {shown[run.name]} is optimistic: the same data selected {' and '.join(chosen)}"
    alone = [shown[runs[0].name] for runs in systems if len(runs) == 1 and "seed" in runs[0].config]
    if alone:
        yield (
            f"there is only one run of {' and of '.join(alone)}; another seed may change the score by more than this "
            "difference. To compare several runs, separate their ids with commas"
        )


def _runs(log: ExperimentLog, names: str | Sequence[str]) -> tuple[Experiment, ...]:
    return tuple(log.get(name) for name in ([names] if isinstance(names, str) else names))


def scoring_options(experiment: Experiment) -> dict[str, Any]:
    """Return the options that an experiment was scored with."""
    intervals = experiment.scores.get("intervals", {})
    own = {} if experiment.stored is None else experiment.stored.options
    return {option: intervals[name] for name, option in _RESAMPLING.items() if name in intervals} | dict(own)


def why_not_together(experiments: Sequence[Experiment]) -> str:
    """Say why experiments cannot be scored together again; empty if they can."""
    lacking = [experiment.id for experiment in experiments if experiment.stored is None]
    if lacking:
        return f"the log has no predictions of {', '.join(lacking)}"
    digests = {one.stored.gold: one.id for one in reversed(experiments) if one.stored}
    if len(digests) > 1:
        known = ", ".join(f"{name} on {digest[:8]}" for digest, name in reversed(digests.items()))
        return f"they were scored on different gold data ({known})"
    return ""
