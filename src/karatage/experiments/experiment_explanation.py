"""Logged experiments explained: where they fail, from the gold and the predictions that the log has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from karatage.errors import UsageError
from karatage.experiments.experiment_comparison import scoring_options, why_not_together
from karatage.experiments.log import ExperimentLog, display_names
from karatage.experiments.setting_changes import profile_with_options
from karatage.experiments.stored_gold import find_gold, find_predictions
from karatage.explanation import explain

if TYPE_CHECKING:
    from karatage.explanation import ExtractionExplanation, SampleExplanation, SearchExplanation
    from karatage.scoring import Progress


def explain_experiments(
    log: ExperimentLog,
    names: Sequence[str],
    *,
    gold: str | Path | None = None,
    diff: bool = False,
    check: bool = True,
    resamples: int = 1000,
    progress: Progress | None = None,
) -> ExtractionExplanation | SearchExplanation | SampleExplanation:
    """Explain where the systems of logged experiments fail, with the profile that scored them.

    Args:
        log: The log.
        names: The experiments, all scored on the same gold data with the same profile.
        gold: The gold file, if the log has only its fingerprint. It may contain more than was scored.
        diff: Whether the second of two experiments is a new version of the first: lists what was fixed and broken.
        check: Whether to look for gold entities that look wrong.
        resamples: Number of bootstrap resamples.
        progress: Called with the number of units done so far.
    """
    found = [log.get(name) for name in names]
    if not found or len({experiment.name for experiment in found}) < len(found):
        raise UsageError("name one or more different experiments to explain")
    why = why_not_together(found)
    if why:
        raise UsageError(f"cannot explain: {why}")
    profiles = {profile_with_options(experiment): experiment.id for experiment in reversed(found)}
    if len(profiles) > 1:
        known = ", ".join(f"{name} with {profile}" for profile, name in reversed(profiles.items()))
        raise UsageError(f"the experiments were scored with different profiles ({known}): explain them one by one")
    reference = find_gold(log, found, gold)
    if reference is None:
        raise UsageError("the log has only a fingerprint of the gold data. Pass its file with --gold FILE")
    shown = display_names(experiment.name for experiment in found)
    return explain(
        reference,
        {shown[experiment.name]: find_predictions(log, [experiment], reference) for experiment in found},
        like=log.profile_of(found[0]),
        diff=diff,
        check=check,
        resamples=resamples,
        progress=progress,
        **scoring_options(found[0]),
    )
