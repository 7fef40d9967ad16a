"""The labelled candidates of a draw with the predictions of an existing tagger, for the method `assisted`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from karatage.errors import InputError, UsageError
from karatage.recall.benchmark import Benchmark
from karatage.recall.drawing.draw_record import Draw
from karatage.recall.labels.label_import import adjudicate
from karatage.stats import Assisted


def check_assisted(drawn: Draw | None, folder: Path | None) -> Draw:
    """Return the draw, or raise an error if it is missing or has no predictions of an existing tagger."""
    if drawn is None:
        raise UsageError("the method 'assisted' needs the folder of a draw made with `karatage recall draw --assist`")
    if any(stratum.assist is None for stratum in drawn.strata if stratum.occurrences):
        raise UsageError(f"{folder}: the draw was made without --assist, so it has no predictions")
    return drawn


def assisted_samples(
    folder: Path, drawn: Draw, benchmark: Benchmark, results: Sequence[bool | None]
) -> dict[str, Assisted]:
    """Return the sample of each stratum: which candidates are positive, found, and predicted by the existing tagger.

    Args:
        folder: Folder of the draw.
        drawn: The draw.
        benchmark: The benchmark in that folder.
        results: For each positive, whether it was found.
    """
    made = adjudicate(folder, drawn=drawn)
    if made.benchmark.hash != benchmark.hash:
        hint = "Import the labels again, or undo manual changes of the recall sets"
        raise InputError("the positives do not match the labels", source=str(folder), hint=hint)
    means = {stratum.name: stratum.assist for stratum in drawn.strata}
    predictions = {item.item: item.assist for item in drawn.items}
    found = iter(results)
    out = {}
    for stratum in made.benchmark.strata:
        own = [one for one in made.decisions if one.stratum == stratum.name]
        positive = np.array([one.entity is not None for one in own], bool)
        hit = np.array([one.entity is not None and next(found) is True for one in own], bool)
        predicted = np.array([predictions[one.item] for one in own], float)
        out[stratum.name] = Assisted(positive, hit, predicted, float(means[stratum.name] or 0.0))
    return out
