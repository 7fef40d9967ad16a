"""The labelled candidates of a draw with what an existing tagger says of them, for assisted estimates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from karatage.errors import InputError, UsageError
from karatage.recall.amundsen import folder_of
from karatage.recall.benchmark import Benchmark
from karatage.recall.drawing.drawn import Draw
from karatage.recall.drawing.read_draw_folder import draw_in
from karatage.recall.labels.labelling import adjudicate
from karatage.stats import Assisted


def check_assisted(place: str | Path | Benchmark) -> Draw:
    """Return the draw in whose folder a benchmark lies; one without predictions is an error."""
    drawn = None if isinstance(place, Benchmark) else draw_in(folder_of(place))
    if drawn is None:
        raise UsageError("the method 'assisted' needs the folder of a draw made with `karatage recall draw --assist`")
    if any(stratum.assist is None for stratum in drawn.strata if stratum.occurrences):
        raise UsageError(f"{place}: the draw was made without --assist, so no predictions are known")
    return drawn


def samples_of(place: str | Path, benchmark: Benchmark, results: Sequence[bool | None]) -> dict[str, Assisted]:
    """Return the sample of each stratum: which candidates are positive, found, and predicted by the existing tagger.

    Args:
        place: the folder of the draw, or the description in it.
        benchmark: the benchmark that was read from there.
        results: for each positive whether it was found.
    """
    folder = folder_of(place)
    drawn = check_assisted(place)
    means = {stratum.name: stratum.assist for stratum in drawn.strata}
    made = adjudicate(folder)
    if made.benchmark.hash != benchmark.hash:
        hint = "Import the labels again, or undo changes of the recall sets by hand"
        raise InputError("the positives are not those that follow from the labels", source=str(folder), hint=hint)
    said = {item.item: item.assist for item in drawn.items}
    found = iter(results)
    out = {}
    for stratum in made.benchmark.strata:
        own = [one for one in made.decisions if one.stratum == stratum.name]
        positive = np.array([one.mark is not None for one in own], bool)
        hit = np.array([one.mark is not None and next(found) is True for one in own], bool)
        predicted = np.array([said[one.item] for one in own], float)
        out[stratum.name] = Assisted(positive, hit, predicted, float(means[stratum.name] or 0.0))
    return out
