"""Training with CRFsuite: features and tags in, its model file out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karatage.taggers import import_optional
from karatage.training.crf.crf_settings import CrfSettings
from karatage.training.crf.features import FeatureColumn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OnIteration = Callable[[int, float], None]
"""Called with the number of each iteration, from 1, and its loss."""

_ITERATION = re.compile(r"\*+ Iteration #(\d+)")
_LOSS = re.compile(r"Loss: (\S+)")


def train(
    *,
    columns: Sequence[FeatureColumn],
    codes: NDArray[np.int64],
    sizes: NDArray[np.int64],
    tags: Sequence[str],
    settings: CrfSettings,
    path: Path,
    on_iteration: OnIteration | None = None,
) -> None:
    """Train a model, which CRFsuite writes to a file; an exception that `on_iteration` raises ends the training."""
    trainer = _trainer(on_iteration)
    trainer.select("lbfgs")
    trainer.set_params(
        {
            "c1": settings.c1,
            "c2": settings.c2,
            "max_iterations": settings.iterations,
            "feature.minfreq": settings.min_frequency,
            "feature.possible_transitions": settings.all_transitions,
        }
    )
    tables = [(column.keys.tolist(), column.rows()) for column in columns]
    named = [tags[code] for code in codes.tolist()]
    end = 0
    for size in sizes.tolist():
        start, end = end, end + size
        if not size:
            continue
        parts = [[rows[key] for key in keys[start:end]] for keys, rows in tables]
        trainer.append([list(chain.from_iterable(own)) for own in zip(*parts, strict=True)], named[start:end])
    trainer.train(str(path))


def _trainer(on_iteration: OnIteration | None) -> Any:
    """Return a CRFsuite trainer that reports each iteration."""
    iteration = 0

    def message(_: Any, text: str) -> None:
        # This is called even if nobody listens: an interrupt by the user arrives here.
        nonlocal iteration
        if found := _ITERATION.match(text):
            iteration = int(found[1])
        elif on_iteration is not None and (found := _LOSS.match(text)):
            on_iteration(iteration, float(found[1]))

    base = import_optional("pycrfsuite", "train").BaseTrainer
    return type("ReportingTrainer", (base,), {"message": message})()
