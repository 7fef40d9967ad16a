"""Training by CRFsuite: features and tags in, its model file out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karatage.taggers import import_optional
from karatage.training.crf.crf_settings import CrfSettings
from karatage.training.crf.features import Column

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Heard = Callable[[int, float], None]
"""Who is told the number of each iteration, from 1, and its loss."""

_ITERATION = re.compile(r"\*+ Iteration #(\d+)")
_LOSS = re.compile(r"Loss: (\S+)")


def train(
    columns: Sequence[Column],
    codes: NDArray[np.int64],
    sizes: NDArray[np.int64],
    tags: Sequence[str],
    settings: CrfSettings,
    path: Path,
    heard: Heard | None = None,
) -> None:
    """Train a model, which CRFsuite writes into a file.

    Args:
        columns: the features of all tokens.
        codes: the tags of all tokens.
        sizes: how many tokens each unit has.
        tags: the tag of each code.
        settings: how to train.
        path: the file.
        heard: is told of each iteration; an exception that it raises ends the training.
    """
    trainer = _listening(heard)
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


def _listening(heard: Heard | None) -> Any:
    """Return a trainer of CRFsuite that tells of each iteration."""
    iteration = 0

    def message(_: Any, text: str) -> None:
        # CRFsuite also speaks where nobody listens: an interruption by the user arrives here.
        nonlocal iteration
        if found := _ITERATION.match(text):
            iteration = int(found[1])
        elif heard is not None and (found := _LOSS.match(text)):
            heard(iteration, float(found[1]))

    base = import_optional("pycrfsuite", "train").BaseTrainer
    return type("Listening", (base,), {"message": message})()
