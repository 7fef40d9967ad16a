"""Scores gathered row by row from a log, and sorted into systems, samples and epochs."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from karatage._arrays import Floats
from karatage.errors import FormatError, InputError
from karatage.formats import id_text, scalar_text
from karatage.samples.sample_scores import SampleScores

NOT_NUMBERS = "scores that are not numbers, left out"
_LONGEST = 200
"""Longer metadata is text about a sample, and no attribute to cluster or stratify by."""


class _SystemRows:
    """The rows of one system."""

    def __init__(self) -> None:
        self.number: dict[tuple[str, str], int] = {}
        self.epochs: dict[str, int] = {}
        self.attributes: dict[str, dict[int, str]] = {}
        self.contents: list[str | None] = []
        self.seen: set[tuple[int, int, str]] = set()
        self.scores: dict[str, tuple[list[int], list[int], list[float]]] = {}
        self.notes: Counter[str] = Counter()
        self.headline = ""


class ScoreRows:
    """Gathers the scores of a log.

    Args:
        name: what messages call the log.

    Attributes:
        rising: whether metrics are better when they are higher, where the log says so.
        runs: whether epochs are runs of a system that was trained several times, and not repeated answers of one.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.rising: dict[str, bool] = {}
        self.runs = False
        self._systems: dict[str, _SystemRows] = {}

    def of(self, system: str) -> _SystemRows:
        """Return the rows of a system, which may be empty so far."""
        return self._systems.setdefault(system, _SystemRows())

    def note(self, system: str, what: str, count: int = 1) -> None:
        """Count something that a reader of the scores should know."""
        if count:
            self.of(system).notes[what] += count

    def add(
        self,
        values: Mapping[str, float],
        *,
        sample: str,
        source: str,
        line: int | None = None,
        system: str = "",
        task: str = "",
        epoch: str = "1",
        attributes: Mapping[str, Any] | None = None,
        content: Any = None,
        filtered: str = "",
    ) -> None:
        """Add the scores of a sample.

        Args:
            values: the score in each metric; NaN where there is none.
            sample: the id of the sample.
            source: the file that it is in.
            line: the line that it starts in.
            system: the system that was scored.
            task: the task that the sample belongs to.
            epoch: the epoch or run.
            attributes: facts about the sample.
            content: what the sample is about.
            filtered: the filter, where a log has the same sample once for each.
        """
        own = self.of(system)
        unit = own.number.setdefault((task, sample), len(own.number))
        number = own.epochs.setdefault(epoch, len(own.epochs))
        key = unit, number, filtered
        if key in own.seen:
            where = f" in epoch {epoch}" if len(own.epochs) > 1 else ""
            raise FormatError(
                f"this sample occurs twice{where}",
                source=source,
                line=line,
                unit=sample,
                noun="sample",
                hint="If several logs are read together, pass one of each task; a table of repeats needs the column "
                "epoch",
            )
        own.seen.add(key)
        for metric, value in values.items():
            units, epochs, found = own.scores.setdefault(metric, ([], [], []))
            units.append(unit)
            epochs.append(number)
            found.append(value)
        if unit < len(own.contents):
            return
        own.contents.append(_print(content))
        for name, value in (attributes or {}).items():
            text = _attribute(value)
            if text is not None:
                own.attributes.setdefault(str(name), {})[unit] = text

    def systems(self, scale: float | None = None) -> dict[str, SampleScores]:
        """Return the scores of each system, divided by the largest possible score where one is given."""
        if not any(own.number for own in self._systems.values()):
            raise InputError("the log has no samples", source=self.name, hint="Is the evaluation finished?")
        return {name: self._sorted(own, scale or 1.0) for name, own in self._systems.items() if own.number}

    def _sorted(self, own: _SystemRows, scale: float) -> SampleScores:
        values: dict[str, Floats] = {}
        beyond: dict[str, float] = {}
        for metric, (units, epochs, found) in own.scores.items():
            column = np.full((len(own.epochs), len(own.number)), np.nan)
            column[epochs, units] = np.array(found, float) / scale
            known = column[~np.isnan(column)]
            if len(known) and (known.min() < 0 or known.max() > 1):
                beyond[metric] = float(known[np.argmax(np.abs(known - 0.5))]) * scale
            elif len(known):
                values[metric] = column
            else:
                own.notes[f"metrics without a score for any sample, left out ({metric})"] += 1
        if beyond and not values:
            metric, worst = next(iter(beyond.items()))
            raise InputError(
                f"scores must be between 0 and 1, but {metric} has {worst:g}",
                source=self.name,
                hint="Give the largest possible score, e.g. --scale 10 for marks of 0 to 10"
                if worst > 0
                else "Scores below 0 cannot be used",
            )
        for metric, worst in beyond.items():
            own.notes[f"metrics with scores outside of 0 and 1, left out ({metric}: {worst:g}; see --scale)"] += 1
        if not values:
            noted = "; ".join(f"{what}: {count:,}" for what, count in own.notes.items())
            problem = f"the log has no scores ({noted})" if noted else "the log has no scores"
            raise InputError(problem, source=self.name, hint="Was the evaluation scored?")
        count = len(own.number)
        return SampleScores(
            source=self.name,
            ids=[sample for _, sample in own.number],
            tasks=[task for task, _ in own.number],
            attributes={
                name: [column.get(unit, "") for unit in range(count)] for name, column in own.attributes.items()
            },
            contents=own.contents,
            epochs=tuple(own.epochs),
            runs=self.runs,
            values=values,
            rising={metric: self.rising.get(metric, True) for metric in values},
            headline=own.headline if own.headline in values else "",
            notes=own.notes,
        )


def _attribute(value: Any) -> str | None:
    """Return what a fact about a sample says, as text; None for what is no single short value."""
    if isinstance(value, dict | list) or value is None:
        return None
    text = scalar_text(value)
    return text if len(text) <= _LONGEST else None


def _print(content: Any) -> str | None:
    """Return what a sample is about, as text."""
    return content if isinstance(content, str) or content is None else json.dumps(content, sort_keys=True)


def sample_id(value: Any, source: str, *, line: int | None = None, key: str = "id") -> str:
    """Return the id of a sample; anything but a text or a whole number is an error."""
    found = id_text(value)
    if found is None:
        problem = f"{key} is missing" if value is None else f"{key} must be a text or a whole number, got {value!r:.40}"
        raise FormatError(problem, source=source, line=line)
    return found


def as_score(value: Any) -> float | None:
    """Return a number that is a score, also as true, false or text; NaN for null and None for anything else."""
    if value is None:
        return math.nan
    if isinstance(value, bool | int | float):
        number = _float(value)
        return number if number is not None and not math.isinf(number) else None
    if isinstance(value, str) and value.isascii() and "_" not in value:
        number = _float(value.strip())
        return number if number is not None and math.isfinite(number) else None
    return None


def _float(value: Any) -> float | None:
    try:
        return float(value)
    except (ValueError, OverflowError):  # no number, or a whole one of hundreds of digits
        return None
